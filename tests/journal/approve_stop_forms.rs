//! Every kind of call that can need approval stops a run, and the run can be resumed (docs/reference/approvals.md,
//! "Deciding later"): functions of model-written code, items of array forms, agents and their calls, MCP tools, code
//! in text, prompts that a script runs.

use serde_json::{Value, json};

use crate::support::{
    Outcome, mcp,
    resume::{Project, status},
};

const RUN: &str = "run --journal --on-approval stop p.lmt.mjs";

const NEEDS: &str = "{ needsApproval: true }";

fn stopped(project: &Project, arguments: &str) -> Outcome {
    let outcome = project.run(arguments);
    assert_eq!(outcome.code, 5, "{outcome:?}");
    assert_eq!(status(project), "waiting");
    outcome
}

/// The calls that wait for a decision, and the agents that make them.
fn waiting(project: &Project) -> Vec<String> {
    let listed = project.run("runs --json").object();
    let calls = listed[0]["error"]["waiting"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let agent =
        |call: &serde_json::Value| call["agent"].as_array().unwrap().iter().map(text).collect::<Vec<_>>().join("/");
    calls
        .iter()
        .map(|call| [text(&call["call"]), text(&call["name"]), agent(call)].join(" ").trim().to_owned())
        .collect()
}

/// Resumes the run, which must succeed; returns what the tools wrote.
fn done(project: &Project, arguments: &str) -> Vec<String> {
    let outcome = project.run(arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    project.lines("done.log")
}

/// A prompt whose model calls `runToolCode` once. `f` needs approval, `free` does not.
fn code(code: &str, options: &str) -> Project {
    Project::mocked(&format!(
        "import {{ func }} from 'lmthing/plugins';
        const code = `{code}`;
        export const mock = [call('c', 'runToolCode', {{ code }}), text('end')];
        export default ({{ $, defFunction }}) => {{
          const args = z.object({{ n: z.number() }});
          const noted = (what) => ({{ n }}) => {{ note(`${{what}} ${{n}}`); return 10 * n; }};
          defFunction('f', 'f', args, noted('f'), {{ responseSchema: z.number(), {options} }});
          defFunction('free', 'free', args, noted('free'), z.number());
          defFunction('srv', 'srv', [func('sum', 's', args, noted('sum'), {{ needsApproval: true }})]);
          $`go`;
        }};"
    ))
}

/// The result of the tool call of the file's own prompt.
fn result(project: &Project) -> Value {
    let lines = project.run("runs export last").events();
    let result = lines.iter().find(|line| line["type"] == "tool-result" && line["toolCallId"] == "c");
    result.unwrap()["output"]["result"].clone()
}

#[test]
fn code_waits_and_its_earlier_calls_are_given_back() {
    let project = code(
        "const a = await free({ n: 1 }); const b = await f({ n: a }); return await f({ n: b });",
        "needsApproval: true",
    );
    let outcome = stopped(&project, RUN);
    assert!(outcome.stderr.contains("  c: f\n    n: 10\n"), "{outcome:?}");
    assert_eq!(project.lines("done.log"), ["free 1"]);
    stopped(&project, "resume last");
    stopped(&project, "resume last --approve c");
    // The next call of the same code needs its own approval.
    assert_eq!(waiting(&project), ["c.2 f"]);
    assert_eq!(project.lines("done.log"), ["free 1", "f 10"]);
    let lines = done(&project, "resume last --approve c.2");
    assert_eq!(lines, ["free 1", "f 10", "f 100"]);
    assert_eq!(result(&project), 1000);
}

#[test]
fn calls_of_code_that_wait_together_are_decided_on_one_by_one_or_all_at_once() {
    let all =
        "return await Promise.all([f({ n: 1 }), free({ n: 2 }), srv.sum({ n: 3 })].map((call) => call.catch(String)));";
    let project = code(all, "needsApproval: true, repeat: false");
    stopped(&project, RUN);
    let names = waiting(&project);
    assert_eq!(names, ["c.1 f", "c.2 srv.sum"]);
    assert_eq!(project.lines("done.log"), ["free 2"]);
    stopped(&project, "resume last --approve c.1");
    assert_eq!(waiting(&project), ["c.2 srv.sum"]);
    let lines = done(&project, "resume last --deny c.2=never");
    assert_eq!(lines, ["free 2", "f 1"]);
    assert_eq!(result(&project), json!([10, 20, "Error: The user denied the call of srv.sum: never"]));

    let project = code(all, "needsApproval: true");
    stopped(&project, RUN);
    assert_eq!(done(&project, "resume last --approve c"), ["free 2", "f 1", "sum 3"]);
}

#[test]
fn items_of_array_forms_wait_one_after_the_other() {
    let project = Project::mocked(&format!(
        "import {{ tool }} from 'lmthing';
        const both = [{{ name: 'read', args: {{ n: 1 }} }}, {{ name: 'write', args: {{ n: 2 }} }}, {{ name: 'write', args: {{ n: 2 }} }}];
        export const mock = [call('c', 'files', {{ calls: both }}), text('end')];
        export default ({{ $, defTool }}) => {{
          const args = z.object({{ n: z.number() }});
          const noted = (what) => ({{ n }}) => {{ note(`${{what}} ${{n}}`); return n; }};
          defTool('files', 'Files', [tool('read', 'R', args, noted('read')), tool('write', 'W', args, noted('write'), {NEEDS})]);
          $`go`;
        }};"
    ));
    stopped(&project, RUN);
    assert_eq!(waiting(&project), ["c files.write"]);
    stopped(&project, "resume last --approve c");
    assert_eq!(project.lines("done.log"), ["read 1", "write 2"]);
    assert_eq!(waiting(&project), ["c.2 files.write"]);
    assert_eq!(done(&project, "resume last --deny c"), ["read 1", "write 2"]);
}

#[test]
fn agents_wait_and_so_do_the_calls_they_make() {
    let project = Project::mocked(&format!(
        "import {{ createMockModel }} from 'lmthing/test';
        const models = {{}};
        export const mock = [call('a', 'helper', {{ id: 'x' }}), text('end')];
        export default ({{ $, defAgent }}) => {{
          defAgent('helper', 'Helps', z.object({{ id: z.string() }}), ({{ id }}, child) => {{
            note(`set up ${{id}}`);
            child.defTool('free', 'F', none, () => {{ note('free'); return 'free'; }});
            child.defTool('work', 'W', none, () => {{ note('work'); return 'worked'; }}, {NEEDS});
            child.$`go`;
          }}, {{ needsApproval: true, model: createMockModel([call('f', 'free'), call('a', 'work'), text('helped')]) }});
          $`go`;
        }};"
    ));
    stopped(&project, RUN);
    assert_eq!(waiting(&project), ["a helper"]);
    assert!(project.lines("done.log").is_empty());
    stopped(&project, "resume last --approve a");
    // The agent's call has the same id as the call of the agent; the decision is about the agent's.
    assert_eq!(waiting(&project), ["a.2 work helper"]);
    assert_eq!(project.lines("done.log"), ["set up x", "free"]);
    assert_eq!(done(&project, "resume last --approve a.2"), ["set up x", "free", "set up x", "work"]);
}

#[test]
fn parallel_agents_with_equal_call_ids_are_distinguished() {
    let project = Project::mocked(&format!(
        "import {{ createMockModel }} from 'lmthing/test';
        const code = `return await Promise.all([ask({{ id: 'x' }}), ask({{ id: 'y' }})]);`;
        export const mock = [call('a', 'runToolCode', {{ code }}), text('end')];
        export default ({{ $, defFunctionAgent }}) => {{
          defFunctionAgent('ask', 'Asks', z.object({{ id: z.string() }}), ({{ id }}, child) => {{
            child.withModel(createMockModel([call('t', 'work', {{ id }}), text(`did ${{id}}`)]));
            child.defTool('work', 'W', z.object({{ id: z.string() }}), ({{ id }}) => {{ note(id); return id; }}, {NEEDS});
            child.$`go`;
          }}, {{ model: 'mock' }});
          $`go`;
        }};"
    ));
    let outcome = project.run(RUN);
    if outcome.code != 5 {
        panic!("{outcome:?}");
    }
    assert_eq!(waiting(&project), ["t.1 work ask", "t.2 work ask"]);
    let wrong = project.run("resume last --approve t");
    assert!(wrong.code == 2 && wrong.stderr.contains("they are called t.1 (work), t.2 (work)"), "{wrong:?}");
    stopped(&project, "resume last --approve t.2");
    assert_eq!(waiting(&project), ["t.1 work ask"]);
    assert_eq!(done(&project, "resume last --deny t.1").len(), 1);
}

#[test]
fn code_in_text_has_an_id_of_its_own() {
    let project = Project::mocked(
        "export const mock = [text('Look: <run_code>return await f({ n: await free({ n: 1 }) });</run_code> there.'), { type: 'finish' }, text('end')];
        export default ({ $, defMethod }) => {
          const args = z.object({ n: z.number() });
          const noted = (what) => ({ n }) => { note(`${what} ${n}`); return n + 1; };
          defMethod('free', 'free', args, noted('free'), z.number());
          defMethod('f', 'f', args, noted('f'), { responseSchema: z.number(), needsApproval: true });
          $`go`;
        };",
    );
    stopped(&project, RUN);
    assert_eq!(waiting(&project), ["code-0 f"]);
    stopped(&project, "resume last");
    let outcome = project.run("resume last --approve code-0");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("<code_response>3</code_response>"), "{outcome:?}");
    assert_eq!(project.lines("done.log"), ["free 1", "f 2"]);
}

#[test]
fn prompts_that_a_script_runs_wait_wherever_it_runs_them() {
    for runs in ["body", "tool"] {
        let project = Project::mocked(&format!(
            "import {{ runPrompt }} from 'lmthing';
            import {{ createMockModel }} from 'lmthing/test';
            const inner = async () => {{
              const model = createMockModel([call('t', 'work'), text('worked')]);
              const {{ result }} = await runPrompt(({{ $, defTool }}) => {{
                defTool('work', 'W', none, () => {{ note('work'); return 'w'; }}, {NEEDS});
                $`go`;
              }}, {{ model }});
              return await result.text;
            }};
            export const mock = [call('a', 'outer'), text('end')];
            export default async ({{ $, defTool, steps }}) => {{
              if ('{runs}' === 'body' && steps.length === 0) await inner();
              defTool('outer', 'O', none, async () => {{
                if ('{runs}' === 'body') return 'nothing';
                try {{ return await inner(); }} catch (error) {{ return 'caught'; }}
              }});
              $`go`;
            }};"
        ));
        stopped(&project, RUN);
        assert_eq!(waiting(&project).len(), 1, "{runs}");
        assert!(waiting(&project)[0].starts_with("t work"), "{runs}: {:?}", waiting(&project));
        stopped(&project, "resume last");
        assert_eq!(done(&project, "resume last --approve t"), ["work"], "{runs}");
        let results = project.run("runs export last").stdout;
        assert!(!results.contains("caught"), "{results}");
    }
}

#[test]
fn a_needs_approval_that_asks_for_nothing_any_more_lets_the_call_go() {
    let project = Project::mocked(
        "export const mock = [call('a', 'work'), text('end')];
        export default ({ $, defTool }) => {
          defTool('work', 'W', none, () => { note('work'); }, { needsApproval: () => !fs.existsSync('free') });
          $`go`;
        };",
    );
    stopped(&project, RUN);
    project.folder.write("free", "");
    assert_eq!(done(&project, "resume last"), ["work"]);
}

#[test]
fn tools_and_functions_of_a_server_wait() {
    let server = mcp::server(&[]);
    let project = Project::mocked(&format!(
        "const code = `return await g.sum({{ a: 1, b: 2 }});`;
        export const mock = [call('t', 't_sum', {{ a: 1, b: 2 }}), call('c', 'runToolCode', {{ code }}), text('end')];
        export default ({{ $, defMcp }}) => {{
          defMcp('t', {server}, {{ include: ['sum'], needsApproval: true }});
          defMcp('g', {server}, {{ as: 'functions', include: ['sum'], needsApproval: ({{ a }}) => a === 1 }});
          $`go`;
        }};"
    ));
    stopped(&project, RUN);
    assert_eq!(waiting(&project), ["t t_sum"]);
    stopped(&project, "resume last --approve t");
    assert_eq!(waiting(&project), ["c g.sum"]);
    done(&project, "resume last --approve c");
    assert_eq!(result(&project), json!({ "sum": 3 }));
}

#[test]
fn sub_agents_of_an_array_form_wait_one_after_the_other() {
    let project = Project::mocked(
        "import { agent } from 'lmthing';
        import { createMockModel } from 'lmthing/test';
        const calls = ['x', 'y'].map((id) => ({ name: 'one', args: { id } }));
        export const mock = [call('c', 'team', { calls }), text('end')];
        export default ({ $, defAgent }) => {
          const id = z.object({ id: z.string() });
          const one = ({ id }, child) => {
            child.withModel(createMockModel([call(`t${id}`, 'work'), text('did it')]));
            child.defTool('work', 'W', none, () => { note(id); return id; }, { needsApproval: true });
            child.$`go`;
          };
          defAgent('team', 'T', [agent('one', 'O', id, one)]);
          $`go`;
        };",
    );
    stopped(&project, RUN);
    assert_eq!(waiting(&project), ["tx work one"]);
    stopped(&project, "resume last --approve tx");
    assert_eq!(project.lines("done.log"), ["x"]);
    assert_eq!(waiting(&project), ["ty work one"]);
    assert_eq!(done(&project, "resume last --approve ty"), ["x", "y"]);
}

#[test]
fn a_model_of_the_script_that_runs_prompts_waits_with_them() {
    let project = Project::mocked(
        "import { runPrompt } from 'lmthing';
        import { createMockModel } from 'lmthing/test';
        const inner = createMockModel([call('t', 'work'), text('worked')]);
        const model = { specificationVersion: 'v2', provider: 'own', modelId: 'm', async doStream() {
          const { result } = await runPrompt(({ $, defTool }) => {
            defTool('work', 'W', none, () => { note('work'); return 'w'; }, { needsApproval: true });
            $`go`;
          }, { model: inner });
          const text = await result.text;
          const parts = [{ type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: text }, { type: 'text-end', id: '1' },
            { type: 'finish', finishReason: 'stop', usage: {} }];
          return { stream: new ReadableStream({ start(c) { parts.forEach((part) => c.enqueue(part)); c.close(); } }) };
        } };
        export const mock = [call('a', 'ask'), text('end')];
        export default ({ $, defAgent }) => {
          defAgent('ask', 'A', none, (_, child) => { child.$`go`; }, { model });
          $`go`;
        };",
    );
    stopped(&project, RUN);
    assert_eq!(waiting(&project), ["t work runPrompt"]);
    assert_eq!(done(&project, "resume last --approve t"), ["work"]);
}
