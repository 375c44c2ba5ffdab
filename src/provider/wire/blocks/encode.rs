//! Messages as turns of blocks.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::{
    chat::{ContentPart, Message, ProviderOptions, Role, ToolInput, ToolOutput},
    provider::wire::{media::Media, values::parts_of},
};

/// A conversation as the service takes it.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// What stands in front of all turns.
    pub system: Vec<Value>,
    /// Turns of user and assistant, one after the other.
    pub messages: Vec<Value>,
}

/// How one service spells blocks.
pub(crate) trait BlockFormat {
    /// Whether text that is blank may stand in an assistant's turn.
    const TAKES_BLANK_TEXT: bool;

    /// Text of any role.
    fn text(&self, text: &str) -> Value;

    /// An image or a file.
    fn media(&mut self, media: &Media<'_>) -> Result<Value, String>;

    /// Reasoning of an earlier answer; `None` when it cannot go back. `ends` says whether the conversation ends with it.
    fn reasoning(&mut self, text: &str, ends: bool, options: Option<&ProviderOptions>) -> Option<Value>;

    /// A tool call of an earlier answer.
    fn tool_call(&self, id: &str, name: &str, input: &ToolInput) -> Value;

    /// What a tool gave back.
    fn tool_result(&self, id: &str, output: &ToolOutput) -> Value;

    /// Adds the block of a part, if it made one, with the marks that say how far the service may cache: those of the part,
    /// and those of its message, which come with the last part only.
    fn add(
        &self,
        blocks: &mut Vec<Value>,
        block: Option<Value>,
        part: Option<&ProviderOptions>,
        message: Option<&ProviderOptions>,
    );

    /// Adds what follows the last block of a message.
    fn end(&self, _blocks: &mut Vec<Value>, _message: Option<&ProviderOptions>) {}
}

/// Converts all messages. The services refuse two turns of one role in a row: messages of a user and of tools merge into
/// one turn, consecutive assistant messages too.
pub(crate) fn conversation(messages: &[Rc<Message>], format: &mut impl BlockFormat) -> Result<Conversation, String> {
    let mut conversation = Conversation::default();
    let mut open: Option<(&'static str, Vec<Value>)> = None;
    for (index, message) in messages.iter().enumerate() {
        let role = match message.role {
            Role::System => {
                let block = format.text(&message.plain_text());
                // System texts stand apart from the turns, wherever they came between them.
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

/// The blocks of one message; `ends` says whether the conversation ends with it.
fn blocks_of(message: &Message, ends: bool, format: &mut impl BlockFormat) -> Result<Vec<Value>, String> {
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

/// The block of a part, with the part's options; nothing for a part that does not go with the role.
fn block<'a, F: BlockFormat>(
    role: Role,
    part: &'a ContentPart,
    ends: bool,
    format: &mut F,
) -> Result<(Option<Value>, Option<&'a ProviderOptions>), String> {
    Ok(match (role, part) {
        (Role::User, ContentPart::Text { text, provider_options }) => {
            (Some(format.text(text)), provider_options.as_ref())
        }
        (Role::User, part) => match Media::of(part) {
            Some(media) => (Some(format.media(&media)?), media.options),
            None => (None, None),
        },
        (Role::Assistant, ContentPart::Text { text, provider_options }) => {
            // The services refuse white space at the end of a conversation that ends with the assistant.
            let text = if ends { text.trim() } else { text };
            let sent = F::TAKES_BLANK_TEXT || !text.trim().is_empty();
            (sent.then(|| format.text(text)), provider_options.as_ref())
        }
        (Role::Assistant, ContentPart::Reasoning { text, provider_options }) => {
            (format.reasoning(text, ends, provider_options.as_ref()), provider_options.as_ref())
        }
        (Role::Assistant, ContentPart::ToolCall { tool_call_id, tool_name, input, provider_options }) => {
            (Some(format.tool_call(tool_call_id, tool_name, input)), provider_options.as_ref())
        }
        (Role::Tool, ContentPart::ToolResult { tool_call_id, output, provider_options, .. }) => {
            (Some(format.tool_result(tool_call_id, output)), provider_options.as_ref())
        }
        _ => (None, None),
    })
}
