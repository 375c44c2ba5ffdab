//! What a person should hear of how a step ended: an answer that is cut off or held back looks like any other, and so does
//! one that was made without a setting that was asked for (docs/reference.md, "Errors and exit codes").
//!
//! Must not know where the lines go.

use std::{cell::RefCell, collections::HashSet};

use crate::chat::{CallWarning, FinishReason, Step};

/// Tells of the endings of all steps: those of agents and of inner runs too.
pub(crate) struct Endings {
    tell: Box<dyn Fn(&str)>,
    /// What was said of requests. Each step makes nearly the same request, and once is enough.
    told: RefCell<HashSet<String>>,
}

impl Endings {
    /// `tell` is called with each sentence, a line without its end.
    pub(crate) fn new(tell: impl Fn(&str) + 'static) -> Self {
        Endings { tell: Box::new(tell), told: RefCell::default() }
    }

    /// Tells what is worth it of a step that is over, and that this model answered.
    pub(super) fn step(&self, model: &str, step: &Step) {
        for warning in &step.warnings {
            let line = format!("{model}: {}", sentence(warning));
            if self.told.borrow_mut().insert(line.clone()) {
                (self.tell)(&line);
            }
        }
        let ending = match step.output.finish_reason {
            FinishReason::Length => "the answer reached the limit on tokens and is cut off (finish reason length)",
            FinishReason::ContentFilter => "the answer was refused or held back (finish reason content-filter)",
            FinishReason::Error => "the answer broke off with an error of the provider (finish reason error)",
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => return,
        };
        (self.tell)(&format!("{model}: {ending}"));
    }
}

fn sentence(warning: &CallWarning) -> String {
    match (&warning.setting, &warning.details) {
        (_, Some(details)) => details.clone(),
        (Some(setting), None) => format!("{setting} is not supported and was left out"),
        (None, None) => format!("the model gave a warning of type {}", warning.kind),
    }
}
