//! Kinds and sizes of files that providers take in messages (docs/reference/providers.md). What is surely refused is
//! found before the request.

use std::rc::Rc;

use crate::wire::{Media, MediaSource, OFFICE_TYPES, UnsupportedContent};
use lmthing_base::chat::{Message, Role};

/// Files of some media types.
struct FileKind {
    /// As in messages.
    name: &'static str,
    /// A type that ends in `/` stands for all that begin with it.
    types: &'static [&'static str],
    /// In bytes of the file; `None` where the provider states no limit.
    limit: Option<u64>,
}

/// How many files of some media types one request may have.
struct Count {
    most: usize,
    name: &'static str,
    types: &'static [&'static str],
}

struct FileLimits {
    provider: &'static str,
    /// As in messages.
    name: &'static str,
    kinds: &'static [FileKind],
    /// All files of a request together, in bytes of the files; `None` where the provider states no limit.
    request: Option<u64>,
    counts: &'static [Count],
    /// Whether the counts hold for each message instead of the request.
    counts_messages: bool,
}

const MIB: u64 = 1 << 20;

impl FileKind {
    const fn new(name: &'static str, types: &'static [&'static str]) -> FileKind {
        FileKind { name, types, limit: None }
    }

    const fn up_to(&self, limit: u64) -> FileKind {
        FileKind { name: self.name, types: self.types, limit: Some(limit) }
    }
}

const WEB_PICTURES: FileKind =
    FileKind::new("pictures (PNG, JPEG, GIF, WebP)", &["image/png", "image/jpeg", "image/gif", "image/webp"]);

/// Which formats a model takes is not the same everywhere.
const PICTURES: FileKind = FileKind::new("pictures", &["image/"]);

const PDF: FileKind = FileKind::new("PDF", &["application/pdf"]);

const OFFICE: FileKind = FileKind::new("Word, Excel, PowerPoint, OpenDocument texts", &OFFICE_TYPES);

/// Of OpenAI, in chat completions only.
const CHAT_SOUNDS: FileKind = FileKind::new("WAV and MP3 with the chat completions API", &["audio/wav", "audio/mpeg"]);

const SOUND: FileKind = FileKind::new("sound", &["audio/"]);

const SOUND_AND_VIDEO: FileKind = FileKind::new("sound, video", &["audio/", "video/"]);

const TEXT: FileKind = FileKind::new("text", &["text/", "application/json"]);

const WORD_AND_EXCEL: FileKind = FileKind::new(
    "Word, Excel",
    &[
        "application/msword",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ],
);

const NO_LIMITS: FileLimits =
    FileLimits { provider: "", name: "", kinds: &[], request: None, counts: &[], counts_messages: false };

static LIMITS: [FileLimits; 9] = [
    // developers.openai.com/api/docs: "Images and vision", "File inputs", "Audio and speech". Office files are for
    // responses.
    FileLimits {
        provider: "openai",
        name: "OpenAI",
        kinds: &[WEB_PICTURES, PDF.up_to(50 * MIB), OFFICE, TEXT, CHAT_SOUNDS],
        ..NO_LIMITS
    },
    // learn.microsoft.com, Azure OpenAI: "Use vision-enabled chat models", "Responses API".
    FileLimits {
        provider: "azure",
        name: "Azure OpenAI",
        kinds: &[WEB_PICTURES.up_to(20 * MIB), PDF, OFFICE, TEXT, CHAT_SOUNDS],
        ..NO_LIMITS
    },
    // platform.claude.com/docs: "Vision", "PDF support". A picture has at most 10 MB in base64, a request 32 MB.
    FileLimits {
        provider: "anthropic",
        name: "Anthropic",
        kinds: &[WEB_PICTURES.up_to(15 * MIB / 2), PDF.up_to(24 * MIB), TEXT],
        request: Some(24 * MIB),
        counts: &[Count { most: 600, name: "pictures", types: PICTURES.types }],
        ..NO_LIMITS
    },
    // ai.google.dev/gemini-api/docs: "File input methods", "Image", "Audio", "Video", "Document understanding". A request
    // has at most 100 MB in base64.
    FileLimits {
        provider: "google",
        name: "Google",
        kinds: &[PICTURES, PDF.up_to(50 * MIB), SOUND_AND_VIDEO, TEXT],
        request: Some(75 * MIB),
        ..NO_LIMITS
    },
    // cloud.google.com/vertex-ai/generative-ai/docs: "Image", "Document", "Audio", "Video understanding".
    FileLimits {
        provider: "vertex",
        name: "Google Vertex",
        kinds: &[PICTURES.up_to(7 * MIB), PDF.up_to(50 * MIB), SOUND_AND_VIDEO.up_to(100 * MIB), TEXT],
        ..NO_LIMITS
    },
    // docs.mistral.ai: "Vision", "Document AI", "Audio".
    FileLimits {
        provider: "mistral",
        name: "Mistral",
        kinds: &[WEB_PICTURES.up_to(10 * MIB), PDF.up_to(50 * MIB), SOUND, TEXT],
        counts: &[Count { most: 8, name: "pictures", types: PICTURES.types }],
        ..NO_LIMITS
    },
    // console.groq.com/docs/vision: a request with pictures in base64 has at most 4 MB.
    FileLimits { provider: "groq", name: "Groq", kinds: &[PICTURES, TEXT], request: Some(3 * MIB), ..NO_LIMITS },
    // docs.cohere.com/docs/image-inputs: 20 pictures and 20 MB in all.
    FileLimits {
        provider: "cohere",
        name: "Cohere",
        kinds: &[WEB_PICTURES, TEXT],
        request: Some(20 * MIB),
        counts: &[Count { most: 20, name: "pictures", types: PICTURES.types }],
        ..NO_LIMITS
    },
    // docs.aws.amazon.com/bedrock: "Message" and the blocks of the API reference. PDFs have other limits with some models.
    FileLimits {
        provider: "bedrock",
        name: "Bedrock",
        kinds: &[
            WEB_PICTURES.up_to(15 * MIB / 4),
            PDF,
            WORD_AND_EXCEL.up_to(9 * MIB / 2),
            TEXT.up_to(9 * MIB / 2),
            SOUND_AND_VIDEO,
        ],
        request: None,
        counts: &[
            Count { most: 20, name: "pictures", types: PICTURES.types },
            Count { most: 5, name: "documents", types: &["application/", "text/"] },
        ],
        counts_messages: true,
    },
];

/// Why the provider would refuse a file of these messages.
pub(super) fn refusal(provider: &str, messages: &[Rc<Message>]) -> Option<UnsupportedContent> {
    let limits = LIMITS.iter().find(|limits| limits.provider == provider)?;
    let messages: Vec<Vec<Media<'_>>> = files(messages).collect();
    let all = || messages.iter().flatten();
    let of_counts = || match limits.counts_messages {
        true => messages.iter().find_map(|files| limits.refusal_of_count(files.iter(), "message")),
        false => limits.refusal_of_count(all(), "request"),
    };
    all().find_map(|media| limits.refusal(media)).or_else(|| limits.refusal_of_size(all())).or_else(of_counts)
}

/// Why no provider takes one of these files.
pub(super) fn empty_file(messages: &[Rc<Message>]) -> Option<UnsupportedContent> {
    let empty = files(messages).flatten().find(|media| media.source == MediaSource::Base64(""))?;
    Some(UnsupportedContent::of_file(empty.filename, &format!("the file of type {} is empty", empty.media_type)))
}

/// The files of each message of the user. The contents of URLs are not known.
fn files(messages: &[Rc<Message>]) -> impl Iterator<Item = Vec<Media<'_>>> {
    let users = messages.iter().filter(|message| message.role == Role::User);
    users.map(|message| {
        let media = message.content_parts().iter().filter_map(Media::of);
        media.filter(|media| matches!(media.source, MediaSource::Base64(_))).collect()
    })
}

