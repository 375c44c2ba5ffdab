//! What is typed behind a prompt file, made into the input that its schema describes (docs/reference.md, "Input").
//!
//! Owns: the options a schema gives, words as values, help, and the words for what is wrong. Must not know: JavaScript,
//! terminals, or how texts are read: [`Sources`] is handed in. Whether a value fits its schema in the end is for the
//! schema to say.

mod command_line;
mod fill;
mod help;
mod kind;
mod problem;
mod property;
mod reader;
mod revival;
mod table;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub(crate) use command_line::{CommandLine, Filled, Sources, Taken};
pub(crate) use help::{help, usage};
pub(crate) use problem::Problem;
pub(crate) use property::Declaration;
pub(crate) use revival::{Becomes, Revival, revivals};
pub(crate) use table::{Columns, Setting};

/// What the words mean.
#[derive(Debug)]
pub(crate) enum Request {
    /// Help is wanted, nothing is to be run.
    Help,
    /// An input, not yet checked by its schema.
    Input(Filled),
}

/// Reads the words for a file that declares an input.
///
/// # Errors
/// The first thing that is wrong. That something is missing is for the schema to say.
pub(crate) fn read(declaration: &Declaration, line: &CommandLine) -> Result<Request, Problem> {
    if asks_for_help(&line.words) {
        return Ok(Request::Help);
    }
    fill::fill(declaration, line).map(Request::Input)
}

/// Whether the whole input that a line gives (`--input`) can be read, whatever it is for.
///
/// # Errors
/// Why not.
pub(crate) fn check_whole(line: &CommandLine) -> Result<(), Problem> {
    fill::check_whole(line)
}

/// Whether `-h` or `--help` stands among the options.
pub(crate) fn asks_for_help(words: &[String]) -> bool {
    let mut options = words.iter().take_while(|word| *word != "--");
    options.any(|word| word == "-h" || word == "--help")
}
