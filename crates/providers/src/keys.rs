//! Variables and files that hold keys; the program hides them from prompt files.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::{Env, auth, catalog, redact::address_has_secret, settings::Setting};
use lmthing_system::http::{Network, PROXY_VARIABLES};

/// A value of this length does not occur in another text by chance.
const LONG_KEY: usize = 12;

/// The variables that hold keys, and those whose value contains such a key. `secrets` and `addresses` name variables
/// that other parts of the program read; an address counts if it contains a password or another secret.
pub fn key_variables(
    variables: &[(String, String)],
    secrets: impl IntoIterator<Item = String>,
    addresses: impl IntoIterator<Item = String>,
) -> BTreeSet<String> {
    let env: BTreeMap<String, String> = variables.iter().cloned().collect();
    let mut keys: BTreeSet<String> = secrets.into_iter().collect();
    let mut addresses: BTreeSet<String> = addresses.into_iter().collect();
    keys.extend(auth::credential_variables().map(str::to_owned));
    addresses.extend(PROXY_VARIABLES.map(str::to_owned));
    for variable in catalog::providers().flat_map(|provider| provider.variables) {
        match variable.setting {
            Setting::ApiKey | Setting::AccessKeyId | Setting::SecretAccessKey | Setting::SessionToken => {
                keys.insert(variable.name.to_owned());
            }
            Setting::BaseUrl => drop(addresses.insert(variable.name.to_owned())),
            Setting::ResourceName | Setting::Project | Setting::Location | Setting::Credentials | Setting::Region => {}
        }
    }
    addresses.extend(catalog::custom_providers(&env).iter().map(catalog::CustomProvider::base_url_variable));
    keys.extend(env.keys().filter(|name| name.ends_with("_API_KEY")).cloned());
    keys.extend(addresses.into_iter().filter(|name| env.get(name).is_some_and(|value| address_has_secret(value))));
    keys.extend(copies(&env, &keys));
    keys
}

fn copies(env: &BTreeMap<String, String>, keys: &BTreeSet<String>) -> Vec<String> {
    let values: BTreeSet<&String> =
        keys.iter().filter_map(|name| env.get(name)).filter(|value| !value.trim().is_empty()).collect();
    let holds_key = |text: &String| {
        values.contains(text) || values.iter().any(|key| key.len() >= LONG_KEY && text.contains(key.as_str()))
    };
    env.iter().filter(|(_, value)| holds_key(value)).map(|(name, _)| name.clone()).collect()
}

/// The variables without those that hold or lead to keys. Proxy variables stay: no provider's server sees their
/// values.
pub(super) fn without_keys(env: &dyn Env) -> BTreeMap<String, String> {
    let variables: Vec<_> =
        env.names().into_iter().filter_map(|name| env.get(&name).map(|value| (name, value))).collect();
    let keys = key_variables(&variables, [], []);
    let is_kept =
        |name: &str| PROXY_VARIABLES.contains(&name) || !keys.contains(name) && !auth::locates_credentials(name);
    variables.into_iter().filter(|(name, _)| is_kept(name)).collect()
}

/// The files and folders that keys may be read from, existing or not, including files that credentials refer to.
pub fn key_paths(variables: &[(String, String)]) -> Vec<PathBuf> {
    let mut env: BTreeMap<String, String> = variables.iter().cloned().collect();
    // Without `HOME` no credentials are found there, but the files must be hidden nevertheless.
    if env.get("HOME").is_none_or(|home| home.trim().is_empty())
        && let Some(home) = std::env::home_dir()
    {
        env.insert("HOME".to_owned(), home.to_string_lossy().into_owned());
    }
    let mut paths = auth::credential_paths(&env);
    paths.sort();
    paths.dedup();
    paths
}

/// The files with trusted certificates: they decide which servers receive keys.
pub fn certificate_paths(variables: &[(String, String)]) -> Vec<PathBuf> {
    let value = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
    Network::new(value).certificate_files().into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::redact::names_a_secret, *};

    fn keys(variables: &[(&str, &str)]) -> BTreeSet<String> {
        let variables: Vec<_> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (secrets, addresses) = (["OTHER_TOKEN".to_owned()], ["OTHER_ADDRESS".to_owned()]);
        let mut keys = key_variables(&variables, secrets, addresses);
        keys.retain(|name| variables.iter().any(|(known, _)| known == name));
        keys
    }

    #[test]
    fn addresses_with_secrets_are_keys() {
        for name in ["OPENAI_BASE_URL", "LAB_API_BASE", "https_proxy", "HTTP_PROXY", "OTHER_ADDRESS"] {
            for (value, is_key) in [
                ("https://me:pass@host.test/v1", true),
                ("https://token@host.test/v1", true),
                ("me:pass@host.test:3128", true),
                ("https://host.test/v1?api_key=abc", true),
                ("https://host.test/v1?api-version=2024-06-01", false),
                ("http://host.test:3128", false),
            ] {
                let found = keys(&[(name, value), ("LAB_API_TYPE", "openai"), ("ELSEWHERE", "https://me:pass@x.test")]);
                assert_eq!(found.contains(name), is_key, "{name}={value}");
                assert!(!found.contains("ELSEWHERE"), "the program does not read it");
            }
        }
    }

    #[test]
    fn copies_of_keys_are_keys() {
        let variables = [
            ("AWS_SESSION_TOKEN", "FwoGZXIvYXdzEXAMPLE"),
            ("LAB_API_KEY", "short"),
            ("HEADER", "Bearer FwoGZXIvYXdzEXAMPLE"),
            ("SAME", "short"),
            ("TEXT", "a short text"),
            ("OTHER_TOKEN", "x"),
            ("AWS_PROFILE", "lab"),
        ];
        let found: Vec<_> = keys(&variables).into_iter().collect();
        assert_eq!(found, ["AWS_SESSION_TOKEN", "HEADER", "LAB_API_KEY", "OTHER_TOKEN", "SAME"]);
    }

    /// A variable that this module reads and whose name looks like a secret must count as a key.
    #[test]
    fn every_variable_named_like_a_key_counts_as_a_key() {
        let mut ahead = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let (all, mut seen) = (key_variables(&[], [], []), 0);
        while let Some(path) = ahead.pop() {
            if path.is_dir() {
                ahead.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = if path.ends_with("tests.rs") { "" } else { text.split("#[cfg(test)]").next().unwrap() };
            let is_name = |text: &&str| text.contains('_') && text.bytes().all(|b| b == b'_' || b.is_ascii_uppercase());
            for name in code.split('"').filter(is_name).filter(|name| names_a_secret(name)) {
                let is_known = all.iter().any(|known| known.ends_with(name)) || auth::locates_credentials(name);
                assert!(is_known, "{}: {name}", path.display());
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
