//! An agent's answer with a `responseSchema`: what the child is told, and reading what it says.

use crate::{
    chat::{ResponseFormat, read_json},
    schema::{Validator, describe_problems},
};

/// The system section of a child whose answer has a shape.
pub(crate) fn instruction(schema: &serde_json::Value) -> String {
    format!("Answer with JSON that matches this JSON Schema, and with nothing else:\n\n{schema:#}")
}

/// The same for models that can be held to a schema.
pub(crate) fn format(agent: &str, schema: &serde_json::Value) -> ResponseFormat {
    // No provider takes a longer name.
    const LONGEST: usize = 64;
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let name = agent.chars().take(LONGEST).map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    ResponseFormat { name, schema: schema.clone() }
}

/// The JSON text of an answer and its value, or why it does not match. The text may stand in a code fence.
pub(crate) fn check(text: &str, schema: &serde_json::Value) -> Result<(String, serde_json::Value), String> {
    let json_text = without_fence(text);
    let value = read_json(json_text).map_err(|error| format!("the answer is not JSON: {error}"))?;
    Validator::new(schema)?.validate(&value).map_err(|problems| describe_problems(&problems))?;
    Ok((json_text.to_owned(), value))
}

/// The inside of the code fence that is all of `text`, or `text` itself.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    // Models put JSON in a fence however plainly they are told not to.
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inside = inside.and_then(|inside| inside.split_once('\n'));
    inside.map_or(text, |(_language, body)| body.trim())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_made_of_what_providers_take() {
        let name = |agent: &str| format(agent, &json!({})).name;
        assert_eq!(name("größe-1.2_b"), "gr__e-1_2_b");
        assert_eq!(name(&"x".repeat(99)).len(), 64);
    }

    #[test]
    fn an_answer_in_a_code_fence_is_accepted() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
        for text in ["{\"n\":1}", " ```json\n{\"n\":1}\n``` ", "```\n{\"n\":1}\n```"] {
            assert_eq!(check(text, &schema).unwrap(), ("{\"n\":1}".to_owned(), json!({ "n": 1 })));
        }
        assert!(check("```json\n{\"n\":\"x\"}\n```", &schema).is_err());
        assert!(check("I think 1", &schema).unwrap_err().contains("not JSON"));
    }
}
