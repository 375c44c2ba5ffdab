//! Where marks end the parts of a request that are cached.

use serde_json::Value;

use super::{
    rules::{AutomaticMarks, CacheMarks},
    sent_prompt::{Position, SentPrompt},
};
use crate::chat::{Content, ContentPart, Message, ProviderOptions, Role};

/// The number of marks that a request can have.
const MAX_MARKS: usize = 4;

impl SentPrompt {
    /// The last mark at or before this position.
    pub(super) fn last_mark(&self, marks: &CacheMarks, position: Position) -> Option<Position> {
        let own = self.own_marks(marks);
        let automatic = self.automatic_marks(marks).into_iter().filter(|mark| !own.contains(mark));
        let free = MAX_MARKS.saturating_sub(own.len());
        let automatic: Vec<_> = automatic.take(free).collect();
        let all = own.into_iter().chain(automatic);
        all.filter(|mark| *mark <= position).max()
    }

    /// By importance: the newest turn of the user, system prompt, tools, the turn before.
    fn automatic_marks(&self, marks: &CacheMarks) -> Vec<Position> {
        let history = self.messages.history_from(0);
        let sent: Vec<&Message> = history.iter().chain(self.messages.extra()).map(|message| &**message).collect();
        let mut turns = Vec::new();
        let mut end = sent.len();
        while end > 0 && turns.len() < 2 {
            let is_answer = |message: &&Message| message.role == Role::Assistant;
            let length =
                sent[..end].iter().rev().take_while(|message| is_answer(message) == is_answer(&sent[end - 1])).count();
            let turn = &sent[end - length..end];
            if !is_answer(&turn[0]) && (!marks.text_only || turn.iter().all(|message| is_text(message))) {
                turns.push(Position::Message(end));
            }
            end -= length;
        }
        let mut turns = turns.into_iter();
        let system = self.messages.system().map(|_| Position::Message(0));
        let tools = self.tools.as_ref().filter(|tools| !tools.is_empty() && !marks.text_only);
        let tools = tools.map(|tools| Position::Tool(tools.len()));
        let newest = turns.next().into_iter();
        match marks.automatic {
            AutomaticMarks::None => Vec::new(),
            AutomaticMarks::Newest => newest.collect(),
            AutomaticMarks::InstructionsAndNewest => newest.chain(system).collect(),
            AutomaticMarks::All => newest.chain(system).chain(tools).chain(turns).collect(),
        }
    }

    /// Those of the author.
    fn own_marks(&self, marks: &CacheMarks) -> Vec<Position> {
        let is_marked = |options: Option<&ProviderOptions>| {
            let mut values = marks.own.iter().filter_map(|(provider, mark)| options?.get(*provider)?.get(*mark));
            values.any(|value: &Value| !value.is_null())
        };
        let tools = self.tools.iter().flat_map(|tools| tools.iter()).enumerate();
        let tools = tools.filter(|(_, tool)| is_marked(tool.provider_options.as_ref()));
        let tools = tools.map(|(index, _)| Position::Tool(index + 1));
        let system = self.messages.system().filter(|message| is_marked(message.provider_options.as_ref()));
        let system = system.map(|_| Position::Message(0));
        let history = self.messages.history_from(0);
        let messages = history.iter().chain(self.messages.extra()).enumerate().filter(|(_, message)| {
            let mut parts = message.content_parts().iter();
            is_marked(message.provider_options.as_ref()) || parts.any(|part| is_marked(options(part)))
        });
        let messages = messages.map(|(index, _)| Position::Message(index + 1));
        tools.chain(system).chain(messages).collect()
    }
}

/// The names of authors' marks in `providerOptions`.
const NAMES: [&str; 4] = ["cacheControl", "cache_control", "cachePoint", "promptCacheBreakpoint"];

/// The message without the author's marks. They move on with the conversation and are no part of what is cached.
pub(super) fn without_marks(message: &Message) -> Message {
    let mut message = message.clone();
    message.provider_options = options_without_marks(message.provider_options.as_ref());
    if let Content::Parts(parts) = &mut message.content {
        for part in parts {
            let options = options_mut(part);
            *options = options_without_marks(options.as_ref());
        }
    }
    message
}

/// `None` if nothing is left.
pub(super) fn options_without_marks(options: Option<&ProviderOptions>) -> Option<ProviderOptions> {
    let mut options = options?.clone();
    options.retain(|_, own| {
        let Value::Object(own) = own else { return true };
        own.retain(|name, _| !NAMES.contains(&name.as_str()));
        !own.is_empty()
    });
    (!options.is_empty()).then_some(options)
}

fn options(part: &ContentPart) -> Option<&ProviderOptions> {
    match part {
        ContentPart::Text { provider_options, .. }
        | ContentPart::Reasoning { provider_options, .. }
        | ContentPart::Image { provider_options, .. }
        | ContentPart::File { provider_options, .. }
        | ContentPart::ToolCall { provider_options, .. }
        | ContentPart::ToolResult { provider_options, .. } => provider_options.as_ref(),
    }
}

fn options_mut(part: &mut ContentPart) -> &mut Option<ProviderOptions> {
    match part {
        ContentPart::Text { provider_options, .. }
        | ContentPart::Reasoning { provider_options, .. }
        | ContentPart::Image { provider_options, .. }
        | ContentPart::File { provider_options, .. }
        | ContentPart::ToolCall { provider_options, .. }
        | ContentPart::ToolResult { provider_options, .. } => provider_options,
    }
}

fn is_text(message: &Message) -> bool {
    message.content_parts().iter().all(|part| matches!(part, ContentPart::Text { .. }))
}
