//! The events themselves.

use std::{rc::Rc, time::Duration};

use serde::Serialize;
use serde_json::Value;

use crate::chat::{PromptMessages, Step, StreamPart, ToolResult, ToolSpec, Usage};

/// Something that happened. What the model, the tools and the steps themselves produced is shared, not copied.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// A file begins to run, or a run goes on in this process; the first event of all.
    RunStart {
        /// The file, as it was named.
        file: String,
        /// The step that the run goes on at, when an earlier process began it.
        resumed: Option<usize>,
    },
    /// A step's request is about to go out.
    StepStart {
        /// The number of the step, from 0.
        step: usize,
        /// The model that is asked, as `provider:model`.
        model: Rc<str>,
        /// What it is asked.
        sent: Sent,
    },
    /// A piece of the model's answer.
    Stream(Rc<StreamPart>),
    /// The model has said all it will say to a request, or all that is heard of it; its tools may still be running.
    Answered {
        /// What that used; estimated where an answer broke off and its provider had not said.
        usage: Usage,
        /// What that cost in US dollars, if it is known.
        cost: Option<f64>,
    },
    /// A tool call has come so far. It has no public form: people see it on the progress line.
    ToolProgress {
        /// The call.
        tool_call_id: String,
        /// How far, in a few words.
        text: String,
    },
    /// A tool call was answered.
    ToolResult {
        /// The call and its answer.
        result: Rc<ToolResult>,
        /// How long that took.
        took: Duration,
    },
    /// A step is complete: its answer has arrived and all its tool calls are answered.
    StepFinish {
        /// Its number, from 0.
        number: usize,
        /// Everything about it.
        step: Rc<Step>,
        /// The model that answered, as `provider:model`.
        model: Rc<str>,
        /// From the request to the last tool result.
        took: Duration,
    },
    /// An agent begins to work, or another prompt that the script runs.
    AgentStart,
    /// It is done; its result goes to whoever asked for it.
    AgentFinish {
        /// How many steps it took.
        steps: usize,
        /// How long it worked.
        took: Duration,
        /// What went wrong, if it did.
        error: Option<String>,
    },
    /// Code that the model wrote was checked.
    CodeCheck {
        /// The tool call that the code came with; none for code in a model's text.
        tool_call_id: Option<String>,
        /// The code.
        code: Rc<str>,
        /// Whether it was run.
        ok: bool,
        /// What was found: `{code, message, line, column, …}` each.
        diagnostics: Value,
    },
    /// Code that the model wrote printed a line. It has no public form: people see it on standard error.
    CodeConsole {
        /// As with its check.
        tool_call_id: Option<String>,
        /// What it printed, without the end of the line.
        text: String,
    },
    /// Something a person should know of, in one sentence.
    Warning {
        /// The sentence.
        message: String,
    },
    /// A request is sent again, or waits because its server takes no more.
    Retry(Retry),
    /// The typed output of the file.
    Output(Output),
    /// Nothing more will come from this prompt, however its run ended.
    PromptEnd,
    /// The whole run is over; the last event of all.
    RunFinish(Rc<RunFinish>),
}

/// The request of a step, shared with the step. It has no public form.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// The conversation, system message first.
    pub messages: PromptMessages,
    /// The tools that the model is told of, by name.
    pub active_tools: Rc<[String]>,
    /// The same as the model is told of them; none for a model that reads no requests.
    pub tools: Option<Rc<[ToolSpec]>>,
}

/// What is told of a file's export `output`.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// There is one: what the model says on its way to it is not what the file is run for.
    Expected,
    /// The run went well, and this is the validated answer.
    Value(Value),
}

/// Why an answer is late.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    /// All of it in a sentence.
    pub message: String,
    /// Who failed, as `provider:model`, or the provider alone when all its models wait.
    pub model: String,
    /// Why.
    pub reason: String,
    /// The attempt that failed, from 1, and how many there are in all; unknown when the request was not sent yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// How many attempts there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Milliseconds until the next one.
    pub wait_ms: u64,
}

/// How a run ended, beyond what its events have told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFinish {
    /// What the process ends with.
    pub exit_code: i32,
    /// What went wrong, if it did.
    pub error: Option<Failure>,
}

/// A failure as programs read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The exit code.
    pub code: i32,
    /// What kind of failure: `script`, `usage`, `model`, `output`, `limit`, `interrupted`, …
    pub kind: String,
    /// What happened.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The file it happened in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The calls that wait for approval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<AwaitedCall>,
}

/// A call that waits for approval.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AwaitedCall {
    /// What it is called by whoever decides.
    pub call: String,
    /// The tool call that it is, or is made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// What is called.
    pub name: String,
    /// The arguments.
    pub args: Value,
    /// The agents that make it, from the outermost; none for the file's own prompt.
    pub agent: Vec<Rc<str>>,
}
