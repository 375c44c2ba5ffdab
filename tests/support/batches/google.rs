//! Files and batches of the Gemini API.

use serde_json::{Value, json};

use super::{
    Act, Answer, Batch, PAGE, Phase, Request, segments,
    store::{Answers, Store},
};

pub(super) fn act(request: &Request) -> Act {
    let segments = segments(request);
    match (request.method.as_str(), segments.as_slice()) {
        ("POST", ["upload", "v1beta", "files"]) if request.header("x-goog-upload-command") != "start" => Act::Upload,
        ("GET", ["v1beta", "files" | "batches"]) => Act::List,
        ("GET", ["v1beta", "files", _]) => Act::Results,
        ("DELETE", ["v1beta", "files", _]) => Act::Delete,
        ("GET", ["v1beta", "batches", _]) => Act::Status,
        ("POST", ["v1beta", "batches", _]) => Act::Cancel,
        ("POST", ["v1beta", "models", model]) if model.ends_with(":batchGenerateContent") => Act::Create,
        ("POST", ["v1beta", "models", _]) => Act::Ask,
        _ => Act::Other,
    }
}

pub(super) fn answer(store: &mut Store, answers: Answers<'_>, act: Act, request: &Request) -> Answer {
    let segments = segments(request);
    let last = segments.last().copied().unwrap_or_default();
    match act {
        // The name is in the address, as the content comes alone.
        Act::Other if last == "files" => {
            assert_eq!(request.header("x-goog-upload-protocol"), "resumable");
            let name = request.json()["file"]["displayName"].as_str().unwrap().to_owned();
            let place = format!("http://{}/upload/v1beta/files?upload_id={name}", store.address);
            Answer { status: 200, headers: format!("x-goog-upload-url: {place}\r\n"), body: String::new() }
        }
        Act::Upload => {
            assert_eq!(request.header("x-goog-upload-command"), "upload, finalize");
            let name = request.path.split_once("upload_id=").map(|(_, name)| name.to_owned()).unwrap();
            let text = String::from_utf8(request.body.clone()).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let id = store.new_id("in");
            store.add_file(id.clone(), &name, lines);
            Answer::json(&json!({ "file": { "name": format!("files/{id}"), "displayName": name } }))
        }
        Act::List if last == "files" => {
            let file = |id: &str, name: &str| json!({ "name": format!("files/{id}"), "displayName": name });
            let files: Vec<Value> = store.files.iter().map(|known| file(&known.id, &known.name)).collect();
            page("files", &files, request)
        }
        Act::List => {
            let all: Vec<Value> = store.batches.iter().map(|batch| operation(store, batch)).collect();
            page("operations", &all, request)
        }
        Act::Results => {
            let id = request.path.split(['/', ':', '?']).nth(3).map(str::to_owned);
            match store.content(id.as_deref().unwrap_or_default()) {
                Answer { status: 200, .. } => {
                    let lines = store.results(|batch| [&batch.output_file, &batch.error_file].contains(&&id));
                    Answer::lines(&lines.iter().map(|line| result(line, true)).collect::<Vec<_>>())
                }
                other => other,
            }
        }
        Act::Delete if store.delete_file(last) => Answer::json(&json!({})),
        Act::Create => create(store, last.trim_end_matches(":batchGenerateContent"), &request.json()),
        Act::Status => match store.poll(last, answers) {
            Some(batch) => Answer::json(&operation(store, &batch)),
            None => Answer::missing(),
        },
        Act::Cancel => match store.cancel(last.trim_end_matches(":cancel")) {
            // An operation that has ended, or is ending, may be cancelled.
            Some(_) => Answer::json(&json!({})),
            None => Answer::missing(),
        },
        _ => Answer::missing(),
    }
}

fn page(list: &str, all: &[Value], request: &Request) -> Answer {
    let token = request.path.split_once("pageToken=").map(|(_, token)| token.split('&').next().unwrap_or_default());
    let from = token.map_or(0, |token| token.parse().unwrap());
    let items: Vec<&Value> = all.iter().skip(from).take(PAGE).collect();
    let next = (from + PAGE < all.len()).then(|| (from + PAGE).to_string());
    Answer::json(&json!({ list: items, "nextPageToken": next.unwrap_or_default() }))
}

fn create(store: &mut Store, model: &str, body: &Value) -> Answer {
    let batch = &body["batch"];
    let input = &batch["inputConfig"];
    let file = input["fileName"].as_str().map(|name| name.trim_start_matches("files/").to_owned());
    let requests = match &file {
        Some(file) => match store.file(file) {
            None => return Answer::error(404, "There is no such file."),
            Some(lines) => {
                let request = |line: &Value| (line["key"].as_str().unwrap().to_owned(), line["request"].clone());
                lines.iter().map(request).collect()
            }
        },
        None => {
            let request =
                |item: &Value| (item["metadata"]["key"].as_str().unwrap().to_owned(), item["request"].clone());
            input["requests"]["requests"].as_array().unwrap().iter().map(request).collect()
        }
    };
    let (id, name) = (store.new_id("b"), batch["displayName"].as_str().unwrap_or_default());
    let batch = store.add_batch(id, (name, model), file, requests);
    Answer::json(&operation(store, &batch))
}

fn operation(store: &Store, batch: &Batch) -> Value {
    let state = match batch.phase {
        Phase::Running => "BATCH_STATE_RUNNING",
        Phase::Completed => "BATCH_STATE_SUCCEEDED",
        Phase::Expired => "BATCH_STATE_EXPIRED",
        Phase::Cancelled => "BATCH_STATE_CANCELLED",
        Phase::Failed { .. } => "BATCH_STATE_FAILED",
    };
    let (good, bad) = batch.counts;
    let mut operation = json!({
        "name": format!("batches/{}", batch.id), "done": batch.phase != Phase::Running,
        "metadata": {
            "model": format!("models/{}", batch.endpoint), "displayName": batch.name, "state": state,
            "batchStats": {
                "requestCount": batch.requests.len().to_string(), "successfulRequestCount": good.to_string(),
                "failedRequestCount": bad.to_string(),
            },
        },
    });
    if let Some(file) = &batch.input_file {
        operation["metadata"]["inputConfig"] = json!({ "fileName": format!("files/{file}") });
    }
    if let Phase::Failed { message, .. } = batch.phase {
        operation["error"] = json!({ "code": 8, "message": message });
    }
    if batch.counts != (0, 0) {
        let results = batch.output_file.as_ref().or(batch.error_file.as_ref());
        operation["response"] = match (&batch.input_file, results) {
            (Some(_), Some(file)) => json!({ "responsesFile": format!("files/{file}") }),
            _ => {
                let lines = store.results(|known| known.id == batch.id);
                let lines: Vec<Value> = lines.iter().map(|line| result(line, false)).collect();
                json!({ "inlinedResponses": { "inlinedResponses": lines } })
            }
        };
    }
    operation
}

/// A line of results in Google's form, in a file or inside of the batch.
fn result(line: &Value, is_in_file: bool) -> Value {
    let error = |code: u16, message: &Value| json!({ "error": { "code": code, "message": message } });
    let mut result = match (line["end"].as_str(), line["response"]["status_code"].as_u64()) {
        (Some("canceled"), _) => error(1, &line["error"]["message"]),
        (Some(_), _) => error(4, &json!("The request expired.")),
        (None, Some(200)) => json!({ "response": line["response"]["body"] }),
        _ => line["response"]["body"].clone(),
    };
    match is_in_file {
        true => result["key"] = line["custom_id"].clone(),
        false => result["metadata"] = json!({ "key": line["custom_id"] }),
    }
    result
}
