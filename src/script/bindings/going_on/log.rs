//! The log of a prompt's run: opened where logs are kept, and appended to. Must not know what is in it.

use std::rc::Rc;

use rquickjs::{Ctx, Result};

use crate::{
    checkpoint::{Entry, PromptLog},
    prompt::RunError,
    script::bindings::{prompt::object::PromptObject, services},
};

/// Opens the log of a prompt's run, when logs are kept.
pub(crate) fn open_log<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<()> {
    let checkpoints = services::checkpoints(ctx)?;
    let core = prompt.borrow().core.clone();
    if checkpoints.is_on() && !is_kept(prompt) {
        let scope = services::scope(ctx, &core)?;
        core.log.replace(Some(Rc::new(PromptLog::open(checkpoints, scope.agent().key()))));
    }
    Ok(())
}

/// Whether what is done for a prompt is kept.
pub(crate) fn is_kept(prompt: &PromptObject<'_>) -> bool {
    prompt.borrow().core.log.borrow().is_some()
}

/// Appends an entry; when it cannot be kept, the whole run ends.
pub(super) fn keep(ctx: &Ctx<'_>, log: &PromptLog, entry: Entry) -> std::result::Result<(), String> {
    log.append(entry).map_err(|error| {
        let message = error.to_string();
        if let Ok(limits) = services::limits(ctx) {
            limits.fail(RunError::from(error));
        }
        message
    })
}