impl FileLimits {
    fn refusal(&self, media: &Media<'_>) -> Option<UnsupportedContent> {
        let Some(kind) = self.kinds.iter().find(|kind| has(kind.types, media)) else {
            return Some(media.refused_with(self.name, &format!("; it takes {}", self.all_kinds())));
        };
        let size = size(media);
        let limit = kind.limit.filter(|limit| size > *limit)?;
        let (name, media_type) = (self.name, &media.media_type);
        Some(UnsupportedContent::of_file(
            media.filename,
            &format!("{} of {media_type}, and {name} takes at most {}", megabytes(size), megabytes(limit)),
        ))
    }

    fn refusal_of_size<'a>(&self, files: impl Iterator<Item = &'a Media<'a>>) -> Option<UnsupportedContent> {
        let limit = self.request?;
        let (count, total, last) =
            files.fold((0, 0, None), |(count, total, _), media| (count + 1, total + size(media), media.filename));
        let (total, limit) = (Some(total).filter(|total| *total > limit)?, megabytes(limit));
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let problem = format!("{files} of {} in a request, and {} takes at most {limit}", megabytes(total), self.name);
        Some(UnsupportedContent::of_file(last, &problem))
    }

    /// `place` is where the files are counted.
    fn refusal_of_count<'a>(
        &self,
        files: impl Iterator<Item = &'a Media<'a>> + Clone,
        place: &str,
    ) -> Option<UnsupportedContent> {
        self.counts.iter().find_map(|Count { most, name, types }| {
            let mut counted = files.clone().filter(|media| has(types, media));
            let first_beyond = counted.nth(*most)?;
            let count = most + 1 + counted.count();
            let problem = format!("{count} {name} in a {place}, and {} takes at most {most}", self.name);
            Some(UnsupportedContent::of_file(first_beyond.filename, &problem))
        })
    }

    fn all_kinds(&self) -> String {
        self.kinds.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
    }
}

