//! Warns when a server has read much less than it was sent: local servers drop the beginning of a prompt that does not
//! fit into their context window, without an error.

use serde_json::Value;

use super::{ProviderEvent, catalog::Service, model_label, transport::HttpModel};
use lmthing_base::chat::Usage;

/// Below this many tokens, estimates are too rough.
const SHORT: u64 = 1_500;

/// More characters than this are never one token, apart from white space.
const LONGEST_TOKEN: u64 = 32;

/// Where the bodies of all APIs have the conversation.
const CONVERSATIONS: [&str; 7] =
    ["messages", "contents", "input", "system", "systemInstruction", "system_instruction", "instructions"];

/// Where they have text that the model reads. Other strings may be files, signatures or settings.
const TEXTS: [&str; 6] = ["content", "text", "output", "input", "system", "instructions"];

/// Parts of the names of earlier thoughts, which some servers drop.
const THOUGHTS: [&str; 4] = ["think", "thought", "reason", "summary"];

/// The size of the text of a request's body. Other content only adds to what a server reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SentText {
    characters: u64,
    words: u64,
    letters: u64,
}

impl SentText {
    pub(super) fn of(body: &Value) -> Self {
        let mut sent = SentText::default();
        for key in CONVERSATIONS {
            body.get(key).into_iter().for_each(|value| sent.add_value(key, value));
        }
        sent
    }

