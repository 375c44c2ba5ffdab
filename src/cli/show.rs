//! Output of a run: sets up the readers of its events.

use std::{
    cell::{Cell, RefCell},
    path::Path,
    rc::Rc,
};

use super::{
    Printer,
    end_report::EndReport,
    failure::Ending,
    interrupt,
    progress::Progress,
    readers::{
        json::{lines, object},
        summary_line::{summary_line, summary_text},
        terminal,
        verbose::verbose,
    },
    resume_state::ResumeState,
    show_args::Format,
    show_args::ShowArgs,
};
use lmthing_base::{
    chat::{FinishReason, StreamPart},
    event::{Agent, Event, EventKind, EventReader, Events, OutputEvent, RunSummary, SharedSummary},
};
use lmthing_providers::Redactor;
use lmthing_store::{
    journal::LastEntry,
    trace::otel::{Export, OtelConfig, Settings},
};

pub(super) struct Show {
    pub(super) printer: Rc<Printer>,
    pub(super) progress: Progress,
    pub(super) events: Rc<Events>,
    summary: SharedSummary,
    format: Format,
    export: RefCell<Option<Export>>,
    is_quiet: bool,
    is_stdout_json: Rc<Cell<bool>>,
    /// Whether the model has written text since the last turn of a conversation.
    has_text: Rc<Cell<bool>>,
    /// Step at which the run is resumed, and a message about it.
    resumed: Option<(usize, String)>,
    /// The last text of an earlier process, until another step begins.
    answered: Rc<RefCell<Option<String>>>,
}

