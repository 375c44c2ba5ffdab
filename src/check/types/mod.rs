//! The type check of a prompt file and what it imports, by tsr, against the declarations in the binary. Must not know what else
//! is checked.
//!
//! The file and the files it reaches are read and their imports looked up first, by the rules of the loader (`source`, `imports`):
//! errors of syntax end the check there. Then the type checker runs (`program`) over copies of the files (`edited`) in which the
//! exports of prompt files have types (`exports`), once for each language; JavaScript is checked less strictly (`language`). What
//! it reports becomes findings (`findings`, `words`, `hints`) at their places in what the author wrote.

mod declared;
mod edited;
mod exports;
mod files;
mod filtered;
mod findings;
mod forgiven;
mod hints;
mod imports;
mod language;
mod later;
mod names;
mod open;
mod program;
mod shapes;
mod source;
mod words;

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Once, mpsc};
use std::time::Duration;

use files::Sources;
use language::is_own;
use program::{Checked, Kept, Wanted};
use source::{Source, json_problem};

use super::Finding;
use crate::code::{TypeScriptParser, spawn_checker_thread};
use crate::files::is_test_file;
use crate::parser::Language;
use crate::script::{ImportLookup, bindings::NATIVE_MODULES};

/// How long the types of one file are checked.
const LIMIT: Duration = Duration::from_secs(20);

/// What checks a file.
type Check = fn(&mut Kept, &Path) -> TypeReport;

/// A type checker that keeps libraries between files.
#[derive(Default)]
pub(super) struct TypeChecker {
    kept: Kept,
}

/// What it found.
#[derive(Debug, Default)]
pub(super) struct TypeReport {
    /// In the order of the files and their texts, the prompt file's own first.
    pub(super) findings: Vec<Finding>,
    /// The author's files that were read, the prompt file first.
    pub(super) files: Vec<PathBuf>,
    /// Whether the file cannot run: an error of syntax, or an import that leads nowhere.
    pub(super) cannot_run: bool,
}

impl TypeChecker {
    /// Checks a prompt file and its imports.
    pub(super) fn check(&mut self, file: &Path) -> TypeReport {
        self.check_within(file, LIMIT, check)
    }

    /// Gives up after `limit`: then the thread is left to itself with all that was kept, and the next file begins anew.
    fn check_within(&mut self, file: &Path, limit: Duration, check: Check) -> TypeReport {
        let kept = std::mem::take(&mut self.kept);
        let path = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let own = path.clone();
        silence_crashes();
        let (sender, receiver) = mpsc::channel();
        // A stack that deeply nested text does not exhaust.
        let thread = spawn_checker_thread(move || {
            let mut kept = kept;
            IS_CHECKING.set(true);
            let report = catch_unwind(AssertUnwindSafe(|| check(&mut kept, &own)));
            // Nobody listens to one that took too long.
            let _ = sender.send(report.ok().map(|report| (report, kept)));
        });
        let failed = |finding| TypeReport { findings: vec![finding], ..TypeReport::default() };
        let mut report = match thread.map(|_| receiver.recv_timeout(limit)) {
            Ok(Ok(Some((report, kept)))) => {
                self.kept = kept;
                report
            }
            Ok(Err(mpsc::RecvTimeoutError::Timeout)) => failed(findings::gave_up(&path, limit)),
            Ok(_) => failed(findings::failure(&path, "the type checker crashed")),
            Err(error) => failed(findings::failure(&path, &error.to_string())),
        };
        report.show_as(&path, file);
        report
    }
}

thread_local! {
    /// Whether this thread checks types, and nothing else.
    static IS_CHECKING: Cell<bool> = const { Cell::new(false) };
}

/// A crash of the checker is told as a finding; the place in a library that Rust would print helps no author.
fn silence_crashes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |crash| {
            // At the end of a thread there is nothing left to ask.
            if !IS_CHECKING.try_with(Cell::get).unwrap_or(false) {
                others(crash);
            }
        }));
    });
}

impl TypeReport {
    /// Puts the prompt file's own findings first, under the name it was asked for by.
    fn show_as(&mut self, path: &Path, name: &Path) {
        self.findings.sort_by_key(|finding| finding.file != path);
        let places = self.findings.iter_mut().flat_map(|finding| {
            std::iter::once(&mut finding.file).chain(finding.related.iter_mut().map(|related| &mut related.file))
        });
        places.filter(|place| *place == path).for_each(|place| name.clone_into(place));
    }
}

