//! Calls that need approval (docs/reference/approvals.md): without a terminal, in tests, and with a question on a
//! terminal.

use serde_json::{Value, json};

use crate::support::Folder;

/// A prompt file whose model makes one call a step. `definitions` is code that defines the tools.
fn file(definitions: &str, calls: &[(&str, Value)]) -> String {
    let call = |(index, (name, args)): (usize, &(&str, Value))| json!({ "type": "tool-call", "toolCallId": format!("call_{index}"), "toolName": name, "args": args });
    let mut items: Vec<Value> = calls.iter().enumerate().map(call).collect();
    items.push(json!({ "type": "text", "text": "Done." }));
    let items = Value::from(items);
    format!(
        "import {{ z }} from 'zod';
import {{ func }} from 'lmthing/plugins';
import {{ tool }} from 'lmthing';
export const config = {{ model: 'mock' }};
export const mock = {items};
export default async ({{ $, defTool, defFunction, defFunctionAgent, defAgent, defMethod }}) => {{
  const To = z.object({{ to: z.string() }});
  const done = (what) => ({{ to }}) => {{ console.log(`${{what}} to ${{to}}`); return 'done'; }};
  {definitions}
  $`go`;
}};"
    )
}

fn deploy(options: &str) -> String {
    format!("defTool('deploy', 'Deploys', To, done('deployed'), {options});")
}

/// The outputs of the tool calls in order, and stderr.
fn results(folder: &Folder, arguments: &str) -> (Vec<Value>, String) {
    let outcome = folder.run(&format!("run -f events {arguments} p.lmt.mjs"));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let events = outcome.events();
    let results = events.iter().filter(|event| event["type"] == "tool-result");
    (results.map(|event| event["output"].clone()).collect(), outcome.stderr)
}

#[test]
fn without_a_terminal_a_call_is_denied_and_the_run_continues() {
    let calls = [("deploy", json!({ "to": "live" }))];
    let folder = Folder::of(&file(&deploy("{ needsApproval: true, beforeCall: () => console.log('before') }"), &calls));
    let outcome = folder.run("run p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Done.\n"));
    let hint = "the call of deploy needs approval and was denied; lmthing run --approve 'deploy' approves it, --yes every call";
    assert!(outcome.stderr.contains(hint), "{outcome:?}");
    let (results, _) = results(&folder, "");
    let reported = "The call of deploy was denied: it needs approval, and there is nobody who could be asked";
    assert_eq!(results, [json!({ "error": reported })]);
}

#[test]
fn patterns_and_yes_approve() {
    let folder = Folder::of(&file(&deploy("{ needsApproval: true }"), &[("deploy", json!({ "to": "live" }))]));
    for options in
        ["--yes", "--approve deploy", "--approve x --approve dep*", "--approve d?ploy", "--approve={x,deploy}"]
    {
        let outcome = folder.run(&format!("run {options} p.lmt.mjs"));
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("deployed to live\nDone.\n", ""), "{options}");
    }
    for options in ["--approve deplo", "--approve Deploy", "--approve eploy"] {
        assert!(!folder.run(&format!("run {options} p.lmt.mjs")).stdout.contains("deployed"), "{options}");
    }
    let outcome = folder.run("run --approve [ p.lmt.mjs");
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stderr.contains("--approve") && outcome.stderr.contains("'[' is no pattern"), "{outcome:?}");
}

#[test]
fn a_function_decides_whether_approval_is_needed() {
    let calls = ["live", "test", "odd"].map(|to| ("deploy", json!({ "to": to })));
    let needs = "{ needsApproval: async ({ to }) => { if (to === 'odd') throw new Error('cannot say'); return to === 'live'; } }";
    let (results, stderr) = results(&Folder::of(&file(&deploy(needs), &calls)), "");
    let is_denied = |result: &Value| result["error"].as_str().is_some_and(|error| error.contains("was denied"));
    assert_eq!(results.iter().map(is_denied).collect::<Vec<_>>(), [true, false, true], "{results:?}");
    assert!(stderr.contains("needsApproval of tool deploy threw: cannot say"), "{stderr}");
}

