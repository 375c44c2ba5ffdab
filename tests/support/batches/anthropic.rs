//! Message batches of Anthropic.

use serde_json::{Value, json};

use super::{
    Act, Answer, Batch, Phase, Request, segments,
    store::{Answers, Store},
    turn_page,
};

pub(super) fn act(request: &Request) -> Act {
    let segments = segments(request);
    match (request.method.as_str(), &segments[1..]) {
        ("POST", ["messages"]) => Act::Ask,
        ("POST", ["messages", "batches"]) => Act::Create,
        ("GET", ["messages", "batches"]) => Act::List,
        ("GET", ["messages", "batches", _]) => Act::Status,
        ("GET", ["messages", "batches", _, "results"]) => Act::Results,
        ("POST", ["messages", "batches", _, "cancel"]) => Act::Cancel,
        _ => Act::Other,
    }
}

pub(super) fn answer(store: &mut Store, answers: Answers<'_>, act: Act, request: &Request) -> Answer {
    let segments = segments(request);
    let id = segments.get(3).copied().unwrap_or_default();
    match act {
        Act::Create => create(store, &request.json()),
        Act::List => {
            // Who asks for a list asks about all of its batches.
            let ids: Vec<String> = store.batches.iter().map(|batch| batch.id.clone()).collect();
            ids.iter().for_each(|id| drop(store.poll(id, answers)));
            let mut data: Vec<Value> = store.batches.iter().rev().map(|batch| batch_json(store, batch)).collect();
            let has_more = turn_page(request, "after_id=", &mut data);
            let last = data.last().map_or(Value::Null, |batch| batch["id"].clone());
            Answer::json(&json!({ "data": data, "has_more": has_more, "last_id": last }))
        }
        Act::Status => match store.poll(id, answers) {
            Some(batch) => Answer::json(&batch_json(store, &batch)),
            None => Answer::missing(),
        },
        Act::Results if store.elsewhere.is_some() && !store.is_gateway => Answer::missing(),
        Act::Results => {
            let lines = store.results(|batch| batch.id == id);
            Answer::lines(&lines.iter().map(result).collect::<Vec<_>>())
        }
        Act::Cancel => match store.cancel(id) {
            Some(true) => {
                let batch = store.batches.iter().find(|batch| batch.id == id).unwrap();
                Answer::json(&batch_json(store, batch))
            }
            Some(false) => Answer::error(400, "Batch has already ended."),
            None => Answer::missing(),
        },
        _ => Answer::missing(),
    }
}

fn create(store: &mut Store, body: &Value) -> Answer {
    let request = |item: &Value| {
        assert!(item["params"].get("stream").is_none(), "{item}");
        let id = item["custom_id"].as_str().unwrap();
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        assert!((1..=64).contains(&id.len()) && id.bytes().all(is_known), "{id}");
        (id.to_owned(), item["params"].clone())
    };
    let requests: Vec<_> = body["requests"].as_array().unwrap().iter().map(request).collect();
    let id = store.new_id("msgbatch_");
    let batch = store.add_batch(id, ("", "/v1/messages"), None, requests);
    Answer::json(&batch_json(store, &batch))
}

fn batch_json(store: &Store, batch: &Batch) -> Value {
    let has_ended = batch.phase != Phase::Running;
    let (good, bad) = batch.counts;
    let kind = match batch.phase {
        Phase::Expired => "expired",
        Phase::Cancelled => "canceled",
        _ => "errored",
    };
    let mut counts = json!({ "processing": 0, "succeeded": good, "errored": 0, "canceled": 0, "expired": 0 });
    counts[kind] = bad.into();
    if !has_ended {
        counts["processing"] = batch.requests.len().into();
    }
    let host = match (&store.elsewhere, &batch.output_file) {
        (Some(host), Some(_)) => format!("{host}/results/{}", batch.id),
        _ => format!("http://{}/v1/messages/batches/{}/results", store.address, batch.id),
    };
    let status = match has_ended {
        true => "ended",
        false if batch.is_cancelled => "canceling",
        false => "in_progress",
    };
    json!({
        "id": batch.id, "type": "message_batch", "processing_status": status, "request_counts": counts,
        "created_at": "2999-01-01T00:00:00.5Z", "expires_at": "2999-01-02T00:00:00Z",
        "cancel_initiated_at": batch.is_cancelled.then_some("2999-01-01T00:00:00Z"),
        "results_url": has_ended.then_some(host),
    })
}

/// A line of results in Anthropic's form.
pub(super) fn result(line: &Value) -> Value {
    let result = match (line["end"].as_str(), line["response"]["status_code"].as_u64()) {
        (Some(end), _) => json!({ "type": end }),
        (None, Some(200)) => json!({ "type": "succeeded", "message": line["response"]["body"] }),
        _ => json!({ "type": "errored", "error": line["response"]["body"] }),
    };
    json!({ "custom_id": line["custom_id"], "result": result })
}
