//! Validates values against JSON Schema, with messages in the style of zod (`path: problem`), so that a model reads the same
//! messages for every kind of schema (docs/reference/schemas.md).

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;
use thiserror::Error;

use super::references::{TooManyChecks, check_references};

const MAX_PROBLEMS: usize = 20;

const MAX_COMPILED: usize = 64;

thread_local! {
    /// Validators by the text of their schema.
    static COMPILED: RefCell<HashMap<String, Rc<Validator>>> = RefCell::default();
}

/// The kinds of problems that code tells apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProblemKind {
    /// A required property is missing.
    Missing,
    /// An object has properties that its schema does not allow.
    UnknownKeys,
    #[default]
    Other,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationProblem {
    pub kind: ProblemKind,
    /// The path in JavaScript notation: `items[0].sku`; empty for the value itself.
    pub path: String,
    /// The same path as a list of names.
    pub keys: Vec<String>,
    /// For example `Invalid input: expected number, received string`.
    pub message: String,
}

impl std::fmt::Display for ValidationProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.path, self.message)
        }
    }
}

/// All problems in one line, separated by `; `.
pub fn describe_problems(problems: &[ValidationProblem]) -> String {
    problems.iter().map(ValidationProblem::to_string).collect::<Vec<_>>().join("; ")
}

/// Why a schema cannot be compiled.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InvalidSchema {
    #[error("not a usable JSON Schema: {0}")]
    TooManyChecks(#[from] TooManyChecks),
    #[error("not a valid JSON Schema: {0}")]
    Invalid(String),
}

#[derive(Debug)]
pub struct Validator(jsonschema::Validator);

impl Validator {
    /// Compiles `schema`, by the draft in `$schema` or else the newest one. Remote references are not fetched and are an error.
    pub fn new(schema: &Value) -> Result<Self, InvalidSchema> {
        check_references(schema)?;
        match jsonschema::validator_for(schema) {
            Ok(validator) => Ok(Self(validator)),
            Err(error) => Err(InvalidSchema::Invalid(error.to_string())),
        }
    }

    /// As [`Validator::new`], but compiles equal schemas once a thread: a prompt function makes its schemas again on every step,
    /// and in every row of a map.
    pub fn compiled(schema: &Value) -> Result<Rc<Self>, InvalidSchema> {
        let text = schema.to_string();
        if let Some(known) = COMPILED.with_borrow(|compiled| compiled.get(&text).cloned()) {
            return Ok(known);
        }
        let validator = Rc::new(Self::new(schema)?);
        COMPILED.with_borrow_mut(|compiled| {
            if compiled.len() == MAX_COMPILED {
                compiled.clear();
            }
            compiled.insert(text, validator.clone());
        });
        Ok(validator)
    }

