//! Tools that providers run, through the program: what is asked for, what comes back, and what goes out again.

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    canned::{Canned, ReceivedRequest, Server},
};

const ANTHROPIC: &str = include_str!("../../crates/providers/fixtures/anthropic_tools.sse");

/// Runs a prompt file with `-f json` against canned answers.
async fn run(model: &str, body: &str, answers: Vec<Canned>) -> (Vec<ReceivedRequest>, Outcome) {
    let source = format!(
        "import {{ z }} from 'zod';\nexport const config = {{ model: {model} }};\n\
         export default async ({{ defWebSearch, defProviderTool, defTool, $ }}) => {{ {body} $`Tide?`; }};\n"
    );
    let server = Server::start(answers).await;
    let folder = Folder::of(&source);
    let mut command = folder.bare_command("run -f json p.lmt.mjs");
    for provider in ["OPENAI", "ANTHROPIC", "GOOGLE_GENERATIVE_AI", "MISTRAL", "GROQ", "XAI"] {
        command.env(format!("{provider}_API_KEY"), "key").env(format!("{provider}_BASE_URL"), server.url("/v1"));
    }
    // The server shares this thread with the test.
    let outcome = tokio::task::spawn_blocking(move || Outcome::of(&mut command)).await.unwrap();
    (server.requests(), outcome)
}

const TOOL: &str = "defTool('tide', 'The tide.', z.object({ port: z.string() }), async () => 'low');";

fn sources(outcome: &Outcome) -> Value {
    let result = outcome.object();
    let text: Vec<u16> = result["text"].as_str().unwrap().encode_utf16().collect();
    for cite in result["sources"].as_array().unwrap().iter().flat_map(|source| source["cites"].as_array().unwrap()) {
        let at = |key: &str| usize::try_from(cite[key].as_u64().unwrap()).unwrap();
        assert_eq!(String::from_utf16(&text[at("start")..at("end")]).unwrap(), cite["text"].as_str().unwrap());
    }
    result["sources"].clone()
}

fn cited(sources: &Value) -> Vec<(&str, Vec<&str>)> {
    sources
        .as_array()
        .unwrap()
        .iter()
        .map(|source| {
            let cites = source["cites"].as_array().unwrap().iter().map(|cite| cite["text"].as_str().unwrap());
            (source["url"].as_str().or(source["id"].as_str()).unwrap(), cites.collect())
        })
        .collect()
}

fn claude(text: &str, reason: &str) -> Canned {
    Canned::events(&[
        json!({ "type": "message_start", "message": { "id": "m", "model": "c", "usage": { "input_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": text } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 1 } }),
        json!({ "type": "message_stop" }),
    ])
}

