//! The same script in Node and in lmthing must print the same and exit with the same code. Each folder of
//! `tests/script/node` is a case: `main.mjs`, what it imports, packages below `packages/` (which becomes
//! `node_modules`), and an optional `case.json` with `args`, `env` and `stdin`. `LMTHING_NODE_CASE=text` runs the
//! matching cases only.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::support::lmthing;

/// The prompt file that a case runs in.
const PROMPT: &str = "import './main.mjs'; export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }]; export default ({ $ }) => { $`run`; };";

#[test]
fn scripts_do_as_in_node() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script/node");
    let only = std::env::var("LMTHING_NODE_CASE").unwrap_or_default();
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|case| case.display().to_string().contains(&only));
    cases.sort();
    assert!(!cases.is_empty());
    // Two at a time: each is two processes, one after the other.
    let differences: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                let cases = &cases;
                scope.spawn(move || {
                    cases.iter().skip(half).step_by(2).filter_map(|case| difference(case)).collect::<Vec<_>>()
                })
            })
            .collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// The first difference between Node and lmthing.
fn difference(case: &Path) -> Option<String> {
    let given: Value =
        fs::read_to_string(case.join("case.json")).map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default();
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().canonicalize().unwrap();
    let mut node = Command::new("node");
    node.arg("main.mjs");
    let mut lmthing = lmthing();
    lmthing.args(["run", "main.lmt.mjs"]);
    // Both in the same path, each in a fresh copy.
    let [expected, got] = [node, lmthing].map(|command| {
        fs::remove_dir_all(&place).unwrap();
        copy(case, &place);
        fs::write(place.join("main.lmt.mjs"), PROMPT).unwrap();
        run(command, &given, &place)
    });
    let is_equal = (&expected.0, expected.1) == (&got.0, got.1);
    let name = case.file_name().unwrap().display();
    (!is_equal).then(|| {
        let line = expected.0.lines().zip(got.0.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or(expected.0.lines().count().min(got.0.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("<end>").to_owned();
        format!(
            "{name}: line {}\n  node    {}\n  lmthing {}\n  codes {:?} {:?}\n{}",
            line + 1,
            at(&expected.0),
            at(&got.0),
            expected.1,
            got.1,
            got.2
        )
    })
}

/// Stdout, exit code, stderr.
fn run(mut command: Command, given: &Value, place: &Path) -> (String, Option<i32>, String) {
    let texts = |key: &str| given[key].as_array().into_iter().flatten().map(|text| text.as_str().unwrap());
    command.args(texts("args")).current_dir(place).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("TZ", "UTC").env("LANG", "en_US.UTF-8").env("NODE_NO_WARNINGS", "1").env_remove("FORCE_COLOR");
    for (name, value) in given["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().unwrap());
    }
    let mut child = command.spawn().unwrap();
    // The script may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(given["stdin"].as_str().unwrap_or_default().as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    (text(&output.stdout), output.status.code(), text(&output.stderr))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        // `.gitignore` excludes folders named `node_modules`.
        let target = if name == "packages" { to.join("node_modules") } else { to.join(name) };
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
