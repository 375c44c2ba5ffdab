//! A model written in the JavaScript of a test, for a run in another engine: requests go out through a channel, a task in the
//! test's engine answers, and parts of its answers come back. Must not know prompts.

use std::{future::Future, pin::pin};

use futures_util::{
    FutureExt, StreamExt,
    future::LocalBoxFuture,
    stream::{self, FuturesUnordered},
};
use rquickjs::{Ctx, Object, Result};
use tokio::sync::{mpsc, oneshot};

use crate::{
    chat::{ModelRequest, StreamPart},
    provider::{LanguageModel, PartStream, ProviderError, ProviderErrorKind},
    script::bindings::models::js_model::JsModel,
};

type Part = std::result::Result<StreamPart, ProviderError>;

/// A request on its way to the test's engine.
struct Question {
    request: ModelRequest,
    /// Hears whether there is an answer.
    opened: oneshot::Sender<std::result::Result<(), ProviderError>>,
    /// Takes its parts, one at a time: the model is not to run ahead of whoever reads.
    parts: mpsc::Sender<Part>,
}

/// The half in the test's engine.
pub(super) struct Bridge<'js> {
    model: JsModel<'js>,
    questions: mpsc::UnboundedReceiver<Question>,
}

/// The half that runs ask.
pub(super) struct DistantModel {
    provider: String,
    model_id: String,
    questions: mpsc::UnboundedSender<Question>,
}

/// Both halves for an object with `doStream`.
pub(super) fn bridge<'js>(ctx: &Ctx<'js>, object: Object<'js>) -> Result<(DistantModel, Bridge<'js>)> {
    let model = JsModel::new(ctx, object)?;
    let (sender, questions) = mpsc::unbounded_channel();
    let (provider, model_id) = (model.provider().to_owned(), model.model_id().to_owned());
    Ok((DistantModel { provider, model_id, questions: sender }, Bridge { model, questions }))
}

/// Awaits a run while the model of the test, if it brings one, answers it.
pub(super) async fn answering<T>(run: impl Future<Output = T>, bridge: Option<Bridge<'_>>) -> T {
    let Some(Bridge { model, mut questions }) = bridge else { return run.await };
    let mut run = pin!(run);
    let mut answers = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            end = &mut run => return end,
            Some(question) = questions.recv() => answers.push(answer(&model, question)),
            Some(()) = answers.next() => {}
        }
    }
}

/// Answers a request, as long as somebody listens.
async fn answer(model: &JsModel<'_>, question: Question) {
    let Question { request, opened, parts } = question;
    let work = async {
        match model.stream(request).await {
            Err(error) => drop(opened.send(Err(error))),
            Ok(mut answer) => {
                let mut is_heard = opened.send(Ok(())).is_ok();
                while is_heard && let Some(part) = answer.next().await {
                    is_heard = parts.send(part).await.is_ok();
                }
            }
        }
    };
    tokio::select! {
        biased;
        () = parts.closed() => {}
        () = work => {}
    }
}

impl LanguageModel for DistantModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn stream<'a>(
        &'a self,
        request: ModelRequest,
    ) -> LocalBoxFuture<'a, std::result::Result<PartStream<'a>, ProviderError>> {
        async move {
            let gone = |()| {
                let message = "the test that answers as this model is over";
                ProviderError::new(ProviderErrorKind::Stream, &self.provider, &self.model_id, message)
            };
            let (opened, is_open) = oneshot::channel();
            let (sender, parts) = mpsc::channel(1);
            let question = Question { request, opened, parts: sender };
            self.questions.send(question).map_err(|_| gone(()))?;
            is_open.await.map_err(|_| gone(()))??;
            let next = |mut parts: mpsc::Receiver<Part>| async { parts.recv().await.map(|part| (part, parts)) };
            Ok(stream::unfold(parts, next).boxed_local())
        }
        .boxed_local()
    }
}
