//! `cache` of `step-finish` and of the result: what broke it, by name (docs/reference/events.md). The mocks here say that
//! they have read 2000 of 5000 tokens, so that every change has lost 3000. `tests/providers` has the caches of providers.

use serde_json::{Value, json};

use crate::support::{Folder, Outcome};

/// A prompt with a model that makes these calls, whose function runs for each step with the number of the step, from 0.
fn folder(calls: &str, body: &str) -> Folder {
    let source = format!(
        "import {{ taskListPlugin }} from 'lmthing/plugins';
import {{ z }} from 'zod';
import {{ createMockModel }} from 'lmthing/test';
const call = (toolName = 'keep', args = {{}}) => ({{ type: 'tool-call', toolName, args }});
const mock = (items, inputTokens = 5000) => createMockModel([...items, {{ type: 'text', text: 'done' }}],
  {{ usage: {{ inputTokens, outputTokens: 1, cachedInputTokens: 2000 }} }});
export const config = {{
  model: mock([{calls}]),
  plugins: [taskListPlugin],
  prices: {{ 'mock:mock': {{ input: 10, output: 10, cachedInput: 1 }} }},
}};
let step = -1;
export default (prompt) => {{
  const {{ $, def, defAgent, defEffect, defSystem, defTaskList, defTool }} = prompt;
  step += 1;
  defTool('keep', 'keeps', z.object({{}}), () => 'kept');
{body}
  $`go`;
}};
"
    );
    Folder::of(&source)
}

fn run(calls: &str, body: &str, options: &str) -> Outcome {
    folder(calls, body).run(&format!("run {options} p.lmt.mjs"))
}

/// What each step after the first was broken by, as `kind name`.
fn broken(outcome: &Outcome) -> Vec<String> {
    let steps =
        outcome.events().into_iter().filter(|event| event["type"] == "step-finish" && event["agent"] == json!([]));
    let mut steps = steps.map(|event| event["cache"].clone());
    assert_eq!(steps.next(), Some(Value::Null), "{outcome:?}");
    let named = |cache: Value| {
        assert_eq!((&cache["read"], &cache["written"]), (&json!(2000), &json!(0)), "{cache}");
        let Some(broken) = cache.get("brokenBy") else { return String::new() };
        assert_eq!(
            (&cache["expected"], &broken["tokens"], &broken["cost"]),
            (&json!(5000), &json!(3000), &json!(0.027))
        );
        let words = [&broken["kind"], &broken["name"]].into_iter().filter_map(Value::as_str);
        words.collect::<Vec<_>>().join(" ")
    };
    steps.map(named).collect()
}

#[test]
fn each_change_is_named_in_its_step() {
    let outcome = run(
        "...Array.from({ length: 14 }, () => call())",
        "
  const names = step === 12 ? ['style', 'role'] : ['role', 'style'];
  for (const name of names) {
    const section = defSystem(name, name === 'style' && step >= 2 ? 'short' : 'plain');
    if (name === 'role' && step === 8) section.disable();
  }
  def('TOPIC', step >= 3 ? 'the sea' : 'the sky');
  const extra = defTool('extra', 'helps', z.object({}), () => 'helped');
  if (step === 4) extra.disable();
  defEffect((_, stepModifier) => {
    if (step === 6) stepModifier('messages', [{ role: 'user', content: 'short' }]);
  });
  if (step >= 10) defSystem('status', 'late');
  if (step === 13) extra.remind();
",
        "-f events",
    );
    let expected = [
        "",
        "section style",
        "variable TOPIC",
        "tools extra",
        "",
        "message",
        "",
        "section role",
        "",
        "section status",
        "",
        "",
        "",
        "",
    ];
    assert_eq!(broken(&outcome), expected, "{outcome:?}");
}

