//! Finds what to test: test files, and prompt files with a mock or a recording (docs/reference/test.md).

use std::path::PathBuf;

use crate::cli::failure::WrongUsage;
use lmthing_check::has_export;
use lmthing_system::files::{self, FileKind, FoundPromptFile};
use lmthing_testing::{Answers, Kind, Subject, recording_of};

pub(super) struct Discovered {
    /// Sorted, without duplicates.
    pub(super) subjects: Vec<Subject>,
    /// Files whose changes affect the selection.
    pub(super) looked_at: Vec<PathBuf>,
    pub(super) searched: Vec<PathBuf>,
    pub(super) problems: Vec<String>,
}

/// Searches `paths`, or the working directory if there are none.
pub(super) fn discover(paths: &[PathBuf]) -> Result<Discovered, WrongUsage> {
    let found =
        files::find(paths, "tests are in files that end in .test.lmt.mjs, .test.lmt.js, .test.lmt.ts, .test.lmt.mts")?;
    let (mut subjects, mut looked_at) = (Vec::new(), Vec::new());
    for FoundPromptFile { path, is_named } in found.files {
        let kind = match FileKind::of(&path) {
            FileKind::Eval => continue,
            FileKind::Tests => Kind::Tests,
            FileKind::Prompt => {
                let recording = recording_of(&path);
                let answers = match () {
                    () if has_export(&path, "mock") => Answers::Mock,
                    () if recording.is_file() => Answers::Recording,
                    () => Answers::Missing,
                };
                looked_at.extend([path.clone(), recording]);
                // A prompt file that is named is always tested.
                if answers == Answers::Missing && !is_named {
                    continue;
                }
                Kind::Smoke(answers)
            }
        };
        looked_at.push(path.clone());
        subjects.push(Subject { file: path, kind });
    }
    let here = if paths.is_empty() { &[PathBuf::from(".")][..] } else { paths };
    let searched = here.iter().filter(|path| path.is_dir()).cloned().collect();
    Ok(Discovered { subjects, looked_at, searched, problems: found.problems })
}
