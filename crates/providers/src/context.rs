//! The environment and callbacks that models of a run share.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    fmt,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use super::{
    HumanDuration,
    batch::{Batching, Gate},
    redact::Redactor,
    servers::Servers,
};
use lmthing_system::http::Network;

/// The environment variables that providers are configured with.
pub trait Env {
    fn get(&self, name: &str) -> Option<String>;

    fn names(&self) -> Vec<String>;
}

impl dyn Env {
    pub fn network(&self) -> Network {
        Network::new(|name| self.get(name))
    }
}

impl Env for BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        BTreeMap::get(self, name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

impl Env for HashMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        HashMap::get(self, name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ProviderEvent {
    Retry { provider: String, model: String, attempt: u32, max_attempts: u32, wait: Duration, reason: String },
    Throttled { provider: String, wait: Duration, reason: String },
    Fallback { from: String, to: String, reason: String },
    Warning { message: String },
    // What was chosen, for instance; nothing is wrong.
    Notice { message: String },
}

impl fmt::Display for ProviderEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProviderEvent::Retry { provider, model, attempt, max_attempts, wait, reason } => {
                // Batches may have requests to several models.
                let colon = if model.is_empty() { "" } else { ":" };
                write!(
                    f,
                    "{provider}{colon}{model} failed (attempt {attempt} of {max_attempts}): {}; trying again in {}",
                    inline(reason),
                    HumanDuration(*wait)
                )
            }
            ProviderEvent::Throttled { provider, wait, reason } => {
                write!(
                    f,
                    "{provider} takes no more at a time: {}; all requests wait {}",
                    inline(reason),
                    HumanDuration(*wait)
                )
            }
            ProviderEvent::Fallback { from, to, reason } => {
                let reason = inline(reason);
                match reason.strip_prefix("Failed after ") {
                    Some(rest) => write!(f, "{from} failed after {rest}; switching to {to}"),
                    None => write!(f, "{from} failed: {reason}; switching to {to}"),
                }
            }
            ProviderEvent::Warning { message } => write!(f, "Warning: {message}"),
            ProviderEvent::Notice { message } => f.write_str(message),
        }
    }
}

impl ProviderEvent {
    fn redacted(&self, redactor: &Redactor) -> Self {
        let apply = |text: &String| redactor.apply(text);
        match self {
            ProviderEvent::Retry { provider, model, attempt, max_attempts, wait, reason } => ProviderEvent::Retry {
                provider: apply(provider),
                model: apply(model),
                attempt: *attempt,
                max_attempts: *max_attempts,
                wait: *wait,
                reason: apply(reason),
            },
            ProviderEvent::Throttled { provider, wait, reason } => {
                ProviderEvent::Throttled { provider: apply(provider), wait: *wait, reason: apply(reason) }
            }
            ProviderEvent::Fallback { from, to, reason } => {
                ProviderEvent::Fallback { from: apply(from), to: apply(to), reason: apply(reason) }
            }
            ProviderEvent::Warning { message } => ProviderEvent::Warning { message: apply(message) },
            ProviderEvent::Notice { message } => ProviderEvent::Notice { message: apply(message) },
        }
    }
}

fn inline(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    let mut line = words.join(" ");
    line.truncate(line.trim_end_matches('.').len());
    line
}

#[derive(Clone)]
pub struct ProviderContext {
    pub env: Rc<dyn Env>,
    pub on_event: Rc<dyn Fn(&ProviderEvent)>,
    /// The wait after the first failed attempt; it doubles with each further one. 2 s by default.
    pub first_wait: Duration,
    pub servers: Arc<Servers>,
    pub redactor: Redactor,
    /// The key of the run for caches of prompts that take one.
    pub(super) cache_key: Option<Rc<str>>,
    /// Whether the run was warned that a server has cut a prompt.
    pub(super) has_reported_cut: Rc<Cell<bool>>,
    /// Where requests go that are to be answered by batches.
    pub(super) batches: Option<Rc<Gate>>,
}

impl ProviderContext {
    pub fn new(env: Rc<dyn Env>) -> Self {
        ProviderContext::redacting(env, Redactor::default())
    }

    pub fn redacting(env: Rc<dyn Env>, redactor: Redactor) -> Self {
        let context = ProviderContext::with_redactor(env, redactor);
        context.learn_variables();
        context
    }

    /// A context with a redactor that already knows the secrets of `env`.
    pub fn with_redactor(env: Rc<dyn Env>, redactor: Redactor) -> Self {
        let (on_event, servers, has_reported_cut) = (Rc::new(|_: &ProviderEvent| {}), Arc::default(), Rc::default());
        let first_wait = Duration::from_secs(2);
        let (cache_key, batches) = (None, None);
        ProviderContext { env, on_event, first_wait, servers, redactor, cache_key, has_reported_cut, batches }
    }

    #[must_use]
    pub fn with_servers(self, servers: Arc<Servers>) -> Self {
        ProviderContext { servers, ..self }
    }

    #[must_use]
    pub fn with_cache_key(self, key: &str) -> Self {
        ProviderContext { cache_key: Some(key.into()), ..self }
    }

    /// Lets `batching` decide what happens to the requests of a run.
    #[must_use]
    pub fn with_batches(self, batching: Rc<dyn Batching>) -> Self {
        ProviderContext { batches: Some(Rc::new(Gate::new(batching))), ..self }
    }

    pub fn on_event(mut self, on_event: impl Fn(&ProviderEvent) + 'static) -> Self {
        let redactor = self.redactor.clone();
        self.on_event = Rc::new(move |event| on_event(&event.redacted(&redactor)));
        self
    }

    /// Registers the secrets of the environment again, as scripts may change it.
    pub(super) fn learn_variables(&self) {
        for name in self.env.names() {
            if let Some(value) = self.env.get(&name) {
                self.redactor.learn_named(&name, &value);
            }
        }
    }
}

impl fmt::Debug for ProviderContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderContext").field("first_wait", &self.first_wait).finish_non_exhaustive()
    }
}
