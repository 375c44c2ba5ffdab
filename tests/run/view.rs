//! `lmthing view`: turns a file of events into a page that contains all of them and nothing that can execute.
//! `view_page.rs` tests the page in a browser.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{Folder, Outcome};

fn event(kind: &str, more: Value) -> Value {
    let mut event = json!({ "type": kind, "time": 1_795_302_000_123_u64, "run": "19f1c0e2", "agent": [] });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

fn start() -> Value {
    event("run-start", json!({ "file": "prompts/weather.lmt.mjs" }))
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// A folder with the events in `run.jsonl`.
fn folder(events: &[Value]) -> Folder {
    Folder::new(&[("run.jsonl", &lines(events))])
}

/// The text between two others.
fn between<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = page.split_once(start).unwrap_or_else(|| panic!("{start} is not in the page"));
    rest.split_once(end).unwrap().0
}

/// The events as the page's script reads them.
fn data_in(page: &str) -> Value {
    serde_json::from_str(between(page, "<script type=\"application/json\" id=\"data\">", "</script>")).unwrap()
}

fn page(folder: &Folder, arguments: &str) -> String {
    let outcome = folder.run(&format!("view {arguments} -o page.html"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{outcome:?}");
    fs::read_to_string(folder.path("page.html")).unwrap()
}

fn refused(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (code, ""), "{outcome:?}");
    for word in words {
        assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr);
    }
}

#[test]
fn all_events_of_a_run_are_in_the_page() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'It is <clear>.' }];
export default async ({ $ }) => { $`How is it?`; };
";
    let folder = Folder::of(source);
    let ran = folder.run("run -f events p.lmt.mjs");
    folder.write("run.jsonl", &ran.stdout);
    let page = page(&folder, "run.jsonl");
    assert_eq!(data_in(&page)["events"], Value::from(ran.events()));
    assert_eq!(data_in(&page)["damaged"], json!([]));
    assert!(
        page.starts_with("<!doctype html>") && page.contains("<title>p.lmt.mjs – lmthing</title>"),
        "{}",
        &page[..500]
    );
}

#[test]
fn the_page_is_written_to_the_reported_path() {
    let folder = folder(&[start()]);
    fs::create_dir(folder.path("pages")).unwrap();
    for (options, expected) in
        [("", "lmthing-19f1c0e2.html"), ("-o a.html", "a.html"), ("-o pages", "pages/lmthing-19f1c0e2.html")]
    {
        let outcome = folder.run(&format!("view run.jsonl {options}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{outcome:?}");
        assert_eq!(outcome.stderr, format!("Wrote {expected}.\n"));
        assert!(fs::read_to_string(folder.path(expected)).unwrap().contains("weather.lmt.mjs"), "{expected}");
    }
    let printed = folder.run("view run.jsonl -o -");
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
    assert_eq!(printed.stdout, fs::read_to_string(folder.path("a.html")).unwrap());
}

#[test]
fn standard_input_is_a_file_as_well() {
    let folder = folder(&[start()]);
    let input = fs::File::open(folder.path("run.jsonl")).unwrap();
    let outcome = Outcome::of(folder.command("view - -o -").stdin(input));
    assert_eq!(data_in(&outcome.stdout)["events"][0]["file"], "prompts/weather.lmt.mjs");
}

#[test]
fn a_run_of_the_journal_is_shown_with_its_requests() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'It is clear.' }];
export default async ({ $, defSystem }) => { defSystem('role', 'You know the weather.'); $`How is it?`; };
";
    let folder = Folder::of(source);
    let none = folder.run("view");
    refused(&none, 1, &["there is no journal", "lmthing run --journal FILE"]);
    for options in ["--journal", "--journal=other.db"] {
        assert_eq!(folder.run(&format!("run {options} p.lmt.mjs")).code, 0);
    }
    let last = folder.run("view -o -");
    let read = data_in(&last.stdout);
    let id = read["events"][0]["run"].as_str().unwrap();
    assert_eq!((&read["status"], last.stderr.as_str()), (&json!("done"), ""));
    let requests =
        &read["events"].as_array().unwrap().iter().find(|event| event["type"] == "step-start").unwrap()["request"];
    assert!(requests["system"].as_str().unwrap().contains("You know the weather."), "{requests}");
    assert_eq!(requests["messages"][0]["content"][0]["text"], "How is it?");
    for word in ["last", id, &id[..17]] {
        assert_eq!(folder.run(&format!("view {word} -o -")).stdout, last.stdout, "{word}");
    }
    let written = folder.run("view");
    assert_eq!(written.stderr, format!("Wrote lmthing-{id}.html.\n"));
    let other = folder.run("view --journal=other.db -o -").stdout;
    assert_ne!(data_in(&other)["events"][0]["run"], *id);
    let mut named = folder.command("view -o -");
    assert_eq!(Outcome::of(named.env("LMTHING_JOURNAL", "other.db")).stdout, other);
    refused(&folder.run("view 0000"), 1, &["there is no run '0000' in the journal"]);
    refused(&folder.run("view --journal=p.lmt.mjs"), 1, &["p.lmt.mjs"]);
}

