//! TypeScript types printed from JSON Schema.
//!
//! Input is what zod 4's `toJSONSchema` emits (`io: 'input'` for arguments, `io: 'output'` for results) and hand-written JSON
//! Schema of draft 7 and later. An empty schema (`{}`) prints as `any`. The extra keyword `tsType` (a string) overrides the
//! printed type; the script bindings set it where JSON Schema loses a distinction that TypeScript makes, such as zod's
//! `unknown`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

/// Objects without descriptions stay on one line up to this many characters.
const INLINE_WIDTH: usize = 100;

/// Prints types and collects the named declarations of recursive or shared schemas. One printer serves one declaration file, so
/// that names are unique in it.
#[derive(Debug, Default)]
pub struct TypePrinter {
    taken: BTreeSet<String>,
    named: Vec<(String, String)>,
}

/// The schema document a `$ref` points into, and the names given to its targets so far.
struct Document<'a> {
    root: &'a Value,
    base_name: &'a str,
    names: BTreeMap<String, String>,
    depth: usize,
    /// The bytes printed so far; nested parts count again in the part that contains them.
    printed: usize,
}

/// The type of an object without properties.
const NO_PROPERTIES: &str = "Record<string, never>";

/// The type of an object of which the schema says nothing else.
const ANY_PROPERTIES: &str = "Record<string, any>";

/// Nesting beyond this prints as `any`, so that no schema exhausts the stack.
const MAX_DEPTH: usize = 64;

/// After this much text everything prints as `any`: an index signature repeats the types of all properties, which doubles the
/// text at each level.
const MAX_PRINTED: usize = 2 << 20;

impl TypePrinter {
    /// A printer that avoids the names in `taken`, which the functions and namespaces of the same file use.
    pub fn new(taken: impl IntoIterator<Item = String>) -> Self {
        Self { taken: taken.into_iter().collect(), named: Vec::new() }
    }

    /// The TypeScript type of `schema`. `base_name` (such as `CreateOrderArgs`) names the type if it refers to itself.
    pub fn print(&mut self, schema: &Value, base_name: &str) -> String {
        let mut document = Document { root: schema, base_name, names: BTreeMap::new(), depth: 0, printed: 0 };
        if refers_to_root(schema) {
            return self.reference("#", &mut document);
        }
        self.schema(schema, &mut document)
    }

