//! Consistency of the catalogue, and of the documents with it.

use std::{collections::BTreeSet, fs, path::Path};

use super::{BUILT_IN, COMPATIBLE, cache_rules, named, providers, row::Provider};
use crate::settings::{ProviderSettings, Setting};
use lmthing_base::{cache::CacheKind, chat::CallSettings};

fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

fn names(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

#[test]
fn every_row_is_complete() {
    for provider in providers() {
        let Provider { name, factories, vendor, get_key_at, base_url, prefix, variables, sufficient_settings, .. } =
            provider;
        assert!(std::ptr::eq(named(name).unwrap(), provider), "{name} has two rows");
        assert!(factories.iter().all(|factory| factory.starts_with("create")), "{name}: {factories:?}");
        let scheme = if provider.needs_no_key() { "http://127.0.0.1:" } else { "https://" };
        assert!(base_url.starts_with(scheme) && !base_url.ends_with('/'), "{name}: {base_url}");
        let has_page = get_key_at.starts_with("https://");
        assert!(!vendor.is_empty() && has_page != provider.needs_no_key(), "{name}: {vendor}, {get_key_at}");
        for setting in [Setting::ApiKey, Setting::BaseUrl] {
            assert!(provider.variable(setting).is_some(), "{name} has no variable for {setting:?}");
        }
        for variable in variables.iter().filter(|variable| variable.setting != Setting::Credentials) {
            let is_usual = variable.name.starts_with(&format!("{prefix}_")) || variable.name == "HF_TOKEN";
            assert!(is_usual, "{name}: {}", variable.name);
        }
        assert!(!sufficient_settings.is_empty(), "{name}: which settings are sufficient?");
        for setting in sufficient_settings.iter().copied().flatten() {
            assert!(provider.variable(*setting).is_some(), "{name} has no variable for {setting:?}");
        }
    }
}

#[test]
fn every_api_makes_its_wire_format() {
    for provider in providers().chain([&COMPATIBLE]) {
        assert!(provider.api("").is_some(), "{} has no default API", provider.name);
        assert!(provider.api("telepathy").is_none());
        for api in provider.apis {
            let wire = (api.wire)(&ProviderSettings::default());
            let path = wire.encode(&Default::default(), "m").unwrap().path;
            assert!(path.starts_with('/'), "{} {}: {path}", provider.name, api.name);
        }
    }
}

#[test]
fn the_documents_name_every_provider() {
    let (readme, page, types) =
        (document("README.md"), document("docs/reference/providers.md"), document("runtime-js/types/lmthing.d.ts"));
    let (readme, page, types) = (names(&readme), names(&page), names(&types));
    for provider in providers() {
        let name = provider.name;
        assert!(readme.contains(name), "README.md does not name {name}");
        assert!(page.contains(name), "docs/reference/providers.md does not name {name}");
        for variable in provider.variables {
            assert!(page.contains(variable.name), "docs/reference/providers.md does not name {}", variable.name);
        }
    }
    for provider in &BUILT_IN {
        for exported in provider.factories.iter().chain([&provider.name]) {
            assert!(types.contains(exported), "lmthing.d.ts does not name {exported}");
        }
    }
    assert!(types.contains(COMPATIBLE.factories[0]));
}

#[test]
fn caches_are_known_by_the_names_of_packages_too() {
    let settings = CallSettings::default();
    let least = |provider, model_id| cache_rules(provider, model_id, &settings).least;
    for (provider, model_id, least_cached) in [
        ("openai", "gpt-4o", 1_024),
        ("openai.chat", "gpt-4o", 1_024),
        ("openai.responses", "gpt-4o", 1_024),
        ("anthropic.messages", "claude-sonnet-4-5", 1_024),
        ("amazon-bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", 1_024),
        ("google.generative-ai", "gemini-2.5-pro", 2_048),
        ("google.vertex.chat", "gemini-2.5-pro", 2_048),
        ("deepseek.chat", "deepseek-chat", 64),
    ] {
        assert_eq!(least(provider, model_id), least_cached, "{provider}:{model_id}");
    }
    for provider in ["lab", "custom", "", "mistral.chat"] {
        assert_eq!(cache_rules(provider, "m", &settings).kind, CacheKind::None, "{provider}");
    }
}
