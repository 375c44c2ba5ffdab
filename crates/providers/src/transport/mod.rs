//! HTTP models: sending, retries, timeouts and streaming. The formats are in `wire`.

mod act;
mod attempt;
mod authorise;
mod batched;
mod body;
mod cause;
mod connection_advice;
mod error_context;
mod limits;
mod model;
mod refusal;
mod request_body;
mod response_stream;
mod retry;
mod retry_after;
mod throttle;

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};

pub(super) use act::{Act, ActBody, ActFailure};
pub(super) use model::HttpModel;
pub use retry::MAX_WAIT;

use super::{
    LanguageModel, ModelIdentity, PartStream, ProviderError, ProviderErrorKind,
    answer_lengths::longest_answer,
    batch::{BatchService, no_batches},
    cut::CutWatch,
    file_limits,
    local::runs_in_cloud,
    options,
    own_fields::OwnFields,
};
use limits::Limits;
use lmthing_base::{
    cache::{CacheCertainty, CacheKind, CacheRules},
    chat::{CallSettings, ModelRequest, ProviderToolKind, StreamPart, ToolSpec},
};

impl HttpModel {
    /// What a provider promises holds for its own servers. A server of this machine passes requests on to them, or
    /// stands for them in a test.
    fn knows_limits(&self) -> bool {
        self.address.is_host_of(self.usual_url) || self.address.is_loopback()
    }

    async fn call(&self, mut request: ModelRequest) -> Result<PartStream<'_>, ProviderError> {
        let errors = self.errors();
        let place = std::mem::take(&mut request.place);
        request.settings.max_output_tokens = request.settings.output_limit(longest_answer(&self.model_id));
        options::rename_packages(&mut request.settings.provider_options);
        let own = OwnFields::take(&[&*self.provider], &mut request.settings);
        let replaced = self.wire.identifiers(&self.model_id).replace(&mut request);
        let of_provider =
            || self.knows_limits().then(|| file_limits::refusal(&self.provider, &request.messages)).flatten();
        let refused = file_limits::empty_file(&request.messages).or_else(of_provider);
        let encoded = refused.map_or_else(|| self.wire.encode(&request, &self.model_id), Err);
        let mut encoded = encoded.map_err(|unsupported| {
            let kind = if unsupported.is_file { ProviderErrorKind::File } else { ProviderErrorKind::BadRequest };
            errors.error(kind, &unsupported.to_string(), None)
        })?;
        if let Some(tier) = request.settings.tier {
            encoded.put_tier(tier, self.wire.tiers());
        }
        let (given, env) = (&request.settings.provider_options, &*self.context.env);
        encoded.warnings.extend(options::unknown(&self.provider, self.wire.as_ref(), given, env));
        encoded.warnings.extend(options::unknown_in_tools(&request.tools, env));
        // The settings of the cache depend on the author's own fields, which win over them.
        own.put_body(&mut encoded);
        let (cache, form) = (request.settings.cache.as_ref(), self.wire.cache_form(&self.model_id));
        encoded.put_cache(cache, self.context.cache_key.as_deref(), form, &self.model_id);
        own.put_body(&mut encoded);
        let writes_are_long = encoded.writes_for_an_hour(cache);
        // Such services leave out counts of 0.
        let counts_all = self.cache_rules(&request.settings).certainty == CacheCertainty::BestEffort;
        // JavaScript does not distinguish 1 and 1.0, so bodies must not either.
        super::wire::values::normalize_numbers(&mut encoded.body);
        let watch = CutWatch::new(self, &encoded.body);
        let limits = Limits::new(request.settings.timeouts);
        let prepared = attempt::Prepared::new(self, encoded, &own, &request.settings, limits, errors)?;
        let answer = batched::answer(self, &prepared, place).await?;
        // Boxed: the state moves into and out of every step of the stream.
        let answer = Box::new(answer);
        let parts = stream::unfold(answer, |mut answer| async move { answer.next().await.map(|part| (part, answer)) });
        let parts = parts.map(move |mut part| {
            if let Ok(StreamPart::Finish { usage, .. }) = &mut part {
                watch.check(usage);
                if writes_are_long && usage.long_cache_write_tokens.is_none() {
                    usage.long_cache_write_tokens = usage.cache_write_tokens;
                }
                usage.has_cache_count |= counts_all;
            }
            part
        });
        if replaced.is_empty() {
            return Ok(parts.boxed_local());
        }
        let restored = parts.map(move |part| part.map(|part| replaced.restored(part)));
        Ok(restored.boxed_local())
    }
}

impl LanguageModel for HttpModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn model_identities(&self) -> Vec<ModelIdentity> {
        let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
        // A service is paid, even through a local proxy or server.
        let is_local = !self.is_service && self.address.is_loopback() && !runs_in_cloud(&self.model_id);
        let tiers = self.wire.tiers().iter().map(|form| form.tier).collect();
        vec![ModelIdentity { provider, model_id, base_url: Some(self.address.to_string()), is_local, tiers }]
    }

    fn searching_models(&self, tools: &[ToolSpec]) -> Vec<ModelIdentity> {
        let mut tools = tools.to_vec();
        let mut offers_search = false;
        for tool in tools.iter_mut().filter_map(|spec| spec.provider_tool.as_mut()) {
            if matches!(tool.kind, ProviderToolKind::WebSearch(_)) {
                // A format that cannot express the search refuses it then.
                (tool.has_else, offers_search) = (false, true);
            }
        }
        let request = ModelRequest { tools, ..ModelRequest::default() };
        let searches = offers_search && self.wire.encode(&request, &self.model_id).is_ok();
        if searches { self.model_identities() } else { Vec::new() }
    }

    fn refusal(&self, tools: &[ToolSpec]) -> Option<String> {
        let request = ModelRequest { tools: tools.to_vec(), ..ModelRequest::default() };
        self.wire.encode(&request, &self.model_id).err().map(|unsupported| unsupported.to_string())
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        let rules = self.wire.cache_rules(&self.model_id, settings);
        if matches!(rules.kind, CacheKind::Marks(_))
            && self.context.servers.refuses_cache_marks(&self.address.to_string())
        {
            return CacheRules::NONE;
        }
        if self.knows_limits() { rules } else { CacheRules { certainty: CacheCertainty::Unknown, ..rules } }
    }

    fn batch_refusal(&self) -> Option<ProviderError> {
        BatchService::of(self).is_none().then(|| no_batches(&self.provider, &self.model_id))
    }

    fn server(&self) -> Option<String> {
        Some(self.address.to_string())
    }

    fn setup(&self) -> Option<String> {
        Some(HttpModel::setup(self))
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        self.call(request).boxed_local()
    }
}
