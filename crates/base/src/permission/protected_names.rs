//! Files that lmthing finds by name and trusts. A restricted prompt file and its programs must not create or change them in any
//! folder: a later command would act on what they wrote.

use std::path::{Component, Path};

/// How a file is protected, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Protection {
    pub(super) reason: &'static str,
    /// Whether it may be read by a file that has the right to read it.
    pub(super) is_readable: bool,
}

pub(super) const KEYS: Protection = Protection { reason: "it may hold keys", is_readable: false };

/// The journal records the rights of a run; the files that SQLite stores next to it belong to it.
pub(super) const JOURNAL: Protection = Protection { reason: "it is the journal", is_readable: false };

/// A file that was named on the command line or by a variable.
pub(super) const TRUSTED: Protection = Protection { reason: "lmthing trusts what is in it", is_readable: true };

/// The folder of the journal. Programs never get access to it as a whole.
const JOURNAL_FOLDER: &str = ".lmthing";

enum Pattern {
    Is(&'static str),
    Begins(&'static str),
    Ends(&'static str),
}

/// Case is ignored, as some file systems do.
const NAMES: &[(Pattern, Protection)] = &[
    (Pattern::Is(".env"), KEYS),
    (Pattern::Begins("journal.db"), JOURNAL),
    (Pattern::Begins("worker.db"), JOURNAL),
    // State of `lmthing map` in `OUT.lmthing`, and the folder of the journal.
    (Pattern::Ends(JOURNAL_FOLDER), Protection { reason: "lmthing keeps its state there", is_readable: true }),
    (Pattern::Is(".mcp.json"), Protection { reason: "lmthing starts the servers that it names", is_readable: true }),
    (
        Pattern::Ends(".recording.json"),
        Protection { reason: "lmthing test replays answers from it", is_readable: true },
    ),
    (Pattern::Is("tsconfig.json"), Protection { reason: "it says where imports lead", is_readable: true }),
    (Pattern::Is("jsconfig.json"), Protection { reason: "it says where imports lead", is_readable: true }),
];

pub(super) fn protection(real: &Path) -> Option<Protection> {
    let own = real.file_name().and_then(|name| protection_by_name(&name.to_string_lossy()));
    let is_inside =
        || real.components().any(|part| matches!(part, Component::Normal(name) if is_folder(name.as_encoded_bytes())));
    own.or_else(|| is_inside().then(|| protection_by_name(JOURNAL_FOLDER)).flatten())
}

pub(super) fn protection_by_name(name: &str) -> Option<Protection> {
    let name = name.to_ascii_lowercase();
    let fits = |pattern: &Pattern| match pattern {
        Pattern::Is(text) => name == *text,
        Pattern::Begins(text) => name.starts_with(text),
        Pattern::Ends(text) => name.ends_with(text),
    };
    NAMES.iter().find(|(pattern, _)| fits(pattern)).map(|(_, protected)| *protected)
}

/// Whether a real path belongs to the kernel. Nothing is written there: root could start programs by its settings.
pub(super) fn is_kernel_path(real: &Path) -> bool {
    real.starts_with("/proc") || real.starts_with("/sys")
}

pub(super) fn is_journal_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_folder(name.as_encoded_bytes()))
}

fn is_folder(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(JOURNAL_FOLDER.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_name_counts_whatever_its_case() {
        let reason =
            |path: &str| protection(Path::new(path)).map(|protected| (protected.reason, protected.is_readable));
        assert_eq!(reason("/a/.ENV"), Some((KEYS.reason, false)));
        assert_eq!(reason("/a/.lmthing/journal.db-wal"), Some((JOURNAL.reason, false)));
        for readable in ["/a/.lmthing", "/a/.LMTHING/types/x.d.ts", "/a/out.jsonl.lmthing", "/a/x.recording.json"] {
            assert_eq!(reason(readable).map(|(_, is_readable)| is_readable), Some(true), "{readable}");
        }
        for free in ["/a/env", "/a/journal", "/a/my.lmthing/x", "/a/tsconfig.build.json", "/"] {
            assert_eq!(reason(free), None, "{free}");
        }
    }
}
