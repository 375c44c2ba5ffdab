//! Definitions of a prompt function, recorded for inspections only: names that are defined more than once (in a run
//! the last definition wins), names of tools that providers refuse, and where a name is defined.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, JsLifetime, Result};

use super::object::PromptObject;
use crate::{
    bindings::values::plain_error,
    mcp::is_tool_name,
    prompt::{DefinitionKind, Prompt},
};
use lmthing_base::{
    chat::{Content, ContentPart, Message, Role},
    diagnostic::Location,
};
use lmthing_node::{ScriptError, diagnose};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub kind: DefinitionKind,
    pub name: String,
    pub location: Option<Location>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Redefinition {
    pub before: DefinitionKind,
    pub again: Definition,
}

/// Locating a definition is slow, and a loop may define any number.
const MAX_LOCATED: usize = 200;

#[derive(Default, JsLifetime)]
struct Recorded {
    redefinitions: RefCell<Vec<Redefinition>>,
    refused_names: RefCell<Vec<Definition>>,
    /// All definitions, while they are located.
    definitions: RefCell<Option<Vec<Definition>>>,
    /// All messages, while definitions are located, with the methods that added them.
    messages: RefCell<Vec<(&'static str, Message, Option<Location>)>>,
    located: Cell<usize>,
}

pub(crate) fn start_recording(ctx: &Ctx<'_>) -> Result<()> {
    ctx.store_userdata(Recorded::default()).map(drop).map_err(|_| plain_error(ctx, "user data is in use"))
}

pub(crate) fn is_recording(ctx: &Ctx<'_>) -> bool {
    ctx.userdata::<Recorded>().is_some()
}

/// From now on every definition is located.
pub(crate) fn start_locating(ctx: &Ctx<'_>) {
    if let Some(recorded) = ctx.userdata::<Recorded>() {
        recorded.definitions.replace(Some(Vec::new()));
    }
}

/// Where a name was defined since definitions are located.
pub(crate) fn location_of(ctx: &Ctx<'_>, kind: DefinitionKind, name: &str) -> Option<Location> {
    let recorded = ctx.userdata::<Recorded>()?;
    let definitions = recorded.definitions.borrow();
    definitions.iter().flatten().rfind(|known| known.kind == kind && known.name == name)?.location.clone()
}

/// The definitions made since they are located; of several with one name, the last.
pub(crate) fn located_definitions(ctx: &Ctx<'_>) -> Vec<Definition> {
    let recorded = ctx.userdata::<Recorded>();
    recorded.and_then(|recorded| recorded.definitions.borrow().clone()).unwrap_or_default()
}

pub(crate) fn located_messages(ctx: &Ctx<'_>) -> Vec<(&'static str, Message, Option<Location>)> {
    ctx.userdata::<Recorded>().map(|recorded| recorded.messages.borrow().clone()).unwrap_or_default()
}

/// Records a message that `method` adds, if definitions are located.
pub(crate) fn record_message(ctx: &Ctx<'_>, method: &'static str, role: Role, content: &[ContentPart]) -> Result<()> {
    let Some(recorded) = ctx.userdata::<Recorded>().filter(|recorded| recorded.definitions.borrow().is_some()) else {
        return Ok(());
    };
    if recorded.located.get() < MAX_LOCATED {
        recorded.located.set(recorded.located.get() + 1);
        let message = Message { role, content: Content::Parts(content.to_vec()), provider_options: None };
        recorded.messages.borrow_mut().push((method, message, here(ctx, method)?));
    }
    Ok(())
}

pub(crate) fn redefinitions(ctx: &Ctx<'_>) -> Vec<Redefinition> {
    ctx.userdata::<Recorded>().map(|recorded| recorded.redefinitions.borrow().clone()).unwrap_or_default()
}

pub(crate) fn refused_names(ctx: &Ctx<'_>) -> Vec<Definition> {
    ctx.userdata::<Recorded>().map(|recorded| recorded.refused_names.borrow().clone()).unwrap_or_default()
}

pub(crate) fn record(ctx: &Ctx<'_>, prompt: &PromptObject<'_>, kind: DefinitionKind, name: &str) -> Result<()> {
    let Some(recorded) = ctx.userdata::<Recorded>().filter(|recorded| recorded.located.get() < MAX_LOCATED) else {
        return Ok(());
    };
    let (before, run) = {
        let prompt = prompt.borrow();
        let before = prompt.core.prompt.borrow().defined_as(kind, name);
        (before, prompt.bag.run())
    };
    // Effects and tools may redefine names on purpose.
    let before = before.filter(|_| run.is_some_and(|run| run.borrow().is_in_set_up.get()));
    let is_tool = matches!(kind, DefinitionKind::DefTool | DefinitionKind::DefAgent);
    // Names that lmthing itself refuses are errors.
    let is_refused = is_tool && !is_tool_name(name) && Prompt::check_name(kind, name).is_ok();
    if before.is_none() && !is_refused && recorded.definitions.borrow().is_none() {
        return Ok(());
    }
    recorded.located.set(recorded.located.get() + 1);
    let definition = Definition { kind, name: name.to_owned(), location: here(ctx, kind.method())? };
    if let Some(before) = before {
        add(&mut recorded.redefinitions.borrow_mut(), Redefinition { before, again: definition.clone() });
    }
    if is_refused {
        add(&mut recorded.refused_names.borrow_mut(), definition.clone());
    }
    recorded.definitions.borrow_mut().iter_mut().for_each(|definitions| definitions.push(definition.clone()));
    Ok(())
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The call of the method in the script.
fn here(ctx: &Ctx<'_>, method: &str) -> Result<Option<Location>> {
    // The message is the method's name, by which the diagnostic locates the call.
    let here = ScriptError::error(format!("{method}:")).into_object(ctx)?;
    Ok(diagnose(ctx, here.into_value()).diagnostic.location)
}
