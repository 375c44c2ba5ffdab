//! The model `local`, which becomes a model of a server with its first request.

use std::{cell::OnceCell, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    are_all_here,
    choose::{Chosen, choose, nothing_fits},
    entry::{LOCAL, Target},
    known_servers, runs_in_cloud, targets, url_of,
};
use crate::{
    LanguageModel, ModelIdentity, ModelResponse, PartStream, ProviderContext, ProviderError, ProviderErrorKind,
    ProviderEvent, ProviderSettings, address::Address, create, model_label,
};
use lmthing_base::chat::ModelRequest;

struct ChosenModel {
    model: Rc<dyn LanguageModel>,
    /// Whether its server passes requests on to a service elsewhere.
    is_remote: bool,
}

impl ChosenModel {
    /// Only what runs on this machine is free.
    fn is_local(&self) -> bool {
        !self.is_remote && self.model.model_identities().iter().all(|identity| identity.is_local)
    }
}

pub(crate) struct LocalModel {
    /// The name behind the colon; empty for any model.
    wanted: String,
    context: ProviderContext,
    chosen: OnceCell<ChosenModel>,
}

impl LocalModel {
    pub(crate) fn new(wanted: &str, context: &ProviderContext) -> Self {
        LocalModel { wanted: wanted.to_owned(), context: context.clone(), chosen: OnceCell::new() }
    }

    async fn chosen(&self) -> Result<&ChosenModel, ProviderError> {
        if let Some(chosen) = self.chosen.get() {
            return Ok(chosen);
        }
        let (servers, is_new) = known_servers(&self.context).await;
        let Chosen { entry, why } = choose(&servers, &self.wanted).ok_or_else(|| {
            let (message, hint) = nothing_fits(&servers, &self.wanted);
            ProviderError::new(ProviderErrorKind::Configuration, LOCAL, &*self.wanted, message).with_hint(hint)
        })?;
        let settings = ProviderSettings { base_url: url_of(entry.provider, &self.context), ..Default::default() };
        let model = create(entry.provider, &settings, &entry.id, &self.context)?;
        if is_new {
            let message = format!("{} is {}{why}", model_label(LOCAL, &self.wanted), entry.name());
            (self.context.on_event)(&ProviderEvent::Notice { message });
        }
        Ok(self.chosen.get_or_init(|| ChosenModel { model, is_remote: entry.is_remote }))
    }
}

impl LanguageModel for LocalModel {
    // Not those of the model it becomes: recordings must not depend on what is loaded.
    fn provider(&self) -> &str {
        LOCAL
    }

    fn model_id(&self) -> &str {
        &self.wanted
    }

    fn model_identities(&self) -> Vec<ModelIdentity> {
        let (provider, model_id) = (LOCAL.to_owned(), self.wanted.clone());
        let is_local = match self.chosen.get() {
            Some(chosen) => chosen.is_local(),
            None => are_all_here(&self.context) && !runs_in_cloud(&self.wanted),
        };
        vec![ModelIdentity { provider, model_id, is_local, ..ModelIdentity::default() }]
    }

    fn server(&self) -> Option<String> {
        self.chosen.get().and_then(|chosen| chosen.model.server())
    }

    fn setup(&self) -> Option<String> {
        // Any of them may have the model.
        let address = |target: Target| Address::parse(&target.url).ok().map(|address| address.without_secrets());
        let servers: Vec<String> = targets(&self.context).into_iter().filter_map(address).collect();
        Some(format!("{LOCAL}:{} {}", self.wanted, servers.join(" ")))
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async { Ok(self.answer(request).await?.parts) }.boxed_local()
    }

    fn answer<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<ModelResponse<'a>, ProviderError>> {
        async {
            let chosen = self.chosen().await?;
            let response = chosen.model.answer(request).await?;
            let identity = ModelIdentity {
                provider: response.provider.to_owned(),
                model_id: response.model_id.to_owned(),
                base_url: response.server.clone(),
                is_local: chosen.is_local(),
                ..ModelIdentity::default()
            };
            Ok(ModelResponse { identity: Some(identity), ..response })
        }
        .boxed_local()
    }
}
