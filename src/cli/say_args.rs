//! `--say` of `run` and `resume` (docs/reference/chat.md). Doc comments of options are help texts.

use std::{ffi::OsString, time::Duration};

use clap::{Args, builder::NonEmptyStringValueParser};

use super::{commands::file_options::options_of_file, remote_args::option};

/// How long the file may take to load before it counts as one without options.
const LOAD_LIMIT: Duration = Duration::from_secs(5);

/// What is said after the answer.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct SayArgs {
    /// Add this message when the model has answered, and ask it again; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = NonEmptyStringValueParser::new())]
    pub(super) say: Vec<String>,
}

/// Moves `--say TEXT` from after the file to before it, unless the file has an option of this name.
pub(super) fn move_say(file_and_words: &mut Vec<OsString>) -> Vec<OsString> {
    let mut end = file_and_words.iter().position(|word| word == "--").unwrap_or(file_and_words.len());
    let (mut at, mut moved) = (1, Vec::new());
    let is_given = (at..end).any(|at| option(file_and_words, at, end, "--say").is_some());
    if !is_given || options_of_file(&file_and_words[0], LOAD_LIMIT).iter().any(|option| option.name == "say") {
        return moved;
    }
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
