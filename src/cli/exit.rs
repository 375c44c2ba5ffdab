//! Exit codes.

use std::process::ExitCode as ProcessExitCode;

/// The exit code of a command (docs/reference/errors.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Done,
    /// The file is missing or invalid, or its code threw.
    File,
    Usage,
    Model,
    Limit,
    Waiting,
    /// Ended by a signal: 130 for Ctrl-C, 143 for SIGTERM.
    Interrupted(i32),
    /// The code of `process.exit(code)` or `process.exitCode`.
    Script(i32),
}

impl ExitCode {
    pub(super) fn of_failure(code: i32) -> Self {
        match code {
            2 => ExitCode::Usage,
            3 => ExitCode::Model,
            4 => ExitCode::Limit,
            5 => ExitCode::Waiting,
            _ => ExitCode::File,
        }
    }

    /// The code that the parent process sees: the low byte.
    pub(super) fn low_byte(self) -> i32 {
        i32::from(i32::from(self).to_le_bytes()[0])
    }
}

impl From<ExitCode> for i32 {
    fn from(code: ExitCode) -> Self {
        match code {
            ExitCode::Done => 0,
            ExitCode::File => 1,
            ExitCode::Usage => 2,
            ExitCode::Model => 3,
            ExitCode::Limit => 4,
            ExitCode::Waiting => 5,
            // As shells report a process that died of the signal.
            ExitCode::Interrupted(signal) => 128 + signal,
            ExitCode::Script(code) => code,
        }
    }
}

impl From<ExitCode> for ProcessExitCode {
    fn from(code: ExitCode) -> Self {
        // Only the low byte of an exit code reaches the parent process.
        ProcessExitCode::from(i32::from(code).to_le_bytes()[0])
    }
}
