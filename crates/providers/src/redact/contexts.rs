//! Finds secrets by their context: user info and parameters of URLs, values of headers and of members with a secret
//! name.

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;

use super::heuristics::{REDACTED, is_random, names_a_secret, names_a_secret_parameter, unambiguously_names_a_secret};

const SCHEMES: [&str; 5] = ["bearer ", "basic ", "token ", "apikey ", "api-key "];

/// Finds secrets in contexts that denote them. `is_known` returns whether a value is a known secret, none of which is
/// longer than `max_length`.
pub(super) fn find(text: &str, max_length: usize, is_known: impl Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    // Percent encoding triples the length, and a full stop may follow.
    let max_length = max_length * 3 + "...".len();
    let is_known = |value: &str| value.len() <= max_length && is_known_in_any_form(value, &is_known);
    for (at, _) in text.match_indices("://") {
        let start = at + "://".len();
        let authority = &text[start..start + value_length(&text[start..], "/?#")];
        found.extend(authority.rfind('@').filter(|end| *end > 0).map(|end| start..start + end));
    }
    let mut values = ValueScanner::new(text);
    for (at, separator) in text.match_indices([':', '=']) {
        let value = values.after_separator(at + 1);
        let value_text = &text[value.clone()];
        if value_text.is_empty() || REDACTED.starts_with(value_text) {
            continue;
        }
        let is_random = values.is_random(&value);
        let name = name_before(&text[..at]);
        let before = &text[..at - name.len()];
        let is_parameter = separator == "=" && (before.ends_with(['?', '&']) || before.ends_with("&amp;"));
        let is_signature = is_random && separator == "=" && name == "Signature";
        if is_signature
            || is_parameter && names_a_secret_parameter(name)
            || is_named(&text[..at], is_random, is_known(value_text))
        {
            found.push(value);
        }
    }
    for (at, _) in text.match_indices(' ') {
        let Some(scheme) = SCHEMES.iter().find(|scheme| ends_with(&text[..=at], scheme)) else { continue };
        let value = at + 1..at + 1 + value_length(&text[at + 1..], "");
        let bare = &text[value.clone()];
        let shows = match *scheme {
            "bearer " => is_random(bare),
            "basic " => basic_credentials(bare).is_some(),
            _ => false,
        };
        if shows || is_known(bare) {
            found.push(value);
        }
    }
}

fn is_known_in_any_form(value: &str, is_known: impl Fn(&str) -> bool) -> bool {
    let bare = value.trim_end_matches(['.', '!', '?']);
    [value, bare, &*percent_decode_str(value).decode_utf8_lossy()].into_iter().any(is_known)
}

/// The values of a text, in order. Every character is scanned once, although each colon of `::::` has all of the rest
/// as its value: a malicious server could otherwise cause quadratic time.
struct ValueScanner<'a> {
    text: &'a str,
    /// The last value. All that start in it end where it ends.
    last: Range<usize>,
    scanned: usize,
    random: Option<usize>,
}

impl<'a> ValueScanner<'a> {
    fn new(text: &'a str) -> Self {
        ValueScanner { text, last: 0..0, scanned: 0, random: None }
    }

    fn after_separator(&mut self, at: usize) -> Range<usize> {
        let rest = self.text[at..].trim_start_matches([' ', '\t', '"', '\'', '\\']);
        let rest = after_scheme(rest);
        let start = self.text.len() - rest.len();
        if rest.starts_with(REDACTED) {
            return start..start + REDACTED.len();
        }
        if !self.last.contains(&start) {
            self.last = start..start + value_length(rest, "");
        }
        start..self.last.end
    }

    /// Equals `heuristics::is_random` of the value, which must start where a run starts.
    fn is_random(&mut self, value: &Range<usize>) -> bool {
        self.scanned = self.scanned.max(value.start);
        while self.random.is_none_or(|random| random < value.start) && self.scanned < value.end {
            let rest = &self.text[self.scanned..value.end];
            let run = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            if is_random(&rest[..run]) {
                self.random = Some(self.scanned);
            }
            self.scanned += run + rest[run..].chars().next().map_or(0, char::len_utf8);
        }
        self.random.is_some_and(|random| value.contains(&random))
    }
}

fn is_named(before: &str, is_random: bool, is_known: bool) -> bool {
    let name = || name_before(before.trim_end().trim_end_matches(['"', '\'', '\\']));
    (is_random || is_known) && is_secret_member(name(), is_random, is_known)
}

pub(super) fn is_secret_member(name: &str, is_random: bool, is_known: bool) -> bool {
    (is_random && unambiguously_names_a_secret(name)) || (is_known && names_a_secret(name))
}

fn name_before(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    &text[text.trim_end_matches(is_part).len()..]
}

fn value_length(text: &str, more: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || "\"'`\\<>&,;(){}[]#…".contains(c) || more.contains(c);
    if text.starts_with(REDACTED) { REDACTED.len() } else { text.find(ends).unwrap_or(text.len()) }
}

pub(super) fn after_scheme(value: &str) -> &str {
    let scheme = SCHEMES.iter().find(|scheme| {
        value.as_bytes().get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    scheme.map_or(value, |scheme| value[scheme.len()..].trim_start())
}

fn ends_with(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.is_some_and(|start| text.as_bytes()[start..].eq_ignore_ascii_case(word.as_bytes()))
}

pub(super) fn basic_credentials(value: &str) -> Option<String> {
    let decoded = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
    decoded.contains(':').then_some(decoded)
}

/// The user info of a URL, which may be invalid: a password with a slash makes it so, and then everything before the
/// last `@` counts as user info.
pub(super) fn user_info(url: &str) -> Option<&str> {
    let rest = split_scheme(url).map_or(url, |(_, rest)| rest);
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let end = authority.rfind('@').or_else(|| {
        let is_whole = url::Url::parse(url).is_ok();
        rest.rfind('@').filter(|_| !is_whole)
    })?;
    Some(&rest[..end]).filter(|info| !info.is_empty())
}

/// The scheme of a URL, and the rest. The `://` in `me:password@host?next=https://…` does not end a scheme.
pub(crate) fn split_scheme(url: &str) -> Option<(&str, &str)> {
    url.split_once("://").filter(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    })
}
