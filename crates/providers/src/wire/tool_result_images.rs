//! Images in tool results, for providers that accept only text there: they are sent in a user message after the
//! results.

use serde_json::{Value, json};

use super::media::Media;
use lmthing_base::chat::{ContentPart, Message, ToolOutput};

/// Images that are waiting for the last result of a step: no message may come between a call and its result.
#[derive(Default)]
pub(super) struct ToolResultImages(Vec<Value>);

impl ToolResultImages {
    pub(super) fn collect(&mut self, message: &Message) {
        for part in message.content_parts() {
            let ContentPart::ToolResult { tool_name, output: ToolOutput::Content(content), .. } = part else {
                continue;
            };
            let images = content.iter().filter_map(Media::of_result).filter(Media::is_image);
            let mut images = images.map(|image| image.as_url()).peekable();
            if images.peek().is_some() {
                self.0.push(json!({ "type": "text", "text": format!("From the result of {tool_name}:") }));
            }
            self.0.extend(images.map(|url| json!({ "type": "image_url", "image_url": { "url": url } })));
        }
    }

    pub(super) fn send(&mut self, wire: &mut Vec<Value>) {
        if !self.0.is_empty() {
            wire.push(json!({ "role": "user", "content": std::mem::take(&mut self.0) }));
        }
    }
}
