//! Batches that are submitted, asked about, read, cancelled and cleared away.

use lmthing_base::chat::{CallSettings, FinishReason};
use lmthing_providers::{
    BatchClient, BatchOutcome, BatchPhase, Dispatch, FoundBatch, ProviderErrorKind, ProviderSettings,
};
use serde_json::{Value, json};

use super::{Setup, answered, gate, has_files, read, request};
use crate::{
    steps::ask,
    support::batches::{Act, BatchServer, DIALECTS, Dialect, Fault, KEY, Phase},
};

#[tokio::test]
async fn a_batch_of_each_provider_is_answered_and_cleared_away() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect).polls(3));
        let batch = setup.batch(&["one", "two", "three"]).await;
        let id = batch.submit().await;
        let running = batch.client.status(&id).await.unwrap();
        assert_eq!((running.phase, running.results.len()), (BatchPhase::InProgress, 0), "{dialect:?}");
        let status = batch.ended(&id).await;
        assert_eq!((&status.phase, status.succeeded, status.failed), (&BatchPhase::Completed, 3, 0), "{dialect:?}");
        let results = batch.results(&status).await;
        let order: Vec<&str> = results.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(order, ["row-2", "row-1", "row-0"], "{dialect:?}");
        for ((_, outcome), text) in results.iter().zip(["three", "two", "one"]) {
            let answer = read(&setup, answered(outcome)).await;
            assert_eq!(answer.text, text, "{dialect:?}");
            assert_eq!(answer.finish.map(|(reason, _)| reason), Some(FinishReason::Stop), "{dialect:?}");
            let tiers = answer.metadata.iter().filter_map(|metadata| metadata.service_tier.as_deref());
            assert_eq!(tiers.collect::<Vec<_>>(), ["batch"], "{dialect:?}");
        }
        assert_eq!(setup.server.files().is_empty(), !has_files(dialect), "{dialect:?}");
        for file in &status.files {
            batch.client.delete(file).await.unwrap();
            batch.client.delete(file).await.expect("a file that is deleted already is no error");
        }
        assert_eq!(setup.server.files(), [""; 0], "{dialect:?}");
        assert_eq!(setup.server.paid().len(), 3, "{dialect:?}");
    }
}

#[tokio::test]
async fn requests_are_those_of_an_ordinary_run_without_a_stream() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect));
        let at_once = gate(|_| Some(Dispatch::Send));
        let answer = setup.ask(&at_once, "alike").await;
        assert_eq!(answer.text, "alike", "{dialect:?}");
        let sent = setup.server.seen().into_iter().find(|seen| seen.act == Act::Ask).unwrap();
        let mut sent = sent.request.json();
        if let Value::Object(fields) = &mut sent {
            assert_eq!(fields.remove("stream").is_some(), dialect != Dialect::Google, "{dialect:?}");
            fields.remove("stream_options");
        }
        let asked = at_once.asked.borrow();
        assert_eq!(serde_json::from_str::<Value>(asked[0].body.get()).unwrap(), sent, "{dialect:?}");
    }
}

#[tokio::test]
async fn targets_say_what_a_batch_has_in_common() {
    let expected = [
        (Dialect::OpenAi, "/responses", Some("gpt-5.1")),
        (Dialect::Azure, "/v1/responses?api-version=v1", Some("gpt-4o")),
        (Dialect::Groq, "/chat/completions", None),
        (Dialect::Mistral, "/chat/completions", Some("mistral-small-latest")),
        (Dialect::Anthropic, "/messages", None),
        (Dialect::Google, "/models/gemini-2.5-flash:streamGenerateContent?alt=sse", Some("gemini-2.5-flash")),
    ];
    for (dialect, path, model_id) in expected {
        let setup = Setup::new(BatchServer::start(dialect));
        let target = &setup.requests(&["a"]).await[0].target;
        assert_eq!((target.path.as_str(), target.model_id.as_deref()), (path, model_id), "{dialect:?}");
        assert_eq!(target.address, setup.server.base_url(), "{dialect:?}");
        assert!(!serde_json::to_string(target).unwrap().contains("sk-batch"), "{target:?}");
        let has_version = target.headers.iter().any(|(name, _)| name == "anthropic-version");
        assert_eq!(has_version, dialect == Dialect::Anthropic, "{target:?}");
    }
}

