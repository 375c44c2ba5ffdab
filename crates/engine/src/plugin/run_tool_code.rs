//! The definition of `runToolCode`, the tool of code mode (docs/reference/code-mode.md).

pub const NAME: &str = "runToolCode";

pub const DESCRIPTION: &str = "Runs TypeScript that may call the functions of <available_functions>. The code is the body of \
                               an async function: use await, and return what you want to see. It is type-checked first; \
                               errors come back with their lines. There are no imports, no timers and no network.";

pub const SECTION: &str = "available_functions";

pub fn input_schema() -> serde_json::Value {
    serde_json::json!({
        "type": "object",
        "properties": { "code": { "type": "string", "description": "The body of an async TypeScript function" } },
        "required": ["code"],
        "additionalProperties": false,
    })
}

pub fn section_text(declarations: &str) -> String {
    format!("Functions that the code of {NAME} can call:\n\n{declarations}")
}
