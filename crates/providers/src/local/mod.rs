//! `local` and `local:NAME`: a model of a server on this machine, found when the first request is due
//! (docs/reference/providers.md).

mod ask;
mod choose;
mod entry;
mod known;
mod lists;
mod model;

use super::{ProviderContext, address::Address, catalog, settings::Setting};
use entry::Target;

pub(super) use entry::LOCAL;
pub use entry::{LocalEntry, LocalServer};
pub(super) use known::KnownServers;
pub(super) use lists::runs_in_cloud;
pub(super) use model::LocalModel;

/// The servers that are asked, in order of preference.
const SERVERS: [&str; 5] = ["ollama", "lmstudio", "llamacpp", "vllm", "docker"];

/// All servers that may run on this machine, with their models. They are asked at once, for 150 ms at most.
pub async fn local_servers(context: &ProviderContext) -> Vec<LocalServer> {
    ask::all(&targets(context), context).await
}

/// The model that `local` means.
pub fn chosen_local(servers: &[LocalServer]) -> Option<&LocalEntry> {
    choose::choose(servers, "").map(|chosen| chosen.entry)
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

/// Whether all servers that would be asked are on this machine.
fn are_all_here(context: &ProviderContext) -> bool {
    targets(context).iter().all(|target| Address::parse(&target.url).is_ok_and(|address| address.is_loopback()))
}

/// The answers of the servers, and whether they are new to the process.
async fn known_servers(context: &ProviderContext) -> (Vec<LocalServer>, bool) {
    let targets = targets(context);
    context.servers.local.get(&targets, async || ask::all(&targets, context).await).await
}
