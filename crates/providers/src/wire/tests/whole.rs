//! Whole answers, as batches give them: the stored streams put together read as the streams do.

use serde_json::{Map, Value, json};

use super::{
    answers::{message, sources},
    responses::{Summary, all, decode, summary},
    wire,
};
use crate::{
    ProviderErrorKind,
    wire::{Decoded, WireFormat},
};
use lmthing_base::chat::{FinishReason, StreamPart};

fn read(wire: &dyn WireFormat, answer: &str) -> Vec<Decoded> {
    let events = wire.whole_answer(answer).unwrap();
    let stream = events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>();
    decode(wire, vec![stream.into_bytes()])
}

fn summary_of(name: &str, answer: &Value) -> Summary {
    summary(&read(wire(name).as_ref(), &answer.to_string()))
}

/// The events of a stored stream.
fn events(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let data = text.split("data:").skip(1).map(|rest| rest.lines().next().unwrap_or_default());
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

fn append(text: &mut Value, more: &Value) {
    let Some(more) = more.as_str() else { return };
    *text = format!("{}{more}", text.as_str().unwrap_or_default()).into();
}

fn whole_of_chat(events: &[Value]) -> Value {
    let (mut whole, mut choice, mut message) = (Map::new(), Map::new(), Map::new());
    for event in events {
        whole.extend(event.as_object().unwrap().clone().into_iter().filter(|(key, _)| key != "choices"));
        let given = event["choices"][0].as_object().cloned().unwrap_or_default();
        for (key, value) in given.get("delta").and_then(Value::as_object).into_iter().flatten() {
            let known =
                message.entry(key.clone()).or_insert_with(|| if key == "tool_calls" { json!([]) } else { Value::Null });
            match key.as_str() {
                "tool_calls" => value.as_array().unwrap().iter().for_each(|piece| add_call(known, piece)),
                _ if value.is_string() && !known.is_array() => append(known, value),
                "content" => add_pieces(known, value),
                _ => *known = value.clone(),
            }
        }
        choice.extend(given.into_iter().filter(|(key, value)| key != "delta" && !value.is_null()));
    }
    choice.insert("message".into(), message.into());
    whole.insert("choices".into(), json!([choice]));
    whole.into()
}

fn add_call(calls: &mut Value, piece: &Value) {
    let calls = calls.as_array_mut().unwrap();
    let is_same = |call: &&mut Value| piece.get("id").is_none() && call["index"] == piece["index"];
    match calls.iter_mut().find(is_same) {
        Some(call) => append(&mut call["function"]["arguments"], &piece["function"]["arguments"]),
        None => calls.push(piece.clone()),
    }
}

/// Mistral's content is a list of parts, or a text.
fn add_pieces(known: &mut Value, more: &Value) {
    let pieces = more.as_array().cloned().unwrap_or_else(|| vec![json!({ "type": "text", "text": more })]);
    let list = known.as_array().cloned().unwrap_or_default();
    *known = [list, pieces].concat().into();
}

fn whole_of_responses(events: &[Value]) -> Value {
    let done = |event: &&Value| event["type"] == "response.output_item.done";
    let mut items: Vec<Value> = events.iter().filter(done).map(|event| event["item"].clone()).collect();
    for event in events {
        let Some(item) = items.iter_mut().find(|item| event["item_id"] == item["id"]) else { continue };
        let (list, kind) = match event["type"].as_str() {
            Some("response.output_text.delta") => ("content", "output_text"),
            Some("response.reasoning_summary_text.delta") => ("summary", "summary_text"),
            _ => continue,
        };
        let is_told = item[list].as_array().is_some_and(|parts| parts.iter().any(|part| part.get("done").is_none()));
        if !is_told {
            let index = event["content_index"].as_u64().or(event["summary_index"].as_u64()).unwrap_or(0);
            add_text(&mut item[list], usize::try_from(index).unwrap(), kind, &event["delta"]);
        }
    }
    // The stored stream leaves them out of the end of its last text.
    if let Some(last) = items.iter_mut().find(|item| item["content"][0]["annotations"] == json!([])) {
        let of_last = events.iter().filter(|event| event["item_id"] == last["id"]);
        let annotations = of_last.filter_map(|event| event.get("annotation").cloned());
        last["content"][0]["annotations"] = annotations.collect();
    }
    let mut whole = events[0]["response"].as_object().unwrap().clone();
    whole.extend(events.last().unwrap()["response"].as_object().unwrap().clone());
    whole.insert("status".into(), "completed".into());
    whole.insert("output".into(), items.into());
    whole.into()
}

/// Adds a piece to a part of an item that does not come as a whole.
fn add_text(parts: &mut Value, index: usize, kind: &str, delta: &Value) {
    if parts.is_null() {
        *parts = json!([]);
    }
    let parts = parts.as_array_mut().unwrap();
    while parts.len() <= index {
        parts.push(json!({ "type": kind, "text": "", "done": true }));
    }
    append(&mut parts[index]["text"], delta);
}

fn whole_of_claude(events: &[Value]) -> Value {
    let (mut whole, mut blocks) = (json!({}), Vec::<Value>::new());
    for event in events {
        match event["type"].as_str().unwrap() {
            "message_start" => whole = event["message"].clone(),
            "content_block_start" => blocks.push(event["content_block"].clone()),
            "content_block_delta" => {
                let (block, delta) =
                    (&mut blocks[usize::try_from(event["index"].as_u64().unwrap()).unwrap()], &event["delta"]);
                match delta["type"].as_str().unwrap() {
                    "input_json_delta" => append(&mut block["partial"], &delta["partial_json"]),
                    "citations_delta" => add_pieces(&mut block["citations"], &json!([delta["citation"]])),
                    _ => ["text", "thinking", "signature"].iter().for_each(|key| {
                        if delta[key].is_string() {
                            append(&mut block[key], &delta[key]);
                        }
                    }),
                }
            }
            "message_delta" => {
                let delta = event["delta"].as_object().unwrap().clone();
                whole.as_object_mut().unwrap().extend(delta);
                whole["usage"].as_object_mut().unwrap().extend(event["usage"].as_object().unwrap().clone());
            }
            _ => {}
        }
    }
    for block in &mut blocks {
        let partial = block.as_object_mut().unwrap().remove("partial");
        if let Some(input) = partial.as_ref().and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok()) {
            block["input"] = input;
        }
    }
    whole["content"] = blocks.into();
    whole
}

