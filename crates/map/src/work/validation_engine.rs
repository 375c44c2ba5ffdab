//! The engine in which the rows are validated before any of them is run.

use std::{path::Path, rc::Rc};

use super::host::RowHost;
use crate::options::PoolOptions;
use lmthing_base::{
    checkpoint::NoCheckpoints, cost::Limits, diagnostic::Diagnostic, event::Events, permission::DenyingApprover,
};
use lmthing_engine::{
    bindings::Exchanges,
    prompt::RunError,
    session::{HostServiceOptions, Meter, Program, ProgramOptions, host_services},
};
use lmthing_node::{Engine, ScriptHost};
use lmthing_providers::Redactor;
use lmthing_system::threads::EventLoop;

/// The file whose rows are checked, and its environment.
pub(crate) struct CheckedFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) variables: Vec<(String, String)>,
}

/// Calls `validate` with an engine that has the settings of a row's engine.
pub(crate) fn with_engine<T>(
    options: &PoolOptions,
    file: CheckedFile<'_>,
    host: &RowHost,
    validate: impl AsyncFnOnce(&Engine) -> Result<T, Rc<RunError>>,
) -> Result<T, Rc<RunError>> {
    let failed = |message: String| Rc::new(RunError::from(Diagnostic::new(message)));
    let event_loop = EventLoop::new().map_err(|error| failed(format!("cannot start the event loop: {error}")))?;
    let host: Rc<dyn ScriptHost> = Rc::new(host.clone());
    // Nothing is asked yet, but a model without a price is refused.
    let limits = Limits { cost: options.limits.limits().cost, ..Limits::default() };
    event_loop.run(async {
        let redactor = Redactor::of_variables(options.variables.iter().map(|(name, value)| (name, value)));
        let service_options = HostServiceOptions {
            meter: Rc::new(Meter::new(limits, options.own_prices.clone())),
            events: Events::new(Vec::new()),
            exchanges: Exchanges::default(),
            checkpoints: Rc::new(NoCheckpoints),
            approver: DenyingApprover::new(options.approve.clone(), options.unit.approval_advice()),
            servers: None,
            batches: None,
            keeps_tool_schemas: false,
        };
        let services = host_services(&host, &options.variables, &redactor, service_options);
        let program = ProgramOptions {
            argv: vec!["lmthing".to_owned(), file.path.display().to_string()],
            env: file.variables,
            permissions: options.permissions.clone(),
            ..ProgramOptions::new(host, services)
        };
        let program = Program::load(file.path, program).await.map_err(|error| failed(error.to_string()))?;
        validate(program.engine()).await
    })
}
