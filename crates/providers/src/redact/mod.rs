//! Replaces secrets in everything that is shown or stored.
//!
//! - Known secrets that look like keys (`heuristics`) are replaced everywhere: as they are, in hexadecimal, base32,
//!   base64 or double base64 (`encodings`), with percent, JSON, JavaScript or HTML escapes, line breaks or invisible
//!   characters in between (`view`), and as a long prefix or suffix where they were truncated (`needles`).
//! - Known short secrets are replaced in headers and URLs only (`Bearer ollama`, `x-api-key: test`): users set
//!   ordinary words as keys of servers that need none, and replacing those everywhere would garble texts (`contexts`).
//! - User info and secret parameters of URLs, and keys in well-known formats (`formats`), are always replaced, known
//!   or not.
//!
//! A run has one [`Redactor`]. `ProviderContext` and `create` register secrets; [`guard`] applies it to what models
//! return.

mod contexts;
mod cut_files;
mod encodings;
mod formats;
pub(super) mod guard;
mod heuristics;
mod known;
mod needles;
mod parts;
mod view;

use std::{borrow::Cow, cell::RefCell, fmt, ops::Range, rc::Rc};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

pub(super) use contexts::split_scheme;
pub(super) use heuristics::{REDACTED, names_a_secret};
pub(super) use parts::redact_parts;

use contexts::{after_scheme, user_info};
use cut_files::CutFiles;
use known::KnownSecrets;

/// A shorter text contains no secret in a recognizable context.
const MIN_LENGTH: usize = 6;

pub(super) fn address_has_secret(url: &str) -> bool {
    user_info(url).is_some() || secret_parameters(query_of(url)).next().is_some()
}

fn query_of(url: &str) -> &str {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query.split('#').next().unwrap_or_default()
}

fn secret_parameters(query: &str) -> impl Iterator<Item = &str> {
    let parameters = query.split('&').filter_map(|parameter| parameter.split_once('='));
    parameters
        .filter(|(name, value)| heuristics::names_a_secret_parameter(name) || heuristics::is_random(value))
        .map(|(_, value)| value)
}

/// Returns secrets that arise during a run, such as tokens; `None` when the source is gone.
type SecretSource = Box<dyn Fn() -> Option<Vec<String>>>;

/// Replaces the secrets of a run in texts. Clones share the known secrets.
#[derive(Clone, Default)]
pub struct Redactor(Rc<Secrets>);

#[derive(Default)]
struct Secrets {
    known: RefCell<KnownSecrets>,
    sources: RefCell<Vec<SecretSource>>,
}

impl Redactor {
    #[cfg(test)]
    pub(super) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let redactor = Redactor::default();
        secrets.into_iter().for_each(|secret| redactor.learn(&secret));
        redactor
    }

    pub fn of_variables<'a>(variables: impl IntoIterator<Item = (&'a String, &'a String)>) -> Self {
        let redactor = Redactor::default();
        variables.into_iter().for_each(|(name, value)| redactor.learn_named(name, value));
        redactor
    }

    pub fn learn(&self, secret: &str) {
        self.0.known.borrow_mut().learn(secret);
    }

    pub fn learn_named(&self, name: &str, value: &str) {
        if names_a_secret(name) {
            self.learn(value);
        }
        if value.contains("://") || heuristics::names_a_url(name) {
            self.learn_url(value);
        }
    }

    /// Registers a header's value if it looks secret: the names of custom headers need not show it.
    pub(super) fn learn_header(&self, name: &str, value: &str) {
        if !names_a_secret(name) && !heuristics::is_random(value) {
            return;
        }
        let bare = after_scheme(value);
        self.learn(value);
        self.learn(bare);
        if let Some(pair) = contexts::basic_credentials(bare) {
            self.learn_pair(&pair);
        }
    }

    pub(super) fn learn_url(&self, url: &str) {
        if let Some(pair) = user_info(url) {
            self.learn_pair(pair);
            self.learn_pair(&percent_decode_str(pair).decode_utf8_lossy());
        }
        self.learn_query(query_of(url));
    }

    pub(super) fn learn_query(&self, query: &str) {
        for value in secret_parameters(query) {
            self.learn(value);
            self.learn(&percent_decode_str(value).decode_utf8_lossy());
        }
    }

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

    /// Registers the current secrets of `source` before every search.
    pub(super) fn watch(&self, source: impl Fn() -> Option<Vec<String>> + 'static) {
        self.0.sources.borrow_mut().push(Box::new(source));
    }

    /// Registers `user:password` and the password alone. A name without a password is a token.
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

    /// Replaces secrets in every string of a value, regardless of member names.
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

    /// Whether the text is or holds a known secret.
    pub(super) fn has_secret(&self, text: &str) -> bool {
        self.finds(text) || self.0.known.borrow().is_secret(text)
    }

    /// Whether a parameter of an address must not be stored.
    pub(super) fn is_secret_parameter(&self, name: &str, value: &str) -> bool {
        heuristics::names_a_secret_parameter(name) || heuristics::is_random(value) || self.has_secret(value)
    }

    pub fn apply(&self, text: &str) -> String {
        self.redacted(text).into_owned()
    }

    pub fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
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

    /// Whether a text, or the value that it is the JSON of, contains a secret.
    pub fn finds(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    /// Replaces secrets in every string of a value. Names of members count as names of headers.
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

    fn apply_to_names(&self, map: &mut Map<String, Value>) {
        if map.keys().any(|name| !self.find(name).is_empty()) {
            *map = std::mem::take(map).into_iter().map(|(name, value)| (self.apply(&name), value)).collect();
        }
    }

    pub(super) fn apply_named(&self, name: &str, value: &mut String) {
        let bare = after_scheme(value);
        let is_known = self.0.known.borrow().is_secret(bare);
        if contexts::is_secret_member(name, heuristics::is_random(bare), is_known) {
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

    fn find(&self, text: &str) -> Vec<Range<usize>> {
        if text.len() < MIN_LENGTH {
            return Vec::new();
        }
        self.poll_sources();
        let mut known = self.0.known.borrow_mut();
        let mut found = match CutFiles::of(text) {
            None => find_all(&mut known, text),
            Some(cut) => {
                let rest = find_all(&mut known, &cut.text);
                let rest = rest.iter().map(|range| cut.source_range(range));
                known.find_unescaped(text).into_iter().chain(rest).collect()
            }
        };
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

    fn poll_sources(&self) {
        let mut known = self.0.known.borrow_mut();
        self.0.sources.borrow_mut().retain(|source| {
            let secrets = source();
            secrets.iter().flatten().for_each(|secret| known.learn(secret));
            secrets.is_some()
        });
    }
}

fn find_all(known: &mut KnownSecrets, text: &str) -> Vec<Range<usize>> {
    let mut found = known.find_unescaped(text);
    known.find_escaped(text, &mut found);
    contexts::find(text, known.longest(), |value| known.is_secret(value), &mut found);
    formats::find(text, &mut found);
    found
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

#[cfg(test)]
mod tests;
