//! `lmthing __describe FILE`: prints the description of a prompt file as JSON, for [`lmthing_serve`].

use std::{path::Path, rc::Rc};

use serde_json::{Value, json};

use super::{
    in_event_loop, journal, mock_file,
    restrict::{CommandContext, restricted},
};
use crate::cli::{ExitCode, Printer, describe_args::DescribeArgs, env, failure::io_error_text};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_check::{OfferOptions, offer};
use lmthing_node::ScriptHost;
use lmthing_providers::Redactor;
use lmthing_system::{
    files::{FileReporter, absolute},
    process::exit_with_parent_id,
};

pub(in crate::cli) fn run(args: &DescribeArgs, printer: &Printer) -> ExitCode {
    if let Some(server) = args.served_by {
        exit_with_parent_id(server);
    }
    in_event_loop(
        async {
            let output = match describe(args, printer).await {
                Ok(output) => output,
                Err(problem) => json!({ "problem": shown(&problem) }),
            };
            printer.text(&format!("{output}\n"));
            printer.flush();
            ExitCode::Done
        },
        printer,
    )
}

async fn describe(args: &DescribeArgs, printer: &Printer) -> Result<Value, Diagnostic> {
    let directory = std::env::current_dir().unwrap_or_default();
    let reporter = FileReporter::to(args.report_files.as_deref()).map_err(|error| {
        Diagnostic::new(format!("cannot write which files it is made of: {}", io_error_text(&error)))
    })?;
    let options = args.setup.env_file.iter().chain(&args.setup.mock);
    options.for_each(|file| reporter.note_read(file));
    [Path::new(".env"), &args.file].into_iter().for_each(|file| reporter.note_read(file));
    let environment = env::with_files(&directory, &args.setup.env_file);
    if let Some(wrong) = environment.wrong {
        return Err(wrong.into());
    }
    let variables = environment.variables;
    let redactor = Redactor::of_variables(variables.iter().map(|(name, value)| (name, value)));
    let model = mock_file::chosen_model(&args.setup)?;
    let context = CommandContext {
        file: &args.file,
        arguments: &[],
        setup: &args.setup,
        record: None,
        replay: None,
        written: &[],
        journal: &journal::path(None, &variables, &directory),
        variables: &variables,
    };
    let rights = args.permissions.rights(&args.file, &variables)?;
    let permissions = rights.map(|rights| restricted(rights, context)).unwrap_or_default();
    let host = Rc::new(DescribeHost { printer: printer.clone(), redactor: redactor.clone(), reporter });
    let options = OfferOptions { host, variables, redactor, permissions, model, limit: args.limit };
    let offer = offer(&absolute(&args.file), options).await?;
    Ok(json!({ "description": offer.description, "input": offer.input, "output": offer.output }))
}

fn shown(problem: &Diagnostic) -> Value {
    let place = problem.location.as_ref().filter(|location| location.line > 0).map(|location| {
        let here = std::env::current_dir().unwrap_or_default();
        let path = Path::new(&location.path);
        let path = path.strip_prefix(&here).unwrap_or(path).display();
        format!("{path}:{}:{}", location.line, location.column)
    });
    json!({ "message": problem.message, "place": place, "hint": problem.hint })
}

struct DescribeHost {
    printer: Printer,
    redactor: Redactor,
    reporter: FileReporter,
}

impl ScriptHost for DescribeHost {
    fn write_stdout(&self, text: &str) {
        self.printer.script_stderr(text);
    }

    fn write_stderr(&self, text: &str) {
        self.printer.script_stderr(text);
    }

    fn diverts_stdout(&self) -> bool {
        true
    }

    fn has_stdin(&self) -> bool {
        false
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.redactor.learn_named(name, value);
    }

    fn note_read(&self, file: &Path) {
        self.reporter.note_read(file);
    }

    fn is_watched(&self) -> bool {
        self.reporter.is_watched()
    }
}
