//! `lmthing runs export ID --as-test` (docs/reference/runs.md): writes a test with its recording of a run.

mod exchanges;
mod input_files;
mod literal;
mod source;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    time::UNIX_EPOCH,
};

use serde_json::Value;

use self::{
    exchanges::{Exchange, RunContents},
    input_files::InputFiles,
    source::{TestModel, TestSource},
};
use super::json::timestamp;
use crate::cli::{
    Printer,
    approval_args::APPROVED,
    commands::{journal::MCP_CONFIG, new_files::write_all},
};
use lmthing_base::{diagnostic::Diagnostic, input::has_unreadable_file};
use lmthing_providers::{ProviderContext, RecordedExchange, Redactor, list_models, recording_text};
use lmthing_store::journal::{Journal, RunInfo, RunStart, RunStatus};
use lmthing_testing::recording_of;

type Variables = Vec<(String, String)>;

pub(super) fn export(id: &str, path: &Path, variables: Variables, printer: &Printer) -> Result<(), Box<Diagnostic>> {
    let journal = Journal::read(path).map_err(boxed)?;
    let run = journal.find(id).map_err(boxed)?;
    check_status(&run)?;
    check_file(&run)?;
    let files = TestFiles::of(&run.file);
    files.check_free()?;
    let mut start = journal.start(&run).map_err(boxed)?;
    let mut contents = RunContents::read(&journal, &run).map_err(boxed)?;
    check_contents(&run, &contents)?;
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    contents.redact(&redactor);
    let values = start.input.iter_mut().flat_map(|input| input.values_mut());
    values.for_each(|value| redactor.apply_json(value));
    check_files_of_input(&run, &start)?;
    let unwritable =
        |error: &dyn std::fmt::Display| Box::new(Diagnostic::new(format!("cannot write the recording: {error}")));
    let exchange = |exchange: &Exchange| {
        let model = (exchange.provider.as_str(), exchange.model.as_str());
        RecordedExchange::of_step(model, &exchange.step, &exchange.settings, &redactor)
    };
    let exchanges: Vec<_> =
        contents.exchanges.iter().map(exchange).collect::<Result<_, _>>().map_err(|error| unwritable(&error))?;
    let recording =
        recording_text(std::slice::from_ref(&files.test_name), &exchanges).map_err(|error| unwritable(&error))?;
    let (command, date) = (files.command(&start), timestamp(run.started).strftime("%F").to_string());
    let test = TestSource {
        model: model(&start, &contents, variables),
        ..source((&run, &start), &contents, &files, &date, &command)
    };
    let text = test.text();
    let mut written = vec![(files.recording.clone(), recording.as_bytes()), (files.test.clone(), text.as_bytes())];
    written.extend(test.input_files.contents(files.test.parent().unwrap_or(Path::new(""))));
    write_all(&written, OVERWRITES_NOTHING)?;
    warnings(&run, &start, &files).into_iter().for_each(|warning| printer.stderr(&format!("Warning: {warning}\n")));
    printer.text(&format!("{}\n{}\n", shown(&files.test).display(), shown(&files.recording).display()));
    printer.flush();
    printer.stderr(&format!("Wrote the test and its recording. Run it with: {command}\n"));
    Ok(())
}

const OVERWRITES_NOTHING: &str = "export overwrites nothing: rename that file, or move it away";

fn boxed(error: impl Into<Diagnostic>) -> Box<Diagnostic> {
    Box::new(error.into())
}

fn refused(message: String, hint: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(message).with_hint(hint))
}

/// The names of the files next to the prompt file.
struct TestFiles {
    /// The names of the prompt file, with and without its ending.
    prompt_name: String,
    stem: String,
    test_name: String,
    test: PathBuf,
    recording: PathBuf,
}

impl TestFiles {
    fn of(file: &Path) -> Self {
        let prompt_name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = match prompt_name.rsplit_once(".lmt.") {
            Some((stem, _)) => stem.to_owned(),
            None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let test_name = format!("{stem}.test.lmt.mjs");
        let test = file.with_file_name(&test_name);
        TestFiles { prompt_name, stem, test_name, recording: recording_of(&test), test }
    }

    fn check_free(&self) -> Result<(), Box<Diagnostic>> {
        // `write_all` refuses them as well, but only after the whole run was read.
        let taken = [&self.test, &self.recording].into_iter().find(|file| file.symlink_metadata().is_ok());
        let Some(taken) = taken else { return Ok(()) };
        let message = format!("{} is there already; nothing was written", shown(taken).display());
        Err(refused(message, OVERWRITES_NOTHING.to_owned()))
    }

    /// The command that runs the test with what the run was given.
    fn command(&self, start: &RunStart) -> String {
        let mut words = vec!["lmthing".to_owned(), "test".to_owned()];
        for file in &start.env_files {
            words.extend(["--env-file".to_owned(), quoted(file)]);
        }
        if let Some(file) = start.options.get(MCP_CONFIG).and_then(Value::as_str) {
            words.extend(["--mcp-config".to_owned(), quoted(Path::new(file))]);
        }
        words.push(quoted(&self.test));
        words.join(" ")
    }
}

/// A path below the working directory without the latter.
fn shown(path: &Path) -> Cow<'_, Path> {
    let directory = std::env::current_dir().and_then(|directory| directory.canonicalize()).unwrap_or_default();
    path.strip_prefix(directory).unwrap_or(path).into()
}

