//! OAuth tokens in responses.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{
    credential_cache::Expiring,
    request::AuthFailure,
    token_client::{Server, TokenClient, TokenRequestError},
};

const DEFAULT_LIFETIME: Duration = Duration::from_secs(3_600);

impl TokenClient {
    pub(super) fn token(
        &self,
        server: Server,
        response: Result<Vec<u8>, TokenRequestError>,
    ) -> Result<Expiring<String>, AuthFailure> {
        let response = response.map_err(|error| server.failure(error))?;
        // For example a proxy's page with status 200.
        parse(&response, self).ok_or_else(|| server.missing_token(&response))
    }
}

fn parse(response: &[u8], tokens: &TokenClient) -> Option<Expiring<String>> {
    let response: Value = serde_json::from_slice(response).ok()?;
    let token = response.get("access_token").and_then(Value::as_str).filter(|token| !token.is_empty())?;
    let token = tokens.secrets().add(token).to_owned();
    if let Some(seconds) = response.get("expires_in").and_then(seconds) {
        return Some(Expiring::valid_for(token, Duration::from_secs(seconds)));
    }
    let time = |since_epoch| UNIX_EPOCH.checked_add(Duration::from_secs(since_epoch));
    Some(match response.get("expires_on").and_then(seconds).and_then(time) {
        Some(expires_at) => Expiring::valid_until(token, expires_at),
        None => Expiring::valid_for(token, DEFAULT_LIFETIME),
    })
}

fn seconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

pub(super) fn time(text: &str) -> Option<SystemTime> {
    let time = aws_smithy_types::DateTime::from_str(text, aws_smithy_types::date_time::Format::DateTimeWithOffset);
    time.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, rc::Rc};

    use serde_json::json;

    use super::{super::credential_cache::Secrets, *};

    #[test]
    fn an_expiry_out_of_range_is_ignored() {
        let tokens = TokenClient::new(Rc::new(BTreeMap::new()), Secrets::default());
        for end in [json!("18446744073709551615"), json!(u64::MAX), json!(i64::MAX), json!(-1)] {
            let response = json!({ "access_token": "entra-token", "expires_on": end, "expires_in": null });
            let token = parse(response.to_string().as_bytes(), &tokens).unwrap();
            assert_eq!(token.value(), "entra-token");
        }
    }

    #[test]
    fn times_are_read_with_and_without_an_offset() {
        let expected = UNIX_EPOCH + Duration::from_secs(1_735_787_045);
        assert_eq!(time("2025-01-02T03:04:05Z"), Some(expected));
        assert_eq!(time("2025-01-02T05:04:05+02:00"), Some(expected));
        assert_eq!(time("soon"), None);
    }
}
