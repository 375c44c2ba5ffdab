//! Lists of models as the servers send them.

use serde_json::Value;

use super::entry::LocalEntry;

/// Parts of the names of models that only embed, for servers that do not say what a model does.
const EMBEDDERS: [&str; 9] =
    ["embed", "minilm", "bge-", "gte-", "e5-", "arctic-embed", "paraphrase-", "rerank", "nomic-bert"];

/// Bytes of a parameter in the usual four bits, with what comes on top.
const BYTES_PER_BILLION: f64 = 0.6e9;

/// `/api/tags` of Ollama; `None` if it is no such list.
pub(super) fn of_ollama(list: &Value) -> Option<Vec<LocalEntry>> {
    list.get("models")?.as_array()?.iter().map(ollama_entry).collect()
}

fn ollama_entry(model: &Value) -> Option<LocalEntry> {
    let id = text(model, "model").or_else(|| text(model, "name"))?.to_owned();
    let family = model.pointer("/details/family").and_then(Value::as_str).unwrap_or_default();
    let is_remote = ["remote_host", "remote_model"].iter().any(|key| text(model, key).is_some()) || runs_in_cloud(&id);
    let entry = LocalEntry {
        provider: "ollama",
        size: model.get("size").and_then(Value::as_u64).or_else(|| estimated_size(&id)),
        only_embeds: family.contains("bert") || is_named_embedder(&id),
        is_remote,
        id,
        ..LocalEntry::default()
    };
    Some(with_capabilities(entry, model))
}

/// Adds what Ollama says that a model can do: `capabilities` of `/api/show`, in new versions of the list too.
pub(super) fn with_capabilities(entry: LocalEntry, model: &Value) -> LocalEntry {
    let Some(capabilities) = model.get("capabilities").and_then(Value::as_array).filter(|list| !list.is_empty()) else {
        return entry;
    };
    let can = |name: &str| capabilities.iter().any(|known| known == name);
    LocalEntry { can_call_tools: Some(can("tools")), only_embeds: !can("completion") && !can("tools"), ..entry }
}

/// Marks the models of `/api/ps` as loaded.
pub(super) fn mark_loaded(entries: &mut [LocalEntry], list: &Value) {
    let loaded = list.get("models").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> = loaded.flat_map(|model| [text(model, "model"), text(model, "name")]).flatten().collect();
    entries.iter_mut().for_each(|entry| entry.is_loaded |= names.contains(&entry.id.as_str()));
}

/// `/models` of OpenAI's protocol; `None` if it is no such list.
pub(super) fn of_openai(provider: &'static str, list: &Value) -> Option<Vec<LocalEntry>> {
    let data = list.get("data")?.as_array()?;
    data.iter().map(|model| openai_entry(provider, model)).collect()
}

fn openai_entry(provider: &'static str, model: &Value) -> Option<LocalEntry> {
    let id = text(model, "id")?.to_owned();
    let size = model.pointer("/meta/size").or_else(|| model.get("size_bytes")).and_then(Value::as_u64);
    let state = text(model, "state").or_else(|| model.pointer("/status/value").and_then(Value::as_str));
    Some(LocalEntry {
        provider,
        size: size.or_else(|| estimated_size(&id)),
        // These serve the model that they were started with.
        is_loaded: state.map_or(matches!(provider, "llamacpp" | "vllm"), |state| state == "loaded"),
        only_embeds: text(model, "type").is_some_and(|kind| kind.starts_with("embedding")) || is_named_embedder(&id),
        can_call_tools: model
            .get("capabilities")
            .and_then(Value::as_array)
            .map(|list| list.iter().any(|known| known == "tool_use" || known == "tools")),
        id,
        ..LocalEntry::default()
    })
}

/// Whether Ollama passes requests for a model of this name on to its paid service.
pub(crate) fn runs_in_cloud(id: &str) -> bool {
    id.ends_with("-cloud") || id.ends_with(":cloud")
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn is_named_embedder(id: &str) -> bool {
    let id = id.to_lowercase();
    EMBEDDERS.iter().any(|part| id.contains(part))
}

/// By the number of parameters in a name, such as `8b` or `1.7b`.
fn estimated_size(id: &str) -> Option<u64> {
    let id = id.to_lowercase();
    let words = id.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let billions = words.filter_map(|word| word.strip_suffix('b')?.parse::<f64>().ok()).reduce(f64::max)?;
    // Sizes of models fit.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some((billions.clamp(0.0, 1e6) * BYTES_PER_BILLION) as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_of_ollama_are_read() {
        let list = json!({ "models": [
            { "name": "qwen3:8b", "model": "qwen3:8b", "size": 5_200, "details": { "family": "qwen3" } },
            { "name": "nomic:latest", "model": "nomic:latest", "size": 2, "details": { "family": "nomic-bert" } },
            { "name": "big:120b-cloud", "size": 3 },
        ] });
        let mut entries = of_ollama(&list).unwrap();
        mark_loaded(&mut entries, &json!({ "models": [{ "name": "qwen3:8b" }] }));
        let of = |index: usize| (&entries[index].id, entries[index].is_loaded, entries[index].only_embeds);
        assert_eq!(of(0), (&"qwen3:8b".to_owned(), true, false));
        assert_eq!(of(1), (&"nomic:latest".to_owned(), false, true));
        assert!(entries[2].is_remote && entries[2].size == Some(3));
        let shown = with_capabilities(entries[0].clone(), &json!({ "capabilities": ["completion", "tools"] }));
        assert_eq!((shown.can_call_tools, shown.only_embeds), (Some(true), false));
        let shown = with_capabilities(entries[0].clone(), &json!({ "capabilities": ["embedding"] }));
        assert_eq!((shown.can_call_tools, shown.only_embeds), (Some(false), true));
        assert_eq!(of_ollama(&json!({ "data": [] })), None);
    }

    #[test]
    fn lists_of_openais_protocol_are_read() {
        let list = json!({ "data": [
            { "id": "qwen2.5-7b-instruct", "type": "llm", "state": "loaded", "capabilities": ["tool_use"] },
            { "id": "text-vectors", "type": "embeddings", "state": "not-loaded" },
        ] });
        let entries = of_openai("lmstudio", &list).unwrap();
        assert!(entries[0].is_loaded && entries[0].can_call_tools == Some(true) && !entries[0].only_embeds);
        assert_eq!(entries[0].size, Some(4_200_000_000));
        assert!(!entries[1].is_loaded && entries[1].only_embeds);
        let entries = of_openai("llamacpp", &json!({ "data": [{ "id": "/m/tide.gguf", "meta": { "size": 7 } }] }));
        assert!(entries.is_some_and(|entries| entries[0].is_loaded && entries[0].size == Some(7)));
        for other in [json!({ "data": [{ "name": "x" }] }), json!({ "data": {} }), json!([]), json!("up")] {
            assert_eq!(of_openai("vllm", &other), None, "{other}");
        }
    }
}
