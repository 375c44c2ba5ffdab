//! What providers need from outside: the environment, and somebody to tell about waits and switches.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    rc::Rc,
    time::Duration,
};

use super::redact::Redactor;

/// The environment variables providers are set up from. Below `cli` nobody reads the process's own.
pub trait Env {
    /// The value of a variable; set but empty is `Some("")`.
    fn get(&self, name: &str) -> Option<String>;

    /// The names of all variables, in any order.
    fn names(&self) -> Vec<String>;
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
    /// A model of a fallback list failed before its first visible byte; the next one is tried.
    Fallback {
        /// The model that failed, as `provider:model`.
        from: String,
        /// The model that is asked now.
        to: String,
        /// Why the first one failed.
        reason: String,
    },
}

impl fmt::Display for ProviderEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProviderEvent::Retry { provider, model, attempt, max_attempts, wait, reason } => write!(
                f,
                "{provider}:{model} failed (attempt {attempt} of {max_attempts}): {reason}; trying again in {:.1} s",
                wait.as_secs_f64()
            ),
            ProviderEvent::Fallback { from, to, reason } => {
                write!(f, "{from} failed: {reason}; switching to {to}")
            }
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
            ProviderEvent::Fallback { from, to, reason } => {
                ProviderEvent::Fallback { from: apply(from), to: apply(to), reason: apply(reason) }
            }
        }
    }
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
        // A library does not print; who wants to hear of waits says so.
        let context = ProviderContext { env, on_event: Rc::new(|_| {}), first_wait: Duration::from_secs(2), redactor };
        context.learn_variables();
        context
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
