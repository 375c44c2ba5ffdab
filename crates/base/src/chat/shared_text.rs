//! Reference-counted text of messages, which may be many megabytes and is held by a step and the conversation.

use std::{fmt, ops::Deref, rc::Rc};

use serde::{Deserialize, Serialize};

#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SharedText(Rc<String>);

impl SharedText {
    /// Appends; in place as long as the text is not shared.
    pub fn push_str(&mut self, more: &str) {
        Rc::make_mut(&mut self.0).push_str(more);
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        SharedText(Rc::new(text))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
