//! The kind of failure that `lmthing check` assigns to an error, and the value that it refers to: neither is guessed
//! from the message.

use crate::{findings::Finding, support::Folder};

/// The first line of a prompt file.
const HEAD: &str = "export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'x' }];\n";
/// A prompt function.
const RUNS: &str = "export default ({ $ }) => { $`x`; };\n";

/// The findings in the first of these files: `file line code`, then message and hint.
fn found(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let outcome = Folder::new(files).run(&format!("check --format json {}", files[0].0));
    let shown = |finding: &Finding| (format!("{} {} {}", finding.file, finding.line, finding.code), finding.text());
    Finding::all(&outcome).iter().map(shown).collect()
}

/// Asserts exactly one finding, at a position, with these words.
#[track_caller]
fn assert_only(files: &[(&str, &str)], place: &str, words: &str) {
    let found = found(files);
    let [(at, printed)] = &found[..] else { panic!("one is due: {found:#?}") };
    assert_eq!(at, place, "{printed}");
    assert!(printed.contains(words), "{words} in {printed}");
}

#[test]
fn failures_during_loading_have_kinds() {
    let load = |name: &str| format!("{HEAD}{RUNS}const name = './{name}'; await import(name);");
    for (name, text, place) in [
        ("gone.mjs", None, "p.lmt.mjs 3 import"),
        ("broken.mjs", Some("let a = ;"), "broken.mjs 1 syntax"),
        ("broken.ts", Some("let a: = 1;"), "broken.ts 1 syntax"),
        ("name.mjs", Some("import { no } from './whole.mjs';"), "name.mjs 1 import"),
        ("broken.json", Some("{ a }"), "broken.json 1 import"),
        ("throws.mjs", Some("throw new Error('ERR_MODULE_NOT_FOUND');"), "throws.mjs 1 load"),
    ] {
        let source = load(name);
        let files =
            [("p.lmt.mjs", source.as_str()), ("whole.mjs", "export const yes = 1;"), (name, text.unwrap_or_default())];
        assert_only(&files[..if text.is_some() { 3 } else { 2 }], place, "");
    }
}

#[test]
fn errors_that_scripts_throw_are_not_loader_failures() {
    for thrown in [
        "new Function('(');",
        "JSON.parse('{');",
        "throw Object.assign(new Error('x'), { code: 'ERR_PACKAGE_IMPORT_NOT_DEFINED' });",
        "throw new SyntaxError('it does not provide an export named x');",
    ] {
        // Together with a type error, which hides syntax errors.
        let source = format!("{HEAD}{RUNS}export const wrong = 'x'.no;\n{thrown}");
        let found = found(&[("p.lmt.mjs", &source)]);
        let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, ["p.lmt.mjs 3 TS2339", "p.lmt.mjs 4 load"], "{thrown}");
    }
}

#[test]
fn a_part_of_an_option_is_found() {
    let config = "export const mock = ['x'];\nexport const config: any = { model: 'mock', options: {\n timeout: {\n  idle: 'x',\n },\n},\nprices: {\n 'lab:m': {\n  input: 1,\n  output: -1,\n },\n} };\n";
    let source =
        format!("{config}{RUNS}").replace("({ $ })", "({ $ }: any)").replace("['x']", "[{ type: 'text', text: 'x' }]");
    let found = found(&[("p.lmt.ts", &source)]);
    let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["p.lmt.ts 4 config", "p.lmt.ts 10 config"], "{found:#?}");
    assert!(found[0].1.starts_with("config.options.timeout.idle must be a number, got 'x'"), "{found:?}");
    assert!(found[1].1.starts_with("config.prices[\"lab:m\"].output is -1"), "{found:?}");
}

#[test]
fn an_input_that_is_missing_is_named_however_the_function_is_written() {
    for function in [
        "export default async ({ $ }, { city }) => { $`${city}`; };",
        "async function main({ $ }, [city]) { $`${city}`; }\nexport default main;",
        "const main = function ({ $ }, { city }) { $`${city}`; };\nexport { main as default };",
    ] {
        assert_only(&[("p.lmt.mjs", &format!("{HEAD}{function}"))], "p.lmt.mjs 2 render", "the file exports no input");
    }
    let inside = "export default ({ $ }) => {\nconst { city } = [].at(1) ?? /** @type {any} */ (null); $`${city}`; };";
    let found = found(&[("p.lmt.mjs", &format!("{HEAD}{inside}"))]);
    assert!(found.len() == 1 && !found[0].1.contains("exports no input"), "{found:?}");
}

#[test]
fn only_ordinary_files_are_read() {
    for (name, import) in [
        ("pipe.json", "import d from './pipe.json';"),
        ("pipe.mjs", "import './pipe.mjs';"),
        ("pipe.js", "import './pipe.js';"),
        ("pipe.txt", "import d from './pipe.txt' with { type: 'text' };"),
        ("pipe.mjs", "const name = './pipe.mjs'; await import(name);"),
    ] {
        let folder = Folder::new(&[("p.lmt.mjs", &format!("{HEAD}{RUNS}{import}"))]);
        let made = std::process::Command::new("mkfifo").arg(folder.path(name)).status().unwrap();
        assert!(made.success());
        let began = std::time::Instant::now();
        let outcome = folder.run("check --format json p.lmt.mjs");
        let report = outcome.object();
        let finding = &report["diagnostics"][0];
        // A computed name has no known position.
        let line = (!import.contains("await")).then_some(3);
        assert_eq!((finding["code"].as_str(), finding["line"].as_u64()), (Some("import"), line), "{report}");
        assert!(finding["message"].as_str().unwrap().contains("only ordinary files are read"), "{report}");
        assert!(began.elapsed() < std::time::Duration::from_secs(8), "{import}");
    }
}

