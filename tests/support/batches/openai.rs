//! Files and batches of OpenAI, Azure and Groq.

use serde_json::{Value, json};

use super::{
    Act, Answer, Batch, Phase, Request, segments,
    store::{Answers, File, Store},
    turn_page,
};

pub(super) fn act(request: &Request) -> Act {
    let segments = segments(request);
    let after = |word: &str| segments.iter().position(|segment| *segment == word).map(|at| segments.len() - at - 1);
    match (request.method.as_str(), after("files"), after("batches")) {
        ("POST", Some(0), _) => Act::Upload,
        ("GET", Some(0), _) | ("GET", _, Some(0)) => Act::List,
        ("GET", Some(2), _) => Act::Results,
        ("DELETE", Some(1), _) => Act::Delete,
        ("POST", _, Some(0)) => Act::Create,
        ("GET", _, Some(1)) => Act::Status,
        ("POST", _, Some(2)) => Act::Cancel,
        ("POST", None, None) => Act::Ask,
        _ => Act::Other,
    }
}

pub(super) fn answer(store: &mut Store, answers: Answers<'_>, act: Act, request: &Request) -> Answer {
    let segments = segments(request);
    let nth_last = |back: usize| segments[segments.len() - 1 - back];
    match act {
        Act::Upload => upload(store, request, "file-"),
        Act::List if nth_last(0) == "files" => list(request, store.files.iter().map(file_json)),
        Act::List => list(request, store.batches.iter().map(batch_json)),
        Act::Results => store.content(nth_last(1)),
        Act::Delete if store.delete_file(nth_last(0)) => {
            Answer::json(&json!({ "id": nth_last(0), "object": "file", "deleted": true }))
        }
        Act::Create => create(store, &request.json()),
        Act::Status => {
            store.poll(nth_last(0), answers).map_or_else(Answer::missing, |batch| Answer::json(&batch_json(&batch)))
        }
        Act::Cancel => match store.cancel(nth_last(1)) {
            Some(true) => Answer::json(&json!({ "id": nth_last(1), "object": "batch", "status": "cancelling" })),
            Some(false) => Answer::error(409, "Cannot cancel a batch that has ended."),
            None => Answer::missing(),
        },
        _ => match (request.method.as_str(), store.files.iter().find(|file| file.id == nth_last(0))) {
            ("GET", Some(file)) => Answer::json(&file_json(file)),
            _ => Answer::missing(),
        },
    }
}

/// Reads a form with the fields `purpose` and `file`.
pub(super) fn upload(store: &mut Store, request: &Request, kind: &str) -> Answer {
    let text = String::from_utf8(request.body.clone()).unwrap();
    let (_, boundary) = request.header("content-type").split_once("boundary=").expect("the form has a boundary");
    let parts: Vec<&str> = text.split(&format!("--{boundary}")).collect();
    assert_eq!(parts.last().map(|end| end.trim()), Some("--"), "the form ends");
    let part = |name: &str| {
        let part = parts.iter().find(|part| part.contains(&format!("name=\"{name}\"")));
        part.and_then(|part| part.split_once("\r\n\r\n")).map(|(head, body)| (head, body.strip_suffix("\r\n").unwrap()))
    };
    assert_eq!(part("purpose").map(|(_, purpose)| purpose), Some("batch"));
    let (head, content) = part("file").expect("the form has a file");
    let name = head.split_once("filename=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or_default();
    let lines = content.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let id = store.new_id(kind);
    Answer::json(&file_json(&store.add_file(id, name, lines)))
}

fn file_json(file: &File) -> Value {
    let File { id, name, created_at, .. } = file;
    json!({
        "id": id, "object": "file", "bytes": 1, "created_at": created_at, "filename": name, "purpose": "batch",
        "status": "processed",
    })
}

fn list(request: &Request, items: impl Iterator<Item = Value>) -> Answer {
    let mut items: Vec<Value> = items.collect();
    items.reverse();
    let has_more = turn_page(request, "after=", &mut items);
    Answer::json(&json!({ "object": "list", "data": items, "has_more": has_more }))
}

fn create(store: &mut Store, body: &Value) -> Answer {
    let (file, endpoint) = (body["input_file_id"].as_str().unwrap_or_default(), body["endpoint"].as_str().unwrap());
    assert_eq!(body["completion_window"], "24h");
    let Some(lines) = store.file(file) else { return Answer::error(400, "There is no such file.") };
    let request = |line: &Value| {
        assert_eq!((&line["method"], &line["url"]), (&json!("POST"), &json!(endpoint)));
        assert!(line["body"].get("stream").is_none(), "{line}");
        (line["custom_id"].as_str().unwrap().to_owned(), line["body"].clone())
    };
    let requests: Vec<_> = lines.iter().map(request).collect();
    let (id, name) = (store.new_id("batch_"), body["metadata"]["lmthing"].as_str().unwrap_or_default().to_owned());
    Answer::json(&batch_json(&store.add_batch(id, (&name, endpoint), Some(file.to_owned()), requests)))
}

fn batch_json(batch: &Batch) -> Value {
    let (status, errors) = match &batch.phase {
        Phase::Running if batch.is_cancelled => ("cancelling", Value::Null),
        Phase::Running => ("in_progress", Value::Null),
        Phase::Completed => ("completed", Value::Null),
        Phase::Expired => ("expired", Value::Null),
        Phase::Cancelled => ("cancelled", Value::Null),
        Phase::Failed { message: "", .. } => ("failed", Value::Null),
        Phase::Failed { code, message } => {
            ("failed", json!({ "object": "list", "data": [{ "code": code, "message": message, "line": null }] }))
        }
    };
    json!({
        "id": batch.id, "object": "batch", "endpoint": batch.endpoint, "completion_window": "24h", "status": status,
        "created_at": batch.created_at, "input_file_id": batch.input_file, "output_file_id": batch.output_file,
        "error_file_id": batch.error_file, "errors": errors, "metadata": { "lmthing": batch.name },
        "request_counts": {
            "total": batch.requests.len(), "completed": batch.counts.0, "failed": batch.counts.1,
        },
    })
}
