//! Between a run and the models that its file names: a request is answered by a recording, by the model, or refused.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    run::{Next, Run},
    words,
};
use crate::{
    chat::ModelRequest,
    diagnostic::Diagnostic,
    provider::{
        LanguageModel, ModelIdentity, PartStream, ProviderContext, ProviderError, ProviderErrorKind, Redactor,
        ReplayRequest, model_name, resolve, split_name, stream_and_record,
    },
    script::bindings::{Exchanges, TestExchanges},
};

/// Gives the run that a request to a model belongs to, or says why it is refused.
type Source = Box<dyn Fn(&str) -> Result<Rc<Run>, Box<Diagnostic>>>;

/// Answers in place of the models that a file names.
pub(super) struct Door {
    source: Source,
    /// Whether it is the test's own code that an error is thrown at.
    is_of_test_file: bool,
    /// Knows the secrets of the run.
    redactor: Redactor,
}

impl Door {
    /// For the run of a prompt file.
    pub(super) fn of_run(
        source: impl Fn(&str) -> Result<Rc<Run>, Box<Diagnostic>> + 'static,
        redactor: &Redactor,
    ) -> Exchanges {
        Door::exchanges(Box::new(source), false, redactor)
    }

    /// For the engine of a test file.
    pub(super) fn of_test_file(
        source: impl Fn(&str) -> Result<Rc<Run>, Box<Diagnostic>> + 'static,
        redactor: &Redactor,
    ) -> Exchanges {
        Door::exchanges(Box::new(source), true, redactor)
    }

    fn exchanges(source: Source, is_of_test_file: bool, redactor: &Redactor) -> Exchanges {
        let door = Door { source, is_of_test_file, redactor: redactor.clone() };
        Exchanges::Tested(Rc::new(DoorHandle(Rc::new(door))))
    }
}

/// A door as bindings hold it.
struct DoorHandle(Rc<Door>);

impl TestExchanges for DoorHandle {
    fn model(&self, name: &str, providers: &ProviderContext) -> Result<Rc<dyn LanguageModel>, ProviderError> {
        // Whether it can be set up matters only when it has to be asked.
        let model = resolve(name, providers);
        let (provider, model_id) = match &model {
            Ok(model) => (model.provider().to_owned(), model.model_id().to_owned()),
            Err(_) => {
                let name = model_name(name, providers);
                let (provider, model_id) = split_name(&name);
                (provider.to_owned(), model_id.to_owned())
            }
        };
        Ok(Rc::new(TestedModel { door: self.0.clone(), provider, model_id, model }))
    }

    fn model_object(&self, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
        let (provider, model_id) = (model.provider().to_owned(), model.model_id().to_owned());
        Rc::new(TestedModel { door: self.0.clone(), provider, model_id, model: Ok(model) })
    }
}

/// A model that is only asked when the test may and has to.
struct TestedModel {
    door: Rc<Door>,
    provider: String,
    model_id: String,
    /// The model itself, or why there is none.
    model: Result<Rc<dyn LanguageModel>, ProviderError>,
}

impl TestedModel {
    async fn answer(&self, request: ModelRequest) -> Result<PartStream<'_>, ProviderError> {
        let asked = ReplayRequest::new(&self.provider, &self.model_id, &request);
        let run = (self.door.source)(&asked.name()).map_err(|fault| self.unanswered(&fault))?;
        let place = run.begin_request();
        loop {
            match run.next(&asked, &place, &self.door.redactor) {
                Next::Play(exchange) => return exchange.replay(),
                Next::Wait(change) => change.await,
                Next::Nothing(fault) => {
                    run.test.note_fault(&fault);
                    return Err(self.unanswered(&fault));
                }
                Next::Ask(ticket) => {
                    let model = self.model.as_ref().map_err(|error| {
                        run.test.note_fault(&words::unanswered(&asked.name(), &error.message));
                        error.clone()
                    })?;
                    let keep = |exchange| {
                        ticket.keep(exchange);
                        Ok(())
                    };
                    return stream_and_record(model.as_ref(), request, self.door.redactor.clone(), keep).await;
                }
            }
        }
    }

    fn unanswered(&self, fault: &Diagnostic) -> ProviderError {
        let (mut message, mut hint) = (fault.message.clone(), fault.hint.clone());
        if let (true, Some(advice)) = (self.door.is_of_test_file, &hint) {
            // The test's own code throws this, and no report shows the advice of what is thrown.
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

    /// By whose price it goes: what was free is free again.
    fn model_identities(&self) -> Vec<ModelIdentity> {
        match &self.model {
            Ok(model) => model.model_identities(),
            Err(_) => {
                let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
                vec![ModelIdentity { provider, model_id, ..ModelIdentity::default() }]
            }
        }
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        self.answer(request).boxed_local()
    }
}