    pub fn named_types(&self) -> impl Iterator<Item = String> + '_ {
        self.named.iter().map(|(name, body)| format!("type {name} = {body};"))
    }

    fn schema(&mut self, schema: &Value, document: &mut Document<'_>) -> String {
        if document.depth >= MAX_DEPTH || document.printed > MAX_PRINTED {
            return "any".to_owned();
        }
        document.depth += 1;
        let printed = match schema {
            Value::Bool(false) => "never".to_owned(),
            Value::Object(object) => self.object_schema(object, document),
            _ => "any".to_owned(),
        };
        document.depth -= 1;
        document.printed += printed.len();
        printed
    }

    fn object_schema(&mut self, schema: &Map<String, Value>, document: &mut Document<'_>) -> String {
        // The most specific keyword first: those next to it cannot make the type wider.
        if let Some(Value::String(text)) = schema.get("tsType") {
            return text.clone();
        }
        if let Some(Value::String(reference)) = schema.get("$ref") {
            return self.reference(reference, document);
        }
        if let Some(value) = schema.get("const") {
            return literal(value);
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return union(values.iter().map(literal).collect());
        }
        if let Some(printed) = self.combined(schema, document) {
            return printed;
        }
        // zod's `never` is `{not: {}}`. Any other `not` cannot be printed as a type.
        if schema.get("not").is_some_and(|not| not.as_object().is_some_and(Map::is_empty)) {
            return "never".to_owned();
        }
        match schema.get("type") {
            Some(Value::String(kind)) => self.typed(kind, schema, document),
            Some(Value::Array(kinds)) => {
                let members =
                    kinds.iter().filter_map(Value::as_str).map(|kind| self.typed(kind, schema, document)).collect();
                union(members)
            }
            _ if schema.contains_key("properties") || schema.contains_key("additionalProperties") => {
                self.object(schema, document)
            }
            _ if schema.contains_key("items") || schema.contains_key("prefixItems") => self.array(schema, document),
            _ => "any".to_owned(),
        }
    }

    /// `anyOf`, `oneOf` and `allOf`, with the properties of the same schema.
    fn combined(&mut self, schema: &Map<String, Value>, document: &mut Document<'_>) -> Option<String> {
        let mut parts = Vec::new();
        for (keyword, separator) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
            let Some(Value::Array(members)) = schema.get(keyword) else { continue };
            let printed: Vec<String> = members.iter().map(|member| self.schema(member, document)).collect();
            parts.push(if separator == " | " { union(printed) } else { intersection(printed) });
        }
        if parts.is_empty() {
            return None;
        }
        if schema.contains_key("properties") {
            parts.push(self.object(schema, document));
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { intersection(parts) })
    }

    fn typed(&mut self, kind: &str, schema: &Map<String, Value>, document: &mut Document<'_>) -> String {
        match kind {
            "string" | "boolean" | "null" => kind.to_owned(),
            "number" | "integer" => "number".to_owned(),
            "array" => self.array(schema, document),
            "object" => self.object(schema, document),
            _ => "any".to_owned(),
        }
    }

    fn array(&mut self, schema: &Map<String, Value>, document: &mut Document<'_>) -> String {
        let positional = match (schema.get("prefixItems"), schema.get("items")) {
            // `prefixItems` is 2020-12; before that `items` was the list and `additionalItems` the rest.
            (Some(Value::Array(positions)), rest) => Some((positions, rest)),
            (None, Some(Value::Array(positions))) => Some((positions, schema.get("additionalItems"))),
            _ => None,
        };
        if let Some((positions, rest)) = positional {
            return self.tuple(positions, rest, schema, document);
        }
        let item = schema.get("items").map_or_else(|| "any".to_owned(), |items| self.schema(items, document));
        format!("{}[]", parenthesised(item))
    }

    fn tuple(
        &mut self,
        positions: &[Value],
        rest: Option<&Value>,
        schema: &Map<String, Value>,
        document: &mut Document<'_>,
    ) -> String {
        // JSON Schema allows any length by default; authors who list positions mean them to be present.
        let required = schema.get("minItems").and_then(Value::as_u64).map_or(positions.len(), |min| min as usize);
        let mut elements: Vec<String> = Vec::new();
        for (index, position) in positions.iter().enumerate() {
            let printed = self.schema(position, document);
            elements.push(if index < required { printed } else { format!("{}?", parenthesised(printed)) });
        }
        if let Some(rest) = rest.filter(|rest| !matches!(rest, Value::Bool(false))) {
            elements.push(format!("...{}[]", parenthesised(self.schema(rest, document))));
        }
        format!("[{}]", elements.join(", "))
    }

    fn object(&mut self, schema: &Map<String, Value>, document: &mut Document<'_>) -> String {
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required: BTreeSet<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let others = schema.get("additionalProperties").filter(|others| !matches!(others, Value::Bool(false)));
        if properties.is_empty() {
            return match (others, schema.get("patternProperties").and_then(Value::as_object)) {
                (Some(others), _) => self.record(others, schema, &required, document),
                (None, Some(patterns)) => {
                    let values = patterns.values().map(|value| self.schema(value, document)).collect();
                    format!("Record<string, {}>", union(values))
                }
                // Without `properties` the schema says nothing about them.
                (None, None) if schema.contains_key("properties") || schema.contains_key("additionalProperties") => {
                    NO_PROPERTIES.to_owned()
                }
                // `{}` would admit texts, numbers and lists.
                (None, None) => ANY_PROPERTIES.to_owned(),
            };
        }
        let mut members: Vec<Member> = Vec::new();
        let mut types: Vec<String> = Vec::new();
        for (name, property) in properties {
            let optional = if required.contains(name.as_str()) { "" } else { "?" };
            let printed = self.schema(property, document);
            types.push(printed.clone());
            members.push(Member {
                text: format!("{}{optional}: {printed}", property_name(name)),
                documentation: documentation(property),
            });
        }
        if let Some(others) = others {
            if properties.keys().any(|name| !required.contains(name.as_str())) {
                types.push("undefined".to_owned());
            }
            members.push(self.index_signature(others, types, document));
        }
        object_type(&members)
    }

    /// An index signature has to admit every named property, so its type includes `types`, the types of all of them. They are
    /// passed in because printing nested objects again would double the work at each level.
    fn index_signature(&mut self, others: &Value, mut types: Vec<String>, document: &mut Document<'_>) -> Member {
        let printed = self.schema(others, document);
        let value = if printed == "any" || printed == "unknown" {
            printed
        } else {
            types.insert(0, printed);
            union(types)
        };
        Member { text: format!("[key: string]: {value}"), documentation: None }
    }

    fn record(
        &mut self,
        others: &Value,
        schema: &Map<String, Value>,
        required: &BTreeSet<&str>,
        document: &mut Document<'_>,
    ) -> String {
        let value = self.schema(others, document);
        let key = schema.get("propertyNames").map_or_else(|| "string".to_owned(), |keys| self.schema(keys, document));
        match key.as_str() {
            "string" | "any" => format!("Record<string, {value}>"),
            // A `Record` with listed keys requires all of them; without `required` any of them may be missing.
            _ if required.is_empty() => format!("Partial<Record<{key}, {value}>>"),
            _ => format!("Record<{key}, {value}>"),
        }
    }

    /// The name of the type a `$ref` points to; the type is printed at its first use.
    fn reference(&mut self, reference: &str, document: &mut Document<'_>) -> String {
        if let Some(name) = document.names.get(reference) {
            return name.clone();
        }
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| document.root.pointer(pointer)) else {
            return "any".to_owned();
        };
        let wanted = match reference.rsplit('/').next() {
            // `__schema0` is how zod names a schema without a name.
            Some(last) if reference != "#" && !last.starts_with("__schema") => pascal_case(last),
            _ => document.base_name.to_owned(),
        };
        let name = self.free_name(&wanted);
        // Registered before it is printed, so that recursion ends at the name.
        document.names.insert(reference.to_owned(), name.clone());
        // The slot is reserved now, so that types are in the order of first use.
        let slot = self.named.len();
        self.named.push((name.clone(), String::new()));
        let body = self.schema(target, document);
        // A reference to nothing but itself; TypeScript refuses `type A = A`.
        if body == name {
            self.named[slot].1 = "any".to_owned();
        } else {
            self.named[slot].1 = body;
        }
        name
    }

    fn free_name(&mut self, wanted: &str) -> String {
        let base = if wanted.is_empty() { "Schema" } else { wanted };
        let mut name = base.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}{number}");
            number += 1;
        }
        name
    }
}

