//! Validation of a mock's arguments with the tools' own schemas, which can express more than their JSON Schema.

use rquickjs::Ctx;

use super::mock::{MockScript, SchemaResult};
use crate::bindings::{
    prompt::{
        entry::{Entry, Registry},
        object::PromptObject,
    },
    run::deadlock::detect_deadlock,
    values::{from_json, message_of, schema::Schema},
};
use lmthing_base::schema::ValidationProblem;

/// Validates the arguments of the mock's calls. Calls of tools with plain JSON Schema are skipped.
pub(in super::super) async fn check_arguments<'js>(
    ctx: &Ctx<'js>,
    prompt: &PromptObject<'js>,
    script: &mut MockScript,
) {
    for call in &mut script.0 {
        let Some(arguments) = call.arguments.as_ref().filter(|arguments| arguments.is_object()) else { continue };
        // The prompt must not be borrowed: validation runs code of the author.
        let entry = prompt.borrow().bag.entry(Registry::Tools, &call.tool);
        let Some(Entry::Single(callable)) = entry else { continue };
        let schema = callable.input_schema;
        if matches!(schema, Schema::Json(_)) {
            continue;
        }
        let check = async { schema.check(ctx, from_json(ctx, arguments)?).await };
        let problems = match detect_deadlock(ctx, "the check of a mock's arguments", check).await {
            Ok(Ok(_)) => Vec::new(),
            Ok(Err(problems)) => problems,
            Err(error) => {
                vec![ValidationProblem { message: message_of(ctx, error), ..ValidationProblem::default() }]
            }
        };
        call.schema_result = Some(SchemaResult { problems, drops_unknown_keys: schema.is_zod_object() });
    }
}
