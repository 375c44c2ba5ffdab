//! Findings of `lmthing check` about models, mocks and prompts that run, but not as intended: suggestions, arguments
//! checked by the schema that `run` uses, and empty values.

use crate::{
    findings::Finding,
    support::{Folder, Outcome},
};

/// The findings in `p.lmt.mjs`: severity, line, and message with hint.
fn findings(source: &str) -> Vec<(String, u64, String)> {
    let folder = Folder::new(&[("p.lmt.mjs", source)]);
    let mut command = folder.command("check --format json");
    let outcome = Outcome::of(command.env("OPENAI_API_KEY", "sk-test"));
    let shown = |finding: Finding| (finding.severity, finding.line, format!("{} | {}", finding.message, finding.hint));
    Finding::all(&outcome).into_iter().map(shown).collect()
}

/// Asserts exactly one finding, with all of these words.
#[track_caller]
fn assert_one(source: &str, severity: &str, line: u64, words: &[&str]) {
    let found = findings(source);
    let [(how, at, text)] = &found[..] else { panic!("one finding is due: {found:#?}\n{source}") };
    assert_eq!((how.as_str(), *at), (severity, line), "{text}\n{source}");
    assert!(words.iter().all(|words| text.contains(words)), "{words:?} in {text}");
}

#[test]
fn models_come_with_the_suggestion_of_run() {
    for (model, meant) in [
        ("'opnai:gpt-4o'", "openai:gpt-4o"),
        ("['openai:gpt-4o', 'opnai:gpt-4o']", "openai:gpt-4o"),
        ("'antropic:claude-sonnet-4-5'", "anthropic:claude-sonnet-4-5"),
        ("'claude-sonnet-4-5'", "anthropic:claude-sonnet-4-5"),
        ("'gpt-4o'", "openai:gpt-4o"),
        ("'openai/gpt-4o'", "openai:gpt-4o"),
    ] {
        let source = format!("export const config = {{ model: {model} }};\nexport default ({{ $ }}) => {{ $`x`; }};\n");
        assert_one(&source, "error", 1, &[&format!("| Did you mean \"{meant}\"?")]);
    }
}

/// A mock that calls a tool with these arguments, on line 3, and the tool's schema.
fn with_call(arguments: &str, schema: &str) -> String {
    format!(
        "import {{ z }} from 'zod';\nexport const config = {{ model: 'mock' }};\n\
         export const mock = [{{ type: 'tool-call', toolName: 't', args: {arguments} }}, {{ type: 'text', text: 'x' }}];\n\
         export default ({{ defTool, $ }}) => {{ defTool('t', 'T', {schema}, () => 1); $`go`; }};\n"
    )
}

#[test]
fn arguments_of_the_mock_fit_what_run_lets_pass() {
    for (arguments, schema) in [
        ("{ n: '5' }", "z.object({ n: z.coerce.number() })"),
        ("{}", "z.object({ a: z.literal('x').catch('x'), b: z.preprocess((v) => v ?? 1, z.number()) })"),
        ("{ tags: 'a,b' }", "z.object({ tags: z.preprocess((v) => String(v).split(','), z.array(z.string())) })"),
        ("{ old: 1 }", "z.preprocess((/** @type {any} */ v) => ({ now: v.old }), z.object({ now: z.number() }))"),
        ("{ other: 1 }", "z.looseObject({ n: z.number().optional() })"),
        ("{ n: 1 }", "z.object({ n: z.number().refine(async (n) => n === 1) })"),
    ] {
        assert_eq!(findings(&with_call(arguments, schema)), [], "{arguments} {schema}");
    }
}

#[test]
fn arguments_of_the_mock_that_run_refuses_are_reported() {
    for (arguments, schema, words) in [
        ("{ n: 3 }", "z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') })", "n: must be even"),
        ("{ n: 3 }", "z.object({ n: z.number().refine(async (n) => n % 2 === 0, 'is odd') })", "n: is odd"),
        ("{ n: 3 }", "z.object({ n: z.number().refine(() => { throw new Error('oops'); }) })", "oops"),
        ("{ n: 'x' }", "z.object({ n: z.coerce.number() })", "n: Invalid input"),
        // It runs, but the argument is dropped.
        ("{ citty: 'x' }", "z.object({ city: z.string().optional() })", "Unrecognized key: \"citty\""),
        ("{ a: 1, b: 2 }", "z.strictObject({ a: z.number() }, { error: 'only a' })", "schema of 't': only a |"),
        ("{ n: '5' }", "{ type: 'object', properties: { n: { type: 'number' } } }", "n: Invalid input"),
    ] {
        assert_one(&with_call(arguments, schema), "warning", 3, &["mock item 0: the arguments do not fit", words]);
    }
}

