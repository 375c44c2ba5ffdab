//! Tests of answers that come in pieces.

use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AnswerShape, ElementCheck, PartialAnswer, SizeBudget, extends, partial_schema::partial_schema};
use crate::{chat::read_json, schema::Validator};

fn shape(schema: Value) -> Rc<AnswerShape> {
    AnswerShape::new("output", schema).into()
}

/// The values of an answer that comes character by character, and the one at its end.
fn values(schema: Value, text: &str) -> Vec<Value> {
    values_of_pieces(&mut PartialAnswer::new(shape(schema)), text.chars().map(String::from))
}

fn values_of_pieces(answer: &mut PartialAnswer, pieces: impl Iterator<Item = String>) -> Vec<Value> {
    let mut values = Vec::new();
    for piece in pieces {
        answer.push(&piece);
        values.extend(answer.take_value().map(|value| value.value.clone()));
    }
    values.extend(answer.finish(false).map(|value| value.value.clone()));
    values
}

fn elements(schema: Value, text: &str) -> Vec<(usize, String)> {
    let mut answer = PartialAnswer::new(shape(schema));
    let mut elements = Vec::new();
    for piece in text.chars() {
        answer.push(&piece.to_string());
        elements.extend(std::iter::from_fn(|| answer.take_element()).map(|element| (element.index, element.text)));
    }
    elements
}

