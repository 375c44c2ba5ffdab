//! The command line (docs/reference/command-line.md). Doc comments of options are help texts.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use clap::{
    Args, CommandFactory, Parser, Subcommand, ValueHint,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use clap_complete::ArgValueCompleter;

use super::{
    approval_args::ApprovalArgs,
    approve_args::ApproveArgs,
    ask_args::AskArgs,
    chat_args::ChatArgs,
    check_args::CheckArgs,
    commands::prompt_file::is_prompt_file,
    complete::{AtFile, FileAndInput, JSON_FILES},
    describe_args::DescribeArgs,
    eval_args::EvalArgs,
    failure::WrongUsage,
    limit_args::LimitArgs,
    lsp_args::{LspArgs, UnsavedArgs},
    map_args::MapArgs,
    mcp_args::McpArgs,
    permission_args::PermissionArgs,
    remote_args::{self, RemoteArgs},
    resume_args::ResumeArgs,
    runs_args::RunsArgs,
    say_args::{self, SayArgs},
    setup_args::SetupArgs,
    show_args::ShowArgs,
    small_args::{CompletionsArgs, DocsArgs, ModelsArgs, NewArgs, TypesArgs},
    test_args::TestArgs,
    view_args::ViewArgs,
    worker_args::WorkerArgs,
};
use lmthing_base::diagnostic::{closest, did_you_mean};
use lmthing_system::remote::{Address, read_address};

/// Run scripted LLM prompts.
#[derive(Debug, Parser)]
#[command(
    name = "lmthing",
    version,
    about,
    disable_help_subcommand = true,
    propagate_version = true,
    after_help = "`lmthing new hello` writes a first prompt file, `lmthing docs` lists the documentation. A coding agent begins \
                  with `lmthing docs skill`."
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a prompt file; the model's text streams to standard output
    Run(Box<RunArgs>),
    /// Ask a model one question, without a prompt file
    Ask(Box<AskArgs>),
    /// Go on with a prompt file as a conversation: each line is a message
    Chat(Box<ChatArgs>),
    /// Run a prompt file once for each row of a file: JSON Lines, CSV or TSV
    Map(Box<MapArgs>),
    /// Go on with a run that ended early; what was answered is not asked again
    Resume(Box<ResumeArgs>),
    /// List the runs that were written down, show one, print its events, forget old ones
    Runs(Box<RunsArgs>),
    /// Decide on a call that waits at a Restate server, or list what waits
    Approve(Box<ApproveArgs>),
    /// Find what is wrong with prompt files before a token is spent
    Check(Box<CheckArgs>),
    /// Run tests of prompt files, without models
    Test(Box<TestArgs>),
    /// Compare variants of a prompt file and models: score their answers over rows
    Eval(Box<EvalArgs>),
    /// Write a prompt file that runs at once, and a test for it
    New(NewArgs),
    /// Write what editors need to complete and check prompt files
    Types(TypesArgs),
    /// Print the documentation of this version, for people and for coding agents
    Docs(DocsArgs),
    /// List providers and aliases, and whether each is configured
    Models(ModelsArgs),
    /// Write a run as one HTML page that loads nothing
    View(ViewArgs),
    /// Serve prompt files as tools to programs that speak the Model Context Protocol
    Mcp(Box<McpArgs>),
    /// Serve editors: findings as one types, fixes, prices, runs (Language Server Protocol)
    Lsp(LspArgs),
    /// Serve prompt files as services of Restate, whose runs go on on another machine when this one dies
    Worker(Box<WorkerArgs>),
    /// Print a script that completes commands, options, prompt files and models in a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
    /// Tell what a prompt file offers, for the server that serves it
    #[command(name = "__describe", hide = true)]
    Describe(Box<DescribeArgs>),
    /// Run a command on texts that are not saved, for the language server
    #[command(name = lmthing_lsp::UNSAVED_COMMAND, hide = true)]
    Unsaved(Box<UnsavedArgs>),
}