#[test]
fn json_that_would_exhaust_a_parser_is_refused_and_large_json_is_any() {
    let source = format!("{HEAD}{RUNS}import d from './d.json';\nexport const first = d[0].a.b;");
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_only(&[("p.lmt.mjs", &source), ("d.json", &deep)], "d.json 1 import", "nested too deeply");
    let large = format!("[{{ \"a\": {{ \"c\": 1 }}, \"text\": \"{}\" }}]", "x".repeat(2 << 20));
    assert_eq!(found(&[("p.lmt.mjs", &source), ("d.json", &large)]), []);
    let small = "[{ \"a\": { \"c\": 1 } }]";
    assert_only(&[("p.lmt.mjs", &source), ("d.json", small)], "p.lmt.mjs 4 TS2339", "'b' does not exist");
}

#[test]
fn modules_that_lmthing_does_not_have_are_answered_with_those_it_has() {
    let missing = |name: &str| format!("{HEAD}{RUNS}import {{ x }} from '{name}'; export const y = x;");
    let all = "lmthing's modules are 'lmthing', 'lmthing/";
    let tests = "import { expect, test } from 'lmthing/test'";
    for (name, hint) in [
        ("lmthing/nope", all),
        ("lmthing/plugin", "did you mean 'lmthing/plugins'?"),
        ("vitest", tests),
        ("@jest/globals", tests),
    ] {
        assert_only(&[("p.lmt.mjs", &missing(name))], "p.lmt.mjs 3 TS2307", hint);
    }
}

#[test]
fn nothing_is_to_be_installed_for_names_that_are_missing() {
    for (text, code, hint) in [
        ("test('a', () => {});", "TS2593", "import { test } from 'lmthing/test';"),
        ("describe('a', () => {});", "TS2593", "import { describe } from 'lmthing/test';"),
        ("module.exports = 1;", "TS2591", "write export …"),
        ("$`x`;", "TS2592", "take it out of the prompt: export default ({ $ }) => …"),
        ("document.title;", "TS2584", "lmthing is no browser"),
    ] {
        let files = [("p.lmt.mjs", &*format!("{HEAD}{RUNS}{text}"))];
        assert_only(&files, &format!("p.lmt.mjs 3 {code}"), hint);
        let printed = Folder::new(&files).run("check").stdout;
        assert!(!printed.contains("npm i") && !printed.contains("@types"), "{printed}");
    }
}

#[test]
fn javascript_that_is_right_when_it_runs_is_no_mistake() {
    for right in [
        "const items = [{ name: 'a', price: 3 }, { name: 'b' }];\n\
         export const prices = items.filter((item) => item.price).map((item) => item.price.toFixed(2));",
        "const names = ['a', undefined];\nexport const trimmed = names.filter(Boolean).map((name) => name.trim());",
        "const names = ['a', undefined];\nconst good = names.filter(Boolean); for (const name of good) name.trim();",
        "const steps = [{ text: 'a' }];\n\
         export const last = () => { const { text } = steps.at(-1); return text + steps.pop().text + steps.shift().text; };",
        "const groups = new Map(); if (!groups.has('a')) groups.set('a', []); groups.get('a').push(1);",
        "const names = new Map([['a', 'b']]); names.get('a').trim(); const shout = (/** @type {string} */ it) => it;\n\
         export const first = shout(names.get('a')) + 'ab'.at(-1).trim();",
        "export const numbers = [parseInt(7.9), isNaN('x'), isNaN(new Date('x')), parseFloat(3), isFinite('3')];",
    ] {
        assert_eq!(found(&[("p.lmt.mjs", &format!("{HEAD}{RUNS}{right}"))]), [], "{right}");
    }
    for (wrong, code) in [
        ("const names = ['a'];\nexport const gone = () => names.find((name) => name === 'b').trim();", "TS2532"),
        ("const names = ['a', undefined];\nexport const all = () => names.map((name) => name.trim());", "TS18048"),
        ("const one = 1;\nexport const odd = () => parseInt({ one });", "TS2345"),
    ] {
        assert_only(&[("p.lmt.mjs", &format!("{HEAD}{RUNS}{wrong}"))], &format!("p.lmt.mjs 4 {code}"), "");
    }
    for (strict, code) in [("parseInt(7.9)", "TS2345"), ("['a'].at(-1).trim()", "TS2532")] {
        let typescript =
            format!("{HEAD}{RUNS}").replace("({ $ })", "({ $ }: any)") + &format!("export const n = {strict};");
        assert_only(&[("p.lmt.ts", &typescript)], &format!("p.lmt.ts 3 {code}"), "");
    }
}

#[test]
fn a_file_in_the_way_of_a_new_one_is_named() {
    let folder = Folder::new(&[("f", "")]);
    for name in ["f/x", "f/g/x"] {
        let outcome = folder.run(&format!("new {name}"));
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.starts_with("Error: f is a file, not a folder; nothing was written"), "{outcome:?}");
    }
}
