//! Approvals of calls by agents, in groups of agents and functions, and of MCP tools (docs/reference/approvals.md).

use serde_json::{Value, json};

use crate::support::{
    Folder, mcp,
    mcp::{call, code, folder, prompt, results},
};

/// The outputs of all calls of a run that succeeds, those of agents included.
fn results_with(folder: &Folder, options: &str) -> Vec<String> {
    let outcome = folder.run(&format!("run -f events {options} p.lmt.mjs"));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    results(&outcome)
}

fn denied(name: &str) -> String {
    format!("The call of {name} was denied: it needs approval, and there is nobody who could be asked")
}

const DEPLOY: &str = "const deploy = (whose, on) => on.defTool('deploy', 'Deploys', z.object({}), () => `deployed by ${whose}`, { needsApproval: true });
defAgent('helper', 'Helps', z.object({}), (_, child) => { deploy('agent', child); child.$`go`; });
deploy('prompt', prompt);";

/// The prompt calls `deploy`, then its agent does.
fn deploys() -> Folder {
    let calls = [call("deploy", json!({})), call("helper", json!({})), call("deploy", json!({}))];
    Folder::of(&prompt(&calls, DEPLOY))
}

#[test]
fn calls_of_agents_are_denied_and_approved_as_those_of_the_prompt() {
    let is_denied = |results: &[String]| results.iter().filter(|result| result.contains(&denied("deploy"))).count();
    let without = results_with(&deploys(), "");
    assert_eq!(is_denied(&without), 2, "{without:?}");
    for options in ["--yes", "--approve deploy", "--approve 'd*'"] {
        let options = options.replace('\'', "");
        let with = results_with(&deploys(), &options);
        assert!(is_denied(&with) == 0 && with.contains(&"deployed by agent".to_owned()), "{options}: {with:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn always_holds_for_agents_too() {
    let question = "no with a reason > ";
    let folder = deploys();
    let mut run = folder.start_on_terminal("run -f events p.lmt.mjs", 80);
    run.wait_for(question, 1);
    run.type_text("a\n");
    let outcome = run.end();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.stdout.matches(question).count(), 1, "{outcome:?}");
    assert!(
        outcome.stdout.contains("deployed by prompt") && outcome.stdout.contains("deployed by agent"),
        "{outcome:?}"
    );
}

#[test]
fn members_of_groups_have_rules_of_their_own() {
    let body = "
const { func, agent } = await import('lmthing').then(async (all) => ({ ...(await import('lmthing/plugins')), ...all }));
const N = z.object({ n: z.number() });
const big = { needsApproval: ({ n }) => n > 9, responseSchema: z.string() };
prompt.defFunction('math', 'Counts', [func('twice', 'Doubles', N, ({ n }) => `${n * 2}`, big), func('same', 'Keeps', N, ({ n }) => `${n}`, { responseSchema: z.string() })]);
prompt.defFunctionAgent('team', 'Works', [agent('one', 'First', N, () => 'one', { needsApproval: true }), agent('two', 'Second', N, () => 'two')]);
defAgent('crew', 'Works', [agent('three', 'Third', N, () => 'three', { needsApproval: true }), agent('four', 'Fourth', N, () => 'four')]);";
    let reported = |call: &str| {
        code(&format!("try {{ return await {call}; }} catch (error) {{ return (error as Error).message; }}"))
    };
    let both = json!({ "calls": [{ "name": "three", "args": { "n": 1 } }, { "name": "four", "args": { "n": 1 } }] });
    let calls = [
        reported("math.twice({ n: 4 })"),
        reported("math.twice({ n: 10 })"),
        reported("math.same({ n: 10 })"),
        reported("team.one({ n: 1 })"),
        call("crew", both),
    ];
    let folder = Folder::of(&prompt(&calls, body));
    let results = results_with(&folder, "");
    let value = |index: usize| serde_json::from_str::<Value>(&results[index]).unwrap_or_default()["result"].clone();
    assert_eq!([value(0), value(1), value(2)], [json!("8"), json!(denied("math.twice")), json!("10")]);
    assert_eq!(value(3), denied("team.one"));
    assert!(results[4].contains(&denied("crew.three")) && !results[4].contains("crew.four"), "{}", results[4]);
    let with = results_with(&folder, "--approve math.* --approve team_one --approve crew.three");
    assert!(!with.concat().contains("was denied"), "{with:?}");
}

#[test]
fn tools_and_functions_of_servers_need_approval() {
    let big = "needsApproval: ({ a }) => a > 9";
    let sum = |a: i32| call("t_sum", json!({ "a": a, "b": 1 }));
    let tools = folder(&["log=calls.log"], &format!("{{ {big} }}"), &[sum(1), sum(10)]);
    assert_eq!(results_with(&tools, ""), [r#"{"sum":2}"#.to_owned(), json!({ "error": denied("t_sum") }).to_string()]);
    let log = std::fs::read_to_string(tools.path("calls.log")).unwrap_or_default();
    assert_eq!(log.matches("call sum").count(), 1, "the server sees no call that was denied: {log}");
    assert_eq!(results_with(&tools, "--approve t_s*")[1], r#"{"sum":11}"#);

    let calls = [code("return await t.sum({ a: 10, b: 1 });")];
    let functions = folder(&[], "{ as: 'functions', needsApproval: true }", &calls);
    assert!(results_with(&functions, "")[0].contains(&denied("t.sum")));
    for pattern in ["t.sum", "t_sum"] {
        assert!(results_with(&functions, &format!("--approve {pattern}"))[0].contains(r#""result":{"sum":11}"#));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_time_limit_of_code_is_paused_during_a_question_about_an_mcp_tool() {
    let calls = [code("return (await t.sum({ a: 1, b: 1 })).sum;")];
    let source =
        prompt(&calls, &format!("defMcp('t', {}, {{ as: 'functions', needsApproval: true }});", mcp::server(&[])));
    let folder = Folder::of(&source.replace("model: 'mock'", "model: 'mock', sandbox: { cpuMs: 500 }"));
    let mut run = folder.start_on_terminal("run -f events p.lmt.mjs", 80);
    run.wait_for("Approve the call of t.sum?", 1);
    run.wait_for("no with a reason > ", 1);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    run.type_text("y\n");
    let outcome = run.end();
    assert!(outcome.stdout.contains(r#""output":{"success":true,"result":2}"#), "{outcome:?}");
}
