//! Recording model exchanges to a file, for `--record`.
//!
//! The file is JSON and whole after every exchange: `{"version": 1, "exchanges": [{provider, model, request: {messages,
//! tools, settings}, parts: [stream parts], error?}]}`. Secrets of the environment are replaced in it.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, Seek, SeekFrom, Write},
    path::Path,
    rc::Rc,
};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture};
use serde_json::{Map, Value, json};

use super::{LanguageModel, PartStream, ProviderError, ProviderErrorKind, redact::Redactor, wire::values::number};
use crate::chat::{CallSettings, ModelRequest, Reasoning, ResponseFormat, StreamPart, ToolChoice};

/// What ends the file; the next exchange is written over it.
const END: &str = "\n]}\n";

/// A file that takes the exchanges of a run.
pub struct Recording {
    file: RefCell<File>,
    redactor: Redactor,
}

impl Recording {
    /// Begins a recording, replacing the file if there is one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path, redactor: Redactor) -> io::Result<Rc<Recording>> {
        let mut file = File::create(path)?;
        write!(file, "{{\"version\":1,\"exchanges\":[{END}")?;
        Ok(Rc::new(Recording { file: RefCell::new(file), redactor }))
    }

    /// A model that answers as `model` does while every exchange is recorded.
    pub fn wrap(self: &Rc<Self>, model: Rc<dyn LanguageModel>) -> Rc<dyn LanguageModel> {
        Rc::new(Recorder { recording: self.clone(), model })
    }

    fn append(&self, mut exchange: Value) -> io::Result<()> {
        // Where it is written, so that nothing can reach the file unredacted.
        redact(&mut exchange, &self.redactor);
        let mut file = self.file.borrow_mut();
        let length = END.len() as u64;
        // The end is written over, and written again: the file is whole even if the process is killed now.
        let end = file.seek(SeekFrom::End(-i64::try_from(length).unwrap_or_default()))?;
        let first = end == "{\"version\":1,\"exchanges\":[".len() as u64;
        write!(file, "{}\n{exchange}{END}", if first { "" } else { "," })?;
        file.flush()
    }
}

/// Replaces secrets in every string of a value.
pub(super) fn redact(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => *text = redactor.apply(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, redactor)),
        Value::Object(map) => map.values_mut().for_each(|item| redact(item, redactor)),
        _ => {}
    }
}

struct Recorder {
    recording: Rc<Recording>,
    model: Rc<dyn LanguageModel>,
}

/// An exchange that is going on.
struct Exchange<'a> {
    recorder: &'a Recorder,
    request: Option<Value>,
    parts: Vec<Value>,
}

impl Exchange<'_> {
    fn take(&mut self, part: Result<StreamPart, ProviderError>) -> Result<StreamPart, ProviderError> {
        match part {
            Ok(part) => {
                self.parts.push(serde_json::to_value(&part).unwrap_or_default());
                // Not at the end of the stream: who has read `Finish` may never poll again.
                if matches!(part, StreamPart::Finish { .. }) {
                    self.write(None)?;
                }
                Ok(part)
            }
            Err(error) => {
                self.write(Some(&error))?;
                Err(error)
            }
        }
    }

    /// Writes the exchange once; a recording with a hole in it would fail later and elsewhere, so a fault ends the call.
    fn write(&mut self, error: Option<&ProviderError>) -> Result<(), ProviderError> {
        let Some(request) = self.request.take() else { return Ok(()) };
        let model = &self.recorder.model;
        let mut exchange = json!({ "provider": model.provider(), "model": model.model_id(), "request": request });
        exchange["parts"] = std::mem::take(&mut self.parts).into();
        if let Some(error) = error {
            exchange["error"] = error_to_json(error);
        }
        self.recorder.recording.append(exchange).map_err(|error| {
            let message = format!("The exchange could not be recorded: {error}");
            ProviderError::new(ProviderErrorKind::Configuration, model.provider(), model.model_id(), message)
        })
    }
}

impl Drop for Exchange<'_> {
    /// An answer whose reader left early (a method's code ends it) is recorded as far as it was read.
    fn drop(&mut self) {
        if !self.parts.is_empty() {
            // Nobody is left to tell; the replay will miss the exchange and say so.
            let _ = self.write(None);
        }
    }
}

impl LanguageModel for Recorder {
    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn reads_request(&self) -> bool {
        self.model.reads_request()
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        async move {
            // Before the model sees it: the model may take the request apart.
            let request_json = request_to_json(&request);
            let mut exchange = Exchange { recorder: self, request: Some(request_json), parts: Vec::new() };
            match self.model.stream(request).await {
                Ok(parts) => Ok(parts.map(move |part| exchange.take(part)).boxed_local()),
                Err(error) => {
                    exchange.write(Some(&error))?;
                    Err(error)
                }
            }
        }
        .boxed_local()
    }
}

/// A request as it is recorded and compared. Headers, time limits and retries are not part of what the model is asked.
pub(super) fn request_to_json(request: &ModelRequest) -> Value {
    let messages: Vec<Value> =
        request.messages.iter().map(|message| serde_json::to_value(&**message).unwrap_or_default()).collect();
    json!({
        "messages": messages,
        "tools": serde_json::to_value(&request.tools).unwrap_or_default(),
        "settings": settings_to_json(&request.settings),
    })
}

fn settings_to_json(settings: &CallSettings) -> Value {
    let choice = settings.tool_choice.as_ref().map(|choice| match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::None => json!("none"),
        ToolChoice::Tool(name) => json!({ "type": "tool", "toolName": name }),
    });
    // In the order of the documentation; what is unset is left out, as in a body.
    let options = &settings.provider_options;
    let all = [
        ("maxOutputTokens", settings.max_output_tokens.map(Value::from)),
        ("temperature", settings.temperature.map(number)),
        ("topP", settings.top_p.map(number)),
        ("topK", settings.top_k.map(number)),
        ("presencePenalty", settings.presence_penalty.map(number)),
        ("frequencyPenalty", settings.frequency_penalty.map(number)),
        ("stopSequences", settings.stop_sequences.clone().map(Value::from)),
        ("seed", settings.seed.map(Value::from)),
        ("toolChoice", choice),
        ("reasoning", settings.reasoning.map(Reasoning::to_json)),
        ("cache", settings.cache.map(Value::from)),
        ("responseFormat", settings.response_format.as_ref().map(ResponseFormat::to_json)),
        ("providerOptions", (!options.is_empty()).then(|| Value::Object(options.clone()))),
    ];
    let set = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(set.collect::<Map<String, Value>>())
}

fn error_to_json(error: &ProviderError) -> Value {
    json!({
        "kind": error.kind.as_str(),
        "message": error.message,
        "provider": error.provider,
        "model": error.model,
        "status": error.status,
        "hint": error.hint,
    })
}
