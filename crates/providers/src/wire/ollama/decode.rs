//! Decodes responses of Ollama's chat API.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    ProviderErrorKind,
    error_kind::kind_of_error,
    error_text::message_in_error,
    wire::{
        Output, WireDecoder, WireEvent,
        ending::End,
        lenient::{self, TextOrJson},
        output::{TextBlocks, generated_id, usage},
    },
};
use lmthing_base::chat::{FinishReason, ResponseMetadata, StreamPart, Usage};

#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    model: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    message: Option<Message>,
    #[serde(default, deserialize_with = "lenient::flag")]
    done: bool,
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    done_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    prompt_eval_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::count")]
    eval_count: Option<u64>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "lenient::text_or_json")]
    content: TextOrJson,
    #[serde(default, deserialize_with = "lenient::text_or_json")]
    thinking: TextOrJson,
    #[serde(default, deserialize_with = "lenient::list")]
    tool_calls: Vec<Call>,
}

#[derive(Debug, Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    id: Option<String>,
    #[serde(default, deserialize_with = "lenient::object")]
    function: Option<Function>,
}

#[derive(Debug, Deserialize)]
struct Function {
    #[serde(default, deserialize_with = "lenient::non_empty_text")]
    name: Option<String>,
    /// An object. Kept as written, because it goes back unchanged.
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

#[derive(Debug, Default)]
pub(super) struct OllamaDecoder {
    has_metadata: bool,
    blocks: TextBlocks,
    ids: Vec<String>,
    end: End,
    failed: bool,
    usage: Usage,
}

impl OllamaDecoder {
    fn line(&mut self, line: Line, out: &mut Output) {
        if let Some(error) = line.error.filter(|error| !error.is_null()) {
            self.failed = true;
            let message = message_in_error(&error).unwrap_or_else(|| error.to_string());
            return out.failure(kind_of_error(&error, &message), message);
        }
        if line.message.is_none() && !line.done {
            self.failed = true;
            let message = "The server does not speak Ollama's protocol: a line of its answer has neither a message nor \
                           an end.";
            return out.failure(ProviderErrorKind::Protocol, message);
        }
        if !self.has_metadata && line.model.is_some() {
            self.has_metadata = true;
            let metadata = ResponseMetadata { model_id: line.model, ..ResponseMetadata::default() };
            out.part(StreamPart::ResponseMetadata(metadata));
        }
        if let Some(message) = line.message {
            self.message(message, out);
        }
        if line.done {
            self.usage = usage(line.prompt_eval_count, line.eval_count, None, None);
            self.end.set_word(line.done_reason.as_deref().unwrap_or("stop"));
        }
    }

    fn message(&mut self, message: Message, out: &mut Output) {
        if let TextOrJson::Text(thinking) = message.thinking {
            self.blocks.reasoning(thinking, None, out);
        }
        if let TextOrJson::Text(text) = message.content {
            self.blocks.text(text, None, out);
        }
        for Call { id, function } in message.tool_calls {
            let Some((name, arguments)) = function.and_then(|function| Some((function.name?, function.arguments)))
            else {
                self.failed = true;
                return out.failure(ProviderErrorKind::Protocol, "The provider sent a tool call without a name.");
            };
            self.blocks.close(out);
            // Ids must be unique, so that results can be assigned; older versions have none.
            let id = id.filter(|id| !self.ids.contains(id)).unwrap_or_else(|| generated_id("call"));
            self.ids.push(id.clone());
            out.part(StreamPart::ToolInputStart { id: id.clone(), tool_name: name.clone() });
            let input = arguments.map(|arguments| arguments_text(&arguments)).unwrap_or_default();
            if !input.is_empty() {
                out.part(StreamPart::ToolInputDelta { id: id.clone(), delta: input.clone() });
            }
            out.tool_call(id, name, input, None);
        }
    }
}

/// The arguments as JSON text. Some servers send that text as a string.
fn arguments_text(arguments: &RawValue) -> String {
    serde_json::from_str::<String>(arguments.get()).unwrap_or_else(|_| arguments.get().to_owned())
}

impl WireDecoder for OllamaDecoder {
    fn event(&mut self, event: WireEvent<'_>, out: &mut Output) {
        let WireEvent::Data(data) = event else { return };
        if let Some(line) = out.parse::<Line>(data) {
            self.line(line, out);
        }
    }

    fn complete(&self) -> bool {
        self.end.is_known()
    }

    fn finish(&mut self, out: &mut Output) {
        self.blocks.close(out);
        if self.failed {
            return;
        }
        if !self.end.is_known() {
            return out.truncated();
        }
        if self.end.fail(out) {
            return;
        }
        self.end.report(out);
        let reason = match self.end.finish_reason() {
            FinishReason::Stop if !self.ids.is_empty() => FinishReason::ToolCalls,
            reason => reason,
        };
        out.finish(reason, self.usage);
    }
}
