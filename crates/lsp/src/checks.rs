//! Checks of the open prompt files: one thread with a warm type checker for all of them, and for each file a thread
//! that loads and renders it. Of several changes the last one counts; results of earlier texts are dropped.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::mpsc::{Sender, channel},
    time::{Duration, Instant},
};

use lmthing_check::{Cancellation, CheckOptions, Checker, Finding, TypesChecked};
use lmthing_node::THREAD_STACK_SIZE;
use lmthing_system::threads::ThreadOptions;

/// Changes that follow within this time are checked together.
const DEBOUNCE: Duration = Duration::from_millis(5);

/// How long findings of types wait for those of the first render, and how long requests do.
const RENDER_PATIENCE: Duration = Duration::from_millis(300);
const REQUEST_PATIENCE: Duration = Duration::from_secs(2);

/// The findings about one state of a file and of those that it imports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) findings: Vec<Finding>,
    pub(crate) files: Vec<PathBuf>,
}

pub(crate) struct CheckEvent {
    path: PathBuf,
    generation: u64,
    kind: CheckEventKind,
}

enum CheckEventKind {
    Types(Option<Box<TypesChecked>>),
    Done(Findings),
}

#[derive(Default)]
struct State {
    /// Counts the states of the text.
    generation: u64,
    /// When its check is to begin.
    due: Option<Instant>,
    cancellation: Cancellation,
    /// What the type check found, and when it is shown without the rest.
    of_types: Option<(Instant, Findings)>,
    /// Until when requests wait for the rest.
    waits_until: Option<Instant>,
    is_done: bool,
    files: Option<Vec<PathBuf>>,
    lacks_import: bool,
}

pub(crate) struct Checks {
    states: HashMap<PathBuf, State>,
    types: Sender<(PathBuf, u64)>,
    is_busy: bool,
    send: Box<dyn Fn() -> Box<dyn Fn(CheckEvent) + Send>>,
}

impl Checks {
    /// `sender` makes functions that send results to the server's thread.
    pub(crate) fn start(sender: impl Fn() -> Box<dyn Fn(CheckEvent) + Send> + 'static) -> std::io::Result<Self> {
        let (types, jobs) = channel::<(PathBuf, u64)>();
        let send = sender();
        let check_types = move || {
            let mut checker = Checker::default();
            for (path, generation) in jobs {
                let checked = catch_unwind(AssertUnwindSafe(|| checker.check_types(&path)));
                if checked.is_err() {
                    checker = Checker::default();
                }
                let kind = CheckEventKind::Types(checked.ok().map(Box::new));
                send(CheckEvent { path, generation, kind });
            }
        };
        ThreadOptions { name: "lmthing-types", stack_size: THREAD_STACK_SIZE }.spawn(check_types)?;
        Ok(Checks { states: HashMap::new(), types, is_busy: false, send: Box::new(sender) })
    }

    pub(crate) fn add(&mut self, path: &Path) {
        self.states.entry(path.to_owned()).or_default();
        self.renew(path);
    }

    pub(crate) fn remove(&mut self, path: &Path) {
        if let Some(state) = self.states.remove(path) {
            state.cancellation.cancel();
        }
    }

    /// Whether the findings of a file are those of its present text, or as many as can be waited for.
    pub(crate) fn is_settled(&self, path: &Path) -> bool {
        let is_late = |state: &State| state.waits_until.is_some_and(|end| end <= Instant::now());
        self.states.get(path).is_none_or(|state| state.is_done || is_late(state))
    }

    /// Checks again what depends on a file that has changed.
    pub(crate) fn changed(&mut self, changed: &Path) {
        let depends = |(path, state): (&PathBuf, &State)| {
            let reads = |files: &Vec<PathBuf>| files.iter().any(|file| file == changed);
            let is_meant = path == changed || state.lacks_import || state.files.as_ref().is_none_or(reads);
            is_meant.then(|| path.clone())
        };
        let paths: Vec<PathBuf> = self.states.iter().filter_map(depends).collect();
        paths.iter().for_each(|path| self.renew(path));
    }

