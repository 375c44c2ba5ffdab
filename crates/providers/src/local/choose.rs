//! Which of the models on this machine is taken, and what to say if none is.

use std::cmp::Reverse;

use super::entry::{LocalEntry, LocalServer};

const GET_ONE: &str = "Get one, for example with `ollama pull qwen3` or in LM Studio.";

pub(super) struct Chosen<'a> {
    pub entry: &'a LocalEntry,
    /// Why it was taken, as the end of a sentence; empty if its name was given.
    pub why: &'static str,
}

/// The model of this name; without a name what is loaded, else the largest that can call tools.
pub(super) fn choose<'a>(servers: &'a [LocalServer], wanted: &str) -> Option<Chosen<'a>> {
    let entries = || models(servers).filter(|entry| !entry.only_embeds);
    if wanted.is_empty() {
        // A model that answers elsewhere may cost something.
        let here = || entries().filter(|entry| !entry.is_remote);
        let entry = here().min_by_key(|entry| rank(entry))?;
        let why = match (entry.is_loaded, here().count(), entry.can_call_tools) {
            (true, ..) => ", which is loaded",
            (_, 1, _) => ", the only one there is",
            (_, _, Some(true)) => ", the largest that can call tools",
            (_, _, None) => ", the largest that may call tools",
            _ => ", the largest there is",
        };
        return Some(Chosen { entry, why });
    }
    let closeness = |entry: &&LocalEntry| closeness(&entry.id, wanted).map(|closeness| (closeness, rank(entry)));
    let entry = entries().filter(|entry| closeness(entry).is_some()).min_by_key(closeness)?;
    Some(Chosen { entry, why: "" })
}

fn models(servers: &[LocalServer]) -> impl Iterator<Item = &LocalEntry> {
    servers.iter().flat_map(|server| server.models.iter().flatten())
}

/// The first is taken. Of equal models, `min_by_key` takes the first server's.
pub(super) fn rank(entry: &LocalEntry) -> (bool, bool, Reverse<u64>) {
    // Many servers do not say what a model can do, and others not in time.
    let is_without_tools = entry.can_call_tools == Some(false);
    (!entry.is_loaded, is_without_tools, Reverse(entry.size.unwrap_or(0)))
}

/// How well a name fits an id, 0 at best: tag, folder and the end of a file's name may be missing.
fn closeness(id: &str, wanted: &str) -> Option<u8> {
    let (id, wanted) = (id.to_lowercase(), wanted.to_lowercase());
    let last = |text: &str| {
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        name.trim_end_matches(".gguf").to_owned()
    };
    let tag = |text: &str| text.split_once(':').map(|(name, tag)| (name.to_owned(), tag.to_owned()));
    if id == wanted {
        return Some(0);
    }
    if last(&id) == wanted || last(&id) == last(&wanted) && wanted.contains('/') {
        return Some(2);
    }
    let with_last = tag(&id).or_else(|| tag(&last(&id)));
    match with_last {
        Some((name, tag)) if name == wanted || last(&name) == wanted => Some(if tag == "latest" { 1 } else { 3 }),
        _ => None,
    }
}

/// Message and hint for the case that no model can be taken.
pub(super) fn nothing_fits(servers: &[LocalServer], wanted: &str) -> (String, String) {
    let running: Vec<&LocalServer> = servers.iter().filter(|server| server.models.is_some()).collect();
    if running.is_empty() {
        return (nothing_runs(servers), start_hint());
    }
    let there: Vec<String> = models(servers).filter(|entry| !entry.only_embeds).map(LocalEntry::name).collect();
    let embedding: Vec<String> = models(servers).filter(|entry| entry.only_embeds).map(LocalEntry::name).collect();
    let places: Vec<String> = running.iter().map(|server| format!("{} ({})", server.vendor, server.address)).collect();
    let places = places.join(", ");
    if let Some(embedder) = models(servers).find(|entry| entry.only_embeds && closeness(&entry.id, wanted).is_some()) {
        let hint = if there.is_empty() { GET_ONE.to_owned() } else { format!("There is {}.", there.join(", ")) };
        return (format!("{} only makes vectors and cannot chat.", embedder.name()), hint);
    }
    if !there.is_empty() && !wanted.is_empty() {
        let message = format!("No server on this machine has a model \"{wanted}\".");
        return (message, format!("There is {}.", there.join(", ")));
    }
    let others =
        if embedding.is_empty() { String::new() } else { format!(" {} only makes vectors.", embedding.join(", ")) };
    let message = match there.is_empty() {
        true => format!("{places} has no model that can chat.{others}"),
        false => format!("{places} has no model that runs on this machine: {}.", there.join(", ")),
    };
    (message, GET_ONE.to_owned())
}

