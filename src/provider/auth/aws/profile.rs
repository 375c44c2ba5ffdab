//! The profiles of AWS's own tools: which one is meant, its region, and what it is made of.
//!
//! Owns: a small reading of `~/.aws/config` and `~/.aws/credentials`, for what has to be known before any request. Must not
//! know: how keys are had from a profile, which is the AWS crates' business.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    provider::Env,
    user_file::{self, MAX_SETTINGS},
};

type Section = BTreeMap<String, String>;

/// The profile that is meant.
pub(super) struct Profile {
    pub name: String,
    /// Whether a variable names it: then it has to be there.
    pub is_named: bool,
    /// What both files say about it; `None` if neither knows it.
    section: Option<Section>,
    /// All other profiles there are.
    pub known: Vec<String>,
    /// Whether a profile wants keys of the machine for its role.
    pub asks_the_machine: bool,
}

impl Profile {
    /// Reads the files; what cannot be read counts as empty.
    pub(super) fn read(env: &dyn Env) -> Profile {
        let set = |name: &str| env.get(name).filter(|value| !value.trim().is_empty());
        let named = set("AWS_PROFILE").or_else(|| set("AWS_DEFAULT_PROFILE"));
        let home = set("HOME").or_else(|| set("USERPROFILE")).map(PathBuf::from);
        let file = |variable: &str, usual: &str| {
            let expand = |path: String| match (path.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => PathBuf::from(path),
            };
            let path = set(variable).map(expand).or_else(|| Some(home.as_ref()?.join(".aws").join(usual)));
            path.and_then(|path| user_file::read_text(&path, MAX_SETTINGS).ok()).unwrap_or_default()
        };
        let mut profiles = sections(&file("AWS_CONFIG_FILE", "config"), true);
        for (name, section) in sections(&file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), false) {
            profiles.entry(name).or_default().extend(section);
        }
        let name = named.clone().unwrap_or_else(|| "default".to_owned());
        let asks_the_machine = profiles.values().any(|section| section.contains_key("credential_source"));
        let section = profiles.remove(&name);
        Profile { name, is_named: named.is_some(), section, known: profiles.into_keys().collect(), asks_the_machine }
    }

    pub(super) fn is_there(&self) -> bool {
        self.section.is_some()
    }

    pub(super) fn region(&self) -> Option<String> {
        self.get("region").map(str::to_owned)
    }

    /// Whether the profile says where its keys come from; a region alone does not.
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

    pub(super) fn signs_in(&self) -> bool {
        self.get("sso_session").or_else(|| self.get("sso_start_url")).is_some()
    }

    /// What must not be shown of it.
    pub(super) fn secrets(&self) -> Vec<String> {
        let secrets = ["aws_secret_access_key", "aws_session_token"];
        secrets.iter().filter_map(|name| self.get(name)).map(str::to_owned).collect()
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.section.as_ref()?.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// The profiles of a file by name. In `config` each but the default one has `profile` in front of its name.
fn sections(text: &str, is_config: bool) -> BTreeMap<String, Section> {
    let mut sections = BTreeMap::<String, Section>::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        // What is indented belongs to the setting above it.
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
            // A comment behind a value has a space before it; keys may have both signs in them.
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
