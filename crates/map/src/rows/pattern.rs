//! Rows of `--each PATTERN`: `{path, text}` for each matching file, without `text` for what is no text.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use serde_json::{Map, Value};

use super::record::{Fault, Record, Values};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_system::{attachment::MAX_ATTACHMENT, files::io_error_text, user_file};

const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

pub(super) fn files(pattern: &str) -> Result<(Vec<PathBuf>, GlobMatcher), Box<Diagnostic>> {
    let typed = pattern.strip_prefix("./").unwrap_or(pattern);
    let glob = GlobBuilder::new(typed).literal_separator(true).build();
    let glob = glob.map_err(|error| Diagnostic::new(format!("--each {pattern}: {}", error.kind())))?.compile_matcher();
    let folder = literal_folder(typed);
    let is_here = folder.as_os_str().is_empty();
    // As in a shell, a pattern matches hidden files only if it contains the dot.
    let takes_hidden = Path::new(typed).components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
    let mut walk = WalkBuilder::new(if is_here { Path::new(".") } else { &folder });
    walk.standard_filters(false).hidden(!takes_hidden).follow_links(true);
    let mut files: Vec<PathBuf> = walk
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.path().strip_prefix("./").map(Path::to_owned).unwrap_or_else(|_| entry.path().to_owned()))
        .filter(|path| glob.is_match(path))
        .collect();
    files.sort();
    if files.is_empty() {
        let problem = Diagnostic::new(format!("--each {pattern}: no file is named so"));
        return Err(Box::new(
            problem.with_hint("a pattern in quotes, such as 'docs/**/*.md', is left alone by the shell"),
        ));
    }
    Ok((files, glob))
}

/// The longest prefix of the pattern without special characters.
fn literal_folder(pattern: &str) -> PathBuf {
    let path = Path::new(pattern);
    let folder = path.parent().unwrap_or(Path::new(""));
    folder.components().take_while(|part| !part.as_os_str().to_string_lossy().contains(SPECIAL)).collect()
}

pub(super) fn records(files: Vec<PathBuf>) -> impl Iterator<Item = Result<Record, Fault>> {
    files.into_iter().map(|path| {
        let shown = path.display().to_string();
        let bytes = user_file::read(&path, MAX_ATTACHMENT)
            .map_err(|error| Fault::Row(format!("cannot read {shown}: {}", io_error_text(&error))))?;
        let text = String::from_utf8(bytes).ok();
        let text = text.map(|text| text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text));
        let row = [("path", Some(shown)), ("text", text)];
        let row = row.into_iter().filter_map(|(key, value)| Some((key.to_owned(), Value::String(value?))));
        Ok(Record { line: None, values: Values::Object(row.collect::<Map<_, _>>()) })
    })
}
