//! Between a run and the models that its file names: a request is answered by a recording, by the model, or refused.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    for_file::FileRecordings,
    for_test::{Next, Run, TestRecordings},
    words,
};
use crate::{
    chat::ModelRequest,
    diagnostic::Diagnostic,
    provider::{
        Answerer, Asked, BUILT_IN, LanguageModel, PartStream, ProviderContext, ProviderError, ProviderErrorKind,
        Redactor, ask_and_keep, model_name, resolve, split_name,
    },
    script::bindings::{Exchanges, TestExchanges},
};

/// Where answers come from.
pub(super) enum Source {
    /// A recording that the test names.
    Run(Rc<Run>),
    /// The recording of the test file itself, for the test that is running.
    Own(Rc<FileRecordings>),
    /// Nowhere.
    Refused(Rc<TestRecordings>),
}

/// Answers in place of the models that a file names.
pub(super) struct Door {
    source: Source,
    /// Knows the secrets of the run.
    redactor: Redactor,
}

impl Door {
    pub(super) fn exchanges(source: Source, redactor: &Redactor) -> Exchanges {
        Exchanges::Tested(Rc::new(DoorHandle(Rc::new(Door { source, redactor: redactor.clone() }))))
    }

    /// Whether no model is asked whatever its name.
    fn refuses(&self) -> bool {
        matches!(self.source, Source::Refused(_))
    }

    /// The run that a request belongs to.
    ///
    /// # Errors
    /// Why it is refused, which the test is told too.
    fn run(&self, model: &str) -> Result<Rc<Run>, Box<Diagnostic>> {
        let (test, run) = match &self.source {
            Source::Run(run) => return Ok(run.clone()),
            Source::Own(file) => (file.current(), file.current().own_run(model)),
            Source::Refused(test) => (test.clone(), Err(Box::new(words::refused(model, &test.file)))),
        };
        run.inspect_err(|fault| test.note_fault(fault))
    }
}

/// Whether it is the name of the model that is wrong, and not a key or an address that is missing.
fn leads_nowhere(error: &ProviderError) -> bool {
    let is_known = BUILT_IN.iter().any(|provider| provider.name == error.provider);
    error.kind == ProviderErrorKind::Configuration && !is_known
}

/// A door as bindings hold it.
struct DoorHandle(Rc<Door>);

impl TestExchanges for DoorHandle {
    fn model(&self, name: &str, providers: &ProviderContext) -> Result<Rc<dyn LanguageModel>, ProviderError> {
        // Whether it can be set up matters only when it has to be asked.
        let model = resolve(name, providers);
        let (provider, model_id) = match &model {
            // A name that leads nowhere would not be asked with --live either.
            Err(error) if self.0.refuses() && leads_nowhere(error) => return Err(error.clone()),
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
        let asked = Asked::new(&self.provider, &self.model_id, &request);
        let run = self.door.run(&asked.name()).map_err(|fault| self.unanswered(&fault))?;
        let place = run.begin_request();
        loop {
            match run.next(&asked, &place, &self.door.redactor) {
                Next::Play(exchange) => return exchange.play(),
                Next::Wait(change) => change.await,
                Next::Nothing(fault) => {
                    run.test.note_fault(&fault);
                    return Err(self.unanswered(&fault));
                }
                Next::Ask(ticket) => {
                    let model = self.model.as_ref().map_err(Clone::clone)?;
                    let keep = |exchange| {
                        ticket.keep(exchange);
                        Ok(())
                    };
                    return ask_and_keep(model.as_ref(), request, self.door.redactor.clone(), keep).await;
                }
            }
        }
    }

    fn unanswered(&self, fault: &Diagnostic) -> ProviderError {
        let (mut message, mut hint) = (fault.message.clone(), fault.hint.clone());
        if let (Source::Own(_), Some(advice)) = (&self.door.source, &hint) {
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
    fn answerers(&self) -> Vec<Answerer> {
        match &self.model {
            Ok(model) => model.answerers(),
            Err(_) => {
                let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
                vec![Answerer { provider, model_id, ..Answerer::default() }]
            }
        }
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        self.answer(request).boxed_local()
    }
}
