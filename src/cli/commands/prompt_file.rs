//! Checks the prompt file of a command.

use std::path::Path;

use lmthing_base::diagnostic::{Diagnostic, did_you_mean};
pub(in crate::cli) use lmthing_system::files::{PROMPT_FILE_SUFFIXES, PROMPT_FILE_SUFFIXES as ENDINGS, is_prompt_file};
use lmthing_system::files::{is_source_file, is_test_file};

pub(super) fn check_file(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if path.is_dir() {
        anyhow::bail!("{shown} is a directory, not a prompt file");
    }
    if !is_source_file(path) {
        let mut problem = Diagnostic::new(format!("cannot find the file {shown}"));
        problem.hint = did_you_mean(path, is_prompt_file);
        return Err(problem.into());
    }
    if !is_prompt_file(path) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let message = format!("{shown} is not a prompt file: its name must end in {}", PROMPT_FILE_SUFFIXES.join(", "));
        let stem = name.split('.').next().unwrap_or_default();
        return Err(Diagnostic::new(message).with_hint(format!("rename it, for instance to {stem}.lmt.mjs")).into());
    }
    if is_test_file(path) {
        let problem = Diagnostic::new(format!("{shown} holds tests, and is no prompt file to run"));
        return Err(problem.with_hint(format!("its tests are run by: lmthing test {shown}")).into());
    }
    Ok(())
}
