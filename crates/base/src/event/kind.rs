//! The kinds of events.

use std::{rc::Rc, time::Duration};

use serde::Serialize;
use serde_json::Value;

use crate::{
    answer::AnswerShape,
    chat::{CallSettings, PromptMessages, Step, StreamPart, ToolResult, ToolSpec, Usage},
};

/// An event. Data of models, tools and steps is shared, not copied.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// A file starts to run, or a run is resumed in this process; the first event.
    RunStart {
        /// The file, as given on the command line.
        file: String,
        /// The step at which the run resumes, if an earlier process began it.
        resumed: Option<usize>,
    },
    StepStart {
        step: usize,
        model: Rc<str>,
        sent: SentRequest,
    },
    Stream(Rc<StreamPart>),
    /// The answer to a request is complete or broke off; its tools may still be running.
    AnswerFinish {
        /// Estimated if an answer broke off before the provider reported it.
        usage: Usage,
        is_estimated: bool,
        cost: Option<f64>,
        /// The base URL of the server that answered; `None` if no server was asked.
        server: Option<Rc<str>>,
    },
    /// Progress of a tool call, shown on the progress line only; it has no public form.
    ToolProgress {
        tool_call_id: String,
        text: String,
    },
    /// Of our own call, or of one that the provider has run: the stream has that as a part as well.
    ToolResult {
        result: Rc<ToolResult>,
        took: Duration,
    },
    /// A line for the terminal; it has no public form.
    Notice {
        message: String,
    },
    /// A step is complete, with all its tool results.
    StepFinish {
        number: usize,
        step: Rc<Step>,
        model: Rc<str>,
        /// From the request to the last tool result.
        took: Duration,
    },
    AgentStart,
    AgentFinish {
        steps: usize,
        took: Duration,
        error: Option<String>,
    },
    CodeCheck {
        /// The tool call that contained the code; `None` for code in a model's text.
        tool_call_id: Option<String>,
        code: Rc<str>,
        ok: bool,
        /// A list of `{code, message, line, column, …}`.
        diagnostics: Value,
    },
    /// Code that the model wrote printed a line, shown on standard error only; it has no public form.
    CodeConsole {
        tool_call_id: Option<String>,
        /// Without the newline.
        text: String,
    },
    /// A call that needs approval was approved, or denied by a person. It has no public form.
    Approval {
        name: String,
        approved: bool,
    },
    Warning {
        message: String,
    },
    /// A request is repeated, or waits for a busy server.
    Retry(Retry),
    /// The user of a conversation has taken back everything from this step on, and the run was loaded again.
    TakenBack {
        step: usize,
    },
    Output(OutputEvent),
    PromptEnd,
    /// The last event of the whole run.
    RunFinish(Rc<RunFinish>),
}

/// The request of a step, shared with the step. It has no public form.
#[derive(Clone, Debug, Default)]
pub struct SentRequest {
    pub messages: PromptMessages,
    pub active_tools: Rc<[String]>,
    /// The definitions of the active tools; `None` for a model that reads no requests, unless they were kept.
    pub tools: Option<Rc<[ToolSpec]>>,
    /// The base URL of the server that is asked first; `None` for a model without a server.
    pub server: Option<Rc<str>>,
    pub settings: Rc<CallSettings>,
}

#[derive(Clone, Debug)]
pub enum OutputEvent {
    /// The file has an output, so the text that the model writes before it is not the result of the run.
    Expected(Rc<AnswerShape>),
    /// The validated output of a successful run.
    Value(Value),
}

/// Why an answer is late.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// The whole explanation in one sentence.
    pub message: String,
    pub model: String,
    pub reason: String,
    /// The attempt that failed, from 1; `None` if the request has not been sent yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Milliseconds until the next attempt.
    pub wait_ms: u64,
}

/// How a run ended, beyond the content of its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFinish {
    pub exit_code: i32,
    pub error: Option<FailureReport>,
}

/// A failure in the form that programs read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureReport {
    pub code: i32,
    /// `script`, `usage`, `model`, `output`, `limit`, `interrupted`, …
    pub kind: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<AwaitedCall>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AwaitedCall {
    /// The label by which an approver names it.
    pub call: String,
    /// The tool call that it is, or that makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    pub name: String,
    pub args: Value,
    /// The agents that make it, outermost first; empty for the file's own prompt.
    pub agent: Vec<Rc<str>>,
}
