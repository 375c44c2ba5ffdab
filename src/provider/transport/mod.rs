//! Models behind HTTP: a wire format, an address and a way to authenticate make a [`LanguageModel`].
//!
//! Owns: sending, retries, timeouts, and turning the answer's bytes into parts. Must not know: any
//! provider's JSON (that is `wire`'s).

mod advice;
mod answer;
mod attempt;
mod authorise;
mod body;
mod cause;
mod faults;
mod limits;
mod model;
mod refusal;
mod repeatable;
mod retry;
mod sent;
mod turn;
mod wish;

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};

pub(super) use model::HttpModel;

use super::{Answerer, LanguageModel, PartStream, ProviderError, ProviderErrorKind, catalog, options::unknown};
use crate::chat::ModelRequest;
use limits::Limits;

impl HttpModel {
    async fn call(&self, mut request: ModelRequest) -> Result<PartStream<'_>, ProviderError> {
        let faults = self.faults();
        request.settings.max_output_tokens = request.settings.output_limit();
        let mut encoded = self
            .wire
            .encode(&request, &self.model_id)
            .map_err(|message| faults.error(ProviderErrorKind::BadRequest, &message, None))?;
        let options = &request.settings.provider_options;
        encoded.warnings.extend(unknown(&self.provider, self.wire.as_ref(), options, &*self.context.env));
        // Numbers come from JavaScript, where 1 and 1.0 are one: what is sent should not tell them apart.
        super::wire::values::normalize_numbers(&mut encoded.body);
        let limits = Limits::new(request.settings.timeouts);
        let prepared = attempt::Prepared::new(self, encoded, &request.settings, limits, faults)?;
        let answer = retry::run(self, &prepared).await?;
        // Boxed: the state moves into and out of every step of the stream.
        let answer = Box::new(answer);
        let parts = stream::unfold(answer, |mut answer| async move { answer.next().await.map(|part| (part, answer)) });
        Ok(parts.boxed_local())
    }
}

impl LanguageModel for HttpModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn answerers(&self) -> Vec<Answerer> {
        let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
        // What bears the name of a service is the service, by whatever way it is reached.
        let is_local = catalog::built_in(&self.provider).is_none() && self.address.is_loopback();
        vec![Answerer { provider, model_id, base_url: Some(self.address.to_string()), is_local }]
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        self.call(request).boxed_local()
    }
}
