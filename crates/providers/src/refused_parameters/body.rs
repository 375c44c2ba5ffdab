//! Finds and removes parameters in a request's body.

use serde_json::{Map, Value};

/// Parameters that define the request; they and everything inside them are never removed.
const ESSENTIAL: [&str; 12] = [
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "systemInstruction",
    "instructions",
    "tools",
    "toolConfig",
    "stream",
    "prompt",
    "anthropic_version",
];

/// Parameters that are removed as a whole.
const INDIVISIBLE: [&str; 8] = [
    "thinking",
    "stream_options",
    "tool_choice",
    "response_format",
    "output_format",
    "format",
    "textFormat",
    "reasoningConfig",
];

const GEMINI_FORMAT_KEYS: [&str; 3] = ["responseMimeType", "responseSchema", "responseJsonSchema"];

const MAX_DEPTH: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParameterLocation {
    Path(Vec<String>),
    CacheMarks(&'static str),
    Strict,
}

impl ParameterLocation {
    pub(super) fn find(named: &[String], body: &Value) -> Option<ParameterLocation> {
        let body = body.as_object()?;
        if let Some(mark) = ["cache_control", "cachePoint"].into_iter().find(|mark| named.iter().any(|key| key == mark))
        {
            return Some(ParameterLocation::CacheMarks(mark)).filter(|location| location.is_in(body));
        }
        let first = named.first()?;
        if normalized_name(first) == "tools" && named.iter().any(|key| key == "strict") {
            return Some(ParameterLocation::Strict).filter(|location| location.is_in(body));
        }
        // A full path starts at the top; a bare name may be nested.
        let path = walk(named, body).or_else(|| search(named, body, MAX_DEPTH))?;
        (!ESSENTIAL.contains(&path[0].as_str())).then(|| ParameterLocation::Path(extended(path)))
    }

    fn is_in(&self, body: &Map<String, Value>) -> bool {
        self.remove(&mut Value::Object(body.clone()))
    }

    pub(super) fn name(&self) -> &str {
        match self {
            ParameterLocation::Path(path) => path.last().map(String::as_str).unwrap_or_default(),
            ParameterLocation::CacheMarks(mark) => mark,
            ParameterLocation::Strict => "strict",
        }
    }

    pub(super) fn shown(&self) -> String {
        match self {
            ParameterLocation::Path(path) if path.len() > 1 && self.name() == "effort" => path.join("."),
            _ => self.name().to_owned(),
        }
    }

    pub(super) fn is_output_format(&self) -> bool {
        let name = self.name();
        GEMINI_FORMAT_KEYS.contains(&name)
            || matches!(name, "response_format" | "output_format" | "format" | "textFormat")
    }

    pub(super) fn can_be_renamed_to(&self, name: &str) -> bool {
        matches!(self, ParameterLocation::Path(path) if path.len() == 1 && path[0] != name && !ESSENTIAL.contains(&name))
    }

    pub(super) fn value<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        match self {
            ParameterLocation::Path(path) => path.iter().try_fold(body, |value, key| value.get(key)),
            ParameterLocation::CacheMarks(_) | ParameterLocation::Strict => None,
        }
    }

    pub(super) fn rename(&self, body: &mut Value, name: &str) -> bool {
        let Some(map) = body.as_object_mut() else { return false };
        let Some(value) = map.shift_remove(self.name()) else { return false };
        map.entry(name).or_insert(value);
        true
    }

    pub(super) fn remove(&self, body: &mut Value) -> bool {
        match self {
            ParameterLocation::CacheMarks(mark) => {
                let Some(body) = body.as_object_mut() else { return false };
                let essential = body.iter_mut().filter(|(key, _)| ESSENTIAL.contains(&key.as_str()));
                essential.fold(false, |any, (_, value)| remove_marks(value, mark) | any)
            }
            ParameterLocation::Strict => remove_strict(body),
            ParameterLocation::Path(path) => {
                let Some((last, parents)) = path.split_last() else { return false };
                let removed = remove_at(body, parents, last);
                if GEMINI_FORMAT_KEYS.contains(&last.as_str()) {
                    GEMINI_FORMAT_KEYS.iter().for_each(|key| _ = remove_at(body, parents, key));
                }
                removed
            }
        }
    }
}

fn remove_at(value: &mut Value, parents: &[String], key: &str) -> bool {
    let Some(map) = value.as_object_mut() else { return false };
    let Some((next, rest)) = parents.split_first() else { return map.shift_remove(key).is_some() };
    let Some(inner) = map.get_mut(next) else { return false };
    let removed = remove_at(inner, rest, key);
    if removed && inner.as_object().is_some_and(Map::is_empty) {
        map.shift_remove(next);
    }
    removed
}

/// Removes marks of a cache; other keys with the same name, such as a tool's parameter, stay.
fn remove_marks(value: &mut Value, mark: &str) -> bool {
    match value {
        Value::Array(items) => {
            let before = items.len();
            items.retain(|item| !item.as_object().is_some_and(|map| map.len() == 1 && is_mark(map, mark)));
            let fewer = items.len() < before;
            items.iter_mut().fold(fewer, |any, item| remove_marks(item, mark) | any)
        }
        Value::Object(map) => {
            let own = is_mark(map, mark) && map.shift_remove(mark).is_some();
            map.values_mut().fold(own, |any, value| remove_marks(value, mark) | any)
        }
        _ => false,
    }
}

fn is_mark(map: &Map<String, Value>, mark: &str) -> bool {
    let kind = map.get(mark).and_then(|value| value.get("type")).and_then(Value::as_str);
    matches!(kind, Some("ephemeral" | "default"))
}

fn remove_strict(body: &mut Value) -> bool {
    let tools = body.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten();
    tools.filter_map(Value::as_object_mut).fold(false, |any, tool| {
        let inner = tool.get_mut("function").and_then(Value::as_object_mut);
        let inner = inner.is_some_and(|function| function.shift_remove("strict").is_some());
        tool.shift_remove("strict").is_some() | inner | any
    })
}

fn walk(named: &[String], body: &Map<String, Value>) -> Option<Vec<String>> {
    let (mut path, mut map) = (Vec::new(), Some(body));
    for name in named {
        let Some(here) = map else { break };
        let Some((key, value)) = here.iter().find(|(key, _)| normalized_name(key) == normalized_name(name)) else {
            break;
        };
        path.push(key.clone());
        map = value.as_object();
    }
    (!path.is_empty()).then_some(path)
}

fn search(named: &[String], body: &Map<String, Value>, depth: usize) -> Option<Vec<String>> {
    let depth = depth.checked_sub(1)?;
    for (key, value) in body.iter().filter(|(key, _)| !ESSENTIAL.contains(&key.as_str())) {
        let Some(inner) = value.as_object() else { continue };
        if let Some(mut path) = walk(named, inner).or_else(|| search(named, inner, depth)) {
            path.insert(0, key.clone());
            return Some(path);
        }
    }
    None
}

/// Extends the path to the part that must be removed as a whole.
fn extended(mut path: Vec<String>) -> Vec<String> {
    if let Some(whole) = path.iter().position(|key| INDIVISIBLE.contains(&key.as_str())) {
        path.truncate(whole + 1);
    }
    if path.len() > 1 && path.last().is_some_and(|key| key == "type") {
        path.pop();
    }
    path
}

pub(super) fn normalized_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).collect::<String>().to_ascii_lowercase()
}
