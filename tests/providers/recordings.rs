//! Replays the recorded exchanges next to the repository over HTTP, against a local server.
//!
//! Skipped if there are none: the project's own fixtures (`http.rs`) cover the same behaviour.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    rc::Rc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use lmthing_base::chat::{CallSettings, Message, Role, ToolOutput, ToolSpec, Usage};
use lmthing_providers::{LanguageModel, ProviderContext, ProviderEvent, ProviderSettings, create, resolve};
use serde_json::{Value, json};

use crate::{
    steps::{Answer, ScriptedTool, run},
    support::{
        canned::{Canned, ReceivedRequest, Server},
        skipped,
    },
};

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/providers");
    let alternative = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/providers");
    let folder = if folder.is_dir() { folder } else { alternative };
    let mut files = Vec::new();
    let Ok(providers) = std::fs::read_dir(folder) else { return files };
    for provider in providers.flatten().filter(|entry| entry.path().is_dir()) {
        files.extend(std::fs::read_dir(provider.path()).unwrap().flatten().map(|entry| entry.path()));
    }
    files.sort();
    files
}

#[tokio::test]
async fn recorded_exchanges_are_reproduced() {
    let files = recordings();
    if files.is_empty() {
        return skipped("recorded_exchanges_are_reproduced", "no folder shared/providers next to the repository");
    }
    let checks = files.iter().map(|file| async move {
        let record: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let faults = check(&record).await;
        let name = format!("{}/{}", record["provider"].as_str().unwrap(), record["scenario"].as_str().unwrap());
        faults.into_iter().map(move |fault| format!("{name}: {fault}")).collect::<Vec<_>>()
    });
    let faults: Vec<String> = futures_util::future::join_all(checks).await.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{} of {} recordings:\n{}", faults.len(), files.len(), faults.join("\n"));
}

async fn check(record: &Value) -> Vec<String> {
    let server = Server::start(record["responses"].as_array().unwrap().iter().map(canned).collect()).await;
    let folder = tempfile::tempdir().unwrap();
    let waits = Rc::new(RefCell::new(Vec::new()));
    let model = model(record, &server, folder.path(), waits.clone());
    let mut messages = vec![Rc::new(Message::system(record["settings"]["system"].as_str().unwrap()))];
    for message in record["settings"]["messages"].as_array().unwrap() {
        assert_eq!(message["role"], "user");
        messages.push(Rc::new(Message::text(Role::User, message["content"].as_str().unwrap())));
    }
    let tools: Vec<ScriptedTool> = record["settings"]["tools"].as_array().unwrap().iter().map(tool).collect();
    let answers = run(model.as_ref(), messages, &tools, CallSettings::default()).await;
    let mut faults = Vec::new();
    compare_requests(record, &server.requests(), &mut faults);
    compare_results(record, &answers, &waits.borrow(), &mut faults);
    faults
}

fn canned(response: &Value) -> Canned {
    let body = match (&response["body_text"], &response["body_base64"]) {
        (Value::String(text), _) => text.as_bytes().to_vec(),
        (_, Value::String(data)) => STANDARD.decode(data).unwrap(),
        _ => Vec::new(),
    };
    let mut canned = Canned::new(u16::try_from(response["status"].as_u64().unwrap()).unwrap(), "", body);
    canned.headers.clear();
    for (name, value) in response["headers"].as_object().unwrap() {
        canned = canned.header(name, value.as_str().unwrap());
    }
    canned.status_text(response["status_text"].as_str().unwrap()).pieces(7)
}

fn tool(tool: &Value) -> ScriptedTool {
    let results = tool["execute"].as_array().unwrap().iter();
    ScriptedTool {
        spec: ToolSpec {
            name: tool["name"].as_str().unwrap().to_owned(),
            description: tool["description"].as_str().unwrap().to_owned(),
            input_schema: tool["inputSchema"].clone(),
            provider_options: None,
            provider_tool: None,
        },
        results: RefCell::new(results.map(|result| ToolOutput::from_value(result["return"].clone())).collect()),
    }
}

