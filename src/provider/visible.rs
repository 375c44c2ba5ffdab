//! When an answer has begun, as far as anybody could see.

use crate::chat::StreamPart;

/// Whether a part shows something that could not be taken back.
pub(super) fn is_visible(part: &StreamPart) -> bool {
    match part {
        StreamPart::TextDelta { delta, .. } | StreamPart::ReasoningDelta { delta, .. } => !delta.is_empty(),
        StreamPart::ToolInputStart { .. }
        | StreamPart::ToolInputDelta { .. }
        | StreamPart::ToolCall { .. }
        | StreamPart::File { .. }
        | StreamPart::Finish { .. } => true,
        // Beginnings, ends and metadata show nothing by themselves.
        _ => false,
    }
}