#[test]
fn an_id_from_a_file_names_no_other_folder() {
    let hostile = json!({ "type": "run-start", "time": 1, "run": "../../a/b\u{1b}[31m", "agent": [], "file": "p" });
    let outcome = folder(&[hostile]).run("view run.jsonl");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "Wrote lmthing-ab31m.html.\n"));
}

#[test]
fn the_policy_allows_the_page_itself_and_nothing_else() {
    let page = page(&folder(&[start()]), "run.jsonl");
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\">");
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let script = between(&page, "</script>\n<script>", "</script>");
    let style = between(&page, "<style>", "</style>");
    let expected = format!(
        "default-src 'none'; img-src data:; script-src {}; style-src {}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(script),
        hash(style)
    );
    assert_eq!(policy, expected);
    // It precedes everything it applies to.
    let (head, _) = page.split_once("Content-Security-Policy").unwrap();
    assert!(!head.contains("<script") && !head.contains("<style"), "{head}");
    for (text, loaded) in [(style, "@import"), (style, "url("), (script, "eval("), (script, "new Function")] {
        let place = text.find(loaded).map(|at| &text[at.saturating_sub(60)..at + 60]);
        assert_eq!(place, None, "{loaded}");
    }
    // The script has these in literals of the Markdown library, which are not used.
    let markup = page.replace(script, "");
    assert!(markup.len() < page.len() && !markup.contains(" src=") && !markup.contains(" href="), "{markup}");
}

#[test]
fn content_never_ends_or_begins_an_element() {
    let hostile =
        "</script><script>alert(1)</script><!--<script>]]><img src=x onerror=alert(1)>\u{2028}\u{2029}&lt;\u{0}";
    let events = [
        event("run-start", json!({ "file": format!("a/{hostile}") })),
        event("text-delta", json!({ "delta": hostile })),
        event("tool-call", json!({ "toolCallId": hostile, "toolName": hostile, "input": { hostile: [hostile] } })),
        event("x-later", json!({ "</script>": 1 })),
    ];
    let page = page(&folder(&events), "run.jsonl");
    assert_eq!(page.matches("<script").count(), 2, "the events and the page's own");
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<!--").count(), 1, "the notices");
    assert!(!page.replace(between(&page, "</script>\n<script>", "</script>"), "").contains("<img"));
    assert!(!between(&page, "id=\"data\">", "</script>").contains(['<', '\u{2028}', '\u{2029}', '\u{0}']));
    assert_eq!(data_in(&page)["events"], json!(events));
    assert!(page.contains("<title>script&gt;&lt;!--"), "{}", between(&page, "<title>", "</title>"));
}

