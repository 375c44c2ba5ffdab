//! How the process ends when the user interrupts it or nobody reads its output any more.

use std::{
    fs,
    io::Read,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::processes;

/// Says one word at once, then works for longer than any test waits.
const SLOW: &str = "
export const config = { model: { doStream: async () => ({ stream: (async function* () {
  yield { type: 'text-start', id: '0' };
  yield { type: 'text-delta', id: '0', delta: 'started' };
  for (let i = 0; ; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield { type: 'text-delta', id: '0', delta: ` ${i}` };
  }
})() }) } };
export default ({ $ }) => { $`go`; };
";

/// Says one word, then never gives the engine back.
const BUSY: &str = "
export const config = { model: { doStream: async () => ({ stream: (async function* () {
  yield { type: 'text-start', id: '0' };
  yield { type: 'text-delta', id: '0', delta: 'started' };
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (;;) {}
})() }) } };
export default ({ $ }) => { $`go`; };
";

fn start(folder: &tempfile::TempDir, source: &str) -> Child {
    let path = folder.path().join("slow.lmt.mjs");
    fs::write(&path, source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    command.arg("run").arg(&path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn read_word(child: &mut Child) -> String {
    let mut word = [0; 7];
    child.stdout.as_mut().unwrap().read_exact(&mut word).unwrap();
    String::from_utf8_lossy(&word).into_owned()
}

fn end(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("the process did not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(source: &str, signal: &str, code: i32) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(&folder, source);
    assert_eq!(read_word(&mut child), "started");
    thread::sleep(Duration::from_millis(50));
    processes::signal(child.id(), signal);
    assert_eq!(end(&mut child).code(), Some(code));
}

#[test]
fn an_interrupt_ends_the_run_with_130() {
    interrupt(SLOW, "INT", 130);
}

#[test]
fn an_interrupt_ends_a_script_that_never_yields() {
    interrupt(BUSY, "INT", 130);
}

#[test]
fn being_asked_to_end_is_143() {
    interrupt(SLOW, "TERM", 143);
    interrupt(BUSY, "TERM", 143);
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(&folder, SLOW);
    assert_eq!(read_word(&mut child), "started");
    drop(child.stdout.take());
    let status = end(&mut child);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

/// Starts a child that has a child, then ends or never gives the engine back.
const PARENT: &str = "
import { spawn } from 'node:child_process';
const child = spawn('sh', ['-c', 'sleep 60 & echo $!; wait']);
child.stdout.once('data', (text) => {
  process.stdout.write(`pid ${text}`.trim().padEnd(12) + '\\n');
  if (process.env.HOW === 'exit') process.exit(3);
  for (;;);
});
await new Promise((resolve) => setTimeout(resolve, 60_000));
export const config = { model: 'mock' };
export default () => {};
";

#[test]
fn children_end_with_the_run() {
    for (how, code) in [("exit", 3), ("signal", 130)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("parent.lmt.mjs");
        fs::write(&path, PARENT).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
        command.arg("run").arg(&path).env("HOW", how).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut parent = command.spawn().unwrap();
        let mut line = [0; 13];
        parent.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
        let grandchild = String::from_utf8_lossy(&line).replace("pid", "").trim().to_owned();
        if how == "signal" {
            processes::signal(parent.id(), "INT");
        }
        assert_eq!(end(&mut parent).code(), Some(code), "{how}");
        assert!(!processes::is_alive(&grandchild), "{how}: {grandchild} is at work");
    }
}

#[test]
fn a_run_with_a_time_limit_ends_when_its_result_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.lmt.mjs");
    let source = "export const config = { model: 'mock' };
        export const mock = [{ type: 'text', text: 'word '.repeat(2e5) }];
        export default ({ $ }) => { $`go`; };";
    fs::write(&path, source).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
    command.args(["run", "--timeout", "1", "-f", "json"]).arg(&path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let code = end(&mut child).code();
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("the output may be incomplete"), "{errors}");
}
