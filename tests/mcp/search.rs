//! More functions than a prompt can show (docs/reference/mcp-client.md): names in the prompt, declarations by search,
//! and a type check that knows all.

use serde_json::{Value, json};

use crate::support::{
    Folder,
    mcp::{call, code, prompt, results_of, server},
};

/// A folder with a prompt file that has 2000 functions of a server, and one of its own.
fn large(calls: &[Value], config: &str) -> Folder {
    let body = format!(
        "prompt.defFunction('own', 'Doubles a number', z.object({{ n: z.number() }}), ({{ n }}) => n * 2);\ndefMcp('t', {}, {{ as: 'functions' }});\n\
         defEffect(({{ systems, tools }}) => console.log(JSON.stringify({{ tools: [...tools].map((tool) => tool.name) }})));",
        server(&["many=2000"])
    );
    Folder::of(&prompt(calls, &body).replace("model: 'mock'", &format!("model: 'mock', {config}")))
}

fn system_of(folder: &Folder) -> String {
    let source = std::fs::read_to_string(folder.path("p.lmt.mjs")).expect("the file");
    let shown = source.replace("$`go`; };", "$`go`; };\n").replace(
        "export default async (prompt) => {",
        "export default async (prompt) => { prompt.defState('x', 0); globalThis.shown = prompt; process.once('exit', () => console.log('SYSTEM' + JSON.stringify(prompt.steps[0].input.prompt[0].content)));",
    );
    folder.write("s.lmt.mjs", &shown);
    let outcome = folder.run("run s.lmt.mjs");
    let line =
        outcome.stdout.lines().find_map(|line| line.strip_prefix("SYSTEM")).unwrap_or_else(|| panic!("{outcome:?}"));
    serde_json::from_str(line).expect("a text")
}

#[test]
fn the_prompt_lists_names_within_its_budget() {
    let folder = large(&[], "");
    let system = system_of(&folder);
    // The rest of the limit is for the declarations of runToolCode and searchFunctions, in any provider's form.
    assert!(system.len() <= 8192 - 940, "{}", system.len());
    for part in ["own\n", "t.sum\n", "t.tool_0\n", " more\n", "function searchFunctions(args: string | {"] {
        assert!(system.contains(part), "{part}: {system}");
    }
    let system = system_of(&large(&[], "functions: { promptBytes: 1024 }"));
    assert!(system.len() <= 1024, "{}", system.len());
    let all = system_of(&large(&[], "functions: { promptBytes: 10_000_000 }"));
    assert!(all.contains("function tool_1999(args: {") && !all.contains("searchFunctions"));
}

#[test]
fn declarations_are_found_by_the_model_and_by_code() {
    let calls = [
        call("searchFunctions", json!({ "query": "double a number" })),
        call("searchFunctions", json!({ "query": "t.tool_1234" })),
        code(
            "const found = await searchFunctions('tool_77'); return [found, await searchFunctions({ query: 'nonsense' })].join();",
        ),
        code(
            "return [await own({ n: 4 }), (await t.tool_1999({ field1999: 'x' })).result1999 + (await t.sum({ a: 1, b: 2 })).sum];",
        ),
        code("return await t.tool_1999({ field1998: 'x' });"),
        code("return await t.too_1999({});"),
        code("return Object.keys(t).length;"),
    ];
    let results = results_of(&large(&calls, ""));
    assert!(results[0].contains("declare function own(args: { n: number })"), "{}", results[0]);
    assert!(results[1].contains("function tool_1234(args: {"), "{}", results[1]);
    assert!(results[2].contains("function tool_77(") && results[2].contains("No function matches"), "{}", results[2]);
    let value = |index: usize| -> Value { serde_json::from_str(&results[index]).expect("a result of code") };
    assert_eq!(value(3), json!({ "success": true, "result": [8, 2002] }));
    assert!(
        results[4].contains("'field1998' does not exist in type") || results[4].contains("field1999"),
        "{}",
        results[4]
    );
    assert!(
        results[5].contains("Property 'too_1999' does not exist on type 'typeof t'. Did you mean 'tool_1999'?"),
        "{}",
        results[5]
    );
    assert!(value(6)["result"].as_u64().is_some_and(|count| count > 2000), "{}", results[6]);
}
