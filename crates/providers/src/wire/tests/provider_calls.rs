//! Calls that providers have run, and sources: decoded, and sent back as they came.

use std::rc::Rc;

use serde_json::{Value, json};

use super::{
    answers::{calls, finish, message, parts, results, sent_back, source, sources},
    encode,
    responses::{all, decode},
    user,
};
use crate::wire::{Decoded, google::GoogleWire, responses::ResponsesWire};
use lmthing_base::chat::{CallSettings, Content, ContentPart, FinishReason, Message, Role, StreamPart, ToolOutput};

#[test]
fn anthropic_shows_what_it_has_run() {
    let parts = parts("anthropic tools");
    assert_eq!(
        calls(&parts),
        [
            ("srvtoolu_1", "web_search", "{\"query\": \"tide Oban\"}"),
            ("srvtoolu_2", "web_fetch", "{\"url\":\"https://gone.example/\"}"),
            ("mcptoolu_3", "gauge", "{\"port\":\"Oban\"}"),
        ]
    );
    let results = results(&parts);
    let shown: Vec<_> = results.iter().map(|(id, name, _, is_error)| (*id, *name, *is_error)).collect();
    assert_eq!(
        shown,
        [("srvtoolu_1", "web_search", false), ("srvtoolu_2", "web_fetch", true), ("mcptoolu_3", "gauge", false)]
    );
    assert_eq!(results[0].2[0]["encrypted_content"], "enc-1==");
    let cited = ["High water is at 3 – Ål"];
    assert_eq!(
        sources(&parts),
        [
            source("https://tides.example/oban", "Oban", &cited),
            source("https://sea.example/", "Sea", &[]),
            source("document-0", "Almanac", &cited),
        ]
    );
    let (reason, usage, is_paused) = finish(&parts);
    assert_eq!((reason, usage.web_searches, is_paused), (FinishReason::Stop, Some(1), true));
}

#[test]
fn anthropic_receives_its_blocks_as_they_came() {
    let answer = message(&parts("anthropic tools"));
    let body = sent_back(super::wire("anthropic").as_ref(), "claude-opus-5", answer.clone(), CallSettings::default());
    let citations = json!([
        { "type": "web_search_result_location", "cited_text": "3 o'clock", "encrypted_index": "ix-1", "title": "Oban",
          "url": "https://tides.example/oban" },
        { "type": "char_location", "cited_text": "low", "document_index": 0, "document_title": "Almanac",
          "file_id": null, "start_char_index": 0, "end_char_index": 3 },
    ]);
    let found = json!([
        { "type": "web_search_result", "url": "https://tides.example/oban", "title": "Oban",
          "encrypted_content": "enc-1==", "page_age": null },
        { "type": "web_search_result", "url": "https://sea.example/", "title": "Sea",
          "encrypted_content": "enc-2==", "page_age": "2 days ago" },
    ]);
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "text", "text": "Jag söker 🌊. " },
            { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "tide Oban" } },
            { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "caller": { "type": "direct" },
              "content": found },
            { "type": "text", "text": "High water is at 3 – Ål", "citations": citations },
            { "type": "text", "text": ", then low." },
            { "type": "server_tool_use", "id": "srvtoolu_2", "name": "web_fetch",
              "input": { "url": "https://gone.example/" } },
            { "type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_2",
              "content": { "type": "web_fetch_tool_result_error", "error_code": "url_not_accessible" } },
            { "type": "mcp_tool_use", "id": "mcptoolu_3", "name": "gauge", "server_name": "harbour",
              "input": { "port": "Oban" } },
            { "type": "mcp_tool_result", "tool_use_id": "mcptoolu_3", "is_error": false,
              "content": [{ "type": "text", "text": "2.5" }] },
            { "type": "container_upload", "file_id": "file_7" },
        ])
    );
    // A paused turn ends the request, and stays as it is.
    let paused = encode(
        super::wire("anthropic").as_ref(),
        "claude-opus-5",
        vec![user("Tide?"), answer],
        CallSettings { cache: Some(lmthing_base::chat::CacheOption::Off), ..CallSettings::default() },
    );
    assert_eq!(paused.body["messages"][1], body["messages"][1]);
}

#[test]
fn a_pause_of_text_alone_is_the_end_of_an_answer() {
    let (_, wire, bytes) = all().into_iter().find(|(name, ..)| *name == "anthropic").unwrap();
    let paused = String::from_utf8(bytes.to_vec())
        .unwrap()
        .replace("\"stop_reason\":\"tool_use\"", "\"stop_reason\":\"pause_turn\"");
    let parts = decode(wire.as_ref(), vec![paused.into_bytes()]);
    let Some(Decoded::Part(StreamPart::Finish { finish_reason, is_paused, .. })) = parts.last() else { panic!() };
    assert_eq!((*finish_reason, *is_paused), (FinishReason::Stop, false));
}

