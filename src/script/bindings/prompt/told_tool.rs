//! What there is to tell of a tool, kept from the moment a step is made until somebody wants to know.

use rquickjs::{JsLifetime, Value, class::Trace};

use super::entry::{Callable, Entry, Item};
use crate::{chat::ToolSpec, prompt::ToolDefinition, script::bindings::values::schema::Schema};

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

/// A tool in the words of a request.
pub(crate) struct ConvertedTool {
    /// What the model is told.
    pub(crate) spec: ToolSpec,
    /// What it is told of the members of a composite; empty for other tools.
    pub(crate) members: Vec<ToolSpec>,
}

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

impl<'js> ToldTool<'js> {
    /// Whether both come to the same words for sure.
    pub(crate) fn tells_the_same(&self, other: &Self) -> bool {
        let shapes_match = match (&self.shape, &other.shape) {
            (Shape::RunsCode, Shape::RunsCode) => true,
            (Shape::Single(one), Shape::Single(other)) => one.tells_the_same(other),
            (Shape::Composite(these), Shape::Composite(those)) => {
                let member = |(one, other): (&Member<'js>, &Member<'js>)| {
                    one.name == other.name
                        && one.description == other.description
                        && one.told.tells_the_same(&other.told)
                };
                these.len() == those.len() && these.iter().zip(those).all(member)
            }
            _ => false,
        };
        shapes_match && self.name == other.name && self.definition == other.definition
    }

    /// How many schemas it holds: zod schemas take some twenty kilobytes each.
    pub(crate) fn weight(&self) -> usize {
        match &self.shape {
            Shape::RunsCode => 0,
            Shape::Single(_) => 1,
            Shape::Composite(members) => members.len(),
        }
    }
}

impl<'js> Told<'js> {
    fn tells_the_same(&self, other: &Self) -> bool {
        let responses_match = match (&self.response_schema, &other.response_schema) {
            (None, None) => true,
            (Some(one), Some(other)) => one.converts_as(other),
            _ => false,
        };
        // Options are plain objects, which may have changed.
        let have_no_options = self.provider_options.is_none() && other.provider_options.is_none();
        responses_match && have_no_options && self.input_schema.converts_as(&other.input_schema)
    }
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