#[tokio::test]
async fn a_paused_turn_of_claude_goes_on_with_what_it_has_found() {
    let model = "'anthropic:claude-sonnet-4-5'";
    let answers = vec![Canned::sse(ANTHROPIC), claude(" Done.", "end_turn")];
    let (asked, outcome) =
        run(model, "defWebSearch({ maxUses: 2, allowedDomains: ['tides.example'] });", answers).await;
    assert_eq!((outcome.code, asked.len()), (0, 2), "{}", outcome.stderr);
    let search = json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": 2,
        "allowed_domains": ["tides.example"] });
    assert_eq!(asked[0].json()["tools"], json!([search]));
    // The request ends with the turn, and no message is added.
    let messages = asked[1].json()["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 2);
    let kinds: Vec<&str> =
        messages[1]["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[1..4], ["server_tool_use", "web_search_tool_result", "text"]);
    assert_eq!(messages[1]["content"][2]["content"][0]["encrypted_content"], "enc-1==");
    assert_eq!(messages[1]["content"][3]["citations"][0]["encrypted_index"], "ix-1");
    assert!(outcome.object()["text"].as_str().unwrap().ends_with(", then low. Done."), "{}", outcome.stdout);
    let whole = "High water is at 3 – Ål";
    assert_eq!(
        cited(&sources(&outcome)),
        [("https://tides.example/oban", vec![whole]), ("https://sea.example/", vec![]), ("document-0", vec![whole])]
    );
}

#[tokio::test]
async fn no_other_model_goes_on_with_a_paused_turn() {
    let list = "['anthropic:claude-sonnet-4-5', 'openai:gpt-5'], options: { maxRetries: 0 }";
    let answers =
        vec![Canned::sse(ANTHROPIC), Canned::new(500, "application/json", "{}"), claude("Never.", "end_turn")];
    let (asked, outcome) = run(list, "defWebSearch();", answers).await;
    assert_eq!((outcome.code, asked.len()), (3, 2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("anthropic:claude-sonnet-4-5"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("switching"), "{}", outcome.stderr);
}

#[tokio::test]
async fn items_of_openai_go_back_with_the_result_of_a_function() {
    let search = json!({ "id": "ws_1", "type": "web_search_call", "status": "completed",
        "action": { "type": "search", "query": "tide" } });
    let call = json!({ "id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "tide",
        "arguments": "{\"port\":\"Oban\"}" });
    let done =
        |index: u64, item: &Value| json!({ "type": "response.output_item.done", "output_index": index, "item": item });
    let completed = json!({ "type": "response.completed", "response": { "id": "r", "usage": { "input_tokens": 1,
        "output_tokens": 1 } } });
    let text = "🌊 [Oban](https://tides.example)";
    let annotation = json!({ "type": "url_citation", "start_index": 3, "end_index": 32, "title": "Oban",
        "url": "https://tides.example" });
    let message = json!({ "id": "msg_1", "type": "message", "role": "assistant",
        "content": [{ "type": "output_text", "text": text, "annotations": [annotation] }] });
    let added = json!({ "type": "response.output_item.added", "output_index": 0,
        "item": { "id": "msg_1", "type": "message", "content": [] } });
    let answers = vec![
        Canned::events(&[done(0, &search), done(1, &call), completed.clone()]),
        Canned::events(&[added, done(0, &message), completed]),
    ];
    let body = format!("defWebSearch({{ maxUses: 4 }}); {TOOL}");
    let (asked, outcome) = run("'openai:gpt-5'", &body, answers).await;
    assert_eq!((outcome.code, asked.len()), (0, 2), "{}", outcome.stderr);
    let first = asked[0].json();
    assert_eq!(first["max_tool_calls"], 4);
    assert!(first["tools"].as_array().unwrap().contains(&json!({ "type": "web_search" })), "{first}");
    let input = asked[1].json()["input"].clone();
    assert_eq!(input[1], search);
    assert_eq!(input[3]["output"], "low");
    assert_eq!(cited(&sources(&outcome)), [("https://tides.example", vec!["[Oban](https://tides.example)"])]);
}

#[tokio::test]
async fn parts_of_gemini_go_back_and_its_bytes_become_utf16() {
    let chunk = |parts: Value, more: Value| {
        let mut candidate = json!({ "content": { "role": "model", "parts": parts } });
        candidate.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "candidates": [candidate] })
    };
    let server_call = json!({ "toolCall": { "id": "t", "toolType": "GOOGLE_SEARCH_WEB", "args": { "queries": ["q"] } },
        "thoughtSignature": "s1" });
    let server_result = json!({ "toolResponse": { "id": "t", "toolType": "GOOGLE_SEARCH_WEB", "response": { "a": 1 } },
        "thoughtSignature": "s2" });
    let function = json!({ "functionCall": { "name": "tide", "args": { "port": "Oban" } }, "thoughtSignature": "s3" });
    let grounding = json!({ "webSearchQueries": ["q"],
        "groundingChunks": [{ "web": { "uri": "https://tides.example", "title": "Tides" } }],
        "groundingSupports": [{ "segment": { "startIndex": 5, "endIndex": 9, "text": "Låg" },
            "groundingChunkIndices": [0] }] });
    let answers = vec![
        Canned::events(&[
            chunk(json!([server_call, server_result]), json!({})),
            chunk(json!([function]), json!({ "finishReason": "STOP" })),
        ]),
        Canned::events(&[chunk(
            json!([{ "text": "🌊 Låg." }]),
            json!({ "finishReason": "STOP", "groundingMetadata": grounding }),
        )]),
    ];
    let (asked, outcome) = run("'google:gemini-3-pro-preview'", &format!("defWebSearch(); {TOOL}"), answers).await;
    assert_eq!((outcome.code, asked.len()), (0, 2), "{}", outcome.stderr);
    assert_eq!(asked[0].json()["toolConfig"]["includeServerSideToolInvocations"], true);
    let parts = asked[1].json()["contents"][1]["parts"].clone();
    assert_eq!((&parts[0], &parts[1]), (&server_call, &server_result));
    assert_eq!(parts[2]["thoughtSignature"], "s3");
    assert_eq!(cited(&sources(&outcome)), [("https://tides.example", vec!["Låg"])]);
}

#[tokio::test]
async fn a_model_without_the_tool_is_refused_before_any_request_and_a_list_goes_on() {
    for (definition, name) in [
        ("defWebSearch();", "defWebSearch"),
        ("defProviderTool('python', { openai: { type: 'code_interpreter' } });", "defProviderTool('python')"),
    ] {
        let (asked, outcome) = run("'mistral:mistral-large-latest'", definition, Vec::new()).await;
        assert_eq!((outcome.code, asked.len()), (3, 0), "{}", outcome.stderr);
        for part in [name, "mistral:mistral-large-latest", "else"] {
            assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
        }
        let answers = vec![claude("Low.", "end_turn")];
        let definition = definition.replace("openai", "anthropic");
        let models = "['mistral:m', 'anthropic:claude-opus-5']";
        let (asked, outcome) = run(models, &definition, answers).await;
        assert_eq!((outcome.code, asked.len()), (0, 1), "{}", outcome.stderr);
        assert_eq!(outcome.object()["text"], "Low.");
    }
}

#[tokio::test]
async fn else_runs_where_the_provider_has_no_search() {
    let chunk = |delta: Value, reason: Value| {
        json!({ "id": "c", "choices": [{ "index": 0, "delta": delta,
        "finish_reason": reason }] })
    };
    let call = json!([{ "index": 0, "id": "c1", "type": "function",
        "function": { "name": "web_search", "arguments": "{\"query\":\"tide\"}" } }]);
    let answers = vec![
        Canned::events(&[chunk(json!({ "tool_calls": call }), json!("tool_calls"))]),
        Canned::events(&[chunk(json!({ "content": "Low." }), json!("stop"))]),
    ];
    let body = "defWebSearch({ else: async ({ query }) => `found ${query}` });";
    let (asked, outcome) = run("'groq:llama-3.3-70b-versatile'", body, answers).await;
    assert_eq!((outcome.code, asked.len()), (0, 2), "{}", outcome.stderr);
    assert_eq!(asked[0].json()["tools"][0]["function"]["name"], "web_search");
    assert_eq!(asked[1].json()["messages"][2]["content"], "found tide");
}

#[tokio::test]
async fn xai_is_asked_at_responses() {
    let text = json!({ "type": "response.output_text.delta", "item_id": "msg_1", "delta": "Low." });
    let completed = json!({ "type": "response.completed", "response": { "id": "r" } });
    let answers = vec![Canned::events(&[text, completed])];
    let (asked, outcome) = run("'xai:grok-4'", "defWebSearch({ blockedDomains: ['spam.example'] });", answers).await;
    assert_eq!((outcome.code, asked[0].path.as_str()), (0, "/v1/responses"), "{}", outcome.stderr);
    assert_eq!(asked[0].json()["tools"], json!([{ "type": "web_search", "excluded_domains": ["spam.example"] }]));
}
