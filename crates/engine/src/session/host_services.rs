//! Makes the services that the bindings of an engine call: the step loop, the providers, limits.

use std::{collections::BTreeMap, rc::Rc, sync::Arc, time::Duration};

use super::{
    batches::{BatchAnswers, BatchedRequests},
    meter::Meter,
    step::Session,
    warnings::StepWarnings,
};
use crate::{
    bindings::{Exchanges, HostServices},
    prompt::{Decisions, Jobs},
};
use lmthing_base::{
    checkpoint::Checkpoints,
    event::{EventKind, Events, Retry},
    permission::Approver,
};
use lmthing_node::ScriptHost;
use lmthing_providers::{ProviderContext, ProviderEvent, Redactor, Servers};

/// The services that differ between commands.
pub struct HostServiceOptions {
    pub meter: Rc<Meter>,
    pub events: Rc<Events>,
    pub exchanges: Exchanges,
    pub checkpoints: Rc<dyn Checkpoints>,
    pub approver: Rc<dyn Approver>,
    /// Rate limits and other knowledge of servers, if several runs share it.
    pub servers: Option<Arc<Servers>>,
    /// What answers the requests of the run, if they go into batches.
    pub batches: Option<Rc<dyn BatchAnswers>>,
    /// Whether steps have the schemas of their tools even if the model does not read them.
    pub keeps_tool_schemas: bool,
}

/// API keys and model aliases are read from `variables`; `redactor` knows the secrets among them.
pub fn host_services(
    host: &Rc<dyn ScriptHost>,
    variables: &[(String, String)],
    redactor: &Redactor,
    options: HostServiceOptions,
) -> HostServices {
    let HostServiceOptions { meter, events, exchanges, checkpoints, approver, servers, batches, keeps_tool_schemas } =
        options;
    let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
    let providers = ProviderContext::with_redactor(Rc::new(variables), redactor.clone());
    let providers = match servers {
        Some(servers) => providers.with_servers(servers),
        None => providers,
    };
    let emitter = events.clone();
    let providers = providers.on_event(move |event| emitter.emit_current(&to_event_kind(event)));
    let host = host.clone();
    let step_warnings = StepWarnings::new(move |line| host.warn(line));
    let held = checkpoints.held();
    let jobs = Jobs::new(approver.may_stop() || !held.is_empty() || batches.is_some());
    let providers = match batches {
        Some(answers) => providers.with_batches(Rc::new(BatchedRequests::new(answers, jobs.clone()))),
        None => providers,
    };
    let decisions = Decisions::new(held, checkpoints.last_serial());
    HostServices {
        step_loop: Rc::new(Session { step_warnings, meter: meter.clone(), keeps_tool_schemas }),
        limits: meter,
        providers,
        exchanges,
        events,
        approver,
        checkpoints,
        jobs,
        decisions,
        mcp_config: None,
        turns: None,
    }
}

fn to_event_kind(event: &ProviderEvent) -> EventKind {
    let message = event.to_string();
    let wait_ms = |wait: &Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    match event {
        ProviderEvent::Retry { provider, model, attempt, max_attempts, wait, reason } => EventKind::Retry(Retry {
            message,
            model: format!("{provider}:{model}"),
            reason: reason.clone(),
            attempt: Some(*attempt),
            max_attempts: Some(*max_attempts),
            wait_ms: wait_ms(wait),
        }),
        ProviderEvent::Throttled { provider, wait, reason } => EventKind::Retry(Retry {
            message,
            model: provider.clone(),
            reason: reason.clone(),
            attempt: None,
            max_attempts: None,
            wait_ms: wait_ms(wait),
        }),
        ProviderEvent::Fallback { .. } => EventKind::Warning { message },
        ProviderEvent::Warning { message } => EventKind::Warning { message: message.clone() },
        ProviderEvent::Notice { .. } => EventKind::Notice { message },
    }
}
