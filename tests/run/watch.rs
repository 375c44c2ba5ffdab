//! `run --watch` through the binary.

use std::{
    fs,
    io::{Read, Write},
    os::unix::fs::symlink,
    process::Stdio,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use crate::support::{Folder, Running, replace};

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
    // A failing run does not end the watch.
    folder.write("lib/word.mjs", "import './more.mjs'; export const word = 'three';");
    running.wait_for_stderr("the run ended with code 1; waiting for a change", 1);
    folder.write("lib/more.mjs", "");
    running.wait_for("three due zwei\n", 1);
    replace(&folder, "p.lmt.mjs", &WATCHED.replace("`$", "`new: $"));
    running.wait_for("new: three due zwei\n", 1);
    running.signal("INT");
    let outcome = running.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(outcome.stderr.contains("[watch] lib/word.mjs has changed; running again\n"), "{outcome:?}");
    assert!(outcome.stderr.contains("[watch] the run ended with code 1; waiting for a change\n"), "{outcome:?}");
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
    let outcome = running.end();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (143, ""), "{outcome:?}");
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
    let outcome = running.end();
    let events = outcome.events();
    let starts: Vec<&serde_json::Value> = events.iter().filter(|event| event["type"] == "run-start").collect();
    assert_eq!((starts.len(), outcome.code), (2, 130));
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
    let mut running = Running::of(&mut command);
    running.wait_for("got hello\nONE\n", 1);
    replace(&folder, "p.lmt.mjs", &source.replace("ONE", "TWO"));
    running.wait_for("got hello\nTWO\n", 1);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
}

/// Prints `value`, imported from this file.
fn importing(from: &str) -> String {
    format!(
        "import {{ value }} from '{from}'; export const config = {{ model: 'mock' }}; export const mock = [{{ type: 'text', text: value }}]; export default ({{ $ }}) => {{ $`go`; }};"
    )
}

fn value(text: &str) -> String {
    format!("export const value = 'value {text}';")
}

/// Waits until the value has been printed and the run has ended, the `runs`th that succeeds.
fn wait_for_value(running: &mut Running, text: &str, runs: usize) {
    running.wait_for(&format!("value {text}\n"), 1);
    running.wait_for_stderr("the run is done; waiting for a change", runs);
}

/// Replaces a symbolic link.
fn link(folder: &Folder, target: &str, name: &str) {
    let sibling = folder.path("link.new");
    symlink(target, &sibling).unwrap();
    fs::rename(sibling, folder.path(name)).unwrap();
}

#[test]
fn a_change_is_noticed_among_irrelevant_ones() {
    let folder = Folder::new(&[("p.lmt.mjs", &importing("./x.mjs")), ("x.mjs", &value("one")), ("log", "")]);
    let log = folder.path("log");
    let (stop, stopped) = channel::<()>();
    let writing = thread::spawn(move || {
        let mut file = fs::File::create(log).unwrap();
        while stopped.recv_timeout(Duration::from_millis(5)) == Err(RecvTimeoutError::Timeout) {
            file.write_all(b"line\n").unwrap();
        }
    });
    let mut running = folder.start("run --watch p.lmt.mjs");
    wait_for_value(&mut running, "one", 1);
    replace(&folder, "x.mjs", &value("two"));
    wait_for_value(&mut running, "two", 2);
    drop(stop);
    writing.join().unwrap();
    running.signal("INT");
    // Writing the log file starts no run.
    assert_eq!(running.end().stdout, "value one\nvalue two\n");
}

#[test]
fn a_folder_that_is_replaced_is_still_watched() {
    let folder = Folder::new(&[("p.lmt.mjs", &importing("./lib/in/x.mjs")), ("lib/in/x.mjs", &value("one"))]);
    let mut running = folder.start("run --watch p.lmt.mjs");
    wait_for_value(&mut running, "one", 1);
    folder.write("lib.new/in/x.mjs", &value("two"));
    fs::rename(folder.path("lib"), folder.path("lib.old")).unwrap();
    fs::rename(folder.path("lib.new"), folder.path("lib")).unwrap();
    wait_for_value(&mut running, "two", 2);
    folder.write("lib/in/x.mjs", &value("three"));
    wait_for_value(&mut running, "three", 3);
    fs::remove_dir_all(folder.path("lib")).unwrap();
    folder.write("lib/in/x.mjs", &value("four"));
    wait_for_value(&mut running, "four", 4);
    replace(&folder, "lib/in/x.mjs", &value("five"));
    wait_for_value(&mut running, "five", 5);
    // Files imported before are no longer watched.
    fs::remove_dir_all(folder.path("lib.old")).unwrap();
    replace(&folder, "lib/in/x.mjs", &value("six"));
    wait_for_value(&mut running, "six", 6);
    running.signal("INT");
    assert_eq!(running.end().stdout.lines().count(), 6);
}

#[test]
fn a_folder_that_stays_away_is_waited_for() {
    let folder = Folder::new(&[("p.lmt.mjs", &importing("./lib/x.mjs")), ("lib/x.mjs", &value("one"))]);
    let mut running = folder.start("run --watch p.lmt.mjs");
    wait_for_value(&mut running, "one", 1);
    fs::remove_dir_all(folder.path("lib")).unwrap();
    running.wait_for_stderr("the run ended with code 1; waiting for a change", 1);
    folder.write("lib/x.mjs", &value("two"));
    wait_for_value(&mut running, "two", 2);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
}

