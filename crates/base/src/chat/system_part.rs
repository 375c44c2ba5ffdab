//! Where the parts of a system prompt are in its text.

use std::{ops::Range, rc::Rc};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemPartKind {
    /// `options.system`, which has no name.
    Plain,
    Section,
    Variable,
}

/// A part of a system prompt as it was defined. Separators and tags that join the parts belong to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPart {
    pub kind: SystemPartKind,
    pub name: Rc<str>,
    /// In bytes of the system message.
    pub range: Range<usize>,
}
