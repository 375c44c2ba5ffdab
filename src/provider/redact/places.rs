//! Places of a text where secrets stand: user info and parameters of URLs, values of headers and of members with a secret
//! name. Must not know the secrets; it asks.

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;

use super::look::{REDACTED, is_random, names_a_secret, names_a_secret_parameter, surely_names_a_secret};

/// What may stand between a header's name and its key.
const SCHEMES: [&str; 5] = ["bearer ", "basic ", "token ", "apikey ", "api-key "];

/// Finds the secrets that stand where secrets stand. `is_known` says whether a value is a known one.
pub(super) fn find(text: &str, is_known: impl Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let is_known = |value: &str| {
        // At the end of a sentence there is a full stop that is not the key's.
        let bare = value.trim_end_matches(['.', '!', '?']);
        [value, bare, &*percent_decode_str(value).decode_utf8_lossy()].into_iter().any(&is_known)
    };
    for (at, _) in text.match_indices("://") {
        let start = at + "://".len();
        let authority = &text[start..start + value_length(&text[start..], "/?#")];
        found.extend(authority.rfind('@').filter(|end| *end > 0).map(|end| start..start + end));
    }
    for (at, separator) in text.match_indices([':', '=']) {
        let name = name_before(&text[..at]);
        let value = value_behind(text, at + 1);
        let value_text = &text[value.clone()];
        if value_text.is_empty() || REDACTED.starts_with(value_text) {
            continue;
        }
        let before = &text[..at - name.len()];
        let is_parameter = separator == "=" && (before.ends_with(['?', '&']) || before.ends_with("&amp;"));
        // AWS's, in the header of a request.
        let is_signature = separator == "=" && name == "Signature" && is_random(value_text);
        if is_signature || is_parameter && names_a_secret_parameter(name) || is_named(&text[..at], is_known, value_text)
        {
            found.push(value);
        }
    }
    for (at, _) in text.match_indices(' ') {
        let value = at + 1..at + 1 + value_length(&text[at + 1..], "");
        let Some(scheme) = SCHEMES.iter().find(|scheme| ends_with(&text[..=at], scheme)) else { continue };
        let bare = &text[value.clone()];
        let shows = match *scheme {
            "bearer " => is_random(bare),
            "basic " => basic(bare).is_some(),
            _ => false,
        };
        if shows || is_known(bare) {
            found.push(value);
        }
    }
}

/// Whether the name at the end of a text says that the value behind it is secret, and it is none of the words that follow
/// such a name in a sentence.
fn is_named(before: &str, is_known: impl Fn(&str) -> bool, value: &str) -> bool {
    let name = name_before(before.trim_end().trim_end_matches(['"', '\'', '\\']));
    is_secret_member(name, is_known, value)
}

/// Whether a value of this name is a secret.
pub(super) fn is_secret_member(name: &str, is_known: impl Fn(&str) -> bool, value: &str) -> bool {
    (surely_names_a_secret(name) && is_random(value)) || (names_a_secret(name) && is_known(value))
}

/// The name that ends a text.
fn name_before(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    &text[text.trim_end_matches(is_part).len()..]
}

/// The value behind a separator, without quotes and without the word in front of a key.
fn value_behind(text: &str, at: usize) -> Range<usize> {
    let rest = text[at..].trim_start_matches([' ', '\t', '"', '\'', '\\']);
    let rest = after_scheme(rest);
    let start = text.len() - rest.len();
    start..start + value_length(rest, "")
}

/// How far a value goes: to a space, a quote, or what else parts values from one another.
fn value_length(text: &str, more: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || "\"'`\\<>&,;(){}[]#…".contains(c) || more.contains(c);
    // What stood here before is replaced already.
    if text.starts_with(REDACTED) { REDACTED.len() } else { text.find(ends).unwrap_or(text.len()) }
}

/// A header's value without the word in front of the key.
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

/// The `user:password` of basic authentication.
pub(super) fn basic(value: &str) -> Option<String> {
    let decoded = String::from_utf8(STANDARD.decode(value).ok()?).ok()?;
    decoded.contains(':').then_some(decoded)
}

/// The user info of something that was meant to be a URL. A password with a slash in it makes a bad URL; what stands
/// before the last `@` is taken for user info then.
pub(super) fn user_info(url: &str) -> Option<&str> {
    let rest = split_scheme(url).map_or(url, |(_, rest)| rest);
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let end = authority.rfind('@').or_else(|| {
        let is_whole = url::Url::parse(url).is_ok();
        rest.rfind('@').filter(|_| !is_whole)
    })?;
    Some(&rest[..end]).filter(|info| !info.is_empty())
}

/// The scheme of something that was meant to be a URL, and what stands behind its `://`. What stands in front of a later
/// one, as in `me:password@host?next=https://…`, is no scheme.
pub(in crate::provider) fn split_scheme(url: &str) -> Option<(&str, &str)> {
    url.split_once("://").filter(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    })
}
