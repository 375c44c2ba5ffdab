//! Names of tools and ids of calls that a provider refuses, replaced in requests and restored in answers
//! (docs/reference/providers.md).

mod calls;
mod names;
mod rule;

use lmthing_base::chat::{ModelRequest, StreamPart};

use names::Names;
use rule::{First, Rule};

/// What a provider accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifiers {
    names: Rule,
    ids: Rule,
}

const PLAIN_NAMES: Rule = Rule::new("_-", First::Any, 64);
const PLAIN_IDS: Rule = Rule::new("_-", First::Any, 64);
const NINE_LETTERS: Rule = Rule { others: Some(""), first: First::Any, length: 9..=9 };
const ANY_IDS: Rule = Rule { others: None, first: First::Any, length: 1..=usize::MAX };

impl Identifiers {
    pub(crate) const OPENAI: Identifiers = Identifiers { names: PLAIN_NAMES, ids: PLAIN_IDS };
    pub(crate) const OPENAI_CHAT: Identifiers =
        Identifiers { names: PLAIN_NAMES, ids: Rule::new("_-", First::Any, 40) };
    /// Some services need their own ids back, whatever characters these have.
    pub(crate) const COMPATIBLE: Identifiers =
        Identifiers { names: PLAIN_NAMES, ids: Rule { others: None, first: First::Any, length: 1..=64 } };
    pub(crate) const MOONSHOT: Identifiers =
        Identifiers { names: Rule::new("_-", First::Letter, 64), ..Identifiers::COMPATIBLE };
    pub(crate) const ANTHROPIC: Identifiers = Identifiers { names: PLAIN_NAMES, ids: PLAIN_IDS };
    pub(crate) const BEDROCK: Identifiers = Identifiers { names: PLAIN_NAMES, ids: PLAIN_IDS };
    pub(crate) const MISTRAL: Identifiers = Identifiers { names: PLAIN_NAMES, ids: NINE_LETTERS };
    /// Calls of Gemini have no ids: results are matched by name.
    pub(crate) const GEMINI: Identifiers =
        Identifiers { names: Rule::new("_.-", First::LetterOrUnderscore, 64), ids: ANY_IDS };
    pub(crate) const COHERE: Identifiers =
        Identifiers { names: Rule::new("_", First::LetterOrUnderscore, 64), ids: ANY_IDS };

    /// Replaces what the provider refuses. The result restores the names of an answer.
    pub(crate) fn replace(&self, request: &mut ModelRequest) -> Replaced {
        let names = Names::of(request, &self.names);
        names.replace(request);
        calls::replace(&mut request.messages, &self.ids);
        Replaced { names }
    }
}

/// The names that a request was sent with.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    names: Names,
}

impl Replaced {
    pub(crate) fn restored(&self, mut part: StreamPart) -> StreamPart {
        if let StreamPart::ToolInputStart { tool_name, .. }
        | StreamPart::ToolCall { tool_name, provider_executed: false, .. } = &mut part
            && let Some(name) = self.names.original(tool_name)
        {
            name.clone_into(tool_name);
        }
        part
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests;
