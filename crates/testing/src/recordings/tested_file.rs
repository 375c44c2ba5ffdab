//! A file under test and its own recording.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use super::recorded_use::RecordedAnswers;

const TEST: &str = ".test.lmt";
const EVAL: &str = ".eval.lmt";

/// The recording that belongs to a file: `weather.recording.json` for `weather.lmt.mjs`,
/// `weather.test.recording.json` for `weather.test.lmt.mjs`.
pub fn recording_of(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.rsplit_once(".lmt.").map_or(&*name, |(stem, _)| stem);
    file.with_file_name(format!("{stem}.recording.json"))
}

pub(super) struct TestedFile {
    pub(super) path: Arc<Path>,
    pub(super) shown: PathBuf,
    pub(super) own: PathBuf,
    /// The command that makes its recording.
    pub(super) command: &'static str,
    /// Whether it is a prompt file with a smoke test.
    pub(super) is_prompt: bool,
    pub(super) answers: Rc<RecordedAnswers>,
}

impl TestedFile {
    pub(super) fn new(file: &Path, shown: &Path) -> Self {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path: Arc<Path> = file.canonicalize().unwrap_or_else(|_| file.to_owned()).into();
        let own = recording_of(&path.with_file_name(&name));
        let command = if name.contains(EVAL) { "eval" } else { "test" };
        let is_prompt = !name.contains(TEST) && !name.contains(EVAL);
        TestedFile { path, shown: shown.to_owned(), own, command, is_prompt, answers: Rc::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_named_after_their_files() {
        for (file, recording) in [
            ("weather.lmt.mjs", "weather.recording.json"),
            ("a/b.c.lmt.ts", "a/b.c.recording.json"),
            ("a.test.lmt.mjs", "a.test.recording.json"),
            ("/x/weather.lmt.mts", "/x/weather.recording.json"),
        ] {
            assert_eq!(recording_of(Path::new(file)), Path::new(recording));
        }
    }
}
