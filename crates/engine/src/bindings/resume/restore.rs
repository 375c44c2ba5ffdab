//! Setting up a prompt whose run began in another process: its memory is restored, its set-up runs again.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use super::log::open_log;
use crate::{
    bindings::{
        prompt::{memory, object::PromptObject},
        services,
    },
    prompt::RunRecord,
};
use lmthing_base::{
    chat::CallSettings,
    checkpoint::{PromptLog, Restored, history_of, steps_of},
};

fn restored(prompt: &PromptObject<'_>) -> Option<(Rc<PromptLog>, Rc<Restored>)> {
    let log = prompt.borrow().core.log.borrow().clone()?;
    let restored = log.restored()?.clone();
    Some((log, restored))
}

/// Must be called before the set-up code runs, so that it sees earlier states and messages.
pub(crate) fn begin_set_up<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
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
    // A run that ended before its first answer has no conversation yet.
    if next > 0 || restored.unfinished.is_some() || !restored.history.is_empty() {
        definitions.begin_set_up_again();
    }
    Ok(())
}

/// Must be called after the set-up code has run, even if it failed.
pub(crate) fn end_set_up<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let Some((_, restored)) = restored(prompt) else { return Ok(()) };
    let core = prompt.borrow().core.clone();
    core.prompt.borrow_mut().abandon_rerun();
    // Code in the text of an incomplete answer may have changed states.
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

/// As [`end_set_up`], for an agent. Its callback runs once, so what it hides stays hidden.
pub(crate) fn end_agent_set_up<'js>(ctx: &Ctx<'js>, child: &PromptObject<'js>) -> Result<()> {
    end_set_up(ctx, child)?;
    let core = child.borrow().core.clone();
    let mut definitions = core.prompt.borrow_mut();
    match restored(child) {
        // Hidden when the callback ran first, and restored with the rest.
        Some((_, restored)) if restored.next_step() > 0 || restored.unfinished.is_some() => {
            definitions.take_up(&restored.after.due, restored.unfinished.is_some());
        }
        _ => definitions.keep_hidden(),
    }
    Ok(())
}

/// Adds the finished steps to the record of a run. Returns what was restored.
pub(crate) fn take_over_steps(
    prompt: &PromptObject<'_>,
    record: &RunRecord,
    settings: &Rc<CallSettings>,
) -> Option<Rc<Restored>> {
    let (log, restored) = restored(prompt)?;
    let history = prompt.borrow().core.prompt.borrow().history().clone();
    let is_by_hand = prompt.borrow().core.agent.borrow().as_ref().is_some_and(|agent| !agent.is_root());
    record.take_over(steps_of(&restored, &history, settings, &log), is_by_hand);
    Some(restored)
}
