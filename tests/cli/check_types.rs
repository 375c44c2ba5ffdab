//! `lmthing check`: what the type check finds in prompt files, and what it accepts (docs/reference/check.md).

use std::time::{Duration, Instant};

use crate::{findings::Finding, support::Folder};

/// The first lines of a prompt file, joined to one.
const HEAD: &str = "import { z } from 'zod'; export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'x' }];\n";

/// The errors in one file.
fn check(folder: &Folder, file: &str) -> Vec<Finding> {
    let outcome = folder.run(&format!("check --no-render --format json {file}"));
    let errors: Vec<_> = Finding::all(&outcome).into_iter().filter(Finding::is_error).collect();
    assert_eq!(outcome.code, i32::from(!errors.is_empty()), "{outcome:?}");
    errors
}

/// Checks files of which the first is the prompt file.
fn errors_in(files: &[(&str, &str)]) -> Vec<Finding> {
    check(&Folder::new(files), files[0].0)
}

/// Asserts exactly one error in JavaScript appended to [`HEAD`].
#[track_caller]
fn only(source: &str) -> Finding {
    only_in(&[("p.lmt.mjs", &format!("{HEAD}{source}"))])
}

#[track_caller]
fn only_in(files: &[(&str, &str)]) -> Finding {
    let mut found = errors_in(files);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

#[track_caller]
fn good(files: &[(&str, &str)]) {
    let found = errors_in(files);
    assert!(found.is_empty(), "{found:#?}");
}

#[track_caller]
fn good_js(source: &str) {
    good(&[("p.lmt.mjs", &format!("{HEAD}{source}"))]);
}

#[track_caller]
fn good_ts(source: &str) {
    good(&[("p.lmt.ts", &format!("{HEAD}{source}"))]);
}

#[test]
fn the_methods_of_the_prompt_are_known_without_annotation() {
    for source in [
        "export default async ({ def, $ }) => { def(1, 'x'); };",
        "export default async function ({ def, $ }) { def(1, 'x'); }",
        "export default async function named({ def, $ }) { def(1, 'x'); }",
        "export default (prompt) => { prompt.def(1, 'x'); };",
        "export default prompt => { prompt.def(1, 'x'); };",
        "export default async prompt => { prompt.def(1, 'x'); };",
        "const own = ({ def }) => { def(1, 'x'); }; export default own;",
        "function own({ def }) { def(1, 'x'); } export { own as default };",
        "const own = async function ({ def }) { def(1, 'x'); }; export { own as default };",
        "export default (({ def }) => { def(1, 'x'); });",
        "/** Says something. */ export default ({ def }) => { def(1, 'x'); };",
        "/** @type {import('lmthing').PromptFunction} */ export default ({ def }) => { def(1, 'x'); };",
        "/** @param {import('lmthing').Prompt} prompt */ export default ({ def }) => { def(1, 'x'); };",
    ] {
        let found = only(source);
        assert_eq!((found.line, found.code.as_str()), (2, "TS2345"), "{source}: {found:?}");
        let at = source.find("1, 'x'").unwrap() as u64 + 1;
        assert_eq!(found.column, at, "{source}");
        let found = only_in(&[(
            "p.lmt.ts",
            &format!("{HEAD}export const a: number = 1; {}", "export default prompt => { prompt.def(1, 'x'); };"),
        )]);
        assert_eq!((found.line, found.column), (2, 67));
    }
}

#[test]
fn the_input_has_the_type_of_its_schema() {
    let head =
        "import { z } from 'zod'; export const input = z.object({ city: z.string(), days: z.number().default(1) });
export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'x' }];\n";
    for name in ["p.lmt.mjs", "p.lmt.ts"] {
        let one = |source: &str| only_in(&[(name, &format!("{head}{source}"))]);
        let found = one("export default ({ def }, { city, dayz }) => { def('C', city); };");
        assert_eq!((found.line, found.column, found.code.as_str()), (3, 34, "TS2339"), "{found:?}");
        let found = one("export default ({ def }, { days }) => { def('D', days.trim()); };");
        assert!(found.message.contains("'trim' does not exist on type 'number'"), "{found:?}");
        good(&[(
            name,
            &format!(
                "{head}export default ({{ def }}, given, ...rest) => {{ def('C', given.city.trim() + rest.length); }};"
            ),
        )]);
    }
    // Parameters may have the names of the exports.
    for name in ["p.lmt.mjs", "p.lmt.ts"] {
        for parameters in ["({ def }, input)", "({ def }, { ...input })"] {
            let file = |body: &str| format!("{head}export default {parameters} => {{ {body} }};");
            good(&[(name, &file("def('C', input.city.trim());"))]);
            let found = only_in(&[(name, &file("def('D', input.days.trim());"))]);
            assert!(found.message.contains("'trim' does not exist on type 'number'"), "{found:?}");
        }
        let named = format!("{head}export default (config, input) => {{ config.def('C', input.city); }};");
        good(&[(name, &named), ("q.lmt.mjs", &format!("#!/usr/bin/env lmthing\n{named}"))]);
    }
    let schema = "export const input = { type: 'object', properties: { name: { type: 'string' } } };";
    good_js(&format!(
        "{schema} export default ({{ def }}, {{ name, loud }}) => {{ def('N', loud ? name.trim() : name); }};"
    ));
    good_js("export default ({ def }, { name } = {}) => { def('N', name.trim()); };");
    good_js(
        "const schema = z.object({ a: z.string() }); export { schema as input }; export default ({ def }, { a }) => { def('N', a.trim()); };",
    );
}

