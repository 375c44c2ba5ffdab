//! State that a prompt restores in another process (docs/reference/resume.md, "What is kept"). The unit tests in
//! `crates/engine/src/bindings/prompt/memory` cover the serialization of values.

use crate::support::resume::Project;

#[test]
fn objects_stay_the_same_objects() {
    let project = Project::mocked(
        "export const mock = [call('c0', 'look'), call('c1', 'break'), call('c2', 'look'), text('end')];
        const constant = {};
        export default ({ $, defState, defTool, defEffect }) => {
          const [list] = defState('list', () => [{ id: 1 }]);
          const [first] = defState('first', () => list[0]);
          const [numbers] = defState('numbers', () => [NaN, -0, 0.1 + 0.2, 1e21, '\\ud800']);
          defEffect(() => note('list'), [list, first, ...numbers]);
          defEffect(() => note('constant'), [constant]);
          defEffect(() => { note('set up'); return () => note('cleaned up'); }, []);
          defTool('look', 'l', none, () => `${first === list[0]} ${numbers.map((n) => Object.is(n, -0) ? '-0' : n).join()}`);
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          note(`body ${first === list[0]} ${Object.is(numbers[1], -0)} ${numbers[4] === '\\ud800'} ${numbers[2]}`);
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    let body = "body true true true 0.30000000000000004";
    // The resumed step runs no effects. After it, an object of a module has a new identity, and what effects set up is
    // gone.
    let expected = [body, "list", "constant", "set up", body, body, body, "constant", "set up", body, "cleaned up"];
    assert_eq!(project.lines("done.log"), expected);
}

#[test]
fn tools_of_a_half_done_step_hold_what_was_changed_in_place() {
    let project = Project::mocked(
        "import { createMockModel } from 'lmthing/test';
        export const mock = [];
        config.model = createMockModel([
          { type: 'tool-call', toolCallId: 'c0', toolName: 'all', args: { calls: ['one', 'two', 'three'].map((name) => ({ name, args: {} })) } },
          text('end'),
        ]);
        import { tool } from 'lmthing';
        export default ({ $, defState, defTool }) => {
          const [map] = defState('map', () => new Map());
          const [seen, setSeen] = defState('seen', []);
          const add = (name) => tool(name, name, none, () => {
            if (name === 'two') die();
            map.set(name, map.size);
            setSeen((before) => [...before, seen.length]);
            return [...map.keys()].join();
          });
          defTool('all', 'a', [add('one'), add('two'), add('three')]);
          note(`${[...map].join(' ')} ${seen.length}`);
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    // Before, in the resumed body, and in the next step.
    assert_eq!(project.lines("done.log"), [" 0", " 0", "one,0 two,1 three,2 3"]);
}

#[test]
fn tasks_go_on_where_they_were() {
    let project = Project::mocked(
        "export const mock = [
          call('c0', 'updateTaskStatus', { taskId: 'a', status: 'completed', output_result: 'forty-two' }), call('c1', 'startTask', { taskId: '1' }),
          call('c2', 'break'), call('c3', 'completeTask', { taskId: '1' }), text('end'),
        ];
        export default ({ $, defTaskGraph, defTaskList, defTool, defEffect }) => {
          const [graph] = defTaskGraph([{ id: 'a', title: 'A' }, { id: 'b', title: 'B', dependencies: ['a'], input_context: 'own' }]);
          const [list] = defTaskList([{ id: '1', name: 'One' }]);
          defTool('break', 'b', none, () => { die(); return 'ok'; });
          defEffect(() => note('graph'), [graph]);
          note(`${graph.map((task) => task.status)} ${graph[1].input_context.replace(/\\s+/g, ' ')} ${list.map((task) => task.status)}`);
          $`go`;
        };",
    );
    project.killed();
    let lines = project.lines("done.log");
    assert_eq!(lines[0], "pending,pending own pending");
    assert_eq!(project.resumed(), "end\n");
    let all = project.lines("done.log");
    let after = &all[lines.len()..];
    assert_eq!(lines.iter().filter(|line| *line == "graph").count(), 2, "{lines:?}");
    assert!(lines.last().unwrap().contains("forty-two"), "{lines:?}");
    // As in the body before. The graph is the same array, so no effect runs for it.
    assert_eq!(after[0], *lines.last().unwrap());
    assert!(after.last().unwrap().ends_with("completed") && !after.contains(&"graph".to_owned()), "{after:?}");
}

#[test]
fn values_that_cannot_be_stored_are_reported_once() {
    let project = Project::mocked(
        "export const mock = [call('c0', 'look'), call('c1', 'look'), text('end')];
        export default ({ $, defState, defTool }) => {
          defState('session', () => ({ handlers: [1, () => 2] }));
          defTool('look', 'l', none, () => 'ok');
          $`go`;
        };",
    );
    let outcome = project.run("run --journal p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "end\n"));
    let printed = "the state \"session\" cannot be stored in the journal: it holds a function at .handlers[1].";
    assert_eq!(outcome.stderr.matches(printed).count(), 1, "{}", outcome.stderr);
}
