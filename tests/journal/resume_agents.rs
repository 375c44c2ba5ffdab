//! Agents, code and prompts in a run that is interrupted and resumed (docs/reference/resume.md): what they have
//! finished is not repeated.

use serde_json::json;

use crate::support::{
    Running,
    resume::{
        PRELUDE, Project,
        provider::{Conversation, Provider, Turn},
    },
    wait_until,
};

fn project(source: &str, answer: impl Fn(&Conversation) -> Turn + Send + Sync + 'static) -> Project {
    Project::new(&format!("{PRELUDE}export const config = {{ model: 'lab:m' }};\n{source}"), Provider::start(answer))
}

/// The names of the requests, sorted.
fn request_names(project: &Project) -> Vec<String> {
    let mut names = project.provider.names();
    names.sort();
    names
}

#[test]
fn finished_steps_of_an_agent_count() {
    let project = project(
        "export default ({ $, defAgent }) => {
          defAgent('helper', 'Helps.', none, (args, child) => {
            note('set up');
            const [seen, setSeen] = child.defState('seen', []);
            child.defTool('look', 'Looks.', none, () => { note('look'); setSeen((seen) => [...seen, 'x']); return 'seen'; });
            child.defTool('break', 'Breaks.', none, () => { die(); return `after ${child.getState('seen').length}`; });
            child.$`You are who=helper.`;
          });
          $`You are who=root.`;
        };",
        |conversation| match conversation.name().as_str() {
            "root 0" => Turn::default().call("a", "helper", &json!({})),
            "helper 0" => Turn::default().call("c0", "look", &json!({})),
            "helper 1" => Turn::default().call("c1", "break", &json!({})),
            _ => Turn::text(&conversation.results().join(", ")),
        },
    );
    project.killed();
    assert_eq!(project.resumed(), "seen, after 1\n");
    assert_eq!(request_names(&project), ["helper 0", "helper 1", "helper 2", "root 0", "root 1"]);
    assert_eq!(project.lines("done.log"), ["set up", "look", "set up"]);
}

#[test]
fn agents_of_agents_and_agents_side_by_side_go_on_where_they_were() {
    let project = project(
        "const inner = ({ defAgent }) => defAgent('inner', 'i', z.object({ name: z.string() }), ({ name }, child) => {
          child.defTool('work', 'w', none, async () => {
            note(name);
            if (name !== 'two-inner') return name;
            while (!fs.existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 5));
            die();
            return name;
          });
          child.$`You are who=${name}.`;
        });
        export default ({ $, defAgent }) => {
          defAgent('outer', 'o', z.object({ name: z.string() }), ({ name }, child) => {
            inner(child);
            child.$`You are who=${name}.`;
          });
          $`You are who=root.`;
        };",
        |conversation| match (conversation.who.as_str(), conversation.step) {
            ("root", 0) => ["one", "two"]
                .iter()
                .fold(Turn::default(), |turn, name| turn.call(name, "outer", &json!({ "name": name }))),
            (name @ ("one" | "two"), 0) => {
                Turn::default().call("i", "inner", &json!({ "name": format!("{name}-inner") }))
            }
            ("one-inner" | "two-inner", 0) => Turn::default().call("c", "work", &json!({})),
            _ => Turn::text(&format!("{}({})", conversation.who, conversation.results().join(","))),
        },
    );
    let running = Running::of(&mut project.command("run --journal p.lmt.mjs"));
    let ended = || project.journal().is_some_and(|journal| journal.answered().contains(&"one 1".to_owned()));
    wait_until("the end of the first agent", ended);
    project.folder.write("go", "");
    assert_eq!(running.end().code, -1);
    assert_eq!(project.resumed(), "root(one(one-inner(one-inner)),two(two-inner(two-inner)))\n");
    // The agents work side by side: either may be the first.
    let mut done = project.lines("done.log");
    done.sort();
    assert_eq!(done, ["one-inner", "two-inner", "two-inner"]);
    let names = request_names(&project);
    let once: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!((names.len(), once.len()), (10, 10), "{names:?}");
}

