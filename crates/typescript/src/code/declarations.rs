//! Prints the registered functions as TypeScript declarations, for the checker and for the model's
//! `available_functions`.

use serde_json::Value;

use lmthing_base::schema::{TypePrinter, doc_comment, indent, is_identifier, pascal_case};

/// A function with its schemas as JSON Schema.
#[derive(Debug, Clone)]
pub struct FunctionSignature {
    pub name: String,
    pub description: String,
    /// The schema of the single argument (zod: `toJSONSchema(schema, { io: 'input' })`).
    pub input_schema: Value,
    /// The schema of the resolved value (`io: 'output'`); `any` if there is none.
    pub output_schema: Option<Value>,
}

/// The declaration of one `defFunction` or `defFunctionAgent` call.
#[derive(Debug, Clone)]
pub enum Declaration {
    /// `declare function name(args: …): Promise<…>;`
    Function(FunctionSignature),
    /// `declare namespace name { function …; }`, from the array form.
    Namespace { name: String, description: String, functions: Vec<FunctionSignature> },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationError {
    #[error(
        "{name:?} cannot be the name of a function that code calls: use letters, digits, _ and $, not starting with a digit, and no reserved word"
    )]
    Name { name: String },
    #[error("{name:?} already exists in the sandbox: choose another name for the function")]
    BuiltIn { name: String },
}

impl Declaration {
    pub fn name(&self) -> &str {
        match self {
            Self::Function(function) => &function.name,
            Self::Namespace { name, .. } => name,
        }
    }

    /// Checks the names, so that `defFunction` can reject them.
    pub fn validate(&self) -> Result<(), DeclarationError> {
        validate_name(self.name())?;
        if BUILT_IN.contains(&self.name()) {
            return Err(DeclarationError::BuiltIn { name: self.name().to_owned() });
        }
        if let Self::Namespace { functions, .. } = self {
            functions.iter().try_for_each(|function| validate_name(&function.name))?;
        }
        Ok(())
    }
}

/// Names of the language and the sandbox. A function with such a name would hide what the code needs, or be hidden
/// itself: the type check finds the library's declaration first.
const BUILT_IN: [&str; 56] = [
    "console",
    "globalThis",
    "undefined",
    "NaN",
    "Infinity",
    "Object",
    "Function",
    "Array",
    "String",
    "Number",
    "Boolean",
    "Symbol",
    "BigInt",
    "Date",
    "RegExp",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "WeakRef",
    "Promise",
    "Proxy",
    "Reflect",
    "JSON",
    "Math",
    "Intl",
    "Error",
    "AggregateError",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
    "ArrayBuffer",
    "DataView",
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "Float32Array",
    "Float64Array",
    "BigInt64Array",
    "BigUint64Array",
    "eval",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
    "encodeURI",
    "encodeURIComponent",
    "decodeURI",
    "decodeURIComponent",
];

/// Not accepted by TypeScript as function names.
const RESERVED_WORDS: [&str; 47] = [
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "implements",
    "interface",
    "let",
    "package",
    "private",
    "protected",
    "public",
    "static",
    "yield",
    "await",
    "arguments",
];

/// Whether a function can have this name; `is_top` if it is not in a namespace.
pub fn is_usable_name(name: &str, is_top: bool) -> bool {
    validate_name(name).is_ok() && !(is_top && BUILT_IN.contains(&name))
}

