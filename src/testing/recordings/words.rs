//! What people are told about recordings of tests.

use std::{io, path::Path};

use super::{book::Unusable, tested_file::TestedFile};
use crate::diagnostic::{Diagnostic, closest};

/// A path as a person who works in this folder would write it.
pub(super) fn shown(path: &Path) -> String {
    let directory = std::env::current_dir().and_then(|directory| directory.canonicalize()).unwrap_or_default();
    path.strip_prefix(directory).unwrap_or(path).display().to_string()
}

/// Nothing answers a request, and no model may.
pub(super) fn refused(model: &str, file: &TestedFile) -> Diagnostic {
    let hint = if file.is_prompt {
        format!("record its run with: lmthing run --record {} {}", word(&shown(&file.own)), word(&named(file)))
    } else {
        format!("give run() a mock or a recording, or ask the model with: {}", command("--live", file))
    };
    would_ask(model).with_hint(hint)
}

/// The same for what a test file asks itself.
pub(super) fn refused_own(model: &str, file: &TestedFile) -> Diagnostic {
    let record = command("--record", file);
    would_ask(model).with_hint(format!("keep its answers in {} with: {record}", shown(&file.own)))
}

fn would_ask(model: &str) -> Diagnostic {
    Diagnostic::new(format!("this test would ask {model}; no test asks a model without --live or --record"))
}

/// Nothing recorded answers a request; `why` is several lines.
pub(super) fn nothing_equal(why: String, file: &TestedFile) -> Diagnostic {
    Diagnostic::new(why)
        .with_hint(format!("renew the recording with: {}, or undo what changed the request", command("--record", file)))
}

/// A recording that a test names cannot be used.
pub(super) fn unusable(path: &Path, why: &Unusable, file: &TestedFile) -> Diagnostic {
    let shown = shown(path);
    let record = command("--record", file);
    match why {
        Unusable::Missing => {
            let near = near(path).map(|near| format!("did you mean {near}? Otherwise ")).unwrap_or_default();
            Diagnostic::new(format!("there is no recording {shown}"))
                .with_hint(format!("{near}make it, with keys set: {record}"))
        }
        Unusable::Unread(error) => Diagnostic::new(format!("cannot read the recording {shown}: {}", io_words(error))),
        Unusable::Unwritten(error) => {
            Diagnostic::new(format!("cannot write the recording {shown}: {}", io_words(error)))
        }
        Unusable::Broken(what) => Diagnostic::new(format!("{shown} is no recording: {what}"))
            .with_hint(format!("recordings are what this writes: {record}")),
    }
}

/// What happened to a file, without the number that the system has for it.
pub(super) fn io_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}

/// A file beside that looks as if it had been meant.
fn near(path: &Path) -> Option<String> {
    let beside = std::fs::read_dir(path.parent()?).ok()?.flatten();
    let names: Vec<String> = beside.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let names = names.iter().map(String::as_str).filter(|name| name.ends_with(".json"));
    closest(&path.file_name()?.to_string_lossy(), names).map(str::to_owned)
}

fn named(file: &TestedFile) -> String {
    file.shown.display().to_string()
}

fn command(option: &str, file: &TestedFile) -> String {
    format!("lmthing test {option} {}", word(&named(file)))
}

/// A word of a command.
fn word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./\\:@%+,".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// A model was asked for a recording, and failed for reasons that have nothing to do with what it was asked.
pub(super) fn unanswered(model: &str, why: &str) -> Diagnostic {
    Diagnostic::new(format!("{model} gave no answer that could be recorded: {why}"))
        .with_hint("nothing of it was recorded; it is asked again the next time")
}
