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
        // Ollama's own variable wins here: it is about servers on this machine.
        let own = env.get("OLLAMA_HOST").filter(|host| row.name == "ollama" && !host.trim().is_empty());
        let set = || row.set_variable(Setting::BaseUrl, env).map(|(_, url)| url);
        let url = own.or_else(set).unwrap_or_else(|| row.base_url.to_owned());
        let key = row.set_variable(Setting::ApiKey, env).map(|(_, key)| key.trim().to_owned());
        Target { provider: row.name, vendor: row.vendor, url: row.url_of(url.trim()), key }
    };
    rows.map(target).collect()
}

/// The address at which a provider's server was asked.
fn url_of(provider: &str, context: &ProviderContext) -> Option<String> {
    targets(context).into_iter().find(|target| target.provider == provider).map(|target| target.url)
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

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, rc::Rc};

    use super::*;

    fn urls(variables: &[(&str, &str)]) -> (String, bool) {
        let env: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let context = ProviderContext::new(Rc::new(env));
        (targets(&context)[0].url.clone(), are_all_here(&context))
    }

    #[test]
    fn ollamas_own_variable_is_its_address_on_this_machine() {
        let base_url = ("OLLAMA_BASE_URL", "http://127.0.0.1:9");
        assert_eq!(urls(&[]), ("http://127.0.0.1:11434".to_owned(), true));
        assert_eq!(urls(&[base_url]), ("http://127.0.0.1:9".to_owned(), true));
        assert_eq!(urls(&[base_url, ("OLLAMA_HOST", "0.0.0.0:8")]), ("http://127.0.0.1:8".to_owned(), true));
        assert!(!urls(&[("OLLAMA_HOST", "https://gpu.example:443")]).1);
    }
}
