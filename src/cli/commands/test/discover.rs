//! What there is to test: test files, and prompt files with a mock or a recording (docs/testing.md, "What is run"). Must not know
//! how it is tested.

use std::path::PathBuf;

use crate::{
    check::exports,
    cli::failure::WrongUsage,
    files::{self, FoundPromptFile, is_test_file},
    testing::{Answers, Kind, Subject, recording_of},
};

/// What was found.
pub(super) struct Discovered {
    /// Sorted, each once.
    pub(super) subjects: Vec<Subject>,
    /// The files that decide what is tested.
    pub(super) looked_at: Vec<PathBuf>,
    /// The folders that were searched, with all that are in them.
    pub(super) searched: Vec<PathBuf>,
    /// Folders that could not be read.
    pub(super) problems: Vec<String>,
}

/// Looks at some paths; at the working directory when there is none.
///
/// # Errors
/// A path that is not there, or names a file that is no prompt file.
pub(super) fn discover(paths: &[PathBuf]) -> Result<Discovered, WrongUsage> {
    let found =
        files::find(paths, "tests are in files that end in .test.lmt.mjs, .test.lmt.js, .test.lmt.ts, .test.lmt.mts")?;
    let (mut subjects, mut looked_at) = (Vec::new(), Vec::new());
    for FoundPromptFile { path, is_named } in found.files {
        looked_at.push(path.clone());
        let kind = if is_test_file(&path) {
            Kind::Tests
        } else {
            let recording = recording_of(&path);
            let answers = match () {
                () if exports(&path, "mock") => Answers::Mock,
                () if recording.is_file() => Answers::Recording,
                () => Answers::Nobody,
            };
            looked_at.push(recording);
            // Whoever names a file wants it tested.
            if answers == Answers::Nobody && !is_named {
                continue;
            }
            Kind::Smoke(answers)
        };
        subjects.push(Subject { file: path, kind });
    }
    let here = if paths.is_empty() { &[PathBuf::from(".")][..] } else { paths };
    let searched = here.iter().filter(|path| path.is_dir()).cloned().collect();
    Ok(Discovered { subjects, looked_at, searched, problems: found.problems })
}