fn validate_name(name: &str) -> Result<(), DeclarationError> {
    if is_identifier(name) && !RESERVED_WORDS.contains(&name) {
        Ok(())
    } else {
        Err(DeclarationError::Name { name: name.to_owned() })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declarations {
    text: String,
    functions: Vec<String>,
}

impl Declarations {
    /// Prints declarations in order. A repeated top-level name replaces the earlier declaration in its position.
    pub fn new<'a>(declarations: impl IntoIterator<Item = &'a Declaration>) -> Result<Self, DeclarationError> {
        let mut latest: Vec<&Declaration> = Vec::new();
        for declaration in declarations {
            declaration.validate()?;
            match latest.iter_mut().find(|known| known.name() == declaration.name()) {
                Some(known) => *known = declaration,
                None => latest.push(declaration),
            }
        }
        let mut printer = TypePrinter::new(latest.iter().map(|declaration| declaration.name().to_owned()));
        let mut functions = Vec::new();
        let printed: Vec<String> =
            latest.iter().map(|declaration| print_declaration(declaration, &mut printer, &mut functions)).collect();
        let mut text = String::new();
        for part in printer.named_types().chain(printed) {
            text.push_str(&part);
            text.push('\n');
        }
        Ok(Self { text, functions })
    }

    /// The text for the checker and for the section `available_functions` of the prompt.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As code writes them: `calculate`, `math.add`.
    pub fn functions(&self) -> &[String] {
        &self.functions
    }
}

fn print_declaration(declaration: &Declaration, printer: &mut TypePrinter, functions: &mut Vec<String>) -> String {
    match declaration {
        Declaration::Function(function) => {
            functions.push(function.name.clone());
            print_function(function, "declare ", &pascal_case(&function.name), printer)
        }
        Declaration::Namespace { name, description, functions: members } => {
            let mut body = String::new();
            for member in last_of_each(members) {
                functions.push(format!("{name}.{}", member.name));
                let base_name = format!("{}{}", pascal_case(name), pascal_case(&member.name));
                body.push_str(&indent(&format!("{}\n", print_function(member, "", &base_name, printer))));
            }
            format!("{}declare namespace {name} {{\n{body}}}", doc_comment(description))
        }
    }
}

fn last_of_each(members: &[FunctionSignature]) -> Vec<&FunctionSignature> {
    let mut latest: Vec<&FunctionSignature> = Vec::new();
    for member in members {
        match latest.iter_mut().find(|known| known.name == member.name) {
            Some(known) => *known = member,
            None => latest.push(member),
        }
    }
    latest
}

fn print_function(function: &FunctionSignature, keyword: &str, base_name: &str, printer: &mut TypePrinter) -> String {
    let arguments = printer.print(&function.input_schema, &format!("{base_name}Args"));
    let result = match &function.output_schema {
        Some(schema) => printer.print(schema, &format!("{base_name}Result")),
        None => "any".to_owned(),
    };
    let optional = if takes_no_properties(&function.input_schema) { "?" } else { "" };
    format!(
        "{}{keyword}function {}(args{optional}: {arguments}): Promise<{result}>;",
        doc_comment(&function.description),
        function.name
    )
}

/// Whether an object without properties matches the schema. Models write `f()` for such a function.
fn takes_no_properties(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return false };
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let has_required = schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
    let is_limited = ["anyOf", "oneOf", "allOf", "not", "$ref", "const", "enum", "tsType", "minProperties"]
        .iter()
        .any(|keyword| schema.contains_key(*keyword));
    is_object && !has_required && !is_limited
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn function(name: &str, description: &str, input_schema: Value, output_schema: Option<Value>) -> FunctionSignature {
        FunctionSignature { name: name.to_owned(), description: description.to_owned(), input_schema, output_schema }
    }

    fn pair() -> Value {
        json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]})
    }

    #[test]
    fn functions_and_namespaces() {
        let declarations = Declarations::new(&[
            Declaration::Function(function("calculate", "Add two numbers", pair(), None)),
            Declaration::Namespace {
                name: "math".to_owned(),
                description: "Maths.\nTwo lines.".to_owned(),
                functions: vec![
                    function("add", "Adds", pair(), Some(json!({"type": "object", "properties": {"sum": {"type": "number", "description": "a + b"}}, "required": ["sum"]}))),
                    function("neg", "", json!({"type": "object", "properties": {"a": {"type": "number"}}}), Some(json!({"type": "number"}))),
                ],
            },
        ])
        .unwrap();
        assert_eq!(declarations.functions(), ["calculate", "math.add", "math.neg"]);
        insta::assert_snapshot!(declarations.text(), @r"
        /** Add two numbers */
        declare function calculate(args: { a: number; b: number }): Promise<any>;
        /**
         * Maths.
         * Two lines.
         */
        declare namespace math {
          /** Adds */
          function add(args: { a: number; b: number }): Promise<{
            /** a + b */
            sum: number;
          }>;
          function neg(args?: { a?: number }): Promise<number>;
        }
        ");
    }

    #[test]
    fn recursive_types_are_named_after_the_function() {
        let tree = json!({"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}, "required": ["kids"]});
        let declarations =
            Declarations::new(&[Declaration::Function(function("walkTree", "", tree.clone(), Some(tree)))]).unwrap();
        insta::assert_snapshot!(declarations.text(), @r"
        type WalkTreeArgs = { kids: WalkTreeArgs[] };
        type WalkTreeResult = { kids: WalkTreeResult[] };
        declare function walkTree(args: WalkTreeArgs): Promise<WalkTreeResult>;
        ");
    }

    #[test]
    fn the_last_definition_of_a_name_wins() {
        let declarations = Declarations::new(&[
            Declaration::Function(function("f", "old", json!({}), None)),
            Declaration::Function(function("g", "", json!({}), None)),
            Declaration::Function(function("f", "new", json!({}), None)),
        ])
        .unwrap();
        assert_eq!(declarations.functions(), ["f", "g"]);
        assert!(declarations.text().starts_with("/** new */"));
    }

    #[test]
    fn invalid_names_are_rejected() {
        for name in ["my-tool", "", "2x", "class", "a b", "await"] {
            let declared = Declarations::new(&[Declaration::Function(function(name, "", json!({}), None))]);
            assert_eq!(declared, Err(DeclarationError::Name { name: name.to_owned() }));
        }
        let console = Declarations::new(&[Declaration::Function(function("console", "", json!({}), None))]);
        assert!(matches!(console, Err(DeclarationError::BuiltIn { .. })));
    }
}
