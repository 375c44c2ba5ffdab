//! Files as parts of messages. Their kind is found by their content.

use std::{io, path::Path, time::UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use lmthing_base::{chat::ContentPart, input::InputFile};
use thiserror::Error;

use crate::user_file;

/// More than any provider takes in a request.
pub const MAX_ATTACHMENT: u64 = 256 << 20;

/// Media types of text by the ending of the file's name. Other text is `text/plain`.
const TEXT_TYPES: [(&str, &str); 11] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("svg", "image/svg+xml"),
    ("tsv", "text/tab-separated-values"),
    ("xml", "text/xml"),
];

/// Names that providers use instead of the ones of the crate `infer`.
const USUAL_TYPES: [(&str, &str); 4] = [
    ("audio/m4a", "audio/mp4"),
    ("audio/x-aiff", "audio/aiff"),
    ("audio/x-flac", "audio/flac"),
    ("audio/x-wav", "audio/wav"),
];

/// Why a file cannot be attached, as a sentence that begins with its path.
#[derive(Debug, Error)]
pub enum AttachmentError {
    #[error("{0}: there is no such file")]
    Missing(String),
    #[error("{0} is a folder; attach the files in it one by one")]
    Folder(String),
    #[error("{path} cannot be read: {source}")]
    Unreadable { path: String, source: io::Error },
    #[error("{0}: its content is of no known kind; pictures, PDF, audio and text in UTF-8 can be attached")]
    UnknownKind(String),
}

/// Reads a file as a part of a message.
pub fn read(path: &Path) -> Result<ContentPart, AttachmentError> {
    let shown = || path.display().to_string();
    let bytes = user_file::read(path, MAX_ATTACHMENT).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => AttachmentError::Missing(shown()),
        io::ErrorKind::IsADirectory => AttachmentError::Folder(shown()),
        _ => AttachmentError::Unreadable { path: shown(), source },
    })?;
    let name = path.file_name().map(|name| name.to_string_lossy());
    part(&bytes, name.as_deref(), "").ok_or_else(|| AttachmentError::UnknownKind(shown()))
}

/// Reads a file for the input of a prompt file. Its kind may be unknown.
pub fn input_file(path: &Path) -> io::Result<InputFile> {
    let bytes = user_file::read(path, MAX_ATTACHMENT)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let modified = std::fs::metadata(path).and_then(|found| found.modified()).ok();
    let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(InputFile {
        media_type: media_type(&bytes, Some(&name)).unwrap_or_default().to_owned(),
        name,
        bytes,
        last_modified: since_epoch.and_then(|time| i64::try_from(time.as_millis()).ok()),
    })
}

/// A file as a part of a message: text as text with its name, everything else as a file. The media type is the stated
/// one unless that is empty. `None` if there is none.
pub fn part(bytes: &[u8], name: Option<&str>, stated: &str) -> Option<ContentPart> {
    let stated = stated.split(';').next().unwrap_or_default().trim();
    let is_of_media = ["image/", "audio/", "video/"].iter().any(|kind| stated.starts_with(kind));
    if let Some(text) = text_of(bytes).filter(|_| !is_of_media || stated == "image/svg+xml") {
        return Some(text_part(text, name));
    }
    let media_type = if stated.is_empty() { media_type(bytes, name)? } else { stated };
    Some(ContentPart::File {
        data: base64(bytes),
        media_type: media_type.to_owned(),
        filename: name.map(str::to_owned),
        provider_options: None,
    })
}

/// Content as messages have it.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The media type of content; of text, the name of the file says more. `None` if its kind is unknown.
pub fn media_type(bytes: &[u8], name: Option<&str>) -> Option<&'static str> {
    if text_of(bytes).is_some() {
        let ending = name.and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending.to_ascii_lowercase());
        let known = TEXT_TYPES.iter().find(|(of, _)| ending.as_deref() == Some(of));
        return Some(known.map_or("text/plain", |(_, media_type)| media_type));
    }
    let found = infer::get(bytes)?.mime_type();
    let usual = USUAL_TYPES.iter().find(|(name, _)| *name == found);
    Some(usual.map_or(found, |(_, usual)| usual))
}

/// Text is UTF-8 without control characters; logs may have colours. A PDF may consist of such characters too.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31 | 127);
    let is_text = !bytes.starts_with(b"%PDF-") && !bytes.iter().any(is_control);
    std::str::from_utf8(bytes).ok().filter(|_| is_text)
}

fn text_part(text: &str, name: Option<&str>) -> ContentPart {
    let Some(name) = name else { return ContentPart::text(text) };
    let name = name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    ContentPart::text(format!("<file name=\"{name}\">\n{text}{line_end}</file>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_content() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        let wav = b"RIFF\x24\0\0\0WAVEfmt ";
        let cases: [(&[u8], &str, Option<&str>); 12] = [
            (png, "notes.txt", Some("image/png")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a", Some("image/jpeg")),
            (b"%PDF-1.7\nplain characters", "a.txt", Some("application/pdf")),
            (wav, "a.mp3", Some("audio/wav")),
            (b"\xff\xf3\x84\xc4\0\0", "a", Some("audio/mpeg")),
            (b"\0\0\0\x1cftypM4A \0\0\0\0", "a", Some("audio/mp4")),
            ("BM and GIF8: grüße\n".as_bytes(), "a.png", Some("text/plain")),
            (b"a,b\n1,2\n", "rows.CSV", Some("text/csv")),
            (b"\x1b[31mred\x1b[0m\r\n", "build.log", Some("text/plain")),
            (b"", "empty", Some("text/plain")),
            (b"\x01\x02\x03\x04", "a.txt", None),
            (b"gr\xfc\xdfe", "a.txt", None),
        ];
        for (bytes, name, expected) in cases {
            assert_eq!(media_type(bytes, Some(name)), expected, "{name}: {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn text_is_sent_with_its_name() {
        let text = |bytes: &[u8], name, stated| match part(bytes, name, stated) {
            Some(ContentPart::Text { text, .. }) => text.as_str().to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text(b"one", Some("a \"b\".md"), ""), "<file name=\"a &quot;b&quot;.md\">\none\n</file>");
        assert_eq!(
            text(b"{}\n", Some("a.json"), "application/json; charset=utf-8"),
            "<file name=\"a.json\">\n{}\n</file>"
        );
        assert_eq!(text(b"one", None, ""), "one");
        assert!(matches!(part(b"one", None, "image/png"), Some(ContentPart::File { .. })));
        assert!(part(b"\x01\x02", Some("a"), "").is_none());
    }

    #[test]
    fn files_that_cannot_be_attached_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().display();
        let error = |path: &Path| read(path).unwrap_err().to_string();
        assert_eq!(error(&folder.path().join("a.png")), format!("{shown}/a.png: there is no such file"));
        assert_eq!(error(folder.path()), format!("{shown} is a folder; attach the files in it one by one"));
        std::fs::write(folder.path().join("b"), [1, 2]).unwrap();
        assert!(error(&folder.path().join("b")).starts_with(&format!("{shown}/b: its content is of no known kind")));
    }
}
