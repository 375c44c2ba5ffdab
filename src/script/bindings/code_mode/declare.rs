//! What functions and methods look like in TypeScript, and keeping them with their prompt (docs/reference.md, "Code
//! mode"). Must not know how a declaration is printed, nor how code runs.

use std::rc::Rc;

use rquickjs::{Ctx, Result, Value};

use crate::{
    code::{Declaration, Declarations, FunctionSignature, search},
    prompt::{DefinitionKind, FunctionDefinition},
    sandbox::Sandbox,
    script::{
        bindings::{
            prompt::{
                call::Call,
                core::Core,
                declared::Declared,
                doubles,
                entry::{Callable, Entry, Shelf},
                object::PromptObject,
                reference::Reference,
            },
            services,
            tools::define::NamedEntry,
            values::{schema::Side, type_error},
        },
        gate,
    },
};

/// Puts a function or method into the prompt. Throws a `TypeError` when code could not call it by its name.
pub(crate) fn register<'js>(
    call: &Call<'js>,
    kind: DefinitionKind,
    shelf: Shelf,
    named: NamedEntry<'js>,
) -> Result<Value<'js>> {
    let NamedEntry { name, description, entry, place } = named;
    // Looked up first: defining replaces it.
    let before = Before::of(call, kind, shelf, &name);
    let declaration = declaration(&call.ctx, &name, description, &entry, &before)?;
    declaration.validate().map_err(|error| type_error(&call.ctx, format!("{place}: {error}")))?;
    doubles::look(&call.ctx, &call.prompt, kind, &name)?;
    let definition = FunctionDefinition { kind, declaration: Rc::new(declaration) };
    let defined = call.core.prompt.borrow_mut().define_function(&name, definition);
    defined.map_err(|error| type_error(&call.ctx, error.to_string()))?;
    call.prompt.borrow().bag.set_entry(shelf, &name, entry);
    warm(&call.ctx, &call.prompt, kind)?;
    Reference::create(&call.ctx, &call.core, kind, name)
}

/// The definition that a new one of the same name replaces: on a re-run, most likely the very same.
struct Before<'js> {
    entry: Option<Entry<'js>>,
    declaration: Option<Rc<Declaration>>,
}

impl<'js> Before<'js> {
    fn of(call: &Call<'js>, kind: DefinitionKind, shelf: Shelf, name: &str) -> Self {
        let entry = call.prompt.borrow().bag.entry(shelf, name);
        let prompt = call.core.prompt.borrow();
        let found = prompt.functions(kind).find(|(known, _)| *known == name);
        Before { entry, declaration: found.map(|(_, function)| function.declaration.clone()) }
    }

    /// The signature and the callable of a function or of a member of a namespace.
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
    before: &Before<'js>,
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

/// The signature of one function. Converting schemas is dear, and those that are the same objects as on the last run of
/// the body need not be converted again.
fn signature<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    description: String,
    callable: &Callable<'js>,
    before: &Before<'js>,
) -> Result<FunctionSignature> {
    let (now, before) = (callable, before.signature(name));
    let input_schema = match before {
        Some((before, kept)) if before.input_schema.is_same(&now.input_schema) => kept.input_schema.clone(),
        _ => now.input_schema.to_type_schema(ctx, Side::Input)?,
    };
    let output_schema = match (&now.options.response_schema, before) {
        (None, _) => None,
        (Some(schema), Some((before, kept)))
            if before.options.response_schema.as_ref().is_some_and(|before| before.is_same(schema)) =>
        {
            kept.output_schema.clone()
        }
        (Some(schema), _) => Some(schema.to_type_schema(ctx, Side::Output)?),
    };
    Ok(FunctionSignature { name: name.to_owned(), description, input_schema, output_schema })
}

/// Those functions (`DefMethod`: methods) that `wanted` names. Printing two thousand takes its time, so the latest are kept.
pub(crate) fn declared(core: &Core, kind: DefinitionKind, wanted: impl Fn(&str) -> bool) -> Rc<Declared> {
    let list: Vec<Rc<Declaration>> = {
        let prompt = core.prompt.borrow();
        prompt
            .functions(kind)
            .filter(|(name, _)| wanted(name))
            .map(|(_, function)| function.declaration.clone())
            .collect()
    };
    let mut kept = core.declared.borrow_mut();
    if let Some(known) = kept.iter().find(|known| known.is_of(&list)) {
        return known.clone();
    }
    let declared = Rc::new(Declared::new(list));
    // All of them, those that are active, and these without the search.
    kept.truncate(KEPT - 1);
    kept.insert(0, declared.clone());
    declared
}

/// The sandbox of a prompt.
pub(crate) fn sandbox<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>) -> Result<Rc<Sandbox>> {
    let config = prompt.borrow().core.sandbox.borrow().clone();
    services::sandbox(ctx, &config)
}

/// How many lists of functions are kept.
const KEPT: usize = 4;

/// Starts a worker ahead of need, once a prompt, while the model has yet to think of code.
pub(crate) fn warm<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, kind: DefinitionKind) -> Result<()> {
    let core = prompt.borrow().core.clone();
    // A worker takes longer to start than to run a snippet, and the model takes longer than that to write one.
    // A script that must not run anything is not going to run code either.
    if gate::owns_process(ctx) && !core.sandbox_warm.replace(true) {
        let declared = declared(&core, kind, |_| true);
        // Of many, code is checked with those that it mentions.
        let few = search::mentioned(&declared.list, "").is_none();
        let sandbox = sandbox(ctx, prompt)?;
        if few { sandbox.warm(declared.declarations(ctx)?) } else { sandbox.warm(&Declarations::default()) }
    }
    Ok(())
}
