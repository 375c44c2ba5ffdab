//! Parameters inside a request's body: where they stand, and the body without them.

use serde_json::{Map, Value};

/// What a request is about: without any of it, it would be another request. So are its relatives left alone.
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

/// Parameters that mean something only as a whole.
const WHOLE: [&str; 8] = [
    "thinking",
    "stream_options",
    "tool_choice",
    "response_format",
    "output_format",
    "format",
    "textFormat",
    "reasoningConfig",
];

/// Gemini's three words for the shape of the answer.
const GEMINI_SHAPE: [&str; 3] = ["responseMimeType", "responseSchema", "responseJsonSchema"];

/// Deeper settings are not looked for.
const DEEPEST: usize = 3;

/// Where a parameter stands.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::provider) enum Place {
    /// The keys that lead to it, as they stand in the body.
    Path(Vec<String>),
    /// Marks for a cache, wherever they are.
    CacheMarks(&'static str),
    /// `strict` of every tool.
    Strict,
}

impl Place {
    /// The place of a parameter that a server calls by this path; `None` when it is not in the body, or essential.
    pub(super) fn find(named: &[String], body: &Value) -> Option<Place> {
        let body = body.as_object()?;
        if let Some(mark) = ["cache_control", "cachePoint"].into_iter().find(|mark| named.iter().any(|key| key == mark))
        {
            return Some(Place::CacheMarks(mark)).filter(|place| place.is_in(body));
        }
        let first = named.first()?;
        if folded(first) == "tools" && named.iter().any(|key| key == "strict") {
            return Some(Place::Strict).filter(|place| place.is_in(body));
        }
        // A whole path is meant from the top; a bare name may stand further inside.
        let path = walk(named, body).or_else(|| search(named, body, DEEPEST))?;
        (!ESSENTIAL.contains(&path[0].as_str())).then(|| Place::Path(cut(path)))
    }

    fn is_in(&self, body: &Map<String, Value>) -> bool {
        self.remove(&mut Value::Object(body.clone()))
    }

    /// The parameter's own name.
    pub(super) fn name(&self) -> &str {
        match self {
            Place::Path(path) => path.last().map(String::as_str).unwrap_or_default(),
            Place::CacheMarks(mark) => mark,
            Place::Strict => "strict",
        }
    }

    /// The name with what stands around it, where it says too little by itself.
    pub(super) fn shown(&self) -> String {
        match self {
            Place::Path(path) if path.len() > 1 && self.name() == "effort" => path.join("."),
            _ => self.name().to_owned(),
        }
    }

    /// Whether it says which shape the answer must have.
    pub(super) fn is_answer_shape(&self) -> bool {
        let name = self.name();
        GEMINI_SHAPE.contains(&name) || matches!(name, "response_format" | "output_format" | "format" | "textFormat")
    }

    /// Whether this name could be another one for it: only settings at the top are renamed.
    pub(super) fn can_be_called(&self, name: &str) -> bool {
        matches!(self, Place::Path(path) if path.len() == 1 && path[0] != name && !ESSENTIAL.contains(&name))
    }

    /// The parameter's value.
    pub(super) fn value<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        match self {
            Place::Path(path) => path.iter().try_fold(body, |value, key| value.get(key)),
            Place::CacheMarks(_) | Place::Strict => None,
        }
    }

    pub(super) fn rename(&self, body: &mut Value, name: &str) -> bool {
        let Some(map) = body.as_object_mut() else { return false };
        let Some(value) = map.shift_remove(self.name()) else { return false };
        // What is there under the new name was meant for it.
        map.entry(name).or_insert(value);
        true
    }

    pub(super) fn remove(&self, body: &mut Value) -> bool {
        match self {
            Place::CacheMarks(mark) => {
                let Some(body) = body.as_object_mut() else { return false };
                let essential = body.iter_mut().filter(|(key, _)| ESSENTIAL.contains(&key.as_str()));
                essential.fold(false, |any, (_, value)| remove_marks(value, mark) | any)
            }
            Place::Strict => remove_strict(body),
            Place::Path(path) => {
                let Some((last, parents)) = path.split_last() else { return false };
                let removed = remove_at(body, parents, last);
                if GEMINI_SHAPE.contains(&last.as_str()) {
                    // One of them without the others is refused as well.
                    GEMINI_SHAPE.iter().for_each(|key| _ = remove_at(body, parents, key));
                }
                removed
            }
        }
    }
}

/// Removes a key, and the objects around it that are empty then.
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

/// Removes marks for a cache; what only bears the name, such as a parameter of a tool, is left.
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

/// The keys of the body that a path names, as far as it goes.
fn walk(named: &[String], body: &Map<String, Value>) -> Option<Vec<String>> {
    let (mut path, mut map) = (Vec::new(), Some(body));
    for name in named {
        let Some(here) = map else { break };
        let Some((key, value)) = here.iter().find(|(key, _)| folded(key) == folded(name)) else { break };
        path.push(key.clone());
        map = value.as_object();
    }
    (!path.is_empty()).then_some(path)
}

/// The first place inside the settings where a path can be followed.
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

/// What has to go so that the rest makes sense.
fn cut(mut path: Vec<String>) -> Vec<String> {
    if let Some(whole) = path.iter().position(|key| WHOLE.contains(&key.as_str())) {
        path.truncate(whole + 1);
    }
    if path.len() > 1 && path.last().is_some_and(|key| key == "type") {
        path.pop();
    }
    path
}

/// Names are compared without the differences between `max_tokens` and `maxTokens`.
pub(super) fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).collect::<String>().to_ascii_lowercase()
}
