//! What the servers have answered, for all runs of a process.

use std::{collections::HashMap, fmt, time::Duration};

use tokio::{sync::Mutex, time::Instant};

use super::entry::{LocalServer, Target};

/// How long an answer holds for further runs of the same process.
const HOLDS: Duration = Duration::from_secs(60);

type Answers = HashMap<Vec<Target>, (Instant, Vec<LocalServer>)>;

#[derive(Default)]
pub(crate) struct KnownServers(Mutex<Answers>);

impl KnownServers {
    /// What `ask` returns, unless a run has asked just now. Runs that ask at the same time share one answer. The flag
    /// says whether the answer is new.
    pub(super) async fn get(
        &self,
        targets: &[Target],
        ask: impl AsyncFnOnce() -> Vec<LocalServer>,
    ) -> (Vec<LocalServer>, bool) {
        let mut known = self.0.lock().await;
        if let Some((since, servers)) = known.get(targets)
            && since.elapsed() < HOLDS
            && servers.iter().any(|server| server.models.is_some())
        {
            return (servers.clone(), false);
        }
        let servers = ask().await;
        let is_new = known.get(targets).is_none_or(|(_, before)| *before != servers);
        known.insert(targets.to_vec(), (Instant::now(), servers.clone()));
        (servers, is_new)
    }
}

impl fmt::Debug for KnownServers {
    // Targets hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownServers")
    }
}
