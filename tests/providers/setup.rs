//! Models of several providers, all at one local server, with short waits and recorded events.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc, time::Duration};

use lmthing_base::chat::{CallSettings, Message, ModelRequest, Role};
use lmthing_providers::{
    FallbackModel, LanguageModel, ProviderContext, ProviderErrorKind, ProviderEvent, ProviderSettings, create, resolve,
};
use serde_json::json;

use crate::{
    steps::{Answer, ask},
    support::canned::{Canned, Server},
};

pub(crate) const KEY: &str = "sk-test-0123456789";
pub(crate) const CHAT: &[u8] = include_bytes!("../../crates/providers/fixtures/compatible.sse");
pub(crate) const ANTHROPIC: &[u8] = include_bytes!("../../crates/providers/fixtures/anthropic.sse");
pub(crate) const GOOGLE: &[u8] = include_bytes!("../../crates/providers/fixtures/google.sse");
pub(crate) const BEDROCK: &[u8] = include_bytes!("../../crates/providers/fixtures/bedrock.eventstream");
/// The text of all stored answers.
pub(crate) const TEXT: &str = "Låg vatten… \"soon\"\\now";

pub(crate) struct Setup {
    pub server: Server,
    pub events: Rc<RefCell<Vec<ProviderEvent>>>,
    pub context: ProviderContext,
}

pub(crate) async fn setup(answers: Vec<Canned>) -> Setup {
    let server = Server::start(answers).await;
    let env: BTreeMap<String, String> = [
        ("LAB_API_KEY", KEY.to_owned()),
        ("LAB_API_TYPE", "openai".to_owned()),
        ("LAB_API_BASE", server.url("/lab/v1/")),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("ANTHROPIC_BASE_URL", server.url("/v1")),
        ("OPENAI_BASE_URL", server.url("/v1")),
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url("")),
        ("AWS_BEARER_TOKEN_BEDROCK", KEY.to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let events = Rc::new(RefCell::new(Vec::new()));
    let sink = events.clone();
    let mut context = ProviderContext::new(Rc::new(env)).on_event(move |event| sink.borrow_mut().push(event.clone()));
    context.first_wait = Duration::from_millis(20);
    Setup { server, events, context }
}

impl Setup {
    pub(crate) fn model(&self, name: &str) -> Rc<dyn LanguageModel> {
        resolve(name, &self.context).unwrap()
    }

    pub(crate) fn fallback(&self, names: &[&str]) -> Rc<dyn LanguageModel> {
        FallbackModel::of(names.iter().map(|name| self.model(name)).collect(), &self.context).unwrap()
    }

    pub(crate) async fn ask(&self, name: &str) -> Answer {
        self.ask_with(name, CallSettings::default()).await
    }

    pub(crate) async fn ask_with(&self, name: &str, settings: CallSettings) -> Answer {
        let messages = vec![Rc::new(Message::text(Role::User, "How high is the water?"))];
        ask(
            self.model(name).as_ref(),
            ModelRequest { messages, tools: Vec::new(), settings, ..ModelRequest::default() },
        )
        .await
    }

    /// A model that the provider's factory creates.
    pub(crate) fn made(&self, provider: &str) -> Rc<dyn LanguageModel> {
        let settings = ProviderSettings {
            api_key: Some(KEY.into()),
            base_url: Some(self.server.url("")),
            ..ProviderSettings::default()
        };
        create(provider, &settings, "tide", &self.context).unwrap()
    }

    pub(crate) fn waits(&self) -> Vec<Duration> {
        let wait = |event: &ProviderEvent| match event {
            ProviderEvent::Retry { wait, .. } => Some(*wait),
            _ => None,
        };
        self.events.borrow().iter().filter_map(wait).collect()
    }
}

pub(crate) fn error_of(answer: &Answer) -> (ProviderErrorKind, String) {
    let error = answer.error.as_ref().expect("the call fails");
    (error.kind.clone(), error.message.clone())
}

pub(crate) fn refusal(status: u16, message: &str) -> Canned {
    Canned::new(status, "application/json", json!({ "error": { "message": message } }).to_string())
}
