//! Workload identity federation: exchanges another identity provider's token for one of Google's.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use super::{
    credentials::{SCOPE, field, text},
    impersonation::impersonate,
    subject,
};
use crate::auth::{
    credential_cache::Expiring,
    request::AuthFailure,
    token_client::{Server, TokenClient, post_form},
};

const STS: Server = Server { name: "Google's Security Token Service", is_local: false };
const STS_URL: &str = "https://sts.googleapis.com/v1/token";
const STS_USER_URL: &str = "https://sts.googleapis.com/v1/oauthtoken";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";

pub(super) async fn external_account(
    tokens: &TokenClient,
    credentials: &Value,
) -> Result<Expiring<String>, AuthFailure> {
    let url = text(credentials, "token_url").unwrap_or_else(|| STS_URL.to_owned());
    let (audience, kind) = (field(credentials, "audience")?, field(credentials, "subject_token_type")?);
    let subject = tokens.secrets().add(subject::token(tokens, credentials).await?);
    // Users of a workforce pool without an own OAuth client name the project to charge.
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
    let answer =
        tokens.send(STS, |client| with_client_credentials(post_form(client, &url, &fields), credentials)).await;
    let token = tokens.token(STS, answer)?;
    match text(credentials, "service_account_impersonation_url") {
        Some(url) => impersonate(tokens, credentials, &url, &token).await,
        None => Ok(token),
    }
}

/// Credentials of type `external_account_authorized_user`: a user of a workforce pool, signed in with gcloud.
pub(super) async fn authorized_user(
    tokens: &TokenClient,
    credentials: &Value,
) -> Result<Expiring<String>, AuthFailure> {
    let url = text(credentials, "token_url").unwrap_or_else(|| STS_USER_URL.to_owned());
    let fields = [("grant_type", "refresh_token"), ("refresh_token", field(credentials, "refresh_token")?)];
    let request = |client: &Client| with_client_credentials(post_form(client, &url, &fields), credentials);
    let answer = tokens.send(STS, request).await;
    tokens.token(STS, answer)
}

fn with_client_credentials(request: RequestBuilder, credentials: &Value) -> RequestBuilder {
    match (text(credentials, "client_id"), text(credentials, "client_secret")) {
        (Some(id), Some(secret)) => {
            request.header("authorization", format!("Basic {}", STANDARD.encode(format!("{id}:{secret}"))))
        }
        _ => request,
    }
}
