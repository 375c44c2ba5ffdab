//! Ends child processes, and ends this process with its parent.

mod child;
mod parent;

pub use child::{SIGTERM, end_process, send_signal};
pub use parent::{PARENT_VARIABLE, exit_with_parent, exit_with_parent_id, exit_with_parent_of_variable};

/// Quotes an argument for a POSIX shell.
pub fn shell_quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:@%+=,".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
