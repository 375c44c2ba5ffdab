//! Checks the prompt file of a command.

use std::path::Path;

use lmthing_system::files::check_prompt_file;
pub(in crate::cli) use lmthing_system::files::{PROMPT_FILE_SUFFIXES as ENDINGS, is_prompt_file};

pub(super) fn check_file(path: &Path) -> anyhow::Result<()> {
    check_prompt_file(path).map_err(|problem| anyhow::Error::from(*problem))
}
