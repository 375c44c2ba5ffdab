//! Workload identity: the word of another identity provider, traded for a token of Google's.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use super::{
    credentials::{SCOPE, field, text},
    impersonation::impersonate,
    subject,
};
use crate::provider::auth::{
    ask::{Asker, Server, post_form},
    kept::Fetched,
    request::AuthFailure,
};

const STS: Server = Server { name: "Google's Security Token Service", is_near: false };
const STS_URL: &str = "https://sts.googleapis.com/v1/token";
const STS_USER_URL: &str = "https://sts.googleapis.com/v1/oauthtoken";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

/// Credentials of type `external_account`.
pub(super) async fn external_account(asker: &Asker, credentials: &Value) -> Result<Fetched<String>, AuthFailure> {
    let url = text(credentials, "token_url").unwrap_or_else(|| STS_URL.to_owned());
    let (audience, kind) = (field(credentials, "audience")?, field(credentials, "subject_token_type")?);
    let subject = asker.secrets().note(subject::token(asker, credentials).await?);
    // Who signs in to a workforce pool without a client of their own names the project that is charged.
    let project = text(credentials, "workforce_pool_user_project").filter(|_| text(credentials, "client_id").is_none());
    let options = project.map(|project| json!({ "userProject": project }).to_string());
    let mut fields = vec![
        ("grant_type", TOKEN_EXCHANGE),
        ("audience", audience),
        ("scope", SCOPE),
        ("requested_token_type", ACCESS_TOKEN),
        ("subject_token_type", kind),
        ("subject_token", &subject),
    ];
    fields.extend(options.as_deref().map(|options| ("options", options)));
    let answer = asker.ask(STS, |client| signed(post_form(client, &url, &fields), credentials)).await;
    let token = asker.token(STS, answer)?;
    match text(credentials, "service_account_impersonation_url") {
        Some(url) => impersonate(asker, credentials, &url, &token).await,
        None => Ok(token),
    }
}

/// Credentials of type `external_account_authorized_user`: somebody of a workforce pool who has signed in with gcloud.
pub(super) async fn signed_in(asker: &Asker, credentials: &Value) -> Result<Fetched<String>, AuthFailure> {
    let url = text(credentials, "token_url").unwrap_or_else(|| STS_USER_URL.to_owned());
    let fields = [("grant_type", "refresh_token"), ("refresh_token", field(credentials, "refresh_token")?)];
    let request = |client: &Client| signed(post_form(client, &url, &fields), credentials);
    let answer = asker.ask(STS, request).await;
    asker.token(STS, answer)
}

/// With the client's own name and secret, where the credentials have them.
fn signed(request: RequestBuilder, credentials: &Value) -> RequestBuilder {
    match (text(credentials, "client_id"), text(credentials, "client_secret")) {
        (Some(id), Some(secret)) => {
            request.header("authorization", format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))))
        }
        _ => request,
    }
}
