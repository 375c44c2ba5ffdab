//! `lmthing runs`: the list, one run, its events, pruning; runs that are killed, and runs in parallel.

use serde_json::{Value, json};

use crate::{
    helpers::{USUAL, each, failed, hello, ran, runs},
    support::{Folder, Outcome, Running},
};

/// Calls a tool and an agent, and prints something.
const WORK: &str = "
import { createMockModel } from 'lmthing/test';
const call = (toolCallId, toolName, args = {}) => ({ type: 'tool-call', toolCallId, toolName, args });
export const config = { model: 'mock' };
export const mock = [
  { type: 'text', text: 'Let me\\n' }, { type: 'text', text: 'look.' }, call('c1', 'look', { q: 'Rome' }),
  call('c2', 'ask'),
  { type: 'text', text: 'Done.' },
];
export default ({ $, defSystem, defTool, defAgent }) => {
  defSystem('role', 'Be brief.');
  defTool('look', 'l', { type: 'object' }, () => 'a clear sky');
  defAgent('ask', 'a', { type: 'object' }, (_, child) => { child.$`why?`; }, { model: createMockModel([{ type: 'text', text: 'because' }]) });
  $`How is it?`;
};";

#[test]
fn all_of_a_run_is_there() {
    let folder = Folder::of(WORK);
    let reported = ran(&folder, "run --journal -f events p.lmt.mjs").events();
    let stored = ran(&folder, "runs export last").events();
    let of =
        |events: &[Value], kind: &str| events.iter().filter(|event| event["type"] == kind).cloned().collect::<Vec<_>>();
    for kind in ["run-start", "tool-call", "tool-result", "agent-start", "agent-finish", "run-finish"] {
        assert_eq!(of(&stored, kind), of(&reported, kind), "{kind}");
    }
    let finished = of(&stored, "step-finish").into_iter().map(|mut event| {
        let response = event.as_object_mut().unwrap().remove("response");
        assert_eq!(response.unwrap()["modelId"], "mock");
        event
    });
    assert_eq!(finished.collect::<Vec<_>>(), of(&reported, "step-finish"));
    // Consecutive pieces of text are merged.
    let says: Vec<_> = of(&stored, "text-delta").iter().map(|event| event["delta"].clone()).collect();
    assert_eq!(says, ["Let me\nlook.", "because", "Done."]);
    let requests: Vec<Value> = of(&stored, "step-start").iter().map(|event| event["request"].clone()).collect();
    let first = json!({
        "system": requests[0]["system"],
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "How is it?" }] }],
        "tools": ["look", "ask"],
        "toolSpecs": requests[0]["toolSpecs"],
        "settings": {},
    });
    assert_eq!(requests[0], first);
    // Of mocks as well, which get none.
    assert_eq!(first["toolSpecs"][0]["description"], "l");
    assert!(first["system"].as_str().unwrap().contains("Be brief."));
    // Messages that earlier events contain are not repeated.
    assert_eq!(requests[1], json!({ "messages": [], "tools": ["look", "ask"] }));
    assert_eq!(requests[2]["messages"][0]["content"][0]["text"], "why?", "{requests:?}");
    assert!(stored.windows(2).all(|pair| pair[0]["time"].as_u64() <= pair[1]["time"].as_u64()), "{stored:?}");
}

#[test]
fn runs_are_listed() {
    let folder = Folder::of(WORK);
    ran(&folder, "run --journal p.lmt.mjs");
    folder.write("q.lmt.mjs", "export const config = { model: 'mock' }; export const mock = []; export default ({ $ }) => { throw new Error('no'); };");
    assert_eq!(folder.run("run --journal q.lmt.mjs").code, 1);
    folder.write("r.lmt.mjs", WORK);
    assert_eq!(folder.run("run --journal --max-steps 1 r.lmt.mjs").code, 4);
    let runs = runs(&folder, "");
    assert_eq!(each(&runs, "status"), ["limit", "failed", "done"]);
    let done = &runs[2];
    let members = ["id", "file", "status", "start", "end", "durationMs", "steps", "tokens", "cost", "model"];
    members.iter().for_each(|member| assert!(!done[*member].is_null(), "{member}: {done}"));
    assert_eq!((&done["steps"], &done["allSteps"]), (&json!(3), &json!(4)));
    assert!(done["start"].as_str().unwrap().ends_with('Z') && done["start"].as_str() <= done["end"].as_str(), "{done}");
    assert_eq!((&runs[1]["error"]["kind"], &runs[0]["error"]["code"]), (&json!("script"), &json!(4)));
    let table = ran(&folder, "runs").stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    for (line, words) in
        lines.iter().zip([["ID", "STATUS"], ["r.lmt.mjs", "limit"], ["q.lmt.mjs", "failed"], ["p.lmt.mjs", "done"]])
    {
        words.iter().for_each(|word| assert!(line.contains(word), "{word}: {table}"));
    }
    assert!(lines[3].starts_with(done["id"].as_str().unwrap()), "{table}");
}

