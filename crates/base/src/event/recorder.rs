//! Events in the form stored in a journal (docs/reference/events.md): the public form plus what a later reader needs,
//! such as each request as the difference from the one before.

use std::{collections::HashMap, rc::Rc};

use serde_json::{Map, Value, json};

use super::{
    Agent, Event, EventKind, RunSummary, SentRequest,
    json::{Body, Line},
};
use crate::chat::{CallSettings, Message, PromptMessages, ResponseMetadata, Role, Step, ToolSpec};

/// An event in the form stored in a journal.
#[derive(Debug)]
pub enum RecordedEvent {
    Line(String),
    /// A delta of a model's text: consecutive ones are stored as one line.
    Delta(DeltaRecord),
}

#[derive(Clone, Debug)]
pub struct DeltaRecord {
    kind: &'static str,
    pub agent: Agent,
    pub time: u64,
    pub text: String,
}

impl DeltaRecord {
    pub fn continues(&self, before: &DeltaRecord) -> bool {
        self.kind == before.kind && self.agent == before.agent
    }

    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        DeltaRecord { kind: self.kind, agent: self.agent.clone(), time: self.time, text }
    }

    pub fn to_line(&self, run: &str) -> Option<String> {
        Line::write(run, self.time, &self.agent, self.kind, Body::Delta { delta: &self.text })
    }
}

/// What is already recorded of an agent's requests.
#[derive(Debug, Default)]
pub struct KnownRequests {
    system: Option<String>,
    history_length: usize,
    tools: Option<Rc<[ToolSpec]>>,
    settings: Option<Rc<CallSettings>>,
    /// The request itself, if this process sent it.
    request: Option<PromptMessages>,
    /// The answer of the previous step, which events have recorded, and whether it had tool results.
    answer: Option<Rc<Message>>,
    has_results: bool,
    /// The last step that began, and how much of the conversation earlier lines had.
    last_step: Option<(usize, usize)>,
}

impl KnownRequests {
    /// State from the lines of another process.
    pub fn before(system: Option<String>, history_length: usize, tools: Option<Rc<[ToolSpec]>>) -> Self {
        KnownRequests { system, history_length, tools, ..KnownRequests::default() }
    }
}

#[derive(Debug, Default)]
pub struct EventRecorder {
    by_agent: HashMap<u64, KnownRequests>,
}

impl EventRecorder {
    pub fn set_seen(&mut self, agent: u64, seen: KnownRequests) {
        self.by_agent.insert(agent, seen);
    }

    /// The stored form of an event; `None` if it is not stored. `summary` includes this event.
    pub fn record(&mut self, event: &Event<'_>, summary: &RunSummary) -> Option<RecordedEvent> {
        let (kind, body) = match event.kind {
            EventKind::CodeConsole { text, .. } => ("code-console", Body::Other(json!({ "text": text }))),
            EventKind::Approval { name, approved } => {
                ("approval", Body::Other(json!({ "name": name, "approved": approved })))
            }
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
                return Some(RecordedEvent::Delta(DeltaRecord { kind, agent, time, text: delta.to_owned() }));
            }
            Body::Other(mut body) => {
                self.add_stored_fields(event, &mut body);
                body
            }
        };
        Line::write(event.run(), event.time(), event.agent, kind, Body::Other(body)).map(RecordedEvent::Line)
    }

    fn add_stored_fields(&mut self, event: &Event<'_>, body: &mut Value) {
        match event.kind {
            EventKind::StepStart { step, sent, .. } => body["request"] = self.request(event.agent, *step, sent),
            EventKind::CodeCheck { tool_call_id, code, .. } => {
                body["code"] = json!(&**code);
                add_call(body, tool_call_id.as_deref());
            }
            EventKind::CodeConsole { tool_call_id, .. } => add_call(body, tool_call_id.as_deref()),
            EventKind::StepFinish { step, .. } => add_response(body, step),
            _ => {}
        }
    }

    /// The part of a request that earlier lines do not contain.
    fn request(&mut self, agent: &Agent, step: usize, sent: &SentRequest) -> Value {
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
        // A step that has failed is repeated with the messages that it had before.
        let is_again = seen.last_step.is_some_and(|(last, _)| last == step);
        let known = seen.last_step.filter(|_| is_again).map_or(seen.history_length, |(_, first)| first);
        let first = if is_whole { 0 } else { known };
        let mut messages = sent.messages.history_from(first);
        if !is_first && !is_whole && !is_again {
            seen.remove_recorded(&mut messages);
        }
        request.insert("messages".into(), messages_json(&messages));
        if !sent.messages.extra().is_empty() {
            request.insert("extra".into(), messages_json(sent.messages.extra()));
        }
        request.insert("tools".into(), json!(&*sent.active_tools));
        if sent.tools.is_some() && sent.tools != seen.tools {
            request.insert("toolSpecs".into(), json!(sent.tools));
        }
        if seen.settings.as_ref() != Some(&sent.settings) {
            request.insert("settings".into(), sent.settings.to_json().into());
        }
        let tools = sent.tools.clone().or(seen.tools.take());
        let history_length = sent.messages.history_length();
        *seen = KnownRequests {
            system,
            history_length,
            tools,
            settings: Some(sent.settings.clone()),
            request: Some(sent.messages.clone()),
            last_step: Some((step, first)),
            ..KnownRequests::default()
        };
        request.into()
    }
}

impl KnownRequests {
    fn remove_recorded(&self, messages: &mut Vec<Rc<Message>>) {
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

/// Adds what the provider said about its answer. Headers are many, and of no use later.
fn add_response(body: &mut Value, step: &Step) {
    let response = ResponseMetadata { headers: None, ..step.response.clone() };
    if response != ResponseMetadata::default() {
        body["response"] = json!(response);
    }
    if !step.warnings.is_empty() {
        body["warnings"] = json!(step.warnings);
    }
}

fn messages_json(messages: &[Rc<Message>]) -> Value {
    serde_json::to_value(messages).unwrap_or_default()
}
