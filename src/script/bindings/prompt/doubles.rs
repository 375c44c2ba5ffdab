//! Names that a prompt function defines a second time, for whoever asked to be told of them. Must not know what follows from it:
//! in a run the last one wins.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, JsLifetime, Result};

use super::object::PromptObject;
use crate::{
    diagnostic::Location,
    prompt::DefinitionKind,
    script::{ScriptError, bindings::values::plain_error, diagnose},
};

/// A name that was taken.
#[derive(Clone, Debug, PartialEq)]
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

/// How many are looked at: looking for a place takes its time, and a loop may make any number.
const MAX_LOOKED_AT: usize = 200;

#[derive(Default, JsLifetime)]
struct Noted {
    doubles: RefCell<Vec<Double>>,
    looked_at: Cell<usize>,
}

/// Has doubles noted from now on; once an engine.
pub(crate) fn watch(ctx: &Ctx<'_>) -> Result<()> {
    ctx.store_userdata(Noted::default()).map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

/// Whether somebody looks at a file without running it.
pub(crate) fn is_watched(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Noted>().is_some()
}

/// What was noted, in the order it happened.
pub(crate) fn noted(ctx: &Ctx<'_>) -> Vec<Double> {
    ctx.userdata::<Noted>().map(|noted| noted.doubles.borrow().clone()).unwrap_or_default()
}

/// Looks at a definition that is about to be made.
pub(crate) fn look(ctx: &Ctx<'_>, prompt: &PromptObject<'_>, again: DefinitionKind, name: &str) -> Result<()> {
    if ctx.userdata::<Noted>().is_none_or(|noted| noted.looked_at.get() >= MAX_LOOKED_AT) {
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
    // By its name the call is found.
    let here = ScriptError::error(format!("{}:", again.method())).into_object(ctx)?;
    let location = diagnose(ctx, here.into_value()).diagnostic.location;
    let double = Double { name: name.to_owned(), before, again, location };
    if let Some(noted) = ctx.userdata::<Noted>() {
        noted.looked_at.set(noted.looked_at.get() + 1);
        let mut doubles = noted.doubles.borrow_mut();
        if !doubles.contains(&double) {
            doubles.push(double);
        }
    }
    Ok(())
}
