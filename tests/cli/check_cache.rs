//! `lmthing check --cache`: what of a request differs from run to run, or on the second step.

use crate::{findings::Finding, support::Folder};

/// The findings of a file whose function has this body from line 4 on.
fn findings(body: &str) -> Vec<Finding> {
    let source = format!(
        "export const config = {{ model: 'mock' }}; export const mock = [{{ type: 'text', text: 'x' }}]; let step = 0;\n\
         export default async ({{ def, defData, defEffect, defFunction, defMessage, defState, defSystem, defTool, $ }}) => {{\n\
         step += 1;\n{body}\n}};\n"
    );
    let folder = Folder::new(&[("p.lmt.mjs", &source), ("lib.mjs", LIBRARY)]);
    Finding::all(&folder.run("check --cache --format json p.lmt.mjs"))
}

const LIBRARY: &str = "let calls = 0;\nexport const clock = (defSystem) => {\n  defSystem('clock', `${new Date()}`);\n};\n\
                       export const counter = ({ def }) =>\n  def('CALLS', ++calls);\n";

const SCHEMA: &str = "{ type: 'object' }, () => 1";

/// Asserts one warning, by its place and the beginning of its message.
#[track_caller]
fn assert_unstable(body: &str, at: &str, message: &str) -> Finding {
    let found = findings(body);
    let [finding] = &found[..] else { panic!("{body}: {found:#?}") };
    let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
    assert_eq!((finding.severity.as_str(), finding.code.as_str(), place.as_str()), ("warning", "cache", at), "{body}");
    assert!(finding.message.starts_with(message) && !finding.hint.is_empty(), "{finding:?}");
    finding.clone()
}

#[test]
fn what_changes_with_the_clock_or_random_numbers_is_named() {
    for value in [
        "Date.now()",
        "new Date().toISOString()",
        "Date()",
        "Math.random()",
        "crypto.randomUUID()",
        "performance.now()",
        "process.hrtime()",
        "new Intl.DateTimeFormat('en', { timeStyle: 'short' }).format()",
    ] {
        let body = format!("$`x`; defSystem('now', `${{{value}}}`);");
        assert_unstable(
            &body,
            "p.lmt.mjs:4:7",
            "section `now` changes on every step, so the provider's cache ends there: `",
        );
    }
    let body = "$`x`;\nconst { clock } = await import('./lib.mjs'); clock(defSystem);";
    assert_unstable(body, "lib.mjs:3:3", "section `clock` changes on every step");
    let body = "$`x`; const keys = ['a', 'b', 'c'].sort(() => Math.random() - 0.5);\n\
                defData('KEYS', Object.fromEntries(keys.map((key) => [key, 1])));";
    let finding = assert_unstable(body, "p.lmt.mjs:5:1", "variable `KEYS` changes on every step");
    assert!(finding.message.ends_with("the same in another order") && finding.hint.contains("sort"), "{finding:?}");
}

#[test]
fn what_differs_from_run_to_run_is_named() {
    for (body, at, what) in [
        ("$`x`; const [id] = defState('id', crypto.randomUUID()); def('ID', id);", "4:57", "variable `ID`"),
        ("$`x`; defSystem('today', new Date().toDateString());", "4:7", "section `today`"),
        ("$`x`; defSystem('process', `${process.pid}`);", "4:7", "section `process`"),
        ("$`${Date.now()}`; defMessage('user', 'x');", "4:1", "message 1"),
        (
            "$`x`; globalThis.id ??= Math.random();\nif (globalThis.id < 0.5) defTool('t', 'T', { type: 'object' }, () => 1);",
            "5:26",
            "tool `t`",
        ),
    ] {
        let message = format!("{what} differs from run to run, so the provider's cache ends there: ");
        assert_unstable(body, &format!("p.lmt.mjs:{at}"), &message);
    }
    for (name, value) in [
        ("reasoning", "Math.random() < 0.5 ? 'low' : 'high'"),
        ("tier", "Math.random() < 0.5 ? 'flex' : 'priority'"),
        ("cache", "{ key: `key ${Math.random()}` }"),
    ] {
        let config = format!(
            "export const config = {{ model: 'mock', options: {{\n  {name}: {value},\n}} }};\n\
             export const mock = [{{ type: 'text', text: 'x' }}];\nexport default ({{ $ }}) => {{ $`x`; }};\n"
        );
        let found = Finding::all(&Folder::of(&config).run("check --cache -f json p.lmt.mjs"));
        let [finding] = &found[..] else { panic!("{name}: {found:#?}") };
        assert_eq!((finding.line, finding.code.as_str()), (2, "cache"));
        assert!(finding.message.contains(&format!("config.options.{name} differs from run to run")), "{finding:?}");
    }
}

