//! The doors that lead from the bindings of an engine to the step loop and the providers. Must not know what runs in the
//! engine.

use std::{collections::BTreeMap, rc::Rc, sync::Arc, time::Duration};

use super::{endings::Endings, meter::Meter, step_loop::Session};
use crate::{
    checkpoint::Checkpoints,
    event::{EventKind, Events, Retry},
    permission::Approver,
    prompt::{Decisions, Jobs},
    provider::{ProviderContext, ProviderEvent, Redactor, Servers},
    script::{
        ScriptHost,
        bindings::{Exchanges, HostServices},
    },
};

/// What stands behind the doors, from the program around the engine.
pub(crate) struct Outside {
    pub meter: Rc<Meter>,
    pub events: Rc<Events>,
    pub exchanges: Exchanges,
    pub checkpoints: Rc<dyn Checkpoints>,
    pub approver: Rc<dyn Approver>,
    /// What other runs know of servers as well.
    pub servers: Option<Arc<Servers>>,
}

/// The doors of an engine whose scripts run prompts; `variables` are where keys and aliases are looked up, which `redactor` knows;
/// `keeps_tools` says whether steps have the schemas of their tools also where the model reads none.
pub(crate) fn doors(
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
    let providers = providers.on_event(move |event| listener.emit_current(&told(event)));
    let host = host.clone();
    let endings = Endings::new(move |line| host.warn(line));
    let held = checkpoints.held();
    let jobs = Jobs::new(approver.may_stop() || !held.is_empty());
    let decisions = Decisions::new(held, checkpoints.last_serial());
    HostServices {
        step_loop: Rc::new(Session { endings, meter: meter.clone(), keeps_tools }),
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

/// What a provider has to tell, as an event of the run.
fn told(event: &ProviderEvent) -> EventKind {
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
