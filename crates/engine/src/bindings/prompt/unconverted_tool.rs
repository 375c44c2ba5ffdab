//! Tools whose schemas are not converted to JSON Schema yet.

use rquickjs::{JsLifetime, Value, class::Trace};

use super::entry::{Callable, Entry, Item};
use crate::{bindings::values::schema::Schema, prompt::ToolDefinition};
use lmthing_base::chat::ToolSpec;

/// What the model needs to know of a tool. Holds no callbacks, since steps are kept and callbacks may hold any value.
#[derive(Clone, Trace, JsLifetime)]
pub struct UnconvertedTool<'js> {
    pub name: String,
    #[qjs(skip_trace)]
    pub definition: ToolDefinition,
    pub shape: ToolShape<'js>,
}

pub struct ConvertedTool {
    pub spec: ToolSpec,
    pub members: Vec<ToolSpec>,
}

#[derive(Clone, Trace, JsLifetime)]
pub enum ToolShape<'js> {
    RunsCode,
    RunByProvider,
    Single(CallableSchemas<'js>),
    /// An array form: `{calls: [{name, args}]}`.
    Composite(Vec<ToolMember<'js>>),
}

#[derive(Clone, Trace, JsLifetime)]
pub struct ToolMember<'js> {
    pub name: String,
    pub description: String,
    pub schemas: CallableSchemas<'js>,
}

#[derive(Clone, Trace, JsLifetime)]
pub struct CallableSchemas<'js> {
    pub input_schema: Schema<'js>,
    pub response_schema: Option<Schema<'js>>,
    pub provider_options: Option<Value<'js>>,
}

impl<'js> UnconvertedTool<'js> {
    /// Whether both are known to convert to equal tools. May be false for equal ones.
    pub fn converts_as(&self, other: &Self) -> bool {
        let shapes_match = match (&self.shape, &other.shape) {
            (ToolShape::RunsCode, ToolShape::RunsCode) | (ToolShape::RunByProvider, ToolShape::RunByProvider) => true,
            (ToolShape::Single(one), ToolShape::Single(other)) => one.converts_as(other),
            (ToolShape::Composite(these), ToolShape::Composite(those)) => {
                let member = |(one, other): (&ToolMember<'js>, &ToolMember<'js>)| {
                    one.name == other.name
                        && one.description == other.description
                        && one.schemas.converts_as(&other.schemas)
                };
                these.len() == those.len() && these.iter().zip(those).all(member)
            }
            _ => false,
        };
        shapes_match && self.name == other.name && self.definition == other.definition
    }

    /// Number of schemas; a zod schema takes about 20 KB.
    pub fn schema_count(&self) -> usize {
        match &self.shape {
            ToolShape::RunsCode | ToolShape::RunByProvider => 0,
            ToolShape::Single(_) => 1,
            ToolShape::Composite(members) => members.len(),
        }
    }
}

impl<'js> CallableSchemas<'js> {
    fn converts_as(&self, other: &Self) -> bool {
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

impl<'js> From<&Callable<'js>> for CallableSchemas<'js> {
    fn from(callable: &Callable<'js>) -> Self {
        CallableSchemas {
            input_schema: callable.input_schema.clone(),
            response_schema: callable.options.response_schema.clone(),
            provider_options: callable.options.provider_options.clone(),
        }
    }
}

impl<'js> From<&Entry<'js>> for ToolShape<'js> {
    fn from(entry: &Entry<'js>) -> Self {
        match entry {
            Entry::Single(callable) => ToolShape::Single(callable.into()),
            Entry::Composite(items) => {
                let member = |item: &Item<'js>| ToolMember {
                    name: item.name.clone(),
                    description: item.description.clone(),
                    schemas: (&item.callable).into(),
                };
                ToolShape::Composite(items.iter().map(member).collect())
            }
        }
    }
}