fn whole_of_gemini(events: &[Value]) -> Value {
    let (mut whole, mut candidate, mut parts) = (Map::new(), Map::new(), Vec::new());
    for event in events {
        whole.extend(event.as_object().unwrap().clone());
        candidate.extend(event["candidates"][0].as_object().cloned().unwrap_or_default());
        parts.extend(event["candidates"][0]["content"]["parts"].as_array().cloned().unwrap_or_default());
    }
    candidate.insert("content".into(), json!({ "parts": parts }));
    whole.insert("candidates".into(), json!([candidate]));
    whole.into()
}

#[test]
fn whole_answers_read_as_their_streams() {
    let mut count = 0;
    // In these, an item or its end is missing, which no whole answer lacks.
    let others = ["responses refused", "groq malformed"];
    for (name, wire, bytes) in all().into_iter().filter(|(name, ..)| !others.contains(name)) {
        let Some(_) = wire.whole_answer("{}") else { continue };
        let events = events(bytes);
        let whole = match name.split(' ').next().unwrap() {
            "responses" => whole_of_responses(&events),
            "anthropic" => whole_of_claude(&events),
            "google" => whole_of_gemini(&events),
            _ => whole_of_chat(&events),
        };
        let parts = |decoded: Vec<Decoded>| -> Vec<StreamPart> {
            let part = |decoded| if let Decoded::Part(part) = decoded { Some(part) } else { None };
            decoded.into_iter().filter_map(part).collect()
        };
        let (streamed, read) = (decode(wire.as_ref(), vec![bytes.to_vec()]), read(wire.as_ref(), &whole.to_string()));
        let (from_stream, from_whole) = (summary(&streamed), summary(&read));
        let compact = |calls: &[(String, String, String)]| -> Vec<(String, String, Value)> {
            let call = |(id, name, input): &(String, String, String)| {
                (id.clone(), name.clone(), serde_json::from_str(input).unwrap_or_default())
            };
            calls.iter().map(call).collect()
        };
        assert_eq!(from_whole.text, from_stream.text, "{name}: {whole}");
        assert_eq!(from_whole.reasoning, from_stream.reasoning, "{name}: {whole}");
        assert_eq!(compact(&from_whole.calls), compact(&from_stream.calls), "{name}: {whole}");
        assert_eq!(from_whole.finish, from_stream.finish, "{name}: {whole}");
        assert_eq!(from_whole.failure, from_stream.failure, "{name}: {whole}");
        assert_eq!(from_whole.ending, from_stream.ending, "{name}: {whole}");
        let (streamed, read) = (parts(streamed), parts(read));
        assert_eq!(sources(&read), sources(&streamed), "{name}: {whole}");
        assert_eq!(sent_back(&read), sent_back(&streamed), "{name}: {whole}");
        count += 1;
    }
    assert_eq!(count, 18);
}

