//! Readers of a run's events.

pub(super) mod cache_line;
pub(super) mod json;
pub(super) mod numbers;
pub(super) mod summary_line;
pub(super) mod terminal;
pub(super) mod verbose;

/// Characters of a message that a terminal shows, such as a page of HTML that a server answered with.
const MAX_MESSAGE: usize = 1_000;

/// A message, cut if it is very long. Results and events have all of it.
pub(super) fn shortened(message: &str) -> std::borrow::Cow<'_, str> {
    match message.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}… ({} characters more)", &message[..end], message[end..].chars().count()).into(),
        None => message.into(),
    }
}
