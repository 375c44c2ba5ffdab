//! Messages about recordings of tests.

use std::{io, path::Path};

use super::{recording::Unusable, tested_file::TestedFile};
use lmthing_base::diagnostic::{Diagnostic, closest};

pub(super) fn shown(path: &Path) -> String {
    let directory = std::env::current_dir().and_then(|directory| directory.canonicalize()).unwrap_or_default();
    path.strip_prefix(directory).unwrap_or(path).display().to_string()
}

pub(super) fn refused(model: &str, file: &TestedFile) -> Diagnostic {
    let hint = if file.is_prompt {
        format!("record its run with: lmthing run --record {} {}", quoted(&shown(&file.own)), quoted(&path_of(file)))
    } else {
        format!("give run() a mock or a recording, or ask the model with: {}", command("--live", file))
    };
    would_ask(model).with_hint(hint)
}

pub(super) fn refused_own(model: &str, file: &TestedFile) -> Diagnostic {
    let record = command("--record", file);
    would_ask(model).with_hint(format!("keep its answers in {} with: {record}", shown(&file.own)))
}

fn would_ask(model: &str) -> Diagnostic {
    Diagnostic::new(format!("this test would ask {model}; no test asks a model without --live or --record"))
}

/// For a request that no exchange answers; `why` has several lines.
pub(super) fn no_match(why: String, file: &TestedFile) -> Diagnostic {
    Diagnostic::new(why)
        .with_hint(format!("renew the recording with: {}, or undo what changed the request", command("--record", file)))
}

/// The same in a test whose model is [`RECORDED_MODEL`](super::RECORDED_MODEL).
pub(super) fn no_match_of_export(why: String) -> Diagnostic {
    let hint = "undo what changed the request, or run the prompt file again and export it as a test once more: lmthing runs \
                export ID --as-test";
    Diagnostic::new(why).with_hint(hint)
}

pub(super) fn unusable(path: &Path, why: &Unusable, file: &TestedFile) -> Diagnostic {
    let shown = shown(path);
    let record = command("--record", file);
    match why {
        Unusable::Missing => {
            let similar_file = similar_file(path)
                .map(|similar_file| format!("did you mean {similar_file}? Otherwise "))
                .unwrap_or_default();
            Diagnostic::new(format!("there is no recording {shown}"))
                .with_hint(format!("{similar_file}make it, with keys set: {record}"))
        }
        Unusable::Unreadable(error) => {
            Diagnostic::new(format!("cannot read the recording {shown}: {}", io_message(error)))
        }
        Unusable::Unwritable(error) => {
            Diagnostic::new(format!("cannot write the recording {shown}: {}", io_message(error)))
        }
        Unusable::Broken(what) => Diagnostic::new(format!("{shown} is no recording: {what}"))
            .with_hint(format!("recordings are what this writes: {record}")),
    }
}

pub(super) fn io_message(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase(),
    }
}

/// A JSON file in the same folder with a similar name.
fn similar_file(path: &Path) -> Option<String> {
    let entries = std::fs::read_dir(path.parent()?).ok()?.flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let names = names.iter().map(String::as_str).filter(|name| name.ends_with(".json"));
    closest(&path.file_name()?.to_string_lossy(), names).map(str::to_owned)
}

fn path_of(file: &TestedFile) -> String {
    file.shown.display().to_string()
}

fn command(option: &str, file: &TestedFile) -> String {
    format!("lmthing {} {option} {}", file.command, quoted(&path_of(file)))
}

fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./\\:@%+,".contains(c);
    if argument.chars().all(is_plain) { argument.to_owned() } else { format!("'{}'", argument.replace('\'', "'\\''")) }
}

/// For a model that failed temporarily while recording.
pub(super) fn unanswered(model: &str, why: &str) -> Diagnostic {
    Diagnostic::new(format!("{model} gave no answer that could be recorded: {why}"))
        .with_hint("nothing of it was recorded; it is asked again the next time")
}
