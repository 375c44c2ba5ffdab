//! An engine in which the file is looked at before any row is run. Must not know what is looked for.

use std::rc::Rc;

use super::{host::RowHost, row::MAX_MEMORY};
use crate::options::{MapOptions, approval_advice};
use lmthing_base::{
    checkpoint::NoCheckpoints, cost::Limits, diagnostic::Diagnostic, event::Events, permission::DenyingApprover,
};
use lmthing_engine::{
    bindings::Exchanges,
    prompt::RunError,
    session::{Meter, Outside, Program, ProgramOptions, doors},
};
use lmthing_node::{Engine, ScriptHost};
use lmthing_providers::Redactor;

/// Makes an engine with everything that runs of the file have, and looks.
///
/// # Errors
/// There is no engine, or what was looked for failed.
pub(crate) fn in_engine<T>(
    options: &MapOptions,
    host: &RowHost,
    look: impl AsyncFnOnce(&Engine) -> Result<T, Rc<RunError>>,
) -> Result<T, Rc<RunError>> {
    let failed = |message: String| Rc::new(RunError::from(Diagnostic::new(message)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(format!("cannot start the event loop: {error}")))?;
    let host: Rc<dyn ScriptHost> = Rc::new(host.clone());
    let looked = runtime.block_on(async {
        let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
        let rest = Outside {
            meter: Rc::new(Meter::new(Limits::default(), options.own_prices.clone())),
            events: Events::new(Vec::new()),
            exchanges: Exchanges::default(),
            checkpoints: Rc::new(NoCheckpoints),
            approver: DenyingApprover::new(options.approve.clone(), approval_advice()),
            servers: None,
        };
        let doors = doors(&host, &options.variables, &redactor, rest, false);
        let program = ProgramOptions {
            argv: vec!["lmthing".to_owned(), options.file.display().to_string()],
            env: options.variables_of_scripts(),
            permissions: options.permissions.clone(),
            max_memory: Some(MAX_MEMORY),
            ..ProgramOptions::new(host, doors)
        };
        let program = Program::load(&options.file, program).await.map_err(failed)?;
        look(program.engine()).await
    });
    runtime.shutdown_background();
    looked
}
