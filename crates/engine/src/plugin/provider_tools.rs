//! How tools that providers run appear to models whose provider has none: as ordinary tools, which run `else`
//! (docs/reference/provider-tools.md).

use serde_json::{Value, json};

use crate::prompt::DefinitionKind;

pub const SEARCH_DESCRIPTION: &str = "Searches the web.";

pub fn input_schema(kind: DefinitionKind) -> Value {
    match kind {
        DefinitionKind::DefWebSearch => json!({
            "type": "object",
            "properties": { "query": { "type": "string", "description": "What to search for" } },
            "required": ["query"],
            "additionalProperties": false,
        }),
        // Only the provider knows the arguments of its tool.
        _ => json!({ "type": "object" }),
    }
}
