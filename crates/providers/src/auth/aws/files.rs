//! The files that the AWS crates can read: in-memory copies of those in the table of sources. Others that a new
//! version may look for do not exist for them.

use std::collections::HashMap;

use aws_types::os_shim_internal::Fs;

use super::profile;
use crate::{Env, auth::sources::CredentialFile};

const FILE_VARIABLES: [&str; 4] = [
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// Variables for the home directory, where the crates look for tokens of single sign-on.
const HOME_VARIABLES: [&str; 4] = ["HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"];

pub(super) struct VisibleFiles {
    pub fs: Fs,
    pub variables: HashMap<String, String>,
    sso_tokens: Vec<(CredentialFile, Vec<u8>)>,
}

impl VisibleFiles {
    pub(super) fn read(env: &dyn Env) -> VisibleFiles {
        // From `env`, not from the process, to include `.env`. An empty value counts as unset.
        let is_visible = |name: &String| name.starts_with("AWS_") || HOME_VARIABLES.contains(&name.as_str());
        let value = |name: String| env.get(&name).filter(|value| !value.trim().is_empty()).map(|value| (name, value));
        let mut variables: HashMap<String, String> =
            env.names().into_iter().filter(is_visible).filter_map(value).collect();
        let mut files = profile::named_files(env);
        for name in FILE_VARIABLES {
            if let Some(file) = CredentialFile::find(env, name) {
                variables.insert(name.to_owned(), file.path().to_string_lossy().into_owned());
                files.push(file);
            }
        }
        let content = |file: CredentialFile| file.bytes().ok().map(|content| (file, content));
        let cache = CredentialFile::find(env, "~/.aws/sso/cache");
        let sso_tokens: Vec<_> = cache.iter().flat_map(CredentialFile::entries).filter_map(content).collect();
        let all = files.into_iter().filter_map(content).chain(sso_tokens.iter().cloned());
        let fs = Fs::from_raw_map(all.map(|(file, content)| (file.path().into(), content)).collect());
        VisibleFiles { fs, variables, sso_tokens }
    }

    /// Writes tokens that the crates have renewed back to disk: a refresh token can be used only once.
    pub(super) async fn write_renewed_tokens(&self) {
        for (file, before) in &self.sso_tokens {
            if let Ok(now) = self.fs.read_to_end(file.path()).await
                && now != *before
            {
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
    async fn only_files_of_the_table_are_visible_to_the_crates() {
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
        let files = VisibleFiles::read(&env);
        let protected = crate::auth::credential_paths(&env);
        for name in table {
            assert!(files.fs.read_to_end(path(name)).await.is_ok(), "{name}");
            assert!(protected.contains(&path(name)), "{name}");
        }
        for name in [".aws/new/cache/1.json", "other"] {
            assert!(files.fs.read_to_end(path(name)).await.is_err(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_renewed_token_is_written_to_its_file() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".aws/sso/cache/1.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "before").unwrap();
        let env = BTreeMap::from([("HOME".to_owned(), home.path().display().to_string())]);
        let files = VisibleFiles::read(&env);
        files.fs.write(&file, "after").await.unwrap();
        files.write_renewed_tokens().await;
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
    }
}
