//! Batches of each provider (docs/reference/batches.md), with a server that can fail at every act.

mod answers;
mod failures;
mod lost;
mod submit;

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::Write,
    ops::ControlFlow,
    path::{Path, PathBuf},
    rc::Rc,
    time::Duration,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use lmthing_base::chat::{CallSettings, Message, ModelRequest, Role};
use lmthing_providers::{
    BatchAnswer, BatchClient, BatchOutcome, BatchRequest, BatchStatus, Batching, Dispatch, FoundBatch, LanguageModel,
    NewBatch, ProviderContext, ProviderEvent, ProviderSettings, RemoteId, resolve,
};

use crate::{
    steps::{Answer, ask},
    support::batches::{BatchServer, Dialect},
};

type Decide = dyn Fn(&BatchRequest) -> Option<Dispatch>;

/// Decides what happens to requests as a test wants it, and keeps them.
pub(super) struct Gate {
    pub(super) asked: RefCell<Vec<BatchRequest>>,
    decide: Box<Decide>,
}

impl Batching for Gate {
    fn ask(&self, request: BatchRequest) -> LocalBoxFuture<'_, Dispatch> {
        let dispatch = (self.decide)(&request);
        self.asked.borrow_mut().push(request);
        async { dispatch.unwrap_or_else(|| unreachable!("a test decides about every request that it awaits")) }
            .boxed_local()
    }
}

pub(super) fn gate(decide: impl Fn(&BatchRequest) -> Option<Dispatch> + 'static) -> Rc<Gate> {
    Rc::new(Gate { asked: RefCell::default(), decide: Box::new(decide) })
}

/// A client of a server, and its events.
pub(super) struct Setup {
    pub(super) server: BatchServer,
    pub(super) context: ProviderContext,
    pub(super) events: Rc<RefCell<Vec<ProviderEvent>>>,
    folder: tempfile::TempDir,
}

impl Setup {
    pub(super) fn new(server: BatchServer) -> Self {
        let env: BTreeMap<String, String> = server.variables().into_iter().collect();
        let events = Rc::new(RefCell::new(Vec::new()));
        let sink = events.clone();
        let mut context =
            ProviderContext::new(Rc::new(env)).on_event(move |event| sink.borrow_mut().push(event.clone()));
        context.first_wait = Duration::from_millis(5);
        Setup { server, context, events, folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn model(&self, gate: &Rc<Gate>) -> Rc<dyn LanguageModel> {
        let context = self.context.clone().with_batches(gate.clone());
        resolve(self.server.model(), &context).unwrap()
    }

    pub(super) async fn ask(&self, gate: &Rc<Gate>, text: &str) -> Answer {
        ask(self.model(gate).as_ref(), request(text, CallSettings::default())).await
    }

    /// The requests for texts, as they would stand in a batch.
    pub(super) async fn requests(&self, texts: &[&str]) -> Vec<BatchRequest> {
        let gate = gate(|_| {
            let message = "it waits for the batch";
            Some(Dispatch::Failed(lmthing_providers::ProviderError::new(
                lmthing_providers::ProviderErrorKind::Server,
                "",
                "",
                message,
            )))
        });
        for text in texts {
            self.ask(&gate, text).await;
        }
        gate.asked.take()
    }

    /// A batch of texts.
    pub(super) async fn batch(&self, texts: &[&str]) -> Submitted {
        let name = format!("lmthing-test-{}", fastrand::u64(..));
        let requests = self.requests(texts).await;
        let client = self.client(&requests[0]);
        let lines = self.folder.path().join(format!("lines-{}", fastrand::u64(..)));
        let mut file = std::fs::File::create(&lines).unwrap();
        for (index, request) in requests.iter().enumerate() {
            writeln!(file, "{}", client.line(&format!("{name}-{index}"), request)).unwrap();
        }
        let new = NewBatch {
            name,
            target: requests[0].target.clone(),
            requests: requests.len(),
            created_at: 1_000_000_000_000,
        };
        Submitted { client, new, lines }
    }

    pub(super) fn client(&self, request: &BatchRequest) -> BatchClient {
        let client = BatchClient::new(&request.target, &ProviderSettings::default(), &self.context).unwrap();
        client.polling(Duration::from_millis(1))
    }
}

pub(super) fn request(text: &str, settings: CallSettings) -> ModelRequest {
    let messages = vec![Rc::new(Message::text(Role::User, text))];
    ModelRequest { messages, settings, ..ModelRequest::default() }
}

/// A batch that can be submitted.
pub(super) struct Submitted {
    pub(super) client: BatchClient,
    pub(super) new: NewBatch,
    pub(super) lines: PathBuf,
}

impl Submitted {
    fn bytes(&self) -> u64 {
        Path::new(&self.lines).metadata().unwrap().len()
    }

    pub(super) async fn upload(&self) -> Option<RemoteId> {
        match self.client.uploads(self.bytes()) {
            true => Some(self.client.upload(&self.new, &self.lines).await.unwrap()),
            false => None,
        }
    }

    /// Uploads and creates it; returns its id.
    pub(super) async fn submit(&self) -> RemoteId {
        let file = self.upload().await;
        self.create(file.as_ref()).await
    }

    /// Creates it once, although answers are lost.
    pub(super) async fn create(&self, file: Option<&RemoteId>) -> RemoteId {
        loop {
            if let Ok(id) = self.client.create(&self.new, file, &self.lines).await {
                return id;
            }
            if let Some(id) = self.find(file).await {
                return id;
            }
        }
    }

    /// Looks for it until it is clear whether it was created.
    pub(super) async fn find(&self, file: Option<&RemoteId>) -> Option<RemoteId> {
        loop {
            match self.client.find_batch(&self.new, file).await.unwrap() {
                FoundBatch::Found(id) => return Some(id),
                FoundBatch::Missing => return None,
                FoundBatch::Unclear(_) => {}
            }
        }
    }

    /// Asks until it has ended.
    pub(super) async fn ended(&self, id: &RemoteId) -> BatchStatus {
        loop {
            let status = self.client.status(id).await.unwrap();
            if status.has_ended() {
                return status;
            }
        }
    }

    /// What has become of its requests, with the ids `row-0`, `row-1`…
    pub(super) async fn results(&self, status: &BatchStatus) -> Vec<(String, BatchOutcome)> {
        let mut found = Vec::new();
        let mut on = |id: &str, outcome| {
            found.push((id.replace(&self.new.name, "row"), outcome));
            ControlFlow::Continue(())
        };
        self.client.results(status, &mut on).await.unwrap();
        found
    }

    /// Submits it, waits for its end and returns what has become of its requests, by id.
    pub(super) async fn run(&self) -> BTreeMap<String, BatchOutcome> {
        let id = self.submit().await;
        let status = self.ended(&id).await;
        self.results(&status).await.into_iter().collect()
    }
}

/// The answer of a batch, as the model reads it.
pub(super) async fn read(setup: &Setup, answer: &BatchAnswer) -> Answer {
    let answer = answer.clone();
    let gate = gate(move |_| Some(Dispatch::Answered(answer.clone())));
    setup.ask(&gate, "again").await
}

pub(super) fn answered(outcome: &BatchOutcome) -> &BatchAnswer {
    match outcome {
        BatchOutcome::Answered(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// Whether batches of a few requests have files.
pub(super) fn has_files(dialect: Dialect) -> bool {
    !matches!(dialect, Dialect::Anthropic | Dialect::Google)
}