#[test]
fn a_run_is_shown() {
    let folder = Folder::of(WORK);
    ran(&folder, "run --journal p.lmt.mjs one two");
    let shown = ran(&folder, "runs show last").stdout;
    for words in [
        "p.lmt.mjs",
        "done",
        "3, 4 with agents",
        "one two",
        "step 0 · mock:mock",
        "look · ",
        r#"{"q":"Rome"}"#,
        "  ask:",
        "  step 0 of ask · mock:mock",
        "  step 0 of ask finished · ",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(shown.ends_with("\n\nDone.\n"), "{shown}");
    let object = ran(&folder, "runs show last --json").object();
    assert_eq!((&object["status"], &object["started"]["words"]), (&json!("done"), &json!(["one", "two"])), "{object}");
    // An unfinished run shows how to resume it.
    assert_eq!(folder.run("run --journal --max-steps 1 p.lmt.mjs").code, 4);
    let shown = ran(&folder, "runs show last").stdout;
    assert!(shown.contains("lmthing resume ") && shown.contains("limit"), "{shown}");
}

#[test]
fn calls_with_the_same_id_belong_to_their_agents() {
    let folder = Folder::of(
        "
import { createMockModel } from 'lmthing/test';
const call = (toolName, q) => ({ type: 'tool-call', toolCallId: 'call_0', toolName, args: { q } });
export const config = { model: 'mock' };
export const mock = [call('ask', 'outer'), { type: 'text', text: 'Done.' }];
export default ({ $, defAgent }) => {
  defAgent('ask', 'a', { type: 'object' }, (_, child) => {
    child.defTool('look', 'l', { type: 'object' }, () => 'a clear sky');
    child.$`why?`;
  }, { model: createMockModel([call('look', 'inner'), { type: 'text', text: 'because' }]) });
  $`How is it?`;
};",
    );
    ran(&folder, "run --journal p.lmt.mjs");
    let shown = ran(&folder, "runs show last").stdout;
    let line = |start: &str| shown.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or_default();
    assert!(
        line("look of ask · ").ends_with(r#"{"q":"inner"}"#) && line("ask · ").ends_with(r#"{"q":"outer"}"#),
        "{shown}"
    );
}

#[test]
fn runs_are_found_by_their_beginnings() {
    let folder = Folder::of(&hello(""));
    failed(&folder.run("runs"), 1, &["there is no journal", "journal.db", "lmthing run --journal FILE"]);
    failed(&folder.run("runs show last"), 1, &["there is no journal"]);
    ran(&folder, "run --journal p.lmt.mjs");
    ran(&folder, "run --journal p.lmt.mjs");
    let ids = each(&runs(&folder, ""), "id");
    let shared = ids[0].bytes().zip(ids[1].bytes()).take_while(|(a, b)| a == b).count();
    let show = |word: &str| folder.run(&format!("runs show {word} --json"));
    assert_eq!(show(&ids[1][..=shared]).object()["id"], ids[1].as_str());
    assert_eq!(show("last").object()["id"], ids[0].as_str());
    failed(&show(&ids[0][..shared]), 1, &["2 runs begin with", &ids[0], &ids[1]]);
    failed(&show("lasst"), 1, &["there is no run 'lasst'", "Did you mean 'last'?"]);
    for strange in ["*", "?", "%", "'", "1' OR '1", "[0-9]"] {
        assert_eq!(Outcome::of(folder.command("runs show").arg(strange)).code, 1, "{strange}");
    }
    failed(&folder.run("runs prune"), 2, &["--older-than"]);
    failed(&folder.run("runs prune --older-than 30"), 2, &["30d"]);
}

#[test]
fn old_runs_are_forgotten() {
    let folder = Folder::of(WORK);
    for _ in 0..3 {
        ran(&folder, "run --journal p.lmt.mjs");
    }
    let journal = folder.path(USUAL);
    let old = "UPDATE runs SET started = started - 3000000000, updated = updated - 3000000000, ended = updated WHERE number < 3";
    rusqlite::Connection::open(&journal).unwrap().execute_batch(old).unwrap();
    let ids = each(&runs(&folder, ""), "id");
    let tried = ran(&folder, "runs prune --older-than 30d --dry-run");
    assert!(
        tried.stdout.contains(&ids[1]) && tried.stdout.contains(&ids[2]) && !tried.stdout.contains(&ids[0]),
        "{tried:?}"
    );
    assert!(tried.stderr.contains("2 runs would be forgotten"), "{tried:?}");
    assert_eq!(runs(&folder, "").len(), 3);
    assert!(ran(&folder, "runs prune --older-than 30d").stderr.contains("2 runs forgotten"));
    assert_eq!(each(&runs(&folder, ""), "id"), ids[..1]);
    assert_eq!(ran(&folder, "runs export last").events().last().unwrap()["type"], "run-finish");
    // Nothing of them is left.
    let connection = rusqlite::Connection::open(&journal).unwrap();
    for (table, column) in [("events", "at >> 32"), ("entries", "at >> 32"), ("starts", "run"), ("agents", "run")] {
        let sql = format!("SELECT count(DISTINCT {column}) FROM {table}");
        assert_eq!(connection.query_row(&sql, (), |row| row.get::<_, i64>(0)).unwrap(), 1, "{table}");
    }
    assert!(!crate::helpers::holds(&journal, &ids[1]));
}

/// Its tool waits until the file `go` exists.
const WAITS: &str = "
import fs from 'node:fs';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'wait', args: {} }, { type: 'text', text: 'end' }];
export default ({ $, defTool }) => {
  defTool('wait', 'w', { type: 'object' }, async () => {
    console.log('waiting');
    while (!fs.existsSync('go')) await new Promise((done) => setTimeout(done, 10));
    return 'ok';
  });
  $`go`;
};";

