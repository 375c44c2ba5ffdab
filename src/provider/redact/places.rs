//! Places of a text where secrets stand: user info and parameters of URLs, values of headers and of members with a secret
//! name. Must not know the secrets; it asks.

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use percent_encoding::percent_decode_str;

use super::look::{REDACTED, is_random, names_a_secret, names_a_secret_parameter, surely_names_a_secret};

/// What may stand between a header's name and its key.
const SCHEMES: [&str; 5] = ["bearer ", "basic ", "token ", "apikey ", "api-key "];

/// Finds the secrets that stand where secrets stand. `is_known` says whether a value is a known one; a longer one than
/// `longest` is not.
pub(super) fn find(text: &str, longest: usize, is_known: impl Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    // Each letter of a value may be written as three, and a sentence may end behind it.
    let longest = longest * 3 + "...".len();
    let is_known = |value: &str| value.len() <= longest && is_written(value, &is_known);
    for (at, _) in text.match_indices("://") {
        let start = at + "://".len();
        let authority = &text[start..start + value_length(&text[start..], "/?#")];
        found.extend(authority.rfind('@').filter(|end| *end > 0).map(|end| start..start + end));
    }
    let mut values = Values::new(text);
    for (at, separator) in text.match_indices([':', '=']) {
        let value = values.behind(at + 1);
        let value_text = &text[value.clone()];
        if value_text.is_empty() || REDACTED.starts_with(value_text) {
            continue;
        }
        let is_random = values.is_random(&value);
        let name = name_before(&text[..at]);
        let before = &text[..at - name.len()];
        let is_parameter = separator == "=" && (before.ends_with(['?', '&']) || before.ends_with("&amp;"));
        // AWS's, in the header of a request.
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
            "basic " => basic(bare).is_some(),
            _ => false,
        };
        if shows || is_known(bare) {
            found.push(value);
        }
    }
}

/// Whether a value stands for a known one.
fn is_written(value: &str, is_known: impl Fn(&str) -> bool) -> bool {
    // At the end of a sentence there is a full stop that is not the key's.
    let bare = value.trim_end_matches(['.', '!', '?']);
    [value, bare, &*percent_decode_str(value).decode_utf8_lossy()].into_iter().any(is_known)
}

/// The values of a text, asked for from its beginning to its end. Each letter is looked at once, though every colon of
/// `::::` has all that follow it for its value: the text may be a server's, and made to keep us busy.
struct Values<'a> {
    text: &'a str,
    /// Where nothing ends a value.
    open: Range<usize>,
    /// Up to where runs were looked at.
    seen: usize,
    /// The last long run of letters and digits that was found.
    random: Option<usize>,
}

impl<'a> Values<'a> {
    fn new(text: &'a str) -> Self {
        Values { text, open: 0..0, seen: 0, random: None }
    }

    /// The value behind a separator, without quotes and without the word in front of a key.
    fn behind(&mut self, at: usize) -> Range<usize> {
        let rest = self.text[at..].trim_start_matches([' ', '\t', '"', '\'', '\\']);
        let rest = after_scheme(rest);
        let start = self.text.len() - rest.len();
        if rest.starts_with(REDACTED) {
            return start..start + REDACTED.len();
        }
        if !self.open.contains(&start) {
            self.open = start..start + value_length(rest, "");
        }
        start..self.open.end
    }

    /// What `look::is_random` says of the value. A value begins where a run does.
    fn is_random(&mut self, value: &Range<usize>) -> bool {
        self.seen = self.seen.max(value.start);
        while self.random.is_none_or(|random| random < value.start) && self.seen < value.end {
            let rest = &self.text[self.seen..value.end];
            let run = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            if is_random(&rest[..run]) {
                self.random = Some(self.seen);
            }
            self.seen += run + rest[run..].chars().next().map_or(0, char::len_utf8);
        }
        self.random.is_some_and(|random| value.contains(&random))
    }
}

/// Whether the name at the end of a text says that the value behind it is secret, and it is none of the words that follow
/// such a name in a sentence.
fn is_named(before: &str, is_random: bool, is_known: bool) -> bool {
    let name = || name_before(before.trim_end().trim_end_matches(['"', '\'', '\\']));
    (is_random || is_known) && is_secret_member(name(), is_random, is_known)
}

/// Whether a value of this name is a secret.
pub(super) fn is_secret_member(name: &str, is_random: bool, is_known: bool) -> bool {
    (is_random && surely_names_a_secret(name)) || (is_known && names_a_secret(name))
}

/// The name that ends a text.
fn name_before(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    &text[text.trim_end_matches(is_part).len()..]
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
