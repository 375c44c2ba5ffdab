//! What was said before a conversation was resumed.

use std::rc::Rc;

use console::Style;

use super::editor::PROMPT;
use crate::cli::{Printer, commands::chat::save::part_text};
use lmthing_base::{
    chat::{Content, ContentPart, Message, Role},
    diagnostic::strip_controls,
};

pub(super) fn show(messages: &[Rc<Message>], printer: &Printer) {
    for message in messages {
        match message.role {
            Role::User => show_user(message, printer),
            Role::Assistant => show_answer(message, printer),
            Role::System | Role::Tool => {}
        }
    }
}

fn show_user(message: &Message, printer: &Printer) {
    let bold = Style::new().bold().force_styling(printer.stdout_has_colours());
    let text = strip_controls(&texts(message).join("\n")).into_owned();
    printer.styled(&format!("{}{text}\n", bold.apply_to(PROMPT)));
}

fn show_answer(message: &Message, printer: &Printer) {
    let texts = texts(message);
    if texts.is_empty() {
        return;
    }
    printer.begin_model_text();
    printer.model_text(&texts.join("\n"));
    printer.model_text("\n\n");
}

fn texts(message: &Message) -> Vec<String> {
    match &message.content {
        Content::Text(text) => vec![text.clone()],
        Content::Parts(parts) => {
            let is_shown = |part: &&ContentPart| !matches!(part, ContentPart::Reasoning { .. });
            parts.iter().filter(is_shown).filter_map(part_text).collect()
        }
    }
}
