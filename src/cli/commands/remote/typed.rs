//! What was typed for a file that is run elsewhere: read as `run` reads it, and held against the file's own schema.

use std::{path::Path, rc::Rc};

use crate::{
    checkpoint::NoCheckpoints,
    cli::{
        Printer,
        args::RunArgs,
        commands::{
            input::command_line,
            journal,
            restrict::{RestrictedCommand, restricted},
        },
        failure::{Ending, WrongUsage},
    },
    cost::{Limits, OwnPrices},
    event::Events,
    files::{FileReporter, absolute},
    permission::{ApprovalRules, DenyingApprover, Permissions},
    provider::Redactor,
    remote::TOKEN_VARIABLE,
    script::{
        SCRIPT_STACK_SIZE, ScriptHost,
        bindings::{Exchanges, FileRun, TypedInput},
    },
    session::{FileRunOptions, Meter, Surroundings, read_input},
};

/// Reads it. The file has the rights that were given here, and not the token for the server.
///
/// # Errors
/// The file is wrong, or what was typed does not fit.
pub(super) async fn read(
    args: &RunArgs,
    variables: &[(String, String)],
    redactor: &Redactor,
    printer: &Printer,
) -> Result<TypedInput, Ending> {
    let file = absolute(args.file());
    let line =
        command_line(args, &FileReporter::default()).map_err(|error| Ending::not_begun(error.into(), redactor))?;
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_else(|_| "lmthing".into());
    let host = Rc::new(Loading { printer: printer.clone(), redactor: redactor.clone() });
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
        surroundings: Surroundings { permissions, ..Surroundings::default() },
    };
    read_input(Path::new(&file), options)
        .await
        .map_err(|error| Ending::of_run(&FileRun::Failed(error), None, None, redactor))
}

/// What the file may reach; of a restricted file the system holds that as well from now on.
fn permissions(args: &RunArgs, variables: &[(String, String)]) -> Result<Permissions, WrongUsage> {
    let Some(rights) = args.permissions.rights(args.file(), variables)? else { return Ok(Permissions::default()) };
    let command = RestrictedCommand {
        file: args.file(),
        arguments: &args.words()?,
        setup: &args.setup,
        record: None,
        replay: None,
        written: &[],
        journal: &journal::path(None, variables, &std::env::current_dir().unwrap_or_default()),
        variables,
    };
    Ok(restricted(rights, command))
}

/// What the file prints while it loads is for whoever looks at standard error: standard output is for the run.
struct Loading {
    printer: Printer,
    redactor: Redactor,
}

impl ScriptHost for Loading {
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
