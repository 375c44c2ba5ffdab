//! A worker: an address, services, their registration, and a word now and then. Must not know what invocations do.

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

/// How often it is said that the worker is alive.
const HEARTBEAT: Duration = Duration::from_secs(60);

/// What a worker serves, and how.
pub(crate) struct Worker {
    pub(crate) services: Vec<Arc<Service>>,
    /// Public keys of those whose requests are answered; none: everybody's are.
    pub(crate) keys: Vec<String>,
    pub(crate) invocations: Arc<dyn Invocations>,
    pub(crate) registration: Option<Registration>,
    /// Where Restate is told to call, if that is not the address that is listened at.
    pub(crate) advertised: Option<Url>,
    /// Where spans of runs go.
    pub(crate) export: Option<SharedExport>,
    pub(crate) log: Log,
}

impl Worker {
    /// Serves until `stop` says so and everything under way is given back.
    ///
    /// # Errors
    /// A key or a name is none, or nobody is ever going to call.
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
                // A server that knows it from earlier may have called already: that is given back.
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
