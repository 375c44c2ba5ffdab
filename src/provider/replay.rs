//! Answering from a recording, for `--replay`: no network, and a clear failure when the run asks something else.

use std::{cell::RefCell, rc::Rc};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use serde::Deserialize;
use serde_json::Value;

use super::{
    LanguageModel, PartStream, ProviderError, ProviderErrorKind,
    record::{redact, request_to_json},
    redact::Redactor,
};
use crate::chat::{ModelRequest, StreamPart};

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
    /// Reads a recording's text.
    ///
    /// # Errors
    /// A sentence, when the text is not a recording.
    pub fn parse(text: &str, redactor: Redactor) -> Result<Rc<Replay>, String> {
        let file: RecordedFile =
            serde_json::from_str(text).map_err(|error| format!("The recording cannot be read: {error}"))?;
        if file.version != 1 {
            return Err(format!("The recording has version {}; this lmthing reads version 1.", file.version));
        }
        Ok(Rc::new(Replay { exchanges: RefCell::new(file.exchanges), redactor }))
    }

    /// A model that answers from the recording. `model` is the model string (or any name; it only shows in errors):
    /// neither keys nor providers are looked at.
    pub fn model(self: &Rc<Self>, model: &str) -> Rc<dyn LanguageModel> {
        let (provider, model_id) = model.split_once(':').unwrap_or(("replay", model));
        Rc::new(Replayed { replay: self.clone(), provider: provider.to_owned(), model_id: model_id.to_owned() })
    }

    /// How many exchanges have not been asked for.
    pub fn left(&self) -> usize {
        self.exchanges.borrow().iter().filter(|exchange| !exchange.played).count()
    }

    /// The answer to a request: that of the first equal one not yet played, so that concurrent agents may ask in any
    /// order.
    fn answer(&self, request: &ModelRequest) -> Result<Vec<Result<StreamPart, ProviderError>>, String> {
        let mut asked = request_to_json(request);
        // The recording holds no secrets, so that a request with one would never equal its own recording.
        redact(&mut asked, &self.redactor);
        let mut exchanges = self.exchanges.borrow_mut();
        let total = exchanges.len();
        let equal = exchanges.iter().position(|exchange| !exchange.played && exchange.request == asked);
        if let Some(index) = equal {
            let exchange = &mut exchanges[index];
            exchange.played = true;
            return Ok(exchange.parts());
        }
        // The first one left is the likeliest to have been meant, and one difference is worth more than a list.
        let next = exchanges.iter().enumerate().find(|(_, exchange)| !exchange.played);
        let Some((index, exchange)) = next else {
            return Err(format!("The recording holds {total} exchanges and the run asks for one more."));
        };
        let difference = difference("", &exchange.request, &asked).unwrap_or_default();
        let (provider, model) = (&exchange.provider, &exchange.model);
        Err(format!(
            "The request differs from exchange {} of {total} in the recording ({provider}:{model}).\n{difference}",
            index + 1
        ))
    }
}

impl Exchange {
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

/// The first place where two values differ, with both sides.
fn difference(path: &str, recorded: &Value, asked: &Value) -> Option<String> {
    if recorded == asked {
        return None;
    }
    match (recorded, asked) {
        (Value::Object(before), Value::Object(after)) => {
            // What is only in one of them counts as a difference too.
            let keys = before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                one_or_both(&place, before.get(key), after.get(key))
            })
        }
        (Value::Array(before), Value::Array(after)) => (0..before.len().max(after.len()))
            .find_map(|index| one_or_both(&format!("{path}[{index}]"), before.get(index), after.get(index))),
        _ => Some(format!("  at {path}\n  recorded: {}\n  now:      {}", shown(recorded), shown(asked))),
    }
}

fn one_or_both(path: &str, recorded: Option<&Value>, asked: Option<&Value>) -> Option<String> {
    match (recorded, asked) {
        (Some(recorded), Some(asked)) => difference(path, recorded, asked),
        (Some(recorded), None) => Some(format!("  at {path}\n  recorded: {}\n  now:      nothing", shown(recorded))),
        (None, Some(asked)) => Some(format!("  at {path}\n  recorded: nothing\n  now:      {}", shown(asked))),
        (None, None) => None,
    }
}

fn shown(value: &Value) -> String {
    const LONGEST: usize = 300;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain("…".chars()).collect()
}

struct Replayed {
    replay: Rc<Replay>,
    provider: String,
    model_id: String,
}

impl LanguageModel for Replayed {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async move {
            let parts = self.replay.answer(&request).map_err(|message| {
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
