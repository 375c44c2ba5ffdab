//! Images and files in messages.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use lmthing_base::chat::{ContentPart, ProviderOptions, ToolPart};
use thiserror::Error;

/// Office files by the usual endings of their names.
const OFFICE_ENDINGS: [&str; 7] = ["docx", "xlsx", "pptx", "doc", "xls", "ppt", "odt"];

pub(crate) const OFFICE_TYPES: [&str; 7] = [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.oasis.opendocument.text",
];

/// Content that a wire format cannot express or a provider does not take, as a sentence.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{sentence}")]
pub struct UnsupportedContent {
    sentence: String,
    /// Whether it is a file in a message.
    pub is_file: bool,
}

impl UnsupportedContent {
    pub(super) fn new(sentence: String) -> Self {
        UnsupportedContent { sentence, is_file: false }
    }

    pub(crate) fn of_file(name: Option<&str>, problem: &str) -> Self {
        let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
        UnsupportedContent { sentence: format!("{name}{problem}"), is_file: true }
    }
}

/// An image or file, with its media type and where its content is.
#[derive(Clone, Debug, PartialEq)]
pub struct Media<'a> {
    pub media_type: String,
    pub source: Source<'a>,
    pub filename: Option<&'a str>,
    pub options: Option<&'a ProviderOptions>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    Url(&'a str),
    Base64(&'a str),
}

impl<'a> Media<'a> {
    pub(super) fn of_result(part: &'a ToolPart) -> Option<Media<'a>> {
        match part {
            ToolPart::Text { .. } => None,
            ToolPart::Media { data, media_type } => Some(Media {
                media_type: media_type.clone(),
                source: Source::Base64(data),
                filename: None,
                options: None,
            }),
        }
    }

    /// `None` for a part without media.
    pub fn of(part: &'a ContentPart) -> Option<Media<'a>> {
        match part {
            ContentPart::Image { image, media_type, provider_options } => {
                Some(Media::new(image, media_type.as_deref().unwrap_or("image/*"), None, provider_options.as_ref()))
            }
            ContentPart::File { data, media_type, filename, provider_options } => {
                Some(Media::new(data, media_type, filename.as_deref(), provider_options.as_ref()))
            }
            _ => None,
        }
    }

    fn new(
        text: &'a str,
        media_type: &str,
        filename: Option<&'a str>,
        options: Option<&'a ProviderOptions>,
    ) -> Media<'a> {
        let (source, stated) = split(text);
        // The type in a `data:` URL wins.
        let media_type = stated.unwrap_or(media_type);
        let media_type = if media_type == "image/*" || media_type == "image" || media_type.is_empty() {
            // Services require a type; JPEG is the most likely one.
            sniff(source).unwrap_or("image/jpeg")
        } else {
            media_type
        };
        Media { media_type: media_type.to_owned(), source, filename, options }
    }

    pub(super) fn is_image(&self) -> bool {
        self.media_type.starts_with("image/")
    }

    pub(super) fn is_pdf(&self) -> bool {
        self.media_type == "application/pdf"
    }

    /// The usual ending of the name of a PDF or an Office file.
    pub(super) fn document_ending(&self) -> Option<&'static str> {
        if self.is_pdf() {
            return Some("pdf");
        }
        let place = OFFICE_TYPES.iter().position(|name| *name == self.media_type)?;
        Some(OFFICE_ENDINGS[place])
    }

    pub(super) fn as_url(&self) -> String {
        match self.source {
            Source::Url(url) => url.to_owned(),
            Source::Base64(data) => format!("data:{};base64,{data}", self.media_type),
        }
    }

    pub(super) fn as_text(&self) -> Option<String> {
        match self.source {
            Source::Base64(data) => String::from_utf8(STANDARD.decode(data).ok()?).ok(),
            Source::Url(_) => None,
        }
    }

    /// Text that has its own type, such as CSV or JSON, is text too.
    pub(super) fn is_text(&self) -> bool {
        self.media_type.starts_with("text/") || self.media_type == "application/json"
    }

    /// The content of a text file.
    pub(super) fn text_or_refused(&self, provider: &str) -> Result<String, UnsupportedContent> {
        self.as_text().filter(|_| self.is_text()).ok_or_else(|| self.refused(provider))
    }

    pub(super) fn refused(&self, provider: &str) -> UnsupportedContent {
        self.refused_with(provider, "")
    }

    /// `more` ends the sentence.
    pub(crate) fn refused_with(&self, provider: &str, more: &str) -> UnsupportedContent {
        let by = if matches!(self.source, Source::Url(_)) { " by URL" } else { "" };
        let files = match self.media_type.as_str() {
            "application/octet-stream" => "files of an unknown kind".to_owned(),
            known => format!("{known} files"),
        };
        let problem = format!("{provider} does not take {files}{by} in messages{more}");
        UnsupportedContent::of_file(self.filename, &problem)
    }
}

fn split(text: &str) -> (Source<'_>, Option<&str>) {
    if let Some(rest) = text.strip_prefix("data:") {
        let (head, data) = rest.split_once(',').unwrap_or((rest, ""));
        let media_type = head.split(';').next().filter(|media_type| !media_type.is_empty());
        return (Source::Base64(data), media_type);
    }
    if text.contains("://") { (Source::Url(text), None) } else { (Source::Base64(text), None) }
}

fn sniff(source: Source<'_>) -> Option<&'static str> {
    let Source::Base64(data) = source else { return None };
    [("iVBORw0KGgo", "image/png"), ("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")]
        .into_iter()
        .find_map(|(start, media_type)| data.starts_with(start).then_some(media_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str) -> ContentPart {
        ContentPart::Image { image: text.into(), media_type: None, provider_options: None }
    }

    #[test]
    fn sources_and_types_are_detected() {
        let part = image("data:image/webp;base64,UklGRg==");
        let media = Media::of(&part).unwrap();
        assert_eq!((media.media_type.as_str(), media.source), ("image/webp", Source::Base64("UklGRg==")));

        let part = image("iVBORw0KGgoAAAA");
        let media = Media::of(&part).unwrap();
        assert_eq!(media.as_url(), "data:image/png;base64,iVBORw0KGgoAAAA");

        let part = image("https://example.org/cat.png");
        let media = Media::of(&part).unwrap();
        assert_eq!(media.source, Source::Url("https://example.org/cat.png"));
        assert_eq!(media.as_url(), "https://example.org/cat.png");
    }

    #[test]
    fn text_files_are_decoded() {
        let part = ContentPart::File {
            data: "aGVsbG8=".into(),
            media_type: "text/plain".into(),
            filename: None,
            provider_options: None,
        };
        assert_eq!(Media::of(&part).unwrap().as_text().as_deref(), Some("hello"));
    }
}
