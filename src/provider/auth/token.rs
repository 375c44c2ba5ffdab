//! OAuth tokens as servers answer them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{
    ask::{Asker, NoAnswer, Server},
    kept::Fetched,
    request::AuthFailure,
};

/// How long a token is good for whose server does not say.
const USUAL_LIFE: Duration = Duration::from_secs(3_600);

impl Asker {
    /// Reads the token out of an answer and remembers it as a secret.
    pub(super) fn token(
        &self,
        server: Server,
        answer: Result<Vec<u8>, NoAnswer>,
    ) -> Result<Fetched<String>, AuthFailure> {
        let answer = answer.map_err(|no_answer| server.failure(no_answer))?;
        // A proxy's page with status 200 is no token.
        read(&answer, self).ok_or_else(|| server.no_token(&answer))
    }
}

fn read(answer: &[u8], asker: &Asker) -> Option<Fetched<String>> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let token = answer.get("access_token").and_then(Value::as_str).filter(|token| !token.is_empty())?;
    let token = asker.secrets().note(token).to_owned();
    if let Some(seconds) = answer.get("expires_in").and_then(seconds) {
        return Some(Fetched::for_a_while(token, Duration::from_secs(seconds)));
    }
    // A number that is no point in time says nothing.
    let point = |since_epoch| UNIX_EPOCH.checked_add(Duration::from_secs(since_epoch));
    Some(match answer.get("expires_on").and_then(seconds).and_then(point) {
        Some(expires_at) => Fetched::until(token, expires_at),
        None => Fetched::for_a_while(token, USUAL_LIFE),
    })
}

/// A number of seconds; Azure writes it as a text.
fn seconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// A point in time such as `2026-01-02T03:04:05.123Z`; `None` if it is not written like that.
pub(super) fn time(text: &str) -> Option<SystemTime> {
    let time = aws_smithy_types::DateTime::from_str(text, aws_smithy_types::date_time::Format::DateTimeWithOffset);
    time.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, rc::Rc};

    use serde_json::json;

    use super::{super::kept::Secrets, *};

    #[test]
    fn a_number_that_is_no_point_in_time_does_no_harm() {
        let asker = Asker::new(Rc::new(BTreeMap::new()), Secrets::default());
        for end in [json!("18446744073709551615"), json!(u64::MAX), json!(i64::MAX), json!(-1)] {
            let answer = json!({ "access_token": "entra-token", "expires_on": end, "expires_in": null });
            let token = read(answer.to_string().as_bytes(), &asker).unwrap();
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
