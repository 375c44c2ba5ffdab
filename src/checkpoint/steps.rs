//! Steps and the conversation as they come out of logs. Must not know what goes on from them.

use std::rc::Rc;

use super::{
    entry::CallEnd,
    log::Log,
    restored::{Restored, StoredStep},
};
use crate::chat::{
    AgentRun, CallSettings, Content, ContentPart, Message, PartLog, PromptMessages, Role, Step, StepOutput, ToolResult,
    Transcript,
};

/// A call that was answered in another process, with what its agents did there.
pub(crate) fn result_of(end: &CallEnd, log: &Log) -> ToolResult {
    let agents = end.agents.iter().map(|(result, key)| {
        let steps =
            log.restored_of(key).map(|restored| steps_of(&restored, &Transcript::default(), &Rc::default(), log));
        AgentRun { result: *result, steps: steps.unwrap_or_default(), key: key.as_str().into() }
    });
    ToolResult { agents: agents.collect(), ..end.result() }
}

/// The steps of a log that are over. `history` is the conversation they are part of; where it is gone, that of the log is
/// taken. Settings are not in a log: they are those of the run that goes on.
pub(crate) fn steps_of(
    restored: &Restored,
    history: &Transcript,
    settings: &Rc<CallSettings>,
    log: &Log,
) -> Vec<Rc<Step>> {
    let history = match history.len() < restored.history.len() {
        true => Transcript::from_messages(restored.history.clone()),
        false => history.clone(),
    };
    let step = |stored: &StoredStep| {
        let answer = &stored.answer;
        Rc::new(Step {
            prompt: sent(stored, &history),
            tools: Some(stored.tools.clone()),
            settings: settings.clone(),
            output: StepOutput { message: answer.said(), finish_reason: answer.finish_reason },
            active_tools: answer.active.tools.clone(),
            raw: PartLog::default(),
            tool_results: stored.results.iter().map(|end| result_of(end, log)).collect(),
            usage: answer.usage,
            cost: answer.cost,
            warnings: answer.warnings.clone(),
            response: answer.response.clone(),
        })
    };
    restored.steps.iter().map(step).collect()
}

/// What was sent on a step.
pub(crate) fn sent(stored: &StoredStep, history: &Transcript) -> PromptMessages {
    let system = stored.system.clone().map(|text| Rc::new(Message::system(text)));
    let extra = stored.answer.extra.clone();
    match &stored.answer.own_history {
        Some(own) => PromptMessages::new(system, Transcript::from_messages(own.clone()), extra),
        None => PromptMessages::of_earlier(system, history.clone(), stored.history_length, extra),
    }
}

/// The conversation as far as it had come, with what agents did for the results in it.
pub(crate) fn history_of(restored: &Restored, log: &Log) -> Vec<Rc<Message>> {
    let mut results =
        restored.steps.iter().flat_map(|step| &step.results).filter(|end| !end.agents.is_empty()).peekable();
    let mut with_agents = |message: &Rc<Message>| {
        let Content::Parts(parts) = &message.content else { return message.clone() };
        if message.role != Role::Tool || results.peek().is_none() {
            return message.clone();
        }
        let mut parts = parts.clone();
        for part in &mut parts {
            let ContentPart::ToolResult { tool_call_id, agents, .. } = part else { continue };
            if let Some(end) = results.next_if(|end| end.tool_call_id == *tool_call_id) {
                *agents = result_of(end, log).agents;
            }
        }
        Rc::new(Message {
            role: message.role,
            content: Content::Parts(parts),
            provider_options: message.provider_options.clone(),
        })
    };
    restored.history.iter().map(&mut with_agents).collect()
}