fn quoted(path: &Path) -> String {
    let path = shown(path).display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./\\:@%+,".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

fn check_status(run: &RunInfo) -> Result<(), Box<Diagnostic>> {
    run.check_not_running().map_err(boxed)?;
    let how = match run.status {
        RunStatus::Done | RunStatus::Running => return Ok(()),
        RunStatus::Failed => "has failed",
        RunStatus::Limit => "was ended by a limit",
        RunStatus::Waiting => "waits for approval",
        RunStatus::Interrupted => "was interrupted",
    };
    let message = format!("the run {} {how}; only a run that has ended well can become a test", run.id);
    Err(refused(message, format!("lmthing resume {} goes on with it", run.id)))
}

fn check_file(run: &RunInfo) -> Result<(), Box<Diagnostic>> {
    if run.file.is_file() {
        return Ok(());
    }
    let message = format!("the prompt file of the run {} is not there any more: {}", run.id, run.file.display());
    Err(refused(message, "the test stands next to it and runs it; put it back first, or run it where it is now".into()))
}

fn check_files_of_input(run: &RunInfo, start: &RunStart) -> Result<(), Box<Diagnostic>> {
    if !start.input.iter().flat_map(|input| input.values()).any(has_unreadable_file) {
        return Ok(());
    }
    let message = format!("the input of the run {} has a file with a secret, so that a test cannot have it", run.id);
    Err(refused(message, "export a run with a file in which there are no keys".to_owned()))
}

fn check_contents(run: &RunInfo, contents: &RunContents) -> Result<(), Box<Diagnostic>> {
    let id = &run.id;
    if contents.own().next().is_none() {
        let message = format!("the run {id} has asked no model, so there is nothing that a test could replay");
        return Err(refused(message, "`lmthing runs show` shows what a run has done".to_owned()));
    }
    if contents.has_turns {
        let message = format!("the run {id} is a conversation, whose messages a test cannot say");
        return Err(refused(message, "export a run of `lmthing run` without --say".to_owned()));
    }
    if contents.exchanges.iter().any(Exchange::lacks_tools) {
        let message = format!("the journal does not hold the tools that the model of the run {id} was given");
        let hint = "earlier versions did not write those of mocks; run the file again, and export that run";
        return Err(refused(message, hint.to_owned()));
    }
    if let Some(name) = contents.denied.first() {
        let message = format!("in the run {id} a call of {name} was denied by a person, which a test cannot do");
        return Err(refused(message, "export a run in which nothing was denied".to_owned()));
    }
    Ok(())
}

fn source<'a>(
    (run, start): (&'a RunInfo, &'a RunStart),
    contents: &'a RunContents,
    files: &'a TestFiles,
    date: &'a str,
    command: &'a str,
) -> TestSource<'a> {
    let text = contents.finish["text"].as_str().unwrap_or_default().to_owned();
    let given = start.options.get(APPROVED).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let input = start.input.clone().map(Value::Object).unwrap_or_default();
    let needs_options = !start.env_files.is_empty() || start.options.contains_key(MCP_CONFIG);
    TestSource {
        run: &run.id,
        date,
        file: &files.prompt_name,
        stem: &files.stem,
        recording: files.recording.file_name().unwrap_or_default().to_string_lossy(),
        command: needs_options.then_some(command),
        input_files: InputFiles::of(format!("{}.test.files", files.stem), &input),
        input: Some(input).filter(|input| !input.is_null()),
        model: TestModel::OfFile,
        approved: given.chain(contents.approved.iter().map(String::as_str)).collect(),
        has_tools: contents.has_tools,
        tools_ms: contents.tools_ms,
        calls: &contents.calls,
        text,
        output: contents.finish.get("output").cloned(),
    }
}

/// The model of the test, unless it is that of the file.
fn model(start: &RunStart, contents: &RunContents, variables: Variables) -> TestModel {
    let Some(first) = contents.own().next() else { return TestModel::OfFile };
    if first.is_mocked() {
        return TestModel::Recorded("A mock has answered in the run");
    }
    if contents.own().any(Exchange::is_of_fallback) {
        return TestModel::Recorded("The first model has failed in the run");
    }
    if let Some(name) = &start.model {
        return TestModel::Named(name.clone());
    }
    let variables: BTreeMap<String, String> = variables.into_iter().collect();
    let known = list_models(&ProviderContext::new(Rc::new(variables)));
    match known.providers.iter().any(|provider| provider.name == first.provider) {
        true => TestModel::OfFile,
        // It may be a model that the file itself has made, which recordings do not replace.
        false => TestModel::Named(first.answered_by()),
    }
}

fn warnings(run: &RunInfo, start: &RunStart, files: &TestFiles) -> Vec<String> {
    let mut warnings = Vec::new();
    let written = fs::metadata(&run.file).and_then(|file| file.modified()).ok();
    let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|time| time.as_millis());
    if written.is_some_and(|written| written > u128::from(run.started)) {
        let file = &files.prompt_name;
        warnings.push(format!("{file} was written after the run began; the test compares with what was asked then"));
    }
    if start.input.is_none() && !start.words.is_empty() {
        let words = start.words.join(" ");
        warnings.push(format!("the run had the arguments {words}, and a test has none; give the file an `input`"));
    }
    warnings
}
