//! Intercepts the models that a prompt file names: a request is answered by a recording or the model, or refused.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    messages,
    run::{Next, Run},
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest},
    diagnostic::Diagnostic,
};
use lmthing_engine::bindings::{Exchanges, TestExchanges};
use lmthing_providers::{
    LanguageModel, ModelIdentity, PartStream, ProviderContext, ProviderError, ProviderErrorKind, Redactor,
    ReplayRequest, model_name, resolve, split_name, stream_and_record,
};

/// Returns the run that a request to a model belongs to, or why the request is refused.
type Source = Box<dyn Fn(&str) -> Result<Rc<Run>, Box<Diagnostic>>>;

pub(super) struct Gateway {
    source: Source,
    /// Whether errors are thrown into the code of the test file itself.
    is_of_test_file: bool,
    redactor: Redactor,
}

impl Gateway {
    pub(super) fn for_run(
        source: impl Fn(&str) -> Result<Rc<Run>, Box<Diagnostic>> + 'static,
        redactor: &Redactor,
    ) -> Exchanges {
        Gateway::exchanges(Box::new(source), false, redactor)
    }

    pub(super) fn for_test_file(
        source: impl Fn(&str) -> Result<Rc<Run>, Box<Diagnostic>> + 'static,
        redactor: &Redactor,
    ) -> Exchanges {
        Gateway::exchanges(Box::new(source), true, redactor)
    }

    fn exchanges(source: Source, is_of_test_file: bool, redactor: &Redactor) -> Exchanges {
        let gateway = Gateway { source, is_of_test_file, redactor: redactor.clone() };
        Exchanges::Tested(Rc::new(GatewayHandle(Rc::new(gateway))))
    }
}

struct GatewayHandle(Rc<Gateway>);

impl TestExchanges for GatewayHandle {
    fn model(&self, name: &str, providers: &ProviderContext) -> Result<Rc<dyn LanguageModel>, ProviderError> {
        // A model that cannot be set up is an error only if it has to be called.
        let model = resolve(name, providers);
        let (provider, model_id) = match &model {
            Ok(model) => (model.provider().to_owned(), model.model_id().to_owned()),
            Err(_) => {
                let name = model_name(name, providers);
                let (provider, model_id) = split_name(&name);
                (provider.to_owned(), model_id.to_owned())
            }
        };
        Ok(Rc::new(TestedModel { gateway: self.0.clone(), provider, model_id, model }))
    }

    fn model_object(&self, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
        let (provider, model_id) = (model.provider().to_owned(), model.model_id().to_owned());
        Rc::new(TestedModel { gateway: self.0.clone(), provider, model_id, model: Ok(model) })
    }
}

/// Calls the model only if no recording answers.
struct TestedModel {
    gateway: Rc<Gateway>,
    provider: String,
    model_id: String,
    model: Result<Rc<dyn LanguageModel>, ProviderError>,
}

impl TestedModel {
    async fn answer(&self, request: ModelRequest) -> Result<PartStream<'_>, ProviderError> {
        let asked = ReplayRequest::new(&self.provider, &self.model_id, &request);
        let run = (self.gateway.source)(&asked.name()).map_err(|fault| self.unanswered(&fault))?;
        let request_key = run.begin_request();
        loop {
            match run.next(&asked, &request_key, &self.gateway.redactor) {
                Next::Play(exchange) => return exchange.replay(),
                Next::Wait(change) => change.await,
                Next::Fail(fault) => {
                    run.note_fault(&fault);
                    return Err(self.unanswered(&fault));
                }
                Next::Ask(ticket) => {
                    let model = self.model.as_ref().map_err(|error| {
                        run.note_fault(&messages::unanswered(&asked.name(), &error.message));
                        error.clone()
                    })?;
                    let keep = |exchange| {
                        ticket.record(exchange);
                        Ok(())
                    };
                    return stream_and_record(model.as_ref(), request, self.gateway.redactor.clone(), keep).await;
                }
            }
        }
    }

    fn unanswered(&self, fault: &Diagnostic) -> ProviderError {
        let (mut message, mut hint) = (fault.message.clone(), fault.hint.clone());
        if let (true, Some(advice)) = (self.gateway.is_of_test_file, &hint) {
            // Thrown errors are reported without their hints, so the hint becomes part of the message.
            message = format!("{message}\n{advice}");
            hint = None;
        }
        let error = ProviderError::new(ProviderErrorKind::Replay, &*self.provider, &*self.model_id, message);
        ProviderError { hint, ..error }
    }
}

impl LanguageModel for TestedModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    /// Replayed answers are priced like the model's own, so that a free model stays free.
    fn model_identities(&self) -> Vec<ModelIdentity> {
        match &self.model {
            Ok(model) => model.model_identities(),
            Err(_) => {
                let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
                vec![ModelIdentity { provider, model_id, ..ModelIdentity::default() }]
            }
        }
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        self.model.as_ref().map_or(CacheRules::NONE, |model| model.cache_rules(settings))
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        self.answer(request).boxed_local()
    }
}