#[test]
fn only_texts_grow() {
    let found = values(json!({}), r#"{"name": "Bo\u00e9\ud83d\ude00\n", "age": -12.5e1, "ok": true, "none": null}"#);
    let name = |name: &str| json!({ "name": name });
    let whole = "Boé😀\n";
    let mut expected = vec![json!({}), name(""), name("B"), name("Bo"), name("Boé"), name("Boé😀"), name(whole)];
    expected.push(json!({ "name": whole, "age": -125.0 }));
    expected.push(json!({ "name": whole, "age": -125.0, "ok": true }));
    expected.push(json!({ "name": whole, "age": -125.0, "ok": true, "none": null }));
    assert_eq!(found, expected);
    assert_eq!(values(json!({}), "[1, 23]"), [json!([]), json!([1]), json!([1, 23])]);
    assert_eq!(values(json!({ "type": "string" }), "\"ab\""), [json!(""), json!("a"), json!("ab")]);
    assert_eq!(values(json!({ "type": "number" }), "42"), [json!(42)]);
    assert_eq!(values(json!({ "type": "boolean" }), " true\n"), [json!(true)]);
    // A half surrogate that stays alone is shown with what follows it.
    assert_eq!(values(json!({}), r#"["\ud83dx"]"#).last(), Some(&json!(["\u{fffd}x"])));
}

#[test]
fn values_of_an_answer_extend_each_other_until_its_end() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
    let other = r#"I think {not json} and [1] or {"b":1} then {"a":"yes"}"#;
    let grown = [json!({}), json!({ "a": "" }), json!({ "a": "y" }), json!({ "a": "ye" }), json!({ "a": "yes" })];
    assert_eq!(values(schema.clone(), other), grown);
    // The last of equal keys counts, as in the answer that is read in the end.
    let twice = values(schema.clone(), r#"{"a":"one","a":"two"}"#);
    assert_eq!(twice.iter().rev().take(2).rev().collect::<Vec<_>>(), [&json!({ "a": "one" }), &json!({ "a": "two" })]);
    // A property that no object of the schema has comes with the next one that it names.
    let unknown = values(schema, r#"{"b":1,"a":"x"}"#);
    assert_eq!(unknown, [json!({}), json!({ "b": 1, "a": "" }), json!({ "b": 1, "a": "x" })]);
}

#[test]
fn an_object_that_is_strict_has_no_other_properties() {
    let schema = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    assert_eq!(values(schema, r#"{"zz":1,"a":"x"}"#), [json!({})]);
}

#[test]
fn other_text_is_passed_over() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
    for text in [
        "{\"n\":1}",
        "Here it is:\n```json\n{\"n\": 1}\n```\nI hope that helps.",
        "For [1] and {this} it is {\"n\":1}, I think.",
        "{} is empty, {\"n\":1} is not {\"n\":2}",
        "Use \"[\" and {\"n\":1}",
        "{\"n\": 1,}",
        "{'n': 1}",
        "```json\n{\"n\": 1, // one\n}",
    ] {
        assert_eq!(values(schema.clone(), text), [json!({}), json!({ "n": 1 })], "{text}");
    }
    let text = json!({ "type": "string" });
    assert_eq!(values(text.clone(), "```json\n\"ab\"\n```"), [json!(""), json!("a"), json!("ab")]);
    assert!(values(text, "I said \"ab\"").is_empty());
    // The answer is that of the fence.
    let found = values(schema.clone(), "Not {\"n\": 0}, but:\n```\n{\"n\": 1}\n```");
    assert_eq!(found, [json!({}), json!({ "n": 0 }), json!({ "n": 1 })]);
    // What is within a document that does not match is no answer.
    let found = values(schema, "{\"n\": \"x\", \"other\": {\"n\": 5}}");
    assert_eq!(found, [json!({})]);
}

#[test]
fn values_match_the_partial_form_of_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "kind": { "enum": ["red", "blue"] },
            "mail": { "type": "string", "pattern": "^[a-z]+@[a-z]+$" },
            "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2, "uniqueItems": true },
            "shape": { "oneOf": [
                { "type": "object", "properties": { "type": { "const": "circle" }, "r": { "type": "number" } }, "required": ["type", "r"] },
                { "type": "object", "properties": { "type": { "const": "line" } }, "required": ["type"], "additionalProperties": false }
            ] }
        },
        "required": ["kind", "mail"],
        "additionalProperties": false
    });
    let text = r#"{"kind":"red","mail":"a@bc","tags":["a","a"],"shape":{"type":"circle","r":1}}"#;
    let found = values(schema.clone(), text);
    let partial = Validator::new(&partial_schema(&schema)).unwrap();
    assert!(found.iter().all(|value| partial.accepts(value)), "{found:?}");
    assert!(found.windows(2).all(|pair| pair[0] != pair[1] && extends(&pair[0], &pair[1])), "{found:?}");
    let of = |name: &str| {
        let mut all: Vec<Value> = found.iter().filter_map(|value| value.get(name)).cloned().collect();
        all.dedup();
        all
    };
    assert_eq!(of("kind"), [json!("red")]);
    assert_eq!(of("mail"), [json!("a@b"), json!("a@bc")]);
    assert_eq!(of("tags"), [json!([]), json!([""]), json!(["a"]), json!(["a", ""]), json!(["a", "a"])]);
    assert_eq!(of("shape"), [json!({}), json!({ "type": "circle" }), json!({ "type": "circle", "r": 1 })]);
    assert_eq!(found.last(), Some(&serde_json::from_str(text).unwrap()));
}

#[test]
fn an_answer_after_another_begins_again() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
    let mut answer = PartialAnswer::new(shape(schema));
    assert_eq!(values_of_pieces(&mut answer, ["{\"n\": ", "\"x\"}"].map(String::from).into_iter()), [json!({})]);
    answer.begin();
    let found = values_of_pieces(&mut answer, ["{\"n\":1,", "\"m\":", "2}"].map(String::from).into_iter());
    assert_eq!(found, [json!({ "n": 1 }), json!({ "n": 1, "m": 2 })]);
}

#[test]
fn elements_are_taken_once_they_are_complete() {
    let list = json!({ "type": "array" });
    let found = elements(list.clone(), "Here: ```\n[1, \"a]\", {\"b\": [2]} , [] ,true]\n``` [9]");
    let expected = ["1", "\"a]\"", "{\"b\": [2]}", "[]", "true"].map(String::from);
    assert_eq!(found, expected.into_iter().enumerate().collect::<Vec<_>>());
    assert_eq!(elements(list.clone(), "[1, 2"), [(0, "1".to_owned())]);
    assert_eq!(elements(list, "{\"list\": [1, 2]}"), []);
    let mut answer = PartialAnswer::new(shape(json!({ "type": "array", "items": { "type": "number" } })));
    answer.push("[1, 2,]");
    answer.take_element();
    assert_eq!(answer.other_json(false).map(|found| found.value), Some(json!([1, 2])));
}

