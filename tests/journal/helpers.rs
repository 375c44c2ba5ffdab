//! Reads journals as another process does.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::support::{Folder, Outcome};

/// The default path of the journal in a folder.
pub(crate) const USUAL: &str = ".lmthing/journal.db";

/// A prompt file that answers "Hello"; `config` is added to its configuration.
pub(crate) fn hello(config: &str) -> String {
    format!(
        "export const config = {{ model: 'mock', {config} }};
export const mock = [{{ type: 'text', text: 'Hello' }}];
export default async ({{ $ }}) => {{ $`go`; }};
"
    )
}

/// Runs a command that must succeed.
pub(crate) fn ran(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome:?}");
    outcome
}

/// The runs that `runs --json` lists, latest first.
pub(crate) fn runs(folder: &Folder, options: &str) -> Vec<Value> {
    ran(folder, &format!("runs --json {options}")).object().as_array().unwrap().clone()
}

/// A member of each run.
pub(crate) fn each(runs: &[Value], member: &str) -> Vec<String> {
    runs.iter().map(|run| run[member].as_str().unwrap().to_owned()).collect()
}

/// Asserts a failure with these words on stderr and nothing on stdout.
pub(crate) fn failed(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (code, ""), "{outcome:?}");
    words.iter().for_each(|word| assert!(outcome.stderr.contains(word), "{word}: {outcome:?}"));
}

/// The files of a journal that exist.
pub(crate) fn files(journal: &Path) -> Vec<PathBuf> {
    let sibling = |ending: &str| PathBuf::from(format!("{}{ending}", journal.display()));
    ["", "-wal", "-shm"].map(sibling).into_iter().filter(|path| path.exists()).collect()
}

pub(crate) fn bytes(journal: &Path) -> Vec<u8> {
    files(journal).iter().flat_map(|path| fs::read(path).unwrap()).collect()
}

/// Whether a text occurs anywhere in a journal.
pub(crate) fn holds(journal: &Path, text: &str) -> bool {
    bytes(journal).windows(text.len()).any(|window| window == text.as_bytes())
}
