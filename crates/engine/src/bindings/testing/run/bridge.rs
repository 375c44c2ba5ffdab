//! A channel to a model in a test's JavaScript, for runs in other engines.

use std::{future::Future, pin::pin};

use futures_util::{
    FutureExt, StreamExt,
    future::LocalBoxFuture,
    stream::{self, FuturesUnordered},
};
use rquickjs::{Ctx, Object, Result};
use tokio::sync::{mpsc, oneshot};

use crate::bindings::models::js_model::JsModel;
use lmthing_base::chat::{ModelRequest, StreamPart};
use lmthing_providers::{LanguageModel, PartStream, ProviderError, ProviderErrorKind};

type Part = std::result::Result<StreamPart, ProviderError>;

struct BridgeRequest {
    request: ModelRequest,
    opened: oneshot::Sender<std::result::Result<(), ProviderError>>,
    /// Bounded to one part, so that the model does not run ahead of the reader.
    parts: mpsc::Sender<Part>,
}

pub(super) struct Bridge<'js> {
    model: JsModel<'js>,
    requests: mpsc::UnboundedReceiver<BridgeRequest>,
}

pub(super) struct BridgedModel {
    provider: String,
    model_id: String,
    requests: mpsc::UnboundedSender<BridgeRequest>,
}

pub(super) fn bridge<'js>(ctx: &Ctx<'js>, object: Object<'js>) -> Result<(BridgedModel, Bridge<'js>)> {
    let model = JsModel::new(ctx, object)?;
    let (sender, requests) = mpsc::unbounded_channel();
    let (provider, model_id) = (model.provider().to_owned(), model.model_id().to_owned());
    Ok((BridgedModel { provider, model_id, requests: sender }, Bridge { model, requests }))
}

pub(super) async fn run_with_model<T>(run: impl Future<Output = T>, bridge: Option<Bridge<'_>>) -> T {
    let Some(Bridge { model, mut requests }) = bridge else { return run.await };
    let mut run = pin!(run);
    let mut answers = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            end = &mut run => return end,
            Some(request) = requests.recv() => answers.push(answer(&model, request)),
            Some(()) = answers.next() => {}
        }
    }
}

/// Answers a request until the receiver is dropped.
async fn answer(model: &JsModel<'_>, request: BridgeRequest) {
    let BridgeRequest { request, opened, parts } = request;
    let work = async {
        match model.stream(request).await {
            Err(error) => drop(opened.send(Err(error))),
            Ok(mut answer) => {
                let mut is_receiving = opened.send(Ok(())).is_ok();
                while is_receiving && let Some(part) = answer.next().await {
                    is_receiving = parts.send(part).await.is_ok();
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

impl LanguageModel for BridgedModel {
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
            let request = BridgeRequest { request, opened, parts: sender };
            self.requests.send(request).map_err(|_| gone(()))?;
            is_open.await.map_err(|_| gone(()))??;
            let next = |mut parts: mpsc::Receiver<Part>| async { parts.recv().await.map(|part| (part, parts)) };
            Ok(stream::unfold(parts, next).boxed_local())
        }
        .boxed_local()
    }
}
