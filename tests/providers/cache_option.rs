//! `options.cache` through the binary: keys of runs, and what is sent for agents, recordings and resumed runs.

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    canned::{Canned, ReceivedRequest, Server},
};

/// A prompt that goes on for three steps and is long enough for a cache.
const PROMPT: &str = r#"
import { z } from 'zod';
export const config = { model: 'openai:gpt-4o', options: OPTIONS };
export default async ({ defSystem, defTool, $ }) => {
  defSystem('role', 'You are brief. '.repeat(LENGTH));
  defTool('next', 'goes on', z.object({}), async () => 'on');
  $`Go on.`;
};
"#;

fn prompt(options: &str, length: usize) -> String {
    PROMPT.replace("OPTIONS", options).replace("LENGTH", &length.to_string())
}

/// Answers of the Responses API: a call, another, then text.
fn steps() -> Vec<Canned> {
    let call = |id: &str| json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "next", "arguments": "{}" });
    let text = json!({ "type": "message", "id": "msg", "role": "assistant",
                       "content": [{ "type": "output_text", "text": "done" }] });
    [call("a"), call("b"), text].map(|item| answer(&item)).into()
}

fn answer(item: &Value) -> Canned {
    let mut events = vec![json!({ "type": "response.output_item.added", "output_index": 0, "item": item })];
    if let Some(text) = item.pointer("/content/0/text") {
        events.push(json!({ "type": "response.output_text.delta", "item_id": "msg", "delta": text }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    let usage = json!({ "input_tokens": 2000, "output_tokens": 3 });
    events.push(json!({ "type": "response.completed", "response": { "id": "r", "usage": usage } }));
    Canned::events(&events)
}

/// Runs commands in one folder, each against its own answers; returns what was asked.
async fn run(folder: &Folder, arguments: &str, answers: Vec<Canned>) -> (Vec<ReceivedRequest>, Outcome) {
    let server = Server::start(answers).await;
    let mut command = folder.bare_command(arguments);
    command.envs([("OPENAI_BASE_URL", server.url("")), ("OPENAI_API_KEY", "key".to_owned())]);
    let outcome = tokio::task::spawn_blocking(move || Outcome::of(&mut command)).await.unwrap();
    (server.requests(), outcome)
}

fn keys(asked: &[ReceivedRequest]) -> Vec<Value> {
    asked.iter().map(|request| request.json().get("prompt_cache_key").cloned().unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_run_has_a_key_of_its_own() {
    let folder = Folder::of(&prompt("{}", 500));
    let (first, outcome) = run(&folder, "run p.lmt.mjs", steps()).await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "done\n"), "{}", outcome.stderr);
    let first = keys(&first);
    let key = first[0].as_str().unwrap();
    assert_eq!((first.len(), first.iter().filter(|other| *other == key).count()), (3, 3));
    assert!(key.len() <= 64 && !key.contains("lmt.mjs") && !key.contains('/'), "{key}");
    let (second, _) = run(&folder, "run p.lmt.mjs", steps()).await;
    assert_ne!(keys(&second)[0], key);
}

#[tokio::test]
async fn no_key_is_made_without_a_cache_or_for_a_short_prompt() {
    for (source, expected) in [
        (prompt("{ cache: false }", 500), Value::Null),
        (prompt("{}", 5), Value::Null),
        (prompt("{ cache: { key: 'mine' } }", 5), "mine".into()),
        (
            prompt("{ cache: { ttl: 'long' }, providerOptions: { openai: { promptCacheKey: 'own' } } }", 500),
            "own".into(),
        ),
        (prompt("{ providerOptions: { openai: { body: { prompt_cache_key: null } } } }", 500), Value::Null),
        (
            prompt("{ cache: { key: 'mine' }, providerOptions: { openai: { body: { prompt_cache_key: 'b' } } } }", 5),
            "b".into(),
        ),
    ] {
        let (asked, _) = run(&Folder::of(&source), "run p.lmt.mjs", steps()).await;
        assert_eq!(keys(&asked), vec![expected; 3]);
    }
}

#[tokio::test]
async fn keys_are_not_recorded_and_resumed_runs_keep_theirs() {
    let folder = Folder::of(&prompt("{}", 500));
    let (asked, _) = run(&folder, "run --record r.json p.lmt.mjs", steps()).await;
    let key = keys(&asked)[0].as_str().unwrap().to_owned();
    assert!(!folder.lines("r.json").concat().contains("lmthing-"), "{key}");
    let (asked, replayed) = run(&folder, "run --replay r.json p.lmt.mjs", Vec::new()).await;
    assert_eq!((asked.len(), replayed.code, replayed.stdout.as_str()), (0, 0, "done\n"), "{}", replayed.stderr);

    let (first, outcome) = run(&folder, "run --journal=j.db --max-steps 1 p.lmt.mjs", steps()).await;
    assert_eq!((first.len(), outcome.code), (1, 4), "{}", outcome.stderr);
    let (rest, outcome) = run(&folder, "resume --journal=j.db last", steps().split_off(1)).await;
    assert_eq!((rest.len(), outcome.code), (2, 0), "{}", outcome.stderr);
    let kept = keys(&first)[0].clone();
    assert_eq!(keys(&rest), [kept.clone(), kept]);
}

const AGENT: &str = r#"
import { z } from 'zod';
export const config = { model: 'openai:gpt-5.6', options: { cache: { ttl: 'long', key: 'both' } } };
export default async ({ defAgent, $ }) => {
  defAgent('next', 'looks', z.object({}), async (args, { $ }) => $`Look.`, AGENT);
  $`Ask.`;
};
"#;

#[tokio::test]
async fn agents_inherit_the_option() {
    for (options, of_agent) in [("{}", json!("both")), ("{ cache: { key: 'agent' } }", json!("agent"))] {
        let [call, _, text] = <[Canned; 3]>::try_from(steps()).unwrap();
        let folder = Folder::of(&AGENT.replace("AGENT", options));
        let (asked, outcome) = run(&folder, "run p.lmt.mjs", vec![call, text.clone(), text]).await;
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert_eq!(keys(&asked), [json!("both"), of_agent.clone(), json!("both")]);
        let inherits = of_agent == "both";
        let lifetime = asked[1].json().pointer("/prompt_cache_options/ttl").cloned();
        assert_eq!(lifetime, inherits.then(|| json!("30m")));
    }
}

#[test]
fn mistakes_are_type_errors() {
    for (option, expected) in [
        ("'yes'", "config.options.cache must be true, false or {ttl: '5m' | '1h' | 'long', key}, got 'yes'"),
        ("{ tll: '1h' }", "config.options.cache has no 'tll'; known are ttl, key"),
        ("{ ttl: '2h' }", "config.options.cache.ttl must be '5m', '1h' or 'long', got '2h'"),
        ("{ ttl: 300 }", "config.options.cache.ttl must be '5m', '1h' or 'long', got 300"),
        ("{ key: '' }", "config.options.cache.key must be a string of 1 to 64 characters"),
        ("{ key: 'k'.repeat(65) }", "config.options.cache.key must be a string of 1 to 64 characters"),
    ] {
        let outcome = Folder::of(&prompt(&format!("{{ cache: {option} }}"), 5)).run("run p.lmt.mjs");
        assert_eq!(outcome.code, 1, "{option}");
        assert!(outcome.stderr.contains("TypeError") && outcome.stderr.contains(expected), "{}", outcome.stderr);
    }
}
