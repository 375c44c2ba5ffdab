//! What the model can have called: tools, agents, functions and methods, as JavaScript values.
//!
//! Everything a `def*` call is given is checked when an entry is made, so that whoever runs it need not look again.
//! Plain facts (kind, description, declaration) are not here but in [`crate::prompt::Prompt`].

use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace};

use crate::{
    prompt::DefinitionKind,
    script::bindings::values::{elements, kind_of, property, schema::Schema, type_error},
};

/// Where an entry is kept: names of one shelf are told apart, those of two are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// Tools and agents, which the model calls by itself.
    Tools,
    /// Functions of code mode.
    Functions,
    /// Methods for code in the model's text.
    Methods,
}

impl Shelf {
    /// The shelf of a kind of definition; none for variables and sections, which have nothing to call.
    pub(crate) fn of(kind: DefinitionKind) -> Option<Self> {
        match kind {
            DefinitionKind::DefTool | DefinitionKind::DefAgent => Some(Shelf::Tools),
            DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent => Some(Shelf::Functions),
            DefinitionKind::DefMethod => Some(Shelf::Methods),
            DefinitionKind::Def | DefinitionKind::DefData | DefinitionKind::DefSystem | DefinitionKind::DefMcp => None,
        }
    }
}

/// One definition: a single thing to call, or the array form that holds several.
#[derive(Clone, Trace, JsLifetime)]
#[allow(clippy::large_enum_variant, reason = "nearly all are single, and few are kept")]
pub(crate) enum Entry<'js> {
    /// `defTool(name, description, inputSchema, execute, options?)` and its like.
    Single(Callable<'js>),
    /// `defTool(name, description, [tool(…), …])` and its like; never empty, names are unique.
    Composite(Vec<Item<'js>>),
}

/// One member of an array form.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct Item<'js> {
    /// Unique within its array form.
    pub(crate) name: String,
    /// As the author wrote it; empty when there was none.
    pub(crate) description: String,
    /// What runs when it is called.
    pub(crate) callable: Callable<'js>,
}

/// Something to call, with what surrounds the call.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct Callable<'js> {
    /// The shape of the arguments.
    pub(crate) input_schema: Schema<'js>,
    /// `(args, execution)` of a tool or function, `(args, child)` of an agent.
    pub(crate) execute: Function<'js>,
    /// The last argument of the definition.
    pub(crate) options: CallOptions<'js>,
}

/// The last argument of `defTool` and its like.
#[derive(Clone, Default, Trace, JsLifetime)]
pub(crate) struct CallOptions<'js> {
    /// The object itself, for what only agents read of it: their settings.
    pub(crate) given: Option<Object<'js>>,
    /// The shape of the result, or of an agent's answer.
    pub(crate) response_schema: Option<Schema<'js>>,
    /// What the provider is told beside the tool.
    pub(crate) provider_options: Option<Value<'js>>,
    /// `true`, or `(args)`, whose answer says whether somebody has to approve the call.
    pub(crate) needs_approval: Option<Value<'js>>,
    /// `repeat: false`: a call that was cut off is not made again.
    pub(crate) is_once: bool,
    /// `(args, undefined)`: its answer takes the place of the call.
    pub(crate) before_call: Option<Function<'js>>,
    /// `(args, output)`: its answer takes the place of the output.
    pub(crate) on_success: Option<Function<'js>>,
    /// `(args, {error})`: its answer takes the place of the failure.
    pub(crate) on_error: Option<Function<'js>>,
}

/// The option that says whether a call that was cut off may be made again.
pub(crate) const REPEAT: &str = "repeat";

/// What in the options surrounds the call.
pub(crate) const CALLBACKS: &[&str] = &["beforeCall", "onSuccess", "onError", NEEDS_APPROVAL];

const NEEDS_APPROVAL: &str = "needsApproval";

impl<'js> Entry<'js> {
    /// Everything in it that can be called.
    pub(crate) fn callables_mut(&mut self) -> Vec<&mut Callable<'js>> {
        match self {
            Entry::Single(callable) => vec![callable],
            Entry::Composite(items) => items.iter_mut().map(|item| &mut item.callable).collect(),
        }
    }

    /// The member of an array form with this name.
    pub(crate) fn item(&self, name: &str) -> Option<&Item<'js>> {
        match self {
            Entry::Single(_) => None,
            Entry::Composite(items) => items.iter().find(|item| item.name == name),
        }
    }

    /// An array form. `place` opens error messages; `helper` is the function that makes a member: `tool`, `agent`, ….
    /// Throws a `TypeError` for an empty list, an item of another shape and two of one name.
    pub(crate) fn composite(ctx: &Ctx<'js>, list: &Array<'js>, place: &str, helper: &str) -> Result<Self> {
        let mut items: Vec<Item> = Vec::with_capacity(list.len());
        for (index, value) in elements(list)?.into_iter().enumerate() {
            let Some(object) = value.as_object() else {
                let kind = kind_of(&value);
                return Err(type_error(
                    ctx,
                    format!("{place}: item {index} must be made with {helper}(…), got {kind}"),
                ));
            };
            let item = Item::read(ctx, object, index, place, helper)?;
            if items.iter().any(|known| known.name == item.name) {
                return Err(type_error(ctx, format!("{place}: two items are named '{}'", item.name)));
            }
            items.push(item);
        }
        if items.is_empty() {
            return Err(type_error(ctx, format!("{place}: the list is empty; give it at least one {helper}(…)")));
        }
        Ok(Entry::Composite(items))
    }
}

