//! Keys from where AWS's own tools find them, by the AWS crates.
//!
//! Owns: what these crates are given, and how long they may take. The order is theirs: profile, web identity, role of a
//! container, role of an instance.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::{
    Credentials,
    provider::{ProvideCredentials, error::CredentialsError},
};
use aws_types::os_shim_internal::Env as Variables;

use super::{
    connector::Connector,
    failure::{Source, failed, unknown},
    files::Files,
    profile::Profile,
    sign::Keys,
};
use crate::provider::auth::{ask::Asker, kept::Fetched, request::AuthFailure, sources::KeyFile};

/// All of it together: programs and servers may be asked one after the other.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Keys without an end are read again after this time: the file may have been changed.
const ENDLESS: Duration = Duration::from_secs(3_600);

/// Asks the AWS crates for keys.
pub(super) async fn fetch(asker: &Asker, region: &str) -> Result<Fetched<Keys>, AuthFailure> {
    let profile = Profile::read(asker.env());
    if profile.is_named && !profile.is_there() {
        return Err(unknown(&profile));
    }
    for secret in profile.secrets() {
        asker.secrets().note(secret);
    }
    let (far, near) = asker.clients()?;
    let sent = Arc::new(Mutex::new(Vec::new()));
    let connector = Connector { far, near, sent: sent.clone() };
    let source = Source::of(asker, &profile);
    if let Some(variable) = source.token_file()
        && let Some(file) = KeyFile::find(asker.env(), variable)
    {
        asker.secrets().note(file.needed(variable).await?.trim());
    }
    let mut files = Files::read(asker.env());
    if source == Source::Profile && !profile.asks_the_machine {
        // Else a profile that is not whole would be blamed on the machine, which would be asked next.
        files.variables.insert("AWS_EC2_METADATA_DISABLED".to_owned(), "true".to_owned());
    }
    let outcome = tokio::time::timeout(TIMEOUT, load(&files, region, connector)).await;
    files.keep_renewed().await;
    for secret in sent.lock().map(|mut sent| std::mem::take(&mut *sent)).unwrap_or_default() {
        asker.secrets().note(secret);
    }
    match outcome {
        Ok(Ok(credentials)) => Ok(keys(asker, &credentials)),
        Ok(Err(error)) => Err(failed(source, &profile, &error)),
        Err(_) => {
            let late = format!("nothing came within {} s", TIMEOUT.as_secs());
            Err(failed(source, &profile, &CredentialsError::not_loaded(late)))
        }
    }
}

async fn load(files: &Files, region: &str, connector: Connector) -> Result<Credentials, CredentialsError> {
    let config = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .env(Variables::from(files.variables.clone()))
        .fs(files.fs.clone())
        .http_client(connector)
        .region(Region::new(region.to_owned()))
        .load()
        .await;
    match config.credentials_provider() {
        Some(provider) => provider.provide_credentials().await,
        None => Err(CredentialsError::not_loaded_no_source()),
    }
}

fn keys(asker: &Asker, credentials: &Credentials) -> Fetched<Keys> {
    let secrets = asker.secrets();
    let keys = Keys {
        id: credentials.access_key_id().to_owned(),
        secret: secrets.note(credentials.secret_access_key()).to_owned(),
        token: credentials.session_token().map(|token| secrets.note(token).to_owned()),
    };
    match credentials.expiry() {
        Some(expiry) => Fetched::until(keys, expiry),
        None => Fetched::for_a_while(keys, ENDLESS),
    }
}
