//! Output of `--print`: the first request, part by part, with estimated token counts.

use std::path::Path;

use console::Style;
use serde_json::{Value, json};

use lmthing_base::diagnostic::strip_controls;
use lmthing_check::{RequestPart, request_parts};
use lmthing_engine::bindings::inspect::{Rendered, RenderedTool};

pub(super) struct Render {
    parts: Vec<RequestPart>,
    messages: Value,
    tools: Value,
    functions: Vec<String>,
}

impl Render {
    pub(super) fn of(rendered: &Rendered) -> Self {
        let parts = request_parts(rendered);
        let with_tokens = |mut value: Value, part: &RequestPart| {
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

fn tool_object(tool: &RenderedTool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema })
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }).collect()
}
