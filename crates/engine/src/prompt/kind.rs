//! The kinds of definitions, their names in messages, and their name spaces.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The `def*` method of a definition; the `type` in `getRemindedItems()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DefinitionKind {
    Def,
    DefData,
    DefSystem,
    DefTool,
    /// `defAgent`: a tool that an agent answers.
    DefAgent,
    /// `defFunction`: called from model-written code.
    DefFunction,
    /// `defFunctionAgent`: called from model-written code, answered by an agent.
    DefFunctionAgent,
    /// `defMethod`: called from code in the model's text.
    DefMethod,
    /// `defMcp`: a server whose tools become tools or functions.
    DefMcp,
    /// `defWebSearch`: web search by the provider, else a tool.
    DefWebSearch,
    /// `defProviderTool`: any other tool that the provider runs.
    DefProviderTool,
}

/// The name of the web search, unless a tool of the prompt has it.
pub(crate) const WEB_SEARCH: &str = "web_search";

/// Definitions of one group share a name space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Group {
    Variable,
    System,
    Tool,
    Function,
    Method,
    Mcp,
    /// There is one at most, and it has no name of its own.
    WebSearch,
}

impl DefinitionKind {
    pub fn method(self) -> &'static str {
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
            DefinitionKind::DefWebSearch => "defWebSearch",
            DefinitionKind::DefProviderTool => "defProviderTool",
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            DefinitionKind::Def | DefinitionKind::DefData => "variable",
            DefinitionKind::DefSystem => "section",
            DefinitionKind::DefTool | DefinitionKind::DefWebSearch | DefinitionKind::DefProviderTool => "tool",
            DefinitionKind::DefAgent => "agent",
            DefinitionKind::DefFunction => "function",
            DefinitionKind::DefFunctionAgent => "function agent",
            DefinitionKind::DefMethod => "method",
            DefinitionKind::DefMcp => "server",
        }
    }

    /// What a definition of this kind is known by within its group.
    pub(super) fn key(self, name: &str) -> (Group, String) {
        let name = if self == DefinitionKind::DefWebSearch { WEB_SEARCH } else { name };
        (self.group(), name.to_owned())
    }

    pub(super) fn group(self) -> Group {
        match self {
            DefinitionKind::Def | DefinitionKind::DefData => Group::Variable,
            DefinitionKind::DefSystem => Group::System,
            DefinitionKind::DefTool | DefinitionKind::DefAgent | DefinitionKind::DefProviderTool => Group::Tool,
            DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent => Group::Function,
            DefinitionKind::DefMethod => Group::Method,
            DefinitionKind::DefMcp => Group::Mcp,
            DefinitionKind::DefWebSearch => Group::WebSearch,
        }
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{method}: the name {name:?} must be a non-empty string without white space, '<' or '>'")]
pub struct NameError {
    method: &'static str,
    name: String,
}

pub(super) fn check_name(kind: DefinitionKind, name: &str) -> Result<(), NameError> {
    let fits = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '<' || c == '>');
    if fits { Ok(()) } else { Err(NameError { method: kind.method(), name: name.to_owned() }) }
}
