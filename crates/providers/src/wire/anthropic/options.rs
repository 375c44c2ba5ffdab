//! Provider options of Anthropic that go into the body as they are, with the beta headers that they need.

use serde_json::{Map, Value};

use crate::wire::tier::FAST_MODE_BETA;

/// Pairs of the name in JavaScript and the field.
pub(super) const OPTIONS: [(&str, &str); 8] = [
    ("cacheControl", "cache_control"),
    ("container", "container"),
    ("contextManagement", "context_management"),
    ("fallbacks", "fallbacks"),
    ("inferenceGeo", "inference_geo"),
    ("mcpServers", "mcp_servers"),
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
    let own = options.get("anthropicBeta").and_then(Value::as_array);
    betas.extend(own.into_iter().flatten().filter_map(|beta| beta.as_str().map(str::to_owned)));
}

fn in_wire_form(name: &str, value: &Value) -> Value {
    match (name, value.as_object()) {
        // Without skills, a container is its id.
        ("container", Some(container)) if !container.contains_key("skills") => {
            container.get("id").cloned().unwrap_or_else(|| value.clone())
        }
        ("container" | "contextManagement", _) | ("mcpServers", _) => with_snake_case(value),
        _ => value.clone(),
    }
}

fn betas_of(name: &str, value: &Value) -> &'static [&'static str] {
    match name {
        "speed" if value == "fast" => &[FAST_MODE_BETA],
        "contextManagement" if value.to_string().contains("compact_20260112") => {
            &["context-management-2025-06-27", "compact-2026-01-12"]
        }
        "contextManagement" => &["context-management-2025-06-27"],
        "mcpServers" => &["mcp-client-2025-04-04"],
        "container" if value.get("skills").is_some() => {
            &["code-execution-2025-08-25", "skills-2025-10-02", "files-api-2025-04-14"]
        }
        "fallbacks" if value == "default" => &["server-side-fallback-2026-07-01"],
        "fallbacks" => &["server-side-fallback-2026-06-01"],
        _ => &[],
    }
}

fn with_snake_case(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(with_snake_case).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (snake_case(name), with_snake_case(value))).collect())
        }
        other => other.clone(),
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
