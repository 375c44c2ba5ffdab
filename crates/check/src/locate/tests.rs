#![allow(clippy::unwrap_used)]

use super::*;

/// The keys of `config.options.temperature` or `mock[2].toolName`.
fn path_in(written: &str) -> Vec<PathKey> {
    let steps = written.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    steps.map(|step| step.parse().map_or_else(|_| PathKey::Name(step.to_owned()), PathKey::Index)).collect()
}

fn found_in(text: &str, language: Language, path: &[PathKey]) -> Option<String> {
    let values = ExportValues::of(text, language);
    let range = values.range(path).unwrap()?;
    let line = values.span(path).unwrap().start.line;
    Some(format!("{line}: {}", &text[range.start..range.end]))
}

fn found(text: &str, path: &str) -> Option<String> {
    found_in(text, Language::JavaScript, &path_in(path))
}

#[track_caller]
fn assert_finds(text: &str, cases: &[(&str, &str)]) {
    for (path, expected) in cases {
        assert_eq!(found(text, path).as_deref(), Some(*expected), "{path} in {text}");
    }
}

#[test]
fn a_key_of_the_literal_is_found() {
    let text = "// A file.\nexport const config = {\n  model: 'mock',\n  options: {\n    'temperature': 2,\n    [\"topP\"]: 1,\n    \
                onFinish() {},\n    get seed() { return 1; },\n  },\n};\n";
    assert_finds(
        text,
        &[
            ("config", "2: config"),
            ("config.model", "3: model"),
            ("config.options", "4: options"),
            ("config.options.temperature", "5: 'temperature'"),
            ("config.options.topP", "6: [\"topP\"]"),
            ("config.options.onFinish", "7: onFinish"),
            ("config.options.seed", "8: seed"),
            // A missing key is located at its parent.
            ("config.options.topK", "4: options"),
            ("config.plugins", "2: config"),
            ("config.model.name", "3: model"),
        ],
    );
}

#[test]
fn the_last_duplicate_key_wins() {
    let text = "export const config = {\n  model: 'a',\n  model: 'b',\n};";
    assert_finds(text, &[("config.model", "3: model")]);
}

#[test]
fn elements_of_a_list_are_found() {
    let text = "const more = [\n  { type: 'b' },\n];\nexport const mock = [\n  { type: 'a' },\n  ...more,\n  ...[{ type: 'c' }],\n  \
                'd',\n  ...read(),\n  'e',\n];";
    assert_finds(
        text,
        &[
            ("mock[0]", "5: { type: 'a' }"),
            ("mock[0].type", "5: type"),
            ("mock[1].type", "2: type"),
            ("mock[2]", "7: { type: 'c' }"),
            ("mock[3]", "8: 'd'"),
            ("mock[4]", "4: mock"),
            ("mock[9]", "4: mock"),
        ],
    );
}

#[test]
fn all_forms_of_export_are_followed() {
    for (text, path, expected) in [
        ("const c = { model: 1 };\nexport { c as config };", "config.model", "1: model"),
        ("const c = { model: 1 };\nexport { c as config };", "config", "2: config"),
        ("const config = { model: 1 };\nexport { config };", "config.model", "1: model"),
        ("export let config;\nconfig = { model: 1 };", "config.model", "2: model"),
        (
            "export const config = {};\nconfig.model = 1;\nconfig.options = { seed: 1 };",
            "config.model",
            "2: config.model",
        ),
        ("export const config = {};\nconfig['options'] = { seed: 1 };", "config.options.seed", "2: seed"),
        (
            "export const config = { options: {} };\nconfig.options.seed = 1;",
            "config.options.seed",
            "2: config.options.seed",
        ),
        ("export const { config, mock } = make();", "config.model", "1: config"),
        ("export { config } from './other.mjs';", "config.model", "1: config"),
        ("export * from './other.mjs';", "config", "1: export * from './other.mjs';"),
        ("export default async () => {\n};", "default", "1: export default"),
        ("export default async function name() {\n}", "default", "1: export default"),
        ("const a = () => {};\nexport { a as default };", "default", "2: default"),
        ("export default { model: 1 };", "default.model", "1: model"),
        ("export function config() {}", "config.model", "1: config"),
        ("export class config {}", "config", "1: config"),
        ("#!/usr/bin/env -S lmthing run\nexport const config = { model: 1 };", "config.model", "2: model"),
    ] {
        assert_eq!(found(text, path).as_deref(), Some(expected), "{path} in {text}");
    }
}

