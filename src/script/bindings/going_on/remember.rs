//! What a prompt remembers, for its log. Must not know when that is asked for.

use rquickjs::{Ctx, Result};

use super::log::keep;
use crate::{
    checkpoint::{Entry, Memory},
    event::EventKind,
    script::bindings::{
        prompt::{memory, object::PromptObject},
        services,
        values::plain_error,
    },
};

/// What a prompt remembers now. Those it works for may remember something else as well since the entry before: tools of an
/// agent set the states of its parent.
pub(crate) fn remembered<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, asked_again: usize) -> Result<Memory> {
    let mut outer = parent(prompt);
    while let Some(prompt) = outer {
        outer = parent(&prompt);
        let Some(log) = prompt.borrow().core.log.borrow().clone() else { continue };
        let change = log.change(own_memory(ctx, &prompt, log.asked_again())?);
        if !change.is_empty() {
            let kept = keep(ctx, &log, Entry::Remembers { memory: change });
            kept.map_err(|message| plain_error(ctx, message))?;
        }
    }
    own_memory(ctx, prompt, asked_again)
}

fn parent<'js>(prompt: &PromptObject<'js>) -> Option<PromptObject<'js>> {
    PromptObject::from_value(&prompt.borrow().bag.parent()?).ok()
}

fn own_memory<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, asked_again: usize) -> Result<Memory> {
    let memory = memory::memory(ctx, prompt)?;
    let due = prompt.borrow().core.prompt.borrow().due();
    let memory = Memory { due, asked_again, ..memory };
    let core = prompt.borrow().core.clone();
    let Some(log) = core.log.borrow().clone() else { return Ok(memory) };
    let memory = log.without_secrets(memory);
    // Here, where every memory comes by that goes into a log.
    for (name, reason) in log.newly_lost(&memory) {
        let message = format!(
            "the state {name:?} cannot be stored in the journal: {reason}. The run cannot be resumed while it is so"
        );
        services::scope(ctx, &core)?.emit(&EventKind::Warning { message });
    }
    Ok(memory)
}
