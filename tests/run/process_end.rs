//! How the process ends after a signal, and when its output is no longer read.

use std::{io::Read, process::Child, thread, time::Duration};

use crate::support::{Folder, KilledOnDrop, Running, processes, wait_for_exit};

/// Streams text for longer than any test runs.
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

/// Streams one piece of text, then loops without yielding.
const BUSY: &str = "
export const config = { model: { doStream: async () => ({ stream: (async function* () {
  yield { type: 'text-start', id: '0' };
  yield { type: 'text-delta', id: '0', delta: 'started' };
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (;;) {}
})() }) } };
export default ({ $ }) => { $`go`; };
";

fn interrupt(source: &str, signal: &str, code: i32) {
    let folder = Folder::of(source);
    let mut running = folder.start("run p.lmt.mjs");
    running.wait_for("started", 1);
    thread::sleep(Duration::from_millis(50));
    running.signal(signal);
    assert_eq!(running.end().code, code);
}

/// Starts a run whose streams the test reads itself.
fn spawn(folder: &Folder, arguments: &str) -> KilledOnDrop {
    KilledOnDrop(folder.command(arguments).spawn().unwrap())
}

/// Waits for the end; returns the exit code and the rest of stderr.
fn end(child: &mut Child) -> (Option<i32>, String) {
    let code = wait_for_exit(child, String::new).code();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (code, stderr)
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
fn sigterm_ends_the_run_with_143() {
    interrupt(SLOW, "TERM", 143);
    interrupt(BUSY, "TERM", 143);
}

/// A parent process that ends sends its signal once for each of its threads.
#[test]
fn signals_of_one_moment_are_one() {
    let source = "import { z } from 'zod';
        export const config = { model: 'mock' };
        export const mock = [{ type: 'tool-call', toolName: 'wait', args: {} }];
        export default ({ defTool, $ }) => {
          defTool('wait', 'Takes no notice of the end.', z.object({}), () => new Promise(() => {
            console.log('started');
            setTimeout(() => {}, 60_000);
          }));
          $`go`;
        };";
    let folder = Folder::of(source);
    let mut running = folder.start("run --journal p.lmt.mjs");
    running.wait_for("started", 1);
    for _ in 0..3 {
        running.signal("TERM");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running.end().code, 143);
    let runs: serde_json::Value = serde_json::from_str(&folder.run("runs --json").stdout).unwrap();
    assert_eq!((&runs[0]["status"], &runs[0]["error"]["code"]), (&"interrupted".into(), &143.into()), "{runs}");
}

#[test]
fn tools_are_aborted_when_the_run_has_to_end() {
    let source = "import { z } from 'zod';
        export const config = { model: 'mock' };
        export const mock = [{ type: 'tool-call', toolName: 'wait', args: {} }, { type: 'text', text: 'not reached' }];
        export default ({ defTool, $ }) => {
          defTool('wait', 'Waits.', z.object({}), (args, { abortSignal }) => new Promise((resolve, reject) => {
            abortSignal.addEventListener('abort', () => { console.log('aborted'); reject(abortSignal.reason); });
            console.log('started');
            setTimeout(() => {}, 60_000);
          }));
          $`go`;
        };";
    let ends = [("INT", "", 130), ("TERM", "", 143), ("", "--timeout 1s", 4)];
    for (signal, options, code) in ends {
        let folder = Folder::of(source);
        let mut run = folder.start(&format!("run --journal {options} p.lmt.mjs"));
        run.wait_for("started", 1);
        if !signal.is_empty() {
            run.signal(signal);
        }
        let outcome = run.end();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (code, "started\naborted\n"), "{outcome:?}");
        // The call is made again.
        let mut resumed = folder.start("resume last");
        resumed.wait_for("started", 1);
    }
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let folder = Folder::of(SLOW);
    let mut run = spawn(&folder, "run p.lmt.mjs");
    run.0.stdout.take().unwrap().read_exact(&mut [0; "started".len()]).unwrap();
    assert_eq!(end(&mut run.0), (Some(0), String::new()));
}

/// Starts a child that has a child; then exits, or loops without yielding.
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
        let folder = Folder::of(PARENT);
        let mut parent = Running::of(folder.command("run p.lmt.mjs").env("HOW", how));
        parent.wait_for("\n", 1);
        if how == "signal" {
            parent.signal("INT");
        }
        let outcome = parent.end();
        assert_eq!(outcome.code, code, "{how}");
        let grandchild = outcome.stdout.replace("pid", "").trim().to_owned();
        assert!(!processes::is_alive(&grandchild), "{how}: {grandchild} is at work");
    }
}

#[test]
fn a_run_with_a_time_limit_ends_when_its_result_is_not_read() {
    let source = "export const config = { model: 'mock' };
        export const mock = [{ type: 'text', text: 'word '.repeat(2e5) }];
        export default ({ $ }) => { $`go`; };";
    let folder = Folder::of(source);
    let mut run = spawn(&folder, "run --timeout 1 -f json p.lmt.mjs");
    let (code, errors) = end(&mut run.0);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("the output may be incomplete"), "{errors}");
}

/// A run in the journal that waits in a tool.
const WAITING: &str = "
import { z } from 'zod';
export const config = { model: 'mock', journal: true };
export const mock = [{ type: 'tool-call', toolName: 'wait', args: {} }, { type: 'text', text: 'Done.' }];
export default ({ defTool, $ }) => {
  defTool('wait', 'Waits.', z.object({}), async () => { console.log('waiting'); await new Promise((go) => setTimeout(go, 60_000)); });
  $`Go.`;
};
";

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_on_a_terminal_says_how_to_continue() {
    let folder = Folder::of(WAITING);
    let mut run = folder.start_on_terminal("run --journal p.lmt.mjs", 80);
    run.wait_for("waiting", 1);
    run.type_text("\u{3}");
    let outcome = run.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(outcome.stdout.contains("to go on: lmthing resume "), "{outcome:?}");
    let runs = folder.run("runs");
    assert!(runs.stdout.contains("interrupted"), "{runs:?}");
}

#[test]
fn an_interrupt_without_a_terminal_says_what_was_used_and_how_to_continue() {
    let folder = Folder::of(WAITING);
    let mut run = folder.start("run --journal p.lmt.mjs");
    run.wait_for("waiting", 1);
    run.signal("INT");
    let outcome = run.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(outcome.stderr.contains("0 tokens in, 0 out · $0.00\nto go on: lmthing resume "), "{outcome:?}");
}
