//! `lmthing chat` with pipes (docs/reference/chat.md#with-pipes): lines are messages, standard output is the answers.

use serde_json::{Value, json};

use crate::support::{Folder, Outcome};

/// A file whose mock answers with these texts, one for each turn.
fn file(texts: &[&str], body: &str) -> String {
    let items: Vec<Value> =
        texts.iter().flat_map(|text| [json!({ "type": "text", "text": text }), json!({ "type": "finish" })]).collect();
    let mock = Value::from(items);
    format!(
        "import {{ z }} from 'zod';\nexport const config = {{ model: 'mock' }};\nexport const mock = {mock};\n{body}\n"
    )
}

fn chat(source: &str, options: &[&str], lines: &str) -> Outcome {
    let folder = Folder::new(&[("c.lmt.mjs", source)]);
    folder.run_with_input(&[&["chat"], options, &["c.lmt.mjs"]].concat(), lines)
}

const WAITS: &str = "export default () => {};";

#[test]
fn each_line_is_a_message_and_each_answer_ends_its_line() {
    let source = file(&["one", "two\n", "", "four"], WAITS);
    // Empty lines are no messages, a command is one; an answer without text is an empty line.
    let outcome = chat(&source, &[], "a\n\n  \n/undo\r\nc\nd");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "one\ntwo\n\nfour\n"), "{outcome:?}");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn messages_of_the_file_are_asked_at_once_and_others_wait() {
    let asks = file(&["one", "two"], "export default ({ $ }) => { $`hello`; };");
    assert_eq!(chat(&asks, &[], "").stdout, "one\n");
    assert_eq!(chat(&asks, &[], "more\n").stdout, "one\ntwo\n");
    let waits = file(&["one"], WAITS);
    let outcome = chat(&waits, &["-f", "json"], "");
    assert_eq!((outcome.code, &outcome.object()["steps"]), (0, &json!(0)), "no request without a message");
    let greets = file(&["one"], "export default ({ defMessage }) => { defMessage('assistant', 'Welcome.'); };");
    assert_eq!(chat(&greets, &["-f", "json"], "").object()["steps"], 0);
}