#[tokio::test]
async fn files_and_batches_are_next_to_the_endpoint_of_a_request() {
    let expected: [(Dialect, &[&str]); 6] = [
        (Dialect::OpenAi, &["/v1/files", "/v1/batches", "/v1/batches/", "/v1/files/"]),
        (Dialect::Azure, &["/openai/v1/files", "/openai/v1/batches", "/openai/v1/batches/", "/openai/v1/files/"]),
        (Dialect::Groq, &["/openai/v1/files", "/openai/v1/batches", "/openai/v1/batches/", "/openai/v1/files/"]),
        (Dialect::Mistral, &["/v1/files", "/v1/batch/jobs", "/v1/batch/jobs/", "/v1/files/"]),
        (Dialect::Anthropic, &["/v1/messages/batches", "/v1/messages/batches/"]),
        (Dialect::Google, &["/v1beta/models/gemini-2.5-flash:batchGenerateContent", "/v1beta/batches/"]),
    ];
    for (dialect, places) in expected {
        let setup = Setup::new(BatchServer::start(dialect));
        setup.batch(&["one"]).await.run().await;
        let paths: Vec<String> = setup.server.seen().into_iter().map(|seen| seen.request.path).collect();
        let is_at = |path: &str, place: &str| match path.split('?').next() {
            Some(path) if place.ends_with('/') => path.starts_with(place),
            path => path == Some(place),
        };
        assert!(paths.iter().all(|path| places.iter().any(|place| is_at(path, place))), "{paths:?}");
        assert!(places.iter().all(|place| paths.iter().any(|path| is_at(path, place))), "{paths:?}");
        let has_version = |path: &String| path.contains("?api-version=v1");
        assert!(paths.iter().all(|path| has_version(path) == (dialect == Dialect::Azure)), "{paths:?}");
    }
}

#[tokio::test]
async fn a_cancelled_batch_keeps_what_was_answered() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect).polls(2));
        let batch = setup.batch(&["one", "two", "three"]).await;
        let id = batch.submit().await;
        batch.client.cancel(&id).await.unwrap();
        batch.client.cancel(&id).await.expect("a batch that was cancelled is no error");
        let status = batch.ended(&id).await;
        assert_eq!((&status.phase, status.is_cancelling), (&BatchPhase::Cancelled, false), "{dialect:?}");
        batch.client.cancel(&id).await.expect("a batch that has ended is no error");
        let results = batch.results(&status).await;
        let cancelled: Vec<&str> = results
            .iter()
            .filter(|(_, outcome)| matches!(outcome, BatchOutcome::Cancelled(_)))
            .map(|(id, _)| id.as_str())
            .collect();
        assert_eq!((cancelled, results.len()), (vec!["row-1"], 3), "{dialect:?}");
    }
}

#[tokio::test]
async fn results_at_another_host_are_read_without_the_key() {
    for dialect in DIALECTS.into_iter().filter(|dialect| *dialect != Dialect::Google) {
        let setup = Setup::new(BatchServer::start(dialect).with_results_elsewhere());
        let results = setup.batch(&["one", "two"]).await.run().await;
        assert_eq!(results.len(), 2, "{dialect:?}");
        let requests = setup.server.elsewhere();
        assert!(!requests.is_empty(), "{dialect:?}");
        for request in requests {
            assert!(!request.head.iter().any(|line| line.contains("sk-batch")), "{dialect:?}: {:?}", request.head);
        }
    }
}