struct Member {
    text: String,
    documentation: Option<String>,
}

fn object_type(members: &[Member]) -> String {
    let plain = members.iter().all(|member| member.documentation.is_none() && !member.text.contains('\n'));
    let inline = format!("{{ {} }}", members.iter().map(|member| member.text.as_str()).collect::<Vec<_>>().join("; "));
    if plain && inline.len() <= INLINE_WIDTH {
        return inline;
    }
    let mut text = String::from("{\n");
    for member in members {
        if let Some(documentation) = &member.documentation {
            text.push_str(&indent(&doc_comment(documentation)));
        }
        text.push_str(&indent(&format!("{};\n", member.text)));
    }
    text.push('}');
    text
}

/// A doc comment of one or several lines, ending in a newline.
pub fn doc_comment(documentation: &str) -> String {
    // A description must not end its comment: the rest of it would become code.
    let safe = documentation.trim().replace("*/", "*\\/");
    if safe.is_empty() {
        return String::new();
    }
    if !safe.contains('\n') {
        return format!("/** {safe} */\n");
    }
    let lines: Vec<String> = safe.lines().map(|line| format!(" * {}", line.trim_end())).collect();
    format!("/**\n{}\n */\n", lines.join("\n"))
}

pub fn indent(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        if line.trim_end_matches('\n').is_empty() {
            out.push_str(line);
        } else {
            out.push_str("  ");
            out.push_str(line);
        }
    }
    out
}

