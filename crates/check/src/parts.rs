//! The parts of a first request as texts, with estimated numbers of tokens.

use lmthing_base::{
    chat::{ContentPart, Message},
    schema::TypePrinter,
};
use lmthing_engine::bindings::inspect::{Rendered, RenderedTool};

use super::tokens::estimate_tokens;

/// A message or a tool of a request.
pub struct RequestPart {
    /// For example `system`, `user` or `tool weather`.
    pub name: String,
    pub text: String,
    pub tokens: u64,
}

/// The messages of the first request, then its tools.
pub fn request_parts(rendered: &Rendered) -> Vec<RequestPart> {
    rendered.messages.iter().map(of_message).chain(rendered.tools.iter().map(tool_part)).collect()
}

fn of_message(message: &Message) -> RequestPart {
    let shown: Vec<String> = match message.content_parts() {
        [] => vec![message.plain_text()],
        parts => parts.iter().map(of_content).collect(),
    };
    let text = shown.join("\n");
    // Images and files are not counted: models price them differently.
    let tokens = estimate_tokens(&text);
    RequestPart { name: message.role.as_str().to_owned(), text, tokens }
}

fn of_content(part: &ContentPart) -> String {
    match part {
        ContentPart::Text { text, .. } | ContentPart::Reasoning { text, .. } => text.as_str().to_owned(),
        ContentPart::Image { image, .. } => format!("[image {}]", address(image)),
        ContentPart::File { data, media_type, filename, .. } => {
            format!("[file {media_type} {}]", filename.as_deref().unwrap_or(address(data)))
        }
        ContentPart::ToolCall { tool_name, input, .. } => format!("[call {tool_name}({})]", input.value()),
        ContentPart::ToolResult { tool_name, output, .. } => format!("[result of {tool_name}: {}]", output.wire_text()),
    }
}

/// The URL of an image or file; inline data is not shown.
fn address(data: &str) -> &str {
    if data.starts_with("http") { data } else { "inline" }
}

/// The tool as its description and its signature.
pub fn tool_part(tool: &RenderedTool) -> RequestPart {
    let mut printer = TypePrinter::new([]);
    let input = printer.print(&tool.input_schema, "Input");
    let types: String = printer.named_types().map(|name| format!("\n{name}")).collect();
    let separator = if tool.description.is_empty() { "" } else { "\n" };
    // The request contains the schema as JSON.
    let tokens = estimate_tokens(&tool.name)
        + estimate_tokens(&tool.description)
        + estimate_tokens(&tool.input_schema.to_string());
    let text = format!("{}{separator}{}({input}){types}", tool.description, tool.name);
    RequestPart { name: format!("tool {}", tool.name), text, tokens }
}