#[test]
fn wrong_arguments_are_refused_before_approval() {
    let folder = Folder::of(&file(&deploy("{ needsApproval: true }"), &[("deploy", json!({ "to": 1 }))]));
    let (results, stderr) = results(&folder, "");
    assert!(results[0]["error"].as_str().unwrap().starts_with("Invalid input for tool deploy"), "{results:?}");
    assert!(!stderr.contains("needs approval"), "{stderr}");
    let never = Folder::of(&file(&deploy("{ needsApproval: false }"), &[("deploy", json!({ "to": "live" }))]));
    assert_eq!(never.run("run p.lmt.mjs").stdout, "deployed to live\nDone.\n");
    let wrong = Folder::of(&file(&deploy("{ needsApproval: 'yes' }"), &[])).run("run p.lmt.mjs");
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(
        wrong.stderr.contains("options.needsApproval must be true, false or a function, got a string"),
        "{wrong:?}"
    );
}

#[test]
fn items_of_array_forms_and_agents_need_approval_too() {
    let definitions = "
  defTool('files', 'Files', [tool('write', 'Writes', To, done('written'), { needsApproval: true }), tool('read', 'Reads', To, done('read'))]);
  defAgent('helper', 'Helps', To, done('helped'), { needsApproval: true, model: 'mock' });";
    let both =
        json!({ "calls": [{ "name": "write", "args": { "to": "a" } }, { "name": "read", "args": { "to": "b" } }] });
    let folder = Folder::of(&file(definitions, &[("files", both), ("helper", json!({ "to": "c" }))]));
    let outcome = folder.run("run p.lmt.mjs");
    assert_eq!(outcome.stdout, "read to b\nDone.\n", "{outcome:?}");
    for name in ["'files.write'", "'helper'"] {
        assert!(outcome.stderr.contains(&format!("--approve {name}")), "{outcome:?}");
    }
    for pattern in ["files.write", "files_write", "files", "files*"] {
        let outcome = folder.run(&format!("run --approve {pattern} p.lmt.mjs"));
        assert!(outcome.stdout.starts_with("written to a\nread to b\n"), "{pattern}: {outcome:?}");
    }
    assert!(folder.run("run --approve helper p.lmt.mjs").stdout.contains("helped to c"));
}

const FUNCTIONS: &str = "
  const options = { needsApproval: true, responseSchema: z.string() };
  defFunction('srv', 'Server', [func('sum', 'Sums', To, done('summed'), options)]);
  defFunction('plain', 'Plain', To, done('plain'), options);";

#[test]
fn a_denial_is_an_error_in_model_written_code() {
    let code = "try { await srv.sum({ to: 'a' }); } catch (error) { return String(error); }";
    let folder = Folder::of(&file(FUNCTIONS, &[("runToolCode", json!({ "code": code }))]));
    let (denied, _) = results(&folder, "");
    let reported = "Error: The call of srv.sum was denied: it needs approval, and there is nobody who could be asked";
    assert_eq!(denied[0]["result"], reported, "{denied:?}");
    for pattern in ["srv.sum", "srv_sum", "srv*"] {
        let (approved, _) = results(&folder, &format!("--approve {pattern}"));
        assert_eq!(approved[0], json!({ "success": true, "result": null }), "{pattern}");
    }
    assert!(results(&folder, "--approve srv").0[0]["result"].is_string(), "a namespace is nothing to call");
}

