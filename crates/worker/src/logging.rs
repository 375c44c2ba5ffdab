//! Records of a run's events in the worker's log.

use std::rc::Rc;

use serde_json::{Value, json};

use super::log::Log;
use lmthing_base::event::{Event, EventKind, EventReader};
use lmthing_providers::Redactor;

pub(super) fn reader(log: Log, redactor: Redactor) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::StepFinish { number, step, model, took } => {
            let mut fields = vec![
                ("step", json!(number)),
                ("model", json!(**model)),
                ("finishReason", json!(step.output.finish_reason)),
                ("inputTokens", json!(step.usage.input_tokens)),
                ("outputTokens", json!(step.usage.output_tokens)),
                ("toolCalls", json!(step.tool_results.len())),
                ("ms", json!(took.as_millis() as u64)),
            ];
            if !event.agent.is_root() {
                fields.push(("agent", json!(event.agent.number())));
            }
            log.info("step ends", &fields);
        }
        EventKind::Warning { message } => log.warn(&redactor.apply(message), &[]),
        EventKind::Retry(retry) => log.warn(&redactor.apply(&retry.message), &[]),
        _ => {}
    })
}

pub(super) fn log_start(log: &Log, resumed: Option<usize>) {
    match resumed {
        None => log.info("run begins", &[]),
        Some(step) => log.info("run goes on", &[("step", json!(step))]),
    }
}

pub(super) fn log_waiting(log: &Log, call: &Value) {
    let id = call["id"].as_str().unwrap_or_default();
    let words = format!("waits for approval: lmthing approve {id} yes|no");
    log.warn(&words, &[("name", call["name"].clone()), ("args", call["args"].clone())]);
}

pub(super) fn log_end(log: &Log, report: &Value) {
    let error = &report["error"];
    if error.is_null() {
        let fields = ["steps", "cost", "durationMs"].map(|name| (name, report[name].clone()));
        return log.info("run ends", &fields);
    }
    log.error("run fails", &[("error", error["message"].clone()), ("kind", error["kind"].clone())]);
}
