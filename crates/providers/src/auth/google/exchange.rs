//! Exchanges credentials for tokens, by their type.

use std::time::SystemTime;

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;

use super::{
    assertion::{TOKEN_URL, assertion},
    credentials::{field, text},
    federated,
    impersonation::impersonate,
};
use crate::auth::{
    credential_cache::Expiring,
    request::AuthFailure,
    token_client::{Server, TokenClient, post_form},
};

const GOOGLE: Server = Server { name: "Google's token server", is_local: false };
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Boxed, because credentials may contain other credentials.
pub(super) fn exchange<'a>(
    tokens: &'a TokenClient,
    credentials: &'a Value,
) -> LocalBoxFuture<'a, Result<Expiring<String>, AuthFailure>> {
    async move {
        for name in ["private_key", "client_secret", "refresh_token"] {
            tokens.secrets().add(text(credentials, name).unwrap_or_default());
        }
        let kind = match credentials.get("type").and_then(Value::as_str) {
            Some(kind) => kind,
            // A script may pass only `{client_email, private_key}`.
            None if credentials.get("private_key").is_some() => "service_account",
            None => field(credentials, "type")?,
        };
        match kind {
            "service_account" => service_account(tokens, credentials).await,
            "authorized_user" => authorized_user(tokens, credentials).await,
            "external_account" => federated::external_account(tokens, credentials).await,
            "external_account_authorized_user" => federated::authorized_user(tokens, credentials).await,
            "impersonated_service_account" => impersonated(tokens, credentials).await,
            other => Err(AuthFailure::refused(format!("Google credentials of type \"{other}\" are not supported."))),
        }
    }
    .boxed_local()
}

async fn service_account(tokens: &TokenClient, credentials: &Value) -> Result<Expiring<String>, AuthFailure> {
    let (email, key) = (field(credentials, "client_email")?, field(credentials, "private_key")?);
    let assertion = tokens.secrets().add(assertion(email, key, SystemTime::now())?);
    post(tokens, credentials, &[("grant_type", JWT_BEARER), ("assertion", &assertion)]).await
}

async fn authorized_user(tokens: &TokenClient, credentials: &Value) -> Result<Expiring<String>, AuthFailure> {
    let fields = [
        ("refresh_token", field(credentials, "refresh_token")?),
        ("client_id", field(credentials, "client_id")?),
        ("client_secret", field(credentials, "client_secret")?),
        ("grant_type", "refresh_token"),
    ];
    post(tokens, credentials, &fields).await
}

async fn post(
    tokens: &TokenClient,
    credentials: &Value,
    fields: &[(&str, &str)],
) -> Result<Expiring<String>, AuthFailure> {
    let url = credentials.get("token_uri").and_then(Value::as_str).unwrap_or(TOKEN_URL);
    let answer = tokens.send(GOOGLE, |client| post_form(client, url, fields)).await;
    tokens.token(GOOGLE, answer)
}

async fn impersonated(tokens: &TokenClient, credentials: &Value) -> Result<Expiring<String>, AuthFailure> {
    let Some(source) = credentials.get("source_credentials") else {
        return Err(AuthFailure::refused("The Google credentials have no source_credentials."));
    };
    let token = exchange(tokens, source).await?;
    impersonate(tokens, credentials, field(credentials, "service_account_impersonation_url")?, &token).await
}