#[tokio::test]
async fn a_large_batch_of_google_is_a_file() {
    let setup = Setup::new(BatchServer::start(Dialect::Google));
    let batch = setup.batch(&["one", "two"]).await;
    assert_eq!((batch.client.uploads(1_000), batch.client.uploads(30_000_000)), (false, true));
    setup.server.fail(Act::Upload, 0, Fault::EndAfter);
    let file = batch.client.upload(&batch.new, &batch.lines).await.unwrap();
    let id = batch.client.create(&batch.new, Some(&file), &batch.lines).await.unwrap();
    let status = batch.ended(&id).await;
    assert_eq!(batch.results(&status).await.len(), 2);
    assert_eq!(setup.server.count(Act::Upload), 1, "the upload whose answer was lost was found");
    assert_eq!(status.files.len(), 2);
    for file in &status.files {
        batch.client.delete(file).await.unwrap();
    }
    assert_eq!(setup.server.files(), [""; 0]);
}

#[tokio::test]
async fn the_settings_of_the_file_lead_to_the_service() {
    let setup = Setup::new(BatchServer::start(Dialect::OpenAi));
    let request = setup.requests(&["a"]).await.remove(0);
    let mut elsewhere = request.target.clone();
    elsewhere.address = "https://other.example/v1".to_owned();
    let error = BatchClient::new(&elsewhere, &ProviderSettings::default(), &setup.context).err().unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Configuration);
    assert!(error.message.contains("https://other.example/v1"), "{}", error.message);
    let settings = ProviderSettings { api_key: Some("another".into()), ..ProviderSettings::default() };
    let client = BatchClient::new(&request.target, &settings, &setup.context).unwrap();
    let error = client.status(&"batch_1".to_owned()).await.unwrap_err();
    assert_eq!(error.kind, ProviderErrorKind::Authentication);
}

#[tokio::test]
async fn a_key_in_the_headers_of_a_call_is_that_of_its_batch() {
    let mut setup = Setup::new(BatchServer::start(Dialect::OpenAi));
    let env = setup.server.variables().into_iter().filter(|(name, _)| name.ends_with("_BASE_URL"));
    setup.context.env = std::rc::Rc::new(env.collect::<std::collections::BTreeMap<String, String>>());
    let gate = gate(|_| Some(Dispatch::Send));
    let headers = [("authorization".to_owned(), format!("Bearer {KEY}"))].into();
    let settings = CallSettings { headers, ..CallSettings::default() };
    let answer = ask(setup.model(&gate).as_ref(), request("hi", settings)).await;
    assert_eq!(answer.text, "hi");
    let asked = gate.asked.take().remove(0);
    assert!(!serde_json::to_string(&asked).unwrap().contains(KEY));
    let client = BatchClient::new(&asked.target, &asked.settings, &setup.context).unwrap();
    let error = client.status(&"batch_1".to_owned()).await.unwrap_err();
    assert_eq!(error.status, Some(404), "the key is right, and there is no such batch");
}

#[tokio::test]
async fn a_full_queue_and_a_failed_batch_are_told_apart() {
    for dialect in [Dialect::OpenAi, Dialect::Mistral] {
        let setup = Setup::new(BatchServer::start(dialect));
        setup.server.next_ends_as(&[
            Phase::Failed { code: "token_limit_exceeded", message: "Enqueued token limit reached." },
            Phase::Failed { code: "invalid_json_line", message: "The line of sk-batch-0123456789\nis not JSON." },
        ]);
        let batch = setup.batch(&["one"]).await;
        let file = batch.upload().await;
        for (words, is_full) in [("Enqueued token limit", true), ("The line of [redacted] is not JSON", false)] {
            let id = batch.client.create(&batch.new, file.as_ref(), &batch.lines).await.unwrap();
            match batch.ended(&id).await.phase {
                BatchPhase::Failed { reason, is_queue_full } => {
                    assert!(reason.contains(words), "{reason}");
                    assert_eq!(is_queue_full, is_full, "{reason}");
                }
                other => panic!("{other:?}"),
            }
        }
        // The batches that failed are not taken for one whose answer was lost.
        assert_eq!(batch.client.find_batch(&batch.new, file.as_ref()).await.unwrap(), FoundBatch::Missing);
        assert_eq!(json!(setup.server.paid()), json!([]));
    }
}
