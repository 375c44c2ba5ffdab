//! What a test needs of a run: its exchanges with models, its calls, its answer.

use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use serde_json::{Map, Value};

use lmthing_base::{
    chat::{ContentPart, Step, Transcript},
    checkpoint::{Entry, Restored, StoredStep, exchange_of, restore},
};
use lmthing_providers::{Redactor, model_label};
use lmthing_store::journal::{Journal, JournalError, RunInfo};

/// One answered request.
pub(super) struct Exchange {
    pub(super) provider: String,
    pub(super) model: String,
    /// By name.
    pub(super) settings: Rc<Map<String, Value>>,
    pub(super) step: Step,
    is_own: bool,
    /// The model that was asked first; another one has answered if it failed.
    asked: String,
    /// The mock that has answered.
    mock: Option<Option<usize>>,
}

impl Exchange {
    pub(super) fn answered_by(&self) -> String {
        model_label(&self.provider, &self.model)
    }

    pub(super) fn is_mocked(&self) -> bool {
        self.mock.is_some()
    }

    pub(super) fn is_of_fallback(&self) -> bool {
        self.is_own && self.asked != self.answered_by()
    }

    pub(super) fn lacks_tools(&self) -> bool {
        let has_specs = self.step.tools.as_ref().is_some_and(|tools| !tools.is_empty());
        !has_specs && !self.step.active_tools.is_empty()
    }
}

/// A tool call, with its validated input.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Value,
    /// Whether the file's own prompt made it, and no agent.
    pub(super) is_own: bool,
}

#[derive(Default)]
pub(super) struct RunContents {
    /// Whether it is a conversation with a user.
    pub(super) has_turns: bool,
    /// In the order of the requests. Without those of mocks that answer in a test as well.
    pub(super) exchanges: Vec<Exchange>,
    pub(super) calls: Vec<Call>,
    pub(super) has_tools: bool,
    /// The names of approved calls.
    pub(super) approved: BTreeSet<String>,
    /// The names of calls that a person has denied.
    pub(super) denied: BTreeSet<String>,
    /// How long the tools of the file's own prompt took, in milliseconds.
    pub(super) tools_ms: u64,
    /// The object of `-f json`.
    pub(super) finish: Value,
}

/// A request as the lines of events describe it.
struct SentLine {
    agent: u64,
    step: usize,
    model: String,
    settings: Rc<Map<String, Value>>,
}

impl RunContents {
    pub(super) fn read(journal: &Journal, run: &RunInfo) -> Result<Self, JournalError> {
        let mut contents = RunContents::default();
        let sent = contents.read_lines(journal, run)?;
        let agents = journal.agents(run)?;
        let mut logs: HashMap<u64, (Restored, Transcript)> = HashMap::new();
        for (key, log) in journal.logs(run, None)? {
            let number = if key.is_empty() { Some(0) } else { agents.get(&key).copied() };
            contents.has_turns |= key.is_empty() && log.iter().any(|entry| matches!(entry, Entry::Said { .. }));
            let restored = restore(log, None);
            let history = Transcript::from_messages(restored.history.clone());
            logs.extend(number.map(|number| (number, (restored, history))));
        }
        for line in sent {
            let Some((restored, history)) = logs.get(&line.agent) else { continue };
            // A request that an agent has not got an answer to has no step.
            let Some(stored) = restored.answers().find(|stored| stored.answer.step == line.step) else { continue };
            contents.add(line, stored, history);
        }
        let own_mock = contents.exchanges.iter().find(|exchange| exchange.is_own).and_then(|own| own.mock);
        contents.exchanges.retain(|exchange| exchange.mock.is_none() || exchange.mock == own_mock);
        Ok(contents)
    }

    /// Replaces keys that the journal did not know, except in the exchanges.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        self.calls.iter_mut().for_each(|call| redactor.apply_json(&mut call.input));
        redactor.apply_json(&mut self.finish);
    }

    pub(super) fn own(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().filter(|exchange| exchange.is_own)
    }

    fn add(&mut self, line: SentLine, stored: &StoredStep, history: &Transcript) {
        let (answer, is_own) = (&stored.answer, line.agent == 0);
        let said = answer.message_as_written();
        for part in said.iter().flat_map(|message| message.content_parts()) {
            let ContentPart::ToolCall { tool_call_id, tool_name, input, .. } = part else { continue };
            let result = stored.results.iter().find(|end| end.tool_call_id == *tool_call_id);
            let input = result.map_or(input, |end| &end.input).value().clone();
            self.calls.push(Call { name: tool_name.clone(), input, is_own });
        }
        self.has_tools |= is_own && !answer.active.tools.is_empty();
        self.exchanges.push(Exchange {
            provider: answer.provider.clone(),
            model: answer.model_id.clone(),
            settings: line.settings,
            step: exchange_of(stored, history),
            is_own,
            asked: line.model,
            mock: answer.played.map(|played| played.mock),
        });
    }

    /// Reads the events. Of a step that was asked again in another process, the last request counts.
    fn read_lines(&mut self, journal: &Journal, run: &RunInfo) -> Result<Vec<SentLine>, JournalError> {
        let mut sent: Vec<SentLine> = Vec::new();
        let mut settings: HashMap<u64, Rc<Map<String, Value>>> = HashMap::new();
        journal.lines(run, |line| {
            let Ok(event) = serde_json::from_str::<Value>(line) else { return true };
            let agent = event["agentNumber"].as_u64().unwrap_or(0);
            let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            match event["type"].as_str() {
                Some("step-start") => {
                    if let Some(changed) = event["request"]["settings"].as_object() {
                        settings.insert(agent, Rc::new(changed.clone()));
                    }
                    let step = event["step"].as_u64().and_then(|step| usize::try_from(step).ok()).unwrap_or(0);
                    sent.retain(|line| (line.agent, line.step) != (agent, step));
                    let settings = settings.get(&agent).cloned().unwrap_or_default();
                    sent.push(SentLine { agent, step, model: text("model"), settings });
                }
                Some("tool-result") if agent == 0 => self.tools_ms += event["durationMs"].as_u64().unwrap_or(0),
                Some("approval") if event["approved"] == true => drop(self.approved.insert(text("name"))),
                Some("approval") => drop(self.denied.insert(text("name"))),
                Some("run-finish") => self.finish = event,
                _ => {}
            }
            true
        })?;
        Ok(sent)
    }
}
