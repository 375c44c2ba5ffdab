//! The interface that a prompt file offers to callers: description, input and output.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rquickjs::{Ctx, Error, Value};
use serde_json::{Value as Json, json};

use super::{
    fault::Fault,
    thrown_fault::{Phase, fault_of, halt_fault, load_fault},
};
use crate::bindings::{
    run::{answer, deadlock::detect_deadlock, file, file_input, model_choice::ModelChoice},
    values::schema::{Schema, Side},
};
use lmthing_base::input::resource_schema;
use lmthing_node::{Engine, Halt, exit_location, import_file_once, set_deadline, until_halted};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    pub description: Option<String>,
    /// JSON Schema of the export `input`, before defaults and transforms.
    pub input: Option<Json>,
    /// JSON Schema of the export `output`, after transforms.
    pub output: Option<Json>,
}

/// Loads a prompt file in a new engine with installed bindings, and reads its exports. `choice` replaces its model;
/// `limit` is the time limit.
pub async fn offer_of_file(
    engine: &Engine,
    path: &Path,
    choice: Option<&ModelChoice>,
    limit: Duration,
) -> Result<Offer, Fault> {
    let read = async |ctx: Ctx<'_>| {
        // Without a deadline, the caller's time limit ends a script in a loop.
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
            Some(Err(halt)) => halt_fault(&ctx, halt, Phase::Load),
            None => return Err(late(None)),
        };
        Err(if began.elapsed() >= limit { late(Some(fault)) } else { fault })
    };
    engine.context().async_with(read).await
}

async fn offer(ctx: &Ctx<'_>, path: &Path, choice: Option<&ModelChoice>) -> Result<Offer, Fault> {
    let loaded = detect_deadlock(ctx, "loading the file", import_file_once(ctx, path)).await;
    let namespace = loaded.map_err(|error| load_fault(ctx, error))?;
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
    let wrong = |error: Error| fault_of(ctx, error, "export");
    file::default_function(ctx, &namespace, &name).map_err(wrong)?;
    file::config(ctx, &namespace, &name, choice).map_err(wrong)?;
    let description = file_input::description(ctx, &namespace, &name).map_err(wrong)?;
    let declared = file_input::declared_input(ctx, &namespace, &name).map_err(wrong)?;
    let output: Value = namespace.get("output").map_err(wrong)?;
    // The schema must be usable for the model as well.
    let shape = answer::shape(ctx, &output, &format!("the export output of {name}")).map_err(wrong)?;
    let output = shape.map(|(schema, _): (Schema, _)| schema.to_json_schema(ctx, Side::Output)).transpose();
    Ok(Offer {
        description,
        input: declared.map(|declared| to_wire_schema(declared.into_shape())),
        output: output.map_err(wrong)?,
    })
}

/// Replaces dates, big integers and files, which JSON lacks, by what is passed for them.
fn to_wire_schema(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(keywords) if keywords.get("tsType").is_some_and(|kind| kind == "File") => {
            return resource_schema(keywords);
        }
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
            keywords.values_mut().for_each(|inner| *inner = to_wire_schema(inner.take()));
        }
        Json::Array(parts) => parts.iter_mut().for_each(|part| *part = to_wire_schema(part.take())),
        _ => {}
    }
    schema
}
