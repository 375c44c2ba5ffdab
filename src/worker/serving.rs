//! Runs a worker: the server, the registration, and the heartbeat in the log.

use std::{pin::pin, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior, interval_at},
};
use url::Url;

use super::{
    endpoint::{Common, Services},
    gate::Gate,
    listen::Listener,
    log::Log,
    register::Registration,
    seam::{Invocations, Service},
    tally::{Figures, Tally},
};
use crate::{diagnostic::Diagnostic, trace::otel::SharedExport};

const HEARTBEAT: Duration = Duration::from_secs(60);

pub(crate) struct Worker {
    pub(crate) services: Vec<Arc<Service>>,
    /// Public keys that requests must be signed with. All requests are answered if there are none.
    pub(crate) keys: Vec<String>,
    pub(crate) invocations: Arc<dyn Invocations>,
    pub(crate) registration: Option<Registration>,
    /// URL at which Restate calls the worker, if not the address it listens on.
    pub(crate) advertised: Option<Url>,
    pub(crate) export: Option<SharedExport>,
    pub(crate) log: Log,
}

impl Worker {
    /// Serves until `stop` is set and everything in progress has been released. Fails if a key or name is invalid or
    /// the registration is refused.
    pub(crate) async fn serve(self, listener: Listener, stop: &watch::Sender<bool>) -> Result<(), Box<Diagnostic>> {
        let Worker { services, keys, invocations, registration, advertised, export, log } = self;
        let tally = Tally::default();
        let common = Common { invocations, tally: tally.clone(), log: log.clone() };
        let services =
            Services::new(&services, &keys, &common).map_err(|problem| Box::new(Diagnostic::new(problem)))?;
        let gate = Gate::new(listener.address(), advertised.as_ref(), !keys.is_empty());
        let registered = async {
            match &registration {
                Some(registration) => registration.make(&log).await,
                None => Ok(()),
            }
        };
        let problem = async {
            match registered.await {
                Ok(()) => std::future::pending().await,
                Err(problem) => problem,
            }
        };
        let mut serving = pin!(listener.serve(services, gate, tally.clone(), stop.subscribe()));
        let ended = tokio::select! {
            () = &mut serving => Ok(()),
            problem = problem => {
                // Restate may know the worker from an earlier registration and have called it already; such invocations
                // are released.
                stop.send_replace(true);
                serving.await;
                Err(problem)
            }
            () = say_so(&log, &tally, export.as_ref()) => Ok(()),
        };
        export.and_then(|export| export.end("runs")).iter().for_each(|problem| log.warn(problem, &[]));
        ended
    }
}

/// Logs the counters every minute. Never returns.
async fn say_so(log: &Log, tally: &Tally, export: Option<&SharedExport>) {
    let mut minutes = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        minutes.tick().await;
        let Figures { running, waiting, done, failed } = tally.figures();
        let fields = [("running", running), ("waiting", waiting), ("done", done), ("failed", failed)];
        log.info("alive", &fields.map(|(name, count)| (name, Value::from(count))));
        export.and_then(SharedExport::lost).iter().for_each(|problem| log.warn(problem, &[]));
    }
}
