//! Turns the arguments after a prompt file into the input that its schema describes (docs/reference/input.md).

mod arguments;
mod command_line;
mod file;
mod fill;
mod help;
mod kind;
mod own_options;
mod problem;
mod property;
mod reader;
mod revival;
mod row_files;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use command_line::{CommandLine, FilledInput, InputShape, TextSources, UnreadableText, WholeInput};
pub use file::{InputFile, has_unreadable_file, resource_schema, with_short_files};
pub use help::{FileOption, file_options, help, usage};
pub use own_options::check_arguments;
pub use problem::InputProblem;
pub use property::{Declaration, NotAnObject};
pub use revival::{Revival, RevivedType, revivals};
pub use row_files::{is_same_row, lacks_file, put_file_hashes, take_file_hashes};
pub use table::{ColumnSetting, Columns};

#[derive(Debug)]
pub enum ParsedInput {
    Help,
    /// Not yet validated by its schema.
    Input(FilledInput),
}

/// Reads the arguments for a file that declares an input. Missing properties are not an error here; the schema reports them.
pub fn read(declaration: &Declaration, line: &CommandLine) -> Result<ParsedInput, InputProblem> {
    if has_help_option(&line.words) {
        return Ok(ParsedInput::Help);
    }
    fill::fill(declaration, line).map(ParsedInput::Input)
}

/// Checks that the whole input of a line (`--input`) can be read.
pub fn check_whole(line: &CommandLine) -> Result<(), InputProblem> {
    fill::check_whole(line)
}

pub fn has_help_option(words: &[String]) -> bool {
    let mut options = words.iter().take_while(|word| *word != "--");
    options.any(|word| word == "-h" || word == "--help")
}
