//! `lmthing mcp` over standard input and output (docs/reference/mcp.md).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    client::{COUNT, CRASH, Client, ENDLESS, GREET, PRIMES, STEPS, WEATHER, hello, pids},
    support::{Folder, mcp::results_of, processes::is_alive, replace, wait_until},
};

#[test]
fn files_are_tools_with_their_schemas() {
    let folder = Folder::new(&[
        ("greet.lmt.mjs", GREET),
        ("more/weather.lmt.mjs", WEATHER),
        ("more/primes.lmt.mjs", PRIMES),
        ("greet.test.lmt.mjs", "import { test } from 'lmthing/test'; test('x', () => {});"),
        ("node_modules/p/not.lmt.mjs", GREET),
    ]);
    let mut client = Client::connect(&folder, "mcp .");
    let mut tools: Vec<Value> = client.ask("tools/list", json!({}))["tools"].as_array().unwrap().clone();
    tools.sort_by_key(|tool| tool["name"].to_string());
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["greet", "primes", "weather"]);
    assert_eq!(tools[0]["description"], "Greets somebody");
    assert_eq!(tools[0]["inputSchema"]["type"], "object");
    assert_eq!(tools[0]["inputSchema"]["properties"]["name"], json!({ "type": "string", "description": "Who" }));
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["name"]), "what has a default may be left out");
    assert_eq!(tools[0]["outputSchema"], Value::Null);
    assert_eq!(tools[1]["inputSchema"]["type"], "object");
    assert_eq!(tools[1]["outputSchema"], Value::Null, "an array is no object");
    assert_eq!(tools[2]["outputSchema"]["required"], json!(["city", "degrees"]));
    assert_eq!(client.close().code, 0);
}

#[test]
fn calls_give_text_or_data_and_nothing_else_is_on_standard_output() {
    let files = [("greet.lmt.mjs", GREET), ("weather.lmt.mjs", WEATHER), ("primes.lmt.mjs", PRIMES)];
    let folder = Folder::new(&files);
    let mut client = Client::connect(&folder, "mcp .");
    let greeting = json!({ "content": [{ "type": "text", "text": "Hello there" }], "isError": false });
    assert_eq!(client.call("greet", json!({ "name": "Ada" })), greeting);
    let weather = client.call("weather", json!({ "city": "Rome" }));
    assert_eq!(weather["structuredContent"], json!({ "city": "Rome", "degrees": 21 }));
    let text: Value = serde_json::from_str(weather["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, weather["structuredContent"]);
    let primes = client.call("primes", json!({}));
    assert_eq!(primes, json!({ "content": [{ "type": "text", "text": "[2,3,5]" }], "isError": false }));
    let outcome = client.close();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""));
    assert!(outcome.stderr.contains("from the script"), "{}", outcome.stderr);
}

#[test]
fn wrong_arguments_are_a_result_and_a_wrong_name_is_an_error() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let mut client = Client::connect(&folder, "mcp greet.lmt.mjs");
    for (arguments, words) in
        [(json!({}), "name"), (json!({ "name": 5 }), "name"), (json!({ "name": "Ada", "loud": "very" }), "loud")]
    {
        let result = client.call("greet", arguments.clone());
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(words), "{arguments}: {text}");
    }
    let error = client.call("great", json!({}));
    assert_eq!(error["code"], -32602);
    assert_eq!(error["message"], r#"there is no tool "great"; did you mean "greet"?"#);
}

#[test]
fn steps_and_tool_calls_are_progress() {
    let folder = Folder::new(&[("steps.lmt.mjs", STEPS)]);
    let mut client = Client::connect(&folder, "mcp .");
    let params = json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": 41 } });
    assert_eq!(client.ask("tools/call", params)["content"][0]["text"], "seen");
    let mut reported = Vec::new();
    let is_progress = |message: &Value| message["method"] == "notifications/progress";
    while reported.last().is_none_or(|last: &Value| last["message"] != "step 3") {
        let mut progress = client.message("progress", is_progress);
        assert_eq!(progress["params"]["progressToken"], 41);
        reported.push(progress["params"].take());
    }
    let counts: Vec<f64> = reported.iter().map(|reported| reported["progress"].as_f64().unwrap()).collect();
    assert!(counts.windows(2).all(|pair| pair[0] < pair[1]), "{reported:?}");
    let messages: Vec<&str> = reported.iter().map(|reported| reported["message"].as_str().unwrap()).collect();
    assert!(messages.iter().any(|message| message.contains("look")), "{messages:?}");
}

