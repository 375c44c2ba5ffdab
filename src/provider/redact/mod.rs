//! Keeps secrets out of everything that a person sees or a file keeps.
//!
//! Owns: what the secrets of a run are, and where they stand in a text. A secret is replaced
//!
//! - *wherever it stands*, when it is known and has the look of a key (`look`): as it is, in hexadecimal, base32, base64 or
//!   base64 twice (`codings`), in a text with percent escapes, those of JSON, JavaScript and HTML, line ends or letters that
//!   cannot be seen within (`view`), and of a secret that was cut a long beginning or end (`needles`);
//! - *in headers and URLs*, when it is known and short: `Bearer ollama`, `x-api-key: test`. Anywhere else a short word
//!   stays, as people use ordinary words for servers that want no key, and every text would be garbled (`places`);
//! - *always*, known or not, as user info or secret parameter of a URL, or written as keys of well-known services are
//!   (`formats`).
//!
//! One [`Redactor`] serves a run. Whatever makes a model tells it the secrets (`ProviderContext`, `create`), and
//! [`guard`] applies it where errors, warnings and events leave the provider room. Must not know: what a text is for.

mod codings;
mod formats;
pub(super) mod guard;
mod known;
mod look;
mod needles;
mod pieces;
mod places;
mod view;

use std::{borrow::Cow, cell::RefCell, fmt, ops::Range, rc::Rc};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

pub(super) use look::{REDACTED, names_a_secret};
pub(super) use pieces::redact_parts;
pub(super) use places::split_scheme;

use known::Known;
use places::{after_scheme, user_info};

/// Shorter texts hold no secret with anything around it that would show it to be one.
const SHORTEST: usize = 6;

/// Whether an address has a user in it, or a parameter that is a secret.
pub(super) fn address_has_secret(url: &str) -> bool {
    user_info(url).is_some() || secret_parameters(query_of(url)).next().is_some()
}

fn query_of(url: &str) -> &str {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query.split('#').next().unwrap_or_default()
}

/// The values in a query that are secrets.
fn secret_parameters(query: &str) -> impl Iterator<Item = &str> {
    let parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    parameters
        .filter(|(name, value)| look::names_a_secret_parameter(name) || look::is_random(value))
        .map(|(_, value)| value)
}

/// Gives secrets that come into being during a run, such as tokens; `None` when nobody uses them any more.
type Source = Box<dyn Fn() -> Option<Vec<String>>>;

/// Knows the secrets of a run and replaces them in texts. Clones know the same secrets.
#[derive(Clone, Default)]
pub struct Redactor(Rc<Secrets>);

#[derive(Default)]
struct Secrets {
    known: RefCell<Known>,
    sources: RefCell<Vec<Source>>,
}

