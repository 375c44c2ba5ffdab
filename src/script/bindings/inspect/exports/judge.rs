//! The arguments of a mock's calls against the schemas that `run` checks them with: zod's and those of other libraries accept and
//! refuse what their JSON Schema cannot say. Must not know what is said of calls that do not fit.

use rquickjs::Ctx;

use super::mock::{MockScript, Verdict};
use crate::{
    schema::ValidationProblem,
    script::bindings::{
        prompt::{
            entry::{Entry, Shelf},
            object::PromptObject,
        },
        run::stuck::unless_stuck,
        values::{from_json, message_of, schema::Schema},
    },
};

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
        let check = async { schema.check(ctx, from_json(ctx, arguments)?).await };
        let problems = match unless_stuck(ctx, "the check of a mock's arguments", check).await {
            Ok(Ok(_)) => Vec::new(),
            Ok(Err(problems)) => problems,
            Err(error) => {
                vec![ValidationProblem { path: String::new(), keys: Vec::new(), message: message_of(ctx, error) }]
            }
        };
        call.verdict = Some(Verdict { problems, drops_unknown_keys: schema.is_zod_object() });
    }
}
