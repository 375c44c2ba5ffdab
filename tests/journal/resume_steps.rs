//! Steps that are interrupted and resumed (docs/reference/resume.md): nothing finished is repeated, and lasting
//! state is as it was.

use serde_json::json;

use crate::support::resume::{
    PRELUDE, Project,
    provider::{Conversation, Provider, Turn},
};

#[test]
fn of_a_half_done_step_only_the_missing_calls_are_made() {
    let source = "
        export const config = { model: 'lab:m' };
        export default ({ $, defTool }) => {
          note('body');
          defTool('first', 'First.', none, () => { note('first'); return 'one'; });
          defTool('second', 'Second.', none, async () => {
            note('second');
            await new Promise((resolve) => setTimeout(resolve, 50));
            die();
            return 'two';
          });
          defTool('third', 'Third.', none, () => { note('third'); return 'three'; });
          $`You are who=root.`;
        };";
    let answer = |conversation: &Conversation| match conversation.step {
        0 => ["first", "second", "third"]
            .iter()
            .fold(Turn::text("Let me see. "), |turn, name| turn.call(&format!("c-{name}"), name, &json!({}))),
        _ => Turn::text(&format!("All: {}", conversation.results().join(" "))),
    };
    let project = Project::new(&format!("{PRELUDE}{source}"), Provider::start(answer));
    let killed = project.killed();
    assert_eq!(killed.stdout, "Let me see. ");
    // Only new text is printed.
    assert_eq!(project.resumed(), "All: one two three\n");
    assert_eq!(project.provider.names(), ["root 0", "root 1"]);
    // The body runs before the calls resume and before the next step.
    assert_eq!(project.lines("done.log"), ["body", "first", "second", "third", "body", "second", "body"]);
    let messages = project.provider.requests()[1].body["messages"].clone();
    let roles: Vec<_> = messages.as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "tool"], "{messages}");
}

