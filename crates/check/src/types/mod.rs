//! The type check of a prompt file and its imports, by tsr, against the embedded declarations.
//!
//! First the file and the files it imports are read, and imports resolved by the loader's rules (`source`,
//! `imports`); a syntax error ends the check. Then the type checker runs (`program`) on copies of the files
//! (`edited_text`) in which the exports of prompt files have types (`export_types`), once for each language. Its
//! errors become findings (`findings`, `readable_messages`, `hints`) at positions in the original text.

mod compiler_options;
mod declared_names;
mod edited_text;
mod export_types;
mod files;
mod filtered_lists;
mod findings;
mod hints;
mod imports;
mod internal_modules;
mod javascript_idioms;
mod mutation;
mod program;
mod readable_messages;
mod similar_names;
mod source;
mod widen;

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once, mpsc};
use std::time::Duration;

use compiler_options::is_own;
use files::Sources;
use imports::import_lookup;
use program::{CheckRequest, Checked, ProgramCache};
use source::{Source, json_problem};

use super::Finding;
use lmthing_base::parser::Language;
use lmthing_system::files::{FileKind, real_path};
use lmthing_typescript::code::spawn_checker_thread;

const LIMIT: Duration = Duration::from_secs(20);

type Check = fn(&mut ProgramCache, &Path) -> TypeReport;

#[derive(Default)]
pub(super) struct TypeChecker {
    cache: ProgramCache,
}

#[derive(Debug, Default)]
pub(super) struct TypeReport {
    /// In the order of files and positions, those of the prompt file first.
    pub(super) findings: Vec<Finding>,
    pub(super) files: Vec<PathBuf>,
    /// Whether the file cannot run: a syntax error or an unresolved import.
    pub(super) cannot_run: bool,
    /// Whether any of the author's files mentions the clock or random numbers.
    pub(super) may_vary: bool,
}

impl TypeChecker {
    pub(super) fn check(&mut self, file: &Path) -> TypeReport {
        self.check_within(file, LIMIT, check)
    }

    /// After `limit` the thread is abandoned with its cache, and the next file starts with an empty one.
    fn check_within(&mut self, file: &Path, limit: Duration, check: Check) -> TypeReport {
        let cache = std::mem::take(&mut self.cache);
        let path = real_path(file).unwrap_or_else(|_| file.to_owned());
        let prompt_file = path.clone();
        silence_panics();
        let (sender, receiver) = mpsc::channel();
        // A thread with a stack large enough for deeply nested text.
        let thread = spawn_checker_thread(move || {
            let mut cache = cache;
            IS_CHECKING.set(true);
            let report = catch_unwind(AssertUnwindSafe(|| check(&mut cache, &prompt_file)));
            let _ = sender.send(report.ok().map(|report| (report, cache)));
        });
        let failed = |finding| TypeReport { findings: vec![finding], ..TypeReport::default() };
        let mut report = match thread.map(|_| receiver.recv_timeout(limit)) {
            Ok(Ok(Some((report, cache)))) => {
                self.cache = cache;
                report
            }
            Ok(Err(mpsc::RecvTimeoutError::Timeout)) => failed(findings::checker_timeout(&path, limit)),
            Ok(_) => failed(findings::checker_failure(&path, "the type checker crashed")),
            Err(error) => failed(findings::checker_failure(&path, &error.to_string())),
        };
        report.show_as(&path, file);
        report
    }
}

thread_local! {
    static IS_CHECKING: Cell<bool> = const { Cell::new(false) };
}

/// A panic of the checker is reported as a finding, without Rust's own message about a library.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Thread-local values are gone when the thread ends.
            if !IS_CHECKING.try_with(Cell::get).unwrap_or(false) {
                previous_hook(panic);
            }
        }));
    });
}

impl TypeReport {
    /// Puts the prompt file's own findings first, under the path that the user gave.
    fn show_as(&mut self, path: &Path, name: &Path) {
        self.findings.sort_by_key(|finding| finding.file != path);
        let places = self.findings.iter_mut().flat_map(|finding| {
            std::iter::once(&mut finding.file).chain(finding.related.iter_mut().map(|related| &mut related.file))
        });
        places.filter(|place| *place == path).for_each(|place| name.clone_into(place));
    }
}

