//! A model that counts its answers, and a folder with recordings.

use std::{
    path::PathBuf,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use serde_json::{Value, json};

use crate::recordings::{FileRecordings, Mode, RecordingStore, test_recordings::TestRecordings};
use lmthing_base::chat::{FinishReason, Message, ModelRequest, Role, StreamPart, Usage};
use lmthing_engine::bindings::Exchanges;
use lmthing_providers::{LanguageModel, PartStream, ProviderError, ProviderErrorKind, Redactor};

/// Answers with the number of its answer. Fails if the request contains `fail`.
#[derive(Clone, Default)]
pub(super) struct CountingModel(pub(super) Arc<AtomicUsize>);

impl LanguageModel for CountingModel {
    fn provider(&self) -> &str {
        "lab"
    }

    fn model_id(&self) -> &str {
        "tide"
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async move {
            tokio::task::yield_now().await;
            let number = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            let asked = format!("{:?}", request.messages);
            if asked.contains("fail") {
                let lasts = !asked.contains("for now");
                let kind = if lasts { ProviderErrorKind::BadRequest } else { ProviderErrorKind::Server };
                return Err(ProviderError::new(kind, "lab", "tide", "no power"));
            }
            let parts = [
                StreamPart::TextDelta {
                    id: "msg_7".into(),
                    delta: format!("answer {number}"),
                    provider_metadata: None,
                },
                StreamPart::Finish {
                    finish_reason: FinishReason::Stop,
                    usage: Usage::new(Some(3), Some(5)),
                    is_paused: false,
                    provider_metadata: None,
                },
            ];
            Ok(stream::iter(parts.map(Ok)).boxed_local())
        }
        .boxed_local()
    }
}

pub(super) struct Folder {
    pub(super) folder: tempfile::TempDir,
    pub(super) model: CountingModel,
}

impl Folder {
    pub(super) fn new() -> Self {
        let folder = Folder { folder: tempfile::tempdir().unwrap(), model: CountingModel::default() };
        for name in ["a.test.lmt.mjs", "b.test.lmt.mjs", "p.lmt.mjs"] {
            std::fs::write(folder.path(name), "").unwrap();
        }
        folder
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn exchanges(&self, name: &str) -> Vec<String> {
        let file: Value = serde_json::from_str(&self.read(name)).unwrap();
        let exchange = |exchange: &Value| {
            let question = exchange["request"]["messages"][0]["content"][0]["text"].as_str().unwrap();
            format!("{question}: {}", exchange["parts"][0]["delta"].as_str().unwrap_or("-"))
        };
        file["exchanges"].as_array().unwrap().iter().map(exchange).collect()
    }

    pub(super) fn write(&self, name: &str, used_by: &[&str], exchanges: &[(&str, &str)]) {
        let exchange = |(question, answer): &(&str, &str)| {
            json!({
                "provider": "lab",
                "model": "tide",
                "request": {
                    "messages": [{ "role": "user", "content": [{ "type": "text", "text": question }] }],
                    "tools": [],
                    "settings": {},
                },
                "parts": [{ "type": "text-delta", "id": "1", "delta": answer }, finish()],
            })
        };
        let exchanges: Vec<Value> = exchanges.iter().map(exchange).collect();
        let file = json!({ "version": 1, "usedBy": used_by, "exchanges": exchanges });
        std::fs::write(self.path(name), file.to_string()).unwrap();
    }

    /// Begins to test a file with a store of its own, as a new process would.
    pub(super) fn run(&self, mode: Mode, file: &str) -> Running<'_> {
        let store = RecordingStore::new(mode);
        let file = store.for_file(&self.path(file), file.as_ref());
        Running { folder: self, store, file }
    }

    pub(super) async fn ask_recorded(
        &self,
        test: &Rc<TestRecordings>,
        recording: &str,
        questions: &[&str],
    ) -> Vec<String> {
        let run = test.recorded(&self.path(recording), &Redactor::default()).unwrap();
        let answers = self.ask_all(&run.exchanges, questions).await;
        run.run_ended();
        answers
    }

    pub(super) async fn ask_all(&self, exchanges: &Exchanges, questions: &[&str]) -> Vec<String> {
        let mut answers = Vec::new();
        for question in questions {
            answers.push(ask(exchanges, &self.model, question).await);
        }
        answers
    }

    pub(super) fn asked(&self) -> usize {
        self.model.0.load(Ordering::SeqCst)
    }
}

pub(super) struct Running<'a> {
    folder: &'a Folder,
    pub(super) store: Arc<RecordingStore>,
    pub(super) file: Rc<FileRecordings>,
}

impl Running<'_> {
    pub(super) async fn test(&self, index: usize, passed: bool, questions: &[&str]) -> Vec<String> {
        let test = self.file.begin_test(index);
        test.begin_attempt();
        let answers = self.folder.ask_recorded(&test, "r.json", questions).await;
        self.file.end_test(passed);
        answers
    }

    /// Ends the process; returns the notes.
    pub(super) fn end(&self, whole: bool) -> Vec<String> {
        self.file.end(whole);
        let finished = self.store.finish();
        assert!(finished.errors.is_empty(), "{finished:?}");
        let folder = self.folder.folder.path().canonicalize().unwrap().display().to_string();
        finished.notes.iter().map(|note| note.replace(&format!("{folder}/"), "")).collect()
    }
}

fn finish() -> Value {
    json!({
        "type": "finish",
        "finishReason": "stop",
        "usage": {
            "inputTokens": 3, "outputTokens": 5, "totalTokens": 8, "reasoningTokens": null, "cachedInputTokens": null
        },
    })
}

/// The text of the answer or the error message.
pub(super) async fn ask(exchanges: &Exchanges, model: &CountingModel, question: &str) -> String {
    let model = exchanges.model_object(Rc::new(model.clone()));
    let messages = vec![Rc::new(Message::text(Role::User, question))];
    let mut parts = match model.stream(ModelRequest { messages, ..ModelRequest::default() }).await {
        Ok(parts) => parts,
        Err(error) => return error.message,
    };
    let mut text = String::new();
    while let Some(part) = parts.next().await {
        match part {
            Ok(StreamPart::TextDelta { delta, .. }) => text.push_str(&delta),
            Ok(_) => {}
            Err(error) => return error.message,
        }
    }
    text
}
