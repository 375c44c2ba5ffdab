//! Any field of a request: `body`, `headers` and `query` of `providerOptions.<provider>` (docs/reference/requests.md).

use serde_json::{Map, Value};
use url::Url;

use super::{redact::Redactor, wire::EncodedRequest};
use lmthing_base::chat::{CallSettings, OWN_FIELDS};

/// The fields of one provider.
#[derive(Debug, Default)]
pub struct OwnFields {
    body: Map<String, Value>,
    query: Map<String, Value>,
}

impl OwnFields {
    /// Takes the fields of a provider, which may have several names, out of the settings; those of others are dropped.
    /// Its headers join the other headers.
    pub fn take(provider: &[&str], settings: &mut CallSettings) -> Self {
        let mut own = [Map::new(), Map::new(), Map::new()];
        for (name, options) in &mut settings.provider_options {
            let Value::Object(options) = options else { continue };
            for (place, field) in own.iter_mut().zip(OWN_FIELDS) {
                if let (Some(Value::Object(given)), true) =
                    (options.shift_remove(field), provider.contains(&name.as_str()))
                {
                    *place = given;
                }
            }
        }
        let [body, headers, query] = own;
        settings.headers.extend(texts(&headers).filter_map(|(name, value)| Some((name, value?))));
        OwnFields { body, query }
    }

    /// The names of the fields that are set and are not among the headers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let fields = [("body", !self.body.is_empty()), ("query", !self.query.is_empty())];
        fields.into_iter().filter_map(|(name, is_set)| is_set.then_some(name))
    }

    /// Merges the author's body. Merging it again changes nothing.
    pub(super) fn put_body(&self, encoded: &mut EncodedRequest) {
        if let Value::Object(body) = &mut encoded.body {
            merge(body, self.body.clone());
        }
    }

    /// Sets parameters of the whole address, which may have some of the base URL.
    pub(super) fn put_query(&self, url: &mut Url) {
        for (name, value) in texts(&self.query) {
            set_parameter(url, &name, value.as_deref());
        }
    }

    /// The path of an endpoint with its query, and the parameters with secrets, which are not in that.
    pub(super) fn with_query(&self, path: &str, redactor: &Redactor) -> (String, Vec<(String, String)>) {
        let Ok(mut url) = Url::parse(&format!("http://localhost{path}")) else { return (path.to_owned(), Vec::new()) };
        self.put_query(&mut url);
        let mut secrets: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        secrets.retain(|(name, value)| redactor.is_secret_parameter(name, value));
        secrets.iter().for_each(|(name, _)| set_parameter(&mut url, name, None));
        (url[url::Position::BeforePath..].to_owned(), secrets)
    }
}

/// Numbers and booleans are written as text; `null` removes a field.
fn texts(fields: &Map<String, Value>) -> impl Iterator<Item = (String, Option<String>)> {
    fields.iter().map(|(name, value)| {
        let text = match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        (name.clone(), text)
    })
}

/// Merges objects deep; other values are replaced, and `null` removes a field.
fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (_, Value::Null) => drop(into.shift_remove(&name)),
            (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
            (_, Value::Object(new)) => {
                let mut fresh = Map::new();
                merge(&mut fresh, new);
                into.insert(name, fresh.into());
            }
            (_, value) => drop(into.insert(name, value)),
        }
    }
}

pub(super) fn set_parameter(url: &mut Url, name: &str, value: Option<&str>) {
    let others = url.query_pairs().into_owned().filter(|(known, _)| known != name);
    let own = value.map(|value| (name.to_owned(), value.to_owned()));
    let pairs: Vec<(String, String)> = others.chain(own).collect();
    url.set_query(None);
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use lmthing_base::chat::ProviderOptions;

    #[test]
    fn own_fields_are_merged_last() {
        let options: ProviderOptions = serde_json::from_value(json!({
            "lab": { "body": { "a": { "x": 1, "y": null }, "list": [3], "gone": null }, "query": { "v": 2, "x": null },
                     "headers": { "x-own": "1" }, "user": "me" },
            "openai": { "body": { "b": 1 } },
        }))
        .unwrap();
        let mut settings = CallSettings { provider_options: options, ..CallSettings::default() };
        let own = OwnFields::take(&["lab"], &mut settings);
        assert_eq!(settings.provider_options["lab"], json!({ "user": "me" }));
        assert_eq!(settings.headers["x-own"], "1");
        let body = json!({ "a": { "y": 2, "z": 3 }, "list": [1, 2], "gone": 1 });
        let mut encoded = EncodedRequest { path: "/chat".into(), headers: Vec::new(), body, warnings: Vec::new() };
        own.put_body(&mut encoded);
        assert_eq!(encoded.body, json!({ "a": { "z": 3, "x": 1 }, "list": [3] }));
        let mut url = Url::parse("http://h/chat?v=1&w=1&x=1").unwrap();
        own.put_query(&mut url);
        assert_eq!(url.as_str(), "http://h/chat?w=1&v=2");
    }
}
