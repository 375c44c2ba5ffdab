//! Language models behind one trait: catalogue of providers, model strings, wire formats, HTTP, recordings.

mod address;
mod answer_end;
mod answer_lengths;
mod auth;
mod batch;
mod billing;
mod catalog;
mod context;
mod create;
mod cut;
mod error;
mod error_kind;
mod error_text;
mod fallback;
mod file_limits;
mod framing;
mod human_duration;
mod identifiers;
mod keys;
mod local;
mod mock;
mod mock_item;
mod models;
mod options;
mod own_fields;
mod record;
mod redact;
mod refusal_advice;
mod refused_parameters;
mod replay;
mod resolve;
mod servers;
mod settings;
mod transport;
mod wire;

use futures_util::{FutureExt, future::LocalBoxFuture, stream::LocalBoxStream};

use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest, StreamPart, Tier, ToolSpec},
};

pub use answer_end::AnswerEnd;
pub use batch::{
    BatchAnswer, BatchClient, BatchLimits, BatchOutcome, BatchPhase, BatchRequest, BatchStatus, BatchTarget, Batching,
    Dispatch, FoundBatch, NewBatch, RemoteId,
};
pub use catalog::{BUILT_IN, COMPATIBLE, Provider, cache_rules};
pub use context::{Env, ProviderContext, ProviderEvent};
pub use create::create;
pub use create::create_with_own_key;
pub use error::{ProviderError, ProviderErrorKind};
pub use fallback::FallbackModel;
pub use human_duration::HumanDuration;
pub use keys::{certificate_paths, key_paths, key_variables};
pub use local::{LocalEntry, LocalServer, chosen_local, local_servers};
pub use mock::{MockModel, MockOptions};
pub use mock_item::{InvalidMockItem, MockItem};
pub use models::{KeyedProvider, ModelList, ProviderInfo, list_models, provider_of, providers_with_keys};
pub use own_fields::OwnFields;
pub use record::{
    InvalidRecording, RecordedExchange, RecordedFile, ReplayRequest, check_recording_writable, recording_text,
    stream_and_record, write_recording,
};
pub use record::{Recording, RecordingOutcome};
pub use redact::Redactor;
pub use replay::Replay;
pub use replay::{split_name, unused_exchanges};
pub use resolve::{model_name, resolve};
pub use servers::Servers;
pub use settings::ProviderSettings;
pub use transport::MAX_WAIT;
pub use wire::{Media, MediaSource};

/// The model that hints name.
pub const EXAMPLE_MODEL: &str = "openai:gpt-6.1-sol";

/// The parts of one response. The stream ends after `Finish` or after an `Err`; the parts before an `Err` stay valid.
pub type PartStream<'a> = LocalBoxStream<'a, Result<StreamPart, ProviderError>>;

pub struct ModelResponse<'a> {
    pub provider: &'a str,
    pub model_id: &'a str,
    /// See [`LanguageModel::server`].
    pub server: Option<String>,
    pub parts: PartStream<'a>,
    pub turn: Option<MockTurn>,
    /// What the price depends on, if the answer is of none of [`LanguageModel::model_identities`].
    pub identity: Option<ModelIdentity>,
    /// See [`LanguageModel::cache_rules`].
    pub cache_rules: CacheRules,
}

/// `provider:model`, or the provider alone, which is enough for `local`.
pub fn model_label(provider: &str, model_id: &str) -> String {
    if model_id.is_empty() { provider.to_owned() } else { format!("{provider}:{model_id}") }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MockTurn {
    /// Index of the mock in the order of creation, 0 for the file's own. `None` if it was created while prompts ran.
    pub mock: Option<usize>,
    pub turn: usize,
}

/// A model that may answer a request, with what its price depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelIdentity {
    pub provider: String,
    pub model_id: String,
    pub base_url: Option<String>,
    pub is_local: bool,
    /// The service tiers that it can be asked for.
    pub tiers: Vec<Tier>,
}

/// A model that answers one request at a time.
///
/// Everything runs on one thread, so neither futures nor streams are `Send`. Dropping either cancels the call.
/// `stream` resolves with the first part that may be shown; all retries happen before that. Later failures arrive inside the
/// stream and are never retried.
pub trait LanguageModel {
    fn provider(&self) -> &str;

    fn model_id(&self) -> &str;

    /// Whether the model reads its requests. The mock does not, which saves building the whole history and every
    /// schema for each step of a long run.
    fn reads_request(&self) -> bool {
        true
    }

    fn model_identities(&self) -> Vec<ModelIdentity> {
        let (provider, model_id) = (self.provider().to_owned(), self.model_id().to_owned());
        vec![ModelIdentity { provider, model_id, ..ModelIdentity::default() }]
    }

    /// Those that would search the web with these tools by the provider's own search, which has a price.
    fn searching_models(&self, _tools: &[ToolSpec]) -> Vec<ModelIdentity> {
        Vec::new()
    }

    /// Why the model would refuse these tools before any request; `None` if it takes them.
    fn refusal(&self, _tools: &[ToolSpec]) -> Option<String> {
        None
    }

    /// Why requests to the model cannot go into batches; `None` if they can.
    fn batch_refusal(&self) -> Option<ProviderError> {
        Some(batch::no_batches(self.provider(), self.model_id()))
    }

    /// The base URL of the server that requests go to; `None` if none is asked, as for mocks and replays.
    fn server(&self) -> Option<String> {
        None
    }

    /// What decides, apart from the request, which answers it gives: where it is asked, by which API, with which settings.
    /// Without keys. `None` if that is not known, as of models that a script has written.
    fn setup(&self) -> Option<String> {
        None
    }

    /// What the model's prompt cache does with requests of these settings. Of several models, only the answer says whose
    /// rules hold.
    fn cache_rules(&self, _settings: &CallSettings) -> CacheRules {
        CacheRules::NONE
    }

    /// Skips turns of the script that were already played for a resumed run. A mock with [`MockTurn::mock`] ignores
    /// this, as it already knows the turns to skip.
    fn skip_turns(&self, _turns: &[usize]) {}

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>>;

    fn answer<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<ModelResponse<'a>, ProviderError>> {
        let cache_rules = self.cache_rules(&request.settings);
        let parts = self.stream(request);
        async move {
            let (provider, model_id, server) = (self.provider(), self.model_id(), self.server());
            let (parts, turn, identity) = (parts.await?, None, None);
            Ok(ModelResponse { provider, model_id, server, parts, turn, identity, cache_rules })
        }
        .boxed_local()
    }
}

/// Whether the request must not be repeated after this part, because it may have been shown. Thoughts are shown too,
/// although they are no visible text ([`AnswerEnd::is_visible`]).
fn ends_retries(part: &StreamPart) -> bool {
    match part {
        StreamPart::TextDelta { delta, .. } | StreamPart::ReasoningDelta { delta, .. } => !delta.is_empty(),
        // Of a call, only the whole has an effect.
        StreamPart::ToolCall { .. } | StreamPart::File { .. } | StreamPart::Finish { .. } => true,
        _ => false,
    }
}
