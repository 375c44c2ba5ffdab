//! Failures as GitHub annotations at their lines in a pull request.

use std::path::PathBuf;

use indexmap::IndexMap;

use super::{
    End, Output, Reporter,
    safe_text::{headline, place, visible},
};
use crate::outcome::{Failure, FileOutcome, TestOutcome};
use lmthing_base::diagnostic::{Annotation, AnnotationLevel, Location};

/// Writes the commands to standard error: GitHub reads both streams, and standard output keeps the report.
pub struct Annotations {
    folder: PathBuf,
    root: PathBuf,
    failures: IndexMap<AnnotatedFailure, Vec<String>>,
}

/// A failure that is annotated once for all tests that have it.
#[derive(PartialEq, Eq, Hash)]
struct AnnotatedFailure {
    file: PathBuf,
    at: Option<(u32, u32)>,
    message: String,
}

impl Annotations {
    /// Annotations for files below `folder`. Files are named relative to `workspace`, the root of the repository, or
    /// else to `folder`.
    pub fn new(folder: PathBuf, workspace: Option<PathBuf>) -> Self {
        let root = workspace.unwrap_or_else(|| folder.clone());
        Annotations { folder, root, failures: IndexMap::new() }
    }

    fn add(&mut self, file: &FileOutcome, test: Option<&TestOutcome>, failure: &Failure) {
        let name = test.map_or_else(|| file.file.display().to_string(), TestOutcome::full_name);
        let (file, at) = match place(failure, test) {
            Some(Location { path, line, column }) => {
                let path = path.split('?').next().unwrap_or_default();
                (PathBuf::from(path), Some((*line, *column)))
            }
            None => (self.folder.join(&file.file), None),
        };
        let diagnostic = &failure.diagnostic;
        let context = failure.context.as_ref().map(|context| format!("[{context}] ")).unwrap_or_default();
        let diff = failure.diff.as_ref().map(|diff| format!("\n\n{}", diff.trim_end())).unwrap_or_default();
        let hint = diagnostic.hint.as_ref().map(|hint| format!("\n\nhint: {hint}")).unwrap_or_default();
        let message = visible(&format!("{context}{}{diff}{hint}", headline(diagnostic)));
        self.failures.entry(AnnotatedFailure { file, at, message }).or_default().push(name);
    }
}

impl Reporter for Annotations {
    fn file(&mut self, file: &FileOutcome) -> Output {
        for error in &file.errors {
            self.add(file, None, error);
        }
        for test in &file.tests {
            for failure in &test.failures {
                self.add(file, Some(test), failure);
            }
        }
        Output::default()
    }

    fn end(&mut self, _: &End<'_>) -> Output {
        let command = |(AnnotatedFailure { file, at, message }, names): (&AnnotatedFailure, &Vec<String>)| {
            let mut annotation = Annotation::new(AnnotationLevel::Error, file, Some(&self.root));
            if let Some((line, column)) = at {
                annotation = annotation.with("line", line).with("col", column);
            }
            let more = if names.len() > 1 { format!(" (and {} more)", names.len() - 1) } else { String::new() };
            let name = names.first().map(String::as_str).unwrap_or_default();
            annotation.with("title", visible(&format!("{name}{more}"))).command(message)
        };
        Output::stderr(self.failures.iter().map(command).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::Sample;

    fn commands(sample: &Sample, workspace: Option<PathBuf>) -> String {
        let mut annotations = Annotations::new(sample.style(false).folder, workspace);
        sample.files.iter().for_each(|file| assert_eq!(annotations.file(file), Output::default()));
        let Output { stdout, stderr } = annotations.end(&End { totals: &sample.totals(), is_ok: false, notes: &[] });
        assert_eq!(stdout, "");
        stderr
    }

    #[test]
    fn each_failure_is_one_command_at_its_line() {
        insta::assert_snapshot!(commands(&Sample::new(), None));
    }

    #[test]
    fn files_are_named_from_the_root_of_the_repository() {
        let sample = Sample::new();
        let folder = sample.style(false).folder;
        let name = folder.file_name().unwrap().display();
        let shown = commands(&sample, folder.parent().map(PathBuf::from));
        assert!(shown.starts_with(&format!("::error file={name}/cart.test.lmt.mjs,line=6,")), "{shown}");
        assert!(shown.contains(&format!("\n::error file={name}/broken.test.lmt.mjs,title=")), "{shown}");
    }
}
