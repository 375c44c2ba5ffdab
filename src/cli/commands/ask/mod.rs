//! `lmthing ask TEXT` (docs/reference/ask.md): one question, without a prompt file.

mod fields;
mod model;
mod schema;

use std::{
    collections::BTreeMap,
    io::{self, IsTerminal},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{run, speaker};
use crate::cli::{
    ExitCode, Printer,
    args::RunArgs,
    ask_args::AskArgs,
    env,
    failure::{Ending, MODEL_OPTION, WrongUsage, io_error_text},
    setup_args::SetupArgs,
    show::Show,
};
use lmthing_base::{
    chat::ContentPart,
    cost::{LimitKind, LimitReached},
};
use lmthing_providers::Redactor;
use lmthing_system::{
    attachment::{self, AttachmentError, MAX_ATTACHMENT},
    files::{set_unsaved_text, unsaved_path},
    user_file,
};

/// The path of the prompt, in a folder that does not exist, so that no file of the user has it.
const FILE: &str = "<lmthing>/ask.lmt.mjs";

pub(in crate::cli) fn run(args: &AskArgs, printer: &Printer) -> ExitCode {
    let directory = std::env::current_dir().unwrap_or_default();
    let mut environment = env::with_files(&directory, &args.env_file);
    let redactor = Redactor::of_variables(environment.variables.iter().map(|(name, value)| (name, value)));
    printer.keep_secret(&redactor);
    let variables: BTreeMap<String, String> = environment.variables.iter().cloned().collect();
    let prepared = match environment.wrong.take() {
        Some(wrong) => Err(wrong.into()),
        None => prepare(args, &variables),
    };
    let (question, command) = match prepared {
        Ok(prepared) => prepared,
        Err(problem) => {
            let ending = match problem {
                NoQuestion::Wrong(wrong) => Ending::not_begun(wrong.into(), &redactor),
                NoQuestion::Late(limit) => Ending::of_limit(limit),
            };
            Show::new(args.show, printer, &redactor, None).end(&ending);
            return ending.code;
        }
    };
    if let Some(model) = command.setup.model.as_ref().filter(|_| args.model.is_none() && !args.show.quiet)
        && let Some(name) = model::resolved_name(model, &variables)
    {
        printer.stderr_dim(&format!("model: {name}"));
    }
    run::run_talk(&command, printer, Some(environment), speaker::asking(question))
}

fn prepare(args: &AskArgs, variables: &BTreeMap<String, String>) -> Result<(Vec<ContentPart>, RunArgs), NoQuestion> {
    let output = args.schema.as_deref().map(schema::read).transpose()?;
    let (model, source) = match (&args.model, &args.mock) {
        (None, None) => {
            let (model, source) = model::choose(variables)?;
            (Some(model), source)
        }
        (model, _) => (model.clone(), Some(MODEL_OPTION)),
    };
    if let (Some("mock"), Some(source)) = (model.as_deref(), source) {
        let hint = "--mock FILE takes answers from mock items in a JSON file";
        return Err(
            WrongUsage::new(format!("{source} mock: there is no prompt file with items of a mock"), hint).into()
        );
    }
    let files = args.attach.iter().map(|path| attachment::read(path)).collect::<Result<Vec<_>, _>>();
    let mut question = files.map_err(|error| match (&error, &model) {
        (AttachmentError::UnknownKind(path), Some(model)) => WrongUsage::plain(format!(
            "-a: {path}: {model} does not take a file of an unknown kind; pictures, PDF, audio and text in UTF-8 can be \
             attached"
        )),
        _ => WrongUsage::plain(format!("-a: {error}")),
    })?;
    // Last, as the other end of a pipe may take long.
    question.push(ContentPart::text(question_text(args)?));
    write_prompt(args.system.as_deref(), output.as_ref());
    let setup = SetupArgs { model, mock: args.mock.clone(), env_file: args.env_file.clone(), mcp_config: None };
    let (show, limits) = (args.show, args.limits.clone());
    Ok((question, RunArgs { setup, show, limits, asked: Some(source), ..RunArgs::of(FILE.into(), Vec::new()) }))
}

enum NoQuestion {
    Wrong(WrongUsage),
    Late(LimitReached),
}

impl From<WrongUsage> for NoQuestion {
    fn from(wrong: WrongUsage) -> Self {
        NoQuestion::Wrong(wrong)
    }
}

fn question_text(args: &AskArgs) -> Result<String, NoQuestion> {
    let input = match io::stdin().is_terminal() {
        true => String::new(),
        false => input(args.limits.limits().time)?,
    };
    Ok(text(&args.text.join(" "), input)?)
}

/// Standard input, which has to end within the time.
fn input(limit: Option<Duration>) -> Result<String, NoQuestion> {
    let (sender, read) = mpsc::channel();
    // Ends with the process.
    thread::spawn(move || sender.send(user_file::read_all(io::stdin().lock(), MAX_ATTACHMENT)));
    let bytes = match limit {
        Some(limit) => read.recv_timeout(limit),
        None => read.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
    };
    let bytes = bytes.map_err(|_| {
        let seconds = limit.unwrap_or_default().as_secs_f64();
        let message = format!("the run reached its time limit of {seconds} s before standard input had ended");
        NoQuestion::Late(LimitReached { kind: LimitKind::Time, next: 0.0, message })
    })?;
    let bytes =
        bytes.map_err(|error| WrongUsage::plain(format!("cannot read standard input: {}", io_error_text(&error))))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        WrongUsage::new("standard input is not UTF-8 text", "write it to a file, and attach that with -a FILE")
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The text of the command line, an empty line, and the standard input.
fn text(typed: &str, input: String) -> Result<String, WrongUsage> {
    Ok(match (typed.trim().is_empty(), input.trim().is_empty()) {
        (false, true) => typed.to_owned(),
        (false, false) => format!("{typed}\n\n{input}"),
        (true, false) => input,
        (true, true) => {
            let hint = "write the question behind the command, or pipe it in: lmthing ask What is a monad?";
            return Err(WrongUsage::new("there is nothing to ask", hint));
        }
    })
}

/// The prompt is a file like any other, in memory only. The schema is parsed as JSON, where a property `__proto__` is
/// like any other.
fn write_prompt(system: Option<&str>, output: Option<&Value>) {
    let output = output
        .map(|schema| format!("export const output = JSON.parse({});\n", Value::from(schema.to_string())))
        .unwrap_or_default();
    let mut config = json!({ "journal": false });
    if let Some(system) = system {
        config["options"] = json!({ "system": system });
    }
    let source = format!("export const config = {config};\n{output}export default () => {{}};\n");
    if let Some(path) = unsaved_path(Path::new(FILE)) {
        set_unsaved_text(&path, Some(source.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_the_text_and_then_the_input() {
        let text = |typed: &str, input: &str| text(typed, input.to_owned()).ok();
        assert_eq!(text("Sum up:", "a\nb\n").as_deref(), Some("Sum up:\n\na\nb\n"));
        assert_eq!(text("Hi", " \n").as_deref(), Some("Hi"));
        assert_eq!(text(" ", "Hi\n").as_deref(), Some("Hi\n"));
        assert_eq!(text("", ""), None);
    }
}
