//! Answering from a recording, for `--replay`: no network, and a clear failure when the run asks something else.
//!
//! `asked` finds what answers a request, `matching` says whether a request is the recorded one, `difference` where it is not.
//! Must not know: keys, addresses.

mod asked;
mod difference;
mod matching;

use std::{cell::RefCell, collections::BTreeSet, rc::Rc, sync::Arc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    Answerer, LanguageModel, PartStream, ProviderError, ProviderErrorKind,
    record::{Asked, RecordedExchange, RecordedFile},
    redact::Redactor,
};
use crate::chat::ModelRequest;

pub(crate) use asked::{split_name, unused_exchanges};

/// A recording that is being played.
pub struct Replay {
    exchanges: Vec<Arc<RecordedExchange>>,
    /// The places of those that were asked for.
    played: RefCell<BTreeSet<usize>>,
    redactor: Redactor,
}

impl Replay {
    /// Reads a recording's text. Differences are told without the secrets that `redactor` knows.
    ///
    /// # Errors
    /// What is wrong with the text, when it is no recording.
    pub fn parse(text: &str, redactor: Redactor) -> Result<Rc<Replay>, String> {
        let exchanges = RecordedFile::parse(text)?.exchanges;
        Ok(Rc::new(Replay { exchanges, played: RefCell::default(), redactor }))
    }

    /// A model that answers from the recording. `model` is `provider:model`, or an alias that nobody knows the meaning of
    /// now, which may have meant any: neither keys nor providers are looked at.
    pub fn model(self: &Rc<Self>, model: &str) -> Rc<dyn LanguageModel> {
        self.model_priced_as(model, Vec::new())
    }

    /// The same for a model whose answerers are known, by whose price it goes: what was free is free again.
    pub fn model_priced_as(self: &Rc<Self>, model: &str, answerers: Vec<Answerer>) -> Rc<dyn LanguageModel> {
        let (provider, model_id) = split_name(model);
        let (provider, model_id) = (provider.to_owned(), model_id.to_owned());
        Rc::new(Replayed { replay: self.clone(), provider, model_id, answerers })
    }

    /// How many exchanges have not been asked for.
    pub fn left(&self) -> usize {
        self.exchanges.len() - self.played.borrow().len()
    }

    /// Which exchanges have not been asked for, as a sentence; `None` when all have.
    pub fn unused(&self) -> Option<String> {
        let played = self.played.borrow();
        unused_exchanges(&self.unplayed(&played).collect::<Vec<_>>(), self.exchanges.len(), "the recording")
    }

    fn unplayed<'a>(&'a self, played: &'a BTreeSet<usize>) -> impl Iterator<Item = (usize, &'a RecordedExchange)> {
        self.exchanges.iter().map(AsRef::as_ref).enumerate().filter(|(index, _)| !played.contains(index))
    }

    /// The answer to a request: that of the first equal one not yet played, so that concurrent agents may ask in any
    /// order.
    fn answer(&self, asked: &Asked) -> Result<Arc<RecordedExchange>, String> {
        let mut played = self.played.borrow_mut();
        let found = self.unplayed(&played).find(|(_, exchange)| asked.is_answered_by(exchange)).map(|(index, _)| index);
        match found {
            Some(index) => {
                played.insert(index);
                Ok(self.exchanges[index].clone())
            }
            None => {
                let total = self.exchanges.len();
                Err(asked.why_none(self.unplayed(&played), total, "the recording", &self.redactor))
            }
        }
    }
}

struct Replayed {
    replay: Rc<Replay>,
    provider: String,
    model_id: String,
    answerers: Vec<Answerer>,
}

impl LanguageModel for Replayed {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn answerers(&self) -> Vec<Answerer> {
        if self.answerers.is_empty() {
            let (provider, model_id) = (self.provider.clone(), self.model_id.clone());
            return vec![Answerer { provider, model_id, ..Answerer::default() }];
        }
        self.answerers.clone()
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async move {
            let asked = Asked::new(&self.provider, &self.model_id, &request);
            let exchange = self.replay.answer(&asked).map_err(|message| {
                ProviderError::new(ProviderErrorKind::Replay, &*self.provider, &*self.model_id, message)
                    .with_hint("Record the run again, or undo what changed the request.")
            })?;
            exchange.play()
        }
        .boxed_local()
    }
}
