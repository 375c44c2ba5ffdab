//! The entries of a log, in the order things are done to one prompt.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    memory::MemoryChange,
    waiting::{Verdict, WaitingCall},
};
use crate::chat::{
    CallWarning, ContentPart, FinishReason, Message, ResponseMetadata, ToolInput, ToolOutput, ToolResult, ToolSpec,
    Usage,
};

/// One thing that is done and must not be done again. Entries of one prompt follow each other; its agents have logs of their own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum Entry {
    /// The model has answered; none of the calls in the answer has been made yet.
    Answered(Box<Answered>),
    /// A call begins that must not be repeated. Of others nobody needs to know.
    CallBegins {
        /// Its place among the calls of the step.
        place: usize,
    },
    /// A tool call was answered.
    CallEnds(Box<CallEnd>),
    /// A part of a call that is not over was done: a call by model-written code, a sub-tool of an array form.
    Part {
        /// The tool call it belongs to; of code in a model's text, what names that code.
        of: String,
        /// Tells what was called with what from anything else: a part is only given back to whoever asks for the same. A number,
        /// so that nothing of it has to be kept secret.
        asked: String,
        /// How many parts of the call had asked for the same before.
        number: usize,
        /// What came of it; `None` while it is under way and must not be repeated.
        outcome: Option<Result<Box<RawValue>, String>>,
        /// What the prompt remembers after it.
        memory: MemoryChange,
    },
    /// Somebody who works for the prompt has done something, after which it remembers other things.
    Remembers {
        /// What.
        memory: MemoryChange,
    },
    /// A call waits for somebody to decide on it: it has not begun.
    Waits(Box<WaitingCall>),
    /// Somebody has decided on a call that waited.
    Decided {
        /// Which.
        serial: usize,
        /// How.
        verdict: Verdict,
    },
    /// The step is over, with all its calls.
    StepEnds {
        /// Which.
        step: usize,
        /// What was added to the conversation behind its results.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        added: Vec<Rc<Message>>,
        /// What the prompt remembers after it.
        memory: MemoryChange,
    },
    /// The prompt's run has come to its end, and well.
    Ends,
}

/// A model's whole answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answered {
    /// The step it answers.
    pub step: usize,
    /// The system prompt that was sent, if it is another than on the step before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<Option<String>>,
    /// What was added to the conversation since the entry before, beside answers and results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Rc<Message>>,
    /// A conversation of this step's own, in place of the real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_history: Option<Vec<Rc<Message>>>,
    /// Messages that only this request had, at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<Rc<Message>>,
    /// The tools that the model was told of, if they are others than on the step before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolSpec>>,
    /// What counts during the step.
    pub active: ActiveNames,
    /// What the model said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Rc<Message>>,
    /// The arguments of its tool calls to the letter, where that is not what they stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Option<String>>,
    /// Why the answer ended.
    pub finish_reason: FinishReason,
    /// The tokens.
    pub usage: Usage,
    /// In US dollars, if it is known.
    pub cost: Option<f64>,
    /// Who answered, as `provider` and `model`.
    pub provider: String,
    pub model_id: String,
    /// What of the request was dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<CallWarning>,
    /// What the provider said of its answer.
    #[serde(default)]
    pub response: ResponseMetadata,
    /// What of a script was played, when a mock answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<Played>,
    /// What the prompt remembered before any call was made.
    pub memory: MemoryChange,
}

impl Answered {
    /// What the model said, with the arguments of its calls as it wrote them.
    pub(crate) fn said(&self) -> Option<Rc<Message>> {
        let message = self.message.as_ref()?;
        if self.inputs.is_empty() {
            return Some(message.clone());
        }
        let mut inputs = self.inputs.iter();
        let parts = message.content_parts().iter().cloned().map(|part| match part {
            ContentPart::ToolCall { tool_call_id, tool_name, input, provider_options } => {
                let text = inputs.next().and_then(Option::as_deref);
                let input = text.map_or(input, ToolInput::from_text);
                ContentPart::ToolCall { tool_call_id, tool_name, input, provider_options }
            }
            part => part,
        });
        Some(Rc::new(Message::parts(message.role, parts.collect())))
    }
}

/// The names of what counts during a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ActiveNames {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
}

/// A turn of a mock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Played {
    /// Which mock, in the order they were made; 0 is the file's own. `None` for one that was made while prompts ran already.
    pub mock: Option<usize>,
    /// Its turn, from 0.
    pub turn: usize,
}

/// A tool call that was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallEnd {
    /// Its place among the calls of the step.
    pub place: usize,
    pub tool_call_id: String,
    pub tool_name: String,
    /// The arguments after validation.
    pub input: ToolInput,
    pub output: ToolOutput,
    /// The agents that worked on it: which result each gave, and the key of its log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<(Option<usize>, String)>,
    /// What the prompt remembers after it.
    pub memory: MemoryChange,
}

impl CallEnd {
    /// The call with its result; what agents did for it is in their own logs.
    pub(crate) fn result(&self) -> ToolResult {
        ToolResult {
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
            input: self.input.clone(),
            output: self.output.clone(),
            agents: Rc::new([]),
        }
    }
}

/// What is answered in place of a call that began, whose end nobody knows, and that must not be made again.
pub(crate) fn interrupted(name: &str) -> String {
    format!(
        "The call of {name} was interrupted: it began, nobody knows whether it had its effect, and it must not be repeated (options.repeat is false)."
    )
}
