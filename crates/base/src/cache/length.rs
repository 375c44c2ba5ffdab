//! The length of requests and their beginnings, in bytes and as an estimate of tokens.

use std::io;

use serde::Serialize;

use super::{
    change::{Change, change},
    rules::CacheRules,
    sent_prompt::{Position, SentPrompt},
};
use crate::{
    chat::{Content, ContentPart, Message, ToolOutput, ToolPart, ToolSpec},
    cost::tokens_of,
};

/// How much of a request is that of the one before, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub same: u64,
    /// The length of the one before, without messages of one step only.
    pub before: u64,
    /// The length of the request.
    pub all: u64,
    pub change: Option<Change>,
}

/// Compares requests that follow each other by their text alone, whatever the model.
pub fn overlap(before: &SentPrompt, now: &SentPrompt) -> Overlap {
    let before = SentPrompt { model: now.model.clone(), ..before.clone() };
    let change = change(&before, now, &CacheRules::NONE);
    let whole = Position::Message(before.messages.history_length());
    let position = change.as_ref().map_or(whole, |change| change.position);
    let (same, all) = (before.bytes_before(position), now.bytes_before(Position::End));
    Overlap { same, before: before.bytes_before(whole), all, change }
}

/// Pictures and files are counted by their size in pixels or pages, which is not known here.
const MEDIA_BYTES: u64 = 4_000;

impl SentPrompt {
    /// The tokens of the whole request. Where the provider has not counted them, those of the `next` request say how
    /// long a token is.
    pub(super) fn tokens(&self, next: &SentPrompt) -> u64 {
        let estimate = || match next.input_tokens {
            Some(tokens) => share(tokens, self.bytes_before(Position::End), next.bytes_before(Position::End)),
            None => tokens_of(self.bytes_before(Position::End)),
        };
        self.input_tokens.unwrap_or_else(estimate)
    }

    /// The tokens before a position, by their share in the bytes of the request.
    pub(super) fn tokens_before(&self, position: Position, next: &SentPrompt) -> u64 {
        share(self.tokens(next), self.bytes_before(position), self.bytes_before(Position::End))
    }

    fn bytes_before(&self, position: Position) -> u64 {
        let (tools, system, messages) = match position {
            Position::Start => return 0,
            Position::Tool(index) => return self.tool_bytes(index),
            Position::System(offset) => (usize::MAX, offset as u64, 0),
            Position::Message(index) => (usize::MAX, u64::MAX, index),
            Position::End => (usize::MAX, u64::MAX, usize::MAX),
        };
        let system = self.messages.system().map_or(0, |message| message_bytes(message)).min(system);
        let history = self.messages.history_from(0);
        let sent = history.iter().chain(self.messages.extra()).take(messages);
        self.tool_bytes(tools) + system + sent.map(|message| message_bytes(message)).sum::<u64>()
    }

    fn tool_bytes(&self, count: usize) -> u64 {
        match &self.tools {
            Some(tools) => tools.iter().take(count).map(tool_bytes).sum(),
            None => 0,
        }
    }
}

fn share(tokens: u64, part: u64, all: u64) -> u64 {
    let tokens = u128::from(tokens) * u128::from(part) / u128::from(all.max(1));
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

fn tool_bytes(tool: &ToolSpec) -> u64 {
    (tool.name.len() + tool.description.len()) as u64 + json_bytes(&tool.input_schema)
}

fn message_bytes(message: &Message) -> u64 {
    match &message.content {
        Content::Text(text) => text.len() as u64,
        Content::Parts(parts) => parts.iter().map(part_bytes).sum(),
    }
}

fn part_bytes(part: &ContentPart) -> u64 {
    match part {
        ContentPart::Text { text, .. } | ContentPart::Reasoning { text, .. } => text.len() as u64,
        ContentPart::Image { .. } | ContentPart::File { .. } => MEDIA_BYTES,
        ContentPart::ToolCall { tool_name, input, .. } => tool_name.len() as u64 + json_bytes(input.value()),
        ContentPart::ToolResult { tool_name, output, .. } => tool_name.len() as u64 + output_bytes(output),
    }
}

fn output_bytes(output: &ToolOutput) -> u64 {
    match output {
        ToolOutput::Text(text) | ToolOutput::ErrorText(text) => text.len() as u64,
        ToolOutput::Json(value) | ToolOutput::ErrorJson(value) => json_bytes(value),
        ToolOutput::Content(parts) => {
            let bytes = |part: &ToolPart| match part {
                ToolPart::Text { text } => text.len() as u64,
                ToolPart::Media { .. } => MEDIA_BYTES,
            };
            parts.iter().map(bytes).sum()
        }
    }
}

fn json_bytes(value: &impl Serialize) -> u64 {
    json_length(value, u64::MAX)
}

/// The length of a value as compact JSON in bytes, without making the text. Counts no further than to about `limit`.
pub fn json_length(value: &impl Serialize, limit: u64) -> u64 {
    struct Counter {
        bytes: u64,
        limit: u64,
    }

    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.bytes += bytes.len() as u64;
            if self.bytes < self.limit { Ok(bytes.len()) } else { Err(io::ErrorKind::FileTooLarge.into()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counter = Counter { bytes: 0, limit };
    // A value that cannot be written counts as far as it was.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.bytes
}
