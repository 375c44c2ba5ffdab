//! Conversion of what a script threw into faults.

use std::time::Instant;

use rquickjs::{Ctx, Error};

use super::fault::{Fault, FaultSeverity, PathKey};
use crate::prompt::RunError;
use lmthing_base::diagnostic::{Diagnostic, Location};
use lmthing_node::{
    AboutValue, DeniedAccess, Halt, LoadFailure, Thrown, denied_accesses, diagnose_error, exit_location, set_deadline,
};

/// How long describing an error may take after the time limit, as getters may run.
const DESCRIBE_TIME: std::time::Duration = std::time::Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Load,
    Render,
    SecondStep,
}

impl Phase {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Phase::Load => "load",
            Phase::Render | Phase::SecondStep => "render",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Phase::Load => "loading the file",
            Phase::Render => "the first render",
            Phase::SecondStep => "the second step",
        }
    }
}

pub(crate) fn fault_of(ctx: &Ctx<'_>, error: Error, code: &'static str) -> Fault {
    let _ = set_deadline(ctx, Some(Instant::now() + DESCRIBE_TIME));
    to_fault(diagnose_error(ctx, error), code)
}

pub(crate) fn load_fault(ctx: &Ctx<'_>, error: Error) -> Fault {
    let _ = set_deadline(ctx, Some(Instant::now() + DESCRIBE_TIME));
    let thrown = diagnose_error(ctx, error);
    let code = match thrown.payload_as::<LoadFailure>().as_deref() {
        Some(LoadFailure::Import) => "import",
        Some(LoadFailure::Syntax) => "syntax",
        None => Phase::Load.code(),
    };
    to_fault(thrown, code)
}

/// The path to the value that an error of ours is about; empty for others.
pub(super) fn value_of(thrown: &Thrown) -> Vec<PathKey> {
    thrown.payload_as::<AboutValue>().map_or_else(Vec::new, |about| about.0.clone())
}

pub(super) fn run_fault(error: &RunError, code: &'static str) -> Fault {
    match error {
        RunError::Script(failure) => to_fault(failure.diagnostic.clone().into(), code),
        other => Fault::error(code, &[], other.to_string()),
    }
}

pub(crate) fn halt_fault(ctx: &Ctx<'_>, halt: Halt, phase: Phase) -> Fault {
    match halt {
        Halt::Exit(exit_code) => {
            let message = format!("could not look further: {} calls process.exit({exit_code})", phase.description());
            // Exit code 0 means that the file has done its work.
            let severity = if exit_code == 0 { FaultSeverity::Note } else { FaultSeverity::Warning };
            Fault { location: exit_location(ctx), ..Fault::error(phase.code(), &[], message) }.with_severity(severity)
        }
        Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) => to_fault(thrown, phase.code()),
    }
}

fn to_fault(thrown: Thrown, code: &'static str) -> Fault {
    let place = value_of(&thrown);
    let diagnostic = thrown.diagnostic;
    let mut causes = Vec::new();
    let caused = caused_by(&diagnostic.causes, &mut causes);
    let message = match diagnostic.name.as_str() {
        "" | "Error" => diagnostic.message,
        name if diagnostic.message.is_empty() => name.to_owned(),
        name => format!("{name}: {}", diagnostic.message),
    };
    let location = diagnostic.location;
    causes.retain(|cause| Some(cause) != location.as_ref());
    Fault { place, location, causes, ..Fault::error(code, &[], message + &caused) }.with_hint(diagnostic.hint)
}

/// The messages of causes and of their causes. Their locations are added to `locations`.
fn caused_by(causes: &[Diagnostic], locations: &mut Vec<Location>) -> String {
    let mut text = String::new();
    for cause in causes {
        locations.extend(cause.location.clone());
        text += &format!(" (caused by: {}{})", cause.message, caused_by(&cause.causes, locations));
    }
    text
}

/// Downgrades an error that ended loading or rendering to a note if it may be a consequence of a refused access or of
/// the missing model.
pub(crate) fn qualify(ctx: &Ctx<'_>, fault: Fault, is_model_missing: bool) -> Vec<Fault> {
    if fault.severity != FaultSeverity::Error || !["load", "render"].contains(&fault.code) {
        return refusal_notes(ctx, "").into_iter().chain([fault]).collect();
    }
    let refused = refusal_notes(ctx, "");
    if refused.iter().any(|refusal| fault.message.contains(&refusal.message)) {
        return refusal_notes(ctx, "could not look further: ");
    }
    let why = match refused.is_empty() {
        false => "perhaps because of that",
        true if is_model_missing => "as no model answers here",
        true => return vec![fault],
    };
    let message = format!("could not look further, {why}: {}", fault.message);
    refused.into_iter().chain([Fault { message, hint: None, ..fault.with_severity(FaultSeverity::Note) }]).collect()
}

pub(crate) fn refusal_notes(ctx: &Ctx<'_>, opening: &str) -> Vec<Fault> {
    let note = |DeniedAccess { message, location }: DeniedAccess| {
        let message = format!("{opening}{message}");
        Fault { location, ..Fault::error("permission", &[], message) }.with_severity(FaultSeverity::Note)
    };
    denied_accesses(ctx).into_iter().map(note).collect()
}
