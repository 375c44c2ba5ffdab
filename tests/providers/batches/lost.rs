//! Answers that are lost: every act is done once, and never on what another program has submitted.

use lmthing_providers::ProviderErrorKind;
use serde_json::json;

use super::{Setup, has_files};
use crate::support::batches::{Act, BatchServer, DIALECTS, Dialect, Fault};

const ACTS: [Act; 7] = [Act::Upload, Act::Create, Act::List, Act::Status, Act::Results, Act::Cancel, Act::Delete];

#[tokio::test]
async fn every_act_is_done_once_although_its_answer_is_lost() {
    for dialect in DIALECTS {
        for fault in [Fault::EndBefore, Fault::EndAfter, Fault::Cut, Fault::Refuse(502, "", json!({}))] {
            let setup = Setup::new(BatchServer::start(dialect).polls(2));
            let others = [setup.batch(&["1", "2"]).await, setup.batch(&["3", "4"]).await];
            for other in &others {
                other.submit().await;
            }
            for act in ACTS {
                setup.server.fail(act, setup.server.count(act), fault.clone());
            }
            let batch = setup.batch(&["5", "6"]).await;
            let file = batch.upload().await;
            let id = batch.create(file.as_ref()).await;
            for more in [setup.batch(&["7", "8"]).await, setup.batch(&["9", "10"]).await] {
                more.submit().await;
            }
            assert_eq!(batch.client.find_upload(&batch.new).await.unwrap(), file, "{dialect:?} {fault:?}");
            assert_eq!(batch.find(file.as_ref()).await.as_ref(), Some(&id), "{dialect:?} {fault:?}");
            let status = batch.ended(&id).await;
            let mut ids: Vec<String> = batch.results(&status).await.into_iter().map(|(id, _)| id).collect();
            ids.sort();
            assert_eq!(ids, ["row-0", "row-1"], "{dialect:?} {fault:?}");
            batch.client.cancel(&id).await.unwrap();
            for file in status.files.iter().chain(&file) {
                batch.client.delete(file).await.unwrap();
            }
            assert_eq!(setup.server.batches().len(), 5, "{dialect:?} {fault:?}");
            let own = setup.server.files().into_iter().filter(|name| name.contains(&batch.new.name)).count();
            assert_eq!(own, 0, "{dialect:?} {fault:?}");
            let inputs = setup.server.files().into_iter().filter(|name| name.starts_with("lmthing")).count();
            assert_eq!(inputs, if has_files(dialect) { 4 } else { 0 }, "{dialect:?} {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_running_batch_of_anthropic_is_awaited_to_recognise_it() {
    let setup = Setup::new(BatchServer::start(Dialect::Anthropic).polls(4));
    let other = setup.batch(&["1", "2"]).await.submit().await;
    setup.server.fail(Act::Create, 1, Fault::EndAfter);
    let batch = setup.batch(&["1", "2"]).await;
    let id = batch.submit().await;
    assert_ne!(id, other);
    assert_eq!(setup.server.batches().len(), 2);
    assert_eq!(batch.ended(&id).await.succeeded, 2);
}

#[tokio::test]
async fn a_redirection_is_followed_for_results_only() {
    let setup = Setup::new(BatchServer::start(Dialect::OpenAi));
    let batch = setup.batch(&["1"]).await;
    let id = batch.submit().await;
    setup.server.fail(Act::Status, 0, Fault::Refuse(307, "location: http://127.0.0.1:9/", json!({})));
    let error = batch.client.status(&id).await.unwrap_err();
    assert_eq!(error.kind, ProviderErrorKind::BadRequest);
    assert!(error.hint.is_some_and(|hint| hint.contains("http://127.0.0.1:9/")));
}
