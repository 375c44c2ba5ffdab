//! Definitions of a prompt function, recorded for inspections only: names that are defined more than once (in a run
//! the last definition wins), names of tools that providers refuse, and where a name is defined.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, JsLifetime, Result, runtime::UserDataGuard};

use super::object::PromptObject;
use crate::{
    bindings::values::plain_error,
    mcp::is_tool_name,
    prompt::{DefinitionKind, Prompt},
};
use lmthing_base::{
    chat::{Content, ContentPart, Message, Role, ToolSpec},
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
    /// The last `stepModifier` of each aspect.
    modified: RefCell<Vec<(Modified, Option<Location>)>>,
    located: Cell<usize>,
}

/// An aspect of `stepModifier` that can add to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modified {
    Messages,
    Systems,
    Variables,
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

/// Where a name was defined, as one of these kinds, since definitions are located.
pub(crate) fn location_of(ctx: &Ctx<'_>, kinds: &[DefinitionKind], name: &str) -> Option<Location> {
    let recorded = ctx.userdata::<Recorded>()?;
    let definitions = recorded.definitions.borrow();
    definitions.iter().flatten().rfind(|known| kinds.contains(&known.kind) && known.name == name)?.location.clone()
}

/// Where the message of this number was added, counted from 0.
pub(crate) fn location_of_message(ctx: &Ctx<'_>, index: usize) -> Option<Location> {
    ctx.userdata::<Recorded>()?.messages.borrow().get(index)?.2.clone()
}

pub(crate) fn location_of_modified(ctx: &Ctx<'_>, aspect: Modified) -> Option<Location> {
    let recorded = ctx.userdata::<Recorded>()?;
    let modified = recorded.modified.borrow();
    modified.iter().rfind(|(known, _)| *known == aspect)?.1.clone()
}

/// The definitions made since they are located; of several with one name, the last.
pub(crate) fn located_definitions(ctx: &Ctx<'_>) -> Vec<Definition> {
    let recorded = ctx.userdata::<Recorded>();
    recorded.and_then(|recorded| recorded.definitions.borrow().clone()).unwrap_or_default()
}

pub(crate) fn located_messages(ctx: &Ctx<'_>) -> Vec<(&'static str, Message, Option<Location>)> {
    ctx.userdata::<Recorded>().map(|recorded| recorded.messages.borrow().clone()).unwrap_or_default()
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
    let is_located = recorded.locates(kind, name);
    if before.is_none() && !is_refused && !is_located {
        return Ok(());
    }
    let definition = Definition { kind, name: name.to_owned(), location: recorded.here(ctx, kind.method())? };
    if let Some(before) = before {
        add(&mut recorded.redefinitions.borrow_mut(), Redefinition { before, again: definition.clone() });
    }
    if is_refused {
        add(&mut recorded.refused_names.borrow_mut(), definition.clone());
    }
    recorded.definitions.borrow_mut().iter_mut().for_each(|definitions| definitions.push(definition.clone()));
    Ok(())
}

/// Records what `method` of a plugin defines by itself, if definitions are located: a section and tools.
pub(crate) fn record_plugin(ctx: &Ctx<'_>, method: &str, section: &str, tools: &[ToolSpec]) -> Result<()> {
    let Some(recorded) = Recorded::locating(ctx) else { return Ok(()) };
    let location = recorded.here(ctx, method)?;
    let tools = tools.iter().map(|tool| (DefinitionKind::DefTool, tool.name.as_str()));
    let made = [(DefinitionKind::DefSystem, section)].into_iter().chain(tools);
    let made = made.map(|(kind, name)| Definition { kind, name: name.to_owned(), location: location.clone() });
    recorded.definitions.borrow_mut().iter_mut().for_each(|definitions| definitions.extend(made.clone()));
    Ok(())
}

/// Records a message that `method` adds, if definitions are located.
pub(crate) fn record_message(ctx: &Ctx<'_>, method: &'static str, role: Role, content: &[ContentPart]) -> Result<()> {
    let Some(recorded) = Recorded::locating(ctx) else { return Ok(()) };
    let message = Message { role, content: Content::Parts(content.to_vec()), provider_options: None };
    let location = recorded.here(ctx, method)?;
    recorded.messages.borrow_mut().push((method, message, location));
    Ok(())
}

pub(crate) fn record_modified(ctx: &Ctx<'_>, aspect: Modified) -> Result<()> {
    let Some(recorded) = Recorded::locating(ctx) else { return Ok(()) };
    let location = recorded.here(ctx, "stepModifier")?;
    recorded.modified.borrow_mut().push((aspect, location));
    Ok(())
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl Recorded {
    fn locating<'a>(ctx: &'a Ctx<'_>) -> Option<UserDataGuard<'a, Recorded>> {
        let recorded = ctx.userdata::<Recorded>()?;
        let is_locating = recorded.definitions.borrow().is_some() && recorded.located.get() < MAX_LOCATED;
        is_locating.then_some(recorded)
    }

    /// Whether definitions are located, and this one is not yet.
    fn locates(&self, kind: DefinitionKind, name: &str) -> bool {
        let definitions = self.definitions.borrow();
        let is_known = |known: &[Definition]| known.iter().any(|known| known.kind == kind && known.name == name);
        definitions.as_deref().is_some_and(|known| !is_known(known))
    }

    /// The call of the method in the script.
    fn here(&self, ctx: &Ctx<'_>, method: &str) -> Result<Option<Location>> {
        self.located.set(self.located.get() + 1);
        // The message is the method's name, by which the diagnostic locates the call.
        let here = ScriptError::error(format!("{method}:")).into_object(ctx)?;
        Ok(diagnose(ctx, here.into_value()).diagnostic.location)
    }
}
