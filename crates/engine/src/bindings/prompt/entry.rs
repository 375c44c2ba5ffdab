//! Tools, agents, functions and methods, as JavaScript values that are checked when an entry is created.

use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value, class::Trace};

use super::known_options;
use crate::{
    bindings::values::{elements, kind_of, property, schema::Schema, type_error},
    prompt::DefinitionKind,
};
use lmthing_node::string_text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    Tools,
    Functions,
    Methods,
}

impl Registry {
    /// `None` for kinds that cannot be called, such as variables.
    pub fn of(kind: DefinitionKind) -> Option<Self> {
        match kind {
            DefinitionKind::DefTool
            | DefinitionKind::DefAgent
            | DefinitionKind::DefWebSearch
            | DefinitionKind::DefProviderTool => Some(Registry::Tools),
            DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent => Some(Registry::Functions),
            DefinitionKind::DefMethod => Some(Registry::Methods),
            DefinitionKind::Def | DefinitionKind::DefData | DefinitionKind::DefSystem | DefinitionKind::DefMcp => None,
        }
    }

    /// What an entry is known by. That of the web search, whose name may change, is no possible name.
    pub fn key(kind: DefinitionKind, name: &str) -> &str {
        if kind == DefinitionKind::DefWebSearch { "<web search>" } else { name }
    }
}

#[derive(Clone, Trace, JsLifetime)]
#[allow(clippy::large_enum_variant, reason = "nearly all are single, and few are kept")]
pub enum Entry<'js> {
    Single(Callable<'js>),
    /// `defTool(name, description, [tool(…), …])` and similar; never empty, with unique names.
    Composite(Vec<Item<'js>>),
}

#[derive(Clone, Trace, JsLifetime)]
pub struct Item<'js> {
    pub name: String,
    pub description: String,
    pub callable: Callable<'js>,
}

#[derive(Clone, Trace, JsLifetime)]
pub struct Callable<'js> {
    pub input_schema: Schema<'js>,
    /// `(args, execution)` of a tool or function, `(args, child)` of an agent.
    pub execute: Function<'js>,
    pub options: CallOptions<'js>,
}

#[derive(Clone, Default, Trace, JsLifetime)]
pub struct CallOptions<'js> {
    /// The object itself, from which agents read their settings.
    pub given: Option<Object<'js>>,
    pub response_schema: Option<Schema<'js>>,
    pub provider_options: Option<Value<'js>>,
    /// `true`, or `(args) => boolean`.
    pub needs_approval: Option<Value<'js>>,
    /// `repeat: false`: a call that was interrupted is not made again.
    pub is_once: bool,
    /// `(args, undefined)`; a result replaces the call.
    pub before_call: Option<Function<'js>>,
    /// `(args, output)`; a result replaces the output.
    pub on_success: Option<Function<'js>>,
    /// `(args, {error})`; a result replaces the failure.
    pub on_error: Option<Function<'js>>,
}

pub(crate) const REPEAT: &str = "repeat";

pub(crate) const CALLBACKS: &[&str] = &["beforeCall", "onSuccess", "onError", NEEDS_APPROVAL];

const NEEDS_APPROVAL: &str = "needsApproval";

impl<'js> Entry<'js> {
    /// Uses the schemas of an earlier definition where they are the same: a schema's first use is slow.
    #[must_use]
    pub fn with_schemas_of(self, ctx: &Ctx<'js>, before: Option<&Self>) -> Self {
        match (self, before) {
            (Entry::Single(now), Some(Entry::Single(before))) => Entry::Single(now.with_schemas_of(ctx, before)),
            (Entry::Composite(items), Some(before)) => {
                let with_schemas = |item: Item<'js>| match before.item(&item.name) {
                    Some(before) => Item { callable: item.callable.with_schemas_of(ctx, &before.callable), ..item },
                    None => item,
                };
                Entry::Composite(items.into_iter().map(with_schemas).collect())
            }
            (entry, _) => entry,
        }
    }

    pub fn callables_mut(&mut self) -> Vec<&mut Callable<'js>> {
        match self {
            Entry::Single(callable) => vec![callable],
            Entry::Composite(items) => items.iter_mut().map(|item| &mut item.callable).collect(),
        }
    }

    pub fn item(&self, name: &str) -> Option<&Item<'js>> {
        match self {
            Entry::Single(_) => None,
            Entry::Composite(items) => items.iter().find(|item| item.name == name),
        }
    }

    /// Reads an array form. `place` is the prefix of error messages; `helper` is the function that makes a member,
    /// such as `tool`.
    pub fn composite(ctx: &Ctx<'js>, list: &Array<'js>, place: &str, helper: &str) -> Result<Self> {
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
    fn read(ctx: &Ctx<'js>, object: &Object<'js>, index: usize, place: &str, helper: &str) -> Result<Self> {
        let text = |key: &str| -> Result<Option<String>> {
            object.get::<_, Value>(key)?.as_string().map(string_text).transpose()
        };
        let Some(name) = text("name")? else {
            let message = format!("{place}: item {index} needs a string 'name'; make it with {helper}(…)");
            return Err(type_error(ctx, message));
        };
        let arguments = ["inputSchema", "execute", "options"].map(|key| object.get::<_, Value>(key));
        let [input_schema, execute, options] = arguments;
        let options = options?;
        // Named as by the helper, which has reported the same.
        known_options::check_member(ctx, object, &format!("{helper}('{name}')"), helper)?;
        let place = format!("{place}: {helper}('{name}')");
        let callable = Callable::read(ctx, &input_schema?, &execute?, &options, &place)?;
        Ok(Item { name, description: text("description")?.unwrap_or_default(), callable })
    }
}

impl<'js> Callable<'js> {
    fn with_schemas_of(mut self, ctx: &Ctx<'js>, before: &Self) -> Self {
        self.input_schema = self.input_schema.or_same(ctx, &before.input_schema);
        if let Some(before) = &before.options.response_schema {
            self.options.response_schema = self.options.response_schema.map(|schema| schema.or_same(ctx, before));
        }
        self
    }

    pub fn read(
        ctx: &Ctx<'js>,
        input_schema: &Value<'js>,
        execute: &Value<'js>,
        options: &Value<'js>,
        place: &str,
    ) -> Result<Self> {
        let schema_place = format!("{place}: inputSchema");
        let input_schema = Schema::from_value(ctx, input_schema, &schema_place)?;
        input_schema.refuse_files(ctx, &schema_place)?;
        let Some(execute) = execute.as_function() else {
            let kind = kind_of(execute);
            return Err(type_error(ctx, format!("{place}: execute must be a function, got {kind}")));
        };
        let options = CallOptions::read(ctx, options, place)?;
        Ok(Callable { input_schema, execute: execute.clone(), options })
    }
}

impl<'js> CallOptions<'js> {
    pub fn with_response(&self, response_schema: Option<Schema<'js>>) -> Self {
        CallOptions { response_schema, ..self.clone() }
    }

    pub fn may_repeat(&self) -> bool {
        !self.is_once
    }

    pub fn read(ctx: &Ctx<'js>, options: &Value<'js>, place: &str) -> Result<Self> {
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

/// `needsApproval`; `None` if unset or `false`.
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
