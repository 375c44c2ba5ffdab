//! Another process keeps the journal locked: a run waits for it where it has to, and everything else goes on. The tests
//! wait for what is printed and written, never for a time.

use rusqlite::Connection;
use serde_json::json;

use crate::{
    helpers::{USUAL, each, hello, ran, runs},
    support::{
        Folder, PATIENCE, Running,
        resume::{
            PRELUDE, Project,
            provider::{Conversation, Provider, Turn},
        },
        wait_until,
    },
};

const WARNING: &str = "is locked by another process: the run waits";

/// A tool that ends when the file `go` exists, with `before` at the start of the prompt function.
fn project(before: &str) -> Project {
    let source = format!(
        "{PRELUDE}
        export const config = {{ model: 'lab:m', journal: true }};
        export default ({{ $, defTool }}) => {{
          {before}
          defTool('work', 'Works.', none, async () => {{
            console.log('working');
            while (!fs.existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
            note('worked');
            return 'done';
          }}, {{ repeat: false }});
          $`You are who=root.`;
        }};"
    );
    let answer = |conversation: &Conversation| match conversation.step {
        0 => Turn::default().call("c0", "work", &json!({})),
        _ => Turn::text(&conversation.results()[0]),
    };
    Project::new(&source, Provider::start(answer))
}

/// Locks the journal against writers, as soon as no other process writes.
fn lock(folder: &Folder) -> Connection {
    let connection = Connection::open(folder.path(USUAL)).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

/// Starts a run and locks its journal while the tool works.
fn locked(project: &Project) -> (Running, Connection) {
    let mut running = Running::of(&mut project.command("run p.lmt.mjs"));
    running.wait_for("working", 1);
    let connection = lock(&project.folder);
    project.folder.write("go", "");
    (running, connection)
}

fn ended_well(project: &Project, running: Running) {
    let outcome = running.end();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "working\ndone\n"), "{outcome:?}");
    assert_eq!(outcome.stderr.matches(WARNING).count(), 1, "{outcome:?}");
    assert_eq!(project.journal().unwrap().called(), ["c0"]);
    assert_eq!(runs(&project.folder, "")[0]["status"], "done");
}

#[test]
fn timers_go_on_and_the_next_request_waits() {
    let project = project("setInterval(() => note('tick'), 5).unref();");
    let (mut running, connection) = locked(&project);
    running.wait_for_stderr(WARNING, 1);
    let before = project.lines("done.log").len();
    wait_until("more lines", || project.lines("done.log").len() > before + 20);
    assert_eq!(project.provider.count(), 1);
    drop(connection);
    ended_well(&project, running);
}

#[test]
fn a_run_that_only_waits_for_its_journal_is_not_stuck() {
    let project = project("");
    let (mut running, connection) = locked(&project);
    // Longer than it takes to find out that nothing can settle a promise.
    running.wait_for_stderr(WARNING, 1);
    drop(connection);
    ended_well(&project, running);
}

#[test]
fn a_run_waits_to_begin() {
    let folder = Folder::of(&hello(""));
    ran(&folder, "run --journal p.lmt.mjs");
    let connection = Connection::open(folder.path(USUAL)).unwrap();
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let mut running: Vec<_> = ["run --journal p.lmt.mjs", "run p.lmt.mjs"].map(|line| folder.start(line)).into();
    running.iter_mut().for_each(|running| running.wait_for_stderr(WARNING, 1));
    drop(connection);
    for running in running {
        let outcome = running.end();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Hello\n"), "{outcome:?}");
    }
    assert_eq!(each(&runs(&folder, ""), "status"), ["done"; 3]);
}

#[test]
fn a_locked_journal_does_not_hold_up_an_interrupt() {
    let project = project("");
    let (running, connection) = locked(&project);
    wait_until("the end of the tool", || !project.lines("done.log").is_empty());
    running.signal("INT");
    let outcome = running.end();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (130, "working\n"), "{outcome:?}");
    drop(connection);
    assert_eq!(runs(&project.folder, "")[0]["status"], "interrupted");
}

#[test]
fn every_end_is_reported_while_the_journal_is_locked() {
    for (signal, options, code, kind) in
        [("INT", "", 130, "interrupted"), ("", "--max-steps 1", 4, "limit"), ("", "", 1, "script")]
    {
        let project = project(if kind == "script" { "if (fs.existsSync('go')) throw new Error('late');" } else { "" });
        let mut running = Running::of(&mut project.command(&format!("run -f json {options} p.lmt.mjs")));
        running.wait_for_stderr("working", 1);
        let connection = lock(&project.folder);
        project.folder.write("go", "");
        wait_until("the end of the tool", || !project.lines("done.log").is_empty());
        if !signal.is_empty() {
            running.signal(signal);
        }
        // The result of the tool, and with it the step, waits to be written; a limit and an error come after it.
        if signal.is_empty() {
            running.wait_for_stderr(WARNING, 1);
            drop(connection);
        }
        let outcome = running.end();
        assert_eq!((outcome.code, &outcome.object()["error"]["kind"]), (code, &json!(kind)), "{outcome:?}");
    }
}

#[test]
fn a_run_that_waits_to_begin_can_be_ended() {
    let folder = Folder::of(&hello(""));
    ran(&folder, "run --journal p.lmt.mjs");
    let connection = Connection::open(folder.path(USUAL)).unwrap();
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let mut running = folder.start("run --journal -f json p.lmt.mjs");
    running.wait_for_stderr(WARNING, 1);
    running.signal("INT");
    let outcome = running.end();
    assert_eq!((outcome.code, &outcome.object()["error"]["kind"]), (130, &json!("interrupted")), "{outcome:?}");
    let outcome = folder.run("run --journal --timeout 100ms -f json p.lmt.mjs");
    assert_eq!((outcome.code, &outcome.object()["error"]["kind"]), (4, &json!("limit")), "{outcome:?}");
    drop(connection);
}

#[test]
fn what_was_not_written_when_the_process_was_killed_counts_as_interrupted() {
    let project = project("");
    let (running, connection) = locked(&project);
    wait_until("the end of the tool", || !project.lines("done.log").is_empty());
    running.signal("KILL");
    assert_eq!(running.end().code, -1);
    drop(connection);
    let printed = project.resumed();
    assert!(printed.contains("work was interrupted"), "{printed}");
    assert_eq!(project.lines("done.log"), ["worked"]);
}