impl<'js> Item<'js> {
    /// Reads what `tool(…)` and its like made, or an object of the same shape.
    fn read(ctx: &Ctx<'js>, object: &Object<'js>, index: usize, place: &str, helper: &str) -> Result<Self> {
        let text = |key: &str| -> Result<Option<String>> {
            object.get::<_, Value>(key)?.as_string().map(rquickjs::String::to_string).transpose()
        };
        let Some(name) = text("name")? else {
            let message = format!("{place}: item {index} needs a string 'name'; make it with {helper}(…)");
            return Err(type_error(ctx, message));
        };
        let place = format!("{place}: {helper}('{name}')");
        let arguments = ["inputSchema", "execute", "options"].map(|key| object.get::<_, Value>(key));
        let [input_schema, execute, options] = arguments;
        let callable = Callable::read(ctx, &input_schema?, &execute?, &options?, &place)?;
        Ok(Item { name, description: text("description")?.unwrap_or_default(), callable })
    }
}

impl<'js> Callable<'js> {
    /// Checks the three arguments every definition ends with. Throws a `TypeError` that names the wrong one.
    pub(crate) fn read(
        ctx: &Ctx<'js>,
        input_schema: &Value<'js>,
        execute: &Value<'js>,
        options: &Value<'js>,
        place: &str,
    ) -> Result<Self> {
        let input_schema = Schema::from_value(ctx, input_schema, &format!("{place}: inputSchema"))?;
        let Some(execute) = execute.as_function() else {
            let kind = kind_of(execute);
            return Err(type_error(ctx, format!("{place}: execute must be a function, got {kind}")));
        };
        let options = CallOptions::read(ctx, options, place)?;
        Ok(Callable { input_schema, execute: execute.clone(), options })
    }
}

impl<'js> CallOptions<'js> {
    /// The same, with another shape of the result.
    pub(crate) fn with_response(&self, response_schema: Option<Schema<'js>>) -> Self {
        CallOptions { response_schema, ..self.clone() }
    }

    /// Whether a call may be made again when nobody knows whether it was made (`repeat`).
    pub(crate) fn may_repeat(&self) -> bool {
        !self.is_once
    }

    /// Checks the parts of the options that everything callable has in common. Throws a `TypeError` that names the
    /// option.
    pub(crate) fn read(ctx: &Ctx<'js>, options: &Value<'js>, place: &str) -> Result<Self> {
        if options.is_undefined() || options.is_null() {
            return Ok(CallOptions::default());
        }
        let Some(given) = options.as_object().filter(|_| !options.is_array()) else {
            return Err(type_error(ctx, format!("{place}: the options must be an object, got {}", kind_of(options))));
        };
        let response_schema = match property(given, "responseSchema")? {
            Some(schema) => Some(Schema::from_value(ctx, &schema, &format!("{place}: options.responseSchema"))?),
            None => None,
        };
        let is_once = match property(given, REPEAT)? {
            None => false,
            Some(repeat) => !repeat.as_bool().ok_or_else(|| {
                type_error(ctx, format!("{place}: options.{REPEAT} must be true or false, got {}", kind_of(&repeat)))
            })?,
        };
        let callback = |name: &str| match property(given, name)? {
            None => Ok(None),
            Some(callback) => match callback.as_function() {
                Some(function) => Ok(Some(function.clone())),
                None => {
                    let kind = kind_of(&callback);
                    Err(type_error(ctx, format!("{place}: options.{name} must be a function, got {kind}")))
                }
            },
        };
        let [before_call, on_success, on_error] = [CALLBACKS[0], CALLBACKS[1], CALLBACKS[2]].map(callback);
        Ok(CallOptions {
            given: Some(given.clone()),
            is_once,
            response_schema,
            provider_options: property(given, "providerOptions")?,
            needs_approval: needs_approval(ctx, given, place)?,
            before_call: before_call?,
            on_success: on_success?,
            on_error: on_error?,
        })
    }
}

/// `needsApproval`, unless it is left out or `false`. Throws a `TypeError` for anything that cannot say whether.
pub(crate) fn needs_approval<'js>(ctx: &Ctx<'js>, given: &Object<'js>, place: &str) -> Result<Option<Value<'js>>> {
    let Some(value) = property(given, NEEDS_APPROVAL)? else { return Ok(None) };
    match value.as_bool() {
        Some(needs) => Ok(needs.then_some(value)),
        None if value.is_function() => Ok(Some(value)),
        None => {
            let kind = kind_of(&value);
            let message = format!("{place}: options.{NEEDS_APPROVAL} must be true, false or a function, got {kind}");
            Err(type_error(ctx, message))
        }
    }
}
