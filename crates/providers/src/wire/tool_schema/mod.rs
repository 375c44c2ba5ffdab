//! Schemas of tools in the dialect of each service. Arguments are validated by the author's schema, so a dialect may
//! say less.

mod flatten;
mod references;
mod rewrite;

use serde_json::{Map, Value};

use rewrite::Rewriter;

/// What a service does not accept in the schema of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// Whether references are replaced by what they refer to, and recursive ones cut.
    pub inlines_references: bool,
    /// Whether `allOf` is replaced everywhere, not only at the top.
    pub merges_all_of: bool,
    /// Whether an array needs `items`, and an object at the top `properties`.
    pub needs_members: bool,
    /// The keywords that are sent; `None` for all.
    pub keywords: Option<&'static [&'static str]>,
    /// The keywords that are sent at the top; `None` for all.
    pub top_keywords: Option<&'static [&'static str]>,
}

/// OpenAI's services, and those that copy their interface.
pub(super) const OPENAI: Dialect = Dialect {
    inlines_references: false,
    merges_all_of: false,
    needs_members: true,
    keywords: None,
    top_keywords: None,
};

pub(super) const ANTHROPIC: Dialect = Dialect { needs_members: false, ..OPENAI };

/// Amazon's own models read only these keywords of the whole.
pub(super) const NOVA: Dialect =
    Dialect { inlines_references: true, top_keywords: Some(&["type", "properties", "required"]), ..OPENAI };

/// `parametersJsonSchema` and `responseJsonSchema` of Gemini.
pub(super) const GEMINI: Dialect = Dialect {
    inlines_references: true,
    merges_all_of: true,
    needs_members: true,
    keywords: Some(&[
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "properties",
        "additionalProperties",
        "required",
    ]),
    top_keywords: None,
};

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
