//! The kinds of definitions, their names in messages, and which of them share a name space.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which `def*` method made a definition; shown as `type` by `getRemindedItems()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DefinitionKind {
    /// `def`: a variable of text.
    Def,
    /// `defData`: a variable of structured data.
    DefData,
    /// `defSystem`: a section of the system prompt.
    DefSystem,
    /// `defTool`.
    DefTool,
    /// `defAgent`: a tool that a child prompt answers.
    DefAgent,
    /// `defFunction`: called from code that the model writes.
    DefFunction,
    /// `defFunctionAgent`: called from such code, answered by a child prompt.
    DefFunctionAgent,
    /// `defMethod`: called from code in the model's text.
    DefMethod,
    /// `defMcp`: a server whose tools are tools or functions of the prompt.
    DefMcp,
}

/// Definitions of one group share a name space: `def` and `defData`, `defTool` and `defAgent`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Group {
    /// Variables.
    Variable,
    /// Sections of the system prompt.
    System,
    /// What the model calls by itself.
    Tool,
    /// What code of `runToolCode` calls.
    Function,
    /// What code in the text calls.
    Method,
    /// Servers with tools.
    Mcp,
}

impl DefinitionKind {
    /// The JavaScript method's name.
    pub(crate) fn method(self) -> &'static str {
        match self {
            DefinitionKind::Def => "def",
            DefinitionKind::DefData => "defData",
            DefinitionKind::DefSystem => "defSystem",
            DefinitionKind::DefTool => "defTool",
            DefinitionKind::DefAgent => "defAgent",
            DefinitionKind::DefFunction => "defFunction",
            DefinitionKind::DefFunctionAgent => "defFunctionAgent",
            DefinitionKind::DefMethod => "defMethod",
            DefinitionKind::DefMcp => "defMcp",
        }
    }

    /// What a person calls it, for reminders.
    pub(super) fn noun(self) -> &'static str {
        match self {
            DefinitionKind::Def | DefinitionKind::DefData => "variable",
            DefinitionKind::DefSystem => "section",
            DefinitionKind::DefTool => "tool",
            DefinitionKind::DefAgent => "agent",
            DefinitionKind::DefFunction => "function",
            DefinitionKind::DefFunctionAgent => "function agent",
            DefinitionKind::DefMethod => "method",
            DefinitionKind::DefMcp => "server",
        }
    }

    /// The name space it is in.
    pub(super) fn group(self) -> Group {
        match self {
            DefinitionKind::Def | DefinitionKind::DefData => Group::Variable,
            DefinitionKind::DefSystem => Group::System,
            DefinitionKind::DefTool | DefinitionKind::DefAgent => Group::Tool,
            DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent => Group::Function,
            DefinitionKind::DefMethod => Group::Method,
            DefinitionKind::DefMcp => Group::Mcp,
        }
    }
}

/// A name that cannot stand in a tag.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{method}: the name {name:?} must be a non-empty string without white space, '<' or '>'")]
pub(crate) struct NameError {
    method: &'static str,
    name: String,
}

/// Checks a definition's name: not empty, no white space, no angle brackets, since names become tags.
pub(super) fn check_name(kind: DefinitionKind, name: &str) -> Result<(), NameError> {
    let fits = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '<' || c == '>');
    if fits { Ok(()) } else { Err(NameError { method: kind.method(), name: name.to_owned() }) }
}