#[test]
fn finished_sub_agents_of_an_array_are_not_repeated() {
    let project = project(
        "import { agent } from 'lmthing';
        const made = (name) => agent(name, name, none, (args, child) => {
          child.defTool('work', 'w', none, () => { note(name); if (name === 'two') die(); return name; });
          child.$`You are who=${name}.`;
        });
        export default ({ $, defAgent }) => {
          defAgent('team', 'Works.', ['one', 'two', 'three'].map(made));
          $`You are who=root.`;
        };",
        |conversation| match (conversation.who.as_str(), conversation.step) {
            ("root", 0) => {
                let calls: Vec<_> =
                    ["one", "two", "three"].iter().map(|name| json!({ "name": name, "args": {} })).collect();
                Turn::default().call("t", "team", &json!({ "calls": calls }))
            }
            ("root", 1) => Turn::text(&conversation.results()[0]),
            (_, 0) => Turn::default().call("c", "work", &json!({})),
            _ => Turn::text(&format!("{} is done", conversation.who)),
        },
    );
    project.killed();
    let printed = project.resumed();
    let places = ["one is done", "two is done", "three is done"].map(|text| printed.find(text).unwrap());
    assert!(places.is_sorted(), "{printed}");
    assert_eq!(project.lines("done.log"), ["one", "two", "two", "three"]);
    assert_eq!(project.provider.count(), 8);
}

#[test]
fn prompts_that_tools_and_the_function_run_go_on_where_they_were() {
    let project = project(
        "import { runPrompt } from 'lmthing';
        const ask = async (who, breaks) => {
          const { result } = await runPrompt(({ $, defTool }) => {
            defTool('work', 'w', none, () => { note(who); if (breaks) die(who); return who; });
            $`You are who=${who}.`;
          }, { model: 'lab:m', input: { who } });
          return result.text;
        };
        export default async ({ $, defTool, defState }) => {
          const [first, setFirst] = defState('first', '');
          if (!first) setFirst(await ask('before', true));
          defTool('ask', 'a', none, async () => `${await ask('one')} ${await ask('two', true)}`);
          $`You are who=root.`;
        };",
        |conversation| match (conversation.who.as_str(), conversation.step) {
            ("root", 0) => Turn::default().call("a", "ask", &json!({})),
            ("root", _) => Turn::text(&conversation.results()[0]),
            (_, 0) => Turn::default().call("c", "work", &json!({})),
            _ => Turn::text(&format!("{} is done", conversation.who)),
        },
    );
    // Once in the function before the first step, once in the tool.
    project.killed();
    assert_eq!(project.run("resume last").code, -1);
    assert_eq!(project.resumed(), "one is done two is done\n");
    assert_eq!(project.lines("done.log"), ["before", "before", "one", "two", "two"]);
    let expected = ["before 0", "before 1", "one 0", "one 1", "root 0", "root 1", "two 0", "two 1"];
    assert_eq!(request_names(&project), expected);
}

#[test]
fn a_finished_prompt_returns_its_stored_result() {
    let project = project(
        "import { runPrompt } from 'lmthing';
        const output = z.object({ day: z.string().transform((text) => new Date(text)) });
        export default ({ $, defTool, defAgent }) => {
          defTool('ask', 'a', none, async () => {
            const { result } = await runPrompt(({ $ }) => { $`You are who=inner.`; }, { model: 'lab:m', output });
            const { day } = await result.output;
            die();
            return `${day.getUTCFullYear()} ${(await result.steps).length} ${await result.text}`;
          });
          $`You are who=root.`;
        };",
        |conversation| match conversation.name().as_str() {
            "root 0" => Turn::default().call("a", "ask", &json!({})),
            "root 1" => Turn::text(&conversation.results()[0]),
            _ => Turn::text("{\"day\": \"2026-01-02\"}"),
        },
    );
    project.killed();
    assert_eq!(project.resumed(), "2026 1 {\"day\": \"2026-01-02\"}\n");
    assert_eq!(request_names(&project), ["inner 0", "root 0", "root 1"]);
}

