//! The parts of an HTTP model.

use std::{collections::BTreeMap, fmt, rc::Rc, sync::Arc};

use serde_json::json;

use super::error_context::ErrorContext;
use crate::{
    ProviderContext, ProviderSettings,
    address::{Address, public_pairs},
    auth::Auth,
    redact::names_a_secret,
    servers::Limiter,
    wire::WireFormat,
};
use lmthing_base::chat::ModelRequest;

pub(crate) struct HttpModel {
    pub provider: String,
    pub model_id: String,
    pub wire: Box<dyn WireFormat>,
    pub address: Address,
    pub auth: Rc<Auth>,
    pub key_is_optional: bool,
    /// Whether it is a known service, in contrast to a server of the user's own.
    pub is_service: bool,
    /// The provider's usual base URL, which may have placeholders.
    pub usual_url: &'static str,
    pub headers: BTreeMap<String, String>,
    pub context: ProviderContext,
    /// What the file sets of the provider.
    pub settings: ProviderSettings,
}

impl HttpModel {
    pub(super) fn errors(&self) -> ErrorContext {
        ErrorContext {
            provider: self.provider.clone(),
            model: self.model_id.clone(),
            key_variable: self.auth.key_variable().map(str::to_owned),
            redactor: self.context.redactor.clone(),
        }
    }
}

impl HttpModel {
    pub(super) fn limiter(&self) -> Arc<Limiter> {
        // OAuth tokens change every hour and do not identify the account.
        let key = matches!(*self.auth, Auth::Key(_)).then(|| self.auth.secrets());
        let headers = self.headers.iter().filter(|(name, _)| names_a_secret(name)).map(|(_, value)| value.clone());
        self.context
            .servers
            .limiter(&self.address.to_string(), key.into_iter().flatten().chain(self.address.secrets()).chain(headers))
    }
}

impl HttpModel {
    pub(super) fn setup(&self) -> String {
        let ProviderSettings { api_version, organization, project, query, include_usage, .. } = &self.settings;
        let headers = self.headers.iter().filter(|(name, _)| !names_a_secret(name));
        // The path shows which API it is.
        let path = self.wire.encode(&ModelRequest::default(), &self.model_id).map(|request| request.path).ok();
        let query: Vec<&str> = public_pairs(query.as_deref().unwrap_or_default()).collect();
        let settings = json!([api_version, organization, project, query, include_usage]);
        let address = self.address.without_secrets();
        json!([self.provider, self.model_id, address, path, headers.collect::<Vec<_>>(), settings]).to_string()
    }
}

impl fmt::Debug for HttpModel {
    // Headers may hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("provider", &self.provider)
            .field("model_id", &self.model_id)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
