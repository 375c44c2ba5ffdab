//! Schemas of tools in the dialect of each service. Arguments are validated by the author's schema, so a dialect may
//! say less.

mod dialect;
mod flatten;
mod references;
mod rewrite;

use serde_json::{Map, Value};

pub(super) use dialect::{ANTHROPIC, Dialect, GEMINI, NOVA, OPENAI};
use rewrite::Rewriter;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adapted {
    pub schema: Value,
    /// Whether alternatives of the whole could not be expressed.
    pub is_lossy: bool,
}

/// The schema of a tool's arguments, which is an object for every service.
pub(super) fn adapted(schema: &Value, dialect: &Dialect) -> Adapted {
    let (flat, is_lossy) = flatten::flattened(schema, schema);
    let mut adapted = Rewriter::new(dialect, schema).rewrite(&flat);
    if let Value::Object(keywords) = &mut adapted {
        complete_object(keywords, dialect);
        if let Some(top) = dialect.top_keywords {
            keywords.retain(|keyword, _| top.contains(&keyword.as_str()));
        }
    }
    Adapted { schema: adapted, is_lossy }
}

/// Any part of a schema, such as that of an answer.
pub(super) fn rewritten(schema: &Value, dialect: &Dialect) -> Value {
    Rewriter::new(dialect, schema).rewrite(schema)
}

/// The description and the schema. What the schema cannot say is added to the description.
pub(super) fn described(description: &str, schema: &Value, dialect: &Dialect) -> (String, Value) {
    /// A longer schema would cost more than it helps.
    const LONGEST: usize = 8_000;
    let adapted = adapted(schema, dialect);
    let whole = adapted.is_lossy.then(|| schema.to_string()).filter(|text| text.len() <= LONGEST);
    let added = whole.map(|text| format!("The arguments must match this JSON Schema: {text}"));
    let parts = [Some(description.to_owned()).filter(|text| !text.is_empty()), added];
    (parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"), adapted.schema)
}

fn complete_object(keywords: &mut Map<String, Value>, dialect: &Dialect) {
    let is_object = match keywords.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    if !is_object {
        return;
    }
    keywords.insert("type".into(), "object".into());
    if dialect.needs_members {
        keywords.entry("properties").or_insert_with(|| Map::new().into());
    }
}

#[cfg(test)]
mod tests;
