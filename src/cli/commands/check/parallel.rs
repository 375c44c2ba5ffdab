//! Checks files on several threads and returns results in the order of the files.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use super::render::Render;
use lmthing_check::{CheckOptions, Checker, Finding, Report, Severity};
use lmthing_node::THREAD_STACK_SIZE;

pub(super) struct CheckedFile {
    pub(super) findings: Vec<Finding>,
    pub(super) render: Option<Render>,
    pub(super) printed: String,
    pub(super) files: Vec<PathBuf>,
}

/// Checks the files on at most `jobs` threads. Calls `each` in the order of the files, as soon as possible.
pub(super) fn check_all(
    files: &[PathBuf],
    options: &CheckOptions,
    is_render_wanted: bool,
    jobs: usize,
    mut each: impl FnMut(&Path, CheckedFile),
) {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let work = |sender: mpsc::Sender<(usize, CheckedFile)>| {
        let mut checker = Checker::default();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { return };
            // The receiver may be gone.
            let _ = sender.send((index, check(&mut checker, file, options, is_render_wanted)));
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, files.len().max(1)) {
            let sender = sender.clone();
            let thread = thread::Builder::new().name("check".into()).stack_size(THREAD_STACK_SIZE);
            // The other threads take over if the system refuses one.
            let _ = thread.spawn_scoped(scope, || work(sender));
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (index, checked) in results {
            waiting.insert(index, checked);
            while let Some(checked) = waiting.remove(&due) {
                each(&files[due], checked);
                due += 1;
            }
        }
    });
}

/// A panic of the checker becomes a finding, so that the other files are checked.
fn check(checker: &mut Checker, file: &Path, options: &CheckOptions, is_render_wanted: bool) -> CheckedFile {
    let report = catch_unwind(AssertUnwindSafe(|| checker.check(file, options))).unwrap_or_else(|_| {
        *checker = Checker::default();
        Report { findings: vec![failed(file)], ..Report::default() }
    });
    let render = report.rendered.as_ref().filter(|_| is_render_wanted).map(Render::of);
    CheckedFile { findings: report.findings, render, printed: report.printed, files: report.files }
}

fn failed(file: &Path) -> Finding {
    Finding {
        file: file.to_owned(),
        span: None,
        severity: Severity::Error,
        code: "internal".to_owned(),
        message: "the checker failed at this file".to_owned(),
        hint: Some("this is a defect of lmthing; what standard error says helps to find it".to_owned()),
        fix: None,
        related: Vec::new(),
    }
}