#[test]
fn a_cancelled_call_ends_and_is_not_answered() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS), ("greet.lmt.mjs", GREET)]);
    let mut client = Client::connect(&folder, "mcp .");
    let id = client.begin("endless", json!({}));
    let pid = pids(&folder, 1).remove(0);
    client.notify("notifications/cancelled", json!({ "requestId": id, "reason": "never mind" }));
    wait_until("the run ends", || !is_alive(&pid));
    assert_eq!(client.text("greet", json!({ "name": "Ada" })), "Hello there");
    let outcome = client.close();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "no answer");
}

#[test]
fn concurrent_calls_get_their_own_results() {
    let folder = Folder::new(&[("count.lmt.mjs", COUNT)]);
    let mut client = Client::connect(&folder, "mcp .");
    let calls: Vec<u64> = (0..20).map(|n| client.begin("count", json!({ "n": n }))).collect();
    for (n, id) in calls.into_iter().enumerate().rev() {
        assert_eq!(client.answer(id)["structuredContent"], json!({ "n": n, "seen": 1 }), "an engine of its own");
    }
    assert_eq!(client.close().code, 0);
}

#[test]
fn a_crash_harms_no_other_call() {
    let folder = Folder::new(&[("crash.lmt.mjs", CRASH), ("greet.lmt.mjs", GREET), ("endless.lmt.mjs", ENDLESS)]);
    let mut client = Client::connect(&folder, "mcp .");
    let endless = client.begin("endless", json!({}));
    let pid = pids(&folder, 1).remove(0);
    for (how, words) in [("kill", "SIGKILL"), ("exit", "7"), ("throw", "it is broken")] {
        let (crash, greet) =
            (client.begin("crash", json!({ "how": how })), client.begin("greet", json!({ "name": "Ada" })));
        let result = client.answer(crash);
        assert_eq!(result["isError"], true, "{how}: {result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains(words), "{how}: {result}");
        assert_eq!(client.answer(greet)["content"][0]["text"], "Hello there");
    }
    assert_eq!(client.text("crash", json!({ "how": "not" })), "survived");
    assert!(is_alive(&pid));
    client.notify("notifications/cancelled", json!({ "requestId": endless }));
    wait_until("the run ends", || !is_alive(&pid));
}

#[test]
fn changed_files_are_reloaded_and_broken_ones_are_named() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET), ("late.lmt.mjs", "export default 5 +;")]);
    let mut client = Client::connect(&folder, "mcp .");
    client.wait_for_stderr("late.lmt.mjs");
    assert_eq!(client.tools(), ["greet"]);
    // Mended, new, changed, removed.
    replace(&folder, "late.lmt.mjs", PRIMES);
    client.list_changed();
    assert_eq!(client.tools().len(), 2);
    replace(&folder, "weather.lmt.mjs", WEATHER);
    client.list_changed();
    assert_eq!(client.text("weather", json!({ "city": "Rome" })), r#"{"city":"Rome","degrees":21}"#);
    replace(&folder, "greet.lmt.mjs", &GREET.replace("Greets somebody", "Greets anybody").replace("Hello", "Good day"));
    client.list_changed();
    let tools = client.ask("tools/list", json!({}))["tools"].clone();
    let greet = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "greet").unwrap().clone();
    assert_eq!(greet["description"], "Greets anybody");
    assert_eq!(client.text("greet", json!({ "name": "Ada" })), "Good day there");
    std::fs::remove_file(folder.path("late.lmt.mjs")).unwrap();
    client.list_changed();
    assert!(!client.tools().contains(&"late".to_owned()));
}

#[test]
fn the_end_of_standard_input_ends_server_and_calls() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS)]);
    let mut client = Client::connect(&folder, "mcp .");
    client.begin("endless", json!({}));
    let pid = pids(&folder, 1).remove(0);
    let start = Instant::now();
    assert_eq!(client.close().code, 0);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    wait_until("the run ends", || !is_alive(&pid));
    // A client that sends nothing.
    assert_eq!(Client::start(&mut folder.command("mcp .")).close().code, 0);
}