fn nothing_runs(servers: &[LocalServer]) -> String {
    let places: Vec<String> = servers.iter().map(|server| format!("{} at {}", server.vendor, server.address)).collect();
    format!("No model server answers on this machine: {}.", places.join(", "))
}

fn start_hint() -> String {
    "Start Ollama (`ollama serve`, port 11434) or LM Studio (`lms server start`, port 1234). OLLAMA_HOST and \
     LMSTUDIO_BASE_URL say where they are, if not there."
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, size: u64, is_loaded: bool, can_call_tools: Option<bool>) -> LocalEntry {
        let size = Some(size);
        LocalEntry { provider: "ollama", id: id.into(), size, is_loaded, can_call_tools, ..LocalEntry::default() }
    }

    fn servers(models: Vec<LocalEntry>) -> Vec<LocalServer> {
        let address = "127.0.0.1:11434".to_owned();
        vec![LocalServer { provider: "ollama", vendor: "Ollama", address, models: Some(models) }]
    }

    fn chosen(models: Vec<LocalEntry>, wanted: &str) -> Option<String> {
        choose(&servers(models), wanted).map(|chosen| chosen.entry.id.clone())
    }

    #[test]
    fn what_is_loaded_is_taken_else_the_largest_with_tools() {
        let small = || entry("small", 1, false, Some(true));
        let large = || entry("large", 9, false, Some(true));
        let without_tools = || entry("without-tools", 99, false, Some(false));
        let embedder = || LocalEntry { only_embeds: true, ..entry("embed", 999, true, None) };
        let cloud = || LocalEntry { is_remote: true, ..entry("cloud", 999, false, Some(true)) };
        assert_eq!(chosen(vec![small(), large(), without_tools(), embedder(), cloud()], "").as_deref(), Some("large"));
        let loaded = entry("loaded", 1, true, Some(false));
        assert_eq!(chosen(vec![large(), loaded, without_tools()], "").as_deref(), Some("loaded"));
        assert_eq!(chosen(vec![without_tools(), embedder()], "").as_deref(), Some("without-tools"));
        assert_eq!(chosen(vec![embedder(), cloud()], ""), None);
        assert_eq!(chosen(vec![large(), entry("unsaid", 50, false, None)], "").as_deref(), Some("unsaid"));
        assert_eq!(chosen(vec![small(), cloud()], "cloud").as_deref(), Some("cloud"), "its name was asked for");
    }

    #[test]
    fn a_name_may_lack_tag_folder_and_ending() {
        let models = || {
            ["qwen3:14b", "qwen3:latest", "google/gemma-3-4b", "/models/Phi-4-Q4.gguf", "hf.co/lab/tide:Q4"]
                .map(|id| entry(id, 1, false, None))
                .to_vec()
        };
        for (wanted, id) in [
            ("qwen3", Some("qwen3:latest")),
            ("qwen3:14b", Some("qwen3:14b")),
            ("QWEN3:14B", Some("qwen3:14b")),
            ("gemma-3-4b", Some("google/gemma-3-4b")),
            ("phi-4-q4", Some("/models/Phi-4-Q4.gguf")),
            ("tide", Some("hf.co/lab/tide:Q4")),
            ("qwen", None),
            ("qwen3:8b", None),
        ] {
            assert_eq!(chosen(models(), wanted).as_deref(), id, "{wanted}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let none = [LocalServer { models: None, ..servers(Vec::new()).remove(0) }];
        let (message, hint) = nothing_fits(&none, "");
        assert!(message.contains("Ollama at 127.0.0.1:11434") && hint.contains("LM Studio"), "{message} {hint}");
        let (message, hint) = nothing_fits(&servers(vec![entry("qwen3", 1, false, None)]), "phi");
        assert!(message.contains("\"phi\"") && hint.contains("ollama:qwen3"), "{message} {hint}");
        let embedder = LocalEntry { only_embeds: true, ..entry("embed", 1, true, None) };
        for wanted in ["", "embed"] {
            let (message, _) = nothing_fits(&servers(vec![embedder.clone()]), wanted);
            assert!(message.contains("ollama:embed only makes vectors"), "{message}");
        }
    }
}
