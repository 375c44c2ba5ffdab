//! Fetches AWS keys with the AWS crates: from profile, web identity, container role or instance role, in this order.

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
    files::VisibleFiles,
    profile::Profile,
    sign::Keys,
};
use crate::auth::{
    credential_cache::Expiring, request::AuthFailure, sources::CredentialFile, token_client::TokenClient,
};

/// Limit for the whole chain, which may run programs and contact several servers.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Keys without expiry are read again after this time, as the file may have changed.
const RELOAD_INTERVAL: Duration = Duration::from_secs(3_600);

pub(super) async fn fetch(tokens: &TokenClient, region: &str) -> Result<Expiring<Keys>, AuthFailure> {
    let profile = Profile::read(tokens.env());
    if profile.is_named && !profile.exists() {
        return Err(unknown(&profile));
    }
    for secret in profile.secrets() {
        tokens.secrets().add(secret);
    }
    let (remote, local) = tokens.clients()?;
    let secrets = Arc::new(Mutex::new(Vec::new()));
    let connector = Connector { remote, local, secrets: secrets.clone() };
    let source = Source::of(tokens, &profile);
    if let Some(variable) = source.token_file()
        && let Some(file) = CredentialFile::find(tokens.env(), variable)
    {
        tokens.secrets().add(file.required_text(variable).await?.trim());
    }
    let mut files = VisibleFiles::read(tokens.env());
    if source == Source::Profile && !profile.uses_machine_keys {
        // Otherwise the crates would contact the metadata server after an incomplete profile, and its failure would
        // be reported.
        files.variables.insert("AWS_EC2_METADATA_DISABLED".to_owned(), "true".to_owned());
    }
    let outcome = tokio::time::timeout(TIMEOUT, load(&files, region, connector)).await;
    files.write_renewed_tokens().await;
    for secret in secrets.lock().map(|mut secrets| std::mem::take(&mut *secrets)).unwrap_or_default() {
        tokens.secrets().add(secret);
    }
    match outcome {
        Ok(Ok(credentials)) => Ok(keys(tokens, &credentials)),
        Ok(Err(error)) => Err(failed(source, &profile, &error)),
        Err(_) => {
            let late = format!("nothing came within {} s", TIMEOUT.as_secs());
            Err(failed(source, &profile, &CredentialsError::not_loaded(late)))
        }
    }
}

async fn load(files: &VisibleFiles, region: &str, connector: Connector) -> Result<Credentials, CredentialsError> {
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

fn keys(tokens: &TokenClient, credentials: &Credentials) -> Expiring<Keys> {
    let secrets = tokens.secrets();
    let keys = Keys {
        id: credentials.access_key_id().to_owned(),
        secret: secrets.add(credentials.secret_access_key()).to_owned(),
        token: credentials.session_token().map(|token| secrets.add(token).to_owned()),
    };
    match credentials.expiry() {
        Some(expiry) => Expiring::valid_until(keys, expiry),
        None => Expiring::valid_for(keys, RELOAD_INTERVAL),
    }
}
