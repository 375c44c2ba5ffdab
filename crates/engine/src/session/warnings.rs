//! Warnings of a run: incomplete answers and settings that a model did not support
//! (docs/reference/errors.md).

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use lmthing_base::{
    chat::{CallWarning, FinishReason, Step},
    event::{Event, EventKind, EventReader},
};
use lmthing_node::ScriptHost;

pub fn warnings(host: Rc<dyn ScriptHost>) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::Warning { message } => host.warn(message),
        EventKind::Retry(retry) => host.warn(&retry.message),
        _ => {}
    })
}

/// Covers the steps of agents and inner runs.
pub(crate) struct StepWarnings {
    warn: Box<dyn Fn(&str)>,
    /// Most requests of a run give the same warnings.
    reported: RefCell<HashSet<String>>,
}

impl StepWarnings {
    /// `warn` is called with single lines without line end.
    pub(crate) fn new(warn: impl Fn(&str) + 'static) -> Self {
        StepWarnings { warn: Box::new(warn), reported: RefCell::default() }
    }

    /// `problem` is that of an answer that was refused or broke off.
    pub(super) fn step(&self, model: &str, step: &Step, problem: Option<String>) {
        for warning in &step.warnings {
            let line = format!("{model}: {}", sentence(warning));
            if self.reported.borrow_mut().insert(line.clone()) {
                (self.warn)(&line);
            }
        }
        let cut = "the answer reached the limit on tokens and is cut off (finish reason length)";
        let is_cut = step.output.finish_reason == FinishReason::Length;
        if let Some(problem) = problem.or_else(|| is_cut.then(|| cut.to_owned())) {
            (self.warn)(&format!("{model}: {problem}"));
        }
    }
}

fn sentence(warning: &CallWarning) -> String {
    match (&warning.setting, &warning.details) {
        (_, Some(details)) => details.clone(),
        (Some(setting), None) => format!("{setting} is not supported and was left out"),
        (None, None) => format!("the model gave a warning of type {}", warning.kind),
    }
}
