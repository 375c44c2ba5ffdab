//! Acts that fail, and requests that fail in a batch.

use std::time::Duration;

use lmthing_providers::{BatchOutcome, BatchPhase, FoundBatch, ProviderErrorKind, ProviderEvent};
use serde_json::json;

use super::{Setup, answered, has_files, read};
use crate::support::batches::{Act, BatchServer, DIALECTS, Dialect, Fault, Phase, Reply};

#[tokio::test]
async fn lost_answers_are_looked_up_before_an_act_is_repeated() {
    for dialect in DIALECTS {
        for fault in [Fault::EndAfter, Fault::Cut, Fault::EndBefore, Fault::Refuse(502, "", json!({}))] {
            let setup = Setup::new(BatchServer::start(dialect));
            for act in [Act::Upload, Act::Create] {
                setup.server.fail(act, 0, fault.clone());
            }
            let other = setup.batch(&["another program's", "batch"]).await;
            setup.server.fail(Act::Upload, 0, Fault::EndBefore);
            let batch = setup.batch(&["one", "two"]).await;
            let results = batch.run().await;
            assert_eq!(results.len(), 2, "{dialect:?} {fault:?}");
            assert_eq!(setup.server.batches().len(), 1, "{dialect:?} {fault:?}");
            assert_eq!(setup.server.paid().len(), 2, "{dialect:?} {fault:?}");
            let inputs = setup.server.files().iter().filter(|name| name.starts_with("lmthing")).count();
            assert_eq!(inputs, usize::from(has_files(dialect)), "{dialect:?} {fault:?}");
            drop(other);
        }
    }
}

#[tokio::test]
async fn after_a_restart_files_and_batches_are_found_and_those_of_others_are_not() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect));
        let (first, second, third) =
            (setup.batch(&["a", "b"]).await, setup.batch(&["c", "d"]).await, setup.batch(&["e", "f"]).await);
        for batch in [&first, &second] {
            let file = batch.upload().await;
            assert_eq!(batch.client.find_upload(&batch.new).await.unwrap(), file, "{dialect:?}");
            let find = || batch.client.find_batch(&batch.new, file.as_ref());
            assert_eq!(find().await.unwrap(), FoundBatch::Missing, "{dialect:?}");
            let id = batch.client.create(&batch.new, file.as_ref(), &batch.lines).await.unwrap();
            assert_eq!(find().await.unwrap(), FoundBatch::Found(id), "{dialect:?}");
        }
        assert_eq!(third.client.find_upload(&third.new).await.unwrap(), None, "{dialect:?}");
    }
}

#[tokio::test]
async fn batches_of_anthropic_are_recognised_by_their_requests() {
    let setup = Setup::new(BatchServer::start(Dialect::Anthropic).polls(3));
    let mut batch = setup.batch(&["a", "b"]).await;
    let id = batch.submit().await;
    let found = batch.client.find_batch(&batch.new, None).await.unwrap();
    assert!(matches!(&found, FoundBatch::Unclear(ids) if ids[0].starts_with(&id)), "it has not ended: {found:?}");
    batch.ended(&id).await;
    assert_eq!(batch.client.find_batch(&batch.new, None).await.unwrap(), FoundBatch::Found(id));
    let name = std::mem::replace(&mut batch.new.name, "lmthing-test".to_owned());
    assert_eq!(batch.client.find_batch(&batch.new, None).await.unwrap(), FoundBatch::Missing, "the name is longer");
    batch.new.name = name;
    batch.new.requests = 3;
    assert_eq!(batch.client.find_batch(&batch.new, None).await.unwrap(), FoundBatch::Missing, "none has so many");
}

