//! Setting a prompt up whose run began in another process: what it remembers is put back, what sets it up runs once more. Must
//! not know where runs are kept, nor how steps go on.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::log::open_log;
use crate::{
    chat::CallSettings,
    checkpoint::{PromptLog, Restored, history_of, steps_of},
    prompt::RunRecord,
    script::bindings::{
        prompt::{memory, object::PromptObject},
        services,
    },
};

/// What an earlier process has done of a prompt's run.
fn restored(prompt: &PromptObject<'_>) -> Option<(Rc<PromptLog>, Rc<Restored>)> {
    let log = prompt.borrow().core.log.borrow().clone()?;
    let restored = log.restored()?.clone();
    Some((log, restored))
}

/// To be called before what sets the prompt up runs: it sees the states as they were, and its messages are there already.
pub(crate) fn begin<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    open_log(ctx, prompt)?;
    let Some((log, restored)) = restored(prompt) else { return Ok(()) };
    memory::restore(ctx, prompt, &restored.before)?;
    let core = prompt.borrow().core.clone();
    let next = restored.next_step();
    services::scope(ctx, &core)?.agent().set_step(next.checked_sub(1));
    core.step.set(next);
    let mut definitions = core.prompt.borrow_mut();
    definitions.take_up_history(history_of(&restored, &log));
    definitions.take_up(&restored.before.due, false);
    // A run that was cut off before its first answer has nothing of its conversation yet.
    if next > 0 || restored.unfinished.is_some() {
        definitions.begin_set_up_again();
    }
    Ok(())
}

/// To be called when it has run, well or not.
pub(crate) fn end<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let Some((_, restored)) = restored(prompt) else { return Ok(()) };
    let core = prompt.borrow().core.clone();
    core.prompt.borrow_mut().abandon_rerun();
    // Code in the text of an answer that never came as a whole has done something since.
    if restored.unfinished.is_none() && restored.parts.is_empty() {
        return Ok(());
    }
    memory::restore(ctx, prompt, &restored.after)?;
    if restored.unfinished.is_some() {
        core.prompt.borrow_mut().take_up(&restored.after.due, true);
        services::scope(ctx, &core)?.agent().set_step(Some(restored.next_step()));
    }
    Ok(())
}

/// The same for an agent, whose callback runs once: what it hides stays hidden.
pub(crate) fn end_of_agent<'js>(ctx: &Ctx<'js>, child: &PromptObject<'js>) -> Result<()> {
    end(ctx, child)?;
    let core = child.borrow().core.clone();
    let mut definitions = core.prompt.borrow_mut();
    match restored(child) {
        // It was hidden when the callback ran first, and is known with the rest.
        Some((_, restored)) if restored.next_step() > 0 || restored.unfinished.is_some() => {
            definitions.take_up(&restored.after.due, restored.unfinished.is_some());
        }
        _ => definitions.keep_hidden(),
    }
    Ok(())
}

/// Hands the steps that are over to the record of a run. Returns how many they are, and how often the model was asked for
/// another shape.
pub(crate) fn take_over(
    prompt: &PromptObject<'_>,
    record: &RunRecord,
    settings: &Rc<CallSettings>,
) -> Option<(usize, usize)> {
    let (log, restored) = restored(prompt)?;
    let history = prompt.borrow().core.prompt.borrow().history().clone();
    let is_by_hand = prompt.borrow().core.agent.borrow().as_ref().is_some_and(|agent| !agent.is_root());
    record.take_over(steps_of(&restored, &history, settings, &log), is_by_hand);
    Some((restored.steps.len(), restored.after.asked_again))
}
