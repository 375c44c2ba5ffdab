//! Reads the input of a remote run from the command line and validates it against the file's schema.

use std::{path::Path, rc::Rc};

use crate::cli::{
    Printer,
    args::RunArgs,
    commands::{
        input::command_line,
        journal,
        restrict::{CommandContext, restricted},
    },
    failure::{Ending, WrongUsage},
};
use lmthing_base::{
    checkpoint::NoCheckpoints,
    cost::{Limits, OwnPrices},
    event::Events,
    permission::{ApprovalRules, DenyingApprover, Permissions},
};
use lmthing_engine::{
    bindings::{Exchanges, FileRun, ParsedInput},
    session::{FileRunOptions, Meter, RunContext, read_input},
};
use lmthing_node::{SCRIPT_STACK_SIZE, ScriptHost};
use lmthing_providers::Redactor;
use lmthing_system::{
    files::{FileReporter, absolute},
    remote::TOKEN_VARIABLE,
};

/// The file is loaded with the permissions of this command, without the server's bearer token.
pub(super) async fn read(
    args: &RunArgs,
    variables: &[(String, String)],
    redactor: &Redactor,
    printer: &Printer,
) -> Result<ParsedInput, Ending> {
    let file = absolute(args.file());
    let line =
        command_line(args, &FileReporter::default()).map_err(|error| Ending::not_begun(error.into(), redactor))?;
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    let host = Rc::new(LoadHost { printer: printer.clone(), redactor: redactor.clone() });
    let variables: Vec<_> = variables.iter().filter(|(name, _)| name != TOKEN_VARIABLE).cloned().collect();
    let permissions = permissions(args, &variables).map_err(|error| Ending::not_begun(error.into(), redactor))?;
    let options = FileRunOptions {
        host,
        events: Events::new(Vec::new()),
        line,
        argv: vec![program, file.display().to_string()],
        variables,
        exchanges: Exchanges::default(),
        meter: Rc::new(Meter::new(Limits::default(), OwnPrices::default())),
        checkpoints: Rc::new(NoCheckpoints),
        approver: DenyingApprover::new(ApprovalRules::default(), ""),
        redactor: redactor.clone(),
        model: None,
        max_stack_size: SCRIPT_STACK_SIZE,
        context: RunContext { permissions, ..RunContext::default() },
    };
    read_input(Path::new(&file), options)
        .await
        .map_err(|error| Ending::of_run(&FileRun::Failed(error), None, None, redactor))
}

/// The permissions of the file. For a restricted file this also confines the process.
fn permissions(args: &RunArgs, variables: &[(String, String)]) -> Result<Permissions, WrongUsage> {
    let Some(rights) = args.permissions.rights(args.file(), variables)? else { return Ok(Permissions::default()) };
    let context = CommandContext {
        file: args.file(),
        arguments: &args.words()?,
        setup: &args.setup,
        record: None,
        replay: None,
        written: &[],
        journal: &journal::path(None, variables, &std::env::current_dir().unwrap_or_default()),
        variables,
    };
    Ok(restricted(rights, context))
}

/// Sends output of the loading file to standard error: standard output is for the run.
struct LoadHost {
    printer: Printer,
    redactor: Redactor,
}

impl ScriptHost for LoadHost {
    fn write_stdout(&self, text: &str) {
        self.printer.script_stderr(text);
    }

    fn write_stderr(&self, text: &str) {
        self.printer.script_stderr(text);
    }

    fn warn(&self, message: &str) {
        self.printer.stderr(&format!("Warning: {}\n", self.redactor.apply(message)));
    }

    fn diverts_stdout(&self) -> bool {
        true
    }
}
