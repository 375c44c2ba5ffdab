//! The message that reminds the model of definitions (docs/reference.md, "References"). It is no part of the
//! conversation.

use super::definitions::Prompt;
use crate::chat::{Message, Role};

impl Prompt {
    /// The reminder due on the next request, if any: a user message, so that no provider takes it for a prefill.
    pub(super) fn reminder(&self) -> Option<Message> {
        if self.reminded.is_empty() {
            return None;
        }
        let mut text = String::from("[Reminder: keep in mind");
        for (kind, name) in &self.reminded {
            text.push_str("\n- the ");
            text.push_str(kind.noun());
            text.push_str(" <");
            text.push_str(name);
            text.push('>');
        }
        text.push(']');
        Some(Message::text(Role::User, text))
    }
}