fn check(kept: &mut Kept, file: &Path) -> TypeReport {
    let mut reached = Reached::default();
    reached.follow(file);
    let files = reached.files.clone();
    if !reached.syntax.is_empty() {
        return TypeReport { findings: reached.syntax, files, cannot_run: true };
    }
    let cannot_run = !reached.broken.is_empty();
    let mut findings = std::mem::take(&mut reached.broken);
    match check_types(kept, file, &reached) {
        Ok(errors) => findings.extend(errors),
        Err(reason) => findings.push(findings::failure(file, &reason)),
    }
    findings.sort_by(|a, b| (&a.file, a.span).cmp(&(&b.file, b.span)));
    TypeReport { findings, files, cannot_run }
}

fn check_types(kept: &mut Kept, file: &Path, reached: &Reached) -> Result<Vec<Finding>, String> {
    let language = Language::of_file(file).unwrap_or(Language::JavaScript);
    let mut wanted = Wanted { file, language, uses_node: reached.uses_node };
    let Checked { mut errors, others } = kept.check(wanted, &reached.sources)?;
    if others {
        wanted.language = match language {
            Language::JavaScript => Language::TypeScript,
            Language::TypeScript => Language::JavaScript,
        };
        errors.extend(kept.check(wanted, &reached.sources)?.errors);
    }
    Ok(findings::findings(errors, &reached.sources))
}

/// The author's files that a prompt file reaches by its imports.
#[derive(Default)]
struct Reached {
    sources: Arc<Sources>,
    files: Vec<PathBuf>,
    syntax: Vec<Finding>,
    /// Imports that lead nowhere.
    broken: Vec<Finding>,
    uses_node: bool,
}

impl Reached {
    fn follow(&mut self, file: &Path) {
        let mut known = BTreeSet::from([file.to_owned()]);
        let mut pending = VecDeque::from([file.to_owned()]);
        let lookup = import_lookup();
        while let Some(path) = pending.pop_front() {
            self.files.push(path.clone());
            let source = match Source::read(&path, path == file && !is_test_file(file), &lookup) {
                Ok(source) => Arc::new(source),
                Err(finding) => {
                    self.syntax.push(*finding);
                    continue;
                }
            };
            self.sources.add(source.clone());
            self.uses_node |= source.names_node();
            self.syntax.extend(source.syntax.iter().cloned());
            self.broken.extend(source.broken_imports.iter().cloned());
            for next in source.imports.files.iter().filter(|next| is_own(next) && Language::of_file(next).is_some()) {
                if known.insert(next.clone()) {
                    pending.push_back(next.clone());
                }
            }
            for plain in source.imports.plain.iter().filter(|plain| is_own(plain)) {
                if known.insert(plain.clone()) {
                    self.files.push(plain.clone());
                }
            }
            for json in source.imports.json.iter().filter(|json| is_own(json)) {
                if known.insert(json.clone()) {
                    self.files.push(json.clone());
                    // The type checker reads it as well, and is not to be led astray.
                    self.syntax.extend(json_problem(json));
                }
            }
        }
    }
}

/// Resolves imports as a run does.
fn import_lookup() -> ImportLookup {
    ImportLookup::new(NATIVE_MODULES, Rc::new(TypeScriptParser))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Severity;

    #[test]
    fn a_check_that_takes_too_long_or_crashes_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.lmt.mjs");
        std::fs::write(&file, "export const config = { model: 'mock' }; export default ({ defTol }) => {};").unwrap();
        let mut checker = TypeChecker::default();
        let report = checker.check_within(&file, Duration::ZERO, check);
        assert_eq!(report.findings.len(), 1, "{report:?}");
        assert_eq!((report.findings[0].severity, report.findings[0].code.as_str()), (Severity::Warning, "types"));
        // The next file is checked as if nothing had been.
        assert_eq!(checker.check(&file).findings[0].code, "TS2339");
        let report = checker.check_within(&file, LIMIT, |_, _| panic!("as a library may"));
        assert_eq!((report.findings.len(), report.cannot_run), (1, false), "{report:?}");
        let Finding { file: at, severity, code, message, hint, .. } = &report.findings[0];
        assert_eq!((at, *severity, code.as_str()), (&file, Severity::Warning, "types"));
        assert!(message.ends_with("the type checker crashed") && hint.is_some(), "{message}");
        assert_eq!(checker.check(&file).findings[0].code, "TS2339");
    }
}
