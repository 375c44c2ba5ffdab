//! What a file is, by its name.

use std::path::Path;

use super::unsaved::is_source_file;
use lmthing_base::diagnostic::{Diagnostic, did_you_mean};

/// The suffixes of prompt files, including test files and eval files.
pub const PROMPT_FILE_SUFFIXES: [&str; 4] = [".lmt.mjs", ".lmt.js", ".lmt.ts", ".lmt.mts"];

/// What a file with one of the [`PROMPT_FILE_SUFFIXES`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Prompt,
    /// `NAME.test.lmt.mjs`.
    Tests,
    /// `NAME.eval.lmt.mjs`.
    Eval,
}

impl FileKind {
    /// Files with other names count as prompt files.
    pub fn of(path: &Path) -> FileKind {
        let name = name(path);
        let stem = name.rsplit_once(".lmt.").map_or("", |(stem, _)| stem);
        match () {
            () if stem.ends_with(".test") => FileKind::Tests,
            () if stem.ends_with(".eval") => FileKind::Eval,
            () => FileKind::Prompt,
        }
    }

    /// Why a file that is no prompt file is refused, with the command that takes it. `purpose` is what prompt files are
    /// taken for: `to run`.
    pub fn refusal(path: &Path, purpose: &str) -> Option<Diagnostic> {
        let shown = path.display();
        let (contents, hint) = match FileKind::of(path) {
            FileKind::Prompt => return None,
            FileKind::Tests => ("tests", format!("its tests are run by: lmthing test {shown}")),
            FileKind::Eval => ("an eval", format!("it is run by: lmthing eval {shown}")),
        };
        Some(Diagnostic::new(format!("{shown} holds {contents}, and is no prompt file {purpose}")).with_hint(hint))
    }
}

/// Whether a file has the name of a prompt file; test files and eval files count.
pub fn is_prompt_file(path: &Path) -> bool {
    let name = name(path);
    PROMPT_FILE_SUFFIXES.iter().any(|ending| name.ends_with(ending))
}

/// Checks that a path is that of a prompt file which can be run.
pub fn check_prompt_file(path: &Path) -> Result<(), Box<Diagnostic>> {
    let shown = path.display();
    if path.is_dir() {
        return Err(Box::new(Diagnostic::new(format!("{shown} is a directory, not a prompt file"))));
    }
    if !is_source_file(path) {
        let mut problem = Diagnostic::new(format!("cannot find the file {shown}"));
        problem.hint = did_you_mean(path, is_prompt_file);
        return Err(Box::new(problem));
    }
    if !is_prompt_file(path) {
        let message = format!("{shown} is not a prompt file: its name must end in {}", PROMPT_FILE_SUFFIXES.join(", "));
        let name = name(path);
        let stem = name.split('.').next().unwrap_or_default();
        return Err(Box::new(Diagnostic::new(message).with_hint(format!("rename it, for instance to {stem}.lmt.mjs"))));
    }
    FileKind::refusal(path, "to run").map_or(Ok(()), |problem| Err(Box::new(problem)))
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_file_is() {
        for (name, kind) in [
            ("a.lmt.mjs", FileKind::Prompt),
            ("eval.lmt.mjs", FileKind::Prompt),
            ("test.lmt.ts", FileKind::Prompt),
            ("x/a.eval.lmt.mts", FileKind::Eval),
            ("a.b.test.lmt.js", FileKind::Tests),
            ("a.test.eval.lmt.js", FileKind::Eval),
            ("a.eval.mjs", FileKind::Prompt),
        ] {
            assert_eq!(FileKind::of(Path::new(name)), kind, "{name}");
        }
        assert!(is_prompt_file(Path::new("a.eval.lmt.ts")) && !is_prompt_file(Path::new("a.eval.ts")));
    }
}