#[test]
fn a_repeated_step_restarts_its_agents_and_restores_earlier_ones() {
    let project = project(
        "export default ({ $, defAgent }) => {
          defAgent('helper', 'h', z.object({ who: z.string() }), ({ who }, child) => {
            child.defTool('work', 'w', none, () => { note(who); return who; });
            child.$`You are who=${who}.`;
          });
          $`You are who=root.`;
        };",
        |conversation| match (conversation.who.as_str(), conversation.step) {
            ("root", step @ 0..2) => {
                Turn::default().call(&format!("a{step}"), "helper", &json!({ "who": format!("h{step}") }))
            }
            ("root", _) => Turn::text(&conversation.results().join(", ")),
            (_, 0) => Turn::default().call("c", "work", &json!({})),
            _ => Turn::text(&format!("{} is done", conversation.who)),
        },
    );
    assert_eq!(project.run("run --journal p.lmt.mjs").stdout, "h0 is done, h1 is done\n");
    let outcome = project.run("resume last --from 1");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "h0 is done, h1 is done\n"), "{outcome:?}");
    assert_eq!(project.lines("done.log"), ["h0", "h1", "h1"]);
    let expected = ["h0 0", "h0 1", "h1 0", "h1 0", "h1 1", "h1 1", "root 0", "root 1", "root 1", "root 2", "root 2"];
    assert_eq!(request_names(&project), expected);
}

#[test]
fn sub_tools_and_functions_that_must_not_be_repeated_are_not() {
    let project = project(
        "import { tool } from 'lmthing';
        export default ({ $, defTool, defFunction }) => {
          const pay = (name) => () => { note(name); die(name); return 'paid'; };
          defTool('do', 'Does.', [
            tool('pay', 'Pays.', none, pay('tool'), { repeat: false }), tool('look', 'l', none, () => { note('look'); return 1; }),
          ]);
          defFunction('payNow', 'Pays.', none, pay('function'), { repeat: false });
          $`You are who=root.`;
        };",
        |conversation| match conversation.step {
            0 => {
                let calls = json!([{ "name": "pay", "args": {} }, { "name": "look", "args": {} }]);
                Turn::default().call("c0", "do", &json!({ "calls": calls }))
            }
            1 => {
                let code = "try { return await payNow({}); } catch (error) { return String(error); }";
                Turn::default().call("c1", "runToolCode", &json!({ "code": code }))
            }
            _ => Turn::text(&conversation.results().join("\n")),
        },
    );
    project.killed();
    assert_eq!(project.run("resume last").code, -1);
    let printed = project.resumed();
    assert!(
        printed.contains("The call of pay was interrupted") && printed.contains("The call of payNow was interrupted"),
        "{printed}"
    );
    assert_eq!(project.lines("done.log"), ["tool", "look", "function"]);
}

#[test]
fn files_that_are_run_from_code_go_on_where_they_were() {
    let project = project(
        "import { run } from 'lmthing';
        export default ({ $, defTool }) => {
          defTool('ask', 'a', none, async () => (await (await run('./other.lmt.mjs')).result.text));
          $`You are who=root.`;
        };",
        |conversation| match (conversation.who.as_str(), conversation.step) {
            ("root", 0) => Turn::default().call("a", "ask", &json!({})),
            ("root", _) => Turn::text(&conversation.results()[0]),
            (_, 0) => Turn::default().call("c", "work", &json!({})),
            _ => Turn::text(&format!("{} is done", conversation.who)),
        },
    );
    let other = "export const config = { model: 'lab:m' };
        export default ({ $, defTool }) => {
          defTool('work', 'w', none, () => { note('work'); die(); return 'ok'; });
          $`You are who=other.`;
        };";
    project.folder.write("other.lmt.mjs", &format!("{PRELUDE}{other}"));
    project.killed();
    assert_eq!(project.resumed(), "other is done\n");
    assert_eq!(request_names(&project), ["other 0", "other 1", "root 0", "root 1"]);
}

#[test]
fn finished_calls_of_half_done_code_are_given_back_in_order() {
    let project = project(
        "export default ({ $, defFunction, defFunctionAgent }) => {
          const named = z.object({ n: z.number() });
          defFunction('twice', 'Doubles.', named, ({ n }) => { note(`twice ${n}`); if (n === 3) die(); return 2 * n; }, {
            responseSchema: z.number(),
          });
          defFunctionAgent('guess', 'Guesses.', named, ({ n }, child) => { child.$`You are who=guess-${n}.`; });
          $`You are who=root.`;
        };",
        |conversation| match (conversation.who.as_str(), conversation.step) {
            ("root", 0) => {
                let code = "const a = await twice({ n: 1 }); const b = await guess({ n: a }); console.log(b);
                            const c = await twice({ n: 3 }); return `${a} ${b} ${c}`;";
                Turn::default().call("a", "runToolCode", &json!({ "code": code }))
            }
            ("root", _) => Turn::text(&conversation.results()[0]),
            _ => Turn::text("guessed"),
        },
    );
    project.killed();
    let printed = project.resumed();
    assert!(printed.contains("2 guessed 6"), "{printed}");
    assert_eq!(project.lines("done.log"), ["twice 1", "twice 3", "twice 3"]);
    assert_eq!(request_names(&project), ["guess-2 0", "root 0", "root 1"]);
}