impl Redactor {
    /// A redactor for these values.
    #[cfg(test)]
    pub(super) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let redactor = Redactor::default();
        secrets.into_iter().for_each(|secret| redactor.learn(&secret));
        redactor
    }

    /// A redactor for the secrets among environment variables.
    pub fn of_variables<'a>(variables: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        let redactor = Redactor::default();
        variables.into_iter().for_each(|(name, value)| redactor.learn_named(name, value));
        redactor
    }

    /// Takes note of a secret.
    pub(crate) fn learn(&self, secret: &str) {
        self.0.known.borrow_mut().learn(secret);
    }

    /// Takes note of a value, if its name says that it is secret, and of the secrets in it, if it is a URL.
    pub fn learn_named(&self, name: &str, value: &str) {
        if names_a_secret(name) {
            self.learn(value);
        }
        if value.contains("://") || look::names_a_place(name) {
            self.learn_url(value);
        }
    }

    /// Takes note of a header's value. Whoever made up a header for a key need not have called it one.
    pub(super) fn learn_header(&self, name: &str, value: &str) {
        if !names_a_secret(name) && !look::is_random(value) {
            return;
        }
        let bare = after_scheme(value);
        // A server may repeat the key without the word in front of it.
        self.learn(value);
        self.learn(bare);
        if let Some(pair) = places::basic(bare) {
            self.learn_pair(&pair);
        }
    }

    /// Takes note of user info and secret parameters of a URL, whether or not the URL is a good one.
    pub(super) fn learn_url(&self, url: &str) {
        if let Some(pair) = user_info(url) {
            self.learn_pair(pair);
            self.learn_pair(&percent_decode_str(pair).decode_utf8_lossy());
        }
        self.learn_query(query_of(url));
    }

    /// Takes note of the secret parameters of a query.
    pub(super) fn learn_query(&self, query: &str) {
        for value in secret_parameters(query) {
            self.learn(value);
            self.learn(&percent_decode_str(value).decode_utf8_lossy());
        }
    }

    /// Takes note of the values that secret names have in a piece of JSON: credentials, options.
    pub(super) fn learn_json(&self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.learn_json(item)),
            Value::Object(map) => map.iter().for_each(|(name, value)| match value {
                Value::String(text) => self.learn_header(name, text),
                value => self.learn_json(value),
            }),
            _ => {}
        }
    }

    /// Takes note of what `source` gives, from now on.
    pub(super) fn watch(&self, source: impl Fn() -> Option<Vec<String>> + 'static) {
        self.0.sources.borrow_mut().push(Box::new(source));
    }

    /// `user:password`, and the password alone; a name alone is a token.
    fn learn_pair(&self, pair: &str) {
        let mut known = self.0.known.borrow_mut();
        match pair.split_once(':') {
            Some((_, password)) => {
                known.learn_pair(pair);
                known.learn(password);
            }
            None => known.learn(pair),
        }
    }

    /// Replaces secrets in every text of a value, whatever its name: data that is shown as it was given.
    pub fn apply_texts(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.apply_in_place(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply_texts(item)),
            Value::Object(map) => {
                self.apply_to_names(map);
                map.values_mut().for_each(|value| self.apply_texts(value));
            }
            _ => {}
        }
    }

    /// The text without secrets.
    pub fn apply(&self, text: &str) -> String {
        self.redacted(text).into_owned()
    }

    /// The same, which most texts are as they stand.
    pub(crate) fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = self.find(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        let mut end = 0;
        for range in found {
            shown.push_str(&text[end..range.start]);
            shown.push_str(REDACTED);
            end = range.end;
        }
        Cow::Owned(shown + &text[end..])
    }

    /// Whether there is a secret in a text, or in the value that it is the JSON of.
    pub fn finds(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    /// Replaces secrets in every text of a value. A member's name tells what its value is, as a header's does.
    pub fn apply_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.apply_in_place(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply_json(item)),
            Value::Object(map) => {
                self.apply_to_names(map);
                for (name, value) in map {
                    match value {
                        Value::String(text) => self.apply_named(name, text),
                        value => self.apply_json(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// Replaces secrets in the names of members.
    fn apply_to_names(&self, map: &mut Map<String, Value>) {
        if map.keys().any(|name| !self.find(name).is_empty()) {
            *map = std::mem::take(map).into_iter().map(|(name, value)| (self.apply(&name), value)).collect();
        }
    }

    /// Replaces secrets in the value of a header, or of anything else that has a name.
    pub(super) fn apply_named(&self, name: &str, value: &mut String) {
        let bare = after_scheme(value);
        let is_known = self.0.known.borrow().is_secret(bare);
        if places::is_secret_member(name, look::is_random(bare), is_known) {
            let scheme = value.len() - bare.len();
            value.replace_range(scheme.., REDACTED);
        }
        self.apply_in_place(value);
    }

    fn apply_in_place(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.redacted(text) {
            *text = clean;
        }
    }

    /// Where secrets stand in a text, in order and without overlap.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        // Most texts of a recording are words such as `type` and `user`.
        if text.len() < SHORTEST {
            return Vec::new();
        }
        self.ask_sources();
        let mut known = self.0.known.borrow_mut();
        let mut found = known.find(text);
        places::find(text, known.longest(), |value| known.is_secret(value), &mut found);
        formats::find(text, &mut found);
        found.sort_by_key(|range| range.start);
        found.dedup_by(|later, earlier| {
            let overlaps = later.start <= earlier.end;
            if overlaps {
                earlier.end = earlier.end.max(later.end);
            }
            overlaps
        });
        found
    }

    fn ask_sources(&self) {
        let mut known = self.0.known.borrow_mut();
        self.0.sources.borrow_mut().retain(|source| {
            let secrets = source();
            secrets.iter().flatten().for_each(|secret| known.learn(secret));
            secrets.is_some()
        });
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

#[cfg(test)]
mod tests;