#[test]
fn empty_prompts_and_mocks_are_reported() {
    let config = "export const config = { model: 'mock' };\n";
    assert_one(
        &format!("{config}export const mock = [];\nexport default ({{ $ }}) => {{ $`x`; }};\n"),
        "warning",
        2,
        &["mock is empty", "type: 'text'"],
    );
    let mock = format!("{config}export const mock = [{{ type: 'text', text: 'x' }}];\n");
    let silent = format!("{mock}export default () => {{}};\n");
    assert_one(&silent, "warning", 3, &["no user message", "$`Hello`"]);
    let of_effect = format!("{mock}export default ({{ $, defEffect }}) => {{ defEffect(() => {{ $`x`; }}); }};\n");
    assert_eq!(findings(&of_effect), []);
    let other = "export const config = { model: 'openai:gpt-4o' };\nexport const mock = [];\n\
                 export default ({ $ }) => { $`x`; };\n";
    assert_eq!(findings(other), []);
}

#[test]
fn a_tool_that_options_hide_is_suggested() {
    let source = "import { z } from 'zod';\nexport const config = { model: 'mock', options: { activeTools: ['serch'] } };\n\
                  export const mock = [{ type: 'text', text: 'x' }];\nexport default ({ defTool, $ }) => {\n  \
                  defTool('search', 'S', z.object({}), () => 1);\n  $`go`;\n};\n";
    assert_one(source, "warning", 2, &["names the tool 'serch'", "did you mean 'search'?"]);
}

#[test]
fn hints_name_items_of_lists_and_only_what_is_near() {
    let source = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'a' }, { type: 'txt' }];\n\
                  export default ({ $ }) => { $`x`; };\n";
    assert_one(source, "error", 2, &["this is mock[1].type"]);
    let method = |name: &str| {
        format!(
            "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'a' }}];\n\
             export default ({{ {name}, $ }}) => {{ {name}('A'); $`x`; }};\n"
        )
    };
    assert_one(&method("defX"), "error", 3, &["'defX' does not exist", " | "]);
    assert!(!findings(&method("defX"))[0].2.contains("did you mean"));
    assert_one(&method("defSytem"), "error", 3, &["defSystem"]);
}

#[test]
fn calls_and_items_of_another_form_are_answered_with_the_right_one() {
    let config = "export const config = { model: 'mock' };";
    let mock = "export const mock = [{ type: 'text', text: 'a' }];";
    for (import, config, mock, call, line, hint) in [
        ("", config, mock, "defTool({ name: 't' })", 4, "`lmthing docs defTool` shows how it is called"),
        ("", config, mock, "defSystem('Be kind.')", 4, "`lmthing docs defSystem` shows how it is called"),
        ("import { defAgent } from 'lmthing';", config, mock, "defAgent", 1, "export default ({ defAgent }) => …"),
        (
            "",
            config,
            "export const mock = [{ role: 'assistant', content: 'a' }];",
            "$",
            3,
            "{ type: 'text', text: '…' }",
        ),
        ("", config, "export const mock = ['a'];", "$", 3, "lmthing docs mock-models"),
        (
            "",
            "export const config = { model: 'mock', limits: { maxCost: 1 } };",
            mock,
            "$",
            2,
            "known are steps, tokens",
        ),
        ("", config, mock, "ask('a')", 4, "`lmthing docs reference/prompt` lists the methods"),
    ] {
        let method = call.split('(').next().unwrap();
        let taken = if import.is_empty() && method != "$" { format!("{method}, $") } else { "$".to_owned() };
        let source = format!("{import}\n{config}\n{mock}\nexport default ({{ {taken} }}) => {{ {call}; $`x`; }};\n");
        assert_one(&source, "error", line, &[hint]);
    }
}
