//! The arguments of a mock's calls against the schemas that `run` checks them with: zod's and those of other libraries accept and
//! refuse what their JSON Schema cannot say. Must not know what is said of calls that do not fit.

use rquickjs::Ctx;

use super::mock::MockScript;
use crate::script::bindings::{
    prompt::{
        entry::{Entry, Shelf},
        object::PromptObject,
    },
    run::stuck::unless_stuck,
    values::{from_json, message_of, schema::Schema},
};

/// What a schema says of arguments.
#[derive(Debug)]
pub(super) enum Verdict {
    /// They can be used.
    Fits {
        /// Keys that the schema does not name are dropped without a word.
        passes_over_keys: bool,
    },
    /// They cannot: why.
    Wrong(String),
}

/// Has the schemas of the tools that `prompt` has say what they make of the mock's calls. Calls of tools with plain JSON Schema
/// stay as they are.
pub(in super::super) async fn judge<'js>(ctx: &Ctx<'js>, prompt: &PromptObject<'js>, script: &mut MockScript) {
    for call in &mut script.0 {
        let Some(arguments) = call.arguments.as_ref().filter(|arguments| arguments.is_object()) else { continue };
        // The prompt is not kept borrowed: a schema runs code of the author's.
        let entry = prompt.borrow().bag.entry(Shelf::Tools, &call.tool);
        let Some(Entry::Single(callable)) = entry else { continue };
        let schema = callable.input_schema;
        if matches!(schema, Schema::Json(_)) {
            continue;
        }
        let check = async { schema.validate(ctx, from_json(ctx, arguments)?).await };
        call.verdict = Some(match unless_stuck(ctx, "the check of a mock's arguments", check).await {
            Ok(Ok(_)) => Verdict::Fits { passes_over_keys: schema.is_zod_object() },
            Ok(Err(problems)) => Verdict::Wrong(problems),
            Err(error) => Verdict::Wrong(message_of(ctx, error)),
        });
    }
}
