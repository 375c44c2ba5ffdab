//! Converts messages to turns of blocks.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::wire::{
    media::{Media, UnsupportedContent},
    values::parts_of,
};
use lmthing_base::chat::{ContentPart, Message, ProviderOptions, Role, ToolInput, ToolOutput};

#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub system: Vec<Value>,
    pub messages: Vec<Value>,
}

pub(crate) trait BlockFormat {
    const TAKES_BLANK_TEXT: bool;

    fn text(&self, text: &str) -> Value;

    /// Text of an answer, with what came with it.
    fn answer_text(&self, text: &str, _options: Option<&ProviderOptions>) -> Value {
        self.text(text)
    }

    /// A call that the provider has run, its result, or another block that goes back as it came.
    fn own_block(&self, _part: &ContentPart) -> Option<Value> {
        None
    }

    fn media(&mut self, media: &Media<'_>) -> Result<Value, UnsupportedContent>;

    /// Reasoning of an earlier response; `None` if it cannot be sent back. `ends` is set at the end of the
    /// conversation.
    fn reasoning(&mut self, text: &str, ends: bool, options: Option<&ProviderOptions>) -> Option<Value>;

    fn tool_call(&self, id: &str, name: &str, input: &ToolInput) -> Value;

    fn tool_result(&self, id: &str, output: &ToolOutput) -> Value;

    fn add(
        &self,
        blocks: &mut Vec<Value>,
        block: Option<Value>,
        part: Option<&ProviderOptions>,
        message: Option<&ProviderOptions>,
    );

    fn end(&self, _blocks: &mut Vec<Value>, _message: Option<&ProviderOptions>) {}
}

/// Converts all messages. Services refuse consecutive turns of the same role, so those of user and tools are merged,
/// and those of the assistant.
pub(crate) fn conversation(
    messages: &[Rc<Message>],
    format: &mut impl BlockFormat,
) -> Result<Conversation, UnsupportedContent> {
    let mut conversation = Conversation::default();
    let mut open: Option<(&'static str, Vec<Value>)> = None;
    for (index, message) in messages.iter().enumerate() {
        let role = match message.role {
            Role::System => {
                let block = format.text(&message.plain_text());
                // System texts are separate, wherever they are in the conversation.
                format.add(&mut conversation.system, Some(block), message.provider_options.as_ref(), None);
                continue;
            }
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        let blocks = blocks_of(message, index + 1 == messages.len(), format)?;
        match &mut open {
            Some((open_role, content)) if *open_role == role => content.extend(blocks),
            open => {
                close(open.take(), &mut conversation.messages);
                *open = Some((role, blocks));
            }
        }
    }
    close(open, &mut conversation.messages);
    Ok(conversation)
}

fn close(open: Option<(&'static str, Vec<Value>)>, messages: &mut Vec<Value>) {
    if let Some((role, content)) = open {
        messages.push(json!({ "role": role, "content": content }));
    }
}

fn blocks_of(message: &Message, ends: bool, format: &mut impl BlockFormat) -> Result<Vec<Value>, UnsupportedContent> {
    let parts = parts_of(message);
    let of_message = message.provider_options.as_ref();
    let mut blocks = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let (block, of_part) = block(message.role, part, ends && last, format)?;
        format.add(&mut blocks, block, of_part, of_message.filter(|_| last));
    }
    format.end(&mut blocks, of_message);
    Ok(blocks)
}

fn block<'a, F: BlockFormat>(
    role: Role,
    part: &'a ContentPart,
    ends: bool,
    format: &mut F,
) -> Result<(Option<Value>, Option<&'a ProviderOptions>), UnsupportedContent> {
    Ok(match (role, part) {
        (Role::User, ContentPart::Text { text, provider_options }) => {
            (Some(format.text(text)), provider_options.as_ref())
        }
        (Role::User, part) => match Media::of(part) {
            Some(media) => (Some(format.media(&media)?), media.options),
            None => (None, None),
        },
        (Role::Assistant, ContentPart::Text { text, provider_options }) => {
            // Services refuse trailing white space at the end of the conversation.
            let text = if ends { text.trim() } else { text };
            let sent = F::TAKES_BLANK_TEXT || !text.trim().is_empty();
            (sent.then(|| format.answer_text(text, provider_options.as_ref())), provider_options.as_ref())
        }
        (Role::Assistant, ContentPart::Reasoning { text, provider_options }) => {
            let block = format.own_block(part).or_else(|| format.reasoning(text, ends, provider_options.as_ref()));
            (block, provider_options.as_ref())
        }
        (
            Role::Assistant,
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed: false, provider_options },
        ) => (Some(format.tool_call(tool_call_id, tool_name, input)), provider_options.as_ref()),
        (Role::Assistant, part) => (format.own_block(part), None),
        (Role::Tool, ContentPart::ToolResult { tool_call_id, output, provider_options, .. }) => {
            (Some(format.tool_result(tool_call_id, output)), provider_options.as_ref())
        }
        _ => (None, None),
    })
}