/// `lmthing run`.
#[derive(Args, Debug, Default)]
#[command(
    args_override_self = true,
    override_usage = "lmthing run [OPTIONS] FILE [INPUT]...",
    after_help = "Exit codes: 0 done, 1 the file is missing, wrong or its code threw, 2 wrong usage, 3 the model or \
                        provider failed, 4 a limit ended the run, 5 calls wait for approval, 130 interrupted."
)]
pub(super) struct RunArgs {
    /// The whole input of the file as a JSON object, @FILE or - for standard input
    #[arg(long, value_name = "JSON", add = ArgValueCompleter::new(AtFile))]
    pub(super) input: Option<String>,

    #[command(flatten)]
    pub(super) setup: SetupArgs,

    #[command(flatten)]
    pub(super) show: ShowArgs,

    /// Run again when the file, or something it imports, changes
    #[arg(long)]
    pub(super) watch: bool,

    /// File for the paths that the run has read, for `--watch`
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) report_files: Option<PathBuf>,

    /// The process that serves the file and waits for this run: it ends with that one
    #[arg(long, value_name = "PID", hide = true)]
    pub(super) served_by: Option<u32>,

    #[command(flatten)]
    pub(super) limits: LimitArgs,

    #[command(flatten)]
    pub(super) approvals: ApprovalArgs,

    #[command(flatten)]
    pub(super) permissions: PermissionArgs,

    #[command(flatten)]
    pub(super) say: SayArgs,

    #[command(flatten)]
    pub(super) remote: RemoteArgs,

    /// With --on: the idempotency key; the same one again does not run the file again, but waits for the same run
    #[arg(long, value_name = "KEY", requires = "on", value_parser = remote_args::key)]
    pub(super) key: Option<String>,

    /// With --on: the admin API of the server; port 9070 of the same host unless given
    #[arg(long, value_name = "URL", requires = "on", value_parser = read_address)]
    pub(super) admin: Option<Address>,

    /// Write the run down in the journal, from which it can go on: .lmthing/journal.db in the nearest folder upwards that has
    /// one, or the file of --journal=PATH
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub(super) journal: Option<Option<PathBuf>>,

    /// Write every exchange with a model to this file, without secrets, when the run has ended well
    #[arg(long, value_name = "FILE", conflicts_with = "replay", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) record: Option<PathBuf>,

    /// Answer from a file that --record wrote, without network or keys
    #[arg(long, value_name = "FILE", add = ArgValueCompleter::new(JSON_FILES))]
    pub(super) replay: Option<PathBuf>,

    /// Whether the run is a conversation.
    #[arg(skip)]
    pub(super) is_chat: bool,

    /// Of `lmthing ask`: what has named the model, if it was named.
    #[arg(skip)]
    pub(super) asked: Option<Option<&'static str>>,

    // One argument: everything after the file, with or without dashes, is the file's own.
    /// The prompt file (.lmt.mjs, .lmt.js, .lmt.ts or .lmt.mts) and its input; `lmthing run FILE --help` says more
    #[arg(required = true, trailing_var_arg = true, value_name = "FILE", add = ArgValueCompleter::new(FileAndInput))]
    pub(super) file_and_words: Vec<OsString>,
}

impl RunArgs {
    pub(super) fn of(file: PathBuf, words: Vec<String>) -> Self {
        let file_and_words = [file.into_os_string()].into_iter().chain(words.into_iter().map(OsString::from)).collect();
        RunArgs { file_and_words, ..RunArgs::default() }
    }

    /// Checks `--on-approval stop`, which needs a run that can be resumed.
    pub(super) fn check_stop(&self) -> Result<(), WrongUsage> {
        if self.approvals.stops() && self.replay.is_some() {
            let hint = "take one of them: a run whose answers are those of a recording is not gone on with";
            return Err(WrongUsage::new("--on-approval stop cannot be used with --replay", hint));
        }
        Ok(())
    }

    pub(super) fn file(&self) -> &Path {
        self.file_and_words.first().map_or(Path::new(""), Path::new)
    }

    /// Fails if an argument is not UTF-8.
    pub(super) fn words(&self) -> Result<Vec<String>, WrongUsage> {
        let text = |word: &OsString| {
            let wrong = || format!("cannot read the word {word:?} behind the file: it is not UTF-8 text");
            word.to_str().map(str::to_owned).ok_or_else(|| WrongUsage::plain(wrong()))
        };
        self.file_and_words.iter().skip(1).map(text).collect()
    }
}

