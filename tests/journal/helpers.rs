//! What a journal holds, as another program finds it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::support::{Ended, Folder};

/// Where the journal of a folder is that nobody has named.
pub const USUAL: &str = ".lmthing/journal.db";

/// Says hello; `config` has what is handed in besides.
pub fn hello(config: &str) -> String {
    format!(
        "export const config = {{ model: 'mock', {config} }};
export const mock = [{{ type: 'text', text: 'Hello' }}];
export default async ({{ $ }}) => {{ $`go`; }};
"
    )
}

/// A run that ended well.
pub fn ran(folder: &Folder, arguments: &str) -> Ended {
    let ended = folder.run(arguments);
    assert_eq!(ended.code, 0, "{arguments}: {ended:?}");
    ended
}

/// What `runs --json` lists, the latest first.
pub fn runs(folder: &Folder, options: &str) -> Vec<Value> {
    ran(folder, &format!("runs --json {options}")).object().as_array().unwrap().clone()
}

/// A member of each run.
pub fn each(runs: &[Value], member: &str) -> Vec<String> {
    runs.iter().map(|run| run[member].as_str().unwrap().to_owned()).collect()
}

/// A failure with these words, and nothing on stdout.
pub fn failed(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{ended:?}");
    words.iter().for_each(|word| assert!(ended.stderr.contains(word), "{word}: {ended:?}"));
}

/// The file of a journal and those beside it.
pub fn files(journal: &Path) -> Vec<PathBuf> {
    let beside = |ending: &str| PathBuf::from(format!("{}{ending}", journal.display()));
    ["", "-wal", "-shm"].map(beside).into_iter().filter(|path| path.exists()).collect()
}

/// All bytes of a journal.
pub fn bytes(journal: &Path) -> Vec<u8> {
    files(journal).iter().flat_map(|path| fs::read(path).unwrap()).collect()
}

/// Whether a journal has a text anywhere.
pub fn holds(journal: &Path, text: &str) -> bool {
    bytes(journal).windows(text.len()).any(|window| window == text.as_bytes())
}