#[test]
fn unknown_settings_stand_at_their_own_line() {
    let check = |name: &str, config: &str| {
        only_in(&[(name, &format!("export const config = {config};\nexport default ({{ $ }}) => {{ $`x`; }};\n"))])
    };
    for name in ["p.lmt.mjs", "p.lmt.ts"] {
        let found = check(name, "{\n  model: 'openai:gpt-4o',\n  temperature: 1,\n}");
        assert_eq!((found.line, found.column), (3, 3), "{found:?}");
        assert!(found.message.contains("'temperature' does not exist in type 'Config'"), "{found:?}");
        assert!(found.hint.contains("options: { temperature"), "{found:?}");
        let found = check(name, "{\n  model: 'openai:gpt-4o',\n  options: { temprature: 1 },\n}");
        assert_eq!(found.line, 3, "{found:?}");
        assert!(found.message.contains("temprature") && format!("{found:?}").contains("'temperature'"), "{found:?}");
        let found = check(name, "{\n  model: 'openai:gpt-4o',\n  options: { toolChoice: 'any' },\n}");
        assert_eq!(found.line, 3, "{found:?}");
        assert!(found.hint.contains("config.options.toolChoice"), "{found:?}");
        let found = check(name, "{ options: {} }");
        assert_eq!((found.line, found.column), (1, 14), "{found:?}");
        assert!(found.message.contains("model"), "{found:?}");
    }
}

#[test]
fn mock_items_are_checked_where_they_are_written() {
    let one = |mock: &str| {
        only_in(&[(
            "p.lmt.mjs",
            &format!(
                "export const config = {{ model: 'mock' }};\nexport const mock = {mock};\nexport default () => {{}};\n"
            ),
        )])
    };
    let found = one("[\n  { type: 'tool_call', toolName: 'x' },\n]");
    assert_eq!(found.line, 3, "{found:?}");
    let found = one("[\n  { type: 'text', text: 'a' },\n  { type: 'tool-call', name: 'x' },\n]");
    assert_eq!(found.line, 4, "{found:?}");
    // Computed values have any type.
    for mock in [
        "['a', 'b'].map((text) => ({ type: 'text', text }))",
        "[...['a'].map((text) => ({ type: 'text', text })), { type: 'text', text: 'b' }]",
        "items",
        "[...items]",
        "[items[0], ...items, { type: 'text', text: 'b' }]",
    ] {
        for name in ["p.lmt.mjs", "p.lmt.ts"] {
            good(&[(
                name,
                &format!(
                    "export const config = {{ model: 'mock' }};\nconst items = [{{ type: 'text', text: 'a' }}];\n\
                     export const mock = {mock};\nexport default () => {{}};\n"
                ),
            )]);
        }
    }
}

#[test]
fn plugins_give_the_prompt_their_methods() {
    let plugin =
        "export const notes = { defNote(text) { this.def('NOTE', text); }, defTwice(a, b = 1) { return [a, b]; } };\n";
    let with = |plugins: &str, body: &str| {
        format!(
            "import {{ notes }} from './notes.mjs';\nexport const config = {{ model: 'mock', plugins: {plugins} }};\nexport const mock = [];\nexport default (prompt) => {{ {body} }};\n"
        )
    };
    let both = |plugins: &str, body: &str| errors_in(&[("p.lmt.mjs", &with(plugins, body)), ("notes.mjs", plugin)]);
    assert!(both("[notes]", "prompt.defNote('x'); prompt.defTwice(1); prompt.def('A', 1);").is_empty());
    let found = both("[notes]", "prompt.defNotes('x');");
    assert_eq!((found.len(), found[0].line), (1, 4), "{found:?}");
    let found = both("[]", "prompt.defNote('x');");
    assert_eq!((found.len(), found[0].line), (1, 4), "{found:?}");
    assert!(found[0].hint.contains("config.plugins: [notes]"), "{found:?}");
    // Plugins whose methods are unknown.
    assert!(both("/** @type {any} */ ([notes])", "prompt.defAnything('x');").is_empty());
    assert!(both("/** @type {import('lmthing').Plugin[]} */ ([notes])", "prompt.defAnything('x');").is_empty());
    good_js("const two = { ...{} }; export default ({ def }) => { def('A', 1); };");
    // Several plugins, of which one has all the methods of another.
    good(&[(
        "p.lmt.mjs",
        "const a = { defA() {} }; const b = { defA() {}, defB() {} };
export const config = { model: 'mock', plugins: [a, b, { defC() { this.def('X', 1); } }] }; export const mock = [];
export default ({ defA, defB, defC }) => { defA(); defB(); defC(); };",
    )]);
}

