//! The server's own words: what the body of a failed request, or an error inside an answer, says, whatever its shape.
//!
//! Owns: the shapes errors come in (`json`), web pages (`page`), and making a text fit for one line of a terminal
//! (`line`). Must not know: which service answers, statuses, secrets.

mod json;
mod line;
mod page;

use serde_json::Value;

pub(super) use json::{error_in, of_error, of_event, of_json};
pub(super) use line::{one_line, root_cause, shortened};

/// What a body says. Empty, or nothing but white space: nothing.
pub(super) fn of_body(body: &[u8]) -> Option<Said> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return None;
    }
    // Some gateways keep to the framing of a stream even when they refuse.
    let events = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let data = if text.starts_with("data:") || text.starts_with("event:") { events.collect() } else { text.to_owned() };
    if let Ok(json) = serde_json::from_str::<Value>(&data) {
        let words = of_json(&json);
        return Some(Said { words: words.unwrap_or_else(|| json.to_string()), page: false, json: Some(json) });
    }
    let page = page::is_page(&data);
    let words = if data.starts_with('<') { page::words(&data) } else { data };
    Some(Said { words, page, json: None })
}

/// What a body says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    /// As they stand there: not shortened, and not redacted. Of a web page, its title, which may be empty.
    pub words: String,
    /// A web page: it was not the service that answered, but something in front of it.
    pub page: bool,
    /// The body itself, where it is JSON.
    pub json: Option<Value>,
}

impl Said {
    /// The words as a sentence; a page's title alone would pass for the service's own words.
    pub(super) fn sentence(&self, status_text: &str) -> String {
        match (self.page, self.words.trim()) {
            (true, "") => format!("{status_text} (a web page)"),
            (true, title) => format!("{status_text} (a web page titled \"{}\")", one_line(title)),
            (false, "") => status_text.to_owned(),
            (false, words) => words.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(body: &str) -> Option<String> {
        of_body(body.as_bytes()).map(|said| said.sentence("Bad Gateway"))
    }

    #[test]
    fn bodies_of_every_kind_say_something() {
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