fn waiting(folder: &Folder) -> Running {
    let mut running = folder.start("run --journal p.lmt.mjs");
    running.wait_for("waiting", 1);
    running
}

#[cfg(unix)]
#[test]
fn a_run_whose_process_is_gone_is_interrupted() {
    let folder = Folder::of(WAITS);
    for (before, signal) in ["KILL", "INT", "TERM", "HUP"].into_iter().enumerate() {
        let running = waiting(&folder);
        let listed = runs(&folder, "");
        assert_eq!((listed.len(), &listed[0]["status"]), (before + 1, &json!("running")), "{signal}");
        assert!(listed[0]["end"].is_null() && listed[0]["process"]["pid"].is_u64(), "{listed:?}");
        failed(&folder.run("resume last"), 1, &["is being run by process"]);
        running.signal(signal);
        running.end();
        let listed = runs(&folder, "");
        assert_eq!(listed[0]["status"], "interrupted", "{signal}");
        assert!(listed[0]["end"].is_string(), "{listed:?}");
        // The events until then are stored.
        let events = ran(&folder, "runs export last").events();
        let kinds: Vec<Value> = events.iter().map(|event| event["type"].clone()).collect();
        assert_eq!(kinds[..3], ["run-start", "step-start", "tool-call"], "{signal}");
    }
    // A running run is never pruned.
    let running = waiting(&folder);
    ran(&folder, "runs prune --older-than 0s");
    assert_eq!(each(&runs(&folder, ""), "status"), ["running"]);
    drop(running);
}

#[cfg(unix)]
#[test]
fn a_stopped_run_is_interrupted() {
    let folder = Folder::of(WAITS);
    let mut running = folder.start("run --journal -f events p.lmt.mjs");
    running.wait_for("tool-call", 1);
    running.signal("TERM");
    assert_eq!(running.end().code, 143);
    let listed = runs(&folder, "");
    assert_eq!((&listed[0]["status"], &listed[0]["error"]["kind"]), (&json!("interrupted"), &json!("interrupted")));
    assert_eq!(ran(&folder, "runs export last").events().last().unwrap()["type"], "run-finish");
}

#[test]
fn parallel_runs_share_a_journal() {
    let folder = Folder::of(WAITS);
    let mut running: Vec<Running> = (0..6).map(|_| folder.start("run --journal p.lmt.mjs")).collect();
    running.iter_mut().for_each(|run| run.wait_for("waiting", 1));
    assert_eq!(each(&runs(&folder, ""), "status"), ["running"; 6]);
    folder.write("go", "");
    for run in running {
        let outcome = run.end();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    }
    let listed = runs(&folder, "");
    assert_eq!(each(&listed, "status"), ["done"; 6]);
    for id in each(&listed, "id") {
        let events = ran(&folder, &format!("runs export {id}")).events();
        assert!(events.iter().all(|event| event["run"] == id.as_str()), "{events:?}");
        assert_eq!(events.len(), 9, "{events:?}");
    }
}

#[test]
fn each_run_of_a_watch_is_one_of_its_own() {
    let folder = Folder::of(&hello(""));
    let mut running = folder.start("run --journal --watch p.lmt.mjs");
    running.wait_for("Hello", 1);
    running.wait_for_stderr("waiting", 1);
    folder.write("p.lmt.mjs", &hello("options: {}"));
    running.wait_for("Hello", 2);
    running.wait_for_stderr("waiting", 2);
    assert_eq!(each(&runs(&folder, ""), "status"), ["done"; 2]);
}
