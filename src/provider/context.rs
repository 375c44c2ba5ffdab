//! What providers need from outside: the environment, and somebody to tell about waits and switches.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use super::{Span, redact::Redactor, servers::Servers};
use crate::http::Network;

/// The environment variables providers are set up from. Below `cli` nobody reads the process's own.
pub trait Env {
    /// The value of a variable; set but empty is `Some("")`.
    fn get(&self, name: &str) -> Option<String>;

    /// The names of all variables, in any order.
    fn names(&self) -> Vec<String>;
}

impl dyn Env {
    /// How connections are made with these variables, as they are now.
    pub(crate) fn network(&self) -> Network {
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

/// Something worth a line on stderr while a call goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum ProviderEvent {
    /// An attempt failed; the next one starts after `wait`.
    Retry {
        /// The provider's name.
        provider: String,
        /// The model's id at the provider.
        model: String,
        /// The attempt that failed, counted from 1.
        attempt: u32,
        /// How many attempts there are in all.
        max_attempts: u32,
        /// How long nothing happens now.
        wait: Duration,
        /// Why the attempt failed.
        reason: String,
    },
    /// A server takes fewer requests at a time than the run makes; all of them wait.
    Throttled {
        /// The provider's name.
        provider: String,
        /// How long no request is sent.
        wait: Duration,
        /// What the server said.
        reason: String,
    },
    /// A model of a fallback list failed before its first visible byte; the next one is tried.
    Fallback {
        /// The model that failed, as `provider:model`.
        from: String,
        /// The model that is asked now.
        to: String,
        /// Why the first one failed.
        reason: String,
    },
    /// Something is wrong that does not keep the call from going on.
    Warning {
        /// What, and what follows from it.
        message: String,
    },
}

impl fmt::Display for ProviderEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProviderEvent::Retry { provider, model, attempt, max_attempts, wait, reason } => write!(
                f,
                "{provider}:{model} failed (attempt {attempt} of {max_attempts}): {}; trying again in {}",
                inline(reason),
                Span(*wait)
            ),
            ProviderEvent::Throttled { provider, wait, reason } => {
                write!(f, "{provider} takes no more at a time: {}; all requests wait {}", inline(reason), Span(*wait))
            }
            ProviderEvent::Fallback { from, to, reason } => {
                let reason = inline(reason);
                match reason.strip_prefix("Failed after ") {
                    Some(rest) => write!(f, "{from} failed after {rest}; switching to {to}"),
                    None => write!(f, "{from} failed: {reason}; switching to {to}"),
                }
            }
            ProviderEvent::Warning { message } => write!(f, "Warning: {message}"),
        }
    }
}

impl ProviderEvent {
    /// The event without secrets.
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
        }
    }
}

/// A reason inside a sentence: on one line, and without the stop at its end.
fn inline(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    let mut line = words.join(" ");
    line.truncate(line.trim_end_matches('.').len());
    line
}

/// Set-up shared by all models of a run.
#[derive(Clone)]
pub struct ProviderContext {
    /// Where keys, addresses and aliases are looked up.
    pub env: Rc<dyn Env>,
    /// Told about waits and switches, at the moment they begin.
    pub on_event: Rc<dyn Fn(&ProviderEvent)>,
    /// The wait after the first failed attempt; it doubles with each further one. 2 s unless a test is in a hurry.
    pub first_wait: Duration,
    /// What the run has learned of the servers it asks.
    pub(crate) servers: Arc<Servers>,
    /// Knows the secrets of the run.
    pub(crate) redactor: Redactor,
}

impl ProviderContext {
    /// A context with the usual waits that reports to nobody.
    pub fn new(env: Rc<dyn Env>) -> Self {
        ProviderContext::redacting(env, Redactor::default())
    }

    /// The same, where others use the redactor too.
    pub fn redacting(env: Rc<dyn Env>, redactor: Redactor) -> Self {
        let context = ProviderContext::with_redactor(env, redactor);
        context.learn_variables();
        context
    }

    /// The same, with a redactor that knows these variables.
    pub(crate) fn with_redactor(env: Rc<dyn Env>, redactor: Redactor) -> Self {
        // A library does not print; who wants to hear of waits says so.
        let (on_event, servers) = (Rc::new(|_: &ProviderEvent| {}), Arc::default());
        ProviderContext { env, on_event, first_wait: Duration::from_secs(2), servers, redactor }
    }

    /// Uses, and adds to, what other runs have learned of the same servers.
    #[must_use]
    pub(crate) fn sharing(self, servers: Arc<Servers>) -> Self {
        ProviderContext { servers, ..self }
    }

    /// Reports waits and switches to `on_event`, without secrets.
    pub fn on_event(mut self, on_event: impl Fn(&ProviderEvent) + 'static) -> Self {
        let redactor = self.redactor.clone();
        self.on_event = Rc::new(move |event| on_event(&event.redacted(&redactor)));
        self
    }

    /// Tells the redactor the secrets of the environment as it is now; scripts may write to it.
    pub(super) fn learn_variables(&self) {
        for name in self.env.names() {
            if let Some(value) = self.env.get(&name) {
                self.redactor.learn_named(&name, &value);
            }
        }
    }
}

impl fmt::Debug for ProviderContext {
    // The environment holds keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderContext").field("first_wait", &self.first_wait).finish_non_exhaustive()
    }
}
