//! Builds the input of a prompt file from the command line (docs/reference/input.md).

use std::{
    io::{self, IsTerminal},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value};

use crate::cli::{
    args::{RunArgs, chat_options, run_options},
    failure::{WrongUsage, io_error_text},
};
use lmthing_base::{
    diagnostic::did_you_mean,
    input::{CommandLine, TextSources, UnreadableText, WholeInput},
};
use lmthing_system::{
    attachment,
    files::FileReporter,
    user_file::{self, MAX_TEXT},
};

/// The command line of `run`. Files that it names are reported to `reporter`.
pub(super) fn command_line(args: &RunArgs, reporter: &FileReporter) -> Result<CommandLine, WrongUsage> {
    Ok(CommandLine {
        command: command(args),
        words: args.words()?,
        whole: args.input.clone().map(WholeInput::Typed),
        is_call: args.served_by.is_some(),
        own_options: if args.is_chat { chat_options } else { run_options },
        sources: Arc::new(ProcessSources { reporter: reporter.clone(), is_chat: args.is_chat }),
        taken: None,
    })
}

pub(super) fn stored_input(args: &RunArgs, input: &Map<String, Value>) -> CommandLine {
    let input = Value::from(input.clone());
    CommandLine { own_options: run_options, ..CommandLine::given(command(args), move || Ok(input.clone())) }
}

/// The command up to the file.
fn command(args: &RunArgs) -> String {
    let command = if args.is_chat { "chat" } else { "run" };
    format!("lmthing {command} {}", args.file().display())
}

struct ProcessSources {
    reporter: FileReporter,
    /// Whether the lines of standard input are messages.
    is_chat: bool,
}

impl TextSources for ProcessSources {
    fn file(&self, path: &str) -> Result<String, UnreadableText> {
        let path = Path::new(path);
        self.reporter.note_read(path);
        text(user_file::read(path, MAX_TEXT)).map_err(|problem| unreadable(path, problem.0))
    }

    fn resource(&self, path: &str) -> Result<Value, UnreadableText> {
        let path = Path::new(path);
        self.reporter.note_read(path);
        let file = attachment::input_file(path).map_err(|error| unreadable(path, io_error_text(&error)))?;
        Ok(file.to_json())
    }

    fn standard_input(&self) -> Result<String, UnreadableText> {
        text(user_file::read_all(io::stdin().lock(), MAX_TEXT))
    }

    fn is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }

    fn other_use(&self) -> Option<&'static str> {
        self.is_chat.then_some("the messages of the chat")
    }
}

fn unreadable(path: &Path, problem: String) -> UnreadableText {
    let meant = if path.exists() { None } else { did_you_mean(path, |_| true) };
    UnreadableText(meant.map_or(problem.clone(), |meant| format!("{problem}. {meant}")))
}

/// For several files, which all get the same standard input.
pub(super) fn shared_sources(reporter: &FileReporter) -> Arc<dyn TextSources> {
    let process = ProcessSources { reporter: reporter.clone(), is_chat: false };
    Arc::new(SharedSources { process, standard_input: Mutex::new(None) })
}

struct SharedSources {
    process: ProcessSources,
    standard_input: Mutex<Option<Result<String, UnreadableText>>>,
}

impl TextSources for SharedSources {
    fn file(&self, path: &str) -> Result<String, UnreadableText> {
        self.process.file(path)
    }

    fn resource(&self, path: &str) -> Result<Value, UnreadableText> {
        self.process.resource(path)
    }

    fn standard_input(&self) -> Result<String, UnreadableText> {
        let mut known = self.standard_input.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| self.process.standard_input()).clone()
    }

    fn is_terminal(&self) -> bool {
        self.process.is_terminal()
    }
}

fn text(bytes: io::Result<Vec<u8>>) -> Result<String, UnreadableText> {
    let bytes = bytes.map_err(|error| UnreadableText(io_error_text(&error)))?;
    String::from_utf8(bytes).map_err(|_| UnreadableText("it is not UTF-8 text".to_owned()))
}
