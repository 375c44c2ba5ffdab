//! Prints the report of a remote run like that of a local run (docs/reference/events.md).

use std::time::Duration;

use serde_json::Value;

use crate::cli::{
    ExitCode, Printer,
    failure::Ending,
    readers::numbers::{cost, seconds, tokens},
    show_args::{Format, ShowArgs},
};
use lmthing_base::{
    chat::Usage,
    diagnostic::{Diagnostic, Location},
};

/// Returns the exit code. Fails if the value is no report.
pub(super) fn show(report: Value, args: ShowArgs, printer: &Printer, service: &str) -> Result<ExitCode, Box<Ending>> {
    if !report["ok"].is_boolean() {
        let message = format!("the service {service} answered with something that is no report of a run");
        let hint = "is it a service of lmthing worker? --service names another one";
        return Err(Box::new(Ending::of_remote_run(ExitCode::File, Diagnostic::new(message).with_hint(hint))));
    }
    match (args.format, report.get("output")) {
        (Format::Json | Format::Events, _) => {}
        (Format::Text, Some(output)) => print(output, printer),
        (Format::Text, None) => {
            printer.model_text(report["text"].as_str().unwrap_or_default());
            printer.finish_line();
        }
    }
    printer.flush();
    if let Some(error) = report.get("error").filter(|error| error.is_object()) {
        printer.diagnostic(&diagnostic(error));
    }
    // A run with mocks only has no cost.
    let is_real = report["model"].as_str().is_some_and(|model| !model.starts_with("mock:"));
    if is_real && printer.stderr_is_terminal() && !args.quiet {
        printer.stderr_dim(&closing(&report));
    }
    if args.format == Format::Json {
        print(&report, printer);
    }
    Ok(code(&report))
}

pub(super) fn print(value: &Value, printer: &Printer) {
    printer.text(&if printer.stdout_is_terminal() { format!("{value:#}\n") } else { format!("{value}\n") });
    printer.flush();
}

/// The exit code that a local run would have.
fn code(report: &Value) -> ExitCode {
    let said = report["exitCode"].as_i64().or_else(|| report["error"]["code"].as_i64());
    let is_ok = report["ok"] == Value::Bool(true);
    match said.and_then(|code| i32::try_from(code).ok()) {
        Some(0) | None if is_ok => ExitCode::Done,
        // A failure without a code.
        Some(0) | None => ExitCode::File,
        Some(code) => ExitCode::Script(code),
    }
}

fn diagnostic(error: &Value) -> Diagnostic {
    let number = |name: &str| error[name].as_u64().and_then(|number| u32::try_from(number).ok());
    let location = error["file"].as_str().zip(number("line")).map(|(path, line)| Location {
        path: path.to_owned(),
        line,
        column: number("column").unwrap_or(1),
    });
    let message = error["message"].as_str().unwrap_or("the run failed and does not say why");
    Diagnostic { location, hint: error["hint"].as_str().map(str::to_owned), ..Diagnostic::new(message) }
}

/// Example: `2 steps · 3.4 s · 1,100 tokens in, 150 out · $0.0104`.
fn closing(report: &Value) -> String {
    let steps = report["steps"].as_u64().unwrap_or_default();
    let s = if steps == 1 { "" } else { "s" };
    let took = Duration::from_millis(report["durationMs"].as_u64().unwrap_or_default());
    let usage: Usage = serde_json::from_value(report["usage"].clone()).unwrap_or_default();
    [format!("{steps} step{s}"), seconds(took), tokens(&usage), cost(report["cost"].as_f64())].join(" · ")
}
