//! Pictures in tool results, for providers that take nothing but text there: they are shown in a message of the user behind the
//! results. Must not know which providers these are.

use serde_json::{Value, json};

use super::media::Media;
use crate::chat::{ContentPart, Message, ToolOutput};

/// Pictures that wait until all results of a step have gone out: nothing may come between a call and its result.
#[derive(Default)]
pub(super) struct ResultPictures(Vec<Value>);

impl ResultPictures {
    /// Keeps the pictures of the results in a message, each with the name of its tool.
    pub(super) fn keep(&mut self, message: &Message) {
        for part in message.content_parts() {
            let ContentPart::ToolResult { tool_name, output: ToolOutput::Content(content), .. } = part else {
                continue;
            };
            let pictures = content.iter().filter_map(Media::of_result).filter(Media::is_image);
            let mut pictures = pictures.map(|picture| picture.as_url()).peekable();
            if pictures.peek().is_some() {
                self.0.push(json!({ "type": "text", "text": format!("From the result of {tool_name}:") }));
            }
            self.0.extend(pictures.map(|url| json!({ "type": "image_url", "image_url": { "url": url } })));
        }
    }

    /// Sends what was kept.
    pub(super) fn send(&mut self, wire: &mut Vec<Value>) {
        if !self.0.is_empty() {
            wire.push(json!({ "role": "user", "content": std::mem::take(&mut self.0) }));
        }
    }
}
