//! Compares each request of a conversation with the one before, as a provider's prompt cache would
//! (docs/reference/events.md#the-prompt-cache).

mod change;
mod conversation;
mod length;
mod marks;
mod rules;
mod sent_prompt;

pub use change::Change;
pub use conversation::CacheConversation;
pub use length::{Overlap, json_length, overlap};
pub use rules::{AutomaticMarks, CacheCertainty, CacheKind, CacheMarks, CacheRules, CacheSetting, SettingEffect};
pub use sent_prompt::{Position, SentPrompt, request_length};

#[cfg(test)]
mod tests;
