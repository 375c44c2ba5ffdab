//! The input of the first render: what was given, else the defaults of the schema, else none. Must not know what it is for.

use rquickjs::{Ctx, Object, Value};

use super::{
    fault::{Fault, Key, Weight},
    verdict::thrown,
};
use crate::{
    diagnostic::Diagnostic,
    input::CommandLine,
    script::bindings::run::{
        file_input::{FileInput, file_input},
        stuck::unless_stuck,
    },
};

/// What there is to render with.
pub(super) enum Given<'js> {
    /// The file takes no input.
    Nothing,
    /// The second argument of its function.
    Value(Value<'js>),
    /// There is none, and without one nothing can be rendered. Why was told.
    Missing,
}

/// Reads the input of the file called `name`.
pub(super) async fn input<'js>(
    ctx: &Ctx<'js>,
    namespace: &Object<'js>,
    name: &str,
    line: &CommandLine,
    faults: &mut Vec<Fault>,
) -> Given<'js> {
    let declared: Option<Value> = namespace.get("input").ok();
    let takes_none = declared.is_none_or(|declared| declared.is_undefined() || declared.is_null());
    if takes_none && line.whole.is_some() {
        let fault = Fault::error("input", &[], format!("--input: {name} takes no input")).weighing(Weight::Warning);
        faults.push(fault.with_hint(Some("export const input = z.object({ city: z.string() });".to_owned())));
    }
    let bare = CommandLine { whole: None, ..line.clone() };
    let line = if takes_none { &bare } else { line };
    match unless_stuck(ctx, "the check of the input", file_input(ctx, namespace, name, line)).await {
        Ok(FileInput::Value(value, _)) => return Given::Value(value),
        // Nobody can have asked for help without words.
        Ok(FileInput::Nothing | FileInput::Help(_)) => return Given::Nothing,
        Ok(FileInput::Wrong(problem) | FileInput::Missing(problem, _)) => {
            faults.push(unfit(*problem, line.whole.is_some()))
        }
        Err(error) => {
            let fault = thrown(ctx, error, "input");
            if !is_told(faults, &["input", "description"]) {
                faults.push(fault.or_about(&["input"]));
            }
        }
    }
    Given::Missing
}

/// Whether an error was found already in one of these exports.
pub(super) fn is_told(faults: &[Fault], exports: &[&str]) -> bool {
    let is_of = |fault: &Fault| match fault.place.first() {
        Some(Key::Name(name)) => exports.contains(&name.as_str()),
        _ => false,
    };
    faults.iter().any(|fault| fault.weight == Weight::Error && is_of(fault))
}

/// What was given does not fit; or nothing was given, and the defaults are not enough.
fn unfit(problem: Diagnostic, is_given: bool) -> Fault {
    // Behind it stands how `run` is used.
    let message = problem.message.split("\n\n").next().unwrap_or_default().to_owned();
    if is_given {
        return Fault::error("input", &[], format!("--input: {}", message.trim_start_matches("--input: ")))
            .with_hint(problem.hint);
    }
    let hint = "give an input: lmthing check --input '{…}' FILE, or --input @FILE";
    Fault::error("input", &["input"], format!("the first render was left out: {message}"))
        .weighing(Weight::Note)
        .with_hint(Some(hint.to_owned()))
}
