//! The log of a prompt's run, and the memory that goes into it.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use crate::{
    bindings::{
        jobs,
        prompt::{memory, object::PromptObject},
        services,
    },
    prompt::RunError,
};
use lmthing_base::{
    checkpoint::{Entry, Memory, PromptLog, StoreError},
    event::EventKind,
};
use lmthing_providers::LanguageModel;

pub(crate) fn open_log<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let checkpoints = services::checkpoints(ctx)?;
    let core = prompt.borrow().core.clone();
    if checkpoints.is_on() && !has_log(prompt) {
        let scope = services::scope(ctx, &core)?;
        core.log.replace(Some(Rc::new(PromptLog::open(checkpoints, scope.agent().key()))));
    }
    Ok(())
}

pub(crate) fn has_log(prompt: &PromptObject<'_>) -> bool {
    prompt.borrow().core.log.borrow().is_some()
}

/// Leaves out the turns of a mock model that an earlier process has played.
pub(crate) fn skip_played(model: &dyn LanguageModel, log: Option<&PromptLog>) {
    let Some(restored) = log.and_then(PromptLog::restored) else { return };
    let turns: Vec<_> = restored.answers().filter_map(|step| Some(step.answer.played?.turn)).collect();
    model.skip_turns(&turns);
}

/// Returns once the entry outlasts the process. A failure to write ends the whole run.
pub(super) async fn append(ctx: &Ctx<'_>, log: &PromptLog, entry: Entry) -> std::result::Result<(), StoreError> {
    jobs::while_storing(ctx, log.append(entry)).await.inspect_err(|error| {
        if let Ok(limits) = services::limits(ctx) {
            limits.fail(RunError::from(error.clone()));
        }
    })
}

/// The memory of a prompt, for its log. Also logs changed memories of its ancestors: tools of an agent may set states
/// of its parent.
pub(crate) fn current_memory<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, asked_again: usize) -> Result<Memory> {
    let mut outer = parent(prompt);
    while let Some(prompt) = outer {
        outer = parent(&prompt);
        let Some(log) = prompt.borrow().core.log.borrow().clone() else { continue };
        let change = log.change(own_memory(ctx, &prompt, log.asked_again())?);
        if !change.is_empty() {
            // The caller appends an entry next and waits for both; a failure of this one is returned there.
            drop(log.append(Entry::Remembers { memory: change }));
        }
    }
    own_memory(ctx, prompt, asked_again)
}

fn parent<'js>(prompt: &PromptObject<'js>) -> Option<PromptObject<'js>> {
    PromptObject::from_value(&prompt.borrow().bag.parent()?).ok()
}

fn own_memory<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, asked_again: usize) -> Result<Memory> {
    let memory = memory::capture(ctx, prompt)?;
    let due = prompt.borrow().core.prompt.borrow().due();
    let memory = Memory { due, asked_again, ..memory };
    let core = prompt.borrow().core.clone();
    let Some(log) = core.log.borrow().clone() else { return Ok(memory) };
    let memory = log.without_secrets(memory);
    if !services::checkpoints(ctx)?.warns_of_lost_states() {
        return Ok(memory);
    }
    for (name, reason) in log.newly_lost(&memory) {
        let message = format!(
            "the state {name:?} cannot be stored in the journal: {reason}. The run cannot be resumed while it is so"
        );
        services::scope(ctx, &core)?.emit(&EventKind::Warning { message });
    }
    Ok(memory)
}
