//! Files that lmthing finds by name and trusts. A restricted prompt file and its programs must not create or change them, in any
//! folder: a later command would act on what they wrote.

use std::path::{Component, Path};

/// How a file is protected, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shut {
    pub(super) why: &'static str,
    /// Whether it may be read by a file that has the right to read it.
    pub(super) is_readable: bool,
}

/// A file that may hold keys.
pub(super) const KEYS: Shut = Shut { why: "it may hold keys", is_readable: false };

/// The journal records which rights a run has; the files that SQLite keeps next to it belong to it.
pub(super) const JOURNAL: Shut = Shut { why: "it is the journal", is_readable: false };

/// A file that was named on the command line or by a variable.
pub(super) const NAMED: Shut = Shut { why: "lmthing trusts what is in it", is_readable: true };

/// The folder of the journal. Programs never get it as a whole.
const FOLDER: &str = ".lmthing";

enum Pattern {
    /// The whole name.
    Is(&'static str),
    Begins(&'static str),
    Ends(&'static str),
}

/// One row for each name. Case is ignored, as some file systems do.
const NAMES: &[(Pattern, Shut)] = &[
    (Pattern::Is(".env"), KEYS),
    (Pattern::Begins("journal.db"), JOURNAL),
    (Pattern::Begins("worker.db"), JOURNAL),
    // State of `lmthing map` in `OUT.lmthing`, and the folder of the journal.
    (Pattern::Ends(FOLDER), Shut { why: "lmthing keeps its state there", is_readable: true }),
    (Pattern::Is(".mcp.json"), Shut { why: "lmthing starts the servers that it names", is_readable: true }),
    (Pattern::Ends(".recording.json"), Shut { why: "lmthing test replays answers from it", is_readable: true }),
    (Pattern::Is("tsconfig.json"), Shut { why: "it says where imports lead", is_readable: true }),
    (Pattern::Is("jsconfig.json"), Shut { why: "it says where imports lead", is_readable: true }),
];

/// How a real path is protected by the names in it.
pub(super) fn shut(real: &Path) -> Option<Shut> {
    let own = real.file_name().and_then(|name| shut_name(&name.to_string_lossy()));
    let is_inside =
        || real.components().any(|part| matches!(part, Component::Normal(name) if is_folder(name.as_encoded_bytes())));
    own.or_else(|| is_inside().then(|| shut_name(FOLDER)).flatten())
}

/// How a file of this name is protected.
pub(super) fn shut_name(name: &str) -> Option<Shut> {
    let name = name.to_ascii_lowercase();
    let fits = |pattern: &Pattern| match pattern {
        Pattern::Is(text) => name == *text,
        Pattern::Begins(text) => name.starts_with(text),
        Pattern::Ends(text) => name.ends_with(text),
    };
    NAMES.iter().find(|(pattern, _)| fits(pattern)).map(|(_, shut)| *shut)
}

/// Whether a real path belongs to the kernel. Nothing is written there: root could start programs by its settings.
pub(super) fn is_of_system(real: &Path) -> bool {
    real.starts_with("/proc") || real.starts_with("/sys")
}

/// Whether a path ends with the name of the journal's folder.
pub(super) fn is_journal_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_folder(name.as_encoded_bytes()))
}

fn is_folder(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(FOLDER.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_name_counts_whatever_its_case() {
        let why = |path: &str| shut(Path::new(path)).map(|shut| (shut.why, shut.is_readable));
        assert_eq!(why("/a/.ENV"), Some((KEYS.why, false)));
        assert_eq!(why("/a/.lmthing/journal.db-wal"), Some((JOURNAL.why, false)));
        for readable in ["/a/.lmthing", "/a/.LMTHING/types/x.d.ts", "/a/out.jsonl.lmthing", "/a/x.recording.json"] {
            assert_eq!(why(readable).map(|(_, is_readable)| is_readable), Some(true), "{readable}");
        }
        for free in ["/a/env", "/a/journal", "/a/my.lmthing/x", "/a/tsconfig.build.json", "/"] {
            assert_eq!(why(free), None, "{free}");
        }
    }
}
