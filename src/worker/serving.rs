//! A worker: an address, services, their registration, and a word now and then. Must not know what invocations do.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior, interval_at},
};

use super::{
    endpoint::{Common, Services},
    listen::Listener,
    log::Log,
    register::Registration,
    seam::{Invocations, Service},
    tally::{Figures, Tally},
};
use crate::{diagnostic::Diagnostic, trace::otel::SharedExport};

/// How often it is said that the worker is alive.
const HEARTBEAT: Duration = Duration::from_secs(60);

/// What a worker serves, and how.
pub(crate) struct Worker {
    pub(crate) services: Vec<Arc<Service>>,
    /// Public keys of those whose requests are answered; none: everybody's are.
    pub(crate) keys: Vec<String>,
    pub(crate) invocations: Arc<dyn Invocations>,
    pub(crate) registration: Option<Registration>,
    /// Where spans of runs go.
    pub(crate) export: Option<SharedExport>,
    pub(crate) log: Log,
}

impl Worker {
    /// Serves until `stop` says so and everything under way is given back.
    ///
    /// # Errors
    /// A key or a name is none, or nobody is ever going to call.
    pub(crate) async fn serve(self, listener: Listener, stop: watch::Receiver<bool>) -> Result<(), Box<Diagnostic>> {
        let Worker { services, keys, invocations, registration, export, log } = self;
        let tally = Tally::default();
        let common = Common { invocations, tally: tally.clone(), log: log.clone() };
        let services =
            Services::new(&services, &keys, &common).map_err(|problem| Box::new(Diagnostic::new(problem)))?;
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
        let ended = tokio::select! {
            () = listener.serve(services, tally.clone(), stop) => Ok(()),
            problem = problem => Err(problem),
            () = say_so(&log, &tally, export.as_ref()) => Ok(()),
        };
        export.and_then(|export| export.end("runs")).iter().for_each(|problem| log.warn(problem, &[]));
        ended
    }
}

/// Says how much there is to do; never ends.
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