#[test]
fn javascript_needs_no_types_and_typescript_does() {
    let loose = "function twice(n) { return n * 2; } const list = []; list.push(1); let last; last = twice(list[0]);
try { last(); } catch (error) { console.log(error.message, last); }
let best = null; const state = { list: [], at: null }; const keep = (it) => { best ??= it; state.list.push('x'); state.at = 'y'; };
keep({ n: 1 }); const use = () => (best ? best.n : 0); use();
const map = {}; map.a = 1; const counts = { ...map }; counts['b'] = 2;
export default ({ def, defMessage }) => { def('A', twice(2)); for (const [role, text] of [['user', 'a']]) defMessage(role, text); };";
    good_js(loose);
    let found = errors_in(&[(
        "p.lmt.ts",
        &format!(
            "{HEAD}function twice(n) {{ return n * 2; }}\nexport default ({{ def }}) => {{ def('A', twice(2)); }};"
        ),
    )]);
    assert_eq!((found.len(), found[0].code.as_str()), (1, "TS7006"), "{found:?}");
    good_ts("export default ({ def }, input) => { def('A', input?.x ?? 1); };");
}

#[test]
fn each_language_is_checked_by_its_own_rules() {
    let prompt =
        format!("import {{ half }} from './half.ts'; {HEAD}export default ({{ def }}) => {{ def('A', half(2)); }};");
    let found = only_in(&[("p.lmt.mjs", &prompt), ("half.ts", "export function half(n) { return n / 2; }\n")]);
    assert_eq!((found.file.ends_with("half.ts"), found.code.as_str()), (true, "TS7006"), "{found:?}");
    let prompt =
        format!("import {{ half }} from './half.mjs'; {HEAD}export default ({{ def }}) => {{ def('A', half(2)); }};");
    good(&[("p.lmt.ts", &prompt), ("half.mjs", "export function half(n) { return n / 2; }\n")]);
}

#[test]
fn the_library_is_that_of_the_engine() {
    good_js(
        "const sorted = [3, 1].toSorted().with(0, 2); Object.groupBy(sorted, String); new Set([1]).union(new Set([2]));
Iterator.from([1]).map((n) => n + 1).toArray(); Promise.withResolvers().resolve(1); await Array.fromAsync([1]);
new Uint8Array(2).toHex(); RegExp.escape('.'); Promise.try(() => 1); [1].findLast((n) => n > 0); Math.f16round(1);
console.log(process.env.HOME, Buffer.from('x').toString('hex'), structuredClone({}), setTimeout, URL, performance.now());
export default async ({ def }) => { const { a } = await (await fetch('https://example.org')).json(); def('A', a); };",
    );
    let found = only("document.title = 'x';\nexport default () => {};");
    assert_eq!((found.line, found.column), (2, 1), "{found:?}");
}

#[test]
fn imports_are_looked_up_as_they_are_when_the_file_runs() {
    let import = |line: &str| format!("{line}\n{HEAD}export default ({{ def }}) => {{ def('A', String(x)); }};\n");
    let found =
        only_in(&[("p.lmt.mjs", &import("import { x } from './lib/x';")), ("lib/x.mjs", "export const x = 1;")]);
    assert_eq!((found.line, found.column, found.code.as_str()), (1, 19, "TS2307"));
    assert!(found.message.contains("'./lib/x'") && found.hint.contains("./lib/x.mjs"), "{found:?}");
    let found = only_in(&[("p.lmt.mjs", &import("import { x } from 'left-pad-x';"))]);
    assert!(found.hint.contains("npm install left-pad-x"), "{found:?}");
    let found =
        only_in(&[("p.lmt.mjs", &import("import { y as x } from './x.mjs';")), ("x.mjs", "export const x = 1;")]);
    assert_eq!((found.line, found.column, found.code.as_str()), (1, 10, "TS2305"), "{found:?}");
    let found = only_in(&[
        ("p.lmt.mjs", &import("import { x } from './x.mjs';")),
        ("x.mjs", "import './none.mjs';\nexport const x = 1;"),
    ]);
    assert!(found.file.ends_with("x.mjs") && found.line == 1, "{found:?}");
    let found = only_in(&[("p.lmt.mjs", &import("import { createMockModel as x } from 'lmthing';"))]);
    assert!(found.hint.contains("'lmthing/test'"), "{found:?}");
    good(&[("p.lmt.ts", &import("import { x } from './lib/x';")), ("lib/x.ts", "export const x: number = 1;")]);
    good(&[("p.lmt.ts", &import("import { x } from './x.js';")), ("x.ts", "export const x: number = 1;")]);
    good(&[("p.lmt.mjs", &import("import { x } from './x.mjs?again';")), ("x.mjs", "export const x = 1;")]);
    good(&[
        ("p.lmt.mjs", &import("import x from './x.cjs';")),
        ("x.cjs", "module.exports = { y: require('node:path') };"),
    ]);
    good(&[("p.lmt.mjs", &import("let x; try { x = await import('not-installed'); } catch { x = null; }"))]);
}

