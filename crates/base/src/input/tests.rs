//! Tests how arguments become input, without JavaScript: one table for each rule.

use std::{collections::BTreeMap, sync::Arc, sync::Mutex};

use serde_json::{Value, json};

use super::*;
use crate::schema::Validator;

struct Texts {
    files: BTreeMap<&'static str, &'static str>,
    piped: Option<&'static str>,
    reads: Mutex<usize>,
}

impl TextSources for Texts {
    fn file(&self, path: &str) -> Result<String, UnreadableText> {
        let text = self.files.get(path).ok_or_else(|| UnreadableText("there is no such file".to_owned()))?;
        Ok((*text).to_owned())
    }

    fn standard_input(&self) -> Result<String, UnreadableText> {
        *self.reads.lock().unwrap() += 1;
        Ok(self.piped.unwrap_or_default().to_owned())
    }

    fn is_terminal(&self) -> bool {
        self.piped.is_none()
    }
}

/// A command line; `piped` is standard input, which is a terminal if it is `None`.
fn line(words: &[&str], whole: Option<&str>, piped: Option<&'static str>) -> (CommandLine, Arc<Texts>) {
    let files = BTreeMap::from([
        ("notes.md", "# Notes\n"),
        ("number", "7\n"),
        ("object.json", r#"{"street":"@notes.md"}"#),
        ("list.json", r#"["a","b"]"#),
        ("marked", "\u{feff}text"),
        ("mail", "a@b.example\n"),
    ]);
    let texts = Arc::new(Texts { files, piped, reads: Mutex::default() });
    let line = CommandLine {
        command: "lmthing run x.lmt.mjs".into(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        whole: whole.map(|word| WholeInput::Typed(word.to_owned())),
        is_call: false,
        own_options: || vec!["model".into(), "m".into()],
        sources: texts.clone(),
        taken: None,
    };
    (line, texts)
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Which city"},
            "days": {"type": "integer", "minimum": 1, "default": 3},
            "tags": {"type": "array", "items": {"type": "string"}},
            "ratio": {"type": "number"},
            "isLong": {"type": "boolean"},
            "mode": {"enum": ["fast", "slow"]},
            "address": {"type": "object", "properties": {"street": {"type": "string"}, "zipCode": {"type": "integer"}}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}}},
            "value": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "object"}]},
            "note": {"type": ["string", "null"]},
            "mail": {"type": "string", "format": "email"},
            "anything": {},
        },
        "required": ["city"],
    })
}

fn given(schema: &Value, words: &[&str], whole: Option<&str>, piped: Option<&'static str>) -> Result<Value, String> {
    let declaration = Declaration::new(Some(schema), None).unwrap();
    let message = |problem: InputProblem| match problem.hint {
        Some(hint) => format!("{} ({hint})", problem.message),
        None => problem.message,
    };
    match read(&declaration, &line(words, whole, piped).0).map_err(message)? {
        ParsedInput::Help => Err("help".into()),
        ParsedInput::Input(mut filled) => {
            declaration.add_defaults(&mut filled.input);
            let value = Value::Object(filled.input.clone());
            match Validator::new(schema).unwrap().validate(&value) {
                Ok(()) => Ok(value),
                Err(problems) => Err(message(InputProblem::from_schema(&declaration, &filled, &problems, false))),
            }
        }
    }
}

#[test]
fn programs_get_messages_with_properties() {
    let schema = schema();
    let declaration = Declaration::new(Some(&schema), None).unwrap();
    for (input, message) in [
        (json!({}), "missing required input: city (string)"),
        (json!({ "city": 1 }), "city: expected string, got 1"),
        (json!({ "city": "Rome", "rows": [{ "n": "x" }] }), "rows[0].n: expected number, got 'x'"),
    ] {
        let problems = Validator::new(&schema).unwrap().validate(&input).unwrap_err();
        let Value::Object(input) = input else { unreachable!() };
        let filled = FilledInput { input, is_standard_input_empty: true };
        assert_eq!(InputProblem::from_schema(&declaration, &filled, &problems, true).message, message);
    }
}

