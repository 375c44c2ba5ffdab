//! Events of `run -f events` for agents and model-written code: their order, and that each start has its end.

use serde_json::Value;

use crate::support::{Folder, Outcome};

/// Agent events as `type name`. Asserts that each agent number has one start and then one end.
fn agents(outcome: &Outcome) -> Vec<String> {
    let mut open: Vec<Value> = Vec::new();
    let mut reported = Vec::new();
    for event in outcome.events() {
        let kind = event["type"].as_str().unwrap();
        match kind {
            "agent-start" => open.push(event["agentNumber"].clone()),
            "agent-finish" => {
                let index = open.iter().position(|number| *number == event["agentNumber"]);
                open.remove(index.unwrap_or_else(|| panic!("{event} has no beginning: {outcome:?}")));
            }
            _ => continue,
        }
        reported.push(format!("{} {}", kind.trim_start_matches("agent-"), event["name"].as_str().unwrap()));
    }
    assert!(open.is_empty(), "{open:?} have no end: {outcome:?}");
    reported
}

fn finish(outcome: &Outcome, name: &str) -> Value {
    let is_it = |event: &Value| event["type"] == "agent-finish" && event["name"] == name;
    outcome.events().into_iter().find(is_it).unwrap_or_else(|| panic!("{name} has no end: {outcome:?}"))
}

fn run(mock: &str, body: &str, options: &str) -> Outcome {
    let source = format!(
        "import {{ z }} from 'zod';
import {{ runPrompt }} from 'lmthing';
import {{ createMockModel }} from 'lmthing/test';
const none = z.object({{}});
const says = (text) => createMockModel([{{ type: 'text', text }}]);
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
const call = (toolName, args = {{}}) => ({{ type: 'tool-call', toolName, args }});
const done = {{ type: 'text', text: 'done' }};
export const config = {{ model: 'mock' }};
export const mock = [{mock}];
export default async ({{ $, defAgent, defFunction, defFunctionAgent }}) => {{
{body}
}};
"
    );
    Folder::of(&source).run(&format!("run -f events {options} p.lmt.mjs"))
}

#[test]
fn an_agent_begins_before_its_callback() {
    let outcome = run(
        "call('outer'), done, done",
        "defAgent('outer', 'o', none, async (_, child) => {
  await wait(120);
  const { result } = await runPrompt(async function inner({ $ }) { await wait(60); $`s`; }, { model: says('sub') });
  await result.text;
  child.$`go`;
});
$`x`;",
        "",
    );
    assert_eq!(agents(&outcome), ["start outer", "start inner", "finish inner", "finish outer"], "{outcome:?}");
    for (name, least) in [("outer", 180), ("inner", 60)] {
        let finish = finish(&outcome, name);
        assert!(finish["durationMs"].as_u64().unwrap() >= least, "{finish}");
        assert_eq!((finish["steps"].as_u64(), finish.get("error")), (Some(1), None), "{finish}");
    }
}

#[test]
fn an_agent_ends_once_however_it_ends() {
    let cases = [
        ("throws", "defAgent('a', 'a', none, async () => { throw new Error('no luck'); });", "", "no luck"),
        ("model", "defAgent('a', 'a', none, (_, { $ }) => { $`go`; }, { model: 'nobody:x' });", "", "nobody"),
        (
            "steps",
            "defAgent('a', 'a', none, (_, { $, defTool }) => { defTool('t', 't', none, () => 1); $`go`; },
  { maxSteps: 1, model: createMockModel([call('t'), done]) });",
            "",
            "1 steps",
        ),
        ("exit", "defAgent('a', 'a', none, () => { process.exit(0); });", "", ""),
        ("timeout in the callback", "defAgent('a', 'a', none, () => wait(60000));", "--timeout 300ms", "cut off"),
        (
            "timeout in a tool",
            "defAgent('a', 'a', none, (_, { $, defTool }) => { defTool('t', 't', none, () => wait(60000)); $`go`; },
  { model: createMockModel([call('t'), done]) });",
            "--timeout 300ms",
            "",
        ),
        (
            "abort",
            "const controller = new AbortController();
defAgent('a', 'a', none, (_, { $, defTool }) => {
  defTool('t', 't', none, () => { controller.abort(); return wait(300); });
  $`go`;
}, { abortSignal: controller.signal, model: createMockModel([call('t'), done]) });",
            "",
            "abort",
        ),
    ];
    for (name, body, options, error) in cases {
        let outcome = run("call('a'), done, done", &format!("{body}\n$`x`;"), options);
        assert_eq!(agents(&outcome), ["start a", "finish a"], "{name}: {outcome:?}");
        let reported = finish(&outcome, "a");
        assert!(reported["error"].as_str().unwrap_or_default().contains(error), "{name}: {reported}");
        assert!(reported["error"].is_string(), "{name}: {reported}");
    }
}

#[test]
fn a_prompt_whose_function_throws_ends_too() {
    let outcome = run(
        "done",
        "await runPrompt(async function sub() { await wait(1); throw new TypeError('no luck'); }, { model: says('x') }).catch(() => {});
$`x`;",
        "",
    );
    assert_eq!(agents(&outcome), ["start sub", "finish sub"], "{outcome:?}");
    assert!(finish(&outcome, "sub")["error"].as_str().unwrap().contains("no luck"), "{outcome:?}");
}

/// The types of the events for model-written code, in order.
fn of_code(outcome: &Outcome) -> Vec<String> {
    let kinds = ["code-check", "agent-start", "tool-result", "step-finish", "run-finish"];
    let events = outcome.events().into_iter().map(|event| event["type"].as_str().unwrap().to_owned());
    events.filter(|kind| kinds.contains(&kind.as_str())).collect()
}

fn check(outcome: &Outcome) -> Value {
    outcome.events().into_iter().find(|event| event["type"] == "code-check").unwrap_or_else(|| panic!("{outcome:?}"))
}

#[test]
fn the_check_of_code_is_reported_before_the_code_runs() {
    let body = "defFunctionAgent('ask', 'a', none, (_, { $ }) => { $`go`; }, { model: says('yes') });\n$`x`;";
    let outcome = run("call('runToolCode', { code: 'return await ask({});' }), done", body, "");
    let expected =
        ["code-check", "agent-start", "step-finish", "tool-result", "step-finish", "step-finish", "run-finish"];
    assert_eq!(of_code(&outcome), expected, "{outcome:?}");
    assert_eq!(check(&outcome)["ok"], true);
}

#[test]
fn the_check_of_aborted_code_is_reported() {
    let body = "defFunction('hang', 'h', none, () => wait(60000));\n$`x`;";
    let outcome = run("call('runToolCode', { code: 'await hang({});' }), done", body, "--timeout 3s");
    assert_eq!(of_code(&outcome), ["code-check", "run-finish"], "{outcome:?}");
    assert_eq!(check(&outcome)["ok"], true);
}

#[test]
fn a_check_that_was_killed_is_not_ok() {
    let source = "
import { z } from 'zod';
export const config = { model: 'mock', sandbox: { checkMs: 1 } };
const code = 'let n = 0;\\n' + 'n += [1, 2].map((m) => m + n).length;\\n'.repeat(1000) + 'return await add({});';
export const mock = [{ type: 'tool-call', toolName: 'runToolCode', args: { code } }, { type: 'text', text: 'done' }];
export default ({ $, defFunction }) => { defFunction('add', 'a', z.object({}), () => 1); $`x`; };
";
    let outcome = Folder::of(source).run("run -f events p.lmt.mjs");
    assert_eq!(check(&outcome)["ok"], false, "{outcome:?}");
}
