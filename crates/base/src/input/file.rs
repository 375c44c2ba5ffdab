//! Files in the JSON of an input: embedded resources, as in MCP (docs/reference/input.md#files). In the rows of a map
//! they are references, so that a row takes no more memory than its path.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::{command_line::UnreadableText, kind::ValueKind, problem::InputProblem, property::Declaration};

/// The key of a reference; its value is the path as it stands in the row.
const REFERENCE: &str = "lmthing:file";

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

impl Declaration {
    /// Whether any part of the input is a file.
    pub fn takes_files(&self) -> bool {
        self.fields.properties.iter().any(|property| property.kind.has_file())
            || self.fields.others.as_ref().is_some_and(|kind| kind.has_file())
    }

    /// Replaces the paths of files in a row by references with the hash of their content.
    pub fn refer_files(
        &self,
        row: &mut Map<String, Value>,
        hash: &dyn Fn(&str) -> Result<String, UnreadableText>,
    ) -> Result<(), InputProblem> {
        for (key, value) in row {
            let kind = self.fields.kind_of(key);
            refer(value, kind, key, hash)?;
        }
        Ok(())
    }
}

fn refer(
    value: &mut Value,
    kind: &ValueKind,
    place: &str,
    hash: &dyn Fn(&str) -> Result<String, UnreadableText>,
) -> Result<(), InputProblem> {
    match value {
        Value::String(text) if kind.takes_file() => {
            let is_file_only = matches!(kind.inner(), ValueKind::File);
            let path = match text.strip_prefix('@') {
                Some(path) => path,
                None if is_file_only => text,
                None => return Ok(()),
            };
            let hash =
                hash(path).map_err(|why| InputProblem::new(format!("{place}: cannot read the file {path}: {why}")))?;
            *value = json!({ REFERENCE: text, "sha256": hash });
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| refer(item, kind.item(), place, hash)),
        Value::Object(fields) if !is_file_like(fields) => {
            fields.iter_mut().try_for_each(|(key, value)| refer(value, kind.field(key), place, hash))
        }
        _ => Ok(()),
    }
}

fn is_file_like(fields: &Map<String, Value>) -> bool {
    fields.contains_key(REFERENCE) || fields.get("type").is_some_and(|kind| kind == "resource")
}

/// Replaces references by what `load` gives for their paths.
pub fn load_references<E>(value: &mut Value, load: &mut dyn FnMut(&str) -> Result<Value, E>) -> Result<(), E> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| load_references(item, load)),
        Value::Object(fields) => match fields.get(REFERENCE).and_then(Value::as_str) {
            Some(path) => {
                *value = load(path.strip_prefix('@').unwrap_or(path))?;
                Ok(())
            }
            None => fields.values_mut().try_for_each(|field| load_references(field, load)),
        },
        _ => Ok(()),
    }
}

/// Replaces references by their paths. Returns their hashes by JSON pointer, for [`put_references`].
pub fn take_references(input: &mut Map<String, Value>) -> Map<String, Value> {
    let mut hashes = Map::new();
    for (key, value) in input {
        take(value, &format!("/{}", escaped(key)), &mut hashes);
    }
    hashes
}

fn take(value: &mut Value, pointer: &str, hashes: &mut Map<String, Value>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                take(item, &format!("{pointer}/{index}"), hashes);
            }
        }
        Value::Object(fields) => match (fields.get(REFERENCE).cloned(), fields.get("sha256").cloned()) {
            (Some(path), Some(hash)) => {
                hashes.insert(pointer.to_owned(), hash);
                *value = path;
            }
            _ => {
                for (key, field) in fields {
                    take(field, &format!("{pointer}/{}", escaped(key)), hashes);
                }
            }
        },
        _ => {}
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Makes references of paths again.
pub fn put_references(input: Map<String, Value>, hashes: &Map<String, Value>) -> Map<String, Value> {
    if hashes.is_empty() {
        return input;
    }
    let mut input = Value::Object(input);
    for (pointer, hash) in hashes {
        if let Some(place) = input.pointer_mut(pointer) {
            *place = json!({ REFERENCE: place.take(), "sha256": hash });
        }
    }
    match input {
        Value::Object(input) => input,
        _ => Map::new(),
    }
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

    #[test]
    fn references_become_paths_and_are_found_again() {
        let file = json!({ "tsType": "File" });
        let schema = json!({ "type": "object", "properties": {
            "one": file, "all": { "type": "array", "items": file }, "in": { "type": "object", "properties": { "a/b": file } },
            "either": { "anyOf": [file, { "type": "string" }] }, "name": { "type": "string" } } });
        let declaration = Declaration::new(Some(&schema), None).unwrap();
        let written =
            json!({ "one": "a.png", "all": ["@b.png", "c"], "in": { "a/b": "d" }, "either": "e", "name": "@f" });
        let mut row = written.as_object().cloned().unwrap();
        declaration.refer_files(&mut row, &|path| Ok(format!("hash of {path}"))).unwrap();
        assert_eq!(row["all"][0], json!({ REFERENCE: "@b.png", "sha256": "hash of b.png" }));
        let mut shown = row.clone();
        let hashes = take_references(&mut shown);
        assert_eq!((Value::Object(shown.clone()), hashes.len()), (written, 4));
        assert_eq!(put_references(shown, &hashes), row);
        let mut loaded = Value::Object(row);
        load_references(&mut loaded, &mut |path| Ok::<_, ()>(json!({ "content of": path }))).unwrap();
        assert_eq!(loaded["in"], json!({ "a/b": { "content of": "d" } }));
        let missing = declaration.refer_files(loaded.as_object_mut().unwrap(), &|_| Err(UnreadableText("gone".into())));
        assert_eq!(missing, Ok(()));
        let mut row = Map::from_iter([("one".to_owned(), json!("a"))]);
        let missing = declaration.refer_files(&mut row, &|_| Err(UnreadableText("gone".into()))).unwrap_err();
        assert_eq!(missing.message(), "one: cannot read the file a: gone");
    }
}