fn documentation(schema: &Value) -> Option<String> {
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default().trim();
    let default = schema.get("default").map(|default| format!("@default {default}"));
    match (description.is_empty(), default) {
        (true, None) => None,
        (true, Some(default)) => Some(default),
        (false, None) => Some(description.to_owned()),
        (false, Some(default)) => Some(format!("{description}\n{default}")),
    }
}

fn refers_to_root(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            object.get("$ref").and_then(Value::as_str) == Some("#") || object.values().any(refers_to_root)
        }
        Value::Array(items) => items.iter().any(refers_to_root),
        _ => false,
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{}: {}", property_name(name), literal(value))).collect();
            format!("{{ {} }}", members.join("; "))
        }
    }
}

fn union(members: Vec<String>) -> String {
    join(members, " | ", "never")
}

fn intersection(members: Vec<String>) -> String {
    let member = |member: String| match member.as_str() {
        // In an intersection it would forbid the properties of the other members.
        NO_PROPERTIES => "{}".to_owned(),
        _ if is_union(&member) => format!("({member})"),
        _ => member,
    };
    let members = members.into_iter().map(member);
    join(members.collect(), " & ", "any")
}

fn join(members: Vec<String>, separator: &str, empty: &str) -> String {
    let mut known = HashSet::with_capacity(members.len());
    let unique: Vec<&str> = members.iter().map(String::as_str).filter(|member| known.insert(*member)).collect();
    if unique.is_empty() { empty.to_owned() } else { unique.join(separator) }
}

