//! Runs a worker: the server, the registration, and the heartbeat in the log.

use std::{pin::pin, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, MissedTickBehavior, interval_at},
};
use url::Url;

use super::{
    counters::{Counts, InvocationCounters},
    endpoint::{Services, SharedState},
    listener::WorkerListener,
    log::Log,
    register::Registration,
    request_filter::RequestFilter,
    service::{InvocationHandler, Service},
};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_store::trace::otel::SharedExport;

const HEARTBEAT: Duration = Duration::from_secs(60);

pub struct Worker {
    pub services: Vec<Arc<Service>>,
    /// JSON Schema of events and results (docs/events.schema.json).
    pub events_schema: &'static str,
    /// Public keys that requests must be signed with. All requests are answered if there are none.
    pub keys: Vec<String>,
    pub invocation_handler: Arc<dyn InvocationHandler>,
    pub registration: Option<Registration>,
    /// URL at which Restate calls the worker, if not the address it listens on.
    pub advertised: Option<Url>,
    pub export: Option<SharedExport>,
    pub log: Log,
}

impl Worker {
    /// Serves until `stop` is set and everything in progress has been released. Fails if a key or name is invalid or
    /// the registration is refused.
    pub async fn serve(self, listener: WorkerListener, stop: &watch::Sender<bool>) -> Result<(), Box<Diagnostic>> {
        let Worker { services, events_schema, keys, invocation_handler, registration, advertised, export, log } = self;
        let counters = InvocationCounters::default();
        let shared = SharedState { invocation_handler, counters: counters.clone(), log: log.clone() };
        let services = Services::new(&services, events_schema, &keys, &shared)?;
        let request_filter = RequestFilter::new(listener.address(), advertised.as_ref(), !keys.is_empty());
        let registered = async {
            match &registration {
                Some(registration) => registration.register(&log).await,
                None => Ok(()),
            }
        };
        let problem = async {
            match registered.await {
                Ok(()) => std::future::pending().await,
                Err(problem) => problem,
            }
        };
        let mut serving = pin!(listener.serve(services, request_filter, counters.clone(), stop.subscribe()));
        let ended = tokio::select! {
            () = &mut serving => Ok(()),
            problem = problem => {
                // Restate may know the worker from an earlier registration and have called it already; such invocations
                // are released.
                stop.send_replace(true);
                serving.await;
                Err(problem)
            }
            () = log_heartbeat(&log, &counters, export.as_ref()) => Ok(()),
        };
        export.and_then(|export| export.end("runs")).iter().for_each(|problem| log.warn(problem, &[]));
        ended
    }
}

/// Logs the counters every minute. Never returns.
async fn log_heartbeat(log: &Log, counters: &InvocationCounters, export: Option<&SharedExport>) {
    let mut minutes = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        minutes.tick().await;
        let Counts { running, waiting, done, failed } = counters.counts();
        let fields = [("running", running), ("waiting", waiting), ("done", done), ("failed", failed)];
        log.info("alive", &fields.map(|(name, count)| (name, Value::from(count))));
        export.and_then(SharedExport::lost).iter().for_each(|problem| log.warn(problem, &[]));
    }
}