#[test]
fn states_tools_and_hooks_go_on_from_turn_to_turn() {
    let source = "
import { z } from 'zod';
const call = { type: 'tool-call', toolName: 'add', args: {} };
const text = (text) => [{ type: 'text', text }, { type: 'finish' }];
export const config = { model: 'mock', options: {
  maxSteps: 2,
  stopWhen: ({ steps }) => { console.error(`stop? ${steps.length}`); return false; },
  onFinish: ({ steps }) => console.error(`all ${steps.length}`),
} };
export const mock = [call, ...text('one'), call, ...text('two')];
export default ({ defState, defTool, defEffect }) => {
  const [count, setCount] = defState('count', 0);
  defTool('add', 'Adds.', z.object({}), () => { setCount((before) => before + 1); return count; });
  defEffect(() => console.error(`count ${count}`), [count]);
};
";
    let outcome = chat(source, &[], "a\nb\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "one\ntwo\n"), "{outcome:?}");
    let expected = "count 0\nstop? 1\ncount 1\nstop? 2\nstop? 1\ncount 2\nstop? 2\nall 4\n";
    assert_eq!(outcome.stderr, expected);
}

#[test]
fn a_turn_that_fails_ends_with_its_code() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'one' }, { type: 'finish' }, { type: 'error', error: 'no luck' }];
export default () => {};
";
    let outcome = chat(source, &[], "a\nb\nc\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, "one\n"), "{outcome:?}");
    assert!(outcome.stderr.contains("no luck"), "{outcome:?}");
    let throws =
        file(&["one", "two"], "let runs = 0; export default () => { if (runs++ > 0) throw Error('thrown'); };");
    let outcome = chat(&throws, &[], "a\nb\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, "one\n"), "{outcome:?}");
}

#[test]
fn typed_output_is_checked_and_printed_for_each_turn() {
    let source = file(
        &[r#"{"n":1}"#, "no", r#"{"n":2}"#, "no", "no", r#"{"n":3}"#],
        "export const output = z.object({ n: z.number() }); export default () => {};",
    );
    let outcome = chat(&source, &[], "a\nb\nc\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"), "{outcome:?}");
}

#[test]
fn standard_input_is_no_input_of_the_file() {
    let source = file(
        &["one"],
        "export const input = z.object({ name: z.string() }); export default ({ def }, { name }) => { def('N', name); };",
    );
    let folder = Folder::new(&[("c.lmt.mjs", &source)]);
    let outcome = folder.run_with_input(&["chat", "c.lmt.mjs"], "Rome\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
    assert!(outcome.stderr.contains("missing required input: --name"), "{outcome:?}");
    let outcome = folder.run_with_input(&["chat", "c.lmt.mjs", "-"], "Rome\n");
    assert_eq!(outcome.code, 2);
    assert!(outcome.stderr.contains("standard input, which holds the messages of the chat"), "{outcome:?}");
    assert_eq!(folder.run_with_input(&["chat", "c.lmt.mjs", "Rome"], "hello\n").stdout, "one\n");
    let outcome = folder.run_with_input(&["chat", "c.lmt.mjs", "Rome", "-v"], "hello\n");
    assert!(outcome.stderr.contains("lmthing chat -v … FILE"), "{outcome:?}");
    // What did not begin is no conversation to go on with.
    let listed = folder.run("runs --json").object();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn a_journal_is_written_unasked_or_nothing_is_asked() {
    let folder = Folder::new(&[("c.lmt.mjs", &file(&["one"], WAITS))]);
    assert_eq!(folder.run_with_input(&["chat", "c.lmt.mjs"], "a\n").code, 0);
    let listed = folder.run("runs --json").object();
    assert_eq!((&listed[0]["status"], &listed[0]["steps"]), (&json!("done"), &json!(1)));
    let outcome = folder.run_with_input(&["chat", "--journal=none/j.db", "c.lmt.mjs"], "a\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{outcome:?}");
    assert!(outcome.stderr.contains("none/j.db cannot be written: there is no such folder"), "{outcome:?}");
}

#[test]
fn run_says_messages_after_those_of_the_file() {
    let folder = Folder::new(&[("c.lmt.mjs", &file(&["one", "two"], WAITS))]);
    let say = ["run", "--say", "a", "--say=b", "c.lmt.mjs"];
    assert_eq!(folder.run_with_input(&say, "").stdout, "one\ntwo\n");
    // After the file, too; behind -- it is an argument of the file.
    assert_eq!(folder.run_with_input(&["run", "c.lmt.mjs", "--say", "a"], "").stdout, "one\n");
    let outcome = folder.run_with_input(&["run", "--say", "", "c.lmt.mjs"], "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
    let outcome = folder.run_with_input(&["run", "--on", "http://127.0.0.1:1", "--say", "a", "c.lmt.mjs"], "");
    assert!(outcome.code == 2 && outcome.stderr.contains("--say cannot be used with --on"), "{outcome:?}");
}

#[test]
fn an_option_say_of_the_file_is_its_own() {
    let body = "export const input = z.object({ say: z.string().optional() });\n\
                export default ({ $ }, { say }) => { console.error(`own ${say}`); $`go`; };";
    let folder = Folder::new(&[("c.lmt.mjs", &file(&["one", "two"], body))]);
    let outcome = folder.run_with_input(&["run", "c.lmt.mjs", "--say", "x"], "");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("one\n", "own x\n"));
    let outcome = folder.run_with_input(&["run", "--say", "y", "c.lmt.mjs", "--say=x"], "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "one\ntwo\n"), "{outcome:?}");
    assert!(outcome.stderr.starts_with("own x\n"), "{outcome:?}");
}