#[test]
fn sections_of_plugins_are_named() {
    let calls = "call('startTask', { taskId: 'a' }), call(), call('completeTask', { taskId: 'a' })";
    let body = "defTaskList([{ id: 'a', name: 'Read', status: 'pending' }]);";
    let outcome = run(calls, body, "-f events");
    assert_eq!(broken(&outcome), ["section taskList", "", "section taskList"], "{outcome:?}");
}

#[test]
fn agents_have_conversations_of_their_own_and_the_costliest_break_is_that_of_the_run() {
    let body = "
  defSystem('role', step === 1 ? 'cheap' : 'plain');
  defAgent('helper', 'helps', z.object({}), (_, child) => {
    child.defSystem('own', 'x');
    child.defTool('look', 'looks', z.object({}), () => 'seen');
    child.defEffect(({ stepNumber }, modify) => { modify('systems', [{ name: 'own', value: `${stepNumber}` }]); });
    child.$`go`;
  }, { model: mock([call('look')], 9000) });
";
    let calls = "call('helper'), call()";
    let outcome = run(calls, body, "-f events");
    assert_eq!(broken(&outcome), ["section role", ""], "{outcome:?}");
    let result: Value = serde_json::from_str(&run(calls, body, "-f json").stdout).unwrap();
    let worst = json!({ "kind": "section", "name": "own", "tokens": 7000, "cost": 0.063 });
    let sums = json!({ "read": 6000, "written": 0, "expected": 19_000, "brokenBy": worst });
    assert_eq!(result["cache"], sums, "{result}");
    let result: Value = serde_json::from_str(&run("", "", "-f json").stdout).unwrap();
    assert_eq!((&result["steps"], result.get("cache")), (&json!(1), None), "{result}");
}

#[test]
fn a_resumed_run_goes_on_comparing() {
    let folder = folder("call(), call(), call()", "defSystem('role', process.env.ROLE ?? 'old');");
    let run = |arguments: &str, role: Option<&str>| {
        let mut command = folder.command(arguments);
        Outcome::of(command.envs(role.map(|role| ("ROLE", role))))
    };
    assert_eq!(run("run --journal --max-steps 2 p.lmt.mjs", None).code, 4);
    let outcome = run("resume last --max-steps 1 -f json", None);
    let result: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let sums = json!({ "read": 4000, "written": 0, "expected": 10_000 });
    assert_eq!(result["cache"], sums, "{outcome:?}");
    let outcome = run("resume last -f json", Some("new"));
    let result: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let broken = json!({ "kind": "section", "name": "role", "tokens": 3000, "cost": 0.027 });
    assert_eq!(result["cache"]["brokenBy"], broken, "{outcome:?}");
}

#[test]
fn verbose_says_what_the_cache_saved() {
    let outcome = run("call(), call()", "  defSystem('role', `step ${step}`);\n", "-v");
    let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("cache: ")).collect();
    let line = "  cache: 40 % read; section `role` changed, 3 000 tokens anew, $0.03";
    // Two calls make three steps, and nothing is said of the first.
    let cost = |line: &str| line.rsplit_once(", $").map(|(before, _)| before.to_owned());
    assert_eq!(lines.len(), 2, "{outcome:?}");
    assert!(lines.iter().all(|found| cost(found) == cost(line)), "{outcome:?}");
    let short = folder("call()", "").run("run -v p.lmt.mjs");
    assert!(short.stderr.contains("step 1") && short.stderr.contains("\n  cache: 40 % read\n"), "{short:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn verbose_lines_are_broken_at_the_width_of_a_terminal() {
    let folder = folder("call()", "  defSystem('role', `step ${step}`);\n");
    let outcome = folder.start_on_terminal("run -v p.lmt.mjs", 42).end();
    let broken = "  cache: 40 % read; section `role`\r\n    changed, 3 000 tokens anew, $0.027\r\n";
    assert!(outcome.stdout.contains(broken), "{outcome:?}");
    // The lines of the steps too.
    let is_wide = |line: &str| line.starts_with("step ") && line.chars().count() > 42;
    assert!(!outcome.stdout.lines().any(is_wide), "{outcome:?}");
}
