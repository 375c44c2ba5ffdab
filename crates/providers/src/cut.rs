//! Warns when a server has read much less than it was sent: local servers drop the beginning of a prompt that does not
//! fit into their context window, without an error.

use serde_json::Value;

use super::{ProviderEvent, catalog::Service, model_label, transport::HttpModel};
use lmthing_base::chat::{ContentPart, ModelRequest, Usage};

/// Below this many tokens, estimates are too rough.
const SHORT: u64 = 1_500;

/// More characters than this are never one token, apart from white space.
const LONGEST_TOKEN: u64 = 32;

/// The size of a request's text. Files and pictures only add to what a server reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SentText {
    characters: u64,
    words: u64,
    letters: u64,
}

impl SentText {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let mut sent = SentText::default();
        for part in request.messages.iter().flat_map(|message| message.content_parts()) {
            match part {
                ContentPart::Text { text, .. } => sent.add(text.as_str()),
                ContentPart::ToolResult { output, .. } => sent.add(&output.wire_text()),
                // Some servers are not sent earlier thoughts.
                _ => {}
            }
        }
        sent
    }

    fn add(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.words += 1;
            self.letters += word.chars().count() as u64;
        }
        self.characters += text.chars().count() as u64;
    }

    /// Tokens that the text has at least, in any language: a word has about one or more, so half of that is certain.
    fn least_tokens(self) -> u64 {
        (self.words / 2).max(self.letters / LONGEST_TOKEN)
    }
}

/// What is compared with the counts at the end of an answer.
pub(super) struct CutWatch<'a> {
    pub model: &'a HttpModel,
    pub sent: SentText,
    /// The context window that the request asks for.
    pub window: Option<u64>,
}

impl<'a> CutWatch<'a> {
    pub(super) fn new(model: &'a HttpModel, request: &ModelRequest, body: &Value) -> Self {
        let window = body.pointer("/options/num_ctx").and_then(Value::as_u64);
        CutWatch { model, sent: SentText::of(request), window }
    }

    /// Emits a warning, once a run.
    pub(super) fn check(&self, usage: &Usage) {
        let context = &self.model.context;
        let Some(what) = self.cut(usage).filter(|_| !context.has_reported_cut.replace(true)) else { return };
        let name = model_label(&self.model.provider, &self.model.model_id);
        let message = format!("{name} {what}. {}", self.setting());
        (context.on_event)(&ProviderEvent::Warning { message });
    }

    fn cut(&self, usage: &Usage) -> Option<String> {
        // Some servers count cached tokens apart.
        let others = [usage.cached_input_tokens, usage.cache_write_tokens];
        let read = others.into_iter().flatten().fold(usage.input_tokens?, u64::saturating_add);
        let least = self.sent.least_tokens();
        if least > SHORT && read < least {
            let characters = self.sent.characters;
            return Some(format!(
                "read {read} tokens of a prompt of {characters} characters, so a part of it was cut off"
            ));
        }
        let used = usage.input_tokens?.saturating_add(usage.output_tokens.unwrap_or(0));
        let window = self.window.filter(|window| used >= *window)?;
        Some(format!("has filled its context window of {window} tokens, so prompt or answer may be cut off"))
    }

    /// How to give the model a larger window.
    fn setting(&self) -> String {
        let provider = self.model.provider.as_str();
        let port = self.model.address.join("/").ok().and_then(|url| url.port());
        let on_port = port.and_then(Service::on_port);
        match on_port.map_or(provider, |service| service.name()) {
            "ollama" if provider == "ollama" && self.window.is_some() => {
                "Set a larger window with providerOptions.ollama.numCtx (num_ctx), or shorten the prompt.".to_owned()
            }
            "ollama" => {
                format!("Use ollama:{}, which asks for a window that fits (num_ctx).", self.model.model_id)
            }
            "lmstudio" => "Load the model with a larger contextLength (`lms load --context-length`).".to_owned(),
            "llamacpp" => "Start llama-server with a larger window (--ctx-size).".to_owned(),
            "vllm" => "Start vLLM with a larger window (--max-model-len).".to_owned(),
            "docker" => "Give the model a larger window (`docker model configure --context-size`).".to_owned(),
            _ => "Give the model a larger context window at its server (Ollama: num_ctx, LM Studio: contextLength, \
                  llama.cpp: --ctx-size), or shorten the prompt."
                .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use lmthing_base::chat::{Message, Role};

    use super::*;

    fn least(text: &str) -> u64 {
        let messages = vec![Rc::new(Message::text(Role::User, text))];
        SentText::of(&ModelRequest { messages, ..ModelRequest::default() }).least_tokens()
    }

    #[test]
    fn the_least_number_of_tokens_is_below_that_of_every_tokenizer() {
        assert_eq!(least(&"word ".repeat(20_000)), 10_000);
        assert_eq!(least(&"x".repeat(100_000)), 3_125);
        assert_eq!(least(&"水".repeat(100_000)), 3_125);
        assert_eq!(least(&" \n".repeat(100_000)), 0);
    }
}
