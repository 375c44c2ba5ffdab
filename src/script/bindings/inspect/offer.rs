//! What a prompt file offers to whoever calls it: its description, its input and its output, as plain data. Must not know who
//! calls, nor how.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Error, Value};
use serde_json::{Value as Json, json};

use super::{
    fault::Fault,
    verdict::{Phase, halted, thrown, thrown_by_load},
};
use crate::script::{
    Engine, Halt,
    bindings::{
        run::{answer, file, file_input, model_choice::ModelChoice, stuck::unless_stuck},
        values::schema::{Schema, Side},
    },
    exit_location, import_file_once, set_deadline, until_halted,
};

/// What a file offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    /// The export `description`.
    pub(crate) description: Option<String>,
    /// JSON Schema of the export `input`: what a caller hands in.
    pub(crate) input: Option<Json>,
    /// JSON Schema of the export `output`: what comes out in the end.
    pub(crate) output: Option<Json>,
}

/// Loads a prompt file, in an engine of its own that has the bindings installed, and looks at what it exports. `choice` takes
/// the place of its model, `limit` is how long all of it may take.
///
/// # Errors
/// Why it could not be called.
pub(crate) async fn offer_of_file(
    engine: &Engine,
    path: &Path,
    choice: Option<&ModelChoice>,
    limit: Duration,
) -> Result<Offer, Fault> {
    let look = async |ctx: Ctx<'_>| {
        // Without it a script in a loop is ended by whoever waits for us.
        let _ = set_deadline(&ctx, Some(Instant::now() + limit));
        let began = Instant::now();
        let ended = tokio::select! {
            biased;
            ended = until_halted(&ctx, offer(&ctx, path, choice)) => Some(ended),
            () = tokio::time::sleep(limit) => None,
        };
        let late = |fault: Option<Fault>| {
            let message = format!("loading the file did not end within {} s", limit.as_secs_f64());
            Fault { location: fault.and_then(|fault| fault.location), ..Fault::error("load", &[], message) }
        };
        let fault = match ended {
            Some(Ok(Ok(offer))) => return Ok(offer),
            Some(Ok(Err(fault))) => fault,
            Some(Err(Halt::Exit(code))) => {
                let message = format!("loading the file ends the process: it calls process.exit({code})");
                Fault { location: exit_location(&ctx), ..Fault::error("load", &[], message) }
            }
            Some(Err(halt)) => halted(&ctx, halt, Phase::Load),
            None => return Err(late(None)),
        };
        Err(if began.elapsed() >= limit { late(Some(fault)) } else { fault })
    };
    engine.context().async_with(look).await
}

async fn offer(ctx: &Ctx<'_>, path: &Path, choice: Option<&ModelChoice>) -> Result<Offer, Fault> {
    let loaded = unless_stuck(ctx, "loading the file", import_file_once(ctx, path)).await;
    let namespace = loaded.map_err(|error| thrown_by_load(ctx, error))?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
    let wrong = |error: Error| thrown(ctx, error, "export");
    file::default_function(ctx, &namespace, &name).map_err(wrong)?;
    file::config(ctx, &namespace, &name, choice).map_err(wrong)?;
    let description = file_input::description(ctx, &namespace, &name).map_err(wrong)?;
    let declared = file_input::declared(ctx, &namespace, &name).map_err(wrong)?;
    let output: Value = namespace.get("output").map_err(wrong)?;
    // It has to be of use to the model as well.
    let shape = answer::shape(ctx, &output, &format!("the export output of {name}")).map_err(wrong)?;
    let output = shape.map(|(schema, _): (Schema, _)| schema.to_json_schema(ctx, Side::Output)).transpose();
    Ok(Offer {
        description,
        input: declared.map(|declared| as_json_has_it(declared.into_shape())),
        output: output.map_err(wrong)?,
    })
}

/// Dates and big integers as what is handed in for them: JSON has neither.
fn as_json_has_it(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(keywords) => {
            let instead = match keywords.get("tsType").and_then(Json::as_str) {
                Some("Date") => json!({ "type": "string", "format": "date-time" }),
                Some("bigint") => json!({ "type": "integer" }),
                _ => json!({}),
            };
            if let Json::Object(instead) = instead
                && !instead.is_empty()
            {
                keywords.shift_remove("tsType");
                keywords.extend(instead);
            }
            keywords.values_mut().for_each(|inner| *inner = as_json_has_it(inner.take()));
        }
        Json::Array(parts) => parts.iter_mut().for_each(|part| *part = as_json_has_it(part.take())),
        _ => {}
    }
    schema
}
