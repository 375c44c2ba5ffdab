//! Runs every scenario under `tests/scenarios/` and compares its output and exit code.
//!
//! A scenario is `<area>/<name>.lmt.mjs` (or `.lmt.ts`) with `<area>/<name>.expect.json`: `stdout` (trailing white
//! space is ignored), `stdout_contains`, `stdout_lacks`, `stderr_contains` (letter case is ignored), `stderr_lacks`,
//! `exit` (default 0), `args` in place of the file name, `files` placed next to it, `env`, and `note`. Expectations
//! follow the specification, never what the program printed. `LMTHING_SCENARIO=text` runs the matching ones only.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::support::lmthing;

/// A scenario that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    note: String,
    stdout: Option<String>,
    #[serde(default)]
    stdout_contains: Vec<String>,
    #[serde(default)]
    stdout_lacks: Vec<String>,
    #[serde(default)]
    stderr_contains: Vec<String>,
    #[serde(default)]
    stderr_lacks: Vec<String>,
    #[serde(default)]
    exit: i32,
    args: Option<Vec<String>>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

struct Scenario {
    name: String,
    script: PathBuf,
    expectation: Expectation,
}

#[test]
fn scenarios_follow_the_specification() {
    let wanted = std::env::var("LMTHING_SCENARIO").unwrap_or_default();
    let scenarios = find(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios"), &wanted);
    assert!(!scenarios.is_empty(), "no scenario matches {wanted:?}");
    let todo = Mutex::new(scenarios.iter());
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(scenario) = todo.lock().unwrap().next() else { break };
                    let problems = run(scenario);
                    if !problems.is_empty() {
                        let note = &scenario.expectation.note;
                        let report = format!("{}\n  ({note})\n  {}", scenario.name, problems.join("\n  "));
                        failures.lock().unwrap().push(report);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let count = format!("{} of {} scenarios failed", failures.len(), scenarios.len());
    assert!(failures.is_empty(), "{count}:\n\n{}\n\n{count}", failures.join("\n\n"));
}

fn find(root: &Path, wanted: &str) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    let areas = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    for area in areas {
        for entry in fs::read_dir(&area).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let Some(stem) = file.strip_suffix(".expect.json") else { continue };
            let name = format!("{}/{stem}", area.file_name().unwrap().to_string_lossy());
            if !name.contains(wanted) {
                continue;
            }
            let script = ["lmt.mjs", "lmt.ts", "lmt.js", "lmt.mts"].map(|ending| area.join(format!("{stem}.{ending}")));
            let script = script.into_iter().find(|script| script.exists());
            let script = script.unwrap_or_else(|| panic!("{name} has no prompt file"));
            let expectation = serde_json::from_str(&fs::read_to_string(&path).unwrap());
            let expectation = expectation.unwrap_or_else(|error| panic!("{name}: {error}"));
            scenarios.push(Scenario { name, script, expectation });
        }
    }
    scenarios.sort_by(|a, b| a.name.cmp(&b.name));
    scenarios
}

/// Runs one scenario in a folder of its own; returns what differs from the expectation.
fn run(scenario: &Scenario) -> Vec<String> {
    let expectation = &scenario.expectation;
    let folder = tempfile::tempdir().unwrap();
    let file = scenario.script.file_name().unwrap().to_owned();
    fs::copy(&scenario.script, folder.path().join(&file)).unwrap();
    let helpers = scenario.script.parent().unwrap().with_file_name("helpers.mjs");
    fs::copy(helpers, folder.path().join("helpers.mjs")).unwrap();
    for (path, content) in &expectation.files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let mut command = lmthing();
    command.arg("run").current_dir(folder.path()).env("NO_COLOR", "1");
    match &expectation.args {
        Some(args) => command.args(args),
        None => command.arg(file),
    };
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("LM_MODEL_") || name.contains("_API_")) {
        command.env_remove(name);
    }
    command.envs(&expectation.env);
    match output(command) {
        Some(output) => problems(expectation, &output),
        None => vec![format!("no end after {LIMIT:?}")],
    }
}

/// `None` if the process had to be killed.
fn output(mut command: Command) -> Option<Output> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let read_stdout = thread::spawn(move || read(&mut stdout));
    let read_stderr = thread::spawn(move || read(&mut stderr));
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if start.elapsed() > LIMIT => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let (stdout, stderr) = (read_stdout.join().unwrap(), read_stderr.join().unwrap());
    Some(Output { status: status?, stdout, stderr })
}

fn read(from: &mut impl std::io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes
}

fn problems(expectation: &Expectation, output: &Output) -> Vec<String> {
    let stdout = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut problems = Vec::new();
    if output.status.code() != Some(expectation.exit) {
        problems.push(format!("exit: expected {}, got {}", expectation.exit, output.status));
    }
    if let Some(expected) = &expectation.stdout
        && expected.trim_end() != stdout
    {
        let expected = expected.trim_end();
        let length = expected.lines().count().max(stdout.lines().count());
        for number in 0..length {
            let (wanted, got) = (expected.lines().nth(number), stdout.lines().nth(number));
            if wanted != got {
                let (wanted, got) = (wanted.unwrap_or("<end>"), got.unwrap_or("<end>"));
                problems.push(format!("stdout line {}:\n    expected {wanted}\n    got      {got}", number + 1));
            }
        }
    }
    let shown_out = format!("; it is:\n{stdout}");
    for piece in expectation.stdout_contains.iter().filter(|piece| !stdout.contains(*piece)) {
        problems.push(format!("stdout lacks {piece:?}{shown_out}"));
    }
    for piece in expectation.stdout_lacks.iter().filter(|piece| stdout.contains(*piece)) {
        problems.push(format!("stdout has {piece:?}{shown_out}"));
    }
    let lower = stderr.to_lowercase();
    for piece in expectation.stderr_contains.iter().filter(|piece| !lower.contains(&piece.to_lowercase())) {
        problems.push(format!("stderr lacks {piece:?}"));
    }
    for piece in expectation.stderr_lacks.iter().filter(|piece| lower.contains(&piece.to_lowercase())) {
        problems.push(format!("stderr has {piece:?}"));
    }
    if !problems.is_empty() && !stderr.trim().is_empty() {
        problems.push(format!("stderr: {}", stderr.trim().replace('\n', "\n    ")));
    }
    problems
}