#[test]
fn in_tests_only_the_test_approves() {
    let folder = Folder::of(&file(&deploy("{ needsApproval: true }"), &[("deploy", json!({ "to": "live" }))]));
    folder.write(
        "a.test.lmt.mjs",
        "import { expect, run, test } from 'lmthing/test';
test('denied', async () => { expect((await run('./p.lmt.mjs')).toolCalls[0].output.error).toContain('was denied'); });
test('approved', async () => { expect((await run('./p.lmt.mjs', { approve: ['x', 'dep*'] })).toolCalls[0].output).toBe('done'); });
test('wrong', async () => { await expect(run('./p.lmt.mjs', { approve: true })).rejects.toThrow('approve must be an array of patterns'); });
test('unreadable', async () => { await expect(run('./p.lmt.mjs', { approve: ['['] })).rejects.toThrow(\"'[' is no pattern\"); });",
    );
    let outcome = folder.run("test a.test.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let reported = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(reported.contains("run(file, { approve: ['deploy'] }) of lmthing/test approves it"), "{reported}");
}

#[cfg(target_os = "linux")]
mod on_a_terminal {
    use std::{thread::sleep, time::Duration};

    use super::*;

    const QUESTION: &str = "no with a reason > ";
    const CUT: &str = "v view all > ";

    fn two(first: Value) -> Folder {
        let calls = [("deploy", first), ("deploy", json!({ "to": "test" }))];
        Folder::of(&file(&deploy("{ needsApproval: true }"), &calls))
    }

    #[test]
    fn yes_approves_one_call_and_a_reason_reaches_the_model() {
        let folder = two(json!({ "to": "live" }));
        let mut run = folder.start_on_terminal("run -f events p.lmt.mjs", 80);
        run.wait_for(QUESTION, 1);
        run.type_text("y\n");
        run.wait_for(QUESTION, 2);
        run.type_text("r\n");
        run.wait_for("Why not? ", 1);
        run.type_text("not on a Friday\n");
        let outcome = run.end();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(
            outcome.stdout.contains("Approve the call of deploy?\r\n  to: \"live\"\r\ny yes, a always"),
            "{outcome:?}"
        );
        assert!(outcome.stdout.contains(r#""output":"done""#), "{outcome:?}");
        let denied = r#""output":{"error":"The user denied the call of deploy: not on a Friday"}"#;
        assert!(outcome.stdout.contains(denied), "{outcome:?}");
    }

    #[test]
    fn always_is_for_the_whole_run() {
        let folder = two(json!({ "to": "live" }));
        let mut run = folder.start_on_terminal("run p.lmt.mjs", 80);
        run.wait_for(QUESTION, 1);
        run.type_text("a\n");
        let outcome = run.end();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(
            outcome.stdout.contains("deployed to test") && outcome.stdout.matches(QUESTION).count() == 1,
            "{outcome:?}"
        );
    }

    #[test]
    fn words_are_answers_and_the_end_of_input_denies() {
        for (answer, is_approved) in
            [("yes\n", true), ("YES\n", true), ("\n", false), ("n\n", false), ("no\n", false), ("\u{4}", false)]
        {
            // What was typed before the question appeared does not answer it.
            let folder = two(json!({ "to": "live" }));
            let mut run = folder.start_on_terminal("run --approve nothing p.lmt.mjs", 80);
            run.type_text("y\n");
            run.wait_for(QUESTION, 1);
            run.type_text(answer);
            run.wait_for(QUESTION, 2);
            run.type_text(answer);
            let outcome = run.end();
            assert_eq!(outcome.code, 0, "{outcome:?}");
            let deployed = outcome.stdout.matches("deployed to").count();
            assert_eq!(deployed, if is_approved { 2 } else { 0 }, "{answer:?}: {outcome:?}");
            assert!(outcome.stdout.contains("Done."), "{outcome:?}");
        }
    }

    #[test]
    fn an_answer_that_is_not_understood_asks_again() {
        let folder = two(json!({ "to": "live" }));
        let mut run = folder.start_on_terminal("run p.lmt.mjs", 80);
        run.wait_for(QUESTION, 1);
        run.type_text("of course\n");
        run.wait_for("Expected one of the letters, or its word.", 1);
        run.wait_for(QUESTION, 2);
        run.type_text("always\n");
        let outcome = run.end();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(
            outcome.stdout.contains("deployed to live") && outcome.stdout.contains("deployed to test"),
            "{outcome:?}"
        );
    }

    #[test]
    fn arguments_are_cut_and_can_be_seen_whole() {
        let args = json!({ "to": format!("{}\u{1b}[2J\u{9b}K{}END", "x".repeat(80), "y".repeat(80)) });
        let folder = two(args);
        let mut run = folder.start_on_terminal("run p.lmt.mjs", 50);
        run.wait_for(CUT, 1);
        run.type_text("v\n");
        run.wait_for("END", 1);
        run.wait_for(QUESTION, 1);
        run.type_text("n\n");
        run.wait_for(QUESTION, 2);
        run.type_text("n\n");
        let outcome = run.end();
        assert!(outcome.stdout.contains("\\u001b[2J\\u{9b}K") && !outcome.stdout.contains("\u{1b}[2J"), "{outcome:?}");
        assert!(
            outcome.stdout.lines().any(|line| line.starts_with("  to: \"xxx") && line.trim_end().chars().count() == 49)
        );
    }

    #[test]
    fn ctrl_c_ends_the_run() {
        let folder = two(json!({ "to": "live" }));
        let mut run = folder.start_on_terminal("run p.lmt.mjs", 80);
        run.wait_for(QUESTION, 1);
        run.type_text("\u{3}");
        let outcome = run.end();
        assert_eq!(outcome.code, 130, "{outcome:?}");
        assert!(!outcome.stdout.contains("deployed"), "{outcome:?}");
    }

    /// Two calls in one answer. The answer continues while the first question is open.
    const STREAMING: &str = "
const pause = (time) => new Promise((done) => setTimeout(done, time));
const call = (id) => ({ type: 'tool-call', toolCallId: id, toolName: 'deploy', input: JSON.stringify({ to: id }) });
async function* parts(first) {
  if (first) yield call('one'), yield call('two');
  yield { type: 'text-start', id: 't' };
  for (const word of ['late ', 'text ', 'comes ', 'whole']) { await pause(100); yield { type: 'text-delta', id: 't', delta: word }; }
  yield { type: 'text-end', id: 't' };
  yield { type: 'finish', finishReason: first ? 'tool-calls' : 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}
let first = true;
const model = { specificationVersion: 'v2', provider: 'own', modelId: 'own',
  async doStream() { const now = first; first = false; return { stream: ReadableStream.from(parts(now)) }; } };
export const config = { model };
export default async ({ $, defTool }) => {
  defTool('deploy', 'Deploys', { type: 'object' }, ({ to }) => { console.log(`deployed ${to}`); return 'done'; }, { needsApproval: true });
  $`go`;
};";

    #[test]
    fn no_output_appears_between_question_and_answer() {
        let folder = Folder::of(STREAMING);
        let mut run = folder.start_on_terminal("run --timeout 1s p.lmt.mjs", 80);
        run.wait_for(QUESTION, 1);
        // The model streams everything meanwhile, and the time limit of the run is paused.
        sleep(Duration::from_millis(1500));
        run.type_text("y\n");
        run.wait_for(QUESTION, 2);
        run.type_text("n\n");
        let outcome = run.end();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        for tail in outcome.stdout.split(QUESTION).skip(1) {
            assert!(tail.starts_with("y\r\n") || tail.starts_with("n\r\n"), "{outcome:?}");
        }
        assert_eq!(outcome.stdout.matches("late text comes whole").count(), 2, "{outcome:?}");
        assert!(outcome.stdout.contains("deployed one") && !outcome.stdout.contains("deployed two"), "{outcome:?}");
    }

    #[test]
    fn the_time_limit_of_code_is_paused_during_a_question() {
        let code = "const before = await plain({ to: 'a' }); return before;";
        let source = file(FUNCTIONS, &[("runToolCode", json!({ "code": code }))]);
        let source = source.replace("model: 'mock'", "model: 'mock', sandbox: { cpuMs: 500 }");
        let folder = Folder::of(&source);
        let mut run = folder.start_on_terminal("run -f events p.lmt.mjs", 80);
        run.wait_for(QUESTION, 1);
        sleep(Duration::from_millis(1500));
        run.type_text("y\n");
        let outcome = run.end();
        assert!(outcome.stdout.contains(r#""output":{"success":true,"result":"done"}"#), "{outcome:?}");
    }
}