fn has(types: &[&str], media: &Media<'_>) -> bool {
    types.iter().any(|known| match known.ends_with('/') {
        true => media.media_type.starts_with(known),
        false => media.media_type == *known,
    })
}

/// The number of bytes of the content.
fn size(media: &Media<'_>) -> u64 {
    let MediaSource::Base64(data) = media.source else { return 0 };
    let padding = data.bytes().rev().take(2).filter(|byte| *byte == b'=').count();
    (data.len() as u64 / 4 * 3 + data.len() as u64 % 4 * 3 / 4).saturating_sub(padding as u64)
}

fn megabytes(bytes: u64) -> String {
    let hundredths = (bytes * 100).div_ceil(MIB);
    match (hundredths / 100, hundredths % 100) {
        (whole, 0) => format!("{whole} MiB"),
        (whole, rest) => format!("{} MiB", format!("{whole}.{rest:02}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use lmthing_base::chat::ContentPart;

    use super::*;

    fn part(media_type: &str, size: usize) -> ContentPart {
        ContentPart::File {
            data: STANDARD.encode(vec![b'a'; size]),
            media_type: media_type.into(),
            filename: Some("it".into()),
            provider_options: None,
        }
    }

    fn refused_message(provider: &str, parts: Vec<ContentPart>) -> Option<String> {
        let message = Rc::new(Message::parts(Role::User, parts));
        refusal(provider, &[message]).map(|refused| refused.to_string())
    }

    fn refused(provider: &str, media_type: &str, size: usize) -> Option<String> {
        refused_message(provider, vec![part(media_type, size)])
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
                "it: Anthropic does not take audio/wav files in messages; it takes pictures (PNG, JPEG, GIF, WebP), \
                 PDF, text"
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
    fn files_of_a_request_are_added_up() {
        let (mib, many) = (1 << 20, |count: usize, kind: &str| vec![part(kind, 9); count]);
        let parts = || vec![part("application/pdf", 13 * mib), part("application/pdf", 12 * mib)];
        assert_eq!(
            refused_message("anthropic", parts()).as_deref(),
            Some("it: 2 files of 25 MiB in a request, and Anthropic takes at most 24 MiB")
        );
        assert_eq!(refused_message("google", parts()), None);
        assert_eq!(
            refused_message("mistral", many(9, "image/png")).as_deref(),
            Some("it: 9 pictures in a request, and Mistral takes at most 8")
        );
        assert_eq!(
            refused_message("bedrock", many(6, "application/pdf")).as_deref(),
            Some("it: 6 documents in a message, and Bedrock takes at most 5")
        );
        let message = || Rc::new(Message::parts(Role::User, many(5, "application/pdf")));
        assert_eq!(refusal("bedrock", &[message(), message()]), None);
        assert_eq!(refused_message("cohere", many(20, "image/png")), None);
    }

    #[test]
    fn sizes_are_those_of_the_content() {
        for length in 0..9 {
            let data = STANDARD.encode(vec![0; length]);
            for data in [&*data, data.trim_end_matches('=')] {
                let part = ContentPart::Image { image: data.into(), media_type: None, provider_options: None };
                assert_eq!(size(&Media::of(&part).unwrap()), length as u64);
            }
        }
    }
}