/// Whether a printed type has a `|` or `&` outside brackets and strings.
fn is_union(printed: &str) -> bool {
    let mut depth = 0_i32;
    let mut in_string = false;
    let mut escaped = false;
    for character in printed.chars() {
        if in_string {
            match character {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => in_string = false,
                _ => escaped = false,
            }
            continue;
        }
        match character {
            '"' => in_string = true,
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth -= 1,
            '|' | '&' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

fn parenthesised(printed: String) -> String {
    if is_union(&printed) { format!("({printed})") } else { printed }
}

/// Whether `name` can be written as an identifier; reserved words are valid property names.
pub fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && characters.all(|character| character.is_alphanumeric() || character == '_' || character == '$')
}

fn property_name(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { Value::String(name.to_owned()).to_string() }
}

/// Turns `create order` and `create-order` into `CreateOrder`.
pub fn pascal_case(name: &str) -> String {
    let mut out = String::new();
    let mut start = true;
    for character in name.chars() {
        if !(character.is_alphanumeric() || character == '_' || character == '$') {
            start = true;
        } else if start {
            if out.is_empty() && character.is_numeric() {
                out.push('_');
            }
            out.extend(character.to_uppercase());
            start = false;
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn print(schema: Value) -> String {
        let mut printer = TypePrinter::default();
        let printed = printer.print(&schema, "Root");
        printer.named_types().chain([printed]).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn primitives_and_literals() {
        assert_eq!(print(json!({})), "any");
        assert_eq!(print(json!(true)), "any");
        assert_eq!(print(json!(false)), "never");
        assert_eq!(print(json!({"not": {}})), "never");
        assert_eq!(print(json!({"type": "integer", "minimum": 0})), "number");
        assert_eq!(print(json!({"type": ["string", "null"]})), "string | null");
        assert_eq!(print(json!({"const": "it's \"quoted\""})), r#""it's \"quoted\"""#);
        assert_eq!(print(json!({"type": "string", "enum": ["a", "b"]})), r#""a" | "b""#);
        assert_eq!(print(json!({"tsType": "unknown"})), "unknown");
    }

    #[test]
    fn schemas_that_double_at_each_level_stay_bounded() {
        let nested = (0..60).fold(json!({"type": "string"}), |inner, _| {
            json!({"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": {"type": "number"}})
        });
        assert!(print(nested).len() < 64 << 20);
        let definitions: Map<String, Value> = (0..30)
            .map(|level| {
                let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
                (format!("d{level}"), json!({"type": "object", "properties": {"x": next, "y": next}}))
            })
            .chain([("d30".to_owned(), json!({"type": "string"}))])
            .collect();
        let printed = print(json!({"$ref": "#/$defs/d0", "$defs": definitions}));
        assert_eq!(printed.matches("type D").count(), 31, "{printed}");
    }

    #[test]
    fn objects_with_optional_default_and_odd_names() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "number"}, "b-c": {"type": "string", "default": "x"}, "d": {"type": "boolean"}},
            "required": ["a"],
        });
        insta::assert_snapshot!(print(schema), @r#"
        {
          a: number;
          /** @default "x" */
          "b-c"?: string;
          d?: boolean;
        }
        "#);
    }

    #[test]
    fn a_description_cannot_end_the_comment() {
        let schema =
            json!({"type": "object", "properties": {"a": {"description": "x */ evil(); /*"}}, "required": ["a"]});
        assert!(print(schema).contains("/** x *\\/ evil(); /* */"));
    }

    #[test]
    fn unions_in_arrays_are_parenthesised() {
        let schema = json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}});
        assert_eq!(print(schema), "(string | null)[]");
        let tagged = json!({"type": "array", "items": {"oneOf": [
            {"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"], "additionalProperties": false},
            {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"], "additionalProperties": false},
        ]}});
        assert_eq!(print(tagged), r#"({ k: "a" } | { k: "b" })[]"#);
    }

    #[test]
    fn tuples_and_records() {
        assert_eq!(
            print(json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]})),
            "[string, number]"
        );
        assert_eq!(
            print(json!({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "number"}})),
            "[string, ...number[]]"
        );
        assert_eq!(
            print(
                json!({"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"type": "number"}})
            ),
            "Record<string, number>"
        );
        assert_eq!(
            print(
                json!({"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {}, "required": ["a", "b"]})
            ),
            r#"Record<"a" | "b", any>"#
        );
        assert_eq!(
            print(
                json!({"type": "object", "propertyNames": {"enum": ["a"]}, "additionalProperties": {"type": "null"}})
            ),
            r#"Partial<Record<"a", null>>"#
        );
    }

    #[test]
    fn a_catchall_admits_the_named_properties() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}});
        assert_eq!(print(schema), "{ a?: string; [key: string]: number | string | undefined }");
    }

    #[test]
    fn recursion_becomes_named_types() {
        let root = json!({"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["next"]});
        assert_eq!(print(root), "type Root = { next: Root | null };\nRoot");
        let definitions = json!({
            "$ref": "#/$defs/tree-node",
            "$defs": {"tree-node": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree-node"}}}, "required": ["kids"]}},
        });
        assert_eq!(print(definitions), "type TreeNode = { kids: TreeNode[] };\nTreeNode");
        assert_eq!(print(json!({"$ref": "#/$defs/none"})), "any");
        assert_eq!(print(json!({"$ref": "#"})), "type Root = any;\nRoot");
    }

    #[test]
    fn intersections_bind_tighter_than_unions() {
        let schema = json!({"allOf": [{"anyOf": [{"type": "string"}, {"type": "number"}]}, {"type": "string"}]});
        assert_eq!(print(schema), "(string | number) & string");
        let empty = json!({"type": "object", "properties": {}});
        assert_eq!(print(empty.clone()), "Record<string, never>");
        assert_eq!(print(json!({"type": "object"})), "Record<string, any>");
        let named = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        assert_eq!(print(json!({"allOf": [empty, named]})), "{} & { a: string }");
    }
}
