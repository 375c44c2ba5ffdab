//! Acting as a service account with somebody else's token.

use serde_json::{Value, json};

use super::credentials::{SCOPE, text};
use crate::provider::auth::{
    ask::{Asker, Server},
    kept::Fetched,
    request::AuthFailure,
    token::time,
};

const IMPERSONATION: Server = Server { name: "Google's service for impersonation", is_near: false };

/// Trades somebody's token for one of the service account they may act as.
pub(super) async fn impersonate(
    asker: &Asker,
    credentials: &Value,
    url: &str,
    token: &Fetched<String>,
) -> Result<Fetched<String>, AuthFailure> {
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
    let answer = asker.ask(IMPERSONATION, request).await.map_err(|no_answer| IMPERSONATION.failure(no_answer))?;
    let read = || {
        let answer: Value = serde_json::from_slice(&answer).ok()?;
        Some(Fetched::until(text(&answer, "accessToken")?, time(&text(&answer, "expireTime")?)?))
    };
    let token = read().ok_or_else(|| IMPERSONATION.no_token(&answer))?;
    asker.secrets().note(token.value());
    Ok(token)
}
