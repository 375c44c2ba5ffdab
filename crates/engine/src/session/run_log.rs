//! Writes the log of a run (docs/reference/journal.md).

use std::rc::Rc;

use super::{answer::Answer, meter::Meter};
use crate::prompt::{PromptHost, RunError, RunLimits, StepPlan};
use lmthing_base::{
    chat::{ContentPart, Message, StepCache, ToolResult, ToolSpec, Transcript},
    checkpoint::{AnswerEntry, CallEnd, Entry, MemoryChange, PlayedTurn, PromptLog, Restored, StoreError},
};
use lmthing_providers::MockTurn;

#[derive(Clone, Copy)]
pub(super) struct RunLog<'a> {
    host: &'a dyn PromptHost,
    meter: &'a Meter,
    log: Option<&'a Rc<PromptLog>>,
}

pub(super) struct WholeAnswer<'a> {
    pub(super) step: usize,
    pub(super) plan: &'a StepPlan,
    pub(super) tools: Option<&'a Rc<[ToolSpec]>>,
    pub(super) answer: &'a Answer,
    pub(super) message: Option<&'a Rc<Message>>,
    pub(super) cost: Option<f64>,
    pub(super) cache: &'a Option<StepCache>,
    pub(super) turn: Option<MockTurn>,
}

impl<'a> RunLog<'a> {
    pub(super) fn new(host: &'a dyn PromptHost, meter: &'a Meter) -> Self {
        RunLog { host, meter, log: host.log() }
    }

    pub(super) fn is_enabled(self) -> bool {
        self.log.is_some()
    }

    pub(super) fn restored(self) -> Option<&'a Rc<Restored>> {
        self.log?.restored()
    }

    /// Logs a complete answer before any of its calls is made. As all methods here, it returns once the entry outlasts the process,
    /// and a failure to write ends the run.
    pub(super) async fn record_answer(self, whole: &WholeAnswer<'_>) -> Result<(), RunError> {
        let Some(log) = self.log else { return Ok(()) };
        let memory = self.change(log)?;
        let entry = entry_of(whole, log, self.host.prompt().borrow().history(), memory);
        log.answered.set(whole.step + 1);
        self.append(log, Entry::Answered(Box::new(entry))).await
    }

    pub(super) fn note_played(self, turn: Option<&MockTurn>) {
        if let (Some(log), Some(MockTurn { mock, turn })) = (self.log, turn) {
            log.note_played(PlayedTurn { mock: *mock, turn: *turn });
        }
    }

    /// Logs a turn of the user, and what else was added to the conversation since the last entry.
    pub(super) async fn record_turn(self) -> Result<(), RunError> {
        let Some(log) = self.log else { return Ok(()) };
        let memory = self.change(log)?;
        let added = unlogged(log, self.host.prompt().borrow().history());
        self.append(log, Entry::Said { added, memory }).await
    }

    /// The number of the first step without a logged answer.
    pub(super) fn answered(self) -> Option<usize> {
        self.log.map(|log| log.answered.get())
    }

    /// Logs the start of a call that must not be repeated.
    pub(super) async fn record_call_start(self, place: usize, tool_name: &str) -> Result<(), RunError> {
        match self.log {
            Some(log) if !self.host.may_repeat(tool_name) => self.append(log, Entry::CallBegins { place }).await,
            _ => Ok(()),
        }
    }

    pub(super) async fn record_call_end(self, place: usize, result: &ToolResult) -> Result<(), RunError> {
        let Some(log) = self.log else { return Ok(()) };
        // When the run stops for an approval, results are consequences of that.
        if self.meter.ended().is_some_and(|error| matches!(error.origin(), RunError::Waiting { .. })) {
            return Ok(());
        }
        // When the run has to end, errors are caused by that: another process makes the call again.
        if self.meter.ended().is_some() && (result.output.is_error() || !self.host.is_plain_tool(&result.tool_name)) {
            return Ok(());
        }
        let end = CallEnd {
            place,
            tool_call_id: result.tool_call_id.clone(),
            tool_name: result.tool_name.clone(),
            input: result.input.clone(),
            output: result.output.clone(),
            agents: result.agents.iter().map(|agent| (agent.result, agent.key.to_string())).collect(),
            memory: self.change(log)?,
        };
        self.append(log, Entry::CallEnds(Box::new(end))).await
    }

    /// Logs the end of a step, unless the run has to end: then calls of the step that failed because of that are not logged,
    /// and another process makes them again.
    pub(super) async fn record_step_end(self, step: usize, ends_turn: bool) -> Result<(), RunError> {
        let Some(log) = self.log.filter(|_| self.meter.ended().is_none()) else { return Ok(()) };
        let memory = self.change(log)?;
        let added = unlogged(log, self.host.prompt().borrow().history());
        self.append(log, Entry::StepEnds { step, added, ends_turn, memory }).await
    }

    /// The log contains the answer and results of the step already, so they are not logged as added messages.
    pub(super) fn step_in_history(self, messages: usize) {
        if let Some(log) = self.log {
            log.history.set(log.history.get() + messages);
        }
    }

    pub(super) async fn record_end(self) -> Result<(), RunError> {
        match self.log {
            Some(log) => self.append(log, Entry::Ends).await,
            None => Ok(()),
        }
    }

    pub(super) async fn stored(self) -> Result<(), RunError> {
        match self.log.and_then(|log| log.stored()) {
            Some(stored) => stored.await.map_err(|error| self.failed(error)),
            None => Ok(()),
        }
    }

    async fn append(self, log: &PromptLog, entry: Entry) -> Result<(), RunError> {
        self.host.while_storing(log.append(entry)).await.map_err(|error| self.failed(error))
    }

    fn failed(self, error: StoreError) -> RunError {
        let error = RunError::from(error);
        self.meter.fail(error.clone());
        error
    }

    fn change(self, log: &PromptLog) -> Result<MemoryChange, RunError> {
        Ok(log.change(self.host.memory()?))
    }
}

