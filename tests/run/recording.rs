//! `--record` and `--replay`: results, messages, and errors of use.

use std::path::Path;

use serde_json::Value;

use crate::support::{Folder, Outcome, http};

/// Answers with the number of messages; refuses requests that contain `refuse`.
fn server() -> String {
    let address = http::serve(|request| {
        let requests = request.json();
        if requests.to_string().contains("refuse") {
            return http::response("400 X", "application/json", r#"{"error":{"message":"refused"}}"#);
        }
        let text = format!("{} messages", requests["messages"].as_array().unwrap().len());
        let delta = format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#);
        http::response("200 X", "text/event-stream", &format!("data: {delta}\n\ndata: [DONE]\n\n"))
    });
    format!("http://{address}")
}

const PROMPT: &str = "
    export const config = { model: process.env.MODEL ?? 'lab:tide' };
    export default async ({ defSystem, $ }) => {
      defSystem('rules', Array.from({ length: 40 }, (_, n) => `Rule ${n}: ${n === 20 ? process.env.RULE : 'be kind'}.`).join('\\n'));
      $`Do you know ollama? ${process.env.MORE ?? ''}`;
    };
";

struct Setup {
    folder: Folder,
    base_url: String,
}

fn setup() -> Setup {
    Setup { folder: Folder::of(PROMPT), base_url: server() }
}

impl Setup {
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (String, Option<i32>) {
        let mut command = self.folder.bare_command("run");
        command.args(arguments).env("LAB_API_BASE", &self.base_url).env("LAB_API_TYPE", "openai");
        let outcome = Outcome::of(command.env("RULE", "be brief").envs(variables.iter().copied()));
        (outcome.stdout + &outcome.stderr, Some(outcome.code))
    }

    fn record(&self, variables: &[(&str, &str)]) -> (String, Option<i32>) {
        self.run(&["--record", "r.json", "p.lmt.mjs"], &[&[("LAB_API_KEY", "ollama")], variables].concat())
    }

    fn replay(&self, variables: &[(&str, &str)]) -> (String, Option<i32>) {
        self.run(&["--replay", "r.json", "p.lmt.mjs"], variables)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path(name)
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_recording_with_a_dummy_key_is_replayed_without_one() {
    let setup = setup();
    let done = ("2 messages\n".to_owned(), Some(0));
    assert_eq!(setup.record(&[]), done);
    assert_eq!(names(&setup.path("")), ["p.lmt.mjs", "r.json"]);
    assert!(std::fs::read_to_string(setup.path("r.json")).unwrap().contains("Do you know ollama?"));
    for variables in [&[][..], &[("LAB_API_KEY", "sk-0123456789abcdef")], &[("LAB_API_KEY", "brief")]] {
        assert_eq!(setup.replay(variables), done);
    }
    let alias = [("MODEL", "fast"), ("LM_MODEL_FAST", "lab:tide")];
    assert_eq!(setup.replay(&alias), done);
    assert_eq!(setup.replay(&alias[..1]), done, "the target of the alias is unknown");
}

#[test]
fn an_edited_prompt_is_shown_where_it_was_edited() {
    let setup = setup();
    setup.record(&[]);
    let (shown, code) = setup.replay(&[("RULE", "be long")]);
    assert_eq!(code, Some(3), "{shown}");
    let diff = "at messages[0].content\n  --- recorded\n  +++ asked now\n  @@ line 22 @@\n   Rule 18: be kind.\n   Rule 19: be \
                kind.\n  -Rule 20: be brief.\n  +Rule 20: be long.\n   Rule 21: be kind.\n   Rule 22: be kind.\n";
    assert!(shown.contains(diff), "{shown}");
    assert!(!shown.contains("never asked for"), "one word about it is enough: {shown}");
    let (shown, code) = setup.replay(&[("MODEL", "lab:ebb")]);
    assert!(code == Some(3) && shown.contains("recorded lab:tide, asked now lab:ebb"), "{shown}");
}

#[test]
fn unused_exchanges_are_reported() {
    let setup = setup();
    setup.record(&[]);
    let mut file: Value = serde_json::from_slice(&std::fs::read(setup.path("r.json")).unwrap()).unwrap();
    let first = file["exchanges"][0].clone();
    file["exchanges"].as_array_mut().unwrap().push(first);
    std::fs::write(setup.path("r.json"), file.to_string()).unwrap();
    let warning = "Warning: 1 of 2 exchanges of the recording was never asked for: 2 (lab:tide)\n";
    assert_eq!(setup.replay(&[]), (format!("2 messages\n{warning}"), Some(0)));
}

#[test]
fn a_failed_run_does_not_replace_a_recording() {
    let setup = setup();
    let (shown, code) = setup.record(&[("MORE", "refuse")]);
    assert!(code == Some(3) && shown.contains("Warning: the run did not end well; r.json holds"), "{shown}");
    assert_eq!(setup.replay(&[("MORE", "refuse")]).1, Some(3), "failures are replayed too");
    setup.record(&[]);
    let old = std::fs::read(setup.path("r.json")).unwrap();
    let (shown, _) = setup.record(&[("MORE", "refuse")]);
    assert!(shown.contains("so r.json stays as it was; what was recorded is in r.json.partial\n"), "{shown}");
    assert_eq!(std::fs::read(setup.path("r.json")).unwrap(), old);
    assert!(std::fs::read_to_string(setup.path("r.json.partial")).unwrap().contains("refuse"));
    setup.record(&[("MORE", "again")]);
    assert_eq!(names(&setup.path("")), ["p.lmt.mjs", "r.json"]);
    assert!(std::fs::read_to_string(setup.path("r.json")).unwrap().contains("again"));
}

#[test]
fn mistakes_are_reported_before_the_run() {
    let setup = setup();
    for (name, text) in
        [("text.json", "hello"), ("later.json", r#"{"version":2}"#), ("empty.json", ""), ("other.json", "[]")]
    {
        std::fs::write(setup.path(name), text).unwrap();
    }
    for (option, file, reported) in [
        ("--replay", "none.json", "cannot read the recording none.json: there is no such file or folder"),
        ("--replay", ".", "cannot read the recording .: it is a directory"),
        ("--replay", "text.json", "text.json is no recording: it is not JSON: expected value at line 1 column 1"),
        ("--replay", "later.json", "later.json is no recording: it has version 2; this lmthing reads version 1"),
        ("--replay", "empty.json", "empty.json is no recording: it is empty"),
        ("--replay", "other.json", "other.json is no recording: it is JSON, but not what --record writes"),
        ("--record", ".", "cannot write the recording .: it is a directory"),
        ("--record", "none/r.json", "cannot write the recording none/r.json: there is no such file or folder"),
        ("--record", "p.lmt.mjs", "p.lmt.mjs is a prompt file, not a place for a recording"),
    ] {
        let (shown, code) = setup.run(&[option, file, "p.lmt.mjs"], &[]);
        assert!(code == Some(1) && shown.starts_with(&format!("Error: {reported}\n")), "{option} {file}: {shown}");
    }
    let (shown, code) = setup.run(&["--record", "a.json", "--replay", "b.json", "p.lmt.mjs"], &[]);
    assert!(code == Some(2) && shown.contains("cannot be used with"), "{shown}");
    assert_eq!(std::fs::read_to_string(setup.path("p.lmt.mjs")).unwrap(), PROMPT);
}
