//! The input of the first render: the given one, or the schema's defaults.

use rquickjs::{Ctx, Object, Value};

use super::{
    fault::{Fault, FaultSeverity, PathKey},
    thrown_fault::fault_of,
};
use crate::bindings::run::{
    deadlock::detect_deadlock,
    file_input::{FileInput, file_input},
};
use lmthing_base::{diagnostic::Diagnostic, input::CommandLine};

pub(super) enum RenderInput<'js> {
    Nothing,
    Value(Value<'js>),
    /// Nothing can be rendered; the reason was reported.
    Missing,
}

pub(super) async fn render_input<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    name: &str,
    line: &CommandLine,
    faults: &mut Vec<Fault>,
) -> RenderInput<'js> {
    let declared: Option<Value> = namespace.get("input").ok();
    let takes_none = declared.is_none_or(|declared| declared.is_undefined() || declared.is_null());
    if takes_none && line.whole.is_some() {
        let fault =
            Fault::error("input", &[], format!("--input: {name} takes no input")).with_severity(FaultSeverity::Warning);
        faults.push(fault.with_hint(Some("export const input = z.object({ city: z.string() });".to_owned())));
    }
    let bare = CommandLine { whole: None, ..line.clone() };
    let line = if takes_none { &bare } else { line };
    match detect_deadlock(ctx, "the check of the input", file_input(ctx, namespace, name, line)).await {
        Ok(FileInput::Value(value, _)) => return RenderInput::Value(value),
        // Help is only shown for command-line words, of which there are none.
        Ok(FileInput::Nothing | FileInput::Help(_)) => return RenderInput::Nothing,
        Ok(FileInput::Wrong(problem) | FileInput::Missing(problem, _)) => {
            faults.push(unfit(*problem, line.whole.is_some()))
        }
        Err(error) => {
            let fault = fault_of(ctx, error, "input");
            if !has_error_in(faults, &["input", "description"]) {
                faults.push(fault.with_default_place(&["input"]));
            }
        }
    }
    RenderInput::Missing
}

pub(super) fn has_error_in(faults: &[Fault], exports: &[&str]) -> bool {
    let is_of = |fault: &Fault| match fault.place.first() {
        Some(PathKey::Name(name)) => exports.contains(&name.as_str()),
        _ => false,
    };
    faults.iter().any(|fault| fault.severity == FaultSeverity::Error && is_of(fault))
}

/// The fault of an invalid input, or of missing input if the defaults are not enough.
fn unfit(problem: Diagnostic, is_given: bool) -> Fault {
    // Without the usage text that follows.
    let message = problem.message.split("\n\n").next().unwrap_or_default().to_owned();
    if is_given {
        return Fault::error("input", &[], format!("--input: {}", message.trim_start_matches("--input: ")))
            .with_hint(problem.hint);
    }
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    let hint = "give an input: lmthing check --input '{…}' FILE, or --input @FILE";
    Fault::error("input", &["input"], format!("the first render was left out: {}", message.join(" ")))
        .with_severity(FaultSeverity::Note)
        .with_hint(Some(hint.to_owned()))
}