/// The message of the history, with arguments as values.
fn sent_back(parts: &[StreamPart]) -> Value {
    let message = serde_json::to_string(&message(parts)).unwrap();
    // A stream has a first form of encrypted thoughts, and a whole answer the last one only.
    serde_json::from_str(&message.replace("enc-start", "enc-end")).unwrap()
}

#[test]
fn refusals_and_cut_answers_are_those_of_a_stream() {
    let refused = json!({
        "id": "resp_no", "status": "completed", "usage": { "input_tokens": 4, "output_tokens": 3 },
        "output": [{ "type": "message", "id": "m", "content": [{ "type": "refusal", "refusal": "No charts." }] }],
    });
    let read = summary_of("responses", &refused);
    assert_eq!(read.finish.unwrap().0, FinishReason::ContentFilter);
    assert!(format!("{:?}", read.ending).contains("No charts."), "{:?}", read.ending);
    let cut = json!({
        "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" },
        "output": [{ "type": "message", "id": "m", "content": [{ "type": "output_text", "text": "Ebb" }] }],
    });
    let read = summary_of("responses", &cut);
    assert_eq!((read.text.as_str(), read.finish.unwrap().0), ("Ebb", FinishReason::Length));
    let failed =
        json!({ "status": "failed", "error": { "code": "server_error", "message": "Out of order." }, "output": [] });
    let read = summary_of("responses", &failed);
    assert_eq!(read.failure, Some((ProviderErrorKind::Server, "Out of order.".to_owned())));
    let claude = json!({ "content": [{ "type": "text", "text": "Ebb" }], "stop_reason": "max_tokens", "usage": {} });
    assert_eq!(summary_of("anthropic", &claude).finish.unwrap().0, FinishReason::Length);
}

#[test]
fn summaries_of_thoughts_are_read() {
    let whole = json!({
        "status": "completed",
        "output": [
            { "type": "reasoning", "id": "rs_1", "encrypted_content": "enc==", "summary": [
                { "type": "summary_text", "text": "High water." }, { "type": "summary_text", "text": " Then ebb." },
            ] },
            { "type": "message", "id": "m", "content": [{ "type": "output_text", "text": "At 3." }] },
        ],
    });
    let read = summary_of("responses", &whole);
    assert_eq!((read.reasoning.as_str(), read.text.as_str()), ("High water. Then ebb.", "At 3."));
    assert!(read.metadata.iter().any(|metadata| metadata["openai"]["reasoningEncryptedContent"] == "enc=="));
}

#[test]
fn what_is_no_answer_is_a_failure() {
    for name in ["responses", "chat", "anthropic", "google", "mistral", "groq"] {
        for answer in ["{}", "[]", "3", "\"text\"", "{\"error\": {\"message\": \"Out of order.\"}}"] {
            let read = summary(&read(wire(name).as_ref(), answer));
            assert!(read.failure.is_some() && read.finish.is_none(), "{name}: {answer}: {read:?}");
        }
    }
}
