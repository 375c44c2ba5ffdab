//! Reports that a run to be resumed is already finished.

use serde_json::Value;

use crate::cli::{Printer, resume_args::ResumeArgs, show_args::Format};
use lmthing_store::journal::{Journal, JournalError, RunInfo};

const OF_ALL_LINES: [&str; 5] = ["type", "time", "run", "agent", "agentNumber"];

pub(super) fn report(
    args: &ResumeArgs,
    journal: &Journal,
    run: &RunInfo,
    printer: &Printer,
) -> Result<(), JournalError> {
    if !args.show.quiet {
        printer.stderr(&format!(
            "the run {0} has ended well: nothing is left to do (lmthing resume {0} --from N goes back to a step)\n",
            run.id
        ));
    }
    let mut last = None;
    journal.lines(run, |line| {
        if line.starts_with(r#"{"type":"run-finish""#) {
            last = Some(line.to_owned());
        }
        true
    })?;
    let Some(line) = last else { return Ok(()) };
    match args.show.format {
        Format::Text => {}
        Format::Events => printer.text(&format!("{line}\n")),
        Format::Json => printer.text(&object(&line, printer.stdout_is_terminal())),
    }
    printer.flush();
    Ok(())
}

fn object(line: &str, is_for_people: bool) -> String {
    let mut object: Value = serde_json::from_str(line).unwrap_or_default();
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|name, _| !OF_ALL_LINES.contains(&name.as_str()));
    }
    if is_for_people { format!("{object:#}\n") } else { format!("{object}\n") }
}
