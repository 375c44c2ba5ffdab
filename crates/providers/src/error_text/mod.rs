//! Messages of errors in responses, in any format.

mod json;
mod line;
mod page;

use serde_json::Value;

pub(super) use json::{error_object, failure_in_event, message_in_error, message_in_json};
pub(super) use line::{one_line, root_cause, truncated};

pub(super) fn parse_body(body: &[u8]) -> Option<ErrorBody> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return None;
    }
    let events = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let data = if text.starts_with("data:") || text.starts_with("event:") { events.collect() } else { text.to_owned() };
    if let Ok(json) = serde_json::from_str::<Value>(&data) {
        let message = message_in_json(&json);
        return Some(ErrorBody {
            message: message.unwrap_or_else(|| json.to_string()),
            is_page: false,
            json: Some(json),
        });
    }
    let is_page = page::is_page(&data);
    let message = if data.starts_with('<') { page::text(&data) } else { data };
    Some(ErrorBody { message, is_page, json: None })
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ErrorBody {
    /// The message, not truncated and not redacted. For a web page its title, which may be empty.
    pub message: String,
    /// Whether it is a web page, which comes from a proxy or gateway instead of the service.
    pub is_page: bool,
    pub json: Option<Value>,
}

impl ErrorBody {
    pub(super) fn sentence(&self, status_text: &str) -> String {
        match (self.is_page, self.message.trim()) {
            (true, "") => format!("{status_text} (a web page)"),
            (true, title) => format!("{status_text} (a web page titled \"{}\")", one_line(title)),
            (false, "") => status_text.to_owned(),
            (false, message) => message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(body: &str) -> Option<String> {
        parse_body(body.as_bytes()).map(|body| body.sentence("Bad Gateway"))
    }

    #[test]
    fn bodies_of_every_kind_have_a_message() {
        assert_eq!(sentence(""), None);
        assert_eq!(sentence(" \n "), None);
        assert_eq!(sentence("upstream connect error").as_deref(), Some("upstream connect error"));
        assert_eq!(sentence(r#"{"error": "no such model"}"#).as_deref(), Some("no such model"));
        assert_eq!(sentence(r#"{"unheard": 1}"#).as_deref(), Some(r#"{"unheard":1}"#));
        assert_eq!(sentence("data: {\"error\": {\"message\": \"full\"}}\n\n").as_deref(), Some("full"));
        let page = "<!DOCTYPE html><html><head>\n<title>lab.example | 502: Bad&nbsp;gateway</title></head></html>";
        assert_eq!(
            sentence(page).as_deref(),
            Some("Bad Gateway (a web page titled \"lab.example | 502: Bad gateway\")")
        );
        assert_eq!(sentence("<html><body></body></html>").as_deref(), Some("Bad Gateway (a web page)"));
        let xml = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Too fast</Message></Error>";
        assert_eq!(sentence(xml).as_deref(), Some("SlowDown Too fast"));
    }
}
