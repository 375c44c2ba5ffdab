//! A schema as the names of its fields: `name[ str|int|float|bool][: description]`, separated by commas or lines, as in
//! the program `llm`.

use serde_json::{Map, Value, json};

use crate::cli::failure::WrongUsage;
use lmthing_base::diagnostic::{Diagnostic, Location, closest};

const TYPES: [(&str, &str); 4] = [("str", "string"), ("int", "integer"), ("float", "number"), ("bool", "boolean")];

/// Names of types in other languages.
const OTHER_TYPES: [(&str, &str); 8] = [
    ("string", "str"),
    ("text", "str"),
    ("date", "str"),
    ("integer", "int"),
    ("number", "float"),
    ("double", "float"),
    ("decimal", "float"),
    ("boolean", "bool"),
];

/// A field as it was written, and where it begins.
struct Field<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

/// The schema of an object with all of the fields.
pub(super) fn object(text: &str) -> Result<Value, WrongUsage> {
    let mut properties = Map::new();
    for field in fields(text) {
        let wrong = |word: &str, message: String, hint: &str| {
            let before = word.as_ptr() as usize - field.text.as_ptr() as usize;
            let column = field.column + field.text[..before].chars().count();
            marked("--schema", text, (field.line, column), message, hint)
        };
        let (head, description) = match field.text.split_once(':') {
            Some((head, description)) => (head, Some(description.trim()).filter(|text| !text.is_empty())),
            None => (field.text, None),
        };
        let mut words = head.split_whitespace();
        let Some(name) = words.next() else {
            return Err(wrong(field.text, "a description without a field".to_owned(), "expected name: description"));
        };
        if let Some(letter) = name.chars().find(|letter| !letter.is_alphanumeric() && !"_-$".contains(*letter)) {
            let hint = "a name has letters, digits, _, - and $; commas or lines separate fields";
            return Err(wrong(name, format!("a field cannot be named {name}: it has {letter}"), hint));
        }
        let kind = match words.next() {
            None => "string",
            Some(word) => kind(word).ok_or_else(|| {
                let meant = OTHER_TYPES.iter().find(|(other, _)| *other == word.to_lowercase()).map(|(_, kind)| *kind);
                let meant = meant.or_else(|| closest(word, TYPES.iter().map(|(kind, _)| *kind)));
                let meant = meant.map(|kind| format!("did you mean '{kind}'? ")).unwrap_or_default();
                wrong(word, format!("{word} is no type"), &format!("{meant}a type is str, int, float or bool"))
            })?,
        };
        if let Some(more) = words.next() {
            let hint = "separate fields by commas, and put a colon before a description";
            return Err(wrong(more, format!("expected a comma or a colon in place of {more}"), hint));
        }
        let mut property = json!({ "type": kind });
        if let Some(description) = description {
            property["description"] = json!(description);
        }
        if properties.insert(name.to_owned(), property).is_some() {
            return Err(wrong(name, format!("the field {name} is there twice"), "give each field a name of its own"));
        }
    }
    if properties.is_empty() {
        return Err(WrongUsage::new("--schema names no field", "expected fields, such as 'name, age int'"));
    }
    let required: Vec<&String> = properties.keys().collect();
    let required = json!(required);
    Ok(json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }))
}

fn kind(word: &str) -> Option<&'static str> {
    TYPES.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
}

/// On one line every comma separates fields. On several lines it does before a colon only, as a line ends a description.
fn fields(text: &str) -> Vec<Field<'_>> {
    let has_lines = text.trim().contains('\n');
    let mut fields = Vec::new();
    for (line, row) in text.lines().enumerate() {
        let mut start = 0;
        while start <= row.len() {
            let rest = &row[start..];
            let end = match (rest.find(','), rest.find(':')) {
                (Some(comma), Some(colon)) if has_lines && colon < comma => rest.len(),
                (Some(comma), _) => comma,
                (None, _) => rest.len(),
            };
            let written = rest[..end].trim();
            if !written.is_empty() {
                let before = rest[..end].len() - rest[..end].trim_start().len();
                let column = row[..start + before].chars().count();
                fields.push(Field { text: written, line, column });
            }
            start += end + 1;
        }
    }
    fields
}

/// A mistake in the value of an option, marked below it.
pub(super) fn marked(
    option: &str,
    value: &str,
    (line, column): (usize, usize),
    message: String,
    hint: &str,
) -> WrongUsage {
    let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    Box::new(Diagnostic {
        location: Some(Location { path: option.to_owned(), line: number(line), column: number(column) }),
        source_line: value.lines().nth(line).map(str::to_owned),
        ..Diagnostic::new(message).with_hint(hint)
    })
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmthing_base::diagnostic::Diagnostic;

    fn properties(text: &str) -> Value {
        object(text).map_err(Diagnostic::from).unwrap()["properties"].take()
    }

    #[test]
    fn fields_are_properties() {
        let schema = object("name, age int,: ").map_err(Diagnostic::from).unwrap_err();
        assert_eq!(schema.message, "a description without a field");
        let schema = object("name, age int, ratio float: of a, is_new bool,\n").map_err(Diagnostic::from).unwrap();
        let expected = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "age": { "type": "integer" },
                "ratio": { "type": "number", "description": "of a" },
                "is_new": { "type": "boolean" },
            },
            "required": ["name", "age", "ratio", "is_new"],
            "additionalProperties": false,
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn lines_separate_fields_and_commas_are_part_of_a_description() {
        let expected = json!({
            "a": { "type": "string" },
            "b": { "type": "integer" },
            "c": { "type": "string", "description": "one, two: three" },
            "d": { "type": "string" },
        });
        assert_eq!(properties("\n a, b int\n\nc: one, two: three\r\nd str:\n"), expected);
        let one_line = json!({ "a": { "type": "string", "description": "x" }, "b": { "type": "string" } });
        assert_eq!(properties("a: x, b"), one_line);
    }

    #[test]
    fn mistakes_are_marked() {
        for (text, line, column, message, hint) in [
            ("name, größe integer", 1, 13, "integer is no type", "did you mean 'int'? "),
            ("a\nb floot", 2, 3, "floot is no type", "did you mean 'float'? "),
            ("a xyz", 1, 3, "xyz is no type", "a type is"),
            ("age int positive", 1, 9, "expected a comma or a colon in place of positive", "separate"),
            ("a, b;c int", 1, 4, "a field cannot be named b;c: it has ;", "a name has letters"),
            ("a, b, a int", 1, 7, "the field a is there twice", ""),
        ] {
            let problem = object(text).map_err(Diagnostic::from).unwrap_err();
            let place = problem.location.unwrap();
            assert_eq!((place.line, place.column, problem.message.as_str()), (line, column, message), "{text}");
            assert!(problem.hint.unwrap().starts_with(hint), "{text}");
            assert_eq!(problem.source_line.as_deref(), text.lines().nth(line as usize - 1));
        }
        assert!(object(" ,\n").is_err());
    }
}
