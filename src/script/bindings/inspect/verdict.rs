//! What a script threw, as a fault: the kind of it, and whether it is one at all. Must not know what was being looked at.

use std::time::Instant;

use rquickjs::{Ctx, Error};

use super::fault::{Fault, Key, Weight};
use crate::{
    prompt::RunError,
    script::{AboutValue, Halt, LoadFailure, Refused, Thrown, diagnose_error, exit_location, refused, set_deadline},
};

/// How long describing an error may take after the time of the script is over: it may have getters.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_secs(1);

/// What was being done when something ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The file and what it imports.
    Load,
    /// The prompt function and its first effects.
    Render,
}

impl Phase {
    /// The code of faults that end it.
    pub(super) fn code(self) -> &'static str {
        match self {
            Phase::Load => "load",
            Phase::Render => "render",
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Phase::Load => "loading the file",
            Phase::Render => "the first render",
        }
    }
}

/// A fault of what was thrown.
pub(super) fn thrown(ctx: &Ctx<'_>, error: Error, code: &'static str) -> Fault {
    // There is a loop, or nothing would have been thrown.
    let _ = set_deadline(ctx, Some(Instant::now() + LAST_WORDS));
    described(diagnose_error(ctx, error), code)
}

/// A fault of what loading a file threw.
pub(super) fn thrown_by_load(ctx: &Ctx<'_>, error: Error) -> Fault {
    // There is a loop, or nothing would have been thrown.
    let _ = set_deadline(ctx, Some(Instant::now() + LAST_WORDS));
    let thrown = diagnose_error(ctx, error);
    let code = match thrown.payload_as::<LoadFailure>().as_deref() {
        Some(LoadFailure::Import) => "import",
        Some(LoadFailure::Syntax) => "syntax",
        None => Phase::Load.code(),
    };
    described(thrown, code)
}

/// The value that an error of ours is about; empty for any other.
pub(super) fn value_of(thrown: &Thrown) -> Vec<Key> {
    thrown.payload_as::<AboutValue>().map_or_else(Vec::new, |about| about.0.clone())
}

/// A fault of a run that broke off.
pub(super) fn broken_off(error: &RunError, code: &'static str) -> Fault {
    match error {
        RunError::Script(failure) => described(failure.diagnostic.clone().into(), code),
        other => Fault::error(code, &[], other.to_string()),
    }
}

/// A fault of what ended the program from within.
pub(super) fn halted(ctx: &Ctx<'_>, halt: Halt, phase: Phase) -> Fault {
    match halt {
        Halt::Exit(exit_code) => {
            let message = format!("could not look further: {} calls process.exit({exit_code})", phase.words());
            // Whoever ends with 0 has done what was to be done.
            let weight = if exit_code == 0 { Weight::Note } else { Weight::Warning };
            Fault { location: exit_location(ctx), ..Fault::error(phase.code(), &[], message) }.weighing(weight)
        }
        Halt::Uncaught(thrown) | Halt::UnhandledRejection(thrown) => described(thrown, phase.code()),
    }
}

fn described(thrown: Thrown, code: &'static str) -> Fault {
    let place = value_of(&thrown);
    let diagnostic = thrown.diagnostic;
    let caused: String = diagnostic.causes.iter().map(|cause| format!(" (caused by: {})", cause.message)).collect();
    let message = match diagnostic.name.as_str() {
        "" | "Error" => diagnostic.message,
        name if diagnostic.message.is_empty() => name.to_owned(),
        name => format!("{name}: {}", diagnostic.message),
    };
    let fault = Fault { place, location: diagnostic.location, ..Fault::error(code, &[], message + &caused) };
    fault.with_hint(diagnostic.hint)
}

/// An error that ended loading or rendering. When something was refused before, or nobody answered, it may well follow from
/// that: the file is not to blame.
pub(super) fn judged(ctx: &Ctx<'_>, fault: Fault, was_asked: bool) -> Vec<Fault> {
    if fault.weight != Weight::Error || !["load", "render"].contains(&fault.code) {
        return notes(ctx, "").into_iter().chain([fault]).collect();
    }
    let refused = notes(ctx, "");
    if refused.iter().any(|refusal| fault.message.contains(&refusal.message)) {
        return notes(ctx, "could not look further: ");
    }
    let why = match refused.is_empty() {
        false => "perhaps because of that",
        true if was_asked => "as no model answers here",
        true => return vec![fault],
    };
    let message = format!("could not look further, {why}: {}", fault.message);
    refused.into_iter().chain([Fault { message, hint: None, ..fault.weighing(Weight::Note) }]).collect()
}

/// What was refused; `opening` says what follows from it.
pub(super) fn notes(ctx: &Ctx<'_>, opening: &str) -> Vec<Fault> {
    let note = |Refused { message, location }: Refused| {
        let message = format!("{opening}{message}");
        Fault { location, ..Fault::error("permission", &[], message) }.weighing(Weight::Note)
    };
    refused(ctx).into_iter().map(note).collect()
}
