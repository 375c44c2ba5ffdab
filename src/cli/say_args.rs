//! `--say` of `run` and `resume` (docs/reference/chat.md). Doc comments of options are help texts.

use std::ffi::OsString;

use clap::{Args, builder::NonEmptyStringValueParser};

use super::remote_args::option;

/// What is said after the answer.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct SayArgs {
    /// Add this message when the model has answered, and ask it again; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = NonEmptyStringValueParser::new())]
    pub(super) say: Vec<String>,
}

/// Moves `--say TEXT` from after the file to before it.
pub(super) fn move_say(file_and_words: &mut Vec<OsString>) -> Vec<OsString> {
    let mut end = file_and_words.iter().position(|word| word == "--").unwrap_or(file_and_words.len());
    let (mut at, mut moved) = (1, Vec::new());
    while at < end {
        match option(file_and_words, at, end, "--say") {
            Some((words, mut value)) => {
                let mut typed = OsString::from("--say=");
                typed.push(std::mem::take(&mut value));
                moved.push(typed);
                file_and_words.drain(at..at + words);
                end -= words;
            }
            None => at += 1,
        }
    }
    moved
}
