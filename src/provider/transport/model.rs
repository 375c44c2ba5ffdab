//! What a model behind HTTP is made of.

use std::{collections::BTreeMap, fmt, rc::Rc, sync::Arc};

use super::faults::Faults;
use crate::provider::{
    ProviderContext, address::Address, auth::Auth, redact::names_a_secret, servers::Gate, wire::WireFormat,
};

/// What makes up a model behind HTTP.
pub(crate) struct HttpModel {
    pub(crate) provider: String,
    pub(crate) model_id: String,
    pub(crate) wire: Box<dyn WireFormat>,
    pub(crate) address: Address,
    pub(crate) auth: Rc<Auth>,
    /// Whether a request goes out without a key when there is none.
    pub(crate) key_is_optional: bool,
    /// Headers from the provider's settings.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) context: ProviderContext,
}

impl HttpModel {
    /// What makes the errors of the model's calls.
    pub(super) fn faults(&self) -> Faults {
        Faults {
            provider: self.provider.clone(),
            model: self.model_id.clone(),
            key_variable: self.auth.key_variable().map(str::to_owned),
            redactor: self.context.redactor.clone(),
        }
    }
}

impl HttpModel {
    /// The gate of the server, for the account that asks.
    pub(super) fn gate(&self) -> Arc<Gate> {
        // A token changes every hour, and is the account's all the same.
        let key = matches!(*self.auth, Auth::Key(_)).then(|| self.auth.secrets());
        let headers = self.headers.iter().filter(|(name, _)| names_a_secret(name)).map(|(_, value)| value.clone());
        self.context
            .servers
            .gate(&self.address.to_string(), key.into_iter().flatten().chain(self.address.secrets()).chain(headers))
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
