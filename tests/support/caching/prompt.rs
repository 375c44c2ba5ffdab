//! A request as a prompt: tokens in the order in which the provider reads them, in blocks that may end at marks.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::Api;

pub(super) struct Prompt {
    /// What a cache is kept for: the model and, for OpenAI, the key.
    pub scope: String,
    pub rules: Rules,
    pub blocks: Vec<Block>,
}

/// How a provider caches, as it documents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// The longest known beginning is read, in steps.
    Automatic { least: usize, step: usize },
    /// Beginnings that end where an earlier request ended, or at its marks.
    Whole { least: usize },
    /// Beginnings that end at marks, found up to 20 blocks before one.
    Marks { least: usize },
}

pub(super) struct Block {
    pub tokens: Vec<u64>,
    /// The lifetime of a mark after it, in seconds.
    pub mark: Option<u64>,
    /// Settings that belong to the beginning up to here.
    pub salt: String,
}

impl Prompt {
    pub(super) fn of(api: Api, path: &str, body: &Value) -> Prompt {
        let model = match api {
            Api::Bedrock | Api::Google => path.rsplit("model").next().unwrap_or_default().to_owned(),
            _ => body["model"].as_str().unwrap_or_default().to_owned(),
        };
        let rules = rules(api, &model);
        let mut blocks = match api {
            Api::Responses => openai(body, &body["text"]["format"], &body["input"]),
            Api::Chat => openai(body, &body["response_format"], &body["messages"]),
            Api::Anthropic => anthropic(body),
            Api::Bedrock => bedrock(body),
            Api::Google => google(body),
        };
        if let (Rules::Whole { .. }, Some(last)) = (rules, blocks.last_mut()) {
            last.mark = Some(30 * 60);
        }
        blocks.retain(|block| !block.tokens.is_empty());
        Prompt { scope: format!("{api:?} {model} {}", body["prompt_cache_key"]), rules, blocks }
    }

    pub(super) fn tokens(&self) -> Vec<u64> {
        self.blocks.iter().flat_map(|block| block.tokens.iter().copied()).collect()
    }

    pub(super) fn is_deepseek(&self) -> bool {
        self.scope.contains("deepseek")
    }
}

fn rules(api: Api, model: &str) -> Rules {
    match api {
        Api::Responses | Api::Chat if model.starts_with("gpt-5.6") => Rules::Whole { least: 1_024 },
        _ if model.contains("deepseek") => Rules::Automatic { least: 64, step: 64 },
        Api::Responses | Api::Chat => Rules::Automatic { least: 1_024, step: 128 },
        Api::Google => Rules::Automatic { least: 1_024, step: 1 },
        Api::Anthropic | Api::Bedrock => Rules::Marks { least: 1_024 },
    }
}

fn openai(body: &Value, schema: &Value, conversation: &Value) -> Vec<Block> {
    let tools = list(&body["tools"]).map(|tool| block(tool, None));
    let items = list(conversation).map(|item| {
        let is_marked = item.to_string().contains("prompt_cache_breakpoint");
        block(&without(item, "prompt_cache_breakpoint"), is_marked.then_some(30 * 60))
    });
    tools.chain([block(schema, None)]).chain(items).collect()
}

fn anthropic(body: &Value) -> Vec<Block> {
    let marked = |value: &Value| {
        let mark = value.get("cache_control").map(|mark| if mark["ttl"] == "1h" { 3_600 } else { 300 });
        block(&without(value, "cache_control"), mark)
    };
    let mut blocks: Vec<Block> = list(&body["tools"]).map(marked).collect();
    blocks.extend(
        list(&body["system"])
            .map(marked)
            .map(|block| salted(block, &[&body["speed"], &body["output_config"]["format"]])),
    );
    let of_messages = [&body["tool_choice"], &body["thinking"], &body["output_config"]["effort"]];
    for turn in list(&body["messages"]) {
        blocks.extend(list(&turn["content"]).map(marked).map(|block| salted(block, &of_messages)));
    }
    blocks
}

/// Marks are items after those that they end.
fn bedrock(body: &Value) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let tools = list(&body["toolConfig"]["tools"]).map(|tool| (tool, false));
    let system = list(&body["system"]).map(|text| (text, false));
    let turns = list(&body["messages"]).flat_map(|turn| list(&turn["content"])).map(|item| (item, true));
    let of_messages = [&body["toolConfig"]["toolChoice"], &body["additionalModelRequestFields"]];
    for (item, is_message) in tools.chain(system).chain(turns) {
        match (item.get("cachePoint"), blocks.last_mut()) {
            (Some(mark), Some(last)) => last.mark = Some(if mark["ttl"] == "1h" { 3_600 } else { 300 }),
            (Some(_), None) => {}
            (None, _) if is_message => blocks.push(salted(block(item, None), &of_messages)),
            (None, _) => blocks.push(block(item, None)),
        }
    }
    blocks
}

fn google(body: &Value) -> Vec<Block> {
    let tools = list(&body["tools"]).map(|tool| block(tool, None));
    let contents = list(&body["contents"]).map(|content| block(content, None));
    tools.chain([block(&body["systemInstruction"], None)]).chain(contents).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn block(value: &Value, mark: Option<u64>) -> Block {
    let tokens = if value.is_null() { Vec::new() } else { tokens(&value.to_string()) };
    Block { tokens, mark, salt: String::new() }
}

fn salted(block: Block, settings: &[&Value]) -> Block {
    Block { salt: json!(settings).to_string(), ..block }
}

fn without(value: &Value, key: &str) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| without(item, key)).collect(),
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| *name != key);
            Value::Object(kept.map(|(name, value)| (name.clone(), without(value, key))).collect())
        }
        other => other.clone(),
    }
}

/// Words in pieces of at most four letters, and single other characters.
fn tokens(text: &str) -> Vec<u64> {
    let mut tokens = Vec::new();
    let mut piece = String::new();
    let mut end = |piece: &mut String| {
        if !piece.is_empty() {
            let mut hasher = DefaultHasher::new();
            std::mem::take(piece).hash(&mut hasher);
            tokens.push(hasher.finish());
        }
    };
    for letter in text.chars() {
        let is_letter = letter.is_alphanumeric();
        if !is_letter || piece.len() >= 4 {
            end(&mut piece);
        }
        piece.push(letter);
        if !is_letter {
            end(&mut piece);
        }
    }
    end(&mut piece);
    tokens
}
