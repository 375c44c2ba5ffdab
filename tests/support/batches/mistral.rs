//! Files and jobs of Mistral.

use serde_json::{Value, json};

use super::{
    Act, Answer, Batch, Phase, Request, openai, segments,
    store::{Answers, Store},
};

pub(super) fn act(request: &Request) -> Act {
    let segments = segments(request);
    match (request.method.as_str(), &segments[1..]) {
        ("POST", ["batch", "jobs"]) => Act::Create,
        ("GET", ["batch", "jobs"]) => Act::List,
        ("GET", ["batch", "jobs", _]) => Act::Status,
        ("POST", ["batch", "jobs", _, "cancel"]) => Act::Cancel,
        _ => openai::act(request),
    }
}

pub(super) fn answer(store: &mut Store, answers: Answers<'_>, act: Act, request: &Request) -> Answer {
    let segments = segments(request);
    match (act, &segments[1..]) {
        (Act::Upload, _) => openai::upload(store, request, ""),
        (Act::List, ["files"]) => {
            let file =
                |id: &str, name: &str| json!({ "id": id, "object": "file", "filename": name, "purpose": "batch" });
            Answer::json(&json!({
                "object": "list", "data": store.files.iter().map(|known| file(&known.id, &known.name)).collect::<Vec<_>>(),
            }))
        }
        (Act::List, _) => {
            let jobs: Vec<Value> = store.batches.iter().rev().map(job).collect();
            Answer::json(&json!({ "object": "list", "total": jobs.len(), "data": jobs }))
        }
        (Act::Create, _) => create(store, &request.json()),
        (Act::Status, [_, _, id]) => {
            store.poll(id, answers).map_or_else(Answer::missing, |batch| Answer::json(&job(&batch)))
        }
        (Act::Cancel, [_, _, id, _]) => match store.cancel(id) {
            Some(true) => Answer::json(&job(store.batches.iter().find(|batch| batch.id == *id).unwrap())),
            Some(false) => Answer::error(422, "The job has ended."),
            None => Answer::missing(),
        },
        _ => openai::answer(store, answers, act, request),
    }
}

fn create(store: &mut Store, body: &Value) -> Answer {
    let file = body["input_files"][0].as_str().unwrap_or_default();
    let Some(lines) = store.file(file) else { return Answer::error(422, "There is no such file.") };
    let request = |line: &Value| {
        assert!(line["body"].get("stream").is_none(), "{line}");
        assert_eq!(line["body"]["model"], body["model"]);
        (line["custom_id"].as_str().unwrap().to_owned(), line["body"].clone())
    };
    let requests: Vec<_> = lines.iter().map(request).collect();
    let (id, name) = (store.new_id("job-"), body["metadata"]["lmthing"].as_str().unwrap_or_default().to_owned());
    let endpoint = body["endpoint"].as_str().unwrap();
    Answer::json(&job(&store.add_batch(id, (&name, endpoint), Some(file.to_owned()), requests)))
}

fn job(batch: &Batch) -> Value {
    let (status, errors) = match &batch.phase {
        Phase::Running if batch.is_cancelled => ("CANCELLATION_REQUESTED", json!([])),
        Phase::Running => ("RUNNING", json!([])),
        Phase::Completed => ("SUCCESS", json!([])),
        Phase::Expired => ("TIMEOUT_EXCEEDED", json!([])),
        Phase::Cancelled => ("CANCELLED", json!([])),
        Phase::Failed { message: "", .. } => ("FAILED", json!([])),
        Phase::Failed { code, message } => ("FAILED", json!([{ "message": format!("{code}: {message}"), "count": 1 }])),
    };
    let (succeeded, failed) = batch.counts;
    json!({
        "id": batch.id, "object": "batch", "input_files": [batch.input_file], "endpoint": batch.endpoint,
        "metadata": { "lmthing": batch.name }, "status": status, "errors": errors, "created_at": batch.created_at,
        "output_file": batch.output_file, "error_file": batch.error_file, "total_requests": batch.requests.len(),
        "completed_requests": succeeded + failed, "succeeded_requests": succeeded, "failed_requests": failed,
    })
}
