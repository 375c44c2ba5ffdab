//! Warns about unknown `providerOptions`, which would otherwise be ignored silently.

use super::{Env, catalog, wire::WireFormat};
use lmthing_base::{
    chat::{CallWarning, ProviderOptions, ProviderToolKind, ToolSpec},
    diagnostic::closest,
};

const COMPATIBLE_NAMES: [&str; 2] = ["openai-compatible", "openaiCompatible"];

/// Names that packages of the AI SDK have for a provider, and its own.
const PACKAGE_NAMES: [(&str, &str); 2] = [("amazonBedrock", "bedrock"), ("googleVertex", "vertex")];

/// Puts options that have a package's name under the provider's own; the former win.
pub(super) fn rename_packages(options: &mut ProviderOptions) {
    for (package, name) in PACKAGE_NAMES {
        if let Some(block) = options.shift_remove(package) {
            options.insert(name.to_owned(), block);
        }
    }
}

pub(super) fn unknown(
    provider: &str,
    wire: &dyn WireFormat,
    options: &ProviderOptions,
    env: &dyn Env,
) -> Vec<CallWarning> {
    let known = wire.known_options();
    let mut warnings = Vec::new();
    for (name, block) in options {
        let is_own = name == provider || known.as_ref().is_some_and(|known| known.names.contains(&name.as_str()));
        if let (Some(known), Some(block), true) = (&known, block.as_object(), is_own) {
            let keys = block.iter().filter(|(key, value)| !value.is_null() && !known.has(key));
            warnings.extend(keys.map(|(key, _)| unknown_key(name, key, &known.keys())));
        } else if !is_own && !is_provider(name, env) {
            warnings.push(unknown_name(name));
        }
    }
    warnings
}

/// Names of providers in `defProviderTool` that no provider has.
pub(super) fn unknown_in_tools(tools: &[ToolSpec], env: &dyn Env) -> Vec<CallWarning> {
    let mut warnings = Vec::new();
    for spec in tools {
        let Some(ProviderToolKind::ByProvider(by_name)) = spec.provider_tool.as_ref().map(|tool| &tool.kind) else {
            continue;
        };
        for name in by_name.keys().filter(|name| !is_provider(name, env)) {
            let setting = format!("defProviderTool('{}').{name}", spec.name);
            let details = Some(format!("{setting} belongs to no known provider{}", meant(name)));
            warnings.push(CallWarning { kind: "other".to_owned(), setting: Some(setting), details });
        }
    }
    warnings
}

fn is_provider(name: &str, env: &dyn Env) -> bool {
    catalog::named(name).is_some()
        || COMPATIBLE_NAMES.contains(&name)
        || catalog::custom_providers(env).iter().any(|custom| custom.name == name)
}

fn unknown_key(name: &str, key: &str, known: &[&str]) -> CallWarning {
    let meant = closest(key, known.iter().copied());
    let meant = meant.map(|meant| format!("; did you mean \"{meant}\"?")).unwrap_or_default();
    let setting = format!("providerOptions.{name}.{key}");
    let details =
        Some(format!("{setting} is not known and was left out{meant}; providerOptions.{name}.body sends any field"));
    CallWarning { kind: "unsupported-setting".to_owned(), setting: Some(setting), details }
}

fn meant(name: &str) -> String {
    let providers = catalog::providers().map(|provider| provider.name);
    closest(name, providers).map(|meant| format!("; did you mean \"{meant}\"?")).unwrap_or_default()
}

fn unknown_name(name: &str) -> CallWarning {
    let setting = format!("providerOptions.{name}");
    let details = Some(format!("{setting} belongs to no known provider and was left out{}", meant(name)));
    CallWarning { kind: "unsupported-setting".to_owned(), setting: Some(setting), details }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;
    use crate::{catalog::Provider, settings::ProviderSettings};

    fn warned(row: &Provider, api: &str, options: Value) -> Vec<String> {
        let Value::Object(options) = options else { panic!("options are an object") };
        let custom = ["LAB_API_KEY", "LAB_API_BASE", "LAB_API_TYPE"].map(|name| (name.to_owned(), "openai".to_owned()));
        let wire =
            (row.api(api).unwrap().wire)(&ProviderSettings { name: Some("own".into()), ..ProviderSettings::default() });
        let name = if row.name == catalog::COMPATIBLE.name { "own" } else { row.name };
        let warnings = unknown(name, wire.as_ref(), &options, &BTreeMap::from(custom));
        warnings.into_iter().filter_map(|warning| warning.setting).collect()
    }

    #[test]
    fn unknown_options_are_reported() {
        for (row, api) in catalog::BUILT_IN.iter().flat_map(|row| row.apis.iter().map(move |api| (row, api))) {
            let options = json!({ row.name: { "nonsense": 1, "unset": null }, "lab": { "x": 1 }, "labs": {} });
            let found = warned(row, api.name, options);
            let own = (row.name != "bedrock").then(|| format!("providerOptions.{}.nonsense", row.name));
            let expected: Vec<String> = own.into_iter().chain(["providerOptions.labs".to_owned()]).collect();
            assert_eq!(found, expected, "{} {}", row.name, api.name);
        }
        let options = json!({ "own": { "nonsense": 1 }, "openaiCompatible": { "x": 1 }, "openai": { "nonsense": 1 } });
        assert_eq!(warned(&catalog::COMPATIBLE, "chat", options), [""; 0]);
    }

    #[test]
    fn options_of_openai_are_known_to_all_of_its_apis() {
        let options = json!({ "openai": { "forceReasoning": true, "reasoningEffort": "low", "reasoning_effort": "low",
            "textVerbosity": "low", "logprobs": 2, "strictJsonSchema": false } });
        for row in catalog::BUILT_IN.iter().filter(|row| ["openai", "azure"].contains(&row.name)) {
            for api in row.apis {
                assert_eq!(warned(row, api.name, options.clone()), [""; 0], "{} {}", row.name, api.name);
            }
        }
    }

    #[test]
    fn suggestions_for_typing_errors() {
        let options = json!({ "openai": { "reasoningEfort": "low", "reasoning_effort": "low" }, "antropic": {} });
        let Value::Object(options) = options else { panic!("options are an object") };
        let wire = (catalog::BUILT_IN[0].apis[0].wire)(&ProviderSettings::default());
        let warnings = unknown("openai", wire.as_ref(), &options, &BTreeMap::new());
        let details: Vec<_> = warnings.iter().filter_map(|warning| warning.details.as_deref()).collect();
        assert_eq!(details.len(), 2);
        assert!(details[0].contains("did you mean \"reasoningEffort\"?"), "{details:?}");
        assert!(details[1].ends_with("did you mean \"anthropic\"?"), "{details:?}");
    }
}
