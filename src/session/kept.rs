//! What of a run is written to its log as things are done (docs/journal.md). Must not know where logs are kept.

use std::rc::Rc;

use super::{answer::Answer, meter::Meter};
use crate::{
    chat::{ContentPart, Message, ToolResult, ToolSpec, Transcript},
    checkpoint::{AnswerEntry, CallEnd, Entry, MemoryChange, PlayedTurn, PromptLog, Restored, StoreError},
    prompt::{PromptHost, RunError, RunLimits, StepPlan},
    provider::MockTurn,
};

/// Writes the log of one run, where there is one.
#[derive(Clone, Copy)]
pub(super) struct Keeper<'a> {
    host: &'a dyn PromptHost,
    meter: &'a Meter,
    log: Option<&'a Rc<PromptLog>>,
}

/// A whole answer, as it is kept.
pub(super) struct WholeAnswer<'a> {
    pub(super) step: usize,
    pub(super) plan: &'a StepPlan,
    pub(super) tools: Option<&'a Rc<[ToolSpec]>>,
    pub(super) answer: &'a Answer,
    pub(super) message: Option<&'a Rc<Message>>,
    pub(super) cost: Option<f64>,
    pub(super) turn: Option<MockTurn>,
}

impl<'a> Keeper<'a> {
    /// Of the run that the host drives.
    pub(super) fn new(host: &'a dyn PromptHost, meter: &'a Meter) -> Self {
        Keeper { host, meter, log: host.log() }
    }

    /// Whether there is a log.
    pub(super) fn is_on(self) -> bool {
        self.log.is_some()
    }

    /// What an earlier process has done.
    pub(super) fn restored(self) -> Option<&'a Rc<Restored>> {
        self.log?.restored()
    }

    /// An answer is there as a whole, and none of its calls has been made.
    ///
    /// # Errors
    /// It could not be kept: the whole run ends.
    pub(super) fn answered(self, whole: &WholeAnswer<'_>) -> Result<(), RunError> {
        let Some(log) = self.log else { return Ok(()) };
        let memory = self.change(log)?;
        let entry = entry_of(whole, log, self.host.prompt().borrow().history(), memory);
        self.append(log, Entry::Answered(Box::new(entry)))
    }

    /// A call begins that may have to be told from one that never began.
    ///
    /// # Errors
    /// As of [`Keeper::answered`].
    pub(super) fn call_begins(self, place: usize, tool_name: &str) -> Result<(), RunError> {
        match self.log {
            Some(log) if !self.host.may_repeat(tool_name) => self.append(log, Entry::CallBegins { place }),
            _ => Ok(()),
        }
    }

    /// A call was answered.
    ///
    /// # Errors
    /// As of [`Keeper::answered`].
    pub(super) fn call_ends(self, place: usize, result: &ToolResult) -> Result<(), RunError> {
        let Some(log) = self.log else { return Ok(()) };
        // Of one that stops for an approval, whatever comes now comes of that.
        if self.meter.ended().is_some_and(|error| matches!(error.origin(), RunError::Waiting { .. })) {
            return Ok(());
        }
        // Of a run that has to end, failures are its end and not the tool's: another process makes the call again.
        if self.meter.ended().is_some() && (result.output.is_error() || !self.host.works_itself(&result.tool_name)) {
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
        self.append(log, Entry::CallEnds(Box::new(end)))
    }

    /// A step is over; `added` behind its results is part of it.
    ///
    /// # Errors
    /// As of [`Keeper::answered`].
    pub(super) fn step_ends(self, step: usize) -> Result<(), RunError> {
        let Some(log) = self.log else { return Ok(()) };
        let memory = self.change(log)?;
        let added = newly(log, self.host.prompt().borrow().history());
        self.append(log, Entry::StepEnds { step, added, memory })
    }

    /// The answer and the results of a step have come into the conversation; the log has them already.
    pub(super) fn step_in_history(self, messages: usize) {
        if let Some(log) = self.log {
            log.history.set(log.history.get() + messages);
        }
    }

    /// The run has come to its end, and well.
    ///
    /// # Errors
    /// As of [`Keeper::answered`].
    pub(super) fn ends(self) -> Result<(), RunError> {
        self.log.map_or(Ok(()), |log| self.append(log, Entry::Ends))
    }

    /// Waits until the steps that are over are kept wherever they have to be.
    ///
    /// # Errors
    /// They will not be: the whole run ends.
    pub(super) async fn stored(self) -> Result<(), RunError> {
        match self.log.and_then(|log| log.stored()) {
            Some(stored) => stored.await.map_err(|error| self.failed(error)),
            None => Ok(()),
        }
    }

    fn append(self, log: &PromptLog, entry: Entry) -> Result<(), RunError> {
        log.append(entry).map_err(|error| self.failed(error))
    }

    /// Nothing may go on that would not be found again: not the tools, not the other prompts.
    fn failed(self, error: StoreError) -> RunError {
        let error = RunError::from(error);
        self.meter.fail(error.clone());
        error
    }

    /// What the prompt remembers now, as a change.
    fn change(self, log: &PromptLog) -> Result<MemoryChange, RunError> {
        Ok(log.change(self.host.memory()?))
    }
}

/// The messages of the conversation that the log does not have; it has them from now on.
fn newly(log: &PromptLog, history: &Transcript) -> Vec<Rc<Message>> {
    let added = history.since(log.history.get());
    log.history.set(history.len());
    added
}

fn entry_of(whole: &WholeAnswer<'_>, log: &PromptLog, history: &Transcript, memory: MemoryChange) -> AnswerEntry {
    let WholeAnswer { step, plan, tools, answer, message, cost, turn } = *whole;
    let sent = &plan.messages;
    let system = sent.system().map(|system| system.plain_text());
    let system = log.new_system(system);
    let tools = tools.and_then(|tools| log.new_tools(tools));
    AnswerEntry {
        step,
        system,
        added: newly(log, history),
        own_history: sent.length_in(history).is_none().then(|| sent.history()),
        extra: sent.extra().to_vec(),
        tools,
        active: plan.active.names(),
        message: message.cloned(),
        inputs: message.map(|message| inputs(message)).unwrap_or_default(),
        finish_reason: answer.finish_reason,
        usage: answer.usage,
        cost,
        provider: answer.provider.clone(),
        model_id: answer.model_id.clone(),
        warnings: answer.warnings.clone(),
        response: answer.response.clone(),
        played: turn.map(|MockTurn { mock, turn }| PlayedTurn { mock, turn }),
        memory,
    }
}

/// The arguments of the calls as they were written, where writing the value gives another text.
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
