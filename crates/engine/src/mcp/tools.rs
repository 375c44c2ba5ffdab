//! The tools of a server as data, with problems of invalid ones.

use serde_json::{Value, json};
use thiserror::Error;

use lmthing_base::schema::{TooManyChecks, check_references};

#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    /// As the server names it.
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments, an object.
    pub input_schema: Value,
    /// JSON Schema of the structured result, if known.
    pub output_schema: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolList {
    pub tools: Vec<McpTool>,
    pub problems: Vec<String>,
}

impl ToolList {
    pub(super) fn add(&mut self, tool: &Value) {
        match read(tool) {
            Ok(tool) if self.tools.iter().any(|known| known.name == tool.name) => {
                self.problems.push(format!("it lists the tool {} twice; the first counts", tool.name));
            }
            Ok(tool) => self.tools.push(tool),
            Err(problem) => self.problems.push(problem.0),
        }
    }
}

/// What is wrong with a tool that a server lists, as a sentence.
struct InvalidTool(String);

#[derive(Debug, Error)]
enum NoObjectSchema {
    #[error("it is {0}")]
    NoObject(String),
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    TooManyChecks(#[from] TooManyChecks),
    #[error("its type is {0}")]
    OtherType(String),
}

fn read(tool: &Value) -> Result<McpTool, InvalidTool> {
    let name = tool.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
    let name =
        name.ok_or_else(|| InvalidTool("it lists a tool without a name, which is left out".to_owned()))?.to_owned();
    let left_out = |what: &str, problem: NoObjectSchema| {
        InvalidTool(format!("its tool {name} is left out: the {what} is not a JSON Schema of an object ({problem})"))
    };
    // Such a tool refuses every call of a client without tasks.
    if tool.pointer("/execution/taskSupport").is_some_and(|support| support == "required") {
        let problem = format!("its tool {name} is left out: it runs as a task only, which is not supported");
        return Err(InvalidTool(problem));
    }
    let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
    let input_schema = object_schema(schema).map_err(|problem| left_out("inputSchema", problem))?;
    let output_schema = match tool.get("outputSchema") {
        None | Some(Value::Null) => None,
        Some(schema) => Some(object_schema(schema).map_err(|problem| left_out("outputSchema", problem))?),
    };
    let description = ["description", "title"].iter().find_map(|key| tool.get(key)?.as_str()).unwrap_or_default();
    Ok(McpTool { description: description.to_owned(), input_schema, output_schema, name })
}

/// The schema in the form that providers require: of an object, with an explicit type.
fn object_schema(schema: &Value) -> Result<Value, NoObjectSchema> {
    let Some(keywords) = schema.as_object() else { return Err(NoObjectSchema::NoObject(shortened(schema))) };
    if !jsonschema::meta::is_valid(schema) {
        return Err(NoObjectSchema::Invalid(shortened(schema)));
    }
    // The meta-schema does not check patterns and remote references.
    let text = schema.to_string();
    if ["\"pattern", "$ref", "$dynamicRef", "$recursiveRef"].iter().any(|keyword| text.contains(keyword)) {
        check_references(schema)?;
        jsonschema::validator_for(schema).map_err(|error| NoObjectSchema::Invalid(error.to_string()))?;
    }
    let mut keywords = keywords.clone();
    match keywords.get("type") {
        None => {
            keywords.insert("type".to_owned(), json!("object"));
        }
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(NoObjectSchema::OtherType(kind.to_string())),
    }
    Ok(Value::Object(keywords))
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_tools_are_left_out_and_reported() {
        let mut list = ToolList::default();
        let next = |level: usize| json!({"$ref": format!("#/$defs/d{}", level + 1)});
        let definitions = (0..30).map(|level| (format!("d{level}"), json!({"allOf": [next(level), next(level)]})));
        let definitions: serde_json::Map<_, _> = definitions.chain([("d30".to_owned(), json!({}))]).collect();
        let multiplying = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
        for tool in [
            json!({"name": "good", "description": "d", "inputSchema": {"properties": {"a": {"type": "string"}}}}),
            json!({"name": "good", "inputSchema": {"type": "object"}}),
            json!({"name": "text", "inputSchema": "x"}),
            json!({"name": "none"}),
            json!({"name": "lies", "inputSchema": {"type": "objekt"}}),
            json!({"name": "deep", "inputSchema": {"type": "object", "properties": {"a": {"type": 5}}}}),
            json!({"name": "pattern", "inputSchema": {"properties": {"a": {"pattern": "("}}}}),
            json!({"name": "elsewhere", "inputSchema": {"properties": {"a": {"$ref": "https://a.test/b"}}}}),
            json!({"name": "multiplies", "inputSchema": multiplying}),
            json!({"name": "list", "inputSchema": {"type": "array"}}),
            json!({"name": "task", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}),
            json!({"inputSchema": {"type": "object"}}),
            json!({"name": "out", "inputSchema": {"type": "object"}, "outputSchema": []}),
        ] {
            list.add(&tool);
        }
        assert_eq!(list.tools.len(), 1);
        assert_eq!(list.tools[0].input_schema["type"], "object");
        assert_eq!(list.problems.len(), 12, "{:#?}", list.problems);
        assert!(list.problems[1].contains("its tool text is left out: the inputSchema"), "{}", list.problems[1]);
    }
}
