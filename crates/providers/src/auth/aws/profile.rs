//! Reads profiles of AWS's tools, for what must be known before the AWS crates use them.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    Env,
    auth::sources::{CredentialFile, files_named_in},
};

type Section = BTreeMap<String, String>;

pub(super) struct Profile {
    pub name: String,
    pub is_named: bool,
    section: Option<Section>,
    pub known: Vec<String>,
    /// Whether any profile uses keys of the machine for its role.
    pub uses_machine_keys: bool,
}

impl Profile {
    pub(super) fn read(env: &dyn Env) -> Profile {
        let set = |name: &str| env.get(name).filter(|value| !value.trim().is_empty());
        let named = set("AWS_PROFILE").or_else(|| set("AWS_DEFAULT_PROFILE"));
        let mut profiles = profiles(env);
        let name = named.clone().unwrap_or_else(|| "default".to_owned());
        let uses_machine_keys = profiles.values().any(|section| section.contains_key("credential_source"));
        let section = profiles.remove(&name);
        Profile { name, is_named: named.is_some(), section, known: profiles.into_keys().collect(), uses_machine_keys }
    }

    pub(super) fn exists(&self) -> bool {
        self.section.is_some()
    }

    pub(super) fn region(&self) -> Option<String> {
        self.get("region").map(str::to_owned)
    }

    pub(super) fn has_keys(&self) -> bool {
        const SOURCES: [&str; 7] = [
            "aws_access_key_id",
            "role_arn",
            "credential_process",
            "login_session",
            "sso_session",
            "sso_start_url",
            "sso_account_id",
        ];
        SOURCES.iter().any(|source| self.get(source).is_some())
    }

    pub(super) fn uses_single_sign_on(&self) -> bool {
        self.get("sso_session").or_else(|| self.get("sso_start_url")).is_some()
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let secrets = ["aws_secret_access_key", "aws_session_token"];
        secrets.iter().filter_map(|name| self.get(name)).map(str::to_owned).collect()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.section.as_ref()?.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// The token files that any profile names: a role may be assumed through another profile.
pub(super) fn named_files(env: &dyn Env) -> Vec<CredentialFile> {
    const FIELD: &str = "web_identity_token_file";
    let named =
        profiles(env).into_values().filter_map(|section| CredentialFile::from_field(FIELD, section.get(FIELD)?));
    named.collect()
}

pub(crate) fn named_paths(env: &dyn Env) -> Vec<PathBuf> {
    profiles(env).values().flat_map(|section| files_named_in(|field| section.get(field).cloned())).collect()
}

fn profiles(env: &dyn Env) -> BTreeMap<String, Section> {
    let text = |name: &str| CredentialFile::find(env, name).and_then(|file| file.text().ok()).unwrap_or_default();
    let mut profiles = sections(&text("AWS_CONFIG_FILE"), true);
    for (name, section) in sections(&text("AWS_SHARED_CREDENTIALS_FILE"), false) {
        profiles.entry(name).or_default().extend(section);
    }
    profiles
}

/// The profiles of a file by name. In `config`, all but the default one have the prefix `profile`.
fn sections(text: &str, is_config: bool) -> BTreeMap<String, Section> {
    let mut sections = BTreeMap::<String, Section>::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        let is_comment = line.starts_with(['#', ';']);
        if is_comment || line.trim().is_empty() || line.starts_with(char::is_whitespace) {
            continue;
        }
        if let Some(head) = line.strip_prefix('[').and_then(|rest| Some(rest.split_once(']')?.0.trim())) {
            let named =
                head.strip_prefix("profile").filter(|rest| rest.starts_with(char::is_whitespace)).map(str::trim);
            let name = if is_config { named.or_else(|| (head == "default").then_some(head)) } else { Some(head) };
            current = name.map(|name| name.trim_matches(['"', '\'']).to_owned());
            if let Some(name) = &current {
                sections.entry(name.clone()).or_default();
            }
        } else if let (Some(name), Some((key, value))) = (&current, line.split_once('=')) {
            // A comment after a value is preceded by a space; keys may contain both characters.
            let value = [" #", " ;"].iter().fold(value, |value, mark| value.split(mark).next().unwrap_or_default());
            let section = sections.entry(name.clone()).or_default();
            section.insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_from_both_files() {
        let config = "[default]\nregion = eu-west-1 # home\n\n; none\n[profile lab]\nsso_session = s\ns3 =\n  region = no\n\
                      [sso-session s]\nsso_region = us-east-1\n[lab2]\nregion = ignored\n";
        let read = sections(config, true);
        assert_eq!(read.keys().collect::<Vec<_>>(), ["default", "lab"]);
        assert_eq!(read["default"]["region"], "eu-west-1");
        assert_eq!(read["lab"].get("region"), None);
        let read = sections("[lab]\naws_access_key_id=AKID\naws_secret_access_key = a=b#c\n", false);
        assert_eq!(read["lab"]["aws_secret_access_key"], "a=b#c");
    }
}