#[test]
fn what_changes_on_the_second_step_is_named() {
    let changes = "changes from the first step to the second";
    for (body, at, message) in [
        (
            "$`x`; def('STEP', `step ${step}`);",
            "p.lmt.mjs:4:7",
            format!("variable `STEP` {changes}, so the provider's cache ends there: `step 1`, then `step 2`"),
        ),
        (
            "$`x`; const [n, set] = defState('n', 0); defEffect(() => set(n + 1)); defSystem('n', String(n));",
            "p.lmt.mjs:4:71",
            format!("section `n` {changes}"),
        ),
        (
            "$`x`; const { counter } = await import('./lib.mjs'); counter({ def });",
            "lib.mjs:6:3",
            format!("variable `CALLS` {changes}"),
        ),
        (
            "$`x`; if (step > 1) defSystem('late', 'l');",
            "p.lmt.mjs:4:21",
            "section `late` is missing on the first step".to_owned(),
        ),
        (
            "$`x`; const s = defSystem('s', 's'); if (step > 1) s.disable();",
            "p.lmt.mjs:4:17",
            "section `s` is missing on the second step".to_owned(),
        ),
        (
            "$`x`; defEffect(({ stepNumber }, stepModifier) => {\nif (stepNumber) stepModifier('messages', ['y']); });",
            "p.lmt.mjs:5:17",
            format!("message 1 {changes}"),
        ),
    ] {
        assert_unstable(body, at, &message);
    }
    for (tool, message) in [
        (format!("defTool('t', `T${{step}}`, {SCHEMA});"), format!("the description of tool `t` {changes}")),
        (
            "defTool('t', 'T', { type: 'object', properties: { a: { const: step } } }, () => 1);".to_owned(),
            format!("the input schema of tool `t` {changes}"),
        ),
        (format!("if (step === 1) defTool('t', 'T', {SCHEMA});"), "tool `t` is missing on the second step".to_owned()),
        (format!("defFunction('f', `F${{step}}`, {SCHEMA});"), format!("the description of function `f` {changes}")),
    ] {
        let column = 1 + tool.find("def").unwrap();
        assert_unstable(&format!("$`x`;\n{tool}"), &format!("p.lmt.mjs:5:{column}"), &message);
    }
}

#[test]
fn what_providers_can_cache_is_not_named() {
    for body in [
        "$`x`; defSystem('role', 'r'); def('A', 1); defData('B', { b: 1 });",
        // What is last may differ.
        "defMessage('user', 'x'); $`It is ${new Date()}.`;",
        // Definitions go out in the order of the first run.
        "$`x`; for (const name of ['a', 'b', 'c'].sort(() => Math.random() - 0.5)) defSystem(name, name);",
        "$`x`; defSystem('a', 'a').remind(); if (step > 1) defSystem('a', 'a').remind();",
        "$`x`; defSystem('a', `${Date.now()}`).disable();",
        "$`x`; const started = Date.now(); defSystem('fast', `${Date.now() - started < 5000}`);",
    ] {
        let found: Vec<Finding> = findings(body).into_iter().filter(|finding| finding.code == "cache").collect();
        assert!(found.is_empty(), "{body}: {found:#?}");
    }
}

#[test]
fn what_cannot_be_compared_is_a_note() {
    for (condition, message) in [
        ("step > 1", "the second step was not compared: x"),
        ("step === 1 && Math.random() < 0.5", "the other render, months later, was not compared: x"),
    ] {
        let found = findings(&format!("$`x`;\nif ({condition}) throw new Error('x');"));
        let [note] = &found[..] else { panic!("{condition}: {found:#?}") };
        assert_eq!((note.severity.as_str(), note.code.as_str(), note.line), ("note", "cache", 5));
        assert_eq!(note.message, message);
    }
}

#[test]
fn findings_of_a_comparison_are_warnings_in_every_format() {
    let source = "import { clock } from './lib.mjs';\nexport const config = { model: 'mock' };\n\
                  export const mock = [{ type: 'text', text: 'x' }];\n\
                  export default ({ defSystem, $ }) => { console.log('once'); clock(defSystem); $`x`; };\n";
    let folder = Folder::new(&[("a.lmt.mjs", source), ("b.lmt.mjs", source), ("lib.mjs", LIBRARY)]);
    let outcome = folder.run("check --cache");
    // Both files import the section.
    assert_eq!(
        (outcome.code, outcome.stdout.matches("warning[cache]: section `clock`").count()),
        (0, 1),
        "{outcome:?}"
    );
    assert_eq!(outcome.stderr.matches("once").count(), 2, "{outcome:?}");
    let outcome = folder.run("check --cache --strict --format github a.lmt.mjs");
    let command =
        "::warning file=lib.mjs,line=3,col=3,endLine=3,endColumn=12,title=lmthing cache::section `clock` changes";
    assert!(outcome.code == 1 && outcome.stdout.starts_with(command), "{outcome:?}");
    assert_eq!(folder.run("check --cache --quiet a.lmt.mjs").stdout, "");
    let outcome = folder.run("check --cache --no-render a.lmt.mjs");
    assert!(outcome.code == 2 && outcome.stderr.contains("--cache"), "{outcome:?}");
}