impl Show {
    pub(super) fn new(
        args: ShowArgs,
        printer: &Printer,
        redactor: &Redactor,
        resume_state: Option<ResumeState>,
    ) -> Self {
        let printer = Rc::new(printer.clone());
        let is_for_programs = args.format.is_for_programs();
        let summary = if is_for_programs { RunSummary::with_text() } else { RunSummary::default() };
        let summary = resume_state.as_ref().map_or(summary, |resume_state| resume_state.summary.clone());
        let summary = SharedSummary::new(summary);
        let progress = if args.quiet { Progress::none() } else { Progress::new(printer.clone(), summary.clone()) };
        let sums = summary.clone();
        // First, so that the other readers find each event in the summary.
        let mut readers: Vec<EventReader> = vec![Rc::new(move |event: &Event<'_>| sums.lock().add(event))];
        readers.push(match args.format {
            Format::Text => terminal::text(printer.clone()),
            Format::Json => object(printer.clone(), summary.clone(), redactor.clone()),
            Format::Events => lines(printer.clone(), summary.clone(), redactor.clone()),
        });
        // Before the journal and the span exporter, which have time limits of their own.
        readers.push(of_end(printer.clone()));
        let is_stdout_json = Rc::new(Cell::new(is_for_programs));
        readers.push(of_output(is_stdout_json.clone()));
        let answered = resume_state.as_ref().and_then(|resume_state| resume_state.last_text.clone());
        let answered = Rc::new(RefCell::new(answered));
        let has_text = Rc::new(Cell::new(false));
        readers.push(of_next_step(answered.clone(), has_text.clone()));
        if !args.quiet {
            readers.push(terminal::notices(printer.clone()));
        }
        if printer.stderr_is_terminal() && !args.quiet {
            readers.push(terminal::progress(progress.clone()));
            readers.push(summary_line(printer.clone(), summary.clone()));
        }
        if args.verbose {
            readers.push(verbose(printer.clone()));
        }
        let resumed = resume_state.as_ref().map(|resume_state| (resume_state.step, resume_state.notice.clone()));
        let events = match resume_state {
            Some(resume_state) => Events::resumed(resume_state.run, resume_state.agents, readers),
            None => Events::new(readers),
        };
        let (export, is_quiet) = (RefCell::default(), args.quiet);
        let format = args.format;
        Show {
            printer,
            progress,
            events,
            summary,
            format,
            export,
            is_quiet,
            is_stdout_json,
            has_text,
            resumed,
            answered,
        }
    }

    /// Exports the run as spans if the environment configures it. Must be called before the first event.
    pub(super) fn export(&self, variables: &[(String, String)], redactor: &Redactor) {
        let found =
            Settings::find(|name| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()));
        match found {
            OtelConfig::Off => {}
            OtelConfig::Wrong(problem) => self.warn(&problem),
            OtelConfig::On(settings) => {
                settings.secrets().for_each(|secret| redactor.learn(secret));
                let redactor = redactor.clone();
                let export = Export::new(*settings, Rc::new(move |value| redactor.apply_texts(value)));
                self.events.add_reader(export.reader());
                self.export.replace(Some(export));
            }
        }
    }

    /// For warnings that are no events of the run: they may come before the first and after the last.
    pub(super) fn warn(&self, problem: &str) {
        if !self.is_quiet {
            self.printer.stderr(&format!("Warning: {problem}\n"));
        }
    }

    pub(super) fn begin(&self, file: &Path) {
        let (resumed, notice) = self.resumed.clone().unzip();
        self.events.emit(&Agent::root(), &EventKind::RunStart { file: file.display().to_string(), resumed });
        if let Some(notice) = notice.filter(|_| !self.is_quiet) {
            self.printer.stderr(&format!("{notice}\n"));
        }
    }

    /// A line for a person who reads at a terminal.
    pub(super) fn hint(&self, line: &str) {
        if !self.is_quiet && self.printer.stderr_is_terminal() {
            self.printer.stderr_dim_wrapped(line);
        }
    }

    /// Steps, tokens and cost so far.
    pub(super) fn summary_text(&self) -> String {
        summary_text(&self.summary.lock())
    }

    /// After the end of a run in the journal that can continue.
    pub(super) fn tell_how_to_go_on(&self, journal: Option<&Path>, is_chat: bool, is_interrupted: bool) {
        let is_terminal = self.printer.stderr_is_terminal();
        if self.is_quiet || (!is_terminal && self.format != Format::Text) {
            return;
        }
        // On a terminal every run ends with this line.
        if is_interrupted && !is_terminal {
            self.printer.stderr_dim(&summary_text(&self.summary.lock()));
        }
        let journal = journal.map(|path| format!(" --journal={}", path.display())).unwrap_or_default();
        let command = if is_chat { "chat --resume" } else { "resume" };
        self.printer.stderr_dim(&format!("to go on: lmthing {command} {}{journal}", self.events.run()));
    }

    /// Whether standard output is JSON, so that the script prints to stderr.
    pub(super) fn is_stdout_json(&self) -> bool {
        self.is_stdout_json.get()
    }

    pub(super) fn is_for_programs(&self) -> bool {
        self.format.is_for_programs()
    }

    pub(super) fn finish_reason(&self) -> Option<FinishReason> {
        self.summary.lock().finish_reason
    }

    pub(super) fn end_report(&self, journal: LastEntry) -> EndReport {
        EndReport {
            format: self.format,
            pending: self.printer.pending(),
            summary: self.summary.clone(),
            run: self.events.run().to_owned(),
            clock: self.events.clock(),
            journal,
            stdout_is_terminal: self.printer.stdout_is_terminal(),
            stderr_has_colours: self.printer.stderr_has_colours(),
            stderr_columns: self.printer.stderr_columns(),
        }
    }

    /// Whether there is an answer that an earlier process may not have shown.
    pub(super) fn has_unseen_answer(&self) -> bool {
        self.answered.borrow().is_some()
    }

    /// Ends the text of an answer of a conversation.
    pub(super) fn end_answer(&self) {
        let answered = self.answered.take();
        if !self.is_stdout_json() {
            // The earlier process had the answer, and may not have shown it.
            answered.iter().for_each(|text| self.printer.model_text(text));
            self.printer.finish_line();
        }
    }

    /// As [`Show::end_answer`] for a program, which reads a line end for every answer.
    pub(super) fn end_line_of_answer(&self) {
        let has_text = self.has_text.take() || self.answered.borrow().is_some();
        self.end_answer();
        if !has_text && !self.is_stdout_json() {
            self.printer.text("\n");
        }
        self.printer.flush();
    }

    /// Prints the error and emits the last event.
    pub(super) fn end(&self, ending: &Ending) {
        // An open question can no longer be answered.
        self.printer.end_question();
        self.progress.clear();
        self.printer.finish_line();
        if i32::from(ending.code) == 0 && !ending.is_output_closed && !self.is_stdout_json() {
            // No request was left: the earlier process had the result but did not end successfully.
            self.answered.take().iter().for_each(|text| self.printer.model_text(text));
            self.printer.finish_line();
        }
        if let Some(waiting) = &ending.waiting {
            self.printer.stderr(waiting);
        } else if let Some(diagnostic) = ending.diagnostic.as_ref().filter(|_| self.is_quiet || !ending.is_reported) {
            self.printer.diagnostic(diagnostic);
        }
        self.events.emit(&Agent::root(), &EventKind::RunFinish(Rc::new(ending.to_event())));
        let export = self.export.take();
        if let Some(problem) = export.and_then(Export::end) {
            self.warn(&problem);
        }
    }
}

/// Reports that the end of the run is on standard output.
fn of_end(printer: Rc<Printer>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        if event.agent.is_root() && matches!(event.kind, EventKind::RunFinish(_)) {
            printer.flush();
            interrupt::report_written();
        }
    })
}

/// Clears `answered` at the next step, and notes text.
fn of_next_step(answered: Rc<RefCell<Option<String>>>, has_text: Rc<Cell<bool>>) -> EventReader {
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::StepStart { .. } if event.agent.is_root() => drop(answered.take()),
        EventKind::Stream(part) if event.agent.is_root() && !has_text.get() => {
            has_text.set(matches!(&**part, StreamPart::TextDelta { delta, .. } if !delta.is_empty()));
        }
        _ => {}
    })
}

fn of_output(is_expected: Rc<Cell<bool>>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        if event.agent.is_root() && matches!(event.kind, EventKind::Output(OutputEvent::Expected(_))) {
            is_expected.set(true);
        }
    })
}