/// The model of a record, with its address replaced by the local server's.
fn model(record: &Value, server: &Server, folder: &Path, waits: Rc<RefCell<Vec<u128>>>) -> Rc<dyn LanguageModel> {
    let mut env: BTreeMap<String, String> = record["settings"]["env"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    let credentials = folder.join("credentials.json");
    let user = json!({
        "type": "authorized_user",
        "client_id": "id",
        "client_secret": "secret",
        "refresh_token": "refresh",
        "token_uri": server.url("/token"),
    });
    std::fs::write(&credentials, user.to_string()).unwrap();
    env.insert("GOOGLE_APPLICATION_CREDENTIALS".into(), credentials.display().to_string());
    let vertex = "/v1beta1/projects/my-project/locations/us-central1/publishers/google";
    for (variable, path) in [
        ("OPENAI_BASE_URL", "/v1"),
        ("ANTHROPIC_BASE_URL", "/v1"),
        ("GOOGLE_GENERATIVE_AI_BASE_URL", "/v1beta"),
        ("MISTRAL_BASE_URL", "/v1"),
        ("AZURE_BASE_URL", "/openai"),
        ("GROQ_BASE_URL", "/openai/v1"),
        ("COHERE_BASE_URL", "/v2"),
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", ""),
        ("GOOGLE_VERTEX_BASE_URL", vertex),
        ("ZAI_API_BASE", "/api/coding/paas/v4"),
    ] {
        env.insert(variable.into(), server.url(path));
    }
    let context = ProviderContext::new(Rc::new(env)).on_event(move |event| {
        if let ProviderEvent::Retry { wait, .. } = event {
            waits.borrow_mut().push(wait.as_millis());
        }
    });
    let name = record["model"].as_str().unwrap();
    match name.strip_prefix("openai.chat(").and_then(|rest| rest.strip_suffix(')')) {
        Some(id) => create("openai.chat", &ProviderSettings::default(), id, &context).unwrap(),
        None => resolve(name, &context).unwrap(),
    }
}

fn compare_requests(record: &Value, requests: &[ReceivedRequest], faults: &mut Vec<String>) {
    let expected = record["requests"].as_array().unwrap();
    if expected.len() != requests.len() {
        faults.push(format!("{} requests were expected, {} came", expected.len(), requests.len()));
    }
    for (index, (expected, requests)) in expected.iter().zip(requests).enumerate() {
        let mut differ = |what: &str, expected: &Value, found: Value| {
            if *expected != found {
                faults.push(format!("request {index}, {what}:\n  expected {expected}\n  found    {found}"));
            }
        };
        differ("method", &expected["method"], json!(requests.method));
        // Recordings of an older rule: compatible servers get no query.
        let path = expected["path"].as_str().unwrap().trim_end_matches("?api-version=1.0.0");
        differ("path", &json!(path), json!(requests.path));
        let recorded = with_newer_rules(record, expected["body"].clone());
        differ("body", &recorded, without_cache_marks(requests.json()));
        for (name, value) in expected["headers"].as_object().unwrap() {
            differ(name, value, json!(requests.header(name).map(masked)));
        }
    }
}

/// The recordings are older than the marks for the prompt cache.
fn without_cache_marks(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.shift_remove("cache_control");
            map.values_mut().for_each(|inner| *inner = without_cache_marks(inner.take()));
        }
        Value::Array(list) => {
            list.retain(|block| block.get("cachePoint").is_none());
            list.iter_mut().for_each(|inner| *inner = without_cache_marks(inner.take()));
        }
        _ => {}
    }
    value
}

/// A recorded body with later changes: compatible servers are asked for token counts.
fn with_newer_rules(record: &Value, mut body: Value) -> Value {
    if record["provider"] == "openai-compatible" {
        body["stream_options"] = json!({ "include_usage": true });
    }
    body
}

/// A signature with its variable parts masked, as in the recordings.
fn masked(value: &str) -> String {
    let Some((before, rest)) = value.split_once("Credential=") else { return value.to_owned() };
    let mut parts: Vec<&str> = rest.splitn(3, '/').collect();
    parts[1] = "<date>";
    let joined = parts.join("/");
    let (stored, _) = joined.split_once("Signature=").unwrap();
    format!("{before}Credential={stored}Signature=<signature>")
}

fn compare_results(record: &Value, answers: &[Answer], waits: &[u128], faults: &mut Vec<String>) {
    let expected = &record["result"];
    let mut differ = |what: &str, expected: &Value, found: Value| {
        if *expected != found {
            faults.push(format!("{what}:\n  expected {expected}\n  found    {found}"));
        }
    };
    let finished: Vec<&Answer> = answers.iter().filter(|answer| answer.finish.is_some()).collect();
    let all_text: String = answers.iter().map(|answer| answer.text.as_str()).collect();
    differ("textStream", &expected["textStream"], json!(all_text));
    differ("text", &expected["text"], json!(answers.last().unwrap().text));
    differ("steps", &expected["steps"], json!(finished.len()));
    differ("finishReason", &expected["finishReason"], json!(finished.last().map(|answer| answer.finish.unwrap().0)));
    let calls: Vec<Value> = answers
        .iter()
        .flat_map(|answer| &answer.calls)
        .map(|(_, name, input)| json!([name, serde_json::from_str::<Value>(input).unwrap()]))
        .collect();
    let expected_calls: Vec<Value> =
        expected["toolCalls"].as_array().unwrap().iter().map(|call| json!([call["toolName"], call["input"]])).collect();
    differ("toolCalls", &json!(expected_calls), json!(calls));
    let usage = finished.iter().map(|answer| answer.finish.unwrap().1).reduce(Usage::plus);
    let usage = usage.map(|usage| serde_json::to_value(usage).unwrap());
    for key in ["inputTokens", "outputTokens", "totalTokens", "cachedInputTokens", "reasoningTokens"] {
        let found = usage.as_ref().map_or(Value::Null, |usage| usage[key].clone());
        differ(key, &expected["usage"].get(key).cloned().unwrap_or_default(), found);
    }
    let written = expected["usage"].pointer("/inputTokenDetails/cacheWriteTokens").cloned().unwrap_or_default();
    differ("cacheWriteTokens", &written, json!(usage.as_ref().and_then(|usage| usage.get("cacheWriteTokens"))));
    let delays = expected.get("retryDelaysMs").cloned().unwrap_or_else(|| json!([]));
    differ("retryDelaysMs", &delays, json!(waits));
    let error = answers.last().unwrap().error.as_ref();
    let message = expected.pointer("/error/message").and_then(Value::as_str);
    // The AI SDK misreads the position of AWS's error type; ours has the right one.
    let wanted = message.map(|message| message.replace("undefined: ", ""));
    let found = error
        .map(|error| error.message.replace("ThrottlingException: ", "").replace("UnrecognizedClientException: ", ""));
    differ("error", &json!(wanted), json!(found));
    let status = expected.pointer("/error/statusCode").or_else(|| expected.pointer("/error/errors/0/statusCode"));
    differ("status", status.unwrap_or(&Value::Null), json!(error.and_then(|error| error.status)));
}
