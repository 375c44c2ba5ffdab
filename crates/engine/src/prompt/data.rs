//! Structured data in the system prompt: JSON converted to YAML.

use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::{MapAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use thiserror::Error;

use lmthing_base::chat::{JsonError, MAX_JSON_DEPTH, read_json};

/// A value as YAML, with a line feed at the end.
#[derive(Debug, PartialEq, Eq)]
pub struct Data {
    /// The digest of the JSON it was made from, instead of the text, which may be many megabytes; `None` for given
    /// YAML.
    json: Option<Digest>,
    yaml: String,
}

/// A text cannot be converted.
#[derive(Debug, Error)]
pub enum InvalidData {
    #[error("not JSON: {0}")]
    Json(#[from] JsonError),
    #[error("{0}")]
    Yaml(String),
}

impl Data {
    pub fn from_json(json: &str) -> Result<Self, InvalidData> {
        // Streamed from the text: a tree of values would take ten times the memory.
        let yaml = match serde_json::from_str::<&RawValue>(json) {
            Ok(raw) if !may_contain_lone_surrogates(json) => yaml_text(&Json { raw, depth: 0 }),
            _ => {
                let value: serde_json::Value = read_json(json)?;
                yaml_text(&value)
            }
        };
        Ok(Data { json: Some(Digest::of(json)), yaml: yaml? })
    }

    pub fn from_yaml(yaml: String) -> Self {
        Data { json: None, yaml }
    }

    pub fn is_made_of(&self, json: &str) -> bool {
        self.json == Some(Digest::of(json))
    }

    pub fn yaml(&self) -> &str {
        &self.yaml
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digest {
    length: usize,
    hash: u64,
}

impl Digest {
    fn of(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Digest { length: text.len(), hash: hasher.finish() }
    }
}

/// Strings that YAML 1.1 readers would misread (`yes`, `n`, dates) are quoted.
fn yaml_text(value: &impl Serialize) -> Result<String, InvalidData> {
    let mut text = serde_saphyr::to_string(value).map_err(|error| InvalidData::Yaml(error.to_string()))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Unpaired surrogates are written as escapes in JSON and have to be replaced.
fn may_contain_lone_surrogates(json: &str) -> bool {
    json.contains("\\ud") || json.contains("\\uD")
}

/// Parsed one level at a time.
struct Json<'a> {
    raw: &'a RawValue,
    depth: usize,
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.raw.get();
        let wrong = |error: serde_json::Error| S::Error::custom(error);
        let depth = self.depth + 1;
        let is_nested = text.starts_with(['[', '{']);
        if is_nested && depth > MAX_JSON_DEPTH {
            return Err(S::Error::custom(format_args!("not JSON: {}", JsonError::TooDeep)));
        }
        if text.starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(wrong)?;
            let mut list = serializer.serialize_seq(Some(items.len()))?;
            items.into_iter().try_for_each(|raw| list.serialize_element(&Json { raw, depth }))?;
            return list.end();
        }
        if text.starts_with('{') {
            let fields = serde_json::Deserializer::from_str(text).deserialize_map(Fields).map_err(wrong)?;
            let mut map = serializer.serialize_map(Some(fields.len()))?;
            fields.iter().try_for_each(|(key, raw)| map.serialize_entry(key, &Json { raw, depth }))?;
            return map.end();
        }
        let scalar: serde_json::Value = read_json(text).map_err(S::Error::custom)?;
        scalar.serialize(serializer)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            fields.push((key, map.next_value()?));
        }
        Ok(fields)
    }
}

/// Borrowed if the key contains no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streamed_yaml_equals_that_of_a_value() {
        let json = r#"{"a":"yes","b":[],"c":{},"d":[1,2.5,-3,null,true,"x\ny"],"\u00e9":{"k":[{"z":"1"},[]]},"e":12345678901234567890}"#;
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(Data::from_json(json).unwrap().yaml(), yaml_text(&value).unwrap());
        let half = Data::from_json(r#"["\ud800"]"#).unwrap();
        assert_eq!(half.yaml(), yaml_text(&serde_json::json!(["\u{fffd}"])).unwrap());
    }

    #[test]
    fn the_depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Data::from_json(&nested(MAX_JSON_DEPTH)).is_ok());
        for depth in [MAX_JSON_DEPTH + 1, 100_000] {
            let error = Data::from_json(&nested(depth)).unwrap_err();
            assert!(error.to_string().contains("not JSON: nested deeper than 127 levels"), "{error}");
        }
    }

    #[test]
    fn ambiguous_strings_are_quoted() {
        let yaml = yaml_text(&serde_json::json!({ "a": "yes", "b": "1", "c": [1, "x"], "d": {} })).unwrap();
        for line in yaml.lines().filter(|line| line.starts_with("a:") || line.starts_with("b:")) {
            assert!(line.contains(['"', '\'']), "{line}");
        }
        assert!(yaml.ends_with('\n'));
    }
}
