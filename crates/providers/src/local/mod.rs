//! `local` and `local:NAME`: a model of a server on this machine, found when the first request is due
//! (docs/reference/providers.md).

mod ask;
mod choose;
mod lists;
mod model;

use std::{collections::HashMap, fmt, time::Duration};

use tokio::{sync::Mutex, time::Instant};

use super::{ProviderContext, catalog, settings::Setting};

pub(super) use model::LocalModel;

/// The name in model strings.
pub(super) const LOCAL: &str = "local";

/// The servers that are asked, in order of preference.
const SERVERS: [&str; 5] = ["ollama", "lmstudio", "llamacpp", "vllm", "docker"];

/// How long an answer of the servers holds for further runs of the same process.
const HOLDS: Duration = Duration::from_secs(60);

/// A model that a server on this machine has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalEntry {
    /// The provider whose model it is: `ollama`, `lmstudio`, …
    pub provider: &'static str,
    pub id: String,
    /// In bytes; estimated from its name where the server does not say it.
    pub size: Option<u64>,
    pub is_loaded: bool,
    /// Whether it can call tools, if the server says so.
    pub can_call_tools: Option<bool>,
    /// Whether it makes vectors only.
    pub only_embeds: bool,
    /// Whether the server passes requests on to a service elsewhere.
    pub is_remote: bool,
}

/// A server that was asked for its models.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalServer {
    pub provider: &'static str,
    pub vendor: &'static str,
    pub address: String,
    /// `None` if nothing that lists models has answered there.
    pub models: Option<Vec<LocalEntry>>,
}

impl LocalEntry {
    /// The model string that names this model.
    pub fn name(&self) -> String {
        format!("{}:{}", self.provider, self.id)
    }
}

/// All servers that may run on this machine, with their models. They are asked at once, for 150 ms at most.
pub async fn local_servers(context: &ProviderContext) -> Vec<LocalServer> {
    ask::all(&targets(context), context).await
}

/// The model that `local` means.
pub fn chosen_local(servers: &[LocalServer]) -> Option<&LocalEntry> {
    choose::choose(servers, "").map(|chosen| chosen.entry)
}

/// A server to ask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Target {
    provider: &'static str,
    vendor: &'static str,
    url: String,
    key: Option<String>,
}

fn targets(context: &ProviderContext) -> Vec<Target> {
    let env = &*context.env;
    let rows = SERVERS.iter().filter_map(|name| catalog::named(name));
    let target = |row: &'static catalog::Provider| {
        let url = row.set_variable(Setting::BaseUrl, env).map_or_else(|| row.base_url.to_owned(), |(_, url)| url);
        let key = row.set_variable(Setting::ApiKey, env).map(|(_, key)| key.trim().to_owned());
        Target { provider: row.name, vendor: row.vendor, url: row.url_of(url.trim()), key }
    };
    rows.map(target).collect()
}

/// What the servers have answered, for all runs of a process.
#[derive(Default)]
pub(super) struct KnownServers(Mutex<HashMap<Vec<Target>, (Instant, Vec<LocalServer>)>>);

impl KnownServers {
    /// Asks the servers, unless a run has done so just now. Runs that ask at the same time share one answer. The flag
    /// says whether the answer is new.
    async fn servers(&self, context: &ProviderContext) -> (Vec<LocalServer>, bool) {
        let targets = targets(context);
        let mut known = self.0.lock().await;
        if let Some((since, servers)) = known.get(&targets)
            && since.elapsed() < HOLDS
            && servers.iter().any(|server| server.models.is_some())
        {
            return (servers.clone(), false);
        }
        let servers = ask::all(&targets, context).await;
        let is_new = known.get(&targets).is_none_or(|(_, before)| *before != servers);
        known.insert(targets, (Instant::now(), servers.clone()));
        (servers, is_new)
    }
}

impl fmt::Debug for KnownServers {
    // Targets hold keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KnownServers")
    }
}
