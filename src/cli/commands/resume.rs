//! `lmthing resume` (docs/journal.md, "Going on").

use crate::cli::{ExitCode, Printer, resume_args::ResumeArgs};

pub(in crate::cli) fn run(_args: &ResumeArgs, _printer: &Printer) -> ExitCode {
    ExitCode::Done
}
