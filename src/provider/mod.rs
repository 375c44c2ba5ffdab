//! Language models: one trait, the catalogue of providers, the resolver of model strings, the mock, one adapter a wire
//! format.
//!
//! Owns: turning a [`ModelRequest`] into a stream of [`StreamPart`]s, authentication, retries, redaction, recordings.
//! Must not know: prompts, JavaScript, the step loop. It imports plain types and `http` only.

mod address;
mod advice;
mod auth;
mod billing;
mod catalog;
mod context;
mod create;
mod error;
mod failure;
mod fallback;
mod framing;
mod ids;
mod keys;
mod mock;
mod mock_item;
mod models;
mod options;
mod record;
mod redact;
mod replay;
mod resolve;
mod servers;
mod settings;
mod span;
mod transport;
mod unsupported;
mod visible;
mod wire;
mod words;

use futures_util::{FutureExt, future::LocalBoxFuture, stream::LocalBoxStream};

use crate::chat::{ModelRequest, StreamPart};

pub(crate) use catalog::{BUILT_IN, COMPATIBLE, Provider};
pub use context::{Env, ProviderContext, ProviderEvent};
pub use create::create;
pub(crate) use create::create_with_own_key;
pub use error::{ProviderError, ProviderErrorKind};
pub use fallback::FallbackModel;
pub(crate) use keys::{certificate_paths, key_paths, key_variables};
pub(crate) use mock::{MockModel, MockOptions};
pub(crate) use mock_item::{MockItem, WrongMockItem};
pub(crate) use models::{ModelList, ProviderInfo, list_models};
pub(crate) use record::{Asked, RecordedExchange, RecordedFile, ask_and_keep, try_recording, write_recording};
pub use record::{Kept, Recording};
pub use redact::Redactor;
pub use replay::Replay;
pub(crate) use replay::{split_name, unused_exchanges};
pub use resolve::{model_name, resolve};
pub(crate) use servers::Servers;
pub use settings::ProviderSettings;
pub use span::Span;

/// The parts of one answer. The stream ends after `Finish`, or after an `Err`; what came before an `Err` stays valid.
pub type PartStream<'a> = LocalBoxStream<'a, Result<StreamPart, ProviderError>>;

/// The parts of one answer, and the model that gives it.
pub struct Answering<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// The model's id at the provider.
    pub model_id: &'a str,
    /// What it says.
    pub parts: PartStream<'a>,
    /// Which turn of its script it plays, when it has one.
    pub turn: Option<MockTurn>,
}

/// A turn of a scripted model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MockTurn {
    /// Which model, in the order they were made, 0 being the file's own. `None` for one that was made while prompts ran already.
    pub mock: Option<usize>,
    /// The turn, from 0.
    pub turn: usize,
}

/// A model that may answer a request, as far as its price goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answerer {
    /// The provider's name.
    pub provider: String,
    /// The model's id at the provider.
    pub model_id: String,
    /// Where requests go, when that is a server.
    pub base_url: Option<String>,
    /// Whether it answers on this machine and for nothing: a mock, or a compatible server on loopback.
    pub is_local: bool,
}

/// A model that answers one request at a time.
///
/// Everything runs on one thread, so neither futures nor streams are `Send`. Dropping the future or the stream cancels
/// the call. `stream` resolves with the first visible part of the answer (all retries happen before that); failures after
/// that point arrive inside the stream and are never retried.
pub trait LanguageModel {
    /// The provider's name, such as `openai`.
    fn provider(&self) -> &str;

    /// The model's id at the provider.
    fn model_id(&self) -> &str;

    /// Whether the model looks at its requests at all. The mock does not, which saves a long run from putting together its
    /// whole history, and every schema, for every step.
    fn reads_request(&self) -> bool {
        true
    }

    /// Everybody who may answer a request: of a model that stands for several, all of them.
    fn answerers(&self) -> Vec<Answerer> {
        let (provider, model_id) = (self.provider().to_owned(), self.model_id().to_owned());
        vec![Answerer { provider, model_id, ..Answerer::default() }]
    }

    /// Leaves out turns of its script, if it plays one: a run that they were played for goes on in this process. One that is
    /// told from others for the whole run ([`MockTurn::mock`]) has left out all that were.
    fn leave_out(&self, _turns: &[usize]) {}

    /// Sends one request.
    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>>;

    /// Sends one request and says who answers it: a model that stands for several does not answer itself.
    fn answer<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<Answering<'a>, ProviderError>> {
        let parts = self.stream(request);
        async {
            Ok(Answering { provider: self.provider(), model_id: self.model_id(), parts: parts.await?, turn: None })
        }
        .boxed_local()
    }
}
