//! `run -f json` and `-f events`, validated against docs/events.schema.json.

use serde_json::{Value, json};

use crate::support::{Folder, HELLO, Outcome};

/// A tool, an agent that fails first, and code with an error first.
const MUCH: &str = "
import { z } from 'zod';
import { execSync } from 'node:child_process';
export const config = { model: 'mock' };
export const mock = [
  { type: 'reasoning', text: 'Hm.' },
  { type: 'text', text: 'Let me see.' },
  { type: 'tool-call', toolName: 'look', args: { q: 'Rome é' } },
  { type: 'tool-call', toolName: 'reader', args: {} },
  { type: 'text', text: 'from the reader' },
  { type: 'finish' },
  { type: 'tool-call', toolName: 'runToolCode', args: { code: 'const x: number = \"a\"; return x;' } },
  { type: 'text', text: 'cut o' },
  { type: 'finish', finishReason: 'length' },
];
export default async ({ $, defTool, defAgent, defFunction }) => {
  defTool('look', 'Looks.', z.object({ q: z.string() }), ({ q }) => {
    console.log('looking for ' + q);
    execSync('echo from a child', { stdio: 'inherit' });
    process.stdout.write('no end of line');
    return 'the sky of ' + q;
  });
  defAgent('reader', 'Reads.', z.object({}), (_, child) => { child.$`READ`; });
  defFunction('add', 'Adds.', z.object({ a: z.number() }), ({ a }) => a);
  $`go`;
};
";

/// Streams text for longer than any test runs.
const SLOW: &str = "
export const config = { model: { provider: 'lab', modelId: 'slow', doStream: async () => ({ stream: (async function* () {
  yield { type: 'text-start', id: '0' };
  for (let i = 0; ; i += 1) {
    yield { type: 'text-delta', id: '0', delta: `word ` };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
})() }) } };
export default ({ $ }) => { $`go`; };
";

/// Streams one piece of text, then loops without yielding.
const BUSY: &str = "
export const config = { model: { provider: 'lab', modelId: 'busy', doStream: async () => ({ stream: (async function* () {
  yield { type: 'text-start', id: '0' };
  yield { type: 'text-delta', id: '0', delta: 'word ' };
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (;;) {}
})() }) } };
export default ({ $ }) => { $`go`; };
";

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/events.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// Checks what holds for every stream of events.
fn checked(outcome: &Outcome) -> Vec<Value> {
    let events = outcome.events();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for event in &events {
        let faults: Vec<String> = validator.iter_errors(event).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{event}: {faults:?}");
        assert_eq!(event["run"], events[0]["run"]);
    }
    assert!(events.is_sorted_by_key(|event| event["time"].as_u64().unwrap()));
    let kinds = types(&events);
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("run-start", "run-finish"));
    for once in ["run-start", "run-finish"] {
        assert_eq!(kinds.iter().filter(|kind| **kind == once).count(), 1);
    }
    events
}

#[test]
fn events_of_the_journal_are_such_events() {
    let folder = Folder::of(&MUCH.replace("const x: number = \"a\"; return x;", "console.log(\"look\"); return 1;"));
    assert_eq!(folder.run("run --journal p.lmt.mjs").code, 0);
    let exported = folder.run("runs export last");
    let events = checked(&exported);
    let requests = events.iter().filter(|event| event["request"].is_object()).count();
    assert_eq!(requests, events.iter().filter(|event| event["type"] == "step-start").count(), "{events:?}");
    assert!(types(&events).contains(&"code-console"), "{events:?}");
}

/// An answer in a fence with an `output`; in the second one, a number is a text.
const TYPED: &str = "
import { z } from 'zod';
export const output = z.object({ name: z.string(), list: z.array(z.object({ n: z.number() })) });
export const config = { model: 'mock' };
const pieces = (text) => [...[...text].map((text) => ({ type: 'text', text })), { type: 'finish' }];
export const mock = [ANSWERS];
export default async ({ $, defAgent, defTool }) => {
  defAgent('reader', 'Reads.', z.object({}), (_, child) => { child.$`READ`; }, { responseSchema: output });
  $`go`;
};
";

