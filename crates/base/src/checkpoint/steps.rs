//! Steps and conversations restored from logs.

use std::rc::Rc;

use super::{
    entry::CallEnd,
    prompt_log::PromptLog,
    restored::{Restored, StoredStep},
};
use crate::chat::{
    AgentRun, CallSettings, Content, ContentPart, Message, PartLog, PromptMessages, Role, Step, StepOutput, ToolResult,
    Transcript,
};

pub fn result_of(end: &CallEnd, log: &PromptLog) -> ToolResult {
    let agents = end.agents.iter().map(|(result, key)| {
        let steps =
            log.restored_of(key).map(|restored| steps_of(&restored, &Transcript::default(), &Rc::default(), log));
        AgentRun { result: *result, steps: steps.unwrap_or_default(), key: key.as_str().into() }
    });
    ToolResult { agents: agents.collect(), ..end.result() }
}

/// The finished steps of a log. `history` is their conversation; if it is shorter, that of the log is used. Settings are
/// those of the current run, as a log contains none.
pub fn steps_of(
    restored: &Restored,
    history: &Transcript,
    settings: &Rc<CallSettings>,
    log: &PromptLog,
) -> Vec<Rc<Step>> {
    let history = match history.len() < restored.history.len() {
        true => Transcript::from_messages(restored.history.clone()),
        false => history.clone(),
    };
    let step = |stored: &StoredStep| {
        let tool_results = stored.results.iter().map(|end| result_of(end, log)).collect();
        Rc::new(Step { settings: settings.clone(), tool_results, ..exchange_of(stored, &history) })
    };
    restored.steps.iter().map(step).collect()
}

/// A step without its settings, which a log does not contain, and without the results of its calls. `history` is the conversation.
pub fn exchange_of(stored: &StoredStep, history: &Transcript) -> Step {
    let answer = &stored.answer;
    Step {
        prompt: sent_messages(stored, history),
        tools: Some(stored.tools.clone()),
        settings: Rc::default(),
        output: StepOutput { message: answer.message_as_written(), finish_reason: answer.finish_reason },
        active_tools: answer.active.tools.clone(),
        raw: PartLog::default(),
        tool_results: Vec::new(),
        usage: answer.usage,
        cost: answer.cost,
        warnings: answer.warnings.clone(),
        response: answer.response.clone(),
        sources: answer.sources.clone(),
        cache: answer.cache.clone(),
    }
}

pub fn sent_messages(stored: &StoredStep, history: &Transcript) -> PromptMessages {
    let system = stored.system.clone().map(|text| Rc::new(Message::system(text)));
    let extra = stored.answer.extra.clone();
    match &stored.answer.own_history {
        Some(own) => PromptMessages::new(system, Transcript::from_messages(own.clone()), extra),
        None => PromptMessages::with_history_length(system, history.clone(), stored.history_length, extra),
    }
}

/// The conversation so far, with the runs of agents in its results.
pub fn history_of(restored: &Restored, log: &PromptLog) -> Vec<Rc<Message>> {
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
