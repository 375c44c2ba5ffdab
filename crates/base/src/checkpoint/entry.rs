//! The entries of a prompt's log, in the order of what they record.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

use super::{
    memory::MemoryChange,
    waiting_call::{Verdict, WaitingCall},
};
use crate::chat::{
    CallWarning, ContentPart, FinishReason, Message, ResponseMetadata, Source, StepCache, ToolInput, ToolOutput,
    ToolResult, ToolSpec, Usage,
};

/// Why a call has no result: the message for the model, or for the code that it wrote.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
#[error("{0}")]
#[serde(transparent)]
pub struct CallError(pub String);

/// Work that is done and must not be repeated. Each prompt has a log of its own, also each agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Entry {
    /// The model has answered; none of the calls in the answer has been made yet.
    Answered(Box<AnswerEntry>),
    /// A call starts that must not be repeated. Repeatable calls have no such entry.
    CallBegins {
        /// The index among the calls of the step.
        place: usize,
    },
    CallEnds(Box<CallEnd>),
    /// A part of an unfinished call was done: a call by model-written code, a sub-tool of an array form.
    Part {
        /// The tool call it belongs to, or the id of code in a model's text.
        of: String,
        /// A digest of function and arguments: the stored outcome is only returned for the same call. A digest, so that it contains
        /// no secrets.
        asked: String,
        /// The number of earlier parts of the call with the same digest.
        number: usize,
        /// `None` while it is in progress and must not be repeated.
        outcome: Option<Result<Box<RawValue>, CallError>>,
        /// The changes of the prompt's memory since the entry before.
        memory: MemoryChange,
    },
    /// The prompt's memory has changed outside its own steps.
    Remembers {
        memory: MemoryChange,
    },
    Waits(Box<WaitingCall>),
    /// A waiting call was approved or denied.
    Decided {
        serial: usize,
        verdict: Verdict,
    },
    StepEnds {
        step: usize,
        /// Messages added to the conversation after its results.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        added: Vec<Rc<Message>>,
        /// Whether the step has the answer of a turn, after which the conversation waits for the user.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ends_turn: bool,
        memory: MemoryChange,
    },
    /// Texts that are to be said, each as a turn, when the messages before are answered.
    ToSay {
        texts: Vec<String>,
    },
    /// The user begins a turn. A run that had ended goes on.
    Said {
        /// Messages added to the conversation since the entry before, that of the user last.
        added: Vec<Rc<Message>>,
        memory: MemoryChange,
    },
    /// The answer of the last turn was shown.
    Shown,
    /// The user's settings from now on.
    Chosen(UserSettings),
    /// The user has taken back everything after the first `entries` of the prompt's own log, and with it the logs of
    /// prompts that began at `step` or later.
    TakenBack {
        entries: usize,
        step: usize,
    },
    Ends,
}

impl Entry {
    /// What has changed in the prompt's memory since the entry before, if the entry says it.
    pub fn memory(&self) -> Option<&MemoryChange> {
        match self {
            Entry::Answered(answer) => Some(&answer.memory),
            Entry::CallEnds(end) => Some(&end.memory),
            Entry::Part { memory, .. }
            | Entry::Remembers { memory }
            | Entry::StepEnds { memory, .. }
            | Entry::Said { memory, .. } => Some(memory),
            Entry::CallBegins { .. }
            | Entry::Waits(_)
            | Entry::Decided { .. }
            | Entry::ToSay { .. }
            | Entry::Chosen(_)
            | Entry::Shown
            | Entry::TakenBack { .. }
            | Entry::Ends => None,
        }
    }

    /// See [`Entry::memory`].
    pub fn memory_mut(&mut self) -> Option<&mut MemoryChange> {
        match self {
            Entry::Answered(answer) => Some(&mut answer.memory),
            Entry::CallEnds(end) => Some(&mut end.memory),
            Entry::Part { memory, .. }
            | Entry::Remembers { memory }
            | Entry::StepEnds { memory, .. }
            | Entry::Said { memory, .. } => Some(memory),
            _ => None,
        }
    }
}

/// What the user of a conversation has set for its requests. Taking back a turn does not change it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserSettings {
    /// In place of the model of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Text for the system prompt, in addition to that of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerEntry {
    pub step: usize,
    /// The system prompt that was sent, if it differs from that of the previous step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<Option<String>>,
    /// Messages added to the conversation since the previous entry, except answers and results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Rc<Message>>,
    /// A conversation for this step only, instead of the real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_history: Option<Vec<Rc<Message>>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<Rc<Message>>,
    /// The tools that were sent, if they differ from those of the previous step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolSpec>>,
    pub active: ActiveNames,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Rc<Message>>,
    /// The original text of the arguments of its tool calls, where it differs from their value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Option<String>>,
    pub finish_reason: FinishReason,
    pub usage: Usage,
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<StepCache>,
    pub provider: String,
    pub model_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<CallWarning>,
    #[serde(default)]
    pub response: ResponseMetadata,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// The turn of a mock, if one answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<PlayedTurn>,
    pub memory: MemoryChange,
}

impl AnswerEntry {
    /// The answer, with the arguments of its calls as the model wrote them.
    pub fn message_as_written(&self) -> Option<Rc<Message>> {
        let message = self.message.as_ref()?;
        if self.inputs.is_empty() {
            return Some(message.clone());
        }
        let mut inputs = self.inputs.iter();
        let parts = message.content_parts().iter().cloned().map(|part| match part {
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_options } => {
                let text = inputs.next().and_then(Option::as_deref);
                let input = text.map_or(input, ToolInput::from_text);
                ContentPart::ToolCall { tool_call_id, tool_name, input, provider_executed, provider_options }
            }
            part => part,
        });
        Some(Rc::new(Message::parts(message.role, parts.collect())))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveNames {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlayedTurn {
    /// The number of the mock in creation order; 0 is the file's own. `None` for one created while prompts were running.
    pub mock: Option<usize>,
    pub turn: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallEnd {
    /// The index among the calls of the step.
    pub place: usize,
    pub tool_call_id: String,
    pub tool_name: String,
    /// After validation.
    pub input: ToolInput,
    pub output: ToolOutput,
    /// The agents that worked on it: the index of the result each gave, and the key of its log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<(Option<usize>, String)>,
    pub memory: MemoryChange,
}

impl CallEnd {
    /// The result without the runs of agents, which are in their own logs.
    pub fn result(&self) -> ToolResult {
        ToolResult {
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
            input: self.input.clone(),
            output: self.output.clone(),
            agents: Rc::new([]),
            provider_executed: false,
        }
    }
}

/// The result for a call that started, may have had its effect, and must not be repeated.
pub fn interrupted(name: &str) -> String {
    format!(
        "The call of {name} was interrupted: it began, nobody knows whether it had its effect, and it must not be repeated (options.repeat is false)."
    )
}
