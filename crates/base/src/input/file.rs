//! Files in the JSON of an input: embedded resources, as in MCP (docs/reference/input.md#files).

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// Padding is optional.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is escaped in the address of a file.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// How a file is written in JSON, for messages.
pub(super) const FORM: &str = "{type: 'resource', resource: {uri, mimeType?, blob | text}}";

/// The content of an embedded resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputFile {
    pub name: String,
    /// Empty if it is not stated.
    pub media_type: String,
    pub bytes: Vec<u8>,
    /// Milliseconds since 1970.
    pub last_modified: Option<i64>,
}

impl InputFile {
    /// `None` if the value is no resource with a content.
    pub fn read(value: &Value) -> Option<Self> {
        let resource = resource(value)?;
        let text = |key: &str| resource.get(key).and_then(Value::as_str);
        let bytes = match (text("blob"), text("text")) {
            // Programs break long lines.
            (Some(blob), _) if blob.contains(['\n', '\r', ' ']) => {
                BASE64.decode(blob.replace(['\n', '\r', ' '], "")).ok()?
            }
            (Some(blob), _) => BASE64.decode(blob).ok()?,
            (None, text) => text?.as_bytes().to_vec(),
        };
        Some(InputFile {
            name: name(text("uri")?),
            media_type: text("mimeType").unwrap_or_default().to_owned(),
            bytes,
            last_modified: resource.get("_meta").and_then(|meta| meta.get("lastModified")).and_then(Value::as_i64),
        })
    }

    pub fn to_json(&self) -> Value {
        let uri = utf8_percent_encode(&self.name, NAME).to_string();
        let mut resource = json!({ "uri": uri });
        if !self.media_type.is_empty() {
            resource["mimeType"] = self.media_type.as_str().into();
        }
        resource["blob"] = STANDARD.encode(&self.bytes).into();
        if let Some(time) = self.last_modified {
            resource["_meta"] = json!({ "lastModified": time });
        }
        json!({ "type": "resource", "resource": resource })
    }
}

/// Whether a file in a value has no content that can be read, as one with a secret in a journal.
pub fn has_unreadable_file(value: &Value) -> bool {
    match value {
        value if is_resource(value) => InputFile::read(value).is_none(),
        Value::Array(items) => items.iter().any(has_unreadable_file),
        Value::Object(fields) => fields.values().any(has_unreadable_file),
        _ => false,
    }
}

fn resource(value: &Value) -> Option<&Map<String, Value>> {
    value.get("resource").filter(|_| value.get("type").is_some_and(|kind| kind == "resource"))?.as_object()
}

/// A value for people, in which files are named instead of written out.
pub fn with_short_files(value: &Value) -> Value {
    match value {
        value if is_resource(value) => {
            let file = InputFile::read(value).unwrap_or_default();
            let media_type = if file.media_type.is_empty() { "of no stated type" } else { &file.media_type };
            format!("[file {}, {media_type}, {} bytes]", file.name, file.bytes.len()).into()
        }
        Value::Array(items) => items.iter().map(with_short_files).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), with_short_files(value))).collect(),
        other => other.clone(),
    }
}

/// The last part of an address.
fn name(uri: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let last = if last == path { last.rsplit_once(':').map_or(last, |(_, rest)| rest) } else { last };
    percent_decode_str(last).decode_utf8_lossy().into_owned()
}

pub(super) fn is_resource(value: &Value) -> bool {
    resource(value).is_some_and(|resource| {
        resource.get("uri").is_some_and(Value::is_string)
            && ["blob", "text"].iter().any(|key| resource.get(*key).is_some_and(Value::is_string))
    })
}

/// The JSON Schema of an embedded resource. `declared` may have a description.
pub fn resource_schema(declared: &Map<String, Value>) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let mut schema = json!({
        "type": "object",
        "description": "A file, as an embedded resource with its content in blob or text.",
        "properties": {
            "type": { "const": "resource" },
            "resource": {
                "type": "object",
                "properties": {
                    "uri": text("Its last part is the name of the file. Nothing is read from it."),
                    "mimeType": text("By the content, if it is left out."),
                    "blob": { "type": "string", "contentEncoding": "base64", "description": "The content in base64." },
                    "text": text("The content, if it is text."),
                },
                "required": ["uri"],
            },
        },
        "required": ["type", "resource"],
    });
    if let Some(description) = declared.get("description") {
        schema["description"] = description.clone();
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_has_a_name_and_a_content() {
        let read = |resource: Value| InputFile::read(&json!({ "type": "resource", "resource": resource }));
        let file = read(json!({ "uri": "file:///tmp/a%20b.png?x#y", "blob": "/+8" })).unwrap();
        assert_eq!((file.name.as_str(), file.bytes.as_slice()), ("a b.png", &[255, 239][..]));
        let text = read(json!({ "uri": "notes.md", "mimeType": "text/markdown", "text": "é" })).unwrap();
        assert_eq!((text.media_type.as_str(), text.bytes.as_slice()), ("text/markdown", "é".as_bytes()));
        assert_eq!(InputFile::read(&text.to_json()), Some(text));
        let odd = InputFile { name: "a/ü%: .x".into(), last_modified: Some(5), ..InputFile::default() };
        assert_eq!(InputFile::read(&odd.to_json()), Some(odd));
        for wrong in [json!({ "uri": "/etc/passwd" }), json!({ "uri": "a", "blob": "?" }), json!({ "text": "a" })] {
            assert_eq!(read(wrong), None);
        }
        assert_eq!(InputFile::read(&json!("/etc/passwd")), None);
    }
}