#[test]
fn words_become_values() {
    let cases: &[(&[&str], Value)] = &[
        (&["Rome"], json!({"city": "Rome", "days": 3})),
        (&["--city", "Rome", "--days", "5"], json!({"city": "Rome", "days": 5})),
        (&["--city=Rome=Roma", "--days=-5"], json!("--days: Too small: expected number to be >=1, got -5")),
        (&["--days", "1", "--days", "2", "Rome"], json!({"days": 2, "city": "Rome"})),
        (&["x", "--tags", "a", "--tags=b"], json!({"city": "x", "days": 3, "tags": ["a", "b"]})),
        (&["x", "--tags", "[\"a\", \"@notes.md\"]"], json!({"city": "x", "days": 3, "tags": ["a", "# Notes\n"]})),
        (&["x", "--tags", "[1]"], json!({"city": "x", "days": 3, "tags": ["[1]"]})),
        (&["x", "--tags", "@list.json"], json!({"city": "x", "days": 3, "tags": ["a", "b"]})),
        (&["x", "--ratio", "-.5e1"], json!({"city": "x", "days": 3, "ratio": -5.0})),
        (&["x", "--is-long"], json!({"city": "x", "days": 3, "isLong": true})),
        (&["--isLong", "x"], json!({"city": "x", "days": 3, "isLong": true})),
        (&["--is-long", "false", "x"], json!({"city": "x", "days": 3, "isLong": false})),
        (&["--is_long=true", "x"], json!({"city": "x", "days": 3, "isLong": true})),
        (&["--is-long", "--no-is-long", "x"], json!({"city": "x", "days": 3, "isLong": false})),
        (&["--noIsLong", "x"], json!({"city": "x", "days": 3, "isLong": false})),
        (&["x", "--mode", "slow"], json!({"city": "x", "days": 3, "mode": "slow"})),
        (&["x", "--address.zip-code", "5"], json!({"city": "x", "days": 3, "address": {"zipCode": 5}})),
        (
            &["x", "--rows", "{\"n\":1}", "--rows", "[{\"n\":2}]"],
            json!({"city": "x", "days": 3, "rows": [{"n": 1}, {"n": 2}]}),
        ),
        (&["x", "--value", "5"], json!({"city": "x", "days": 3, "value": 5})),
        (&["x", "--value", "\"5\""], json!({"city": "x", "days": 3, "value": "5"})),
        (&["x", "--value", "true"], json!({"city": "x", "days": 3, "value": "true"})),
        (&["x", "--value", "{\"a\": 1}"], json!({"city": "x", "days": 3, "value": {"a": 1}})),
        (&["x", "--note", "null"], json!({"city": "x", "days": 3, "note": null})),
        (&["x", "--note", "\"5\""], json!({"city": "x", "days": 3, "note": "\"5\""})),
        (&["x", "--anything", "[1]"], json!({"city": "x", "days": 3, "anything": [1]})),
        (&["x", "--anything", "one"], json!({"city": "x", "days": 3, "anything": "one"})),
        (&["--", "--days"], json!({"city": "--days", "days": 3})),
        (&["- one\n- two"], json!({"city": "- one\n- two", "days": 3})),
        (&["-5"], json!({"city": "-5", "days": 3})),
        (&["--city", "---"], json!({"city": "---", "days": 3})),
    ];
    for (words, expected) in cases {
        let got = given(&schema(), words, None, None).unwrap_or_else(Value::String);
        assert_eq!(got, *expected, "{words:?}");
    }
}

#[test]
fn texts_come_from_files_and_standard_input() {
    let cases: &[(&[&str], Option<&str>, Value)] = &[
        (&["@notes.md"], None, json!({"city": "# Notes\n", "days": 3})),
        (&["@@rome"], None, json!({"city": "@rome", "days": 3})),
        (&["@"], None, json!({"city": "@", "days": 3})),
        (&["@marked", "--days", "@number"], None, json!({"days": 7, "city": "text"})),
        (&["x", "--mail", "@mail"], None, json!({"mail": "a@b.example", "city": "x", "days": 3})),
        (
            &["x", "--address", "@object.json"],
            None,
            json!({"address": {"street": "@notes.md"}, "city": "x", "days": 3}),
        ),
        (
            &["x", "--address", "{\"street\":\"@notes.md\"}"],
            None,
            json!({"address": {"street": "# Notes\n"}, "city": "x", "days": 3}),
        ),
        (&["-"], Some("piped\n"), json!({"city": "piped\n", "days": 3})),
        (&["-"], Some(""), json!({"city": "", "days": 3})),
        (&["--days", "-", "x"], Some("4\n"), json!({"days": 4, "city": "x"})),
        (&[], Some("piped"), json!({"city": "piped", "days": 3})),
        (&[], Some(""), json!("missing required input: --city <string> (standard input is empty)")),
        (&[], None, json!("missing required input: --city <string>")),
        (
            &["-"],
            None,
            json!(
                "--city: - is standard input, and nothing is piped into it (pipe a text into the command, or give a file as @PATH)"
            ),
        ),
        (&["-", "--note", "-"], Some("x"), json!("--city: standard input can be read once, and --note has read it")),
        (
            &["@none"],
            None,
            json!(
                "--city: cannot read the file none: there is no such file (@ stands for a file's text; the text itself is written @@none)"
            ),
        ),
        (
            &["x", "--address", "{\"street\":\"@none\"}"],
            None,
            json!(
                "--address: cannot read the file none: there is no such file (@ stands for a file's text; the text itself is written @@none)"
            ),
        ),
    ];
    for (words, piped, expected) in cases {
        let got = given(&schema(), words, None, *piped).unwrap_or_else(Value::String);
        assert_eq!(got, *expected, "{words:?}");
    }
}

