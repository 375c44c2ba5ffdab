//! `/save FILE`: the conversation as Markdown, or its messages as JSON. Existing files stay as they are.

use std::{
    env,
    fmt::Write as _,
    fs::OpenOptions,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    rc::Rc,
};

use lmthing_base::{
    chat::{Content, ContentPart, Message, Role, ToolOutput, ToolPart},
    diagnostic::{Diagnostic, ends_in_json},
};
use lmthing_providers::Redactor;

use crate::cli::failure::io_error_text;

/// Writes the messages without secrets. Returns the path.
pub(super) fn save(path: &Path, messages: &[Rc<Message>], redactor: &Redactor) -> Result<PathBuf, Box<Diagnostic>> {
    let path = below_home(path);
    let shown = path.display();
    let text = if ends_in_json(&path) { json(messages, redactor)? } else { redactor.apply(&markdown(messages)) };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // What was said may be private.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let problem = Diagnostic::new(format!("{shown} exists, and /save overwrites nothing"));
            Err(Box::new(problem.with_hint("name a file that does not exist")))
        }
        Err(error) => {
            let problem = Diagnostic::new(format!("cannot write {shown}: {}", io_error_text(&error)));
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
            Err(Box::new(match folder {
                Some(folder) => problem.with_hint(format!("make the folder {} first", folder.display())),
                None => problem,
            }))
        }
    }
}

/// The path with a leading `~` replaced, which no shell has seen.
fn below_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

fn json(messages: &[Rc<Message>], redactor: &Redactor) -> Result<String, Box<Diagnostic>> {
    let messages: Vec<&Message> = messages.iter().map(Rc::as_ref).collect();
    let value = serde_json::to_value(messages);
    let mut value =
        value.map_err(|error| Box::new(Diagnostic::new(format!("cannot write the messages as JSON: {error}"))))?;
    redactor.apply_json(&mut value);
    Ok(format!("{value:#}\n"))
}

fn markdown(messages: &[Rc<Message>]) -> String {
    let mut text = String::from("# Conversation\n");
    let mut last = None;
    for message in messages {
        let parts = match &message.content {
            Content::Text(text) => vec![text.clone()],
            Content::Parts(parts) => parts.iter().filter_map(part_text).collect(),
        };
        // Results of tools and what the model says next are one answer.
        let role = if message.role == Role::Tool { Role::Assistant } else { message.role };
        if last != Some(role) && !parts.is_empty() {
            let heading = match role {
                Role::System => "System",
                Role::User => "User",
                Role::Assistant | Role::Tool => "Assistant",
            };
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\n## {heading}\n");
            last = Some(role);
        }
        for part in parts {
            let _ = write!(text, "\n{}\n", part.trim_end());
        }
    }
    text
}

/// A part as text; `None` for what the model thought.
pub(super) fn part_text(part: &ContentPart) -> Option<String> {
    Some(match part {
        ContentPart::Text { text, .. } => text.to_string(),
        ContentPart::Reasoning { .. } => return None,
        ContentPart::Image { media_type, .. } => format!("[{}]", media_type.as_deref().unwrap_or("image")),
        ContentPart::File { media_type, filename, .. } => match filename {
            Some(name) => format!("[{name}, {media_type}]"),
            None => format!("[{media_type}]"),
        },
        ContentPart::ToolCall { tool_name, input, .. } => format!("[{tool_name} {}]", input.value()),
        ContentPart::ToolResult { tool_name, output, .. } => {
            format!("[result of {tool_name}]\n\n{}", fenced(&output_text(output)))
        }
    })
}

fn output_text(output: &ToolOutput) -> String {
    match output {
        ToolOutput::Text(text) | ToolOutput::ErrorText(text) => text.clone(),
        ToolOutput::Json(value) | ToolOutput::ErrorJson(value) => value.to_string(),
        ToolOutput::Content(parts) => parts.iter().map(ToolPart::text).collect::<Vec<_>>().join("\n"),
    }
}

/// A block of code whose fence is longer than any in the text.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, text: &str) -> Rc<Message> {
        Rc::new(Message { role, content: Content::Parts(vec![ContentPart::text(text)]), provider_options: None })
    }

    #[test]
    fn messages_are_sections_of_markdown() {
        let messages =
            [message(Role::User, "Hi.\n"), message(Role::Assistant, "Hello."), message(Role::Assistant, "More.")];
        assert_eq!(markdown(&messages), "# Conversation\n\n## User\n\nHi.\n\n## Assistant\n\nHello.\n\nMore.\n");
        assert_eq!(fenced("a\n```\n"), "````\na\n```\n````");
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("talk.json");
        let messages = [message(Role::User, "Hi.")];
        assert_eq!(save(&path, &messages, &Redactor::default()).unwrap(), path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()[0]["content"][0]["text"], "Hi.");
        let problem = save(&path, &[], &Redactor::default()).unwrap_err();
        assert!(problem.message.ends_with("exists, and /save overwrites nothing"), "{problem:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let problem = save(&folder.path().join("no/talk.md"), &[], &Redactor::default()).unwrap_err();
        assert!(problem.hint.unwrap().starts_with("make the folder "));
    }
}