#[test]
fn responses_show_what_openai_has_run() {
    let parts = parts("responses tools");
    let code = r#"{"code":"print(\"Ål\")\n","container_id":"cntr_1"}"#;
    assert_eq!(
        calls(&parts),
        [
            ("ws_1", "web_search", r#"{"type":"search","query":"tide Oban"}"#),
            ("ws_2", "web_search", r#"{"type":"open_page","url":"https://tides.example/oban"}"#),
            ("ci_3", "code_interpreter", code),
            ("mcp_4", "gauge", r#"{"port": "Oban"}"#),
            ("fs_5", "file_search", r#"{"queries":["tide"]}"#),
            ("ig_8", "image_generation", "{}"),
        ]
    );
    // What was streamed of an input is the whole input.
    for id in ["ci_3", "mcp_4"] {
        let delta = |part: &StreamPart| match part {
            StreamPart::ToolInputDelta { id: of, delta } if of == id => Some(delta.clone()),
            _ => None,
        };
        let streamed: String = parts.iter().filter_map(delta).collect();
        assert!(calls(&parts).iter().any(|(call, _, input)| *call == id && *input == streamed), "{id}: {streamed}");
    }
    let results = results(&parts);
    assert_eq!(results[0].2["sources"][0]["url"], "https://tides.example/oban");
    assert_eq!(results[2].2["outputs"][0]["logs"], "Ål\n");
    let failed: Vec<_> = results.iter().filter(|result| result.3).map(|result| result.0).collect();
    assert_eq!(failed, ["mcp_4"]);
    assert!(parts.contains(&StreamPart::File { media_type: "image/webp".into(), data: "UklGRg==".into() }));
    assert_eq!(
        sources(&parts),
        [
            source("https://tides.example/oban", "Oban", &["[Oban](https://tides.example/oban)"]),
            source("file-9", "almanac.pdf", &[]),
            source("https://sea.example/", "Sea", &["[Sea](https://sea.example/)"]),
        ]
    );
    // Pages that were opened are no searches.
    assert_eq!(finish(&parts).1.web_searches, Some(1));
}

#[test]
fn responses_items_go_back_as_they_came() {
    let (_, _, bytes) = all().into_iter().find(|(name, ..)| *name == "responses tools").unwrap();
    let items: Vec<Value> = std::str::from_utf8(bytes)
        .unwrap()
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .filter(|event: &Value| event["type"] == "response.output_item.done")
        .map(|event| event["item"].clone())
        .collect();
    let answer = message(&parts("responses tools"));
    for (store, image) in [(true, true), (false, false)] {
        let settings = CallSettings {
            provider_options: json!({ "openai": { "store": store } }).as_object().cloned().unwrap(),
            ..CallSettings::default()
        };
        let body = sent_back(&ResponsesWire::openai(), "gpt-5", answer.clone(), settings);
        let input = body["input"].as_array().unwrap();
        assert_eq!(input[1..6], items[..5], "store: {store}");
        let ids: Vec<&Value> = input[6..8].iter().map(|item| &item["id"]).collect();
        assert_eq!(ids, ["msg_6", "msg_7"]);
        let is_sent = input.iter().any(|item| *item == json!({ "type": "item_reference", "id": "ig_8" }));
        assert_eq!(is_sent, image);
        if !store {
            assert_eq!(input[6]["content"][0]["annotations"], items[5]["content"][0]["annotations"]);
        }
    }
    let azure = sent_back(&ResponsesWire::azure("v1"), "gpt-5", answer, CallSettings::default());
    assert!(!azure["input"].to_string().contains("_call"), "another provider does not know the items: {azure}");
}

#[test]
fn gemini_shows_what_google_has_run_and_receives_it_back() {
    let parts = parts("google tools");
    assert_eq!(
        calls(&parts),
        [
            ("tc1", "google_search_web", r#"{"queries":["tide Oban"]}"#),
            ("call_n", "code_execution", r#"{"language":"PYTHON","code":"print(1)"}"#),
        ]
    );
    let names: Vec<_> = results(&parts).iter().map(|(id, name, ..)| (*id, *name)).collect();
    assert_eq!(names, [("tc1", "google_search_web"), ("call_n", "code_execution")]);
    assert_eq!(
        sources(&parts),
        [
            source("https://tides.example/oban", "tides.example", &["Högvatten 🌊 är kl. 3.", "ebb – vid Ål"]),
            source("gs://b/almanac.pdf", "Almanac", &["ebb – vid Ål"]),
            source("https://sea.example/", "sea.example", &[]),
        ]
    );
    assert_eq!(finish(&parts).1.web_searches, Some(2));

    let answer = message(&parts);
    let body = sent_back(&GoogleWire::generative_language(), "gemini-3-pro", answer.clone(), CallSettings::default());
    assert_eq!(
        body["contents"][1]["parts"].as_array().unwrap()[..4],
        [
            json!({ "toolCall": { "id": "tc1", "toolType": "GOOGLE_SEARCH_WEB", "args": { "queries": ["tide Oban"] } },
                    "thoughtSignature": "sig-1" }),
            json!({ "toolResponse": { "id": "tc1", "toolType": "GOOGLE_SEARCH_WEB",
                    "response": { "search_suggestions": "<b>" } }, "thoughtSignature": "sig-2" }),
            json!({ "executableCode": { "language": "PYTHON", "code": "print(1)" } }),
            json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "1\n" } }),
        ]
    );
    let vertex = sent_back(&GoogleWire::vertex(), "gemini-3-pro", answer, CallSettings::default());
    assert!(!vertex["contents"].to_string().contains("executableCode"), "{vertex}");
}

#[test]
fn gemini_receives_the_ids_of_its_calls() {
    let google = GoogleWire::generative_language();
    let call = json!({ "functionCall": { "id": "fc-7", "name": "tide", "args": {} }, "thoughtSignature": "s" });
    let chunk = json!({ "candidates": [{ "content": { "parts": [call] }, "finishReason": "STOP" }] });
    let decoded = decode(&google, vec![format!("data: {chunk}\n\n").into_bytes()]);
    let parts = decoded.into_iter().filter_map(|piece| match piece {
        Decoded::Part(part) => Some(part),
        Decoded::Failure(_) => None,
    });
    let answer = message(&parts.collect::<Vec<_>>());
    let result = ContentPart::ToolResult {
        tool_call_id: "call_n".into(),
        tool_name: "tide".into(),
        output: ToolOutput::Text("low".into()),
        agents: Rc::default(),
        provider_options: None,
    };
    let messages = vec![user("Tide?"), answer, Message::parts(Role::Tool, vec![result])];
    let body = encode(&google, "gemini-3-pro", messages, CallSettings::default()).body;
    assert_eq!(body["contents"][1]["parts"][0], call);
    assert_eq!(body["contents"][2]["parts"][0]["functionResponse"]["id"], "fc-7");
}

#[test]
fn chat_completions_have_annotations_lists_and_executed_tools() {
    let router = parts("openrouter");
    assert_eq!(
        sources(&router),
        [
            source("https://sea.example/", "Sea", &[]),
            source("https://third.example/", "", &[]),
            source("https://tides.example", "Tides", &["tides.example"]),
        ]
    );
    assert_eq!(finish(&router).1.web_searches, Some(2));

    let groq = parts("groq search");
    assert_eq!(calls(&groq), [("call_n", "browser_search", r#"{"query": "tide Oban"}"#)]);
    assert_eq!(results(&groq)[0].2["output"], "two pages");
    assert_eq!(sources(&groq), [source("https://tides.example/oban", "Oban", &[])]);
    assert_eq!((finish(&groq).0, finish(&groq).1.web_searches), (FinishReason::Stop, Some(1)));
}

#[test]
fn cohere_cites_documents_and_tools() {
    let parts = parts("cohere citations");
    assert_eq!(
        sources(&parts),
        [source("doc:0", "Almanac", &["kl. 3", "Ål"]), source("https://tides.example/al", "Ål", &["Ål"])]
    );
}

#[test]
fn what_one_provider_has_run_is_not_sent_to_another() {
    for name in ["anthropic tools", "responses tools", "google tools", "groq search"] {
        let answer = message(&parts(name));
        let Content::Parts(content) = &answer.content else { panic!() };
        let last = content.iter().rev().find_map(|part| match part {
            ContentPart::Text { text, .. } => Some(text.to_string()),
            _ => None,
        });
        for (wire_name, wire) in super::wires() {
            if name.starts_with(wire_name) {
                continue;
            }
            let body = sent_back(wire.as_ref(), "m", answer.clone(), CallSettings::default()).to_string();
            assert!(body.contains(last.as_deref().unwrap()), "{name} to {wire_name}: {body}");
            let foreign = ["srvtoolu_", "ws_1", "tc1", "enc-1", "executableCode", "executed_tools", "mcptoolu"];
            assert!(!foreign.iter().any(|part| body.contains(part)), "{name} to {wire_name}: {body}");
        }
    }
}