#[test]
fn standard_input_is_read_only_for_a_string_that_is_missing() {
    let strings = |required: &[&str]| json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "n": {"type": "number"}}, "required": required});
    for (required, words, reads) in [
        (&["a"][..], &["x"][..], 0),
        (&["a"], &[], 1),
        (&["a", "b"], &[], 0),
        (&["a", "b"], &["x"], 1),
        (&["a", "n"], &[], 0),
        (&["n"], &[], 0),
        (&[], &[], 0),
    ] {
        let declaration = Declaration::new(Some(&strings(required)), None).unwrap();
        let (line, texts) = line(words, None, Some("text"));
        read(&declaration, &line).unwrap();
        assert_eq!(*texts.reads.lock().unwrap(), reads, "{required:?} {words:?}");
    }
}

#[test]
fn the_whole_input_comes_first() {
    let whole =
        |text: &str, words: &[&str], piped| given(&schema(), words, Some(text), piped).unwrap_or_else(Value::String);
    assert_eq!(
        whole(r#"{"city":"Rome","tags":["x"]}"#, &["--tags", "y"], None),
        json!({"city": "Rome", "tags": ["y"], "days": 3})
    );
    assert_eq!(
        whole(r#"{"address":{"street":"a"}}"#, &["x", "--address.zipCode=1"], None)["address"],
        json!({"street": "a", "zipCode": 1})
    );
    assert_eq!(whole(r#"{"city":"@notes.md"}"#, &[], None)["city"], "# Notes\n");
    assert_eq!(whole("-", &[], Some(r#"{"city":"@notes.md"}"#))["city"], "@notes.md");
    assert_eq!(
        whole(r#"{"ctiy":"Rome"}"#, &[], None),
        "missing required input: --city <string> (the input has ctiy; did you mean city?)"
    );
    for (text, expected) in [
        (
            "{",
            "--input: expected the whole input as a JSON object, got '{', which is not JSON: EOF while parsing an object at line 1 column 2",
        ),
        ("[1]", "--input: expected the whole input as a JSON object, got '[1]'"),
        (
            "notes.md",
            "--input: expected the whole input as a JSON object, got 'notes.md', which is not JSON: expected ident at line 1 column 2 (the text of the file is --input @notes.md)",
        ),
        ("", "--input: expected the whole input as a JSON object, got nothing (the word is empty)"),
        (
            "@notes.md",
            "--input @notes.md: expected the whole input as a JSON object, got '# Notes', which is not JSON: expected value at line 1 column 1",
        ),
        ("@none", "--input: cannot read the file none: there is no such file"),
        (
            r#"{"city":"x"} y"#,
            "--input: expected the whole input as a JSON object, got '{\"city\":\"x\"} y', which is not JSON: trailing characters at line 1 column 14",
        ),
    ] {
        assert_eq!(whole(text, &[], None), expected);
    }
}

#[test]
fn mistakes_name_the_option_and_what_is_expected() {
    let cases: &[(&[&str], &str)] = &[
        (&["x", "--dayz", "5"], "unknown option --dayz (did you mean --days?)"),
        (&["x", "--nothing-like-it"], "unknown option --nothing-like-it"),
        (
            &["x", "--no-mode"],
            "unknown option --no-mode (only a boolean can be turned off; --mode takes one of fast, slow)",
        ),
        (
            &["x", "--model", "y"],
            "unknown option --model (an option of lmthing run stands before the file: lmthing run --model … FILE)",
        ),
        (&["x", "-d", "5"], "unknown option -d (options have two dashes; behind -- everything is a bare word)"),
        (&["x", "--days", "many"], "--days: expected an integer (a whole number), got 'many'"),
        (&["x", "--days", "1.5"], "--days: expected an integer (a whole number), got '1.5'"),
        (&["x", "--ratio", "NaN"], "--ratio: expected a number, got 'NaN'"),
        (&["x", "--ratio", "1e999"], "--ratio: expected a number, got '1e999'"),
        (&["x", "--ratio="], "--ratio: expected a number, got ''"),
        (&["x", "--is-long=maybe"], "--is-long: expected a boolean (true or false), got 'maybe'"),
        (&["x", "--no-is-long=true"], "--no-is-long takes no value, got 'true'"),
        (&["x", "--mode", "fats"], "--mode: expected one of fast, slow, got 'fats' (did you mean fast?)"),
        (&["x", "--address", "Rome"], "--address: expected a JSON object {street?, zipCode?}, got 'Rome'"),
        (
            &["x", "--rows", "[1"],
            "--rows: expected a JSON object {n?}, got '[1', which is not JSON: EOF while parsing a list at line 1 column 3",
        ),
        (&["x", "--address.zip", "5"], "unknown option --address.zip"),
        (&["x", "--address", "{\"zipCode\": \"5\"}"], "--address.zipCode: expected integer, got '5'"),
        (&["x", "--rows", "{\"n\": \"5\"}"], "--rows[0].n: expected number, got '5'"),
        (&["--days"], "--days needs a value: expected an integer (a whole number), got nothing"),
        (
            &["--city", "--days", "5"],
            "--city needs a value: expected a string, got nothing (a value that begins with dashes is given as --city=--days)",
        ),
        (&["Rome", "Paris"], "unexpected word 'Paris': one bare word is expected (text with spaces goes in quotes)"),
        (
            &["--city", "Rome", "Paris"],
            "unexpected word 'Paris': all required input is given already (text with spaces goes in quotes)",
        ),
    ];
    for (words, expected) in cases {
        assert_eq!(given(&schema(), words, None, None).unwrap_err(), *expected, "{words:?}");
    }
}

#[test]
fn bare_words_fill_what_is_required_in_order() {
    let schema = json!({
        "type": "object",
        "properties": {
            "from": {"type": "string"}, "files": {"type": "array", "items": {"type": "string"}},
            "maybe": {"type": "string"}, "count": {"type": "number"},
        },
        "required": ["count", "files", "from"],
    });
    let given = |words: &[&str]| given(&schema, words, None, None).unwrap_or_else(Value::String);
    assert_eq!(given(&["a", "b", "c", "4"]), json!({"from": "a", "files": ["b", "c"], "count": 4}));
    assert_eq!(given(&["b", "c", "--count", "1", "--from=x"]), json!({"count": 1, "from": "x", "files": ["b", "c"]}));
    assert_eq!(given(&["a"]), "missing required input: --count <number>, --files <string>...");
    assert_eq!(given(&["a", "b", "many"]), "--count: expected a number, got 'many'");
}

#[test]
fn options_are_named_after_properties() {
    for (name, option) in [
        ("city", "city"),
        ("maxWords", "max-words"),
        ("max_words", "max-words"),
        ("parseURL", "parse-url"),
        ("HTMLBody", "html-body"),
        ("page2Size", "page2-size"),
        ("URL", "url"),
    ] {
        assert_eq!(property::kebab(name), option);
    }
    let both = json!({"properties": {"maxWords": {"type": "string"}, "max-words": {"type": "number"}, "noCache": {"type": "boolean"}, "cache": {"type": "boolean"}}});
    let given = |words: &[&str]| given(&both, words, None, None).unwrap_or_else(Value::String);
    assert_eq!(given(&["--maxWords", "a", "--max-words", "1"]), json!({"maxWords": "a", "max-words": 1}));
    assert_eq!(given(&["--no-cache", "--cache"]), json!({"noCache": true, "cache": true}));
    let open = json!({"type": "object", "properties": {}, "additionalProperties": {"type": "number"}});
    assert_eq!(super::tests::given(&open, &["--any-name", "1"], None, None), Ok(json!({"any-name": 1})));
    assert_eq!(Declaration::new(Some(&json!({"type": "string"})), None).unwrap_err().kind, "string");
}

#[test]
fn help_tells_types_defaults_and_descriptions() {
    let help_of = |schema: &Value, description: Option<&str>| {
        let (line, _) = line(&[], None, None);
        help(&Declaration::new(Some(schema), description.map(str::to_owned)).unwrap(), true, &line)
    };
    let text = help_of(&schema(), Some("Says how the weather is."));
    for part in [
        "Says how the weather is.\n\nUsage: lmthing run x.lmt.mjs <city> [OPTIONS]\n\nOptions:\n",
        "  --city <string>                 Which city [required]\n",
        "  --days <integer>                [at least 1, default: 3]\n",
        "  --tags <string>...\n",
        "  --is-long, --no-is-long         [boolean]\n",
        "  --mode <fast|slow>\n",
        "  --note <string|null>\n",
        "  -h, --help                      Print this help\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let small = json!({"description": "Own words.", "properties": {"help": {"type": "string", "default": ""}}});
    let text = help_of(&small, None);
    assert!(text.starts_with("Own words.\n\nUsage: lmthing run x.lmt.mjs [--help <string>]\n"), "{text}");
    assert!(text.contains("  --help=<string>  [default: \"\"]\n"), "{text}");
    for (words, is_help) in
        [(&["-h"][..], true), (&["x", "--help"], true), (&["--", "--help"], false), (&["--help=x"], false)]
    {
        assert_eq!(given(&small, words, None, None) == Err("help".into()), is_help, "{words:?}");
    }
}
