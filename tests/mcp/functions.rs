//! `defMcp` with `as: 'functions'` (docs/reference/mcp-client.md): typed functions for code.

use serde_json::{Value, json};

use crate::support::{
    Folder,
    mcp::{code, folder, prompt, results_of, server},
};

const FUNCTIONS: &str = "{ as: 'functions' }";

fn values(folder: &Folder) -> Vec<Value> {
    results_of(folder).iter().map(|text| serde_json::from_str(text).expect("a result of code")).collect()
}

#[test]
fn code_calls_the_tools_of_a_server() {
    let calls = [
        code(
            "const { sum } = await t.sum({ a: 2, b: 3 });\nreturn [sum.toFixed(1), await t.echo({ text: 'x' }), await t.get_thing({})];",
        ),
        code("try { await t.fail({}) } catch (error) { return (error as Error).message }"),
        code("return (await t.picture({})).content.length"),
    ];
    let results = values(&folder(&[], FUNCTIONS, &calls));
    assert_eq!(results[0], json!({ "success": true, "result": ["5.0", "x", "thing"] }));
    assert_eq!(results[1], json!({ "success": true, "result": "it is broken" }));
    assert_eq!(results[2]["result"], 2);
}

#[test]
fn a_wrong_call_is_a_type_error_before_anything_runs() {
    let calls = [
        code("await t.echo({ text: 'x' });\nreturn await t.sum({ a: 'two', b: 3 });"),
        code("return (await t.sum({ a: 1, b: 2 })).total;"),
    ];
    let folder = folder(&["log=calls.log"], FUNCTIONS, &calls);
    let results = values(&folder);
    assert_eq!((&results[0]["success"], &results[0]["errors"][0]["line"]), (&json!(false), &json!(2)));
    assert!(
        results[0]["errors"][0]["message"]
            .as_str()
            .is_some_and(|text| text.contains("not assignable to type 'number'"))
    );
    assert!(results[1]["errors"][0]["message"].as_str().is_some_and(|text| text.contains("'total' does not exist")));
    let log = std::fs::read_to_string(folder.path("calls.log")).expect("the log");
    assert!(!log.contains("call "), "{log}");
}

#[test]
fn names_and_hidden_servers() {
    let body = format!(
        "const t = defMcp('my-server', {}, {FUNCTIONS});\ndefEffect(({{ stepNumber }}) => {{ if (stepNumber === 1) t.disable(); }});",
        server(&[])
    );
    let calls =
        [code("return await my_server.echo({ text: 'x' })"), code("return await my_server.echo({ text: 'x' })")];
    let folder = Folder::of(&prompt(&calls, &body));
    let results = values(&folder);
    assert_eq!(results[0]["result"], "x");
    assert!(results[1].to_string().contains("Cannot find name 'my_server'"), "{}", results[1]);
}

#[test]
fn a_name_that_a_function_has_is_refused() {
    let body = format!(
        "prompt.defFunction('t', 'Mine', z.object({{}}), () => 1);\ndefMcp('t', {}, {FUNCTIONS});",
        server(&[])
    );
    let outcome = Folder::of(&prompt(&[], &body)).run("run p.lmt.mjs");
    let words = "defMcp('t'): there is a function t already; call the server otherwise";
    assert!(outcome.code == 1 && outcome.stderr.contains(words), "{outcome:?}");
}