#[test]
fn wrapping_expressions_are_followed() {
    for value in [
        "({ seed: 1 })",
        "shared",
        "{ ...shared }",
        "{ ...{ ...shared }, topP: 1 }",
        "{ ...(isFast ? { topP: 1 } : { seed: 1 }) }",
        "{ ...(isFast && { seed: 1 }) }",
        "given ?? { seed: 1 }",
        "/** @type {any} */ ({ seed: 1 })",
        "defineOptions({ seed: 1 })",
        "Object.freeze({ seed: 1 })",
        "Object.assign({}, { topP: 1 }, { seed: 1 })",
        "lib.define(Object.freeze(shared))",
        "all.fast",
        "all['fast']",
        "lists[1]",
        "make()",
        "built()",
        "(() => ({ seed: 1 }))()",
        "await shared",
    ] {
        let text = format!(
            "const shared = {{ seed: 1 }};\nconst all = {{ fast: {{ seed: 1 }} }};\nconst lists = [0, {{ seed: 1 }}];\n\
             const make = () => ({{ seed: 1 }});\nfunction built() {{ if (x) return {{}}; return {{ seed: 1 }}; }}\n\
             export const config = {{ options: {value} }};"
        );
        let found = found(&text, "config.options.seed").unwrap();
        assert!(found.ends_with(": seed"), "{value}: {found}");
    }
}

#[test]
fn shorthands_and_constants_are_followed() {
    let text = "const key = 'seed';\nconst options = { [key]: 1 };\nexport const config = {\n  options,\n};";
    assert_finds(text, &[("config.options", "4: options"), ("config.options.seed", "2: [key]")]);
}

#[test]
fn computed_values_are_located_at_their_use() {
    for value in
        ["read('options.json')", "process.env", "[1].map((x) => ({ seed: x }))", "call({ topP: 1 })", "options"]
    {
        let text = format!("export const config = {{ options: {value} }};");
        assert_eq!(found(&text, "config.options.seed").as_deref(), Some("1: options"), "{value}");
    }
    let made = "const call = (toolName) => ({ toolName });\nexport const mock = [\n  call('add'),\n];";
    assert_finds(made, &[("mock[0].toolName", "3: call('add')")]);
}

#[test]
fn circles_end() {
    for text in [
        "const a = b;\nconst b = a;\nexport const config = a;",
        "const config = { ...config };\nexport { config };",
        "const config = [...config];\nexport { config };",
        "const make = () => make();\nexport const config = make();",
        "export const config = config.options;",
        "export let config;\nconfig = config;",
    ] {
        for path in ["config.options.seed", "config[3].seed"] {
            assert!(found(text, path).unwrap().ends_with("config"), "{text}");
        }
    }
}

#[test]
fn type_annotations_are_skipped() {
    for value in [
        "{ model: 1 } as const",
        "{ model: 1 } satisfies Config",
        "<Config>{ model: 1 }",
        "({ model: 1 } as Config)!",
        "define<Config>({ model: 1 })",
    ] {
        let text = format!("import type {{ Config }} from 'lmthing';\nexport const config: Config = {value};");
        let found = found_in(&text, Language::TypeScript, &path_in("config.model"));
        assert_eq!(found.as_deref(), Some("2: model"), "{value}");
    }
}

#[test]
fn a_misspelt_export_replaces_a_missing_one() {
    assert_eq!(found("export const confg = { model: 1 };", "config").as_deref(), Some("1: confg"));
    assert_eq!(found("const c = {};\nexport { c as Config };", "config.model").as_deref(), Some("2: Config"));
    assert_eq!(found("export const settings = {};", "config"), None);
    assert_eq!(found("", "config"), None);
    assert_eq!(ExportValues::of("export const config = {};", Language::JavaScript).span(&[]), None);
}

#[test]
fn columns_count_characters() {
    let text = "\u{feff}export const config = { 'é': 'ü', model: 1 };\r\nexport const mock = [ '🙂', { text: 5 }];\r\n";
    let values = ExportValues::of(text, Language::JavaScript);
    let span = |path: &str| values.span(&path_in(path)).map(|span| (span.start, span.end)).unwrap();
    let at = |line, column| Position { line, column };
    assert_eq!(span("config"), (at(1, 14), at(1, 20)));
    assert_eq!(span("config.model"), (at(1, 35), at(1, 40)));
    assert_eq!(span("mock[1].text"), (at(2, 30), at(2, 34)));
}

#[test]
fn a_file_with_syntax_errors_is_followed_as_far_as_it_goes() {
    assert_eq!(
        found("export const config = { model: , options: { seed: 1 } };", "config.options").as_deref(),
        Some("1: options")
    );
}
