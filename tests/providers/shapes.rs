//! The requests of a run: their prefixes stay the same from step to step and are marked for the prompt cache, and an
//! agent's schema is sent natively.

use serde_json::{Value, json};

use crate::support::canned::{Canned, ReceivedRequest, run_file};

const STEPS: &str = r#"
import { z } from 'zod';
export const config = { model: 'anthropic:claude-sonnet-4-5', options: OPTIONS };
export default async ({ def, defSystem, defTool, defState, $ }) => {
  const [count, setCount] = defState('count', 0);
  defSystem('role', 'You are brief.');
  def('CITY', 'Rome');
  defTool('zebra', 'counts', z.object({ n: z.number(), b: z.string().optional(), a: z.string().optional() }), async () => {
    setCount((before) => before + 1);
  });
  if (count > 0) defTool('middle', 'comes later', z.object({}), async () => 'm');
  defTool('apple', 'waits', z.object({}), async () => 'a');
  $`Go on.`;
};
"#;

const AGENT: &str = r#"
import { z } from 'zod';
export const config = { model: 'MODEL' };
export default async ({ defAgent, $ }) => {
  const sky = z.object({ sky: z.string().min(1), wind: z.int().optional() });
  defAgent('sky.watcher', 'Looks up.', z.object({}), async (args, { $ }) => $`Look.`, { responseSchema: sky });
  $`Ask.`;
};
"#;

/// Runs a prompt file against canned answers; returns the requests and stdout.
async fn run(source: &str, variables: &[(&str, &str)], answers: Vec<Canned>) -> (Vec<ReceivedRequest>, String) {
    let (asked, outcome) = run_file(source, variables, answers).await;
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    (asked, outcome.stdout)
}

/// Anthropic's answer with a tool call, or with the text `done`.
fn claude(tool: Option<&str>) -> Canned {
    let (block, reason) = match tool {
        Some(name) => {
            (json!({ "type": "tool_use", "id": format!("id_{name}"), "name": name, "input": {} }), "tool_use")
        }
        None => (json!({ "type": "text", "text": "done" }), "end_turn"),
    };
    let input = if tool == Some("zebra") { r#"{"n":1}"# } else { "{}" };
    let mut all = vec![
        json!({ "type": "message_start", "message": { "id": "m", "model": "c", "usage": { "input_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
    ];
    if tool.is_some() {
        let delta = json!({ "type": "input_json_delta", "partial_json": input });
        all.push(json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
    }
    all.push(json!({ "type": "content_block_stop", "index": 0 }));
    all.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 1 } }));
    all.push(json!({ "type": "message_stop" }));
    Canned::events(&all)
}

/// The blocks of a request in the order in which the service caches them, as text, and the marked ones.
fn blocks(body: &Value) -> (Vec<String>, Vec<usize>) {
    let tools = body["tools"].as_array().into_iter().flatten();
    let system = body["system"].as_array().into_iter().flatten();
    let turns = body["messages"].as_array().unwrap().iter().flat_map(|turn| turn["content"].as_array().unwrap());
    let (mut texts, mut marked) = (Vec::new(), Vec::new());
    for (index, block) in tools.chain(system).chain(turns).enumerate() {
        let mut block = block.clone();
        if block.as_object_mut().unwrap().shift_remove("cache_control").is_some() {
            marked.push(index);
        }
        texts.push(block.to_string());
    }
    (texts, marked)
}

const ANTHROPIC: &[(&str, &str)] = &[("ANTHROPIC_BASE_URL", "SERVER"), ("ANTHROPIC_API_KEY", "key")];

fn calls() -> Vec<Canned> {
    [Some("apple"), Some("zebra"), Some("middle"), None].map(claude).into()
}

#[tokio::test]
async fn every_step_begins_as_the_one_before_and_finds_it_in_the_cache() {
    let (asked, printed) = run(&STEPS.replace("OPTIONS", "{}"), ANTHROPIC, calls()).await;
    assert_eq!((asked.len(), printed.as_str()), (4, "done\n"));
    let names = |request: &ReceivedRequest| -> Vec<String> {
        let body = request.json();
        body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&asked[1]), ["zebra", "apple"]);
    // A tool that is added later follows those that the service has cached.
    assert_eq!(names(&asked[2]), ["zebra", "apple", "middle"]);
    let requests: Vec<_> = asked.iter().map(|request| blocks(&request.json())).collect();
    for (number, pair) in requests.windows(2).enumerate() {
        let [(before, left), (after, marked)] = pair else { continue };
        assert!(marked.len() <= 4, "{marked:?}");
        if number == 1 {
            // The new tool is added here.
            assert!(after.starts_with(&before[..2]));
            continue;
        }
        assert!(after.starts_with(before), "step {number}");
        let end = left.last().unwrap();
        assert!(*end + 1 == before.len() && marked.contains(end), "step {number}: {left:?}, {marked:?}");
    }
}

#[tokio::test]
async fn marks_can_be_turned_off() {
    let (asked, _) = run(&STEPS.replace("OPTIONS", "{ cache: false }"), ANTHROPIC, calls()).await;
    assert!(asked.iter().all(|request| !String::from_utf8_lossy(&request.body).contains("cache_control")));
}

/// A chunk of a chat completion.
fn chunk(delta: Value, finish: &str) -> Canned {
    let chunk =
        json!({ "id": "c", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    Canned::sse(format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

#[tokio::test]
async fn the_schema_of_an_agents_answer_goes_out_natively_and_in_its_instructions() {
    let call =
        json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "sky.watcher", "arguments": "{}" } });
    let answers = vec![
        chunk(json!({ "tool_calls": [call] }), "tool_calls"),
        chunk(json!({ "content": r#"{"sky":"clear"}"# }), "stop"),
        chunk(json!({ "content": "It is clear." }), "stop"),
    ];
    let variables = [("LAB_API_BASE", "SERVER"), ("LAB_API_TYPE", "openai"), ("LAB_API_KEY", "key")];
    let (asked, printed) = run(&AGENT.replace("MODEL", "lab:m"), &variables, answers).await;
    assert_eq!(printed, "It is clear.\n");
    let [parent, child, after] = <[ReceivedRequest; 3]>::try_from(asked).unwrap().map(|request| request.json());
    assert_eq!((parent.get("response_format"), after.get("response_format")), (None, None));
    assert_eq!(child["response_format"]["type"], "json_schema");
    let format = &child["response_format"]["json_schema"];
    // An optional property rules out strict mode.
    assert_eq!((&format["name"], &format["strict"]), (&json!("sky_watcher"), &json!(false)));
    assert_eq!(format["schema"]["properties"]["sky"], json!({ "type": "string", "minLength": 1 }));
    assert!(child["messages"][0]["content"].as_str().unwrap().contains("<responseFormat>"), "{child}");
    let result = after["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(result["content"], r#"{"sky":"clear"}"#);
}
