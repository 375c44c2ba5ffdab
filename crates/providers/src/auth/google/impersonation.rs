//! Service account impersonation.

use serde_json::{Value, json};

use super::credentials::{SCOPE, text};
use crate::auth::{
    credential_cache::Expiring,
    request::AuthFailure,
    token_client::{Server, TokenClient},
    token_response::time,
};

const IMPERSONATION: Server = Server { name: "Google's service for impersonation", is_local: false };

pub(super) async fn impersonate(
    tokens: &TokenClient,
    credentials: &Value,
    url: &str,
    token: &Expiring<String>,
) -> Result<Expiring<String>, AuthFailure> {
    let seconds = credentials.pointer("/service_account_impersonation/token_lifetime_seconds").and_then(Value::as_u64);
    let body = json!({
        "delegates": credentials.get("delegates").cloned().unwrap_or_else(|| json!([])),
        "scope": [SCOPE],
        "lifetime": format!("{}s", seconds.unwrap_or(3_600)),
    })
    .to_string();
    let request = |client: &reqwest::Client| {
        let request = client.post(url).bearer_auth(token.value()).header("content-type", "application/json");
        request.body(body.clone())
    };
    let answer = tokens.send(IMPERSONATION, request).await.map_err(|error| IMPERSONATION.failure(error))?;
    let read = || {
        let answer: Value = serde_json::from_slice(&answer).ok()?;
        Some(Expiring::valid_until(text(&answer, "accessToken")?, time(&text(&answer, "expireTime")?)?))
    };
    let token = read().ok_or_else(|| IMPERSONATION.missing_token(&answer))?;
    tokens.secrets().add(token.value());
    Ok(token)
}
