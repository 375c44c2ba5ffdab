//! The description of a service for Restate's discovery: handlers, schemas, timeouts.

use std::{collections::HashMap, time::Duration};

use restate_sdk::discovery::{
    Handler as HandlerManifest, HandlerName, InputPayload, OutputPayload, RetryPolicyOnMaxAttempts,
    Service as Manifest, ServiceName, ServiceType,
};
use serde_json::{Map, Value, json};

use super::service::{Handler, Service};
use lmthing_base::{diagnostic::Diagnostic, schema::Validator};

/// How long a step may send nothing, as models think and tools work. Lost connections are detected by pings.
const STEP_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// How long results and journals are kept, so that a repeated idempotency key gets the same result.
const RETENTION: Duration = Duration::from_secs(24 * 3600);

/// Delays between the attempts of an invocation that was released or lost.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// About a day of attempts without a worker, after which the invocation pauses.
const MAX_ATTEMPTS: u64 = 3000;

/// Name of the schema of a run's result in `$defs`.
const RESULT: &str = "result";

/// Invalid schemas are left out, with a message in `problems`. `events` is the schema of events and results.
pub(super) fn manifest(
    service: &Service,
    events: &str,
    problems: &mut Vec<String>,
) -> Result<Manifest, Box<Diagnostic>> {
    let name = ServiceName::try_from(service.name.as_str())
        .map_err(|_| Diagnostic::new(format!("{} is no name of a service: it begins with a letter", service.name)))?;
    let handlers = Handler::ALL.into_iter().filter_map(|handler| handler_manifest(service, handler, events, problems));
    Ok(Manifest {
        name,
        ty: ServiceType::Service,
        handlers: handlers.collect(),
        documentation: service.description.clone(),
        metadata: HashMap::from([("lmthing".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]),
        abort_timeout: Some(milliseconds(STEP_TIMEOUT)),
        inactivity_timeout: Some(milliseconds(STEP_TIMEOUT)),
        idempotency_retention: Some(milliseconds(RETENTION)),
        journal_retention: Some(milliseconds(RETENTION)),
        enable_lazy_state: None,
        ingress_private: None,
        retry_policy_initial_interval: Some(milliseconds(FIRST_WAIT)),
        retry_policy_exponentiation_factor: Some(2.0),
        retry_policy_max_interval: Some(milliseconds(LONGEST_WAIT)),
        retry_policy_max_attempts: Some(MAX_ATTEMPTS),
        retry_policy_on_max_attempts: Some(RetryPolicyOnMaxAttempts::Pause),
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn handler_manifest(
    service: &Service,
    handler: Handler,
    events: &str,
    problems: &mut Vec<String>,
) -> Option<HandlerManifest> {
    let (documentation, output) = match handler {
        Handler::Run => {
            let gives = if service.output.is_some() { "what its output describes" } else { "what the model said last" };
            (format!("Runs the prompt file and gives {gives}; fails when the run fails."), output_of(service, problems))
        }
        Handler::Report => {
            let text =
                "Runs the prompt file and gives all of what the run came to: text, output, usage, cost, or its error.";
            (text.to_owned(), Some(report_schema(events)))
        }
    };
    Some(HandlerManifest {
        // Both names are valid.
        name: HandlerName::try_from(handler.name()).ok()?,
        ty: None,
        input: Some(input_of(service, handler, problems)),
        output: Some(OutputPayload {
            content_type: Some("application/json".to_owned()),
            json_schema: output,
            set_content_type_if_empty: Some(true),
        }),
        documentation: Some(documentation),
        metadata: HashMap::new(),
        abort_timeout: None,
        inactivity_timeout: None,
        idempotency_retention: None,
        journal_retention: None,
        workflow_completion_retention: None,
        enable_lazy_state: None,
        ingress_private: None,
        retry_policy_initial_interval: None,
        retry_policy_exponentiation_factor: None,
        retry_policy_max_interval: None,
        retry_policy_max_attempts: None,
        retry_policy_on_max_attempts: None,
    })
}

fn nothing() -> Value {
    json!({ "type": ["object", "null"], "properties": {}, "additionalProperties": false })
}

fn input_of(service: &Service, handler: Handler, problems: &mut Vec<String>) -> InputPayload {
    let needs = |schema: &Map<String, Value>| {
        schema.get("required").and_then(Value::as_array).is_some_and(|required| !required.is_empty())
    };
    let is_needed = service.input.as_ref().is_some_and(needs);
    let schema = match &service.input {
        // Reported only once.
        Some(schema) => usable(
            Value::Object(schema.clone()),
            "input",
            &mut match handler {
                Handler::Run => Some(problems),
                Handler::Report => None,
            },
        ),
        None => Some(nothing()),
    };
    InputPayload { content_type: Some("application/json".to_owned()), json_schema: schema, required: Some(is_needed) }
}

fn output_of(service: &Service, problems: &mut Vec<String>) -> Option<Value> {
    match &service.output {
        Some(schema) => usable(schema.clone(), "output", &mut Some(problems)),
        None => Some(json!({ "type": "string" })),
    }
}

/// Returns the schema if it is valid. Restate would refuse all services of the worker otherwise.
fn usable(schema: Value, which: &str, problems: &mut Option<&mut Vec<String>>) -> Option<Value> {
    match Validator::new(&schema) {
        Ok(_) => Some(schema),
        Err(problem) => {
            problems
                .iter_mut()
                .for_each(|problems| problems.push(format!("the schema of its {which} is left out: {problem}")));
            None
        }
    }
}

fn report_schema(events: &str) -> Value {
    // Valid JSON: it is part of the program.
    let events: Value = serde_json::from_str(events).unwrap_or_default();
    let (mut parts, mut wanted) = (Map::new(), vec![RESULT.to_owned()]);
    while let Some(name) = wanted.pop() {
        let part = events["$defs"][&name].clone();
        references(&part, &mut wanted);
        wanted.retain(|name| !parts.contains_key(name));
        parts.insert(name, part);
    }
    json!({ "$ref": format!("{DEFS_PREFIX}{RESULT}"), "$defs": parts })
}

const DEFS_PREFIX: &str = "#/$defs/";

fn references(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(schema) => {
            let name = schema.get("$ref").and_then(|name| name.as_str()?.strip_prefix(DEFS_PREFIX));
            names.extend(name.map(str::to_owned));
            schema.values().for_each(|value| references(value, names));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &str = include_str!("../../../docs/events.schema.json");

    fn service(name: &str, input: Value, output: Option<Value>) -> Service {
        let input = input.as_object().cloned();
        Service { name: name.to_owned(), path: "/p/a.lmt.mjs".into(), description: None, input, output }
    }

    fn of(service: &Service) -> (Value, Vec<String>) {
        let mut problems = Vec::new();
        (serde_json::to_value(manifest(service, EVENTS, &mut problems).unwrap()).unwrap(), problems)
    }

    #[test]
    fn schemas_are_taken_from_the_file() {
        let input = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
        let (manifest_json, problems) = of(&service("a", input.clone(), Some(json!({ "type": "number" }))));
        assert_eq!(problems, [""; 0]);
        for handler in [0, 1] {
            assert_eq!((&manifest_json["handlers"][handler]["input"]["jsonSchema"], handler), (&input, handler));
            assert_eq!(manifest_json["handlers"][handler]["input"]["required"], true);
        }
        assert_eq!(manifest_json["handlers"][0]["output"]["jsonSchema"], json!({ "type": "number" }));
        let (manifest_json, _) = of(&service("a", Value::Null, None));
        assert_eq!(manifest_json["handlers"][0]["input"]["required"], false);
        assert_eq!(manifest_json["handlers"][0]["output"]["jsonSchema"], json!({ "type": "string" }));
    }

    #[test]
    fn the_report_schema_accepts_printed_reports() {
        let (manifest_json, _) = of(&service("a", Value::Null, None));
        let report = Validator::new(&manifest_json["handlers"][1]["output"]["jsonSchema"]).unwrap();
        let usage = json!({ "inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "reasoningTokens": null, "cachedInputTokens": null });
        let mut object = json!({
            "ok": true, "text": "x", "finishReason": "stop", "steps": 1, "usage": usage, "cost": null, "model": "a:b",
            "durationMs": 5
        });
        assert!(report.validate(&object).is_ok(), "{:?}", report.validate(&object));
        object["ok"] = false.into();
        assert!(report.validate(&object).is_err());
    }

    #[test]
    fn invalid_schemas_are_left_out() {
        let wrong = json!({ "type": "object", "properties": { "a": { "type": "nothing" } } });
        let (manifest_json, problems) = of(&service("a", wrong, None));
        assert_eq!(manifest_json["handlers"][0]["input"].get("jsonSchema"), None);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(manifest(&service("1a", Value::Null, None), EVENTS, &mut Vec::new()).is_err());
    }
}
