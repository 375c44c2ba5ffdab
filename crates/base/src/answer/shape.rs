//! The schema that the answer of a prompt must match: the instruction for the model, and the search for JSON in its
//! answer (docs/reference/typed-output.md and docs/reference/agents.md).

use std::rc::Rc;

use serde::de::IgnoredAny;
use serde_json::Value;
use thiserror::Error;

use crate::{
    chat::{JsonError, ResponseFormat, mend_json, mend_json_at_start, read_json},
    schema::{InvalidSchema, Validator, describe_problems},
};

pub const ANSWER_SECTION: &str = "responseFormat";

/// As the providers allow.
const LONGEST_NAME: usize = 64;

/// The number of places in a text where JSON is tried; each attempt parses what follows.
pub(super) const MOST_PLACES: usize = 100;

/// The number of places where JSON is mended.
const MOST_MENDED: usize = 5;

#[derive(Debug)]
pub struct AnswerShape {
    format: ResponseFormat,
    validator: Result<Rc<Validator>, InvalidSchema>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FoundJson {
    pub text: String,
    pub value: Value,
    /// Why it does not match the schema, if it does not.
    pub problem: Option<String>,
    /// What was wrong with JSON that was mended.
    pub mended: Option<String>,
}

/// An answer without JSON.
#[derive(Debug, Error)]
pub enum NoJson {
    #[error("the answer is empty")]
    Empty,
    #[error("the answer is not JSON: {0}")]
    Invalid(JsonError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerCheck {
    Accepted,
    /// The message to repeat the request with.
    AskAgain(String),
}

impl AnswerShape {
    pub fn new(name: &str, schema: Value) -> Self {
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        let letters = name.chars().take(LONGEST_NAME);
        let name = letters.map(|letter| if allowed(letter) { letter } else { '_' }).collect();
        let validator = Validator::compiled(&schema);
        AnswerShape { format: ResponseFormat { name, schema }, validator }
    }

    pub fn format(&self) -> &ResponseFormat {
        &self.format
    }

    pub fn fault(&self) -> Option<&InvalidSchema> {
        self.validator.as_ref().err()
    }

    pub fn instruction(&self) -> String {
        format!("Answer with JSON that matches this JSON Schema, and with nothing else:\n\n{:#}", self.format.schema)
    }

    /// Finds the JSON in an answer: the whole text, or a part in a code fence or between other text. The first that
    /// matches the schema wins; if none does, JSON that matches once it is mended. `is_cut` is set for an answer that
    /// ended at its limit.
    pub fn find(&self, text: &str, is_cut: bool) -> Result<FoundJson, NoJson> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NoJson::Empty);
        }
        let whole = match self.read(text) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let mut first = None;
        for candidate in fenced(text).chain(between_text(text)) {
            let Ok(found) = self.read(candidate) else { continue };
            if found.problem.is_none() {
                return Ok(found);
            }
            first = first.or(Some(found));
        }
        self.mended(text, is_cut).or(first).ok_or(NoJson::Invalid(whole))
    }

    /// Whether a text is JSON that matches the schema.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.read(text).is_ok_and(|found| found.problem.is_none())
    }

    fn mended(&self, text: &str, is_cut: bool) -> Option<FoundJson> {
        let starts = text.match_indices(['{', '[']).take(MOST_MENDED).map(|(start, _)| &text[start..]);
        let all = std::iter::once(text).chain(fenced(text).take(MOST_MENDED)).map(mend_json);
        let mut candidates = all.chain(starts.map(mend_json_at_start)).flatten();
        candidates.find_map(|mended| {
            // A number or word at the end may have been longer.
            let found = self.read(&mended.text).ok().filter(|found| found.problem.is_none())?;
            (!(is_cut && mended.may_be_cut)).then(|| FoundJson { mended: Some(mended.describe()), ..found })
        })
    }

    fn read(&self, text: &str) -> Result<FoundJson, JsonError> {
        let value = read_json(text)?;
        let problem = match &self.validator {
            Ok(validator) => validator.validate(&value).err().map(|problems| describe_problems(&problems)),
            Err(fault) => Some(fault.to_string()),
        };
        Ok(FoundJson { text: text.to_owned(), value, problem, mended: None })
    }
}

/// The message for an answer that does not match. `cut` says that it ended at a limit.
pub fn correction(problem: &str, cut: bool) -> String {
    if cut {
        return "Your answer was cut off before it was complete, at the limit on its length. Answer again, shorter, with JSON \
                that matches the schema and with nothing else."
            .to_owned();
    }
    format!(
        "Your answer does not match the JSON Schema that was asked for: {problem}\n\nAnswer again with JSON that matches \
         the schema, and with nothing else."
    )
}

