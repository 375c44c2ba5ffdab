//! The files that the AWS crates may read: those of the table of sources, as copies in memory. Whatever else a new version of
//! the crates looks for is not there.

use std::collections::HashMap;

use aws_types::os_shim_internal::Fs;

use super::profile;
use crate::provider::{Env, auth::sources::KeyFile};

/// The variables that name a file. The crates are told where each of them is.
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