#[test]
fn damaged_lines_are_reported_and_skipped() {
    let good = lines(&[start()]);
    let cut = r#"{"type":"text-del"#;
    let deep = format!(r#"{{"type":"warning","message":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    let damaged = "[]\nnull\n{}\n{\"type\":1}\nhello\n";
    for (text, expected, reported) in [
        (format!("{good}{cut}"), json!([2]), "Warning: line 2 is damaged and left out\n"),
        (
            format!("\u{feff}{good}\r\n\n{deep}\n{cut}\n7\n"),
            json!([5, 6]),
            "Warning: lines 5, 6 are damaged and left out\n",
        ),
        (
            format!("{damaged}{damaged}{good}"),
            json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            "Warning: lines 1, 2, 3, 4, 5 and 5 more",
        ),
    ] {
        let folder = Folder::new(&[("run.jsonl", &text)]);
        let outcome = folder.run("view run.jsonl -o page.html");
        assert!(outcome.code == 0 && outcome.stderr.starts_with(reported), "{outcome:?}");
        let read = data_in(&fs::read_to_string(folder.path("page.html")).unwrap());
        assert_eq!(read["damaged"], expected);
        assert_eq!(read["events"][0]["type"], "run-start");
    }
    let folder = Folder::new(&[]);
    fs::write(folder.path("run.jsonl"), [good.as_bytes(), b"{\"type\":\"warning\",\"message\":\"\xff\"}\n"].concat())
        .unwrap();
    assert!(folder.run("view run.jsonl").stderr.starts_with("Warning: line 2 is damaged"));
}

#[test]
fn of_several_runs_in_a_file_the_last_is_shown() {
    let other = json!({ "type": "run-start", "time": 1, "run": "aa", "agent": [], "file": "first" });
    let resumed = event("run-start", json!({ "file": "x", "resumed": true }));
    let folder = folder(&[other, start(), resumed]);
    let outcome = folder.run("view run.jsonl");
    assert!(outcome.stderr.starts_with("Warning: there are two runs in it"), "{outcome:?}");
    let page = fs::read_to_string(folder.path("lmthing-19f1c0e2.html")).unwrap();
    assert_eq!(data_in(&page)["events"].as_array().unwrap().len(), 2);
}

#[test]
fn invalid_runs_are_refused() {
    let folder = folder(&[start()]);
    let files =
        [("empty.jsonl", "\n \n"), ("p.lmt.mjs", "export default 1;\n"), ("package.json", "{\"type\":\"module\"}")];
    files.iter().for_each(|(name, text)| folder.write(name, text));
    fs::create_dir(folder.path("inner")).unwrap();
    for (arguments, code, words) in [
        ("view empty.jsonl", 1, &["empty.jsonl is no run: it is empty", "run -f events"][..]),
        ("view p.lmt.mjs", 1, &["p.lmt.mjs is no run: none of its lines is an event"]),
        ("view package.json", 1, &["package.json is no run"]),
        ("view rnu.jsonl", 1, &["cannot read rnu.jsonl: there is no such file", "Did you mean 'run.jsonl'?"]),
        ("view ./inner", 1, &["cannot read ./inner: it is a directory"]),
        ("view run.jsonl -o run.jsonl", 2, &["run.jsonl is the run that is to be shown", "-o run.html"]),
        ("view run.jsonl -o p.lmt.mjs", 2, &["p.lmt.mjs is a prompt file"]),
        ("view run.jsonl -o none/a.html", 1, &["cannot write none/a.html", "make the folder none first"]),
        ("view run.jsonl -o - --open", 2, &["standard output"]),
        ("view run.jsonl other", 2, &["unexpected argument 'other'"]),
    ] {
        refused(&folder.run(arguments), code, words);
    }
    assert_eq!(fs::read_to_string(folder.path("run.jsonl")).unwrap(), lines(&[start()]));
}

#[cfg(unix)]
#[test]
fn the_browser_that_a_variable_names_is_started() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[start()]);
    folder.write("my browser", "#!/bin/sh\necho \"$@\" > opened\n");
    fs::set_permissions(folder.path("my browser"), fs::Permissions::from_mode(0o755)).unwrap();
    let open = |ours: &str, theirs: &str| {
        let mut command = folder.command("view run.jsonl -o page.html --open");
        Outcome::of(command.env("LMTHING_BROWSER", ours).env("BROWSER", theirs))
    };
    let path = folder.path("my browser").display().to_string();
    let page = fs::canonicalize(folder.path("")).unwrap().join("page.html").display().to_string();
    for (ours, theirs, expected) in [
        (path.as_str(), "false", page.clone()),
        ("", path.as_str(), page.clone()),
        ("", "no-such-program-here:sh -c %s:true", String::new()),
        ("sh -c touch${IFS}opened --%s", "false", String::new()),
    ] {
        let _ = fs::remove_file(folder.path("opened"));
        let outcome = open(ours, theirs);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, "Wrote page.html.\n"), "{outcome:?}");
        let opened = fs::read_to_string(folder.path("opened")).unwrap_or_default();
        assert_eq!(opened.trim_end(), expected, "{ours} {theirs}");
    }
    refused(
        &open("", "no-such-program-here"),
        1,
        &["Wrote page.html.", "cannot open page.html", "no-such-program-here"],
    );
    refused(&open("false", "true"), 1, &["false ended with", "LMTHING_BROWSER"]);
    assert!(folder.path("page.html").exists(), "the page is there all the same");
}
