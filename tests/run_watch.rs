//! `run --watch` through the binary.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "the helpers of tests fail as tests do")]

mod run_support;

use run_support::{Folder, replace};

const WATCHED: &str = "
import { word } from './lib/word.mjs';
import words from './words.json';
import text from './text.txt' with { type: 'text' };
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: `${word} ${words.word} ${text.trim()}` }];
export default ({ $ }) => { $`go`; };
";

fn folder() -> Folder {
    let word = ("lib/word.mjs", "export const word = 'one';");
    Folder::new(&[("p.lmt.mjs", WATCHED), word, ("words.json", r#"{ "word": "uno" }"#), ("text.txt", "eins\n")])
}

#[test]
fn a_run_follows_every_change() {
    let folder = folder();
    let mut running = folder.start("run --watch p.lmt.mjs");
    running.wait_for("one uno eins\n", 1);
    folder.write("lib/word.mjs", "export const word = 'two';");
    running.wait_for("two uno eins\n", 1);
    replace(&folder, "words.json", r#"{ "word": "due" }"#);
    running.wait_for("two due eins\n", 1);
    replace(&folder, "text.txt", "zwei");
    running.wait_for("two due zwei\n", 1);
    // A failing run ends nothing.
    folder.write("lib/word.mjs", "import './more.mjs'; export const word = 'three';");
    running.wait_for_stderr("the run ended with code 1; waiting for a change", 1);
    folder.write("lib/more.mjs", "");
    running.wait_for("three due zwei\n", 1);
    replace(&folder, "p.lmt.mjs", &WATCHED.replace("`$", "`new: $"));
    running.wait_for("new: three due zwei\n", 1);
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.stderr.contains("[watch] lib/word.mjs has changed; running again\n"), "{ended:?}");
    assert!(ended.stderr.contains("[watch] the run ended with code 1; waiting for a change\n"), "{ended:?}");
}

#[test]
fn a_change_breaks_a_run_off() {
    let folder = Folder::new(&[(
        "p.lmt.mjs",
        "import './loop.mjs'; export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'done' }]; export default ({ $ }) => { $`go`; };",
    )]);
    folder.write("loop.mjs", "process.stdout.write('looping\\n'); for (;;) {}");
    let mut running = folder.start("run --watch -q p.lmt.mjs");
    running.wait_for("looping\n", 1);
    folder.write("loop.mjs", "");
    running.wait_for("done\n", 1);
    running.signal("TERM");
    let ended = running.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (143, ""), "{ended:?}");
}

#[test]
fn every_run_has_a_name_and_files_of_options_count() {
    let folder = folder();
    folder.write("m.json", r#"[{ "type": "text", "text": "first" }]"#);
    let mut running = folder.start("run --watch -f events --mock m.json p.lmt.mjs");
    running.wait_for("\"run-finish\"", 1);
    replace(&folder, "m.json", r#"[{ "type": "text", "text": "second" }]"#);
    running.wait_for("\"run-finish\"", 2);
    running.signal("INT");
    let ended = running.end();
    let events = ended.events();
    let starts: Vec<&serde_json::Value> = events.iter().filter(|event| event["type"] == "run-start").collect();
    assert_eq!((starts.len(), ended.code), (2, 130));
    assert_ne!(starts[0]["run"], starts[1]["run"]);
    assert_eq!(events.last().unwrap()["text"], "second");
}

#[test]
fn every_run_gets_what_came_through_standard_input() {
    let source = "
        export const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
        export const config = { model: 'mock' };
        export const mock = [{ type: 'text', text: 'ONE' }];
        export default ({ $ }, { text }) => { console.log('got ' + text.trim()); $`go`; };";
    let folder = Folder::of(source);
    folder.write("hello.txt", "hello\n");
    let mut command = folder.command("run --watch p.lmt.mjs");
    command.stdin(std::fs::File::open(folder.path("hello.txt")).unwrap());
    let mut running = run_support::Running::of(&mut command);
    running.wait_for("got hello\nONE\n", 1);
    replace(&folder, "p.lmt.mjs", &source.replace("ONE", "TWO"));
    running.wait_for("got hello\nTWO\n", 1);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
}
