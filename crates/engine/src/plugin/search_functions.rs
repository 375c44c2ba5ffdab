//! The definition of `searchFunctions`, which finds functions when there are too many for the prompt.

use serde_json::{Value, json};

use super::run_tool_code;

/// The name of the tool, and of the function in code.
pub const NAME: &str = "searchFunctions";

pub const DESCRIPTION: &str = "Finds functions that the code of runToolCode can call, by words of their names and descriptions: \
                                      gives the TypeScript declarations of those that fit best.";

/// The default for the size of a prompt's section of functions, in bytes (`config.functions.promptBytes`).
pub const PROMPT_BYTES: usize = 8 * 1024;

pub fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "query": { "type": "string", "description": "What is looked for, in a few words, or a name" } },
        "required": ["query"],
        "additionalProperties": false,
    })
}

/// JSON Schema of the function's arguments, which may be a bare string.
pub fn code_schema() -> Value {
    json!({ "anyOf": [{ "type": "string" }, input_schema()] })
}

/// The start of the section, before the list of names.
pub fn section_head(count: usize, own: &str) -> String {
    format!(
        "The code of {} can call {count} functions, each with one object of arguments. These are their names; {NAME}, a tool and a \
         function, gives their declarations. Look them up before you call them.\n\n{own}\n",
        run_tool_code::NAME
    )
}