#[test]
fn piped_requests_are_answered() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let mut client = Client::start(&mut folder.command("mcp ."));
    client.request("initialize", hello("2025-06-18"));
    client.notify("notifications/initialized", json!({}));
    client.request("tools/list", json!({}));
    let outcome = client.close();
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.contains(r#""name":"greet""#), "{outcome:?}");
}

#[cfg(unix)]
#[test]
fn signals_end_server_and_calls() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS)]);
        let mut client = Client::connect(&folder, "mcp .");
        client.begin("endless", json!({}));
        let pid = pids(&folder, 1).remove(0);
        client.signal(signal);
        assert_eq!(client.end().code, code, "{signal}");
        wait_until("the run ends", || !is_alive(&pid));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_server_leaves_no_call_running() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS)]);
    let mut client = Client::connect(&folder, "mcp .");
    client.begin("endless", json!({}));
    client.begin("endless", json!({}));
    let pids = pids(&folder, 2);
    client.signal("KILL");
    client.end();
    wait_until("the runs end", || !pids.iter().any(|pid| is_alive(pid)));
}

#[test]
fn invalid_messages_do_not_end_the_server() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let mut client = Client::start(&mut folder.command("mcp ."));
    for line in ["hello?", "", "{\"jsonrpc\":", "\u{feff}", "[[[["] {
        client.write(line);
    }
    client.notify("notifications/initialized", json!({}));
    assert_eq!(client.ask("initialize", hello("1999-01-01"))["protocolVersion"], "2025-11-25");
    client.write("}{");
    client.write(&"x".repeat(17 << 20));
    assert_eq!(client.text("greet", json!({ "name": "Ada" })), "Hello there");
    assert_eq!(client.close().code, 0);
}

#[test]
fn options_hold_for_each_call_and_what_needs_approval_is_denied() {
    let source = "
import { z } from 'zod';
export const config = { model: 'nobody:knows' };
export default async ({ defTool, $ }) => {
  defTool('deploy', 'Deploys', z.object({}), async () => 'deployed', { needsApproval: true });
  $`go`;
};
";
    let mock = r#"[{"type":"tool-call","toolName":"deploy","args":{}},{"type":"text","text":"from the mock"}]"#;
    let folder = Folder::new(&[("p.lmt.mjs", source), ("m.json", mock), ("steps.lmt.mjs", STEPS)]);
    let mut client = Client::connect(&folder, "mcp --mock m.json -v p.lmt.mjs");
    assert_eq!(client.text("p", json!({})), "from the mock");
    client.wait_for_stderr("denied");
    let mut client = Client::connect(&folder, "mcp --max-steps 2 steps.lmt.mjs");
    let result = client.call("steps", json!({}));
    assert_eq!(result["isError"], true, "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("--max-steps"), "{result}");
}

#[test]
fn wrong_usage_is_reported_before_serving() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    for (arguments, code, words) in [
        ("mcp", 2, "<PATH>"),
        ("mcp --token-env TOKEN .", 2, "--http"),
        ("mcp --yes .", 2, "needs approval is denied"),
        ("mcp --max-steps many .", 2, "--max-steps"),
        ("mcp --http nowhere .", 2, "expected HOST:PORT"),
        ("mcp --http 0.0.0.0:0 .", 2, "--token-env NAME"),
        ("mcp --http 0 --token-env LMTHING_NO_SUCH_TOKEN .", 2, "there is no such variable"),
        ("mcp --env-file none.env .", 2, "none.env"),
        ("mcp --mock none.json .", 2, "none.json"),
        ("mcp -m nosuch:model .", 2, "-m, --model nosuch:model: Unknown provider"),
        ("mcp --journal=/nonexistent/x.db .", 1, "cannot be written: there is no such folder"),
        ("mcp https://example.invalid/mcp", 2, "is an address, and no file or folder"),
        ("mcp --approve x .", 2, "needs approval is denied"),
        ("mcp --allow-run=no-such-program .", 2, "there is no such program"),
        ("mcp --mock m.json -m openai:gpt-4o .", 2, "cannot be used with"),
        ("mcp none.lmt.mjs", 1, "none.lmt.mjs"),
    ] {
        let outcome = folder.run(arguments);
        assert!(outcome.code == code && outcome.stderr.contains(words), "{arguments}: {outcome:?}");
        assert_eq!(outcome.stdout, "", "{arguments}");
    }
}

