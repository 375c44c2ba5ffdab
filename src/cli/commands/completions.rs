//! `lmthing completions` (docs/reference/command-line.md): prints the script for a shell, and answers its requests.
//!
//! The script runs the program with a variable set. Without the variable completion costs nothing.

use std::{env, ffi::OsString, path::Path};

use clap::{Arg, Command, CommandFactory};
use clap_complete::{ArgValueCompleter, env::Shells};

use crate::cli::{
    ExitCode, Printer,
    args::{Cli, CompletionsArgs, Shell},
    commands::prompt_file::is_prompt_file,
    complete::{AtFile, PromptFiles},
};
use lmthing_base::diagnostic::Diagnostic;

const VARIABLE: &str = "LMTHING_COMPLETE";

const NAME: &str = "lmthing";

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

/// The command to complete. After a prompt file only its input is completed.
fn command(words: &[OsString]) -> Command {
    let before = &words[..words.len().saturating_sub(1)];
    let is_file = |word: &OsString| is_prompt_file(Path::new(word));
    let input = Arg::new("input").num_args(1..).add(ArgValueCompleter::new(AtFile));
    let bare = |name: &'static str| Command::new(name).disable_help_flag(true).disable_help_subcommand(true);
    match before {
        [_, file, ..] if is_file(file) => bare(NAME).arg(input),
        [_, run, rest @ ..] if run == "run" && rest.iter().any(is_file) => {
            bare(NAME).subcommand(bare("run").arg(input))
        }
        // A prompt file may take the place of a command.
        [] | [_] => Cli::command().arg(Arg::new("file").add(ArgValueCompleter::new(PromptFiles))),
        _ => Cli::command(),
    }
}
