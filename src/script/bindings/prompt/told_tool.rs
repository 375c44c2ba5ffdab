//! What there is to tell of a tool, kept from the moment a step is made until somebody wants to know.

use rquickjs::{JsLifetime, Value, class::Trace};

use super::entry::{Callable, Entry, Item};
use crate::{prompt::ToolDefinition, script::bindings::values::schema::Schema};

/// What the model is told of a tool, before its schemas are converted. It holds no callbacks: those of a step that is
/// over may hold on to anything, and steps are kept.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct ToldTool<'js> {
    /// The name of the tool.
    pub(crate) name: String,
    /// Kind and description.
    #[qjs(skip_trace)]
    pub(crate) definition: ToolDefinition,
    /// Its schemas.
    pub(crate) shape: Shape<'js>,
}

/// What a tool takes.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) enum Shape<'js> {
    /// `runToolCode`, which is the same in every prompt.
    RunsCode,
    /// One thing to call.
    Single(Told<'js>),
    /// An array form: `{calls: [{name, args}]}`.
    Composite(Vec<Member<'js>>),
}

/// One member of an array form.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct Member<'js> {
    /// Its name within the form.
    pub(crate) name: String,
    /// As the author wrote it.
    pub(crate) description: String,
    /// Its schemas.
    pub(crate) told: Told<'js>,
}

/// The schemas and options of one thing to call.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct Told<'js> {
    /// The shape of the arguments.
    pub(crate) input_schema: Schema<'js>,
    /// The shape of the result, if one is promised.
    pub(crate) response_schema: Option<Schema<'js>>,
    /// `providerOptions`, as the script gave them.
    pub(crate) provider_options: Option<Value<'js>>,
}

impl<'js> From<&Callable<'js>> for Told<'js> {
    fn from(callable: &Callable<'js>) -> Self {
        Told {
            input_schema: callable.input_schema.clone(),
            response_schema: callable.options.response_schema.clone(),
            provider_options: callable.options.provider_options.clone(),
        }
    }
}

impl<'js> From<&Entry<'js>> for Shape<'js> {
    fn from(entry: &Entry<'js>) -> Self {
        match entry {
            Entry::Single(callable) => Shape::Single(callable.into()),
            Entry::Composite(items) => {
                let member = |item: &Item<'js>| Member {
                    name: item.name.clone(),
                    description: item.description.clone(),
                    told: (&item.callable).into(),
                };
                Shape::Composite(items.iter().map(member).collect())
            }
        }
    }
}
