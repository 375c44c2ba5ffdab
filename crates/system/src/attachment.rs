//! Files as parts of messages. Their kind is found by their content.

use std::{io, path::Path, time::UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use lmthing_base::{chat::ContentPart, diagnostic::did_you_mean, input::InputFile};
use thiserror::Error;

use crate::user_file;

const ZIP: &str = "application/zip";

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
const USUAL_TYPES: [(&str, &str); 12] = [
    ("application/x-pdf", "application/pdf"),
    ("audio/m4a", "audio/mp4"),
    ("audio/mp3", "audio/mpeg"),
    ("audio/vnd.wave", "audio/wav"),
    ("audio/wave", "audio/wav"),
    ("audio/x-aiff", "audio/aiff"),
    ("audio/x-flac", "audio/flac"),
    ("audio/x-m4a", "audio/mp4"),
    ("audio/x-wav", "audio/wav"),
    ("image/jpg", "image/jpeg"),
    ("image/pjpeg", "image/jpeg"),
    ("image/x-png", "image/png"),
];

/// What servers and browsers state for content that they do not know.
const UNKNOWN: &str = "application/octet-stream";

/// Zip archives with a folder of this name are Office files.
const OFFICE_FOLDERS: [(&str, &str); 3] = [
    ("ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

/// Why a file cannot be attached, as a sentence that begins with its path.
#[derive(Debug, Error)]
pub enum AttachmentError {
    #[error("{path}: there is no such file{meant}")]
    Missing { path: String, meant: String },
    #[error("standard input is added to the question as text; a file of a pipe is attached with -a /dev/stdin")]
    StandardInput,
    #[error("{0}: the file is empty")]
    Empty(String),
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
        io::ErrorKind::NotFound if path == Path::new("-") => AttachmentError::StandardInput,
        io::ErrorKind::NotFound => {
            let meant = did_you_mean(path, |_| true).map(|meant| format!(". {meant}")).unwrap_or_default();
            AttachmentError::Missing { path: shown(), meant }
        }
        io::ErrorKind::IsADirectory => AttachmentError::Folder(shown()),
        _ => AttachmentError::Unreadable { path: shown(), source },
    })?;
    if bytes.is_empty() {
        return Err(AttachmentError::Empty(shown()));
    }
    let name = path.file_name().map(|name| name.to_string_lossy());
    media_type(&bytes, name.as_deref()).ok_or_else(|| AttachmentError::UnknownKind(shown()))?;
    Ok(part(&bytes, name.as_deref(), ""))
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

/// A file as a part of a message: text as text with its name, everything else as a file.
pub fn part(bytes: &[u8], name: Option<&str>, stated: &str) -> ContentPart {
    let is_of_media = ["image/", "audio/", "video/"].iter().any(|kind| stated.starts_with(kind));
    if let Some(text) = text_of(bytes).filter(|_| !is_of_media || stated == "image/svg+xml") {
        return text_part(text, name);
    }
    ContentPart::File {
        data: base64(bytes),
        media_type: sent_type(bytes, name, stated),
        filename: name.map(str::to_owned),
        provider_options: None,
    }
}

/// The media type for a provider. Content of a known kind has the type of that kind, other content the stated one.
pub fn sent_type(bytes: &[u8], name: Option<&str>, stated: &str) -> String {
    let stated = usual_type(stated.split(';').next().unwrap_or_default().trim());
    let is_stated = !matches!(stated, "" | UNKNOWN | "binary/octet-stream");
    let (is_text, is_sound) = (text_of(bytes).is_some(), stated.starts_with("audio/"));
    match media_type(bytes, name) {
        // Containers do not say what they contain.
        Some(found) if is_stated && (found == ZIP || is_text || found.starts_with("video/") && is_sound) => stated,
        Some(found) => found,
        None if is_stated => stated,
        None => UNKNOWN,
    }
    .to_owned()
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
    if is_pdf(bytes) {
        return Some("application/pdf");
    }
    let found = usual_type(infer::get(bytes)?.mime_type());
    Some(if found == ZIP { office_type(bytes).unwrap_or(ZIP) } else { found })
}

fn usual_type(name: &str) -> &str {
    USUAL_TYPES.iter().find(|(other, _)| *other == name).map_or(name, |(_, usual)| usual)
}

/// White space and a byte order mark may come first.
fn is_pdf(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start().starts_with(b"%PDF-")
}

/// The type of an Office file by the names of its entries, whose order is free.
fn office_type(bytes: &[u8]) -> Option<&'static str> {
    let names = zip_names(bytes)?;
    names.contains(&&b"[Content_Types].xml"[..]).then_some(())?;
    let has = |folder: &str| names.iter().any(|name| name.starts_with(folder.as_bytes()));
    OFFICE_FOLDERS.iter().find(|(folder, _)| has(folder)).map(|(_, media_type)| *media_type)
}

/// The names in the central directory of a zip archive.
fn zip_names(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let number = |at: usize, length: usize| {
        let field = bytes.get(at..at.checked_add(length)?)?;
        Some(field.iter().rev().fold(0, |number, byte| (number << 8) | usize::from(*byte)))
    };
    // A comment of up to 64 KiB may follow.
    let tail = bytes.len().saturating_sub(22 + (64 << 10));
    let end = tail + bytes[tail..].windows(4).rposition(|signature| signature == b"PK\x05\x06")?;
    let (mut at, mut names) = (number(end + 16, 4)?, Vec::new());
    while bytes.get(at..at.checked_add(4)?) == Some(b"PK\x01\x02") {
        let (name, extra, comment) = (number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?);
        names.push(bytes.get(at + 46..at + 46 + name)?);
        at += 46 + name + extra + comment;
    }
    Some(names)
}

/// Text is UTF-8 without control characters; logs may have colours. A PDF may consist of text only.
fn text_of(bytes: &[u8]) -> Option<&str> {
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31 | 127);
    let is_text = !is_pdf(bytes) && !bytes.iter().any(is_control);
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
        let cases: [(&[u8], &str, Option<&str>); 13] = [
            (png, "notes.txt", Some("image/png")),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a", Some("image/jpeg")),
            (b"%PDF-1.7\nplain characters", "a.txt", Some("application/pdf")),
            (b"\xef\xbb\xbf\n%PDF-1.4", "a.txt", Some("application/pdf")),
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
            ContentPart::Text { text, .. } => text.as_str().to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text(b"one", Some("a \"b\".md"), ""), "<file name=\"a &quot;b&quot;.md\">\none\n</file>");
        assert_eq!(
            text(b"{}\n", Some("a.json"), "application/json; charset=utf-8"),
            "<file name=\"a.json\">\n{}\n</file>"
        );
        assert_eq!(text(b"one", None, ""), "one");
        assert!(matches!(part(b"one", None, "image/png"), ContentPart::File { .. }));
    }

    #[test]
    fn known_content_decides_the_type() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        let webm = b"\x1a\x45\xdf\xa3\x93\x42\x82\x88webm\x42\x87\x81";
        let cases: [(&[u8], &str, &str); 8] = [
            (png, "application/octet-stream", "image/png"),
            (png, "text/plain", "image/png"),
            (png, "image/x-png", "image/png"),
            (b"\x01\x02", "image/jpg; q=1", "image/jpeg"),
            (b"\x01\x02", "audio/x-wav", "audio/wav"),
            (b"\x01\x02", "binary/octet-stream", "application/octet-stream"),
            (b"\x01\x02", "", "application/octet-stream"),
            (webm, "audio/webm", "audio/webm"),
        ];
        for (bytes, stated, expected) in cases {
            assert_eq!(sent_type(bytes, Some("a"), stated), expected, "{stated}");
        }
    }

    /// A zip archive without content.
    fn zip(names: &[&str]) -> Vec<u8> {
        let mut bytes: Vec<u8> = Vec::new();
        let header = |signature: &[u8], name: &str, before: usize, after: usize| {
            let length = u16::try_from(name.len()).unwrap().to_le_bytes();
            [signature, &vec![0; before], &length, &vec![0; after], name.as_bytes()].concat()
        };
        names.iter().for_each(|name| bytes.extend(header(b"PK\x03\x04", name, 22, 2)));
        let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
        names.iter().for_each(|name| bytes.extend(header(b"PK\x01\x02", name, 24, 16)));
        bytes.extend([b"PK\x05\x06", &[0; 12][..], &start, &[0; 2]].concat());
        bytes
    }

    #[test]
    fn office_files_have_entries_in_any_order() {
        let found = |names: &[&str]| media_type(&zip(names), Some("a.bin")).unwrap().rsplit('.').next().unwrap();
        let types = "[Content_Types].xml";
        assert_eq!(found(&["docProps/a.xml", "customXml/b", "_rels/.rels", "word/document.xml", types]), "document");
        assert_eq!(found(&[types, "_rels/.rels", "x", "y", "z", "xl/workbook.xml"]), "sheet");
        assert_eq!(found(&["_rels/.rels", types, "ppt/presentation.xml"]), "presentation");
        assert_eq!(found(&["a/word/x", "b"]), "application/zip");
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