#[test]
fn large_inputs_and_answers_arrive_whole() {
    let source = "
import { z } from 'zod';
export const input = z.object({ text: z.string() });
let given;
async function* answer() {
  yield { type: 'text-delta', id: '1', delta: given };
  yield { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}
export const config = { model: { modelId: 'own', provider: 'own', doStream: async () => ({ stream: answer() }) } };
export default async ({ $ }, { text }) => { given = text; $`go`; };
";
    let folder = Folder::new(&[("echo.lmt.mjs", source)]);
    let mut client = Client::connect(&folder, "mcp .");
    let text = "äöü\n".repeat(500_000);
    assert!(client.text("echo", json!({ "text": text })) == text);
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_the_served_files() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET), ("sub/weather.lmt.mjs", WEATHER)]);
    let mut run = folder.start_on_terminal("mcp .", 120);
    run.wait_for("[mcp] serving greet (", 1);
    run.wait_for("[mcp] serving weather (", 1);
    run.wait_for("waiting for a client on standard input", 1);
    let mut run = folder.start_on_terminal("mcp -q --http 0 .", 120);
    run.wait_for("listening on http://127.0.0.1:", 1);
    run.signal("TERM");
    let shown = run.end().stdout;
    assert!(!shown.contains("serving"), "{shown}");
}

#[test]
fn a_prompt_file_uses_another_one_through_it() {
    let source = format!(
        "export const config = {{ model: 'mock' }};
export const mock = [
  {{ type: 'tool-call', toolName: 'prompts_greet', args: {{ name: 'Ada' }} }},
  {{ type: 'tool-call', toolName: 'prompts_weather', args: {{ city: 'Rome' }} }},
  {{ type: 'tool-call', toolName: 'prompts_crash', args: {{ how: 'kill' }} }},
  {{ type: 'text', text: 'done' }},
];
export default async ({{ defMcp, $ }}) => {{
  defMcp('prompts', {{ command: {}, args: ['mcp', 'served'] }});
  $`go`;
}};
",
        json!(env!("CARGO_BIN_EXE_lmthing"))
    );
    let served =
        [("served/greet.lmt.mjs", GREET), ("served/weather.lmt.mjs", WEATHER), ("served/crash.lmt.mjs", CRASH)];
    let folder = Folder::of(&source);
    served.iter().for_each(|(name, text)| folder.write(name, text));
    let results = results_of(&folder);
    assert_eq!(results[0], "Hello there");
    assert_eq!(results[1], r#"{"city":"Rome","degrees":21}"#);
    assert!(results[2].contains("SIGKILL"), "{}", results[2]);
}

#[test]
fn a_request_that_cannot_be_read_is_answered() {
    let folder = Folder::new(&[("count.lmt.mjs", COUNT), ("greet.lmt.mjs", GREET)]);
    let mut client = Client::connect(&folder, "mcp .");
    let call = |id: u64, arguments: &str| {
        // As most clients write it: the id comes last.
        let params = format!(r#"{{"name":"greet","arguments":{arguments}}}"#);
        format!(r#"{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":{id}}}"#)
    };
    let deep = format!(r#"{{"name":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(17 << 20));
    for (id, arguments, words) in
        [(101, &deep[..], "recursion"), (102, r#"{"name":1e400}"#, "number out of range"), (103, &long, "16 MiB")]
    {
        client.write(&call(id, arguments));
        let error = client.answer(id);
        assert_eq!(error["code"], -32600, "{error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    }
    client.write(&call(104, r#"{"name":"Ad\ud83d"}"#));
    assert_eq!(client.answer(104)["isError"], false);
    client.write(r#"{"jsonrpc":"2.0","id":"#);
    let error = client.message("a parse error", |message| message["error"]["code"] == -32700);
    assert_eq!(error["id"], Value::Null);
    assert_eq!(client.tools(), ["count", "greet"]);
}
