//! Kinds and sizes of files that providers take in messages (docs/reference/providers.md). What is surely refused is
//! found before the request.

use std::rc::Rc;

use crate::wire::{Media, MediaSource, OFFICE_TYPES, UnsupportedContent};
use lmthing_base::chat::{Message, Role};

/// Files of some media types. A type that ends in `/` stands for all that begin with it.
struct FileKind {
    types: &'static [&'static str],
    /// In bytes of the file; `None` where the provider states no limit.
    limit: Option<u64>,
}

struct FileLimits {
    provider: &'static str,
    /// As in messages.
    name: &'static str,
    kinds: &'static [FileKind],
}

const MIB: u64 = 1 << 20;

const fn kind(types: &'static [&'static str]) -> FileKind {
    FileKind { types, limit: None }
}

const fn limited(types: &'static [&'static str], limit: u64) -> FileKind {
    FileKind { types, limit: Some(limit) }
}

const WEB_PICTURES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Which formats a model takes is not the same everywhere.
const ANY_PICTURES: &[&str] = &["image/"];

const PDF: &[&str] = &["application/pdf"];

const SOUNDS: &[&str] = &["audio/wav", "audio/mpeg"];

const TEXT: &[&str] = &["text/", "application/json"];

static LIMITS: [FileLimits; 9] = [
    // developers.openai.com/api/docs: "Images and vision", "File inputs", "Audio and speech". Audio is for chat
    // completions, Office files are for responses.
    FileLimits {
        provider: "openai",
        name: "OpenAI",
        kinds: &[kind(WEB_PICTURES), limited(PDF, 50 * MIB), kind(SOUNDS), kind(&OFFICE_TYPES), kind(TEXT)],
    },
    // learn.microsoft.com, Azure OpenAI: "Use vision-enabled chat models", "Responses API".
    FileLimits {
        provider: "azure",
        name: "Azure OpenAI",
        kinds: &[limited(WEB_PICTURES, 20 * MIB), kind(PDF), kind(SOUNDS), kind(&OFFICE_TYPES), kind(TEXT)],
    },
    // platform.claude.com/docs: "Vision", "PDF support". A picture has at most 10 MB in base64, a request 32 MB.
    FileLimits {
        provider: "anthropic",
        name: "Anthropic",
        kinds: &[limited(WEB_PICTURES, 15 * MIB / 2), limited(PDF, 24 * MIB), kind(TEXT)],
    },
    // ai.google.dev/gemini-api/docs: "File input methods", "Image", "Audio", "Video", "Document understanding".
    FileLimits {
        provider: "google",
        name: "Google",
        kinds: &[
            limited(ANY_PICTURES, 100 * MIB),
            limited(PDF, 50 * MIB),
            limited(&["audio/", "video/"], 100 * MIB),
            limited(TEXT, 100 * MIB),
        ],
    },
    // cloud.google.com/vertex-ai/generative-ai/docs: "Image", "Document", "Audio", "Video understanding".
    FileLimits {
        provider: "vertex",
        name: "Google Vertex",
        kinds: &[
            limited(ANY_PICTURES, 7 * MIB),
            limited(PDF, 50 * MIB),
            limited(&["audio/", "video/"], 100 * MIB),
            limited(TEXT, 100 * MIB),
        ],
    },
    // docs.mistral.ai: "Vision", "Document AI", "Audio".
    FileLimits {
        provider: "mistral",
        name: "Mistral",
        kinds: &[limited(WEB_PICTURES, 10 * MIB), limited(PDF, 50 * MIB), kind(&["audio/"]), kind(TEXT)],
    },
    // console.groq.com/docs/vision: a picture in base64 has at most 4 MB.
    FileLimits { provider: "groq", name: "Groq", kinds: &[limited(&["image/"], 4 * MIB), kind(TEXT)] },
    // docs.cohere.com/docs/image-inputs: 20 pictures and 20 MB in all.
    FileLimits { provider: "cohere", name: "Cohere", kinds: &[limited(WEB_PICTURES, 20 * MIB), kind(TEXT)] },
    // docs.aws.amazon.com/bedrock: "Message" and the blocks of the API reference. PDFs have other limits with some models.
    FileLimits {
        provider: "bedrock",
        name: "Bedrock",
        kinds: &[
            limited(WEB_PICTURES, 15 * MIB / 4),
            kind(PDF),
            limited(
                &[
                    "application/msword",
                    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                    "application/vnd.ms-excel",
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                ],
                9 * MIB / 2,
            ),
            limited(TEXT, 9 * MIB / 2),
            kind(&["audio/", "video/"]),
        ],
    },
];

