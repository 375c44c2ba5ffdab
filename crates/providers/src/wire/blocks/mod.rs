//! Content blocks, for services with turns of typed blocks: Anthropic's Messages API, Bedrock's ConverseStream, and
//! Cohere's responses. A [`BlockFormat`] defines the format of blocks.

mod decode;
mod encode;
mod marks;

pub(super) use decode::OpenBlocks;
pub(super) use encode::{BlockFormat, Conversation, conversation};
pub(super) use marks::{ListKind, MarkFormat, Marking, mark, place_marks};
