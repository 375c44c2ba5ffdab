//! Collects the findings of all files: names files as typed, removes duplicates, counts.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use lmthing_check::{Finding, Position, Related, Severity};

#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) is_strict: bool,
    pub(super) is_quiet: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) files: usize,
    pub(super) with_findings: usize,
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) notes: usize,
}

pub(super) struct FindingCollector {
    rules: Rules,
    counts: Counts,
    /// Findings already returned, as two prompt files may import the same file.
    seen: HashSet<(PathBuf, Option<Position>, String, String)>,
    directory: PathBuf,
}

impl FindingCollector {
    pub(super) fn new(rules: Rules) -> Self {
        let directory = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
        FindingCollector { rules, counts: Counts::default(), seen: HashSet::new(), directory }
    }

    /// Returns the findings to show.
    pub(super) fn add(&mut self, file: &Path, findings: Vec<Finding>) -> Vec<Finding> {
        self.counts.files += 1;
        let shown: Vec<Finding> = findings.into_iter().filter(|finding| self.is_wanted(finding.severity)).collect();
        self.counts.with_findings += usize::from(!shown.is_empty());
        let names = DisplayNames::of(file, &self.directory);
        let mut new = Vec::new();
        for finding in shown {
            let finding = names.renamed(finding);
            let place = finding.span.map(|span| span.start);
            let key = (finding.file.clone(), place, finding.code.clone(), finding.subject().to_owned());
            if self.seen.insert(key) {
                self.count(finding.severity);
                new.push(finding);
            }
        }
        new
    }

    fn is_wanted(&self, severity: Severity) -> bool {
        match severity {
            Severity::Error => true,
            Severity::Warning => self.rules.is_strict || !self.rules.is_quiet,
            Severity::Note => !self.rules.is_quiet,
        }
    }

    fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.counts.errors += 1,
            Severity::Warning => self.counts.warnings += 1,
            Severity::Note => self.counts.notes += 1,
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn is_ok(&self) -> bool {
        self.counts.errors == 0 && (self.counts.warnings == 0 || !self.rules.is_strict)
    }

    /// Example: `3 errors, 1 warning in 2 of 40 files`.
    pub(super) fn summary(&self) -> String {
        let Counts { files, with_findings, errors, warnings, notes } = self.counts;
        let mut parts: Vec<String> = [(errors, "error"), (warnings, "warning"), (notes, "note")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| counted(count, what))
            .collect();
        let is_clean = errors + warnings == 0;
        if is_clean {
            parts.insert(0, "no problems".to_owned());
        }
        let as_errors = if self.rules.is_strict && warnings > 0 { " (warnings count as errors)" } else { "" };
        match (is_clean, files) {
            (true, _) => format!("{} checked, {}", counted(files, "file"), parts.join(", ")),
            (false, 1) => format!("{}{as_errors}", parts.join(", ")),
            (false, _) => format!("{} in {with_findings} of {files} files{as_errors}", parts.join(", ")),
        }
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

struct DisplayNames {
    typed: PathBuf,
    real: PathBuf,
    directory: PathBuf,
}

impl DisplayNames {
    fn of(file: &Path, directory: &Path) -> Self {
        let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        DisplayNames { typed: file.to_owned(), real, directory: directory.to_owned() }
    }

    fn renamed(&self, finding: Finding) -> Finding {
        let related = finding.related.into_iter();
        let related = related.map(|place| Related { file: self.name(&place.file), ..place }).collect();
        Finding { file: self.name(&finding.file), related, ..finding }
    }

    fn name(&self, file: &Path) -> PathBuf {
        if file == self.real || file == self.typed {
            return self.typed.clone();
        }
        let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        if real == self.real {
            return self.typed.clone();
        }
        if self.typed.is_relative()
            && let Ok(below) = real.strip_prefix(&self.directory)
        {
            return below.to_owned();
        }
        let folders = self.real.parent().zip(self.typed.parent());
        folders.and_then(|(real_folder, typed)| Some(typed.join(real.strip_prefix(real_folder).ok()?))).unwrap_or(real)
    }
}
