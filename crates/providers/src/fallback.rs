//! A list of models: if one fails before its first text or call, the next one is used.

use std::{collections::VecDeque, rc::Rc};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};

use super::{
    AnswerEnd, EXAMPLE_MODEL, LanguageModel, ModelIdentity, ModelResponse, PartStream, ProviderContext, ProviderError,
    ProviderErrorKind, ProviderEvent, ends_retries, model_label,
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest, ToolSpec},
};

/// Models in the order in which they are tried, for every request from the first one.
pub struct FallbackModel {
    models: Vec<Rc<dyn LanguageModel>>,
    context: ProviderContext,
}

impl FallbackModel {
    pub fn of(
        models: Vec<Rc<dyn LanguageModel>>,
        context: &ProviderContext,
    ) -> Result<Rc<dyn LanguageModel>, ProviderError> {
        match models.len() {
            0 => {
                let message = format!("The list of models is empty; name at least one (e.g., ['{EXAMPLE_MODEL}']).");
                Err(ProviderError::new(ProviderErrorKind::Configuration, "", "", message))
            }
            1 => Ok(models.into_iter().next().unwrap_or_else(|| unreachable!("the length was just checked"))),
            _ => Ok(Rc::new(FallbackModel { models, context: context.clone() })),
        }
    }

    async fn first_that_answers(&self, request: ModelRequest) -> Result<ModelResponse<'_>, ProviderError> {
        let is_continued = |model: &Rc<dyn LanguageModel>| match &request.settings.continued_model {
            Some((provider, model_id)) => model.provider() == provider && model.model_id() == model_id,
            None => false,
        };
        // Only the model that has paused an answer can go on with it.
        if let Some(model) = self.models.iter().find(|model| is_continued(model)) {
            return read_to_first_shown(model.as_ref(), request.clone()).await;
        }
        // Start with the first model again, as its failure may have been temporary.
        let mut index = 0;
        loop {
            let model = &self.models[index];
            let begun = match index + 1 < self.models.len() {
                true => begin(model.as_ref(), request.clone()).await,
                false => read_to_first_shown(model.as_ref(), request.clone()).await,
            };
            let error = match begun {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            index += 1;
            // Do not fall back from a recording that does not match: the next model would only hide the difference.
            let next = self.models.get(index).filter(|_| error.kind != ProviderErrorKind::Replay);
            let Some(next) = next else { return Err(error) };
            (self.context.on_event)(&ProviderEvent::Fallback {
                from: name(model.as_ref()),
                to: name(next.as_ref()),
                reason: error.message,
            });
        }
    }
}

fn name(model: &dyn LanguageModel) -> String {
    model_label(model.provider(), model.model_id())
}

/// Reads up to the first text or call, so that an earlier failure or refusal can still be discarded. The thoughts of a
/// model that is followed by another one are shown when its answer begins.
async fn begin<'a>(model: &'a dyn LanguageModel, request: ModelRequest) -> Result<ModelResponse<'a>, ProviderError> {
    let response = model.answer(request).await?;
    let mut parts = response.parts.fuse();
    let (mut read, mut end) = (VecDeque::new(), AnswerEnd::default());
    while let Some(part) = parts.next().await {
        let part = part?;
        end.add(&part);
        if let Some(refusal) = end.failure(response.provider, response.model_id) {
            return Err(refusal);
        }
        read.push_back(Ok(part));
        if end.is_visible() {
            break;
        }
    }
    Ok(ModelResponse { parts: stream::iter(read).chain(parts).boxed_local(), ..response })
}

/// Reads up to the first part that may be shown, so that an earlier failure is one of the call.
async fn read_to_first_shown<'a>(
    model: &'a dyn LanguageModel,
    request: ModelRequest,
) -> Result<ModelResponse<'a>, ProviderError> {
    let response = model.answer(request).await?;
    // Fused, because `chain` polls the rest again if the stream ended before such a part.
    let mut parts = response.parts.fuse();
    let mut read = VecDeque::new();
    while let Some(part) = parts.next().await {
        // An early return drops the parts read so far; none of them was shown.
        let part = part?;
        let is_shown = ends_retries(&part);
        read.push_back(Ok(part));
        if is_shown {
            break;
        }
    }
    Ok(ModelResponse { parts: stream::iter(read).chain(parts).boxed_local(), ..response })
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

    fn model_identities(&self) -> Vec<ModelIdentity> {
        self.models.iter().flat_map(|model| model.model_identities()).collect()
    }

    fn searching_models(&self, tools: &[ToolSpec]) -> Vec<ModelIdentity> {
        self.models.iter().flat_map(|model| model.searching_models(tools)).collect()
    }

    fn refusal(&self, tools: &[ToolSpec]) -> Option<String> {
        // One that takes them is enough.
        let refusals: Option<Vec<_>> = self.models.iter().map(|model| model.refusal(tools)).collect();
        refusals?.into_iter().next()
    }

    fn batch_refusal(&self) -> Option<ProviderError> {
        self.models.iter().find_map(|model| model.batch_refusal())
    }

    fn server(&self) -> Option<String> {
        self.models[0].server()
    }

    fn setup(&self) -> Option<String> {
        let setups = self.models.iter().map(|model| model.setup()).collect::<Option<Vec<_>>>()?;
        Some(setups.join("\n"))
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        self.models[0].cache_rules(settings)
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async { Ok(self.answer(request).await?.parts) }.boxed_local()
    }

    fn answer<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<ModelResponse<'a>, ProviderError>> {
        self.first_that_answers(request).boxed_local()
    }
}