    pub(crate) fn renew_all(&mut self) {
        let paths: Vec<PathBuf> = self.states.keys().cloned().collect();
        paths.iter().for_each(|path| self.renew(path));
    }

    fn renew(&mut self, path: &Path) {
        let Some(state) = self.states.get_mut(path) else { return };
        state.cancellation.cancel();
        state.cancellation = Cancellation::default();
        state.generation += 1;
        state.of_types = None;
        state.waits_until = None;
        state.is_done = false;
        state.due = Some(Instant::now() + DEBOUNCE);
    }

    /// When [`work`](Self::work) has something to do.
    pub(crate) fn due(&self) -> Option<Instant> {
        let now = Instant::now();
        let of_state = |state: &State| {
            let begins = state.due.filter(|_| !self.is_busy);
            let settles = state.waits_until.filter(|end| *end > now);
            [begins, state.of_types.as_ref().map(|(shown, _)| *shown), settles].into_iter().flatten().min()
        };
        self.states.values().filter_map(of_state).min()
    }

    /// Begins the next check, and returns findings of types whose files take long to render.
    pub(crate) fn work(&mut self) -> Vec<(PathBuf, Findings)> {
        let now = Instant::now();
        let next = self.states.iter().filter_map(|(path, state)| Some((state.due?, path.clone()))).min();
        if let Some((_, path)) = next.filter(|(due, _)| *due <= now && !self.is_busy)
            && let Some(state) = self.states.get_mut(&path)
        {
            state.due = None;
            self.is_busy = self.types.send((path, state.generation)).is_ok();
        }
        let late = self.states.iter_mut().filter_map(|(path, state)| {
            let (_, findings) = state.of_types.take_if(|(shown, _)| *shown <= now)?;
            Some((path.clone(), findings))
        });
        late.collect()
    }

    /// Takes the result of a thread. Returns the findings of a file, unless it has changed meanwhile.
    pub(crate) fn take(
        &mut self,
        event: CheckEvent,
        options: impl FnOnce(&Path) -> CheckOptions,
    ) -> Option<(PathBuf, Findings)> {
        let CheckEvent { path, generation, kind } = event;
        self.is_busy &= !matches!(kind, CheckEventKind::Types(_));
        let state = self.states.get_mut(&path).filter(|state| state.generation == generation)?;
        match kind {
            CheckEventKind::Types(Some(checked)) => {
                let report = checked.report();
                let of_types = Findings { findings: report.findings, files: report.files };
                state.note(&of_types);
                state.of_types = Some((Instant::now() + RENDER_PATIENCE, of_types.clone()));
                state.waits_until = Some(Instant::now() + REQUEST_PATIENCE);
                let options = CheckOptions { cancellation: state.cancellation.clone(), ..options(&path) };
                let (send, of_file) = ((self.send)(), path.clone());
                let inspect = move || {
                    let report = checked.inspect(&options);
                    let findings = Findings { findings: report.findings, files: report.files };
                    send(CheckEvent { path: of_file, generation, kind: CheckEventKind::Done(findings) });
                };
                let thread = ThreadOptions { name: "lmthing-check", stack_size: THREAD_STACK_SIZE }.spawn(inspect);
                thread.is_err().then(|| state.finish(path, of_types))
            }
            CheckEventKind::Types(None) => Some(state.finish(path, Findings::default())),
            CheckEventKind::Done(findings) => Some(state.finish(path, findings)),
        }
    }
}

impl State {
    fn note(&mut self, found: &Findings) {
        self.files = Some(found.files.clone());
        self.lacks_import = found.findings.iter().any(|finding| ["import", "TS2307"].contains(&finding.code.as_str()));
    }

    fn finish(&mut self, path: PathBuf, findings: Findings) -> (PathBuf, Findings) {
        self.of_types = None;
        self.waits_until = None;
        self.is_done = true;
        self.note(&findings);
        (path, findings)
    }
}