#[test]
fn an_element_is_checked_by_its_own_schema() {
    let check = |schema: Value| ElementCheck::new(&schema);
    let numbers =
        check(json!({ "type": ["array", "null"], "items": { "$ref": "#/$defs/n" }, "minItems": 3, "$defs": { "n": { "type": "number" } } }))
            .unwrap();
    assert!(numbers.accepts(7, &json!(1)) && !numbers.accepts(0, &json!("1")));
    for old in [false, true] {
        let first = json!([{ "type": "string" }, { "$ref": "#/definitions/n" }]);
        let definitions = json!({ "n": { "type": "number" } });
        let other = json!({ "type": "boolean" });
        let schema = match old {
            false => json!({ "type": "array", "prefixItems": first, "items": other, "definitions": definitions }),
            true => json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": first,
                "additionalItems": other, "definitions": definitions }),
        };
        let tuple = check(schema).unwrap();
        let accepts = |value: Value| [0, 1, 2].map(|index| tuple.accepts(index, &value));
        assert_eq!(accepts(json!("a")), [true, false, false]);
        assert_eq!(accepts(json!(1)), [false, true, false]);
        assert_eq!(accepts(json!(true)), [false, false, true]);
    }
    assert!(check(json!({ "type": "object" })).is_none());
    assert!(check(json!({})).unwrap().accepts(0, &json!(1)));
}

#[test]
fn long_and_hostile_answers_are_scanned_once() {
    let mut answer = PartialAnswer::new(shape(json!({ "type": "array" })));
    let text = format!("[{}]", vec!["\"some words\""; 100_000].join(","));
    let mut budget = SizeBudget::new(1 << 16, 16);
    let mut count = 0;
    let mut sizes = 0;
    for piece in text.as_bytes().chunks(10) {
        answer.push(str::from_utf8(piece).unwrap());
        if let Some(size) = answer.next_size().filter(|size| budget.allows(*size)) {
            budget.spend(size);
            sizes += answer.take_value().map_or(0, |value| value.text.len());
            count += 1;
        }
    }
    assert!(count > 50 && sizes <= (1 << 16) + 16 * text.len(), "{count} values of {sizes} bytes");
    for hostile in ["[{", "[1] ", "{\"", "\"a\" ", "```\n[", "[\"\\ud800"] {
        for schema in [json!({ "type": "object" }), json!({ "type": "string" })] {
            let mut answer = PartialAnswer::new(shape(schema));
            for _ in 0..20_000 {
                answer.push(hostile);
            }
            answer.take_value();
        }
    }
}

/// JSON of a few levels, with texts that need escapes.
fn documents() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-z \"\\\\/\n]{0,6}", "[é😀\u{1}\u{fffd}]{0,3}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f32>().prop_map(|number| json!(number)),
        text.prop_map(Value::from),
    ];
    let inner = leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z\"]{1,4}", inner, 0..5).prop_map(|members| json!(members)),
        ]
    });
    prop_oneof![
        prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
        prop::collection::btree_map("[a-zé]{1,4}", inner, 0..5).prop_map(|members| json!(members)),
    ]
}

/// The text of a document, with every character of its texts as an escape.
fn escaped(document: &Value) -> String {
    match document {
        Value::String(text) => {
            let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            format!("\"{units}\"")
        }
        Value::Array(values) => format!("[{}]", values.iter().map(escaped).collect::<Vec<_>>().join(" , ")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{} : {}", escaped(&json!(name)), escaped(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_document_cut_anywhere_is_a_value_that_grows(document in documents(), style in 0..3) {
        let text = match style {
            0 => document.to_string(),
            1 => format!("Here:\n```json\n{document:#}\n```"),
            _ => escaped(&document),
        };
        let document: Value = read_json(&document.to_string()).unwrap();
        let found = values(json!({}), &text);
        for pair in found.windows(2) {
            prop_assert!(pair[0] != pair[1] && extends(&pair[0], &pair[1]), "{} then {}", pair[0], pair[1]);
        }
        prop_assert_eq!(found.last(), Some(&document));
        // However the pieces are cut, the value at a place is the same.
        for cut in text.char_indices().map(|(at, _)| at).step_by(7) {
            let mut answer = PartialAnswer::new(shape(json!({})));
            answer.push(&text[..cut]);
            let value = answer.take_value().map(|value| value.value.clone());
            prop_assert!(value.is_none_or(|value| found.contains(&value) && extends(&value, &document)));
        }
    }
}
