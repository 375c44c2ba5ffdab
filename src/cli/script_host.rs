//! Script host of a run on the command line.

use std::{path::Path, rc::Rc};

use super::{commands::RunRecording, failure::Ending, interrupt, show::Show};
use lmthing_node::ScriptHost;
use lmthing_providers::Redactor;
use lmthing_system::files::FileReporter;

pub(super) struct TerminalHost {
    pub(super) show: Rc<Show>,
    pub(super) redactor: Redactor,
    pub(super) recording: Rc<RunRecording>,
    pub(super) reporter: FileReporter,
}

impl ScriptHost for TerminalHost {
    fn write_stdout(&self, text: &str) {
        match self.show.is_stdout_json() {
            true => self.show.printer.script_stderr(text),
            false => self.show.printer.script_stdout(text),
        }
    }

    fn write_stderr(&self, text: &str) {
        self.show.printer.script_stderr(text);
    }

    fn write_foreign(&self, text: &str) {
        self.show.printer.stderr(text);
    }

    fn warn(&self, message: &str) {
        // Errors of tools may contain keys.
        self.show.events.warn(self.redactor.apply(message));
    }

    fn busy(&self) {
        self.show.progress.tick_busy();
        if let Some(signal) = interrupt::requested_signal() {
            // The script blocks the event loop, so the run is ended from here.
            if let Some(warning) = self.recording.close(false, true) {
                self.show.events.warn(warning);
            }
            let ending = Ending::interrupted(signal);
            interrupt::claim_report_or_wait(ending.code);
            self.show.end(&ending);
            interrupt::wait_for_end();
        }
    }

    fn write_stdout_bytes(&self, bytes: &[u8]) {
        match self.show.is_stdout_json() {
            true => self.show.printer.script_stderr_bytes(bytes),
            false => self.show.printer.script_stdout_bytes(bytes),
        }
    }

    fn write_stderr_bytes(&self, bytes: &[u8]) {
        self.show.printer.script_stderr_bytes(bytes);
    }

    fn flush(&self) {
        self.show.printer.give_way();
    }

    fn diverts_stdout(&self) -> bool {
        self.show.is_stdout_json()
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.redactor.learn_named(name, value);
    }

    fn note_read(&self, file: &Path) {
        self.reporter.note_read(file);
    }

    fn is_watched(&self) -> bool {
        self.reporter.is_watched()
    }

    fn stdout_is_terminal(&self) -> bool {
        match self.show.is_stdout_json() {
            true => self.show.printer.stderr_is_terminal(),
            false => self.show.printer.stdout_is_terminal(),
        }
    }

    fn stderr_is_terminal(&self) -> bool {
        self.show.printer.stderr_is_terminal()
    }

    fn stdout_has_colors(&self) -> bool {
        match self.show.is_stdout_json() {
            true => self.show.printer.stderr_has_colours(),
            false => self.show.printer.stdout_has_colours(),
        }
    }

    fn stderr_has_colors(&self) -> bool {
        self.show.printer.stderr_has_colours()
    }

    fn columns(&self) -> Option<u16> {
        self.show.printer.columns()
    }
}
