//! What the page of a run from the journal knows beyond the events: whole requests and answers, settings, states, owners of agents.
//! `view/requests.mjs` runs the page's own code in Node.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::Folder;

const CALL: &str = "const call = (toolName, args, toolCallId) => ({ type: 'tool-call', toolCallId, toolName, args });";

/// The events of the last run in the journal as its page has them.
fn page_events(folder: &Folder) -> Vec<Value> {
    let outcome = folder.run("view -o page.html");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let read: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    read["events"].as_array().unwrap().clone()
}

/// `{state, steps: [{request, answer, state}]}`, as the page of the last run puts them together.
pub(crate) fn read_page(folder: &Folder) -> Value {
    page_events(folder);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run/view/requests.mjs");
    let output = Command::new("node").arg(script).arg(folder.path("page.html")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn requests_on_the_page_are_those_that_were_sent() {
    let source = format!(
        "
import {{ runPrompt }} from 'lmthing';
import {{ createMockModel }} from 'lmthing/test';
import {{ z }} from 'zod';
{CALL}
export const config = {{ model: 'mock' }};
export const mock = [{{ type: 'text', text: 'Outer.' }}];
const turns = [{{ type: 'reasoning', text: 'Hm.' }}, {{ type: 'text', text: 'I look.' }}, call('look', {{ q: 'Rome' }}, 'c1'),
  call('fail', {{}}, 'c2'), call('look', {{ q: 'Oslo' }}, 'c3'), {{ type: 'text', text: '**Clear**.' }}];
export default async ({{ $ }}) => {{
  $`go`;
  const options = {{ temperature: 0.5, topP: 1, maxOutputTokens: 100, toolChoice: {{ type: 'tool', toolName: 'look' }}, seed: 7 }};
  const {{ result, prompt }} = await runPrompt(({{ $, defSystem, defTool, defState }}) => {{
    const [seen, see] = defState('seen', 0);
    const rules = defSystem('rules', `Seen: ${{seen}}`);
    if (seen === 1) rules.remind();
    defTool('look', 'Looks', z.object({{ q: z.string() }}), ({{ q }}) => {{ see(seen + 1); return {{ sky: 'clear', q }}; }});
    defTool('fail', 'Fails', z.object({{}}), () => {{ throw new Error('no'); }});
    $`How is it?`;
  }}, {{ model: createMockModel(turns), options }});
  await result.text;
  console.log(JSON.stringify(prompt.fullSteps.map(({{ input }}) => input)));
}};
"
    );
    let folder = Folder::of(&source);
    let outcome = folder.run("run --journal p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let printed = outcome.stdout.lines().find(|line| line.starts_with('[')).unwrap_or_else(|| panic!("{outcome:?}"));
    let sent: Vec<Value> = serde_json::from_str(printed).unwrap();
    let page = read_page(&folder);
    let shown = page["steps"].as_array().unwrap();
    assert_eq!(page["state"], "Finished");
    assert!(sent.len() >= 4 && shown.len() == sent.len() + 1, "{} of {}: {outcome:?}", shown.len(), sent.len());
    for (index, (sent, shown)) in sent.iter().zip(&shown[1..]).enumerate() {
        let request = &shown["request"];
        assert_eq!(request["messages"], sent["prompt"], "step {index}");
        let names =
            |tools: &Value| tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>();
        assert_eq!(names(&request["tools"]), names(&sent["tools"]), "step {index}");
        let mut settings = sent.clone();
        for member in ["prompt", "tools"] {
            settings.as_object_mut().unwrap().remove(member);
        }
        assert_eq!(request["settings"], settings, "step {index}");
    }
    let answer = &shown[1]["answer"];
    let calls = json!([
        { "type": "reasoning", "text": "Hm." },
        { "type": "text", "text": "I look." },
        { "type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": { "q": "Rome" } },
    ]);
    assert_eq!((&answer["content"], &answer["finishReason"]), (&calls, &json!("tool-calls")));
    assert_eq!(answer["response"]["modelId"], "mock");
}

#[test]
fn settings_are_stored_once_and_secrets_are_replaced_in_them() {
    let source = "
import { runPrompt } from 'lmthing';
export const config = { model: 'mock', options: { temperature: 0.5, headers: { 'x-own': 'own' },
  stopSequences: [process.env.LAB_API_KEY] } };
export const mock = [{ type: 'tool-call', toolName: 'look', args: {} }, { type: 'text', text: 'Clear.' }];
export default ({ $, defTool }) => { defTool('look', 'Looks', {}, () => 'clear'); $`go`; };
";
    let folder = Folder::of(source);
    let ran = folder.command("run --journal p.lmt.mjs").env("LAB_API_KEY", "sk-lab-0123456789abcdef").output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let events = page_events(&folder);
    let settings: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "step-start")
        .map(|event| &event["request"]["settings"])
        .collect();
    assert_eq!(settings, [&json!({ "temperature": 0.5, "stopSequences": ["[redacted]"] }), &Value::Null]);
}

#[test]
fn states_stand_where_they_changed() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'add', args: {} }, { type: 'text', text: 'Added.' }];
export default ({ $, defTool, defState }) => {
  const [count, setCount] = defState('count', { n: 1 });
  defState('handler', { call: () => 1 });
  defTool('add', 'Adds', {}, () => { setCount({ n: 2 }); return 'ok'; });
  $`go`;
};
";
    let folder = Folder::of(source);
    assert_eq!(folder.run("run --journal p.lmt.mjs").code, 0);
    let events = page_events(&folder);
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    let shown = |event: &&Value| event["type"] == "states";
    let states: Vec<&Value> = events.iter().filter(shown).map(|event| &event["states"]).collect();
    assert_eq!(states[0]["count"], json!({ "value": { "n": 1 } }), "{states:?}");
    assert!(states[0]["handler"]["lost"].as_str().is_some_and(|why| why.contains("function")), "{states:?}");
    assert_eq!((states.len(), states[1]), (2, &json!({ "count": { "value": { "n": 2 } } })));
    let at = |wanted: &str| kinds.iter().rposition(|kind| *kind == wanted).unwrap();
    assert!(at("states") > at("tool-call") && at("states") < at("step-start"), "{kinds:?}");
    // Exports have the events alone.
    assert!(!folder.run("runs export last").stdout.contains("\"states\""));
}