fn check(cache: &mut ProgramCache, file: &Path) -> TypeReport {
    let mut reached = ReachedFiles::default();
    reached.follow(file);
    let files = reached.files.clone();
    if !reached.syntax.is_empty() {
        return TypeReport { findings: reached.syntax, files, cannot_run: true, may_vary: false };
    }
    let may_vary = reached.may_vary;
    let cannot_run = !reached.broken.is_empty();
    let mut findings = std::mem::take(&mut reached.broken);
    match check_types(cache, file, &reached) {
        Ok(errors) => findings.extend(errors),
        Err(reason) => findings.push(findings::checker_failure(file, &reason.to_string())),
    }
    findings.sort_by(|a, b| (&a.file, a.span).cmp(&(&b.file, b.span)));
    TypeReport { findings, files, cannot_run, may_vary }
}

fn check_types(
    cache: &mut ProgramCache,
    file: &Path,
    reached: &ReachedFiles,
) -> Result<Vec<Finding>, tsr_compiler::Error> {
    let language = Language::of_file(file).unwrap_or(Language::JavaScript);
    let mut request = CheckRequest { file, language, uses_node: reached.uses_node };
    let Checked { mut errors, has_other_language } = cache.check(request, &reached.sources)?;
    if has_other_language {
        request.language = match language {
            Language::JavaScript => Language::TypeScript,
            Language::TypeScript => Language::JavaScript,
        };
        errors.extend(cache.check(request, &reached.sources)?.errors);
    }
    Ok(findings::findings(errors, &reached.sources))
}

/// What changes with the clock or with random numbers. The names after `performance` give other values by themselves.
const VARYING: [&str; 7] =
    ["Date", "random", "performance", "randomUUID", "randomBytes", "randomInt", "getRandomValues"];

#[derive(Default)]
struct ReachedFiles {
    sources: Arc<Sources>,
    files: Vec<PathBuf>,
    syntax: Vec<Finding>,
    broken: Vec<Finding>,
    uses_node: bool,
    may_vary: bool,
}

impl ReachedFiles {
    fn follow(&mut self, file: &Path) {
        let mut known = BTreeSet::from([file.to_owned()]);
        let mut pending = VecDeque::from([file.to_owned()]);
        let lookup = import_lookup();
        while let Some(path) = pending.pop_front() {
            self.files.push(path.clone());
            let source = match Source::read(&path, path == file && FileKind::of(file) == FileKind::Prompt, &lookup) {
                Ok(source) => Arc::new(source),
                Err(finding) => {
                    self.syntax.push(*finding);
                    continue;
                }
            };
            self.sources.add(source.clone());
            self.uses_node |= source.names_node();
            self.may_vary |= source.names(&VARYING);
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
                    // The type checker reads it as well, and would report errors at wrong places.
                    self.syntax.extend(json_problem(json));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    #[test]
    fn a_check_that_times_out_or_panics_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.lmt.mjs");
        std::fs::write(&file, "export const config = { model: 'mock' }; export default ({ defTol }) => {};").unwrap();
        let mut checker = TypeChecker::default();
        let report = checker.check_within(&file, Duration::ZERO, check);
        assert_eq!(report.findings.len(), 1, "{report:?}");
        assert_eq!((report.findings[0].severity, report.findings[0].code.as_str()), (Severity::Warning, "types"));
        // The next file is checked with a new cache.
        assert_eq!(checker.check(&file).findings[0].code, "TS2339");
        let report = checker.check_within(&file, LIMIT, |_, _| panic!("as a library may"));
        assert_eq!((report.findings.len(), report.cannot_run), (1, false), "{report:?}");
        let Finding { file: at, severity, code, message, hint, .. } = &report.findings[0];
        assert_eq!((at, *severity, code.as_str()), (&file, Severity::Warning, "types"));
        assert!(message.ends_with("the type checker crashed") && hint.is_some(), "{message}");
        assert_eq!(checker.check(&file).findings[0].code, "TS2339");
    }
}