/// Parses the command line. `--help` and `--version` are errors, too.
pub(super) fn parse(mut arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    // `help` is no command of clap's, which would suggest it for misspelt names of files.
    if arguments.get(1).is_some_and(|word| word == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    // A prompt file in place of a command is run.
    if arguments.get(1).is_some_and(|word| is_prompt_file(Path::new(word))) {
        arguments.insert(1, "run".into());
    }
    let command = arguments.get(1).cloned().unwrap_or_default();
    let mut parsed = Cli::try_parse_from(&arguments);
    if let Ok(Cli { command: Some(Command::Run(run)) }) = &mut parsed {
        let typed = run.file_and_words.len();
        let mut moved = remote_args::move_remote_options(&mut run.file_and_words);
        moved.extend(say_args::move_say(&mut run.file_and_words));
        if !moved.is_empty() {
            let front = arguments.len() - typed;
            let all = [&arguments[..2], &moved, &arguments[2..front], &run.file_and_words].concat();
            parsed = Cli::try_parse_from(all);
        }
    }
    parsed.map_err(|error| advise(error, &command))
}

/// Replaces clap's tips by ones that know that prompt files take options of their own.
fn advise(mut error: clap::Error, command: &OsStr) -> clap::Error {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => String::new(),
    };
    let tip = match error.kind() {
        ErrorKind::UnknownArgument if command == "mcp" && is_approval_option(&word(ContextKind::InvalidArg)) => {
            Some("nobody can be asked in a call: what needs approval is denied to whoever calls".to_owned())
        }
        ErrorKind::UnknownArgument if command == "run" || command == "chat" => {
            match error.get(ContextKind::SuggestedArg) {
                Some(_) => None,
                None => Some(format!(
                    "an option of the prompt file stands behind it: 'lmthing {} FILE {}'",
                    command.display(),
                    word(ContextKind::InvalidArg)
                )),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let typed = word(ContextKind::InvalidSubcommand);
            if let Some(name) = closest_command(&typed) {
                // Of several similar commands clap suggests the last.
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![name]));
                return error;
            }
            match did_you_mean(Path::new(&typed), is_prompt_file) {
                Some(tip) if error.get(ContextKind::SuggestedSubcommand).is_none() => Some(tip),
                _ => return error,
            }
        }
        _ => return error,
    };
    let tips = tip.into_iter().map(StyledStr::from).collect();
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    error
}

fn is_approval_option(option: &str) -> bool {
    ["-y", "--yes", "--no", "--approve", "--deny", "--on-approval"].contains(&option)
}

/// The command with the most similar name.
fn closest_command(word: &str) -> Option<String> {
    let program = Cli::command();
    let names = program.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    closest(word, names).map(str::to_owned)
}

/// Names of all options of `run`, long and short, without dashes.
pub(super) fn run_options() -> Vec<String> {
    options_of("run")
}

pub(super) fn chat_options() -> Vec<String> {
    options_of("chat")
}

fn options_of(command: &str) -> Vec<String> {
    let program = Cli::command();
    let run = program.find_subcommand(command).into_iter().flat_map(clap::Command::get_arguments);
    let names = |option: &clap::Arg| {
        let short = option.get_short().map(String::from);
        option.get_long().map(str::to_owned).into_iter().chain(short)
    };
    run.flat_map(names).collect()
}

pub(super) fn usage() -> StyledStr {
    Cli::command().render_help()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_mention_options_of_prompt_files() {
        for (words, tip) in [
            (&["run", "--city", "Rome", "w.lmt.mjs"][..], "stands behind it: 'lmthing run FILE --city'"),
            (&["chat", "--say", "x", "w.lmt.mjs"], "stands behind it: 'lmthing chat FILE --say'"),
            (&["rnu", "w.lmt.mjs"], "a similar subcommand exists: 'run'"),
            (&["run", "--inptu", "{}", "w.lmt.mjs"], "a similar argument exists: '--input'"),
        ] {
            let words = ["lmthing"].iter().chain(words).map(OsString::from).collect();
            let shown = parse(words).unwrap_err().to_string();
            assert!(shown.contains(tip) && !shown.contains("as a value"), "{shown}");
        }
    }
}
