//! `lmthing completions` (docs/reference/command-line.md): prints the script for a shell, and answers its requests.
//!
//! The script runs the program with a variable set. Without the variable completion costs nothing.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::Path,
    time::Duration,
};

use clap::{Arg, ArgAction, Command, CommandFactory, builder::PossibleValuesParser};
use clap_complete::{ArgValueCompleter, env::Shells};

use crate::cli::{
    ExitCode, Printer,
    args::Cli,
    commands::{
        file_options::{COMPLETION_VARIABLE as VARIABLE, options_of_file},
        prompt_file::is_prompt_file,
    },
    complete::{AtFile, PromptFiles},
    small_args::{CompletionsArgs, Shell},
};
use lmthing_base::{diagnostic::Diagnostic, input::FileOption};

const NAME: &str = "lmthing";

/// How long a prompt file may take to load before completion goes on without its options.
const LOAD_LIMIT: Duration = Duration::from_secs(1);

const WORDS_IN_BASH: &str = include_str!("completions.bash");

pub(in crate::cli) fn run(args: &CompletionsArgs, printer: &Printer) -> ExitCode {
    let shell = match args.shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
        Shell::Powershell => "powershell",
    };
    let shells = Shells::builtins();
    let completer = shells.completer(shell).expect("it is one of those that are built in");
    let mut script = Vec::new();
    // Writing to memory cannot fail.
    let _ = completer.write_registration(VARIABLE, NAME, NAME, NAME, &mut script);
    if args.shell == Shell::Bash {
        script.extend_from_slice(WORDS_IN_BASH.as_bytes());
    }
    printer.script_stdout_bytes(&script);
    ExitCode::Done
}

/// Answers a completion request for the command line after `--`, if there is one.
pub(in crate::cli) fn answer(arguments: &[OsString], printer: &Printer) -> Option<ExitCode> {
    let shell = env::var_os(VARIABLE).filter(|shell| !shell.is_empty())?;
    let shell = shell.to_string_lossy();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&shell) else {
        printer.diagnostic(&Diagnostic::new(format!("{VARIABLE} names no shell that is known: {shell}")));
        return Some(ExitCode::Usage);
    };
    let start = arguments.iter().position(|argument| argument == "--").map_or(arguments.len(), |place| place + 1);
    let words = arguments[start..].to_vec();
    let mut found = Vec::new();
    let directory = env::current_dir().ok();
    // An error leaves no candidates, which is the right answer.
    let _ = completer.write_complete(&mut command(&words), words, directory.as_deref(), &mut found);
    printer.script_stdout_bytes(&found);
    Some(ExitCode::Done)
}

/// Adds the input of a prompt file: words, and its own options.
fn with_input(command: Command, file: &OsStr, words: &[OsString]) -> Command {
    let input = Arg::new("input").num_args(1..).add(ArgValueCompleter::new(AtFile));
    // The file is only loaded if it can matter: an option, or the value of one.
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"--");
    let is_asked = words.iter().rev().take(2).any(is_option);
    let mut options = if is_asked { options_of_file(file, LOAD_LIMIT) } else { Vec::new() };
    options.retain(|option| option.name.starts_with(char::is_alphanumeric) && !option.name.contains(['=', ' ']));
    // The names live as long as the process, which ends with the answer.
    let leak = |text: String| -> &'static str { text.leak() };
    command.arg(input).args(options.into_iter().map(|FileOption { name, about, is_flag, values }| {
        let option = Arg::new(leak(format!("--{name}"))).long(leak(name)).help(about);
        match values.is_empty() {
            _ if is_flag => option.action(ArgAction::SetTrue),
            true => option.action(ArgAction::Append).add(ArgValueCompleter::new(AtFile)),
            false => {
                let values = PossibleValuesParser::new(values.into_iter().map(leak));
                option.action(ArgAction::Append).value_parser(values)
            }
        }
    }))
}

/// The command to complete. After a prompt file only its input is completed.
fn command(words: &[OsString]) -> Command {
    let before = &words[..words.len().saturating_sub(1)];
    let is_file = |word: &OsString| is_prompt_file(Path::new(word));
    let bare = |name: &'static str| Command::new(name).disable_help_flag(true).disable_help_subcommand(true);
    match before {
        [_, file, ..] if is_file(file) => with_input(bare(NAME), file, words),
        [_, run, rest @ ..] if run == "run" && rest.iter().any(is_file) => {
            let file = rest.iter().find(|word| is_file(word)).expect("the guard has found one");
            bare(NAME).subcommand(with_input(bare("run"), file, words))
        }
        // A prompt file may take the place of a command.
        [] | [_] => Cli::command().arg(Arg::new("file").add(ArgValueCompleter::new(PromptFiles))),
        _ => Cli::command(),
    }
}
