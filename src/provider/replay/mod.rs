//! Answering from a recording, for `--replay`: no network, and a clear failure when the run asks something else.
//!
//! `matching` says whether a request is the recorded one, `difference` where it is not. Must not know: keys, addresses.

mod difference;
mod matching;

use std::{cell::RefCell, rc::Rc};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Answerer, LanguageModel, PartStream, ProviderError, ProviderErrorKind, record::request_to_json, redact::Redactor,
};
use crate::chat::{ModelRequest, StreamPart};
use difference::{describe, distance};
use matching::matches;

/// The version of recordings that are read, and written by `record`.
const VERSION: u64 = 1;

/// What stands for the provider of an alias that leads nowhere.
const ALIAS: &str = "replay";

/// A recording that is being played.
pub struct Replay {
    exchanges: RefCell<Vec<Exchange>>,
    redactor: Redactor,
}

#[derive(Deserialize)]
struct RecordedFile {
    version: u64,
    exchanges: Vec<Exchange>,
}

#[derive(Deserialize)]
struct Exchange {
    provider: String,
    model: String,
    request: Value,
    parts: Vec<StreamPart>,
    #[serde(default)]
    error: Option<RecordedError>,
    #[serde(skip)]
    played: bool,
}

#[derive(Deserialize)]
struct RecordedError {
    kind: String,
    message: String,
    #[serde(default)]
    provider: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    hint: Option<String>,
}

impl Replay {
    /// Reads a recording's text. Differences are told without the secrets that `redactor` knows.
    ///
    /// # Errors
    /// What is wrong with the text, when it is no recording.
    pub fn parse(text: &str, redactor: Redactor) -> Result<Rc<Replay>, String> {
        match serde_json::from_str::<RecordedFile>(text) {
            Ok(file) if file.version == VERSION => {
                Ok(Rc::new(Replay { exchanges: RefCell::new(file.exchanges), redactor }))
            }
            Ok(file) => Err(wrong_version(file.version)),
            Err(error) => Err(what_is_wrong(text, &error)),
        }
    }

    /// A model that answers from the recording. `model` is `provider:model`, or an alias that nobody knows the meaning of
    /// now, which may have meant any: neither keys nor providers are looked at.
    pub fn model(self: &Rc<Self>, model: &str) -> Rc<dyn LanguageModel> {
        self.model_priced_as(model, Vec::new())
    }

    /// The same for a model whose answerers are known, by whose price it goes: what was free is free again.
    pub fn model_priced_as(self: &Rc<Self>, model: &str, answerers: Vec<Answerer>) -> Rc<dyn LanguageModel> {
        let (provider, model_id) = model.split_once(':').unwrap_or((ALIAS, model));
        let (provider, model_id) = (provider.to_owned(), model_id.to_owned());
        Rc::new(Replayed { replay: self.clone(), provider, model_id, answerers })
    }

    /// How many exchanges have not been asked for.
    pub fn left(&self) -> usize {
        self.exchanges.borrow().iter().filter(|exchange| !exchange.played).count()
    }

    /// Which exchanges have not been asked for, as a sentence; `None` when all have.
    pub fn unused(&self) -> Option<String> {
        const MOST: usize = 5;
        let exchanges = self.exchanges.borrow();
        let unused = exchanges.iter().enumerate().filter(|(_, exchange)| !exchange.played);
        let names: Vec<String> =
            unused.map(|(index, exchange)| format!("{} ({})", index + 1, exchange.name())).collect();
        let (total, count) = (exchanges.len(), names.len());
        let more = if count > MOST { format!(" and {} more", count - MOST) } else { String::new() };
        let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
        let were = if count == 1 { "was" } else { "were" };
        (count > 0)
            .then(|| format!("{count} of {total} exchanges of the recording {were} never asked for: {shown}{more}"))
    }

