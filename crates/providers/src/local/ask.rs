//! Asks servers on this machine for their models. Nothing but lists is requested of a server before it has sent one.

use std::time::Duration;

use futures_util::{StreamExt, future::join_all, stream};
use reqwest::{Client, RequestBuilder, header::CONTENT_TYPE};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::{
    choose::rank,
    entry::{LocalEntry, LocalServer, Target},
    lists,
};
use crate::{ProviderContext, address::Address};
use lmthing_system::http::{Body, http_client, local_client};

/// For all servers together.
const PATIENCE: Duration = Duration::from_millis(150);

const MAX_LIST: usize = 4 << 20;

/// The models whose capabilities are asked for.
const MAX_SHOWN: usize = 64;

/// Those that are asked for at once.
const SHOWN_AT_ONCE: usize = 4;

pub(super) async fn all(targets: &[Target], context: &ProviderContext) -> Vec<LocalServer> {
    // Made before the clock starts.
    let clients = targets.iter().map(|target| client(target, context)).collect::<Vec<_>>();
    let deadline = Instant::now() + PATIENCE;
    let asked = targets.iter().zip(clients).map(|(target, client)| async move {
        let models = match client {
            Some(client) => Server { client, target, deadline }.models().await,
            None => None,
        };
        LocalServer { provider: target.provider, vendor: target.vendor, address: shown(&target.url), models }
    });
    join_all(asked).await
}

/// Servers of this machine are reached without a proxy.
fn client(target: &Target, context: &ProviderContext) -> Option<Client> {
    match target.url.starts_with("https:") {
        true => http_client(&context.env.network()).ok(),
        false => local_client(PATIENCE).ok(),
    }
}

/// The address without password and query.
fn shown(url: &str) -> String {
    match Address::parse(url) {
        Ok(address) => address.to_string(),
        Err(error) => format!("an address that {}", error.what),
    }
}

struct Server<'a> {
    client: Client,
    target: &'a Target,
    deadline: Instant,
}

impl Server<'_> {
    async fn models(&self) -> Option<Vec<LocalEntry>> {
        match self.target.provider {
            "ollama" => self.of_ollama().await,
            // LM Studio's own list says what is loaded.
            "lmstudio" => {
                let own = format!("{}/api/v0/models", self.url().trim_end_matches("/v1"));
                let usual = format!("{}/models", self.url());
                let (own, usual) = tokio::join!(self.list(&own), self.list(&usual));
                let read = |list: Option<Value>| lists::of_openai(self.target.provider, &list?);
                read(own).or_else(|| read(usual))
            }
            provider => lists::of_openai(provider, &self.list(&format!("{}/models", self.url())).await?),
        }
    }

    fn url(&self) -> &str {
        self.target.url.trim_end_matches('/')
    }

    async fn of_ollama(&self) -> Option<Vec<LocalEntry>> {
        let [tags, loaded] = ["tags", "ps"].map(|path| format!("{}/api/{path}", self.url()));
        let (tags, loaded) = tokio::join!(self.list(&tags), self.list(&loaded));
        let mut entries = lists::of_ollama(&tags?)?;
        lists::mark_loaded(&mut entries, &loaded.unwrap_or_default());
        // What would be taken comes first, so that the choice does not depend on how many answer in time.
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|index| rank(&entries[*index]));
        let asked = order.iter().take(MAX_SHOWN).map(|index| self.with_capabilities(&entries[*index]));
        let answers: Vec<LocalEntry> = stream::iter(asked).buffered(SHOWN_AT_ONCE).collect().await;
        for (index, entry) in order.into_iter().zip(answers) {
            entries[index] = entry;
        }
        Some(entries)
    }

    async fn with_capabilities(&self, entry: &LocalEntry) -> LocalEntry {
        if entry.can_call_tools.is_some() {
            return entry.clone();
        }
        let url = format!("{}/api/show", self.url());
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(json!({ "model": entry.id }).to_string());
        let shown = self.answer(request).await.unwrap_or_default();
        lists::with_capabilities(entry.clone(), &shown)
    }

    async fn list(&self, url: &str) -> Option<Value> {
        self.answer(self.client.get(url)).await
    }

    /// The JSON of an answer; `None` for any failure, which means that this is not such a server.
    async fn answer(&self, request: RequestBuilder) -> Option<Value> {
        let request = match &self.target.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        let read = async {
            let response = request.send().await.ok().filter(|response| response.status().is_success())?;
            let (mut body, mut bytes) = (Body::new(response), Vec::new());
            while let Some(chunk) = body.chunk().await.ok()? {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > MAX_LIST {
                    return None;
                }
            }
            serde_json::from_slice(&bytes).ok()
        };
        timeout_at(self.deadline, read).await.ok().flatten()
    }
}
