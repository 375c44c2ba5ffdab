//! Provider options of Anthropic that go into the body as they are, with the beta headers that they need.

use serde_json::{Map, Value, json};

use crate::wire::{
    tier::FAST_MODE_BETA,
    values::{set_option, with_snake_case},
};

/// Pairs of the name in JavaScript and the field.
pub(super) const OPTIONS: [(&str, &str); 10] = [
    ("cacheControl", "cache_control"),
    ("compaction", "compaction"),
    ("container", "container"),
    ("contextManagement", "context_management"),
    ("fallbacks", "fallbacks"),
    ("inferenceGeo", "inference_geo"),
    ("mcpServers", "mcp_servers"),
    ("safeguards", "safeguards"),
    ("serviceTier", "service_tier"),
    ("speed", "speed"),
];

pub(super) fn put(body: &mut Map<String, Value>, options: Option<&Map<String, Value>>, betas: &mut Vec<String>) {
    let Some(options) = options else { return };
    for (name, field) in OPTIONS {
        let Some(value) = options.get(name).or_else(|| options.get(field)).filter(|value| !value.is_null()) else {
            continue;
        };
        body.insert(field.to_owned(), in_wire_form(name, value));
        betas.extend(betas_of(name, value).iter().map(|beta| (*beta).to_owned()));
    }
    if let Some(budget) = set_option(Some(options), "taskBudget") {
        body.entry("output_config").or_insert_with(|| json!({}))["task_budget"] = budget.clone();
        betas.push("task-budgets-2026-03-13".to_owned());
    }
    if let Some(thinking) = set_option(Some(options), "thinking") {
        betas.extend(betas_of_thinking(thinking).map(str::to_owned));
    }
    let own = options.get("anthropicBeta").and_then(Value::as_array);
    betas.extend(own.into_iter().flatten().filter_map(|beta| beta.as_str().map(str::to_owned)));
}

fn in_wire_form(name: &str, value: &Value) -> Value {
    match (name, value.as_object()) {
        // Without skills, a container is its id.
        ("container", Some(container)) if !container.contains_key("skills") => {
            container.get("id").cloned().unwrap_or_else(|| value.clone())
        }
        ("container", _) => with_skill_ids(with_snake_case(value)),
        ("contextManagement" | "mcpServers", _) => with_snake_case(value),
        ("safeguards", _) => value.as_array().into_iter().flatten().map(safeguard).collect(),
        _ => value.clone(),
    }
}

/// A skill of the user's own is named by the provider's entry in its reference.
fn with_skill_ids(mut container: Value) -> Value {
    for skill in container.get_mut("skills").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(skill) = skill.as_object_mut() else { continue };
        let reference = skill.shift_remove("provider_reference");
        if let Some(id) = reference.as_ref().and_then(|reference| reference.get("anthropic")) {
            skill.insert("skill_id".into(), id.clone());
        }
    }
    container
}

/// The context of the classifier is the user's own, and keeps its names.
fn safeguard(given: &Value) -> Value {
    let Value::Object(fields) = given else { return given.clone() };
    let renamed = fields.iter().map(|(name, value)| match name.as_str() {
        "classifierContext" => ("classifier_context".to_owned(), value.clone()),
        _ => (name.clone(), value.clone()),
    });
    Value::Object(renamed.collect())
}

fn betas_of_thinking(thinking: &Value) -> impl Iterator<Item = &'static str> {
    let shows_updates = thinking.get("display").is_some_and(|display| display == "updates");
    let is_bound = thinking.get("blockBinding").is_some_and(|binding| !binding.is_null());
    let updates = shows_updates.then_some("thinking-display-updates-2026-08-18");
    updates.into_iter().chain(is_bound.then_some("thinking-binding-controls-2026-08-01"))
}

fn betas_of(name: &str, value: &Value) -> &'static [&'static str] {
    match name {
        "speed" if value == "fast" => &[FAST_MODE_BETA],
        "contextManagement" if value.to_string().contains("compact_20260112") => {
            &["context-management-2025-06-27", "compact-2026-01-12"]
        }
        "contextManagement" => &["context-management-2025-06-27"],
        "compaction" => &["compact-2026-09-04"],
        "safeguards" => &["dangerous-tool-use-2026-09-03"],
        "mcpServers" => &["mcp-client-2025-04-04"],
        "container" if value.get("skills").is_some() => {
            &["code-execution-2025-08-25", "skills-2025-10-02", "files-api-2025-04-14"]
        }
        "fallbacks" if value == "default" => &["server-side-fallback-2026-07-01"],
        "fallbacks" => &["server-side-fallback-2026-06-01"],
        _ => &[],
    }
}