#[test]
fn code_that_is_done_is_not_run_again() {
    let project = project(
        "export default ({ $, defFunction, defTool }) => {
          defFunction('twice', 'Doubles.', z.object({ n: z.number() }), ({ n }) => { note(`twice ${n}`); return 2 * n; });
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`You are who=root.`;
        };",
        |conversation| match conversation.step {
            0 => Turn::default().call("a", "runToolCode", &json!({ "code": "return await twice({ n: 1 });" })),
            1 => Turn::default().call("b", "break", &json!({})),
            _ => Turn::text(&conversation.results()[0]),
        },
    );
    project.killed();
    assert!(project.resumed().contains("\"result\":2"));
    assert_eq!(project.lines("done.log"), ["twice 1"]);
}

#[test]
fn finished_calls_of_code_in_a_text_are_given_back() {
    let project = project(
        "export default ({ $, defMethod }) => {
          defMethod('twice', 'Doubles.', z.object({ n: z.number() }), ({ n }) => {
            note(`twice ${n}`);
            if (n === 3) die();
            return 2 * n;
          }, z.number());
          $`You are who=root.`;
        };",
        |_| {
            let code = "const a = await twice({ n: 1 }); const b = await twice({ n: 3 }); return a + b;";
            Turn::text(&format!("It is <run_code>{code}</run_code>"))
        },
    );
    project.killed();
    let printed = project.resumed();
    assert!(printed.contains("It is <code_response>8</code_response>"), "{printed}");
    assert_eq!(project.lines("done.log"), ["twice 1", "twice 3", "twice 3"]);
    // The first answer had not arrived completely.
    assert_eq!(request_names(&project)[..2], ["root 0", "root 0"]);
}

#[test]
fn an_agent_whose_states_are_lost_begins_once_more() {
    let project = project(
        "export default ({ $, defAgent }) => {
          defAgent('helper', 'h', none, (args, child) => {
            const [, setHandler] = child.defState('handler', null);
            child.defTool('lose', 'l', none, () => { note('lose'); if (!fs.existsSync('dead')) setHandler(() => () => 1); return 'ok'; });
            child.defTool('break', 'b', none, () => { die(); return 'ok'; });
            child.$`You are who=helper.`;
          });
          $`You are who=root.`;
        };",
        |conversation| match conversation.name().as_str() {
            "root 0" => Turn::default().call("a", "helper", &json!({})),
            "root 1" => Turn::text(&conversation.results()[0]),
            "helper 0" => Turn::default().call("c0", "lose", &json!({})),
            "helper 1" => Turn::default().call("c1", "break", &json!({})),
            _ => Turn::text("helped"),
        },
    );
    let killed = project.killed();
    assert!(killed.stderr.contains("\"handler\" cannot be stored"), "{killed:?}");
    assert_eq!(project.resumed(), "helped\n");
    assert_eq!(project.lines("done.log"), ["lose", "lose"]);
}

#[test]
fn a_mock_continues_after_the_stored_answers() {
    let project = Project::mocked(
        "export const mock = [
          call('c0', 'helper'),
          call('c1', 'work'), text('helped'), { type: 'finish' },
          call('c2', 'break'), text('end'),
        ];
        export default ({ $, defAgent, defTool }) => {
          defAgent('helper', 'h', none, (args, child) => {
            child.defTool('work', 'w', none, () => { note('work'); die('first'); return 'ok'; });
            child.$`help`;
          });
          defTool('break', 'b', none, () => { note('break'); die('second'); return 'ok'; });
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.run("resume last").code, -1);
    assert_eq!(project.resumed(), "end\n");
    assert_eq!(project.lines("done.log"), ["work", "work", "break", "break"]);
}
