//! Options of the command itself that stand behind the file, where they would do nothing.

use super::{
    command_line::{CommandLine, is_option, is_short_option},
    problem::InputProblem,
};
use crate::diagnostic::closest;

/// Checks the arguments of a file that declares no input. Such a file takes any argument, so an option of the command
/// behind the file, such as `--restrict`, would have no effect.
///
/// # Errors
/// An argument before `--` that is an option of the command, or is similar to one.
pub fn check_arguments(line: &CommandLine) -> Result<(), InputProblem> {
    let words = line.words.iter().take_while(|word| *word != "--");
    let command = line.name();
    let mut options = words.filter(|word| is_option(word) || is_short_option(word)).peekable();
    if options.peek().is_none() {
        return Ok(());
    }
    let own = (line.own_options)();
    options.try_for_each(|word| {
        let option = word.split('=').next().unwrap_or(word);
        let for_the_file = format!("an argument of the file itself stands behind --: {} -- {word}", line.command);
        if is_own(&own, option) {
            let problem = InputProblem::new(format!("{option} is an option of {command}, and stands behind the file"));
            return Err(problem.hint(format!("{}; {for_the_file}", before_the_file(line, option))));
        }
        match near_own(&own, option) {
            Some(near) => {
                let problem = InputProblem::new(format!("unknown option {option}"));
                Err(problem.hint(format!("did you mean --{near}? {}; {for_the_file}", before_the_file(line, &near))))
            }
            None => Ok(()),
        }
    })
}

/// The hint that an option of the command has to stand before the file.
pub(super) fn before_the_file(line: &CommandLine, option: &str) -> String {
    let command = line.name();
    let name = option.trim_start_matches('-');
    let dashes = if name.chars().count() == 1 { "-" } else { "--" };
    format!("an option of {command} stands before the file: {command} {dashes}{name} … FILE")
}

/// Whether the command has this option, long or short.
pub(super) fn is_own(own: &[String], option: &str) -> bool {
    let is_long = option.starts_with("--");
    let name = option.trim_start_matches('-');
    own.iter().any(|known| known == name && (known.chars().count() > 1) == is_long)
}

/// The long option of the command with the most similar name.
pub(super) fn near_own(own: &[String], option: &str) -> Option<String> {
    let name = option.strip_prefix("--")?;
    closest(name, own.iter().map(String::as_str).filter(|known| known.chars().count() > 1)).map(str::to_owned)
}