fn unlogged(log: &PromptLog, history: &Transcript) -> Vec<Rc<Message>> {
    let added = history.since(log.history.get());
    log.history.set(history.len());
    added
}

fn entry_of(whole: &WholeAnswer<'_>, log: &PromptLog, history: &Transcript, memory: MemoryChange) -> AnswerEntry {
    let WholeAnswer { step, plan, tools, answer, message, cost, cache, turn } = *whole;
    let sent = &plan.messages;
    let system = sent.system().map(|system| system.plain_text());
    let system = log.new_system(system);
    let tools = tools.and_then(|tools| log.new_tools(tools));
    AnswerEntry {
        step,
        system,
        added: unlogged(log, history),
        own_history: sent.length_in(history).is_none().then(|| sent.history()),
        extra: sent.extra().to_vec(),
        tools,
        active: plan.active.names(),
        message: message.cloned(),
        inputs: message.map(|message| inputs(message)).unwrap_or_default(),
        finish_reason: answer.finish_reason,
        sources: answer.sources.sources().to_vec(),
        usage: answer.usage,
        cost,
        cache: cache.clone(),
        provider: answer.provider.clone(),
        model_id: answer.model_id.clone(),
        warnings: answer.warnings.clone(),
        response: answer.response.clone(),
        played: turn.map(|MockTurn { mock, turn }| PlayedTurn { mock, turn }),
        memory,
    }
}

/// The original text of arguments that differs from the serialized value.
fn inputs(message: &Message) -> Vec<Option<String>> {
    let calls = message.content_parts().iter().filter_map(|part| match part {
        ContentPart::ToolCall { input, .. } => {
            let value = input.value().to_string();
            Some(input.text().filter(|text| **text != value).map(str::to_owned))
        }
        _ => None,
    });
    let inputs: Vec<_> = calls.collect();
    if inputs.iter().all(Option::is_none) { Vec::new() } else { inputs }
}
