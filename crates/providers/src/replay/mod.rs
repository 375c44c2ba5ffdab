//! Models that answer from a recording, for `--replay`.

mod difference;
mod lookup;
mod matching;

use std::{cell::RefCell, collections::BTreeSet, rc::Rc, sync::Arc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    LanguageModel, ModelIdentity, PartStream, ProviderError, ProviderErrorKind,
    catalog::cache_rules,
    record::{InvalidRecording, RecordedExchange, RecordedFile, ReplayRequest},
    redact::Redactor,
};
use lmthing_base::{
    cache::CacheRules,
    chat::{CallSettings, ModelRequest},
};

pub use lookup::{split_name, unused_exchanges};

pub struct Replay {
    exchanges: Vec<Arc<RecordedExchange>>,
    used: RefCell<BTreeSet<usize>>,
    redactor: Redactor,
}

impl Replay {
    pub fn parse(text: &str, redactor: Redactor) -> Result<Rc<Replay>, InvalidRecording> {
        let exchanges = RecordedFile::parse(text)?.exchanges;
        Ok(Rc::new(Replay { exchanges, used: RefCell::default(), redactor }))
    }

    /// A model that answers from the recording. `model` is `provider:model`, or an alias, which is not resolved.
    /// Needs no keys.
    pub fn model(self: &Rc<Self>, model: &str) -> Rc<dyn LanguageModel> {
        self.model_priced_as(model, Vec::new())
    }

    /// The same with the identities of the original model, which determine prices.
    pub fn model_priced_as(
        self: &Rc<Self>,
        model: &str,
        model_identities: Vec<ModelIdentity>,
    ) -> Rc<dyn LanguageModel> {
        let (provider, model_id) = split_name(model);
        let (provider, model_id) = (provider.to_owned(), model_id.to_owned());
        Rc::new(ReplayModel { replay: self.clone(), provider, model_id, model_identities })
    }

    pub fn left(&self) -> usize {
        self.exchanges.len() - self.used.borrow().len()
    }

    pub fn unused(&self) -> Option<String> {
        let used = self.used.borrow();
        unused_exchanges(&self.unused_entries(&used).collect::<Vec<_>>(), self.exchanges.len(), "the recording")
    }

    fn unused_entries<'a>(&'a self, used: &'a BTreeSet<usize>) -> impl Iterator<Item = (usize, &'a RecordedExchange)> {
        self.exchanges.iter().map(AsRef::as_ref).enumerate().filter(|(index, _)| !used.contains(index))
    }

    /// The first unused exchange that matches, so that concurrent agents may send requests in any order.
    fn answer(&self, asked: &ReplayRequest) -> Result<Arc<RecordedExchange>, ProviderError> {
        let mut used = self.used.borrow_mut();
        let found =
            self.unused_entries(&used).find(|(_, exchange)| asked.is_answered_by(exchange)).map(|(index, _)| index);
        match found {
            Some(index) => {
                used.insert(index);
                Ok(self.exchanges[index].clone())
            }
            None => {
                let total = self.exchanges.len();
                let message =
                    asked.mismatch_message(self.unused_entries(&used), total, "the recording", &self.redactor);
                let error = ProviderError::new(ProviderErrorKind::Replay, &*asked.provider, &*asked.model, message);
                Err(error.with_hint("Record the run again, or undo what changed the request."))
            }
        }
    }
}

struct ReplayModel {
    replay: Rc<Replay>,
    provider: String,
    model_id: String,
    model_identities: Vec<ModelIdentity>,
}

impl LanguageModel for ReplayModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn model_identities(&self) -> Vec<ModelIdentity> {
        if self.model_identities.is_empty() {
            let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
            return vec![ModelIdentity { provider, model_id, ..ModelIdentity::default() }];
        }
        self.model_identities.clone()
    }

    fn cache_rules(&self, settings: &CallSettings) -> CacheRules {
        cache_rules(&self.provider, &self.model_id, settings)
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async move {
            let asked = ReplayRequest::new(&self.provider, &self.model_id, &request);
            self.replay.answer(&asked)?.replay()
        }
        .boxed_local()
    }
}
