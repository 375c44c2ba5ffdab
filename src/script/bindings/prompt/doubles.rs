//! Names that a prompt function defines a second time, for whoever asked to be told of them. Must not know what follows from it:
//! in a run the last one wins.

use std::cell::RefCell;

use rquickjs::{Ctx, JsLifetime, Result};

use super::object::PromptObject;
use crate::{
    diagnostic::Location,
    prompt::DefinitionKind,
    script::{ScriptError, bindings::values::plain_error, diagnose},
};

/// A name that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Double {
    /// Its name.
    pub(crate) name: String,
    /// What defined it first.
    pub(crate) before: DefinitionKind,
    /// What defined it again.
    pub(crate) again: DefinitionKind,
    /// Where that was.
    pub(crate) location: Option<Location>,
}

#[derive(Default, JsLifetime)]
struct Noted(RefCell<Vec<Double>>);

/// Has doubles noted from now on; once an engine.
pub(crate) fn watch(ctx: &Ctx<'_>) -> Result<()> {
    ctx.store_userdata(Noted::default()).map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

/// What was noted, in the order it happened.
pub(crate) fn noted(ctx: &Ctx<'_>) -> Vec<Double> {
    ctx.userdata::<Noted>().map(|noted| noted.0.borrow().clone()).unwrap_or_default()
}

/// Looks at a definition that is about to be made.
pub(crate) fn look(ctx: &Ctx<'_>, prompt: &PromptObject<'_>, again: DefinitionKind, name: &str) -> Result<()> {
    if ctx.userdata::<Noted>().is_none() {
        return Ok(());
    }
    let (before, run) = {
        let prompt = prompt.borrow();
        let before = prompt.core.prompt.borrow().defined_as(again, name);
        (before, prompt.bag.run())
    };
    // Effects and tools may well change what the function has said.
    let is_in_function = run.is_some_and(|run| run.borrow().is_in_set_up.get());
    let Some(before) = before.filter(|_| is_in_function) else { return Ok(()) };
    let here = ScriptError::error("").into_object(ctx)?;
    let location = diagnose(ctx, here.into_value()).diagnostic.location;
    let double = Double { name: name.to_owned(), before, again, location };
    if let Some(noted) = ctx.userdata::<Noted>() {
        noted.0.borrow_mut().push(double);
    }
    Ok(())
}
