//! Connects the bindings of an engine with the step loop and the providers.

use std::{collections::BTreeMap, rc::Rc, sync::Arc, time::Duration};

use super::{meter::Meter, step_loop::Session, warnings::StepWarnings};
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

/// What the bindings need from the program.
pub struct Outside {
    pub meter: Rc<Meter>,
    pub events: Rc<Events>,
    pub exchanges: Exchanges,
    pub checkpoints: Rc<dyn Checkpoints>,
    pub approver: Rc<dyn Approver>,
    /// Knowledge of servers that several runs share.
    pub servers: Option<Arc<Servers>>,
}

/// `variables` are where keys and aliases are looked up; `redactor` knows them. With `keeps_tools` steps have the
/// schemas of their tools even if the model does not read them.
pub fn doors(
    host: &Rc<dyn ScriptHost>,
    variables: &[(String, String)],
    redactor: &Redactor,
    Outside { meter, events, exchanges, checkpoints, approver, servers }: Outside,
    keeps_tools: bool,
) -> HostServices {
    let variables: BTreeMap<String, String> = variables.iter().cloned().collect();
    let providers = ProviderContext::with_redactor(Rc::new(variables), redactor.clone());
    let providers = match servers {
        Some(servers) => providers.with_servers(servers),
        None => providers,
    };
    let listener = events.clone();
    let providers = providers.on_event(move |event| listener.emit_current(&event_of(event)));
    let host = host.clone();
    let step_warnings = StepWarnings::new(move |line| host.warn(line));
    let held = checkpoints.held();
    let jobs = Jobs::new(approver.may_stop() || !held.is_empty());
    let decisions = Decisions::new(held, checkpoints.last_serial());
    HostServices {
        step_loop: Rc::new(Session { step_warnings, meter: meter.clone(), keeps_tools }),
        limits: meter,
        providers,
        exchanges,
        events,
        approver,
        checkpoints,
        jobs,
        decisions,
        mcp_config: None,
    }
}

fn event_of(event: &ProviderEvent) -> EventKind {
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
    }
}
