//! A list of models, of which the next one is asked when one fails before its first visible byte.

use std::{collections::VecDeque, rc::Rc};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};

use super::{
    Answerer, Answering, LanguageModel, PartStream, ProviderContext, ProviderError, ProviderErrorKind, ProviderEvent,
    visible::is_visible,
};
use crate::chat::ModelRequest;

/// Models in the order they are tried. Once a model has answered, later requests begin with the first again.
pub struct FallbackModel {
    models: Vec<Rc<dyn LanguageModel>>,
    context: ProviderContext,
}

impl FallbackModel {
    /// A model that tries these in order; a list of one is that one.
    ///
    /// # Errors
    /// When the list is empty.
    pub fn of(
        models: Vec<Rc<dyn LanguageModel>>,
        context: &ProviderContext,
    ) -> Result<Rc<dyn LanguageModel>, ProviderError> {
        match models.len() {
            0 => {
                let message = "The list of models is empty; name at least one (e.g., ['openai:gpt-4o']).";
                Err(ProviderError::new(ProviderErrorKind::Configuration, "", "", message))
            }
            1 => Ok(models.into_iter().next().unwrap_or_else(|| unreachable!("the length was just checked"))),
            _ => Ok(Rc::new(FallbackModel { models, context: context.clone() })),
        }
    }

    async fn first_that_answers(&self, request: ModelRequest) -> Result<Answering<'_>, ProviderError> {
        // From the first one again: a model that was overloaded a minute ago may be well.
        let mut index = 0;
        loop {
            let model = &self.models[index];
            let error = match begin(model.as_ref(), request.clone()).await {
                Ok(parts) => {
                    return Ok(Answering { provider: model.provider(), model_id: model.model_id(), parts, turn: None });
                }
                Err(error) => error,
            };
            index += 1;
            // A recording that does not fit is no model that fails: the next one would only hide where it differs.
            let next = self.models.get(index).filter(|_| error.kind != ProviderErrorKind::Replay);
            let Some(next) = next else { return Err(error) };
            // Told before the next model is asked, as that may take a while.
            (self.context.on_event)(&ProviderEvent::Fallback {
                from: name(model.as_ref()),
                to: name(next.as_ref()),
                reason: error.message,
            });
        }
    }
}

fn name(model: &dyn LanguageModel) -> String {
    format!("{}:{}", model.provider(), model.model_id())
}

/// Reads up to the first visible part, so that a failure before it goes unnoticed.
async fn begin<'a>(model: &'a dyn LanguageModel, request: ModelRequest) -> Result<PartStream<'a>, ProviderError> {
    // Fused: the rest of a stream that ended before anything visible is asked for again below.
    let mut parts = model.stream(request).await?.fuse();
    let mut read = VecDeque::new();
    while let Some(part) = parts.next().await {
        // Dropping what was read so far undoes it: nobody has seen any of it.
        let part = part?;
        let visible = is_visible(&part);
        read.push_back(Ok(part));
        if visible {
            break;
        }
    }
    Ok(stream::iter(read).chain(parts).boxed_local())
}

impl LanguageModel for FallbackModel {
    fn provider(&self) -> &str {
        self.models[0].provider()
    }

    fn model_id(&self) -> &str {
        self.models[0].model_id()
    }

    fn reads_request(&self) -> bool {
        self.models.iter().any(|model| model.reads_request())
    }

    fn answerers(&self) -> Vec<Answerer> {
        self.models.iter().flat_map(|model| model.answerers()).collect()
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async { Ok(self.answer(request).await?.parts) }.boxed_local()
    }

    fn answer<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<Answering<'a>, ProviderError>> {
        self.first_that_answers(request).boxed_local()
    }
}
