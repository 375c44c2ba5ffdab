//! TypeScript declarations of functions and methods (docs/reference/code-mode.md).

use std::rc::Rc;

use rquickjs::{Ctx, Result, Value};

use crate::{
    bindings::{
        prompt::{
            call::Call,
            core::Core,
            declared::DeclaredFunctions,
            entry::{Callable, Entry, Registry},
            object::PromptObject,
            recorded,
            reference::Reference,
        },
        services,
        tools::define::NamedEntry,
        values::{schema::Side, type_error},
    },
    prompt::{DefinitionKind, FunctionDefinition},
};
use lmthing_node::gate;
use lmthing_typescript::{
    code::{Declaration, Declarations, FunctionSignature, search},
    sandbox::Sandbox,
};

/// Defines a function or method. Throws a `TypeError` if code could not call it by its name.
pub(crate) fn register<'js>(
    call: &Call<'js>,
    kind: DefinitionKind,
    registry: Registry,
    named: NamedEntry<'js>,
) -> Result<Value<'js>> {
    let NamedEntry { name, description, entry, place } = named;
    let before = PreviousDefinition::of(call, kind, registry, &name);
    let entry = entry.with_schemas_of(&call.ctx, before.entry.as_ref());
    let declaration = declaration(&call.ctx, &name, description, &entry, &before)?;
    declaration.validate().map_err(|error| type_error(&call.ctx, format!("{place}: {error}")))?;
    recorded::record(&call.ctx, &call.prompt, kind, &name)?;
    let definition = FunctionDefinition { kind, declaration: Rc::new(declaration) };
    let defined = call.core.prompt.borrow_mut().define_function(&name, definition);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    call.prompt.borrow().bag.set_entry(registry, &name, entry);
    warm(&call.ctx, &call.prompt, kind)?;
    Reference::create(&call.ctx, &call.core, kind, name)
}

struct PreviousDefinition<'js> {
    entry: Option<Entry<'js>>,
    declaration: Option<Rc<Declaration>>,
}

impl<'js> PreviousDefinition<'js> {
    fn of(call: &Call<'js>, kind: DefinitionKind, registry: Registry, name: &str) -> Self {
        let entry = call.prompt.borrow().bag.entry(registry, name);
        let prompt = call.core.prompt.borrow();
        let found = prompt.functions(kind).find(|(known, _)| *known == name);
        PreviousDefinition { entry, declaration: found.map(|(_, function)| function.declaration.clone()) }
    }

    fn signature(&self, name: &str) -> Option<(&Callable<'js>, &FunctionSignature)> {
        match (self.entry.as_ref()?, self.declaration.as_deref()?) {
            (Entry::Single(callable), Declaration::Function(signature)) => Some((callable, signature)),
            (entry @ Entry::Composite(_), Declaration::Namespace { functions, .. }) => {
                let signature = functions.iter().find(|signature| signature.name == name)?;
                Some((&entry.item(name)?.callable, signature))
            }
            _ => None,
        }
    }
}

fn declaration<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    description: String,
    entry: &Entry<'js>,
    before: &PreviousDefinition<'js>,
) -> Result<Declaration> {
    match entry {
        Entry::Single(callable) => Ok(Declaration::Function(signature(ctx, name, description, callable, before)?)),
        Entry::Composite(items) => {
            let functions = items
                .iter()
                .map(|item| signature(ctx, &item.name, item.description.clone(), &item.callable, before))
                .collect::<Result<_>>()?;
            Ok(Declaration::Namespace { name: name.to_owned(), description, functions })
        }
    }
}

/// Converting schemas is slow, so conversions are reused for schemas that are the same objects as on the last run.
fn signature<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    description: String,
    callable: &Callable<'js>,
    before: &PreviousDefinition<'js>,
) -> Result<FunctionSignature> {
    let (now, before) = (callable, before.signature(name));
    let input_schema = match before {
        Some((before, previous)) if before.input_schema.is_same(&now.input_schema) => previous.input_schema.clone(),
        _ => now.input_schema.to_type_schema(ctx, Side::Input)?,
    };
    let output_schema = match (&now.options.response_schema, before) {
        (None, _) => None,
        (Some(schema), Some((before, previous)))
            if before.options.response_schema.as_ref().is_some_and(|before| before.is_same(schema)) =>
        {
            previous.output_schema.clone()
        }
        (Some(schema), _) => Some(schema.to_type_schema(ctx, Side::Output)?),
    };
    Ok(FunctionSignature { name: name.to_owned(), description, input_schema, output_schema })
}

/// The functions (`DefMethod`: methods) for which `wanted` holds. Recent lists are cached, as printing many is slow.
pub(crate) fn declared_functions(
    core: &Core,
    kind: DefinitionKind,
    wanted: impl Fn(&str) -> bool,
) -> Rc<DeclaredFunctions> {
    let list: Vec<Rc<Declaration>> = {
        let prompt = core.prompt.borrow();
        prompt
            .functions(kind)
            .filter(|(name, _)| wanted(name))
            .map(|(_, function)| function.declaration.clone())
            .collect()
    };
    let mut cached = core.declared.borrow_mut();
    if let Some(known) = cached.iter().find(|known| known.matches(&list)) {
        return known.clone();
    }
    let declared = Rc::new(DeclaredFunctions::new(list));
    cached.truncate(MAX_CACHED_LISTS - 1);
    cached.insert(0, declared.clone());
    declared
}

pub(crate) fn sandbox<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Rc<Sandbox>> {
    let config = prompt.borrow().core.sandbox.borrow().clone();
    services::sandbox(ctx, &config)
}

/// How many lists are cached: all functions, the active ones, and those without the search.
const MAX_CACHED_LISTS: usize = 4;

/// Starts a worker in advance, once for each prompt, before the model has written code.
pub(crate) fn warm<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, kind: DefinitionKind) -> Result<()> {
    let core = prompt.borrow().core.clone();
    // Starting a worker takes longer than running a snippet. A script without permission to run code needs no worker.
    if gate::may_change_process(ctx) && !core.sandbox_warm.replace(true) {
        let declared = declared_functions(&core, kind, |_| true);
        // Larger sets are checked with only the functions that the code mentions.
        let is_small = search::mentioned(&declared.list, "").is_none();
        let sandbox = sandbox(ctx, prompt)?;
        if is_small { sandbox.warm(declared.declarations(ctx)?) } else { sandbox.warm(&Declarations::default()) }
    }
    Ok(())
}