#[test]
fn missing_imports_are_watched() {
    let folder = Folder::of(&importing("./gone/deep/x.mjs"));
    let mut running = folder.start("run --watch p.lmt.mjs");
    running.wait_for_stderr("the run ended with code 1; waiting for a change", 1);
    folder.write("gone/deep/x.mjs", "export { value } from 'q';");
    running.wait_for_stderr("the run ended with code 1; waiting for a change", 2);
    fs::create_dir_all(folder.path("node_modules/q")).unwrap();
    // The package description exists before its code.
    let manifest = r#"{ "name": "q", "type": "module", "main": "dist/index.js" }"#;
    folder.write("node_modules/q/package.json", manifest);
    running.wait_for_stderr("the run ended with code 1; waiting for a change", 3);
    folder.write("node_modules/q/dist/index.js", &value("installed"));
    wait_for_value(&mut running, "installed", 1);
    running.signal("INT");
    let stderr = running.end().stderr;
    for file in ["gone/deep/x.mjs", "node_modules/q/package.json", "node_modules/q/dist/index.js"] {
        assert!(stderr.contains(&format!("[watch] {file} has changed; running again\n")), "{stderr}");
    }
}

#[test]
fn every_link_on_the_way_counts() {
    let folder = Folder::of(&importing("./current/x.mjs"));
    for release in ["r1", "r2", "r3"] {
        folder.write(&format!("{release}/x.mjs"), &value(release));
    }
    symlink("middle", folder.path("current")).unwrap();
    symlink("r1", folder.path("middle")).unwrap();
    let mut running = folder.start("run --watch p.lmt.mjs");
    wait_for_value(&mut running, "r1", 1);
    link(&folder, "r2", "middle");
    wait_for_value(&mut running, "r2", 2);
    link(&folder, "r3", "current");
    wait_for_value(&mut running, "r3", 3);
    // The link decides what is imported next, also if the file itself is the same.
    folder.write("r4/y.mjs", &value("r4"));
    folder.write("r5/y.mjs", &value("r5"));
    folder.write("r4/x.mjs", "export { value } from './y.mjs';");
    fs::hard_link(folder.path("r4/x.mjs"), folder.path("r5/x.mjs")).unwrap();
    link(&folder, "r4", "current");
    wait_for_value(&mut running, "r4", 4);
    link(&folder, "r5", "current");
    wait_for_value(&mut running, "r5", 5);
    running.signal("INT");
    let outcome = running.end();
    assert!(outcome.stderr.contains("[watch] current/x.mjs has changed; running again\n"), "{outcome:?}");
}

#[test]
fn a_linked_package_is_watched() {
    let folder = Folder::of(&importing("p"));
    for version in ["p1", "p2"] {
        let package = format!("node_modules/.store/{version}/node_modules/p");
        folder.write(&format!("{package}/package.json"), r#"{ "name": "p", "type": "module", "main": "i.js" }"#);
        folder.write(&format!("{package}/i.js"), &value(version));
    }
    symlink(".store/p1/node_modules/p", folder.path("node_modules/p")).unwrap();
    let mut running = folder.start("run --watch p.lmt.mjs");
    wait_for_value(&mut running, "p1", 1);
    link(&folder, ".store/p2/node_modules/p", "node_modules/p");
    wait_for_value(&mut running, "p2", 2);
    folder.write("node_modules/.store/p2/node_modules/p/i.js", &value("p3"));
    wait_for_value(&mut running, "p3", 3);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
}

#[test]
fn files_that_input_and_prices_name_count() {
    let folder = Folder::of(
        "
        export const input = { type: 'object', properties: { a: { type: 'object', properties: { s: { type: 'string' } } } } };
        export const config = { model: 'mock' };
        export const mock = [];
        export default (_, { a }) => { console.log('got ' + a.s); };",
    );
    folder.write("one.txt", "one");
    folder.write("prices.json", "{");
    let mut running = folder.start(r#"run --watch --input {"a":{"s":"@one.txt"}} p.lmt.mjs"#);
    running.wait_for("got one\n", 1);
    replace(&folder, "one.txt", "two");
    running.wait_for("got two\n", 1);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
    let mut command = folder.command(r#"run --watch p.lmt.mjs --a {"s":"@gone.txt"}"#);
    let mut running = Running::of(command.env("LMTHING_PRICES", "prices.json"));
    running.wait_for_stderr("the run ended with code 2; waiting for a change", 1);
    folder.write("prices.json", "{}");
    running.wait_for_stderr("the run ended with code 2; waiting for a change", 2);
    folder.write("gone.txt", "three");
    running.wait_for("got three\n", 1);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_does_not_outlive_who_watches_it() {
    let folder = Folder::of(
        "console.log('begun'); export const config = { model: 'mock' }; export const mock = []; export default async () => { await new Promise((done) => setTimeout(done, 15_000)); console.log('alive'); };",
    );
    let mut child = folder.command("run --watch p.lmt.mjs").stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut begun = [0; 6];
    stdout.read_exact(&mut begun).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // A child that inherited stdout may outlive the run: this waits for both.
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!((&begun, rest.as_str()), (b"begun\n", ""));
}
