//! Scripts that must print the same and exit with the same code in Node and in the engine, where `examples/run.rs` runs them.
//! Each folder of `tests/node/cases` is a case: `main.mjs`, what it imports, packages below `packages/` (which becomes
//! `node_modules`), and an optional `case.json` with `args`, `env` and `stdin`. `LMTHING_NODE_CASE=text` runs the
//! matching cases only.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

#[test]
fn scripts_behave_as_in_node() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node/cases");
    let only = std::env::var("LMTHING_NODE_CASE").unwrap_or_default();
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|case| case.display().to_string().contains(&only));
    cases.sort();
    assert!(!cases.is_empty());
    let program = example();
    // Two at a time: each is two processes, one after the other.
    let differences: Vec<String> = std::thread::scope(|scope| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                let (cases, program) = (&cases, &program);
                scope.spawn(move || {
                    cases.iter().skip(half).step_by(2).filter_map(|case| difference(case, program)).collect::<Vec<_>>()
                })
            })
            .collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// The example, which `cargo test` builds next to the tests unless it is limited to one of them.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name = format!("examples/run{}", std::env::consts::EXE_SUFFIX);
    let program = test.parent().and_then(Path::parent).unwrap().join(name);
    assert!(program.exists(), "cargo build --examples makes {}", program.display());
    program
}

/// The first difference between Node and the engine.
fn difference(case: &Path, program: &Path) -> Option<String> {
    let given: Value =
        fs::read_to_string(case.join("case.json")).map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default();
    let temporary = tempfile::tempdir().unwrap();
    let directory = temporary.path().canonicalize().unwrap();
    // Both in the same path, each in a fresh copy.
    let [expected, got] = [Path::new("node"), program].map(|program| {
        fs::remove_dir_all(&directory).unwrap();
        copy(case, &directory);
        run(program, &given, &directory)
    });
    let is_equal = (&expected.0, expected.1) == (&got.0, got.1);
    let name = case.file_name().unwrap().display();
    (!is_equal).then(|| {
        let line = expected.0.lines().zip(got.0.lines()).position(|(a, b)| a != b);
        let line = line.unwrap_or(expected.0.lines().count().min(got.0.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("<end>").to_owned();
        format!(
            "{name}: line {}\n  node   {}\n  engine {}\n  codes {:?} {:?}\n{}",
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
fn run(program: &Path, given: &Value, directory: &Path) -> (String, Option<i32>, String) {
    let mut command = Command::new(program);
    let texts = |key: &str| given[key].as_array().into_iter().flatten().map(|text| text.as_str().unwrap());
    command
        .arg("main.mjs")
        .args(texts("args"))
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
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