#[test]
fn states_of_all_kinds_are_as_they_were() {
    let project = Project::mocked(
        "export const mock = [call('c0', 'change'), call('c1', 'break'), text('end')];
        export default ({ $, defState, defTool, defSystem }) => {
          const states = {
            map: defState('map', new Map()), set: defState('set', new Set([1])), date: defState('date', new Date(0)),
            big: defState('big', 0n), bytes: defState('bytes', new Uint8Array(2)), nothing: defState('nothing', undefined),
            numbers: defState('numbers', [0]), deep: defState('deep', {}), text: defState('text', ''), error: defState('error', null),
          };
          defTool('change', 'c', none, () => {
            states.map[1](new Map([['a', { b: new Set(['c']) }], [1, 2]]));
            states.set[1]((set) => new Set([...set, 'x']));
            states.date[1](new Date(86_400_000));
            states.big[1](12345678901234567890n);
            states.bytes[1](new Uint8Array([1, 255]));
            states.numbers[1]([NaN, -0, Infinity, undefined, null]);
            const shared = { n: 1 };
            states.deep[1]({ one: shared, two: shared });
            states.text[1]('ä\\u0000\\ud83d\\ude00');
            return 'ok';
          });
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          note([...states.map[0].entries()].map(([key, value]) => `${typeof key}:${value.b instanceof Set || value}`).join()
            + ' ' + [...states.set[0]].join() + ' ' + states.date[0].toISOString?.() + ' ' + typeof states.big[0] + states.big[0]
            + ' ' + states.bytes[0].constructor.name + states.bytes[0].join() + ' ' + (states.nothing[0] === undefined)
            + ' ' + states.numbers[0].map((n) => Object.is(n, -0) ? '-0' : String(n)).join()
            + ' ' + (states.deep[0].one === states.deep[0].two) + ' ' + states.text[0].length);
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    let expected = "string:true,number:2 1,x 1970-01-02T00:00:00.000Z bigint12345678901234567890 Uint8Array1,255 true \
                    NaN,-0,Infinity,undefined,null true 4";
    // In the body before the kill, after it is resumed, and later.
    assert_eq!(project.lines("done.log")[1..], [expected, expected, expected]);
}

#[test]
fn effects_run_again_only_when_their_time_has_come() {
    let project = Project::mocked(
        "export const mock = [call('c0', 'count'), call('c1', 'break'), call('c2', 'count'), text('end')];
        export default ({ $, defState, defTool, defEffect }) => {
          const [count, setCount] = defState('count', 0);
          defEffect(() => note(`once`), []);
          defEffect(() => note(`count ${count}`), [count]);
          defEffect(() => note('always'));
          defTool('count', 'c', none, () => { setCount((before) => before + 1); return 'ok'; });
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`go`;
        };",
    );
    project.killed();
    project.resumed();
    let expected = [
        "once", "count 0", "always", // 0
        "count 1", "always", // 1: its answer is there, and it goes on without effects
        "always", // 2
        "count 2", "always", // 3
    ];
    assert_eq!(project.lines("done.log"), expected);
}

#[test]
fn calls_that_must_not_be_repeated_are_errors_for_the_model() {
    let source = "
        export const config = { model: 'lab:m' };
        export default ({ $, defTool }) => {
          defTool('pay', 'Pays.', none, () => { note('pay'); die(); return 'paid'; }, { repeat: false });
          defTool('look', 'Looks.', none, () => { note('look'); return 'seen'; });
          $`You are who=root.`;
        };";
    let answer = |conversation: &Conversation| match conversation.step {
        0 => Turn::default().call("c0", "pay", &json!({})).call("c1", "look", &json!({})),
        _ => Turn::text(&conversation.results()[0]),
    };
    let project = Project::new(&format!("{PRELUDE}{source}"), Provider::start(answer));
    project.killed();
    let printed = project.resumed();
    assert!(printed.contains("pay was interrupted") && printed.contains("nobody knows"), "{printed}");
    // The other call is made now: it had not begun, or must be repeated.
    let pays = project.lines("done.log").iter().filter(|line| *line == "pay").count();
    assert_eq!((pays, project.lines("done.log").last().unwrap().as_str()), (1, "look"));
}

#[test]
fn a_tool_that_is_not_repeated_and_had_not_begun_is_called() {
    let project = Project::mocked(
        "export const mock = [call('c0', 'break'), call('c1', 'pay'), text('end')];
        export default ({ $, defTool }) => {
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          defTool('pay', 'Pays.', none, () => { note('pay'); return 'paid'; }, { repeat: false });
          $`go`;
        };",
    );
    project.killed();
    assert_eq!((project.resumed().as_str(), project.lines("done.log")), ("end\n", vec!["pay".to_owned()]));
}

#[test]
fn sub_tools_that_were_done_are_not_done_again() {
    let project = Project::mocked(
        "import { tool } from 'lmthing';
        export const mock = [call('c0', 'do', { calls: [
            { name: 'one', args: { n: 1 } }, { name: 'two', args: {} }, { name: 'one', args: { n: 2 } },
          ] }), text('end')];
        export default ({ $, defTool, defState }) => {
          const [sum, setSum] = defState('sum', 0);
          defTool('do', 'Does.', [
            tool('one', 'One.', z.object({ n: z.number() }), ({ n }) => { note(`one ${n}`); setSum((sum) => sum + n); return n; }),
            tool('two', 'Two.', none, () => { note('two'); die(); return 2; }),
          ]);
          note(`sum ${sum}`);
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    assert_eq!(project.lines("done.log"), ["sum 0", "one 1", "two", "sum 0", "two", "one 2", "sum 3"]);
}

#[test]
fn a_mismatching_answer_is_requested_again_within_the_remaining_retries() {
    let source = "
        export const config = { model: 'lab:m', options: { outputRetries: 2 } };
        export const output = z.object({ n: z.number() });
        export default ({ $, defTool }) => {
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`You are who=root.`;
        };";
    let answer = |conversation: &Conversation| match conversation.step {
        0 | 2 | 3 => Turn::text("no JSON"),
        1 => Turn::default().call("c0", "break", &json!({})),
        _ => Turn::text("{\"n\": 1}"),
    };
    let project = Project::new(&format!("{PRELUDE}{source}"), Provider::start(answer));
    project.killed();
    let outcome = project.run("resume last");
    // One repetition before the interruption and one after it are the two that are allowed.
    assert_eq!((outcome.code, project.provider.count()), (3, 4), "{outcome:?}");
}

#[test]
fn a_typed_answer_is_printed_as_json() {
    let project = Project::mocked(
        "export const output = z.object({ n: z.number() });
        export const mock = [call('c0', 'break'), text('{\"n\": 1}')];
        export default ({ $, defTool }) => {
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`go`;
        };",
    );
    assert_eq!(project.killed().stdout, "");
    assert_eq!(project.resumed(), "{\"n\":1}\n");
}

#[test]
fn task_lists_and_graphs_are_as_they_were() {
    let project = Project::mocked(
        "export const mock = [
          call('c0', 'startTask', { taskId: '1' }), call('c1', 'completeTask', { taskId: '1' }),
          call('c2', 'updateTaskStatus', { taskId: 'a', status: 'completed', output_result: 'found' }),
          call('c3', 'break'), text('end'),
        ];
        export default ({ $, defTool, defTaskList, defTaskGraph }) => {
          const [tasks] = defTaskList([{ id: '1', name: 'one' }, { id: '2', name: 'two' }]);
          const [graph] = defTaskGraph([
            { id: 'a', title: 'A', dependencies: [] }, { id: 'b', title: 'B', dependencies: ['a'] },
          ]);
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          note(tasks.map(({ status }) => status).join() + ' ' + graph.map(({ status }) => status).join());
          $`go`;
        };",
    );
    project.killed();
    project.resumed();
    let lines = project.lines("done.log");
    let (before, after) = (&lines[3], &lines[4..]);
    assert!(before.contains("completed") && before.starts_with("completed,"), "{lines:?}");
    assert!(after.len() == 2 && after.iter().all(|line| line == before), "{lines:?}");
}

#[test]
fn totals_and_the_last_text_are_those_of_the_whole_run() {
    let source = "
        export const config = { model: 'lab:m' };
        export default ({ $, defTool }) => {
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`You are who=root.`;
        };";
    let answer = |conversation: &Conversation| match conversation.step {
        0 => Turn::text("Once. ").call("c0", "break", &json!({})),
        _ => Turn::text("The end."),
    };
    let project = Project::new(&format!("{PRELUDE}{source}"), Provider::start(answer));
    project.killed();
    let object = project.run("resume last -f json").object();
    assert_eq!((&object["ok"], &object["text"], &object["steps"]), (&json!(true), &json!("The end."), &json!(2)));
    assert_eq!((&object["usage"]["inputTokens"], &object["usage"]["outputTokens"]), (&json!(20), &json!(4)));
    // A finished run prints its result again.
    let again = project.run("resume last -f json");
    assert_eq!(again.object(), object, "{again:?}");
    assert_eq!(project.provider.count(), 2);
}

#[test]
fn messages_that_a_tool_added_are_sent_once() {
    let source = "
        export const config = { model: 'lab:m' };
        export default ({ $, defTool, defState }) => {
          const [told, setTold] = defState('told', false);
          defTool('tell', 't', none, () => { $`From the tool.`; setTold(true); return 'ok'; });
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          $`You are who=root.`;
          if (told) $`Once more.`;
        };";
    let answer = |conversation: &Conversation| match conversation.step {
        0 => Turn::default().call("c0", "tell", &json!({})).call("c1", "break", &json!({})),
        _ => Turn::text("end"),
    };
    let project = Project::new(&format!("{PRELUDE}{source}"), Provider::start(answer));
    project.killed();
    project.resumed();
    let undisturbed = Project::new(&format!("{PRELUDE}{source}"), Provider::start(answer));
    undisturbed.folder.write("dead", "");
    assert_eq!(undisturbed.run("run p.lmt.mjs").code, 0);
    let last = |project: &Project| project.provider.requests().last().unwrap().messages();
    assert_eq!(last(&project), last(&undisturbed));
}
