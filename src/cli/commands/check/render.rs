//! Output of `--print`: the first request, part by part, with estimated token counts.

use std::path::Path;

use console::Style;
use serde_json::{Value, json};

use super::tokens::estimate;
use lmthing_base::{
    chat::{ContentPart, Message, Role},
    diagnostic::strip_controls,
    schema::TypePrinter,
};
use lmthing_engine::bindings::inspect::{Rendered, RenderedTool};

pub(super) struct Render {
    parts: Vec<Part>,
    messages: Value,
    tools: Value,
    functions: Vec<String>,
}

struct Part {
    /// For example `system`, `user` or `tool weather`.
    name: String,
    text: String,
    tokens: u64,
}

impl Render {
    pub(super) fn of(rendered: &Rendered) -> Self {
        let messages = rendered.messages.iter().map(of_message);
        let parts: Vec<Part> = messages.chain(rendered.tools.iter().map(of_tool)).collect();
        let with_tokens = |mut value: Value, part: &Part| {
            value["tokens"] = json!(part.tokens);
            value
        };
        let (for_messages, for_tools) = parts.split_at(rendered.messages.len());
        let messages = rendered.messages.iter().zip(for_messages);
        let tools = rendered.tools.iter().zip(for_tools);
        Render {
            messages: messages.map(|(message, part)| with_tokens(json!(message), part)).collect(),
            tools: tools.map(|(tool, part)| with_tokens(tool_object(tool), part)).collect(),
            functions: rendered.functions.clone(),
            parts,
        }
    }

    fn tokens(&self) -> u64 {
        self.parts.iter().map(|part| part.tokens).sum()
    }

    pub(super) fn to_json(&self, file: &Path) -> Value {
        json!({
            "file": file,
            "messages": self.messages,
            "tools": self.tools,
            "functions": self.functions,
            "tokens": self.tokens(),
        })
    }

    pub(super) fn text(&self, file: &Path, has_colours: bool) -> String {
        let style = |style: Style| style.force_styling(has_colours);
        let (strong, faint) = (style(Style::new().bold()), style(Style::new().dim()));
        let about = |tokens: u64| faint.apply_to(format!("about {tokens} token{}", if tokens == 1 { "" } else { "s" }));
        // Foreign escape sequences would break our colours.
        let without_foreign_escapes =
            |text: String| if has_colours { strip_controls(&text).into_owned() } else { text };
        let mut text = String::new();
        for part in &self.parts {
            let name = strong.apply_to(without_foreign_escapes(part.name.clone()));
            text += &format!("{name} {} {}\n", faint.apply_to("·"), about(part.tokens));
            text += &indented(&without_foreign_escapes(part.text.clone()));
            text.push('\n');
        }
        if !self.functions.is_empty() {
            text +=
                &format!("{} {}\n\n", strong.apply_to("functions"), without_foreign_escapes(self.functions.join(", ")));
        }
        let file = without_foreign_escapes(file.display().to_string());
        text + &format!("{} {}\n\n", strong.apply_to(format!("{file}: the first request is")), about(self.tokens()))
    }
}

fn of_message(message: &Message) -> Part {
    let shown: Vec<String> = match message.content_parts() {
        [] => vec![message.plain_text()],
        parts => parts.iter().map(of_content).collect(),
    };
    let text = shown.join("\n");
    // Images and files are not counted: models price them differently.
    let tokens = estimate(&text);
    Part { name: role(message.role).to_owned(), text, tokens }
}

fn role(role: Role) -> &'static str {
    role.as_str()
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

fn of_tool(tool: &RenderedTool) -> Part {
    let mut printer = TypePrinter::new([]);
    let input = printer.print(&tool.input_schema, "Input");
    let types: String = printer.named_types().map(|name| format!("\n{name}")).collect();
    let separator = if tool.description.is_empty() { "" } else { "\n" };
    // The request contains the schema as JSON.
    let tokens = estimate(&tool.name) + estimate(&tool.description) + estimate(&tool.input_schema.to_string());
    let text = format!("{}{separator}{}({input}){types}", tool.description, tool.name);
    Part { name: format!("tool {}", tool.name), text, tokens }
}

fn tool_object(tool: &RenderedTool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema })
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }).collect()
}