    pub fn accepts(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Checks `value` and returns the first [`MAX_PROBLEMS`] problems, in the order of the schema.
    pub fn validate(&self, value: &Value) -> Result<(), Vec<ValidationProblem>> {
        let mut problems = Vec::new();
        // A list with a thousand wrong items would fill the model's context with one mistake.
        for error in self.0.iter_errors(value).take(MAX_PROBLEMS) {
            collect(&error, value, &mut problems);
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

fn collect(error: &jsonschema::ValidationError<'_>, root: &Value, problems: &mut Vec<ValidationProblem>) {
    let pointer = error.instance_path().to_string();
    let mut path = readable_path(&pointer, root);
    let mut keys: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
    let message = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            // The library reports the object; the missing property is more useful.
            path = join_property(&path, name);
            keys.push(name.to_owned());
            "Required: the property is missing".to_owned()
        }
        kind => message(kind, error.instance()).unwrap_or_else(|| error.to_string()),
    };
    problems.push(ValidationProblem { kind: problem_kind(error.kind()), path, keys, message });
}

fn problem_kind(kind: &ValidationErrorKind) -> ProblemKind {
    match kind {
        ValidationErrorKind::Required { .. } => ProblemKind::Missing,
        ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::UnevaluatedProperties { .. } => {
            ProblemKind::UnknownKeys
        }
        _ => ProblemKind::Other,
    }
}

fn message(kind: &ValidationErrorKind, instance: &Value) -> Option<String> {
    let received = json_type(instance);
    Some(match kind {
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(expected) => expected.to_string(),
                TypeKind::Multiple(expected) => {
                    expected.iter().map(|expected| expected.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            format!("Invalid input: expected {expected}, received {received}")
        }
        ValidationErrorKind::Constant { expected_value } => format!("Invalid input: expected {expected_value}"),
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let options: Vec<String> = options.iter().map(Value::to_string).collect();
            format!("Invalid option: expected one of {}", options.join("|"))
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| format!("{name:?}")).collect();
            format!("Unrecognized key{}: {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
        }
        // The errors of each form would be long, and mostly about forms that were not meant.
        ValidationErrorKind::AnyOf { .. }
        | ValidationErrorKind::OneOfNotValid { .. }
        | ValidationErrorKind::OneOfMultipleValid { .. } => {
            format!("Invalid input: the {received} fits none of the allowed forms")
        }
        ValidationErrorKind::Minimum { limit } => format!("Too small: expected number to be >={limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("Too small: expected number to be >{limit}"),
        ValidationErrorKind::Maximum { limit } => format!("Too big: expected number to be <={limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("Too big: expected number to be <{limit}"),
        ValidationErrorKind::MinLength { limit } => format!("Too small: expected string to have >={limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("Too big: expected string to have <={limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("Too small: expected array to have >={limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("Too big: expected array to have <={limit} items"),
        ValidationErrorKind::Pattern { pattern } => format!("Invalid string: must match pattern /{pattern}/"),
        ValidationErrorKind::Format { format } => format!("Invalid {format}"),
        ValidationErrorKind::MultipleOf { multiple_of } => {
            format!("Invalid number: must be a multiple of {multiple_of}")
        }
        ValidationErrorKind::FalseSchema => "Invalid input: nothing is allowed here".to_owned(),
        _ => return None,
    })
}

/// The name of a value's type in JSON Schema.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Turns `/items/0/sku` into `items[0].sku`. The value distinguishes an array index from a numeric property name.
fn readable_path(pointer: &str, root: &Value) -> String {
    let mut path = String::new();
    let mut current = Some(root);
    for segment in pointer.split('/').skip(1) {
        let segment = unescape(segment);
        match current {
            Some(Value::Array(items)) => {
                path.push_str(&format!("[{segment}]"));
                current = segment.parse::<usize>().ok().and_then(|index| items.get(index));
            }
            other => {
                path = join_property(&path, &segment);
                current = other.and_then(|value| value.get(&segment));
            }
        }
    }
    path
}

fn join_property(path: &str, name: &str) -> String {
    if !super::typescript::is_identifier(name) {
        format!("{path}[{name:?}]")
    } else if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(schema: Value, value: Value) -> String {
        match Validator::new(&schema).unwrap().validate(&value) {
            Ok(()) => String::new(),
            Err(problems) => describe_problems(&problems),
        }
    }

    #[test]
    fn messages_name_the_path_and_the_types() {
        let schema = json!({
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}},
                "odd key": {"type": ["number", "null"]},
            },
            "additionalProperties": false,
        });
        assert_eq!(
            problems(schema.clone(), json!({"items": [{"sku": 1}]})),
            "items[0].sku: Invalid input: expected string, received number"
        );
        assert_eq!(problems(schema.clone(), json!({"items": [{}]})), "items[0].sku: Required: the property is missing");
        assert_eq!(problems(schema.clone(), json!({"more": 1})), "Unrecognized key: \"more\"");
        let odd = problems(schema.clone(), json!({"odd key": "x"}));
        assert!(odd.starts_with("[\"odd key\"]: Invalid input: expected "), "{odd}");
        assert_eq!(problems(schema, json!({"items": [{"sku": "a"}], "odd key": null})), "");
    }

    #[test]
    fn limits_and_options() {
        assert_eq!(problems(json!({"type": "number", "minimum": 3}), json!(2)), "Too small: expected number to be >=3");
        assert_eq!(problems(json!({"enum": ["a", "b"]}), json!("c")), "Invalid option: expected one of \"a\"|\"b\"");
        assert_eq!(problems(json!({"const": 5}), json!(6)), "Invalid input: expected 5");
        assert_eq!(
            problems(json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!(5)),
            "Invalid input: the number fits none of the allowed forms"
        );
    }

    #[test]
    fn an_invalid_schema_is_an_error() {
        assert!(
            Validator::new(&json!({"type": "nonsense"})).unwrap_err().to_string().contains("not a valid JSON Schema")
        );
    }
}
