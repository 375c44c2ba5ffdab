//! Prompt files that answer without a run.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot, watch};

use super::super::super::{Call, Outcome, Progress, PromptFiles, ServedFile};

pub(super) struct FakeFiles {
    files: Mutex<Arc<[ServedFile]>>,
    changes: watch::Sender<u64>,
    pub(super) slow: Arc<AtomicUsize>,
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn file(name: &str, output: Option<Value>) -> ServedFile {
    ServedFile {
        name: name.to_owned(),
        path: format!("{name}.lmt.mjs").into(),
        description: Some(format!("Does {name}")),
        input: object(json!({ "type": "object", "properties": { "text": { "type": "string" } } })),
        output: output.map(object),
    }
}

impl FakeFiles {
    pub(super) fn new() -> Arc<Self> {
        let output = json!({ "type": "object", "properties": { "length": { "type": "number" } } });
        let files = ["echo", "fail", "list", "slow", "tell"].map(|name| file(name, None));
        let files = files.into_iter().chain([file("data", Some(output))]).collect();
        Arc::new(FakeFiles { files: Mutex::new(files), changes: watch::Sender::new(0), slow: Arc::default() })
    }

    pub(super) fn add(&self, name: &str) {
        let mut files = self.files.lock().unwrap();
        *files = files.iter().cloned().chain([file(name, None)]).collect();
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) async fn until_slow(&self, count: usize) {
        let there = async {
            while self.slow.load(Ordering::SeqCst) != count {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(std::time::Duration::from_secs(20), there).await;
        waited.unwrap_or_else(|_| panic!("{count} slow calls, and not {}", self.slow.load(Ordering::SeqCst)));
    }
}

impl PromptFiles for FakeFiles {
    fn list(&self) -> Arc<[ServedFile]> {
        self.files.lock().unwrap().clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn call(&self, name: &str, input: Map<String, Value>) -> Option<Call> {
        self.list().iter().find(|file| file.name == name)?;
        let (sender, progress) = mpsc::unbounded_channel();
        let (mut end, outcome) = oneshot::channel();
        let text = input.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (name, slow) = (name.to_owned(), self.slow.clone());
        tokio::spawn(async move {
            let outcome = match name.as_str() {
                "echo" => Outcome::Text(text),
                "fail" => Outcome::Failed("input.text: expected a longer one".to_owned()),
                "list" => Outcome::Output(json!([1, 2])),
                "data" => Outcome::Output(json!({ "length": text.len() })),
                "slow" => {
                    slow.fetch_add(1, Ordering::SeqCst);
                    end.closed().await;
                    slow.fetch_sub(1, Ordering::SeqCst);
                    return;
                }
                _ => {
                    for count in 1..=3 {
                        let _ = sender.send(Progress { count, message: format!("step {count}") });
                    }
                    Outcome::Text("told".to_owned())
                }
            };
            let _ = end.send(outcome);
        });
        Some(Call { progress, outcome })
    }
}
