//! The model wrapper that redacts errors, warnings and metadata of HTTP models.

use std::{collections::BTreeMap, rc::Rc};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture};

use super::Redactor;
use crate::{LanguageModel, ModelIdentity, PartStream, ProviderError};
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, CallWarning, Ending, ModelRequest, ProviderToolKind, StreamPart, ToolSpec},
};

pub(crate) fn guard(model: Rc<dyn LanguageModel>, redactor: &Redactor) -> Rc<dyn LanguageModel> {
    Rc::new(RedactedModel { model, redactor: redactor.clone() })
}

struct RedactedModel {
    model: Rc<dyn LanguageModel>,
    redactor: Redactor,
}

impl LanguageModel for RedactedModel {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn reads_request(&self) -> bool {
        self.model.reads_request()
    }

    fn model_identities(&self) -> Vec<ModelIdentity> {
        self.model.model_identities()
    }

    fn searching_models(&self, tools: &[ToolSpec]) -> Vec<ModelIdentity> {
        self.model.searching_models(tools)
    }

    fn refusal(&self, tools: &[ToolSpec]) -> Option<String> {
        self.model.refusal(tools)
    }

    fn batch_refusal(&self) -> Option<ProviderError> {
        self.model.batch_refusal()
    }

    fn server(&self) -> Option<String> {
        self.model.server()
    }

    fn setup(&self) -> Option<String> {
        self.model.setup()
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        self.model.cache_rules(settings)
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        let settings = &request.settings;
        settings.headers.iter().for_each(|(name, value)| self.redactor.learn_header(name, value));
        // The provider's own tools may have keys in their options.
        settings.provider_options.values().for_each(|options| self.redactor.learn_json(options));
        for tool in request.tools.iter().filter_map(|spec| spec.provider_tool.as_ref()) {
            if let ProviderToolKind::ByProvider(by_name) = &tool.kind {
                by_name.values().for_each(|json| self.redactor.learn_json(json));
            }
        }
        let answer = self.model.stream(request);
        async {
            let parts = answer.await.map_err(|error| self.redactor.error(error))?;
            Ok(parts.map(|part| self.redactor.part(part)).boxed_local())
        }
        .boxed_local()
    }
}

impl Redactor {
    pub fn error(&self, error: ProviderError) -> ProviderError {
        ProviderError {
            message: self.apply(&error.message),
            provider: self.apply(&error.provider),
            model: self.apply(&error.model),
            hint: error.hint.map(|hint| self.apply(&hint)),
            ..error
        }
    }

    fn part(&self, part: Result<StreamPart, ProviderError>) -> Result<StreamPart, ProviderError> {
        match part.map_err(|error| self.error(error))? {
            StreamPart::StreamStart { warnings } => Ok(StreamPart::StreamStart {
                warnings: warnings.into_iter().map(|warning| self.warning(warning)).collect(),
            }),
            StreamPart::ResponseMetadata(mut metadata) => {
                metadata.headers.iter_mut().flat_map(BTreeMap::iter_mut).for_each(|(name, value)| {
                    self.apply_named(name, value);
                });
                if let Some(Ending { category, message, .. }) = &mut metadata.ending {
                    [category, message].into_iter().flatten().for_each(|text| *text = self.apply(text));
                }
                metadata.id = metadata.id.map(|id| self.apply(&id));
                metadata.model_id = metadata.model_id.map(|id| self.apply(&id));
                Ok(StreamPart::ResponseMetadata(metadata))
            }
            StreamPart::Error { mut error } => {
                self.apply_json(&mut error);
                Ok(StreamPart::Error { error })
            }
            part => Ok(part),
        }
    }

    fn warning(&self, warning: CallWarning) -> CallWarning {
        let apply = |text: Option<String>| text.map(|text| self.apply(&text));
        CallWarning { kind: warning.kind, setting: apply(warning.setting), details: apply(warning.details) }
    }
}