    /// The answer to a request: that of the first equal one not yet played, so that concurrent agents may ask in any
    /// order.
    fn answer(
        &self,
        model: &Replayed,
        request: &ModelRequest,
    ) -> Result<Vec<Result<StreamPart, ProviderError>>, String> {
        let asked = request_to_json(request);
        let mut exchanges = self.exchanges.borrow_mut();
        let mut left = exchanges.iter_mut().filter(|exchange| !exchange.played);
        match left.find(|exchange| model.is_of(exchange) && matches(&exchange.request, &asked)) {
            Some(exchange) => {
                exchange.played = true;
                Ok(exchange.parts())
            }
            None => Err(self.nothing_equal(&exchanges, model, &asked)),
        }
    }

    /// Why there is no answer: one difference, from what is most likely to have been meant, is worth more than a list.
    fn nothing_equal(&self, exchanges: &[Exchange], model: &Replayed, asked: &Value) -> String {
        let total = exchanges.len();
        let left = exchanges.iter().enumerate().filter(|(_, exchange)| !exchange.played);
        // The first one of those that differ least.
        let nearest = left.min_by_key(|(_, exchange)| (distance(&exchange.request, asked), !model.is_of(exchange)));
        let Some((index, exchange)) = nearest else {
            return format!("The recording holds {total} exchanges and the run asks for one more.");
        };
        let place = format!("exchange {} of {total} in the recording", index + 1);
        let recorded = exchange.name();
        if matches(&exchange.request, asked) {
            let asked = model.name();
            return format!("The model differs from {place}: recorded {recorded}, asked now {asked}.");
        }
        let other = if model.is_of(exchange) { String::new() } else { format!("; now {} is asked", model.name()) };
        let difference = describe(&exchange.request, asked, &self.redactor);
        format!("The request differs from {place} ({recorded}{other}).\n{difference}")
    }
}

fn wrong_version(version: u64) -> String {
    format!("it has version {version}; this lmthing reads version {VERSION}")
}

/// Why a text is no recording, from the coarsest fault on.
fn what_is_wrong(text: &str, error: &serde_json::Error) -> String {
    if text.trim().is_empty() {
        return "it is empty".to_owned();
    }
    match serde_json::from_str::<Value>(text) {
        Err(error) => format!("it is not JSON: {error}"),
        Ok(file) => match file.get("version").map(|version| version.as_u64().ok_or(version)) {
            // A later one may look quite different.
            Some(Ok(version)) if version != VERSION => wrong_version(version),
            Some(Ok(_)) => format!("it is not as --record writes it: {error}"),
            Some(Err(_)) | None => "it is JSON, but not what --record writes".to_owned(),
        },
    }
}

impl Exchange {
    fn name(&self) -> String {
        format!("{}:{}", self.provider, self.model)
    }

    fn parts(&self) -> Vec<Result<StreamPart, ProviderError>> {
        let mut parts: Vec<_> = self.parts.iter().cloned().map(Ok).collect();
        if let Some(recorded) = &self.error {
            let kind = ProviderErrorKind::from_name(&recorded.kind);
            let mut error = ProviderError::new(kind, &*recorded.provider, &*recorded.model, &*recorded.message);
            error.status = recorded.status;
            error.hint.clone_from(&recorded.hint);
            parts.push(Err(error));
        }
        parts
    }
}

struct Replayed {
    replay: Rc<Replay>,
    provider: String,
    model_id: String,
    answerers: Vec<Answerer>,
}

impl Replayed {
    fn name(&self) -> String {
        format!("{}:{}", self.provider, self.model_id)
    }

    /// Whether this is the model of an exchange, as far as can be known.
    fn is_of(&self, exchange: &Exchange) -> bool {
        let is_alias = self.provider == ALIAS;
        is_alias || (self.provider == exchange.provider && self.model_id == exchange.model)
    }
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
            let parts = self.replay.answer(self, &request).map_err(|message| {
                ProviderError::new(ProviderErrorKind::Replay, &*self.provider, &*self.model_id, message)
                    .with_hint("Record the run again, or undo what changed the request.")
            })?;
            // A call that failed before its first part fails the same way.
            if let [Err(error)] = parts.as_slice() {
                return Err(error.clone());
            }
            Ok(stream::iter(parts).boxed_local())
        }
        .boxed_local()
    }
}