fn fenced(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    // Whether a closing fence at the start of a line may still follow. Searched for once, as the text may be long
    // with many fences.
    let mut may_close_at_line_start = true;
    let next = move || {
        let (_, after) = rest.split_once("```")?;
        // The rest of the line is the language.
        let (_language, body) = after.split_once('\n')?;
        // A fence inside a JSON string is not at the start of a line.
        let closing = if may_close_at_line_start { body.find("\n```") } else { None };
        may_close_at_line_start = closing.is_some();
        let end = closing.or_else(|| body.find("```"))?;
        rest = body[end..].trim_start().strip_prefix("```").unwrap_or_default();
        Some(body[..end].trim())
    };
    std::iter::from_fn(next).take(MOST_PLACES)
}

fn between_text(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let next = move || {
        let start = from + text[from..].find(['{', '['])?;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<IgnoredAny>();
        let found = matches!(values.next(), Some(Ok(_))).then(|| start..start + values.byte_offset());
        from = found.as_ref().map_or(start + 1, |found| found.end);
        Some(found.map(|found| &text[found]))
    };
    std::iter::from_fn(next).take(MOST_PLACES).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shape() -> AnswerShape {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
        AnswerShape::new("count", schema)
    }

    #[test]
    fn json_that_is_nearly_right_is_mended_if_it_matches() {
        let n =
            |text: &str, is_cut| shape().find(text, is_cut).map(|found| (found.value["n"].clone(), found.mended)).ok();
        for text in [
            "{'n': 1}",
            "{n: 1,}",
            "Here: {n: 1} as asked",
            "```json\n{\"n\": 1, // one\n}\n```",
            "Here:\n```json\n{\"n\": 1,",
            "{\"m\": {\"n\": \"x\"}, \"n\": 1,}",
        ] {
            let found = n(text, true).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.0, found.1.is_some()), (json!(1), true), "{text}");
        }
        assert_eq!(n("{\"n\": 1", true), None);
        assert_eq!(n("{\"n\": 1", false), Some((json!(1), Some("a missing end".to_owned()))));
        let valid = shape().find("{\"n\" : 1.0}", false).unwrap();
        assert_eq!((valid.text.as_str(), valid.mended), ("{\"n\" : 1.0}", None));
        // What the schema refuses is reported as it was.
        assert!(n("{n: 'x',}", false).is_none());
        let wrong = shape().find("So: {\"n\":\"x\"}, or {n: 'y'}", false).unwrap();
        assert!(wrong.problem.is_some() && wrong.mended.is_none());
    }

    #[test]
    fn names_contain_only_characters_that_providers_accept() {
        let name = |agent: &str| AnswerShape::new(agent, json!({})).format().name.clone();
        assert_eq!(name("größe-1.2_b"), "gr__e-1_2_b");
        assert_eq!(name(&"x".repeat(99)).len(), 64);
    }

    #[test]
    fn json_is_found_in_fences_and_between_text() {
        for text in [
            "{\"n\":1}",
            " ```json\n{\"n\":1}\n``` ",
            "```\n{\"n\":1}\n```",
            "Here it is:\n\n```json\n{\"n\":1}\n```\nI hope [that] helps.",
            "For [1] and {this} it is {\"n\":1}, I think.",
            "First {\"n\":\"one\"}, no: {\"n\":1}",
        ] {
            let found = shape().find(text, false).unwrap();
            let expected =
                FoundJson { text: "{\"n\":1}".into(), value: json!({ "n": 1 }), problem: None, mended: None };
            assert_eq!(found, expected, "{text}");
        }
        let fence = "```json\n{\"n\":1,\"code\":\"```js x```\"}\n```";
        assert_eq!(shape().find(fence, false).unwrap().value, json!({ "n": 1, "code": "```js x```" }));
    }

    #[test]
    fn problems_are_described() {
        assert!(shape().find("I think 1", false).unwrap_err().to_string().starts_with("the answer is not JSON: "));
        assert_eq!(shape().find(" \n", false).unwrap_err().to_string(), "the answer is empty");
        assert!(shape().find("{\"n\":", false).unwrap_err().to_string().contains("EOF"));
        let problem = "n: Invalid input: expected number, received string";
        assert_eq!(shape().find("So: {\"n\":\"x\"}", false).unwrap().problem.as_deref(), Some(problem));
        assert!(AnswerShape::new("a", json!({ "type": 5 })).fault().is_some());
        // The search must stay fast on hostile texts.
        assert!(shape().find(&"[{".repeat(100_000), false).is_err());
        assert!(shape().find(&"```\nx```".repeat(100_000), false).is_err());
        assert!(shape().find(&format!("{}\n```", "```\nx```".repeat(100_000)), false).is_err());
    }
}
