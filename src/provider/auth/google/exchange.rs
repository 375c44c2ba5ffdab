//! What each type of credentials is traded for.

use std::time::SystemTime;

use futures_util::{FutureExt, future::LocalBoxFuture};
use serde_json::Value;

use super::{
    assertion::{TOKEN_URL, assertion},
    credentials::{field, text},
    federated,
    impersonation::impersonate,
};
use crate::provider::auth::{
    ask::{Asker, Server, post_form},
    kept::Fetched,
    request::AuthFailure,
};

const GOOGLE: Server = Server { name: "Google's token server", is_near: false };
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Trades credentials for a token. Boxed, as credentials may have others in them.
pub(super) fn exchange<'a>(
    asker: &'a Asker,
    credentials: &'a Value,
) -> LocalBoxFuture<'a, Result<Fetched<String>, AuthFailure>> {
    async move {
        for name in ["private_key", "client_secret", "refresh_token"] {
            asker.secrets().note(text(credentials, name).unwrap_or_default());
        }
        let kind = match credentials.get("type").and_then(Value::as_str) {
            Some(kind) => kind,
            // A script may give `{client_email, private_key}` alone.
            None if credentials.get("private_key").is_some() => "service_account",
            None => field(credentials, "type")?,
        };
        match kind {
            "service_account" => service_account(asker, credentials).await,
            "authorized_user" => authorized_user(asker, credentials).await,
            "external_account" => federated::external_account(asker, credentials).await,
            "external_account_authorized_user" => federated::signed_in(asker, credentials).await,
            "impersonated_service_account" => impersonated(asker, credentials).await,
            other => Err(AuthFailure::refused(format!("Google credentials of type \"{other}\" are not supported."))),
        }
    }
    .boxed_local()
}

async fn service_account(asker: &Asker, credentials: &Value) -> Result<Fetched<String>, AuthFailure> {
    let (email, key) = (field(credentials, "client_email")?, field(credentials, "private_key")?);
    let assertion = asker.secrets().note(assertion(email, key, SystemTime::now())?);
    post(asker, credentials, &[("grant_type", JWT_BEARER), ("assertion", &assertion)]).await
}

async fn authorized_user(asker: &Asker, credentials: &Value) -> Result<Fetched<String>, AuthFailure> {
    let fields = [
        ("refresh_token", field(credentials, "refresh_token")?),
        ("client_id", field(credentials, "client_id")?),
        ("client_secret", field(credentials, "client_secret")?),
        ("grant_type", "refresh_token"),
    ];
    post(asker, credentials, &fields).await
}

async fn post(asker: &Asker, credentials: &Value, fields: &[(&str, &str)]) -> Result<Fetched<String>, AuthFailure> {
    let url = credentials.get("token_uri").and_then(Value::as_str).unwrap_or(TOKEN_URL);
    let answer = asker.ask(GOOGLE, |client| post_form(client, url, fields)).await;
    asker.token(GOOGLE, answer)
}

/// Credentials of somebody who may act as a service account.
async fn impersonated(asker: &Asker, credentials: &Value) -> Result<Fetched<String>, AuthFailure> {
    let Some(source) = credentials.get("source_credentials") else {
        return Err(AuthFailure::refused("The Google credentials have no source_credentials."));
    };
    let token = exchange(asker, source).await?;
    impersonate(asker, credentials, field(credentials, "service_account_impersonation_url")?, &token).await
}
