//! `lmthing models --local`: the servers on this machine and their models, as text or JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::in_event_loop;
use crate::cli::{ExitCode, Printer, small_args::ModelsArgs};
use lmthing_providers::{LocalEntry, LocalServer, ProviderContext, chosen_local, local_servers};

pub(super) fn run(args: &ModelsArgs, context: &ProviderContext, printer: &Printer) -> ExitCode {
    let list = async {
        let servers = local_servers(context).await;
        let text = if args.json { format!("{:#}\n", to_json(&servers)) } else { to_text(&servers) };
        printer.text(&text);
        printer.flush();
        ExitCode::Done
    };
    in_event_loop(list, printer)
}

fn to_text(servers: &[LocalServer]) -> String {
    let mut text = String::new();
    let entries = || servers.iter().flat_map(|server| server.models.iter().flatten());
    let width = entries().map(|entry| entry.name().chars().count()).max().unwrap_or_default();
    for LocalServer { vendor, address, models, .. } in servers {
        let state = match models {
            None => "  nothing answers",
            Some(models) if models.is_empty() => "  has no models",
            Some(_) => "",
        };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{vendor}  {address}{state}");
        for entry in models.iter().flatten() {
            let _ = writeln!(text, "{}", format!("  {:width$}  {}", entry.name(), about(entry)).trim_end());
        }
    }
    let _ = match chosen_local(servers) {
        Some(entry) => writeln!(text, "\nmodel: 'local' takes {}", entry.name()),
        None => writeln!(text, "\nmodel: 'local' finds none; start Ollama with `ollama serve`, or LM Studio"),
    };
    text
}

fn about(entry: &LocalEntry) -> String {
    let facts = [
        entry.size.map(gigabytes),
        entry.is_loaded.then(|| "loaded".to_owned()),
        (entry.can_call_tools == Some(true)).then(|| "tools".to_owned()),
        (entry.can_call_tools == Some(false) && !entry.only_embeds).then(|| "no tools".to_owned()),
        entry.only_embeds.then(|| "only embeds".to_owned()),
        entry.is_remote.then(|| "runs elsewhere".to_owned()),
    ];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[allow(clippy::cast_precision_loss, reason = "shown with one digit")]
fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

fn to_json(servers: &[LocalServer]) -> Value {
    let model = |entry: &LocalEntry| {
        json!({
            "model": entry.name(),
            "size": entry.size,
            "loaded": entry.is_loaded,
            "tools": entry.can_call_tools,
            "onlyEmbeds": entry.only_embeds,
            "remote": entry.is_remote,
        })
    };
    let servers_json: Vec<Value> = servers
        .iter()
        .map(|LocalServer { provider, vendor, address, models }| {
            let list: Vec<Value> = models.iter().flatten().map(model).collect();
            json!({ "provider": provider, "name": vendor, "address": address, "running": models.is_some(), "models": list })
        })
        .collect();
    json!({ "servers": servers_json, "local": chosen_local(servers).map(LocalEntry::name) })
}
