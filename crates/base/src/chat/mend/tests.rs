use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn mended(text: &str) -> MendedJson {
    let mended = mend_json(text).unwrap_or_else(|| panic!("{text}"));
    serde_json::from_str::<Value>(&mended.text).unwrap_or_else(|error| panic!("{text}: {error}: {}", mended.text));
    mended
}

#[test]
fn faults_are_mended() {
    use JsonFault::{
        ByteOrderMark, CodeFence, Comment, LineBreakInString, MissingEnd, PythonWord, SingleQuotes, TrailingComma,
        UnquotedKey,
    };
    for (text, expected, faults) in [
        ("{\"a\":1,}", "{\"a\":1}", vec![TrailingComma]),
        ("[1, 2, ]", "[1, 2 ]", vec![TrailingComma]),
        ("{'a': 'it\\'s \"x\"'}", r#"{"a": "it's \"x\""}"#, vec![SingleQuotes]),
        ("{a: 1, $b_1: [], größe-x: {}}", r#"{"a": 1, "$b_1": [], "größe-x": {}}"#, vec![UnquotedKey]),
        ("{\"a\": 1 /* one */, // two\n\"b\": \"//\"}", "{\"a\": 1 , \n\"b\": \"//\"}", vec![Comment]),
        ("```json\n{\"a\": [1]}\n```", "{\"a\": [1]}\n", vec![CodeFence]),
        ("```\n{\"a\": [1", "{\"a\": [1]}", vec![CodeFence, MissingEnd]),
        ("{\"a\": \"x\ny\"}", r#"{"a": "x\ny"}"#, vec![LineBreakInString]),
        ("{'a': True, 'b': None}", r#"{"a": true, "b": null}"#, vec![SingleQuotes, PythonWord]),
        ("{\"a\": {\"b\": [\"c\", {\"d\": 1.5}", r#"{"a": {"b": ["c", {"d": 1.5}]}}"#, vec![MissingEnd]),
        ("{\"a\": 1, ", "{\"a\": 1 }", vec![TrailingComma, MissingEnd]),
        ("\u{feff}{\"a\": \"\\ud800\",}", r#"{"a": "\ud800"}"#, vec![ByteOrderMark, TrailingComma]),
        ("\u{feff}{\"a\":1}", r#"{"a":1}"#, vec![ByteOrderMark]),
    ] {
        let mended = mend_json(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((mended.text.as_str(), mended.faults.into_iter().collect::<Vec<_>>()), (expected, faults), "{text}");
    }
}

#[test]
fn what_may_go_on_is_marked() {
    for (text, may_be_cut) in [
        ("{\"a\": 12", true),
        ("{\"a\": true", true),
        ("[\"x", true),
        ("{\"a\": 12\n", false),
        ("{\"a\": \"x\"", false),
        ("{\"a\": [1, 2],", false),
        ("{\"a\": 12,}", false),
    ] {
        assert_eq!(mended(text).may_be_cut, may_be_cut, "{text}");
    }
}

#[test]
fn nothing_is_guessed() {
    for text in [
        "",
        "x",
        "12",
        "\"a\"",
        "{\"a\":1}",
        "[]",
        "{\"a\":",
        "{\"a\"",
        "{\"a",
        "{a",
        "{\"a\": tru",
        "{\"a\": x}",
        "[1 2]",
        "{\"a\" 1}",
        "[,]",
        "{,}",
        "{\"a\":1,,}",
        "[1]]",
        "{\"a\":1} x",
        "[1}",
        "{\"a\": 01}",
        "{\"a\": 1.}",
        "{\"a\": \"\\x\"}",
        "{'a': 'it's'}",
        "{\"a\": \"\\u12\"}",
        "{\"a\": \"x\\",
        "[see: foo]",
        "{\"a\": -",
        "```",
        "```json\n```",
    ] {
        assert_eq!(mend_json(text), None, "{text}");
    }
    assert_eq!(mend_json(&"[".repeat(MAX_DEPTH + 1)), None);
    assert!(mend_json(&"[".repeat(MAX_DEPTH)).is_some());
}

#[test]
fn text_may_follow_at_the_start() {
    assert_eq!(mend_json_at_start("{a: 1} as asked").map(|mended| mended.text).as_deref(), Some("{\"a\": 1}"));
    assert_eq!(mend_json_at_start("{\"a\": 1} as asked"), None);
}

#[test]
fn long_texts_are_mended_in_one_pass() {
    let depth = "[".repeat(MAX_DEPTH - 1);
    for unit in ["{a: 1,}, ", "'\\'', ", "/*x*/", "//\n", "1,\n", "\"\\\"\", ", "/* ", "{", "'"] {
        let text = format!("{depth}{}", unit.repeat(300_000 / unit.len()));
        // Not finished in any useful time if a part were read once for each part before it.
        let longest = text.len() + 300_000;
        assert!(mend_json(&text).is_none_or(|mended| mended.text.len() <= longest), "{unit}");
    }
}

/// JSON values with odd strings and keys.
fn value() -> impl Strategy<Value = Value> {
    let text = "[ -~äß\\n\\t😀'\"/*#,:{}\\[\\]`]{0,8}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text, inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// The value as a sloppy model writes it.
fn sloppy(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            let quoted = json!(text).to_string();
            let inside = quoted[1..quoted.len() - 1].replace('\'', "\\'").replace("\\\"", "\"");
            out.push_str(&format!("'{inside}'"));
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                sloppy(item, out);
                out.push_str(", // next\n");
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (key, item) in map {
                sloppy(&json!(key), out);
                out.push_str(" /* is */ : ");
                sloppy(item, out);
                out.push(',');
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

proptest! {
    #[test]
    fn any_text_is_mended_into_json_or_not_at_all(text in "[\\[\\]{}'\",:/*\\\\ \\na1-9.eut`-]{0,40}") {
        for mended in [mend_json(&text), mend_json_at_start(&text)].into_iter().flatten() {
            prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&mended.text).is_ok(), "{} -> {}", text, mended.text);
        }
    }

    #[test]
    fn json_has_no_fault(value in value()) {
        prop_assert_eq!(mend_json(&value.to_string()), None);
        prop_assert_eq!(mend_json(&format!("{value:#}")), None);
    }

    #[test]
    fn sloppy_json_has_the_same_value(value in value()) {
        let mut text = String::new();
        sloppy(&value, &mut text);
        let read: Option<Value> = mend_json(&text).map(|mended| serde_json::from_str(&mended.text).unwrap());
        match read {
            Some(read) => prop_assert_eq!(read, value),
            None => prop_assert!(serde_json::from_str::<Value>(&text).is_ok() || !(value.is_array() || value.is_object())),
        }
    }

    #[test]
    fn a_cut_text_keeps_what_was_there(value in value(), share in 0.0..1.0) {
        let text = value.to_string();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let mut end = (text.len() as f64 * share) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if let Some(mended) = mend_json(&text[..end]) {
            prop_assert!(serde_json::from_str::<Value>(&mended.text).is_ok(), "{}", mended.text);
        }
    }
}
