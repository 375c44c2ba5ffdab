//! Events in the form that a journal keeps them in (docs/events.md, "In the journal"): the public one with what a reader
//! needs who was not there, each request among it, as what it has that the one before had not. Must not know where lines go.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value, json};

use super::{
    Agent, Event, EventKind, Sent, Summary,
    json::{Body, Line},
};
use crate::chat::{Message, PromptMessages, Role, ToolSpec};

/// An event as it is kept.
#[derive(Debug)]
pub enum Recorded {
    /// As a line of JSON, without its end.
    Line(String),
    /// As a part of a line: pieces that follow each other are kept as one.
    Piece(Piece),
}

/// A piece of what a model says.
#[derive(Clone, Debug)]
pub struct Piece {
    kind: &'static str,
    /// Whose model.
    pub agent: Agent,
    /// When the first of it came.
    pub time: u64,
    /// What it says.
    pub text: String,
}

impl Piece {
    /// Whether it goes on with what another one says.
    pub fn continues(&self, before: &Piece) -> bool {
        self.kind == before.kind && self.agent == before.agent
    }

    /// Another one of the same model.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        Piece { kind: self.kind, agent: self.agent.clone(), time: self.time, text }
    }

    /// A line of its own.
    pub fn to_line(&self, run: &str) -> Option<String> {
        Line::write(run, self.time, &self.agent, self.kind, Body::Delta { delta: &self.text })
    }
}

/// What is known of the requests of one agent.
#[derive(Debug, Default)]
pub struct Seen {
    /// The text of the system message.
    system: Option<String>,
    /// How many messages of the conversation.
    history_length: usize,
    /// The tools as the model was told of them.
    tools: Option<Rc<[ToolSpec]>>,
    /// The request itself, when it was this process that sent it.
    request: Option<PromptMessages>,
    /// What the events of the step have told: its answer, and whether there were results.
    answer: Option<Rc<Message>>,
    has_results: bool,
}

impl Seen {
    /// What lines of another process have said.
    pub fn before(system: Option<String>, history_length: usize, tools: Option<Rc<[ToolSpec]>>) -> Self {
        Seen { system, history_length, tools, ..Seen::default() }
    }
}

/// Makes lines of events, and knows what the lines before have said.
#[derive(Debug, Default)]
pub struct Record {
    by_agent: HashMap<u64, Seen>,
}

impl Record {
    /// Takes note of what lines of another process have said of an agent's requests.
    pub fn set_seen(&mut self, agent: u64, seen: Seen) {
        self.by_agent.insert(agent, seen);
    }

    /// The event as it is kept, if it is. `summary` is of all events up to this one.
    pub fn take(&mut self, event: &Event<'_>, summary: &Summary) -> Option<Recorded> {
        let (kind, body) = match event.kind {
            EventKind::CodeConsole { text, .. } => ("code-console", Body::Other(json!({ "text": text }))),
            EventKind::StepFinish { step, .. } => {
                let seen = self.by_agent.entry(event.agent.number()).or_default();
                seen.answer.clone_from(&step.output.message);
                seen.has_results = !step.tool_results.is_empty();
                event.public(summary)?
            }
            _ => event.public(summary)?,
        };
        let body = match body {
            Body::Delta { delta } => {
                let (agent, time) = (event.agent.clone(), event.time());
                return Some(Recorded::Piece(Piece { kind, agent, time, text: delta.to_owned() }));
            }
            Body::Other(mut body) => {
                self.add_what_is_kept(event, &mut body);
                body
            }
        };
        Line::write(event.run(), event.time(), event.agent, kind, Body::Other(body)).map(Recorded::Line)
    }

    /// Adds what the public form does not have.
    fn add_what_is_kept(&mut self, event: &Event<'_>, body: &mut Value) {
        match event.kind {
            EventKind::StepStart { sent, .. } => body["request"] = self.request(event.agent, sent),
            EventKind::CodeCheck { tool_call_id, code, .. } => {
                body["code"] = json!(&**code);
                add_call(body, tool_call_id.as_deref());
            }
            EventKind::CodeConsole { tool_call_id, .. } => add_call(body, tool_call_id.as_deref()),
            _ => {}
        }
    }

    /// A request: what is new in it, beside the answer and the results that other lines tell.
    fn request(&mut self, agent: &Agent, sent: &Sent) -> Value {
        let is_first = !self.by_agent.contains_key(&agent.number());
        let seen = self.by_agent.entry(agent.number()).or_default();
        let mut request = Map::new();
        let system = sent.messages.system().map(|message| message.plain_text());
        if system != seen.system {
            request.insert("system".into(), json!(system));
        }
        let is_whole = seen.request.as_ref().is_some_and(|before| !sent.messages.continues(before));
        if is_whole {
            request.insert("whole".into(), true.into());
        }
        let first = if is_whole { 0 } else { seen.history_length };
        let mut messages = sent.messages.history_from(first);
        if !is_first && !is_whole {
            seen.leave_out_told(&mut messages);
        }
        request.insert("messages".into(), plain(&messages));
        if !sent.messages.extra().is_empty() {
            request.insert("extra".into(), plain(sent.messages.extra()));
        }
        request.insert("tools".into(), json!(&*sent.active_tools));
        if sent.tools.is_some() && sent.tools != seen.tools {
            request.insert("toolSpecs".into(), json!(sent.tools));
        }
        let tools = sent.tools.clone().or(seen.tools.take());
        let history_length = sent.messages.history_length();
        *seen = Seen { system, history_length, tools, request: Some(sent.messages.clone()), ..Seen::default() };
        request.into()
    }
}

impl Seen {
    /// Leaves out the answer of the step before and its results: both are first among what is new.
    fn leave_out_told(&self, messages: &mut Vec<Rc<Message>>) {
        if let (Some(answer), Some(first)) = (&self.answer, messages.first())
            && (Rc::ptr_eq(answer, first) || answer == first)
        {
            messages.remove(0);
        }
        if self.has_results && messages.first().is_some_and(|first| first.role == Role::Tool) {
            messages.remove(0);
        }
    }
}

fn add_call(body: &mut Value, tool_call_id: Option<&str>) {
    if let Some(id) = tool_call_id {
        body["toolCallId"] = id.into();
    }
}

/// Nothing of a message can fail to be written.
fn plain(messages: &[Rc<Message>]) -> Value {
    serde_json::to_value(messages).unwrap_or_default()
}
