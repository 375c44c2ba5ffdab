//! Content blocks: what the services share that say a turn as a list of typed blocks (Anthropic's Messages API, Bedrock's
//! ConverseStream, in answers Cohere's too).
//!
//! Owns: which parts of a message become blocks, the grouping of messages into turns, and the blocks of an answer that are
//! open, and where marks for the prompt cache go. Must not know: how any service spells a block; that is the [`BlockFormat`]'s.

mod decode;
mod encode;
mod marks;

pub(super) use decode::OpenBlocks;
pub(super) use encode::{BlockFormat, Conversation, conversation};
pub(super) use marks::{MarkFormat, Place, place as place_marks};