#[test]
fn paths_of_a_tsconfig_lead_to_types() {
    let prompt = |body: &str| {
        format!("import {{ size }} from '@lib/size';\n{HEAD}export default ({{ def }}) => {{ def('A', {body}); }};\n")
    };
    let config = r#"{ "compilerOptions": { "paths": { "@lib/*": ["./library/*"] } } }"#;
    let files = |text: &str| {
        [
            ("p.lmt.ts".to_owned(), text.to_owned()),
            ("tsconfig.json".to_owned(), config.to_owned()),
            ("library/size.ts".to_owned(), "export const size: number = 1;".to_owned()),
        ]
    };
    let run = |text: &str| {
        let files = files(text);
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        errors_in(&files)
    };
    assert!(run(&prompt("size.toFixed(1)")).is_empty());
    let found = run(&prompt("size.trim()"));
    assert_eq!((found.len(), found[0].line), (1, 3), "{found:?}");
}

#[test]
fn texts_and_json_have_their_types() {
    let prompt = |body: &str| {
        format!(
            "import text from './a.md' with {{ type: 'text' }}; import data from './d.json';\n{HEAD}export default ({{ def }}) => {{ {body} }};\n"
        )
    };
    let found = |body: &str| errors_in(&[("p.lmt.mjs", &prompt(body)), ("a.md", "# A"), ("d.json", r#"{ "n": 1 }"#)]);
    assert!(found("def(text.trim(), data.n.toFixed(1));").is_empty());
    assert_eq!(found("def('A', text.toFixed());")[0].line, 3);
    assert_eq!(found("def('A', data.m);")[0].line, 3);
    let found = only_in(&[("p.lmt.mjs", &prompt("def(text, data.n);")), ("a.md", "# A"), ("d.json", "{\n  n: 1 }")]);
    assert!(found.file.ends_with("d.json") && found.line == 2, "{found:?}");
}

#[test]
fn packages_without_sound_declarations_are_no_mistake() {
    let prompt =
        format!("import {{ pad }} from 'pad';\n{HEAD}export default ({{ def }}) => {{ def('A', pad(1).trim()); }};\n");
    let package = r#"{ "name": "pad", "type": "module", "main": "index.js" }"#;
    let code = "export const pad = (x) => String(x);";
    for name in ["p.lmt.mjs", "p.lmt.ts"] {
        good(&[(name, &prompt), ("node_modules/pad/package.json", package), ("node_modules/pad/index.js", code)]);
    }
    let broken = "import type { X } from 'none';\nexport declare function pad(x: X): Nowhere;";
    good(&[
        ("p.lmt.mjs", &prompt),
        ("node_modules/pad/package.json", package),
        ("node_modules/pad/index.js", code),
        ("node_modules/pad/index.d.ts", broken),
    ]);
}

#[test]
fn one_mistake_is_one_finding() {
    let found = only_in(&[(
        "p.lmt.mjs",
        "export const config = { model: 'mock' };\nexport const mock = [];\nconst a = z.object({ x: z.string(), y: z.string(), w: z.number() });\nexport default ({ defTool }) => { defTool('t', 't', a, ({ x }) => x.trim()); };\n",
    )]);
    assert_eq!((found.line, found.column), (3, 11), "{found:?}");
    assert!(found.hint.contains("from 'zod'"), "{found:?}");
    let found = only(
        "export default async ({ def }) => {\n  const r = fetch('https://a.b');\n  def('A', r.status); def('B', r.ok); def('C', await r.text());\n};",
    );
    assert!(found.hint.contains("await"), "{found:?}");
}

#[test]
fn errors_of_syntax_come_alone() {
    let found = only("const a = ;\nimport './none.mjs';\nexport default ({ defTol }) => {};");
    assert_eq!((found.line, found.column), (2, 11), "{found:?}");
    let found = only("function f(a: number, b: string): string { return b; }\nexport default () => {};");
    assert_eq!(found.line, 2, "{found:?}");
    assert!(found.hint.contains("p.lmt.ts"), "{found:?}");
    let found = only("const a = 1;\nconst a = 2;\nexport default () => {};");
    assert_eq!((found.line, found.code.as_str()), (2, "TS2451"), "{found:?}");
    let found = only(&format!("const a = {}1;\nexport default () => {{}};", "[".repeat(200_000)));
    assert!(found.message.contains("nested"), "{found:?}");
}

#[test]
fn hints_know_the_methods() {
    let found = only("export default ({ defTol }) => { defTol('a'); };");
    assert_eq!((found.line, found.column), (2, 19));
    assert!(found.hint.contains("'defTool'"), "{found:?}");
    let found =
        only("export default ({ defTool }) => { defTool('a', 'b', z.object({ a: z.string().optonal() }), () => 1); };");
    assert!(format!("{found:?}").contains("'optional'"), "{found:?}");
    assert!(!found.message.contains('/'), "{found:?}");
    let found = only("export default ({ $ }) => { def('A', 1); };");
    assert!(found.hint.contains("({ def })"), "{found:?}");
}

#[test]
fn positions_count_characters() {
    let source = "\u{feff}#!/usr/bin/env lmthing\r\n// 🏦 Übung\r\nexport const config = { model: 'mock' }; export const mock = [];\r\nexport default ({ def }) => { const t = '🏦é'; def(t, t.nix); };\r\n";
    let found = only_in(&[("p.lmt.mjs", source)]);
    assert_eq!((found.line, found.column), (4, 56), "{found:?}");
}

#[test]
fn comments_can_silence_the_check() {
    good_js("// @ts-expect-error it is wrong\nconst a = 'x'.nix;\nexport default () => a;");
    good_js("// @ts-ignore\nconst a = 'x'.nix;\nexport default () => a;");
    good(&[(
        "p.lmt.mjs",
        "// @ts-nocheck\nexport const config = { model: 'mock' }; export const mock = [];\nexport default ({ def }) => { def(1, 2, 3); };",
    )]);
    // An error of the render is reported too, once.
    let found = only("// @ts-expect-error there is none\nimport './none.mjs';\nexport default () => {};");
    assert_eq!((found.line, found.code.as_str()), (3, "TS2307"), "{found:?}");
    let found = only("// @ts-expect-error it is not\nconst a = 'x'.length;\nexport default () => a;");
    assert_eq!((found.line, found.code.as_str()), (2, "TS2578"), "{found:?}");
}

#[test]
fn a_prompt_file_that_is_imported_is_one_too() {
    let inner = "import { z } from 'zod';\nexport const input = z.object({ a: z.string() });\nexport const config = { model: 'mock' }; export const mock = [];\nexport default ({ def }, { b }) => { def('A', b); };\n";
    let outer = "import { runPrompt } from 'lmthing'; import * as inner from './inner.lmt.mjs';\nexport const config = { model: 'mock' }; export const mock = [];\nexport default async ({ def }) => { await runPrompt(inner, { input: { a: 'x' } }); };\n";
    let found = only_in(&[("p.lmt.mjs", outer), ("inner.lmt.mjs", inner)]);
    assert!(found.file.ends_with("inner.lmt.mjs") && found.line == 4, "{found:?}");
}

#[test]
fn imports_of_types_are_written_as_such() {
    let found = only_in(&[(
        "p.lmt.ts",
        &format!(
            "import {{ PromptFunction }} from 'lmthing';\n{HEAD}const f: PromptFunction = ({{ $ }}) => {{ $`x`; }};\nexport default f;"
        ),
    )]);
    assert_eq!((found.line, found.column), (1, 10), "{found:?}");
    good_ts(
        "import type { Prompt } from 'lmthing'; import { type Config } from 'lmthing';\nexport const other: Config = { model: 'mock' };\nexport default ({ $ }: Prompt) => { $`x`; };",
    );
}

const RUNS: &str = "export default ({ $ }) => { $`x`; };";

#[test]
fn exports_may_be_changed_after_they_are_declared() {
    let mock = |source: &str| match source.contains("export const mock") {
        true => "",
        false => "export const mock = [{ type: 'text', text: 'x' }];",
    };
    for source in [
        "export const config = { model: 'mock', options: {} }; config.options.temperature = 0.5; config.limits = { steps: 5 };",
        "export const config = { model: 'mock', options: {} }; config['limits'] = { steps: 5 };",
        "export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'a' }];
         mock.push({ type: 'tool-call', toolName: 't', args: {} }); mock.unshift({ type: 'finish', finishReason: 'stop' });",
    ] {
        good(&[("p.lmt.mjs", &format!("{source}{}{RUNS}", mock(source)))]);
        good(&[("p.lmt.ts", &format!("{source}{}{RUNS}", mock(source)))]);
    }
    for source in [
        "export const config = { model: 'mock' }; Object.assign(config, { limits: { steps: 1 } }); ",
        "const base = [{ type: 'text', text: 'a' }]; export const config = { model: 'mock' };
         export const mock = base.concat([{ type: 'finish', finishReason: 'stop' }]);",
        "export const config = { model: 'mock' }; export const mock = ['a'].map((text) => ({ type: 'text', text }));
         mock.push({ type: 'finish', finishReason: 'stop' });",
        "export const config = { model: 'mock' }; config.plugins = [{ defOwn() {} }]; ({ defOwn }) => defOwn();",
    ] {
        good(&[("p.lmt.mjs", &format!("{source}{}{RUNS}", mock(source)))]);
    }
    for (name, source, what) in [
        (
            "p.lmt.mjs",
            "export const config = { model: 'mock', options: {} }; config.options.temprature = 0.5;",
            "temprature",
        ),
        ("p.lmt.ts", "export const config = { model: 'mock', options: {} }; config.limits = { step: 1 };", "step"),
        (
            "p.lmt.ts",
            "export const config = { modl: 'mock', model: 'mock', options: {} }; config.options.seed = 1;",
            "modl",
        ),
        (
            "p.lmt.mjs",
            "export const config = { model: 'mock' }; export const mock = [{ type: 'text', txt: 'a' }]; mock.push(...mock);",
            "txt",
        ),
        (
            "p.lmt.mjs",
            "export const config = { model: 'mock' }; export const mock = []; mock.push({ type: 'text', txt: 'a' });",
            "txt",
        ),
    ] {
        let found = errors_in(&[(name, &format!("{source}{}{RUNS}", mock(source)))]);
        let column = source.find(what).unwrap() as u64 + 1;
        let is_it = |found: &Finding| found.message.contains(&format!("'{what}'")) && found.column == column;
        assert!(found.iter().any(|found| found.code.starts_with("TS") && is_it(found)), "{found:?}");
    }
    let plugins =
        "export const config = { model: 'mock', options: {}, plugins: [{ defOwn(count = 1) { return count; } }] };
                   config.options.seed = 1; export default ({ $, defOwn }) => { defOwn('one'); $`x`; };";
    let found = errors_in(&[("p.lmt.mjs", plugins)]);
    assert!(found.iter().any(|found| found.code == "TS2345"), "{found:?}");
}

#[test]
fn ordinary_javascript_is_let_be() {
    for source in [
        "let cache = null; const data = () => { if (!cache) cache = { items: ['a'] }; return cache; }; data().items[0];",
        "let cache = null; async function load() { if (!cache) cache = await Promise.resolve({ a: 1 }); return cache; }
         load().then(({ a }) => a);",
        "function list(items, sep, { upper } = {}) { return upper ? sep : items; } list(['a']); list([], '-', { upper: true });",
        "const persona = (name, { mood = 'happy', ...rest } = {}) => [name, mood, rest]; persona('Ann', { mood: 'sad', age: 3 });",
        "[{ n: 'a' }].reduce((list, x) => [...list, x.n], []).join();",
        "[{ n: ['a'] }].reduce((list, x) => list.concat(x.n), []).join();",
        "[{ id: 'a', n: 1 }].reduce((all, x) => ({ ...all, [x.id]: x }), {}).a.n;",
        "[{ n: 1 }].reduce((best, r) => (!best || r.n > best.n ? r : best), null).n;",
        "['a'].reduce((acc, r) => ({ n: acc.n + 1, names: [...acc.names, r] }), { n: 0, names: [] }).names.join();",
        "await new Promise((resolve) => { setTimeout(() => resolve(), 1); });",
        "const first = new Date('2026-01-01'); new Date('2026-02-01') - first;",
        "function run(x, done = null) { if (done) done(x); return x; } run(1, (r) => r);",
        "const error = new Error('x'); error.code = 'E_X'; `${error.code}`;",
        "const found = await Promise.resolve({ name: 'Ada' }).catch(() => ({})); found.name ?? 'y';",
        "const words = new Proxy({}, { get: (_, name) => String(name) }); words.hello;",
        "const MODE = 'short'; export const text = MODE === 'long' ? 'a' : 'b';",
    ] {
        good_js(&format!("{source}\n{RUNS}"));
    }
    for (source, code) in [
        ("const error = new Error('x'); error.cod;", "TS2339"),
        ("const kind = (() => /** @type {'a' | 'b'} */ ('a'))(); kind === 'c';", "TS2367"),
        ("'a' - 1;", "TS2362"),
        ("const f = ({ upper = false } = {}) => upper; f({ uper: true });", "TS2561"),
    ] {
        assert_eq!(only(&format!("{source}\n{RUNS}")).code, code, "{source}");
    }
    assert_eq!(only_in(&[("p.lmt.ts", &format!("{HEAD}const o = {{}}; o.a;{RUNS}"))]).code, "TS2339");
}

#[test]
fn a_model_written_in_javascript_needs_no_types() {
    let own = "const own = { provider: 'own', modelId: 'echo', async doStream() { return { stream: [] }; } };";
    good(&[("p.lmt.mjs", &format!("{own} export const config = {{ model: own }}; {RUNS}"))]);
    let listed = format!("{own} export const config = {{ model: [own, 'openai:gpt-4o'] }}; {RUNS}");
    let found = errors_in(&[("p.lmt.mjs", &listed)]);
    assert!(found.iter().any(|found| found.code == "TS2322" && found.hint.contains("stands alone")), "{found:?}");
    let lmthing =
        "import { openai } from 'lmthing'; export const config = { model: [openai('gpt-4o'), 'openai:gpt-4o'] };";
    good(&[("p.lmt.mjs", &format!("{lmthing}{RUNS}"))]);
}

#[test]
fn names_from_other_libraries_get_hints() {
    for (source, hint) in [
        (
            "export default ({ defTool, $ }) => { $`x`; defTool('a', 'A', z.object({ n: z.number().minimum(1) }), () => 1); };",
            "'min'",
        ),
        (
            "export default ({ defEffect, $ }) => { $`x`; defEffect((context) => { context.stepNum; }); };",
            "'stepNumber'",
        ),
        (
            "export default ({ defEffect, $ }) => { $`x`; defEffect((context) => { context.lastTool?.name; }); };",
            "'toolName'",
        ),
        (
            "export default ({ defTool, $ }) => { $`x`; defTool('a', 'A', z.object({}), (_, call) => call.signal); };",
            "'abortSignal'",
        ),
        ("export default ({ def, $ }) => { $`x`; def('A', { a: 1 }); };", "defData"),
        (
            "export default ({ defTool, $ }) => { $`x`; defTool('a', 'A', z.object({})); };",
            "the function is missing: defTool(",
        ),
        (
            "export default ({ defState, $ }) => { $`x`; const { value, set } = defState('n', 0); set(value); };",
            "[value, set]",
        ),
        (
            "import { runPrompt } from 'lmthing'; export default ({ $ }) => { $`x`; runPrompt(({ $ }) => { $`a`; }, {}); };",
            "runPrompt(function, { model",
        ),
    ] {
        let found = only(source);
        assert!(found.hint.contains(hint), "{source}: {found:?}");
    }
    for (mock, hint) in [
        ("[{ type: 'text', content: 'ok' }]", "did you mean 'text'?"),
        ("[{ type: 'tool-call', toolName: 'a', input: {} }]", "did you mean 'args'?"),
        ("{ type: 'text', text: 'ok' }", "mock must be a list"),
    ] {
        let found = errors_in(&[(
            "p.lmt.mjs",
            &format!("export const config = {{ model: 'mock' }}; export const mock = {mock}; {RUNS}"),
        )]);
        assert!(found.iter().any(|found| found.hint.contains(hint)), "{mock}: {found:?}");
    }
    let printed = only("export default (prompt) => { prompt.defSytem('a', 'b'); };");
    assert!(printed.message.contains("Did you mean 'defSystem'?") && printed.hint.is_empty(), "{printed:?}");
    let types = "import { Person } from './h.ts'; const ann: Person = { name: 'a' }; export const name = ann.name;";
    let found =
        only_in(&[("p.lmt.ts", &format!("{HEAD}{types}{RUNS}")), ("h.ts", "export interface Person { name: string }")]);
    assert!(found.hint.contains("import type { Person }") && !found.message.contains("verbatim"), "{found:?}");
}

#[test]
fn one_mistake_is_reported_once() {
    let found = only_in(&[(
        "p.lmt.ts",
        &format!(
            "{HEAD}export default ({{ defState, $ }}) => {{\nconst [n, setN] = defState<number>('n', '0');\nsetN(n.length);\n$`x`; }};"
        ),
    )]);
    assert_eq!((found.line, found.code.as_str()), (3, "TS2345"), "{found:?}");
}

#[test]
fn input_that_is_not_exported_is_named() {
    let source = format!("{HEAD}export default ({{ def, $ }}, {{ city }}) => {{ def('C', city); $`x`; }};");
    let outcome = Folder::new(&[("p.lmt.mjs", &source)]).run("check --format json p.lmt.mjs");
    let report = outcome.object();
    let hint = report["diagnostics"][0]["hint"].as_str().unwrap_or_default();
    assert!(hint.starts_with("the file exports no input"), "{report}");
}

/// Deeply nested syntax: the text before, in the middle and after it, and the error for fifty thousand levels.
const NESTED: [(&str, &str, &str, &str); 19] = [
    ("const x = ", "<any>", "1", "nested more than 5000 levels deep"),
    ("", "a: ", ";", "nested more than 5000 levels deep"),
    ("const x = ", "!", "1", "nested more than 5000 levels deep"),
    ("const x = ", "-~", "1", "nested more than 5000 levels deep"),
    ("const x = () => ", "new ", "Date", "nested more than 5000 levels deep"),
    ("const x = async () => { ", "await ", "1 }", "nested more than 5000 levels deep"),
    ("const x = ", "y => ", "1", "nested more than 5000 levels deep"),
    ("const x = ", "1 ? 2 : ", "3", "nested more than 5000 levels deep"),
    ("", "if (0) ", ";", "nested more than 5000 levels deep"),
    ("if (0); ", "else if (0); ", "", "nested more than 5000 levels deep"),
    ("type X = ", "keyof ", "any", "nested more than 5000 levels deep"),
    ("type X = ", "any extends any ? any : ", "any", "nested more than 5000 levels deep"),
    ("const x = ", "(", "1", "Brackets are nested more than 1000 levels deep"),
    ("const x = ", "[", "1", "Brackets are nested more than 1000 levels deep"),
    ("", "function f() {", "", "Brackets are nested more than 1000 levels deep"),
    ("", "@a ", "class A {}", "more than 500 decorators"),
    ("enum E {} const x = 0", " + 1", ";", "nested more than 5000 levels deep"),
    ("const a = {}; const x = a", "?.b", ";", ""),
    ("const x = 0", " + 1", ";", ""),
];

#[test]
fn syntax_in_itself_by_fifty_thousand_is_an_error() {
    let head = "export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'ran' }]; export default ({ $ }) => { $`Go.`; };";
    for (before, piece, after, problem) in NESTED {
        let text = format!("{head}\n{before}{}{after}\n", piece.repeat(50_000));
        let folder = Folder::new(&[("p.lmt.ts", &text)]);
        let began = Instant::now();
        let outcome = folder.run("run p.lmt.ts");
        assert!(began.elapsed() < Duration::from_secs(60), "{piece}: {:?}", began.elapsed());
        if problem.is_empty() {
            assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "ran\n"), "{piece}: {:.500}", outcome.stderr);
            continue;
        }
        assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{piece}: {:.500}", outcome.stderr);
        assert!(
            outcome.stderr.contains(problem) && outcome.stderr.contains("p.lmt.ts:2:"),
            "{piece}: {:.500}",
            outcome.stderr
        );
        // Compiled code has a limit of its own, which the type check does not have.
        if before.starts_with('@') || before.starts_with("enum") {
            continue;
        }
        let found = check(&folder, "p.lmt.ts");
        assert!(found.iter().any(|one| one.message.contains(problem)), "{piece}: {:.500?}", found);
    }
}

#[test]
fn prices_as_the_reference_shows_them_are_accepted() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/cost.md")).unwrap();
    let blocks: Vec<&str> =
        page.split("```").skip(1).step_by(2).map(str::trim).filter(|block| block.starts_with('{')).collect();
    assert!(!blocks.is_empty());
    let rates = "{ input: 1, output: 4 }";
    let others = [
        "{ 'openai:m': { webSearch: 10 } }".to_owned(),
        "{ 'openai:m': { batch: 0.4 }, 'openai:n': { batch: 0.4, webSearch: 10 } }".to_owned(),
        format!("{{ 'openai:m': {{ input: 1, output: 4, batch: {rates} }}, 'openai:n': {{ batch: {rates} }} }}"),
        format!("{{ 'openai:m': {{ input: 1, output: 4, flex: {rates}, priority: {rates}, fast: {rates} }} }}"),
    ];
    let config = |prices: &str| {
        format!(
            "export const config = {{ model: 'mock', prices: {prices} }}; export const mock = [];\nexport default ({{ $ }}) => {{ $`x`; }};"
        )
    };
    for prices in blocks.into_iter().chain(others.iter().map(String::as_str)) {
        good(&[("p.lmt.mjs", &config(prices))]);
    }
    for wrong in ["{}", "{ input: 1 }", "{ webSearch: '10' }", "{ batch: 'half' }", "{ batch: { input: 1 } }"] {
        only_in(&[("p.lmt.mjs", &config(&format!("{{ 'openai:m': {wrong} }}")))]);
    }
}