/// Why the provider would refuse a file of these messages.
pub(super) fn refusal(provider: &str, messages: &[Rc<Message>]) -> Option<UnsupportedContent> {
    let limits = LIMITS.iter().find(|limits| limits.provider == provider)?;
    let users = messages.iter().filter(|message| message.role == Role::User);
    users.flat_map(|message| message.content_parts()).filter_map(Media::of).find_map(|media| limits.refusal(&media))
}

impl FileLimits {
    fn refusal(&self, media: &Media<'_>) -> Option<UnsupportedContent> {
        // The content of a URL is not known.
        let MediaSource::Base64(data) = media.source else { return None };
        let Some(kind) = self.kinds.iter().find(|kind| kind.has(&media.media_type)) else {
            return Some(media.refused_with(self.name, &format!("; it takes {}", self.all_types())));
        };
        let size = size(data);
        let limit = kind.limit.filter(|limit| size > *limit)?;
        let (name, media_type) = (self.name, &media.media_type);
        Some(UnsupportedContent::of_file(
            media.filename,
            &format!("{} of {media_type}, and {name} takes at most {}", megabytes(size), megabytes(limit)),
        ))
    }

    fn all_types(&self) -> String {
        let types: Vec<String> = self.kinds.iter().flat_map(|kind| kind.types).map(|name| shown(name)).collect();
        types.join(", ")
    }
}

impl FileKind {
    fn has(&self, media_type: &str) -> bool {
        self.types.iter().any(|known| match known.ends_with('/') {
            true => media_type.starts_with(known),
            false => media_type == *known,
        })
    }
}

fn shown(media_type: &str) -> String {
    if media_type.ends_with('/') { format!("{media_type}*") } else { media_type.to_owned() }
}

/// The number of bytes that base64 stands for.
fn size(data: &str) -> u64 {
    let padding = data.bytes().rev().take(2).filter(|byte| *byte == b'=').count();
    (data.len() as u64 / 4 * 3 + data.len() as u64 % 4 * 3 / 4).saturating_sub(padding as u64)
}

fn megabytes(bytes: u64) -> String {
    let tenths = (bytes * 100).div_ceil(MIB);
    match (tenths / 100, tenths % 100) {
        (whole, 0) => format!("{whole} MiB"),
        (whole, rest) => format!("{} MiB", format!("{whole}.{rest:02}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use lmthing_base::chat::ContentPart;

    use super::*;

    fn refused(provider: &str, media_type: &str, size: usize) -> Option<String> {
        let part = ContentPart::File {
            data: STANDARD.encode(vec![b'a'; size]),
            media_type: media_type.into(),
            filename: Some("it".into()),
            provider_options: None,
        };
        let message = Rc::new(Message::parts(Role::User, vec![part]));
        refusal(provider, &[message]).map(|refused| refused.to_string())
    }

    #[test]
    fn kinds_and_sizes_are_checked() {
        let mib = 1 << 20;
        assert_eq!(refused("anthropic", "image/png", 15 * mib / 2), None);
        assert_eq!(
            refused("anthropic", "image/png", 15 * mib / 2 + 1).as_deref(),
            Some("it: 7.51 MiB of image/png, and Anthropic takes at most 7.5 MiB")
        );
        assert_eq!(
            refused("anthropic", "audio/wav", 10).as_deref(),
            Some(
                "it: Anthropic does not take audio/wav files in messages; it takes image/png, image/jpeg, image/gif, \
                 image/webp, application/pdf, text/*, application/json"
            )
        );
        assert_eq!(refused("bedrock", "image/png", 15 * mib / 4 + 1).map(|text| text.contains("3.75 MiB")), Some(true));
        for (provider, media_type) in [
            ("google", "video/mp4"),
            ("google", "image/gif"),
            ("bedrock", "video/mp4"),
            ("openai", "audio/wav"),
            ("openai", OFFICE_TYPES[0]),
            ("local", "image/x-any"),
        ] {
            assert_eq!(refused(provider, media_type, 10), None, "{provider}");
        }
        assert!(refused("google", "application/zip", 10).is_some());
    }

    #[test]
    fn sizes_are_those_of_the_content() {
        for length in 0..9 {
            let data = STANDARD.encode(vec![0; length]);
            assert_eq!((size(&data), size(data.trim_end_matches('='))), (length as u64, length as u64));
        }
    }
}