#[tokio::test]
async fn limits_and_failures_of_the_server_are_waited_out() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect));
        let full = json!({ "error": { "code": "token_limit_exceeded", "message": "Enqueued token limit reached" } });
        setup.server.fail(Act::Create, 0, Fault::Refuse(429, "retry-after: 0.02", full.clone()));
        setup.server.fail(Act::Create, 1, Fault::Refuse(400, "retry-after: 0.02", full));
        setup.server.fail(Act::Status, 0, Fault::Refuse(503, "", json!({ "error": { "message": "busy" } })));
        setup.server.fail(Act::Results, 0, Fault::Cut);
        let batch = setup.batch(&["one", "two", "three"]).await;
        let results = batch.run().await;
        assert_eq!(results.len(), 3, "{dialect:?}");
        assert_eq!(setup.server.batches().len(), 1, "{dialect:?}");
        let waits: Vec<Duration> = setup.events.borrow().iter().filter_map(wait_of_limit).collect();
        assert_eq!(waits, [Duration::from_millis(20); 2], "{dialect:?}");
        let shown = setup.events.borrow().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(shown.contains(" failed (attempt 1 of") && !shown.contains(": failed"), "{dialect:?}: {shown}");
    }
}

fn wait_of_limit(event: &ProviderEvent) -> Option<Duration> {
    match event {
        ProviderEvent::Throttled { wait, .. } => Some(*wait),
        _ => None,
    }
}

#[tokio::test]
async fn a_refused_key_is_an_error_of_its_own() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect));
        let batch = setup.batch(&["one"]).await;
        let id = batch.submit().await;
        let body = json!({ "error": { "message": "The key was revoked." } });
        setup.server.fail(Act::Status, 0, Fault::Refuse(401, "", body));
        let error = batch.client.status(&id).await.unwrap_err();
        assert_eq!((error.kind, error.status), (ProviderErrorKind::Authentication, Some(401)), "{dialect:?}");
        assert!(error.message.contains("revoked"), "{}", error.message);
    }
}

#[tokio::test]
async fn requests_of_a_batch_fail_one_by_one() {
    for dialect in DIALECTS {
        let server = BatchServer::with(dialect, |asked| match asked.text.as_str() {
            "bad" => Reply::Error(400, "This picture is not readable.".to_owned()),
            "busy" => Reply::Error(429, "Too many requests.".to_owned()),
            "late" => Reply::Expired,
            "lost" => Reply::Missing,
            text => Reply::Text(text.to_owned()),
        });
        let setup = Setup::new(server);
        let results = setup.batch(&["good", "bad", "busy", "late", "lost"]).await.run().await;
        assert_eq!(read(&setup, answered(&results["row-0"])).await.text, "good", "{dialect:?}");
        for (id, status, words) in [("row-1", 400, "not readable"), ("row-2", 429, "Too many")] {
            let error = read(&setup, answered(&results[id])).await.error.unwrap();
            assert_eq!(error.status, Some(status), "{dialect:?}: {error:?}");
            assert!(error.message.contains(words), "{dialect:?}: {error:?}");
        }
        assert!(matches!(&results["row-3"], BatchOutcome::Expired(words) if !words.is_empty()), "{results:?}");
        assert!(!results.contains_key("row-4"), "{results:?}");
    }
}

#[tokio::test]
async fn an_expired_batch_keeps_what_was_answered() {
    for dialect in DIALECTS {
        let setup = Setup::new(BatchServer::start(dialect));
        setup.server.next_ends_as(&[Phase::Expired]);
        let batch = setup.batch(&["one", "two", "three"]).await;
        let id = batch.submit().await;
        let status = batch.ended(&id).await;
        assert_eq!(status.phase, BatchPhase::Expired, "{dialect:?}");
        let results = batch.results(&status).await;
        let count = |is: fn(&BatchOutcome) -> bool| results.iter().filter(|(_, outcome)| is(outcome)).count();
        let counts = (
            count(|outcome| matches!(outcome, BatchOutcome::Answered(_))),
            count(|outcome| matches!(outcome, BatchOutcome::Expired(_))),
        );
        assert_eq!(counts, (2, 1), "{dialect:?}: {results:?}");
    }
}