#[test]
fn agents_name_the_agent_they_work_for() {
    let source = format!(
        "
import {{ z }} from 'zod';
import {{ createMockModel }} from 'lmthing/test';
{CALL}
export const config = {{ model: 'mock' }};
export const mock = [call('researcher', {{}}, 'c1'), call('researcher', {{}}, 'c1'), {{ type: 'text', text: 'Done.' }}];
export default ({{ $, defAgent }}) => {{
  const read = createMockModel([{{ type: 'text', text: 'Read.' }}]);
  const search = () => createMockModel([call('reader', {{}}, 'c1'), {{ type: 'text', text: 'Found.' }}]);
  defAgent('researcher', 'Finds out.', z.object({{}}), (_, {{ $, defAgent }}) => {{
    defAgent('reader', 'Reads.', z.object({{}}), (_, {{ $ }}) => {{ $`read`; }}, {{ model: read }});
    $`find`;
  }}, {{ model: search() }});
  $`go`;
}};
"
    );
    let folder = Folder::of(&source);
    let outcome = folder.run("run -f events p.lmt.mjs");
    let events = outcome.events();
    let starts: Vec<_> = events.iter().filter(|event| event["type"] == "agent-start").collect();
    let owners: Vec<_> = starts.iter().map(|event| (event["name"].clone(), event["parentNumber"].clone())).collect();
    assert!(owners.len() >= 4, "{outcome:?}");
    for (start, (name, owner)) in starts.iter().zip(&owners) {
        let expected = start["agentNumber"].as_u64().unwrap() - 1;
        let expected = if name == "reader" { json!(expected) } else { Value::Null };
        assert_eq!(owner, &expected, "{owners:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_under_way_is_running_and_afterwards_interrupted() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'wait', args: {} }];
export default ({ $, defTool }) => {
  defTool('wait', 'Waits', {}, async () => { console.log('waits'); await new Promise((done) => setTimeout(done, 600_000)); });
  $`go`;
};
";
    let folder = Folder::of(source);
    let mut running = folder.start("run --journal p.lmt.mjs");
    running.wait_for("waits", 1);
    let page = read_page(&folder);
    assert_eq!((&page["state"], &page["steps"][0]["state"]), (&json!("Running"), &json!("running")));
    running.signal("KILL");
    running.end();
    let page = read_page(&folder);
    assert_eq!((&page["state"], &page["steps"][0]["state"]), (&json!("Interrupted"), &json!("cut off")));
}

#[test]
fn a_run_that_stops_for_an_approval_is_waiting() {
    let source = "
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'deploy', args: {} }];
export default ({ $, defTool }) => {
  defTool('deploy', 'Deploys', z.object({}), () => 'done', { needsApproval: true });
  $`go`;
};
";
    let folder = Folder::of(source);
    assert_eq!(folder.run("run --journal --on-approval stop p.lmt.mjs").code, 5);
    let page = read_page(&folder);
    let waiting = json!("waiting for approval");
    assert_eq!((&page["state"], &page["steps"][0]["state"]), (&json!("Waiting for approval"), &waiting));
}
