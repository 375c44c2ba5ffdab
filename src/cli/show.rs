//! What a run shows: who reads its events, from the first one to the last. Must not know how a run works.

use std::{
    cell::{Cell, RefCell},
    path::Path,
    rc::Rc,
};

use super::{
    Printer,
    before::Before,
    end_report::EndReport,
    failure::Ending,
    format::Format,
    interrupt,
    progress::Progress,
    readers::{closing::closing, lines::lines, object::object, terminal, verbose::verbose},
    show_args::ShowArgs,
};
use crate::{
    chat::FinishReason,
    event::{Agent, Event, EventKind, EventReader, Events, OutputEvent, RunSummary, SharedSummary},
    journal::LastEntry,
    provider::Redactor,
    trace::otel::{Export, OtelConfig, Settings},
};

/// What the run of a file shows, by the options it was started with.
pub(super) struct Show {
    pub(super) printer: Rc<Printer>,
    pub(super) progress: Progress,
    /// Where everything that happens is told.
    pub(super) events: Rc<Events>,
    summary: SharedSummary,
    format: Format,
    /// Sends what happens to a collector, when there is one.
    export: RefCell<Option<Export>>,
    is_quiet: bool,
    is_stdout_json: Rc<Cell<bool>>,
    /// The step that the run goes on at, and words for it.
    resumed: Option<(usize, String)>,
    /// What an earlier process was answered last, as long as nothing follows it.
    answered: Rc<RefCell<Option<String>>>,
}

impl Show {
    /// Nothing is shown yet. `before` is what was done of a run that goes on.
    pub(super) fn new(args: ShowArgs, printer: &Printer, redactor: &Redactor, before: Option<Before>) -> Self {
        let printer = Rc::new(printer.clone());
        let progress = if args.quiet { Progress::none() } else { Progress::new(printer.clone()) };
        let is_for_programs = args.format.is_for_programs();
        let summary = if is_for_programs { RunSummary::with_text() } else { RunSummary::default() };
        let summary = before.as_ref().map_or(summary, |before| before.summary.clone());
        let summary = SharedSummary::new(summary);
        let sums = summary.clone();
        // First, so that the others find this event in the sums.
        let mut readers: Vec<EventReader> = vec![Rc::new(move |event: &Event<'_>| sums.lock().add(event))];
        readers.push(match args.format {
            Format::Text => terminal::text(printer.clone()),
            Format::Json => object(printer.clone(), summary.clone(), redactor.clone()),
            Format::Events => lines(printer.clone(), summary.clone(), redactor.clone()),
        });
        // Before the others: the journal and a collector have time limits of their own.
        readers.push(of_end(printer.clone()));
        let is_stdout_json = Rc::new(Cell::new(is_for_programs));
        readers.push(of_output(is_stdout_json.clone()));
        let answered = before.as_ref().and_then(|before| before.said.clone());
        let answered = Rc::new(RefCell::new(answered));
        readers.push(of_next_step(answered.clone()));
        if !args.quiet {
            readers.push(terminal::notices(printer.clone()));
        }
        if printer.stderr_is_terminal() && !args.quiet {
            readers.push(terminal::progress(progress.clone()));
            readers.push(closing(printer.clone(), summary.clone()));
        }
        if args.verbose {
            readers.push(verbose(printer.clone()));
        }
        let resumed = before.as_ref().map(|before| (before.step, before.notice.clone()));
        let events = match before {
            Some(before) => Events::resumed(before.run, before.agents, readers),
            None => Events::new(readers),
        };
        let (export, is_quiet) = (RefCell::default(), args.quiet);
        let format = args.format;
        Show { printer, progress, events, summary, format, export, is_quiet, is_stdout_json, resumed, answered }
    }

    /// Has the run exported as spans, if the variables say so. To be called before the first event.
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

    /// What is told of the export is no event of the run: it may be told before the first and after the last.
    fn warn(&self, problem: &str) {
        if !self.is_quiet {
            self.printer.stderr(&format!("Warning: {problem}\n"));
        }
    }

    /// The first event.
    pub(super) fn begin(&self, file: &Path) {
        let (resumed, notice) = self.resumed.clone().unzip();
        self.events.emit(&Agent::root(), &EventKind::RunStart { file: file.display().to_string(), resumed });
        if let Some(notice) = notice.filter(|_| !self.is_quiet) {
            self.printer.stderr(&format!("{notice}\n"));
        }
    }

    /// How to go on with a run that has ended early, for a person.
    pub(super) fn tell_how_to_go_on(&self, journal: Option<&Path>) {
        if self.is_quiet || !self.printer.stderr_is_terminal() {
            return;
        }
        let journal = journal.map(|path| format!(" --journal={}", path.display())).unwrap_or_default();
        self.printer.stderr_dim(&format!("to go on: lmthing resume {}{journal}", self.events.run()));
    }

    /// Whether standard output is for JSON, and not for what the script prints.
    pub(super) fn is_stdout_json(&self) -> bool {
        self.is_stdout_json.get()
    }

    /// Why the last answer of the file's own prompt ended.
    pub(super) fn finish_reason(&self) -> Option<FinishReason> {
        self.summary.lock().finish_reason
    }

    /// What another thread needs to report the end of the run. `journal` is where that is written down.
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
        }
    }

    /// The end, in words where they are missing, and the last event.
    pub(super) fn end(&self, ending: &Ending) {
        // A question that stands is not answered any more.
        self.printer.let_go();
        self.progress.clear();
        self.printer.finish_line();
        if i32::from(ending.code) == 0 && !ending.is_unread && !self.is_stdout_json() {
            // There was nothing left to ask: what the run is for was said, but its process ended before it had gone well.
            self.answered.take().iter().for_each(|text| self.printer.model_text(text));
            self.printer.finish_line();
        }
        if let Some(waiting) = &ending.waiting {
            self.printer.stderr(waiting);
        } else if let Some(diagnostic) = ending.diagnostic.as_ref().filter(|_| self.is_quiet || !ending.is_told) {
            self.printer.diagnostic(diagnostic);
        }
        self.events.emit(&Agent::root(), &EventKind::RunFinish(Rc::new(ending.to_event())));
        let export = self.export.take();
        if let Some(problem) = export.and_then(Export::end) {
            self.warn(&problem);
        }
    }
}

/// Says when the end of the run is on standard output.
fn of_end(printer: Rc<Printer>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        if event.agent.is_root() && matches!(event.kind, EventKind::RunFinish(_)) {
            printer.flush();
            interrupt::report_written();
        }
    })
}

/// Learns that more is asked.
fn of_next_step(answered: Rc<RefCell<Option<String>>>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        if event.agent.is_root() && matches!(event.kind, EventKind::StepStart { .. }) {
            answered.take();
        }
    })
}

/// Learns that the file has an output.
fn of_output(is_expected: Rc<Cell<bool>>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        if event.agent.is_root() && matches!(event.kind, EventKind::Output(OutputEvent::Expected)) {
            is_expected.set(true);
        }
    })
}
