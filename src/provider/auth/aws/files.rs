//! The files that the AWS crates may read: those of the table of sources, as copies in memory. Whatever else a new version of
//! the crates looks for is not there.

use std::collections::HashMap;

use aws_types::os_shim_internal::Fs;

use super::profile;
use crate::provider::{Env, auth::sources::KeyFile};

/// The variables that name a file. Their paths are passed to the crates.
const NAMED: [&str; 4] = [
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// Variables that lead to the home directory, where the crates look for the tokens of single sign-on.
const HOME: [&str; 4] = ["HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"];

/// What the AWS crates see of the machine.
pub(super) struct Files {
    pub fs: Fs,
    pub variables: HashMap<String, String>,
    /// The tokens of single sign-on, as they were read.
    signed_in: Vec<(KeyFile, Vec<u8>)>,
}

impl Files {
    /// Reads all there are; what cannot be read is not there.
    pub(super) fn read(env: &dyn Env) -> Files {
        // Ours, not the process's: `.env` counts. Set but empty counts as unset.
        let is_seen = |name: &String| name.starts_with("AWS_") || HOME.contains(&name.as_str());
        let value = |name: String| env.get(&name).filter(|value| !value.trim().is_empty()).map(|value| (name, value));
        let mut variables: HashMap<String, String> =
            env.names().into_iter().filter(is_seen).filter_map(value).collect();
        let mut files = profile::named_files(env);
        for name in NAMED {
            if let Some(file) = KeyFile::find(env, name) {
                variables.insert(name.to_owned(), file.path().to_string_lossy().into_owned());
                files.push(file);
            }
        }
        let content = |file: KeyFile| file.bytes().ok().map(|content| (file, content));
        let cache = KeyFile::find(env, "~/.aws/sso/cache");
        let signed_in: Vec<_> = cache.iter().flat_map(KeyFile::entries).filter_map(content).collect();
        let all = files.into_iter().filter_map(content).chain(signed_in.iter().cloned());
        let fs = Fs::from_raw_map(all.map(|(file, content)| (file.path().into(), content)).collect());
        Files { fs, variables, signed_in }
    }

    /// Keeps the tokens that the crates have renewed: a server may take each only once.
    pub(super) async fn keep_renewed(&self) {
        for (file, before) in &self.signed_in {
            if let Ok(now) = self.fs.read_to_end(file.path()).await
                && now != *before
            {
                // One that cannot be kept is still good for this run.
                let _ = file.write(&now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use super::*;

    #[tokio::test]
    async fn the_crates_read_what_is_in_the_table_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let config = format!("[profile lab]\nweb_identity_token_file = {}\n", path("token").display());
        fs::create_dir_all(path(".aws/sso/cache")).unwrap();
        fs::create_dir_all(path(".aws/new/cache")).unwrap();
        let table = [".aws/config", ".aws/credentials", ".aws/sso/cache/1.json", "token", "web", "container"];
        for name in table.iter().chain(&[".aws/new/cache/1.json", "other"]) {
            fs::write(path(name), if *name == ".aws/config" { config.as_str() } else { "" }).unwrap();
        }
        let variable = |name: &str, value: &str| (name.to_owned(), path(value).display().to_string());
        let env: BTreeMap<String, String> = BTreeMap::from([
            variable("HOME", ""),
            variable("AWS_WEB_IDENTITY_TOKEN_FILE", "web"),
            variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "container"),
            variable("AWS_OTHER_FILE", "other"),
        ]);
        let files = Files::read(&env);
        let shut = crate::provider::auth::credential_paths(&env);
        for name in table {
            assert!(files.fs.read_to_end(path(name)).await.is_ok(), "{name}");
            assert!(shut.contains(&path(name)), "{name}");
        }
        for name in [".aws/new/cache/1.json", "other"] {
            assert!(files.fs.read_to_end(path(name)).await.is_err(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_token_that_was_renewed_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".aws/sso/cache/1.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "before").unwrap();
        let env = BTreeMap::from([("HOME".to_owned(), home.path().display().to_string())]);
        let files = Files::read(&env);
        files.fs.write(&file, "after").await.unwrap();
        files.keep_renewed().await;
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
    }
}