    fn add_value(&mut self, key: &str, value: &Value) {
        match value {
            Value::String(text) if TEXTS.contains(&key) => self.add(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_value(key, item)),
            Value::Object(fields) => {
                let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
                if !is_thought(kind) && fields.get("thought") != Some(&Value::Bool(true)) {
                    let read = fields.iter().filter(|(key, _)| !is_thought(key));
                    read.for_each(|(key, value)| self.add_value(key, value));
                }
            }
            _ => {}
        }
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

fn is_thought(name: &str) -> bool {
    THOUGHTS.iter().any(|part| name.contains(part))
}

/// What is compared with the counts at the end of an answer.
pub(super) struct CutWatch<'a> {
    pub model: &'a HttpModel,
    pub sent: SentText,
    /// The context window that the request asks for.
    pub window: Option<u64>,
}

impl<'a> CutWatch<'a> {
    pub(super) fn new(model: &'a HttpModel, body: &Value) -> Self {
        let window = body.pointer("/options/num_ctx").and_then(Value::as_u64);
        CutWatch { model, sent: SentText::of(body), window }
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
        let input = usage.input_tokens?;
        // Cached tokens are part of the input. More of them than input means that a server counts them apart.
        let apart = usage.cached_input_tokens.filter(|cached| *cached > input).unwrap_or(0);
        let read = input.saturating_add(apart);
        let least = self.sent.least_tokens();
        if least > SHORT && read < least {
            let characters = self.sent.characters;
            return Some(format!(
                "read {read} tokens of a prompt of {characters} characters, so a part of it was cut off"
            ));
        }
        let used = read.saturating_add(usage.output_tokens.unwrap_or(0));
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
    use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

    use serde_json::json;

    use super::*;
    use crate::{ProviderContext, ProviderSettings, create::make};

    fn of(body: &Value) -> SentText {
        SentText::of(body)
    }

    fn least(text: &str) -> u64 {
        of(&json!({ "messages": [{ "role": "user", "content": text }] })).least_tokens()
    }

    #[test]
    fn the_least_number_of_tokens_is_below_that_of_every_tokenizer() {
        assert_eq!(least(&"word ".repeat(20_000)), 10_000);
        assert_eq!(least(&"x".repeat(100_000)), 3_125);
        assert_eq!(least(&"水".repeat(100_000)), 3_125);
        assert_eq!(least(&" \n".repeat(100_000)), 0);
    }

    #[test]
    fn text_of_the_body_counts_in_the_form_of_each_api() {
        for body in [
            json!({ "messages": [{ "role": "user", "content": "one two" }] }),
            json!({ "messages": [{ "content": [{ "type": "text", "text": "one two" }] }] }),
            json!({ "system": [{ "text": "one" }], "messages": [{ "content": [{ "text": "two" }] }] }),
            json!({ "system": "one", "messages": [{ "content": [{ "type": "tool_result", "content": "two" }] }] }),
            json!({ "messages": [{ "content": [{ "toolResult": { "content": [{ "text": "one two" }] } }] }] }),
            json!({ "systemInstruction": { "parts": [{ "text": "one" }] }, "contents": [{ "parts": [{ "text": "two" }] }] }),
            json!({ "instructions": "one", "input": [{ "type": "function_call_output", "output": "two" }] }),
            json!({ "input": "one two" }),
        ] {
            assert_eq!(of(&body).words, 2, "{body}");
        }
    }

    #[test]
    fn files_thoughts_settings_and_schemas_do_not_count() {
        for body in [
            json!({ "tools": [{ "description": "a b" }], "model": "m", "prediction": { "content": "a b" } }),
            json!({ "messages": [{ "role": "user", "content": "", "images": ["aGVsbG8="] }] }),
            json!({ "messages": [{ "content": [{ "type": "image_url", "image_url": { "url": "data:a" } }] }] }),
            json!({ "messages": [{ "content": [{ "type": "document", "source": { "data": "a" } }] }] }),
            json!({ "messages": [{ "content": null, "reasoning_content": "a", "reasoning_details": [{ "text": "a" }],
                "thinking": "a" }] }),
            json!({ "messages": [{ "content": [{ "type": "thinking", "thinking": [{ "text": "a" }] }] }] }),
            json!({ "messages": [{ "content": [{ "reasoningContent": { "reasoningText": { "text": "a" } } }] }] }),
            json!({ "contents": [{ "parts": [{ "text": "a", "thought": true }] }] }),
            json!({ "input": [{ "type": "reasoning", "summary": [{ "text": "a" }], "encrypted_content": "a" }] }),
            json!({ "messages": [{ "content": [{ "type": "web_search_tool_result", "content": [
                { "type": "web_search_result", "encrypted_content": "a", "title": "a" } ] }] }] }),
            json!({ "input": [{ "type": "image_generation_call", "result": "a" }] }),
        ] {
            assert_eq!(of(&body), SentText::default(), "{body}");
        }
    }

    fn model(provider: &str, base_url: Option<&str>) -> HttpModel {
        let context = ProviderContext::new(Rc::new(BTreeMap::new()));
        let settings = ProviderSettings { base_url: base_url.map(str::to_owned), ..ProviderSettings::default() };
        make(provider, &settings, "m", &context).unwrap()
    }

    fn usage(read: u64, cached: u64, written: u64) -> Usage {
        Usage {
            cached_input_tokens: Some(cached),
            cache_write_tokens: Some(written),
            ..Usage::new(Some(read), Some(96))
        }
    }

    #[test]
    fn much_less_than_was_sent_or_a_full_window_is_a_cut() {
        let model = model("ollama", None);
        let cut = |content: &str, window: Option<u64>, usage: Usage| {
            let sent = of(&json!({ "messages": [{ "content": content }] }));
            CutWatch { model: &model, sent, window }.cut(&usage)
        };
        let long = "word ".repeat(20_000);
        for (read, cached, written, is_cut) in [
            (2_050, 0, 0, true),
            // Cached tokens are among those that were read.
            (4_096, 4_090, 0, true),
            (9_990, 4_000, 5_000, true),
            (10_000, 0, 0, false),
            (20_010, 20_000, 0, false),
            (10, 20_000, 0, false),
        ] {
            assert_eq!(cut(&long, None, usage(read, cached, written)).is_some(), is_cut, "{read} {cached} {written}");
        }
        assert_eq!(cut("short", None, usage(1, 0, 0)), None);
        assert_eq!(cut(&long, None, Usage::new(None, Some(4))), None);
        assert_eq!(cut("short", Some(4_096), usage(3_999, 3_990, 0)), None);
        let full = cut("short", Some(4_096), usage(4_000, 3_990, 0)).unwrap();
        assert!(full.contains("filled its context window of 4096 tokens"), "{full}");
    }

    #[test]
    fn a_run_is_warned_once() {
        let mut model = model("lmstudio", None);
        let seen = Rc::new(RefCell::new(Vec::new()));
        let events = seen.clone();
        model.context = model.context.on_event(move |event| {
            if let ProviderEvent::Warning { message } = event {
                events.borrow_mut().push(message.clone());
            }
        });
        let watch = CutWatch::new(&model, &json!({ "messages": [{ "content": "word ".repeat(20_000) }] }));
        watch.check(&usage(20_000, 0, 0));
        assert_eq!(seen.borrow().len(), 0);
        watch.check(&usage(2_000, 0, 0));
        watch.check(&usage(2_000, 0, 0));
        let seen = seen.borrow();
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert!(seen[0].contains("lmstudio:m read 2000 tokens of a prompt of 100000 characters"), "{seen:?}");
    }

    #[test]
    fn the_setting_is_that_of_the_server() {
        for (provider, base_url, window, words) in [
            ("ollama", None, Some(4_096), "providerOptions.ollama.numCtx"),
            ("openai-compatible", Some("http://127.0.0.1:11434/v1"), None, "Use ollama:m"),
            ("openai-compatible", Some("http://127.0.0.1:1234/v1"), None, "contextLength"),
            ("openai-compatible", Some("http://127.0.0.1:9/v1"), None, "Ollama: num_ctx, LM Studio: contextLength"),
            ("lmstudio", None, None, "--context-length"),
            ("llamacpp", None, None, "--ctx-size"),
            ("vllm", None, None, "--max-model-len"),
            ("docker", None, None, "--context-size"),
        ] {
            let model = model(provider, base_url);
            let setting = CutWatch { model: &model, sent: SentText::default(), window }.setting();
            assert!(setting.contains(words), "{provider} {base_url:?}: {setting}");
        }
    }
}