fn partial_outputs(events: &[Value]) -> Vec<String> {
    let partial = events.iter().filter(|event| event["type"] == "output-partial");
    partial.map(|event| event["output"].to_string()).collect()
}

#[test]
fn the_output_comes_as_values_that_grow() {
    let answers = r#"{ type: 'tool-call', toolName: 'reader', args: {} }, ...pieces('{"name":"agent","list":[]}'),
        ...pieces('So: ```json\n{"name":"A","list":[{"n":"1"}]}\n```'), ...pieces('{"name":"Bo","list":[{"n":12},{}]}'),
        ...pieces('{"name":"Bo","list":[{"n":12}]}')"#;
    let folder = Folder::of(&TYPED.replace("ANSWERS", answers));
    let outcome = folder.run("run --journal -f events p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let events = checked(&outcome);
    let first = r#"{} {"name":""} {"name":"A"} {"name":"A","list":[]} {"name":"A","list":[{}]}"#;
    let begin = r#"{} {"name":""} {"name":"B"} {"name":"Bo"} {"name":"Bo","list":[]} {"name":"Bo","list":[{}]}"#;
    let end = r#"{"name":"Bo","list":[{"n":12}]}"#;
    let longer = r#"{"name":"Bo","list":[{"n":12},{}]}"#;
    assert_eq!(partial_outputs(&events).join(" "), [first, begin, end, longer, begin, end].join(" "));
    let last = events.iter().rposition(|event| event["type"] == "output-partial").unwrap();
    assert!(last < events.iter().rposition(|event| event["type"] == "step-finish").unwrap());
    assert_eq!(events[last]["output"], events.last().unwrap()["output"]);
    let stored = folder.run("runs export last").events();
    assert!(partial_outputs(&stored).is_empty(), "{stored:?}");
}

#[test]
fn the_output_grows_without_secrets_too() {
    let source = TYPED.replace("ANSWERS", r#"...pieces('{"name":"It is sk-lab-0123456789abcdef.","list":[]}')"#);
    let folder = Folder::of(&source);
    let mut command = folder.command("run -f events p.lmt.mjs");
    let values = partial_outputs(&Outcome::of(command.env("LAB_API_KEY", "sk-lab-0123456789abcdef")).events());
    let (last, earlier) = values.split_last().unwrap();
    assert_eq!(last, r#"{"name":"It is [redacted].","list":[]}"#);
    assert!(earlier.len() > 5 && earlier.iter().all(|value| !value.contains("[redacted]")), "{earlier:?}");
    assert!(values.windows(2).all(|pair| pair[0] != pair[1]), "{values:?}");
}

#[test]
fn all_partial_outputs_together_are_not_quadratic() {
    let sum = |elements: usize| {
        let list = (0..elements).map(|n| format!(r#"{{"n":{n}}}"#)).collect::<Vec<_>>().join(",");
        let text = format!(r#"{{"name":"a","list":[{list}]}}"#);
        let answers = format!("...'{text}'.match(/.{{1,10}}/g).map((text) => ({{ type: 'text', text }}))");
        let outcome = Folder::of(&TYPED.replace("ANSWERS", &answers)).run("run -f events p.lmt.mjs");
        let events = outcome.events();
        let partial = partial_outputs(&events);
        assert_eq!(partial.last(), Some(&events.last().unwrap()["output"].to_string()));
        let all: usize = partial.iter().map(String::len).sum();
        assert!(all <= 16 * text.len() + (64 << 10), "{all} of {}", text.len());
        (partial.len(), all)
    };
    let (short, long) = (sum(500), sum(2_000));
    assert!(short.0 > 50 && long.0 > short.0 && long.1 < 5 * short.1, "{short:?} {long:?}");
}

fn checked_object(outcome: &Outcome) -> Value {
    let mut schema = schema();
    schema["$ref"] = "#/$defs/result".into();
    let own = ["type", "required", "properties", "oneOf"];
    own.iter().for_each(|key| drop(schema.as_object_mut().unwrap().remove(*key)));
    let object = outcome.object();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(&object).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{object}: {faults:?}");
    object
}

#[test]
fn events_tell_everything_in_order() {
    let outcome = Folder::of(MUCH).run("run -f events p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let events = checked(&outcome);
    let expected = "run-start step-start reasoning-delta text-delta tool-call tool-result step-finish \
                    step-start tool-call agent-start step-start text-delta step-finish agent-finish tool-result step-finish \
                    step-start tool-call code-check tool-result step-finish \
                    step-start text-delta warning step-finish run-finish";
    assert_eq!(types(&events).join(" "), expected.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(events[5]["output"], "the sky of Rome é");
    assert_eq!(events[11]["agent"], json!(["reader"]));
    assert!(events[18]["diagnostics"].to_string().contains("2322"), "{}", events[18]);
    let last = events.last().unwrap();
    assert_eq!((&last["ok"], &last["text"], &last["steps"]), (&json!(true), &json!("cut o"), &json!(4)));
    for printed in ["looking for Rome é\n", "from a child\n", "no end of line", "Warning: "] {
        assert!(outcome.stderr.contains(printed), "{printed}: {}", outcome.stderr);
    }
}

#[test]
fn the_schema_refuses_what_is_no_event() {
    let events = checked(&Folder::of(HELLO).run("run -f events p.lmt.mjs"));
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let without = |index: usize, key: &str| {
        let mut event = events[index].clone();
        event.as_object_mut().unwrap().remove(key);
        event
    };
    let mut unknown = events[0].clone();
    unknown["type"] = "no-such-type".into();
    let mut untold = events.last().unwrap().clone();
    untold["ok"] = false.into();
    for wrong in
        [unknown, untold, without(0, "time"), without(0, "run"), without(0, "file"), without(2, "delta"), json!({})]
    {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn the_object_is_what_the_run_came_to() {
    for arguments in ["run -f json p.lmt.mjs", "run -fjson p.lmt.mjs", "run --format=json p.lmt.mjs"] {
        let outcome = Folder::of(HELLO).run(arguments);
        let object = checked_object(&outcome);
        assert_eq!((outcome.code, object["text"].as_str()), (0, Some("Hello world")));
        assert_eq!((object["steps"].as_u64(), object["finishReason"].as_str()), (Some(1), Some("stop")));
        assert_eq!(outcome.stderr, "from the script\n");
    }
}

#[test]
fn every_failure_has_an_object_and_a_last_event() {
    let body = |body: &str| {
        format!(
            "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'half' }}, {{ type: 'finish', finishReason: 'error' }}];\n{body}\n"
        )
    };
    let files: &[(&str, String, i32, &str, &str)] = &[
        ("throws", body("export default () => {\n  throw new TypeError('boom');\n};"), 1, "script", "TypeError: boom"),
        ("torn", body("export default () => { const = 1; };"), 1, "script", ""),
        ("missing", body("import './no.mjs';"), 1, "script", "no.mjs"),
        ("half", body("export default ({ $ }) => { $`go`; };"), 3, "model", "finish reason error"),
        ("exit", body("export default () => { process.exit(7); };"), 7, "exit", "exit code 7"),
        ("exit0", body("export default () => { process.exit(0); };"), 0, "", ""),
        (
            "late",
            body("export default () => { setTimeout(() => { throw new Error('late'); }); };")
                .replace(", { type: 'finish', finishReason: 'error' }", ""),
            1,
            "script",
            "late",
        ),
        (
            "nomodel",
            "export const config = { model: 'nobody:x' };\nexport default () => {};".to_owned(),
            1,
            "configuration",
            "nobody",
        ),
        (
            "limit",
            body("export default ({ $, defTool }) => { };")
                .replace("'mock' }", "'mock', options: { maxSteps: 1 } }")
                .replace("type: 'text', text: 'half'", "type: 'tool-call', toolName: 'x', args: {}"),
            4,
            "limit",
            "1 steps",
        ),
    ];
    for (name, source, code, kind, message) in files {
        let folder = Folder::of(source);
        let outcome = folder.run("run -f json p.lmt.mjs");
        let object = checked_object(&outcome);
        assert_eq!((outcome.code, &object["ok"]), (*code, &json!(*code == 0)), "{name}: {outcome:?}");
        assert_eq!(object["error"]["kind"].as_str().unwrap_or_default(), *kind, "{name}: {outcome:?}");
        assert!(object["error"]["message"].as_str().unwrap_or_default().contains(message), "{name}: {outcome:?}");
        let reported = folder.run("run -f events p.lmt.mjs");
        assert_eq!(checked(&reported).last().unwrap()["error"]["kind"], object["error"]["kind"], "{name}");
        assert_eq!(reported.code, *code);
    }
    let place = Folder::of(&files[0].1).run("run -f json p.lmt.mjs").object()["error"].clone();
    assert!(place["file"].as_str().unwrap().ends_with("p.lmt.mjs"));
    assert_eq!((&place["line"], &place["code"]), (&json!(4), &json!(1)));
    let half = Folder::of(&files[3].1).run("run -f json p.lmt.mjs").object();
    assert_eq!((half["finishReason"].as_str(), half["text"].as_str()), (Some("error"), Some("half")));
    let missing = Folder::new(&[]).run("run -f json nothing.lmt.mjs");
    assert_eq!((missing.code, checked_object(&missing)["error"]["kind"].as_str()), (1, Some("file")));
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_whole_lines_and_a_last_event() {
    for (source, signal, code) in [(SLOW, "INT", 130), (SLOW, "TERM", 143), (BUSY, "INT", 130)] {
        for format in ["json", "events"] {
            let folder = Folder::of(source);
            let mut running = folder.start(&format!("run -f {format} p.lmt.mjs"));
            if format == "events" {
                running.wait_for("text-delta", 1);
            } else {
                std::thread::sleep(std::time::Duration::from_millis(700));
            }
            // The script has reached its endless loop by then.
            std::thread::sleep(std::time::Duration::from_millis(200));
            running.signal(signal);
            let outcome = running.end();
            assert_eq!(outcome.code, code, "{outcome:?}");
            let last = match format {
                "json" => checked_object(&outcome),
                _ => checked(&outcome).last().unwrap().clone(),
            };
            assert_eq!(
                (last["error"]["kind"].as_str(), last["error"]["code"].as_i64()),
                (Some("interrupted"), Some(code.into()))
            );
            assert!(last["text"].as_str().unwrap().starts_with("word "), "{last}");
        }
    }
}

#[test]
fn known_keys_are_in_no_event() {
    let source = "
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'key', args: {} }, { type: 'text', text: 'done' }];
export default async ({ $, defTool }) => { defTool('key', 'k', z.object({}), () => `it is ${process.env.LAB_API_KEY}`); $`go`; };
";
    let folder = Folder::of(source);
    let output =
        folder.command("run -f events p.lmt.mjs").env("LAB_API_KEY", "sk-aB3dE6gH9jK2mN5pQ8sT").output().unwrap();
    let outcome = Outcome::from(output);
    checked(&outcome);
    assert!(!outcome.stdout.contains("aB3dE6gH") && outcome.stdout.contains("it is [redacted]"), "{outcome:?}");
}

#[test]
fn known_keys_are_in_no_output() {
    let source = "
import { z } from 'zod';
export const config = { model: 'mock' };
export const output = z.object({ n: z.number() }).transform(({ n }) => ({ n, key: process.env.LAB_API_KEY }));
export const mock = [{ type: 'text', text: '{\"n\": 3}' }];
export default ({ $ }) => { $`go`; };
";
    for format in ["json", "events"] {
        let folder = Folder::of(source);
        let mut command = folder.command(&format!("run -f {format} p.lmt.mjs"));
        let outcome = Outcome::of(command.env("LAB_API_KEY", "sk-aB3dE6gH9jK2mN5pQ8sT"));
        let last: Value = serde_json::from_str(outcome.stdout.lines().last().unwrap()).unwrap();
        assert_eq!(last["output"], serde_json::json!({ "n": 3, "key": "[redacted]" }), "{outcome:?}");
        assert_eq!(last["text"], "{\"n\": 3}");
    }
}
