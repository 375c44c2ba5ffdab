//! Names that a prompt function defines more than once, recorded for inspections only. In a run the last definition
//! wins.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, JsLifetime, Result};

use super::object::PromptObject;
use crate::{bindings::values::plain_error, prompt::DefinitionKind};
use lmthing_base::diagnostic::Location;
use lmthing_node::{ScriptError, diagnose};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Redefinition {
    pub name: String,
    pub before: DefinitionKind,
    pub again: DefinitionKind,
    pub location: Option<Location>,
}

/// Locating a definition is slow, and a loop may redefine any number.
const MAX_LOCATED: usize = 200;

#[derive(Default, JsLifetime)]
struct Recorded {
    redefinitions: RefCell<Vec<Redefinition>>,
    located: Cell<usize>,
}

pub(crate) fn start_recording(ctx: &Ctx<'_>) -> Result<()> {
    ctx.store_userdata(Recorded::default()).map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

pub(crate) fn is_recording(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Recorded>().is_some()
}

pub(crate) fn recorded(ctx: &Ctx<'_>) -> Vec<Redefinition> {
    ctx.userdata::<Recorded>().map(|recorded| recorded.redefinitions.borrow().clone()).unwrap_or_default()
}

pub(crate) fn record(ctx: &Ctx<'_>, prompt: &PromptObject<'_>, again: DefinitionKind, name: &str) -> Result<()> {
    if ctx.userdata::<Recorded>().is_none_or(|recorded| recorded.located.get() >= MAX_LOCATED) {
        return Ok(());
    }
    let (before, run) = {
        let prompt = prompt.borrow();
        let before = prompt.core.prompt.borrow().defined_as(again, name);
        (before, prompt.bag.run())
    };
    // Effects and tools may redefine names on purpose.
    let is_in_function = run.is_some_and(|run| run.borrow().is_in_set_up.get());
    let Some(before) = before.filter(|_| is_in_function) else { return Ok(()) };
    // The message is the method's name, by which the diagnostic locates the call.
    let here = ScriptError::error(format!("{}:", again.method())).into_object(ctx)?;
    let location = diagnose(ctx, here.into_value()).diagnostic.location;
    let redefinition = Redefinition { name: name.to_owned(), before, again, location };
    if let Some(recorded) = ctx.userdata::<Recorded>() {
        recorded.located.set(recorded.located.get() + 1);
        let mut redefinitions = recorded.redefinitions.borrow_mut();
        if !redefinitions.contains(&redefinition) {
            redefinitions.push(redefinition);
        }
    }
    Ok(())
}
