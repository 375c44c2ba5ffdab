//! Warnings of `lmthing check` about the first request: what providers refuse, and what their caches do not keep.

use crate::{findings::Finding, support::Folder};

/// The findings of a file whose function has this body from line 4 on: severity, line and column, code, text.
fn findings(body: &str) -> Vec<(String, String, String, String)> {
    let source = format!(
        "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'x' }}];\n\
         export default async ({{ def, defData, defMessage, defState, defSystem, defTool, $ }}) => {{\n{body}\n}};\n"
    );
    let folder = Folder::new(&[("p.lmt.mjs", &source), ("clock.mjs", CLOCK)]);
    let outcome = folder.run("check --format json p.lmt.mjs");
    let shown = |finding: Finding| {
        let at = format!("{}:{}:{}", finding.file, finding.line, finding.column);
        (finding.severity.clone(), at, finding.code.clone(), finding.text())
    };
    Finding::all(&outcome).into_iter().map(shown).collect()
}

const CLOCK: &str = "export const section = (defSystem) => {\n  defSystem('clock', new Date().toISOString());\n};\n";

#[track_caller]
fn assert_warnings(body: &str, expected: &[(&str, &str, &str)]) {
    let found = findings(body);
    let places: Vec<_> =
        found.iter().map(|(severity, at, code, _)| (severity.as_str(), at.as_str(), code.as_str())).collect();
    let wanted: Vec<_> = expected.iter().map(|(at, code, _)| ("warning", *at, *code)).collect();
    assert_eq!(places, wanted, "{body}: {found:?}");
    for ((.., text), (.., words)) in found.iter().zip(expected) {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn a_request_without_a_user_message_is_a_warning() {
    let words = "no user message";
    assert_warnings("", &[("p.lmt.mjs:3:1", "message", words)]);
    assert_warnings("defSystem('role', 'r');", &[("p.lmt.mjs:3:1", "message", words)]);
    assert_warnings("defMessage('assistant', 'Hello.');", &[("p.lmt.mjs:3:1", "message", words)]);
    assert_warnings("defMessage('user', 'Hello.');", &[]);
    assert_warnings("defSystem('role', 'r').remind();", &[]);
}

#[test]
fn names_of_tools_that_providers_refuse_are_warnings() {
    let schema = "{ type: 'object' }";
    for name in ["get.weather", "wetter-für-heute", &"a".repeat(65)] {
        let body = format!("$`x`;\n  defTool('{name}', 'T', {schema}, () => 1);");
        assert_warnings(&body, &[("p.lmt.mjs:5:3", "definition", "letters a to z")]);
    }
    assert_warnings(&format!("$`x`; defTool('get_Weather-2{}', 'T', {schema}, () => 1);", "a".repeat(51)), &[]);
}

#[test]
fn what_differs_in_every_step_is_a_warning() {
    for value in [
        "Date.now()",
        "new Date()",
        "`at ${new Date().toISOString()}`",
        "Date()",
        "Math.random()",
        "crypto.randomUUID()",
        "Math.round(performance.now() / 60_000)",
    ] {
        let body = format!("$`x`;\n  defSystem('now', String({value}));");
        assert_warnings(&body, &[("p.lmt.mjs:5:3", "cache", "defSystem('now', …) differs each time")]);
    }
    let choices = "$`x`; const pick = (list) => list[Math.floor(Math.random() * list.length)];\n";
    assert_warnings(&format!("{choices}def('ONE', pick(['a', 'b']));"), &[("p.lmt.mjs:5:1", "cache", "def('ONE'")]);
    assert_warnings(
        "$`x`;\ndefData('TIMES', { now: Date.now() });\ndefTool('t', `at ${Date.now()}`, { type: 'object' }, () => 1);",
        &[("p.lmt.mjs:5:1", "cache", "defData('TIMES'"), ("p.lmt.mjs:6:1", "cache", "defTool('t'")],
    );
    assert_warnings(
        "$`x`;\nconst { section } = await import('./clock.mjs'); section(defSystem);",
        &[("clock.mjs:2:3", "cache", "defSystem('clock'")],
    );
}

#[test]
fn what_stays_the_same_in_a_run_is_no_warning() {
    for body in [
        // In a message, which is written once.
        "$`It is ${new Date().toISOString()}.`;",
        // In state, which is kept.
        "$`x`; const [id] = defState('id', Math.random()); defSystem('id', String(id));",
        "$`x`; const [id, set] = defState('id', 0); if (id === 0) set(Date.now()); defSystem('id', String(id));",
        // A date is the same for long enough.
        "$`x`; defSystem('today', new Date().toDateString());",
        "$`x`; const started = Date.now(); defSystem('fast', `${Date.now() - started < 1000}`);",
        "$`x`; defSystem('date', `${new Date() instanceof Date} ${new Date(2020, 1).getFullYear()}`);",
    ] {
        assert_warnings(body, &[]);
    }
}

#[test]
fn slow_functions_are_rendered_and_not_searched() {
    assert_warnings(
        "$`x`; await new Promise((done) => setTimeout(done, 1_300)); defSystem('now', `${Date.now()}`);",
        &[],
    );
    // The clock goes on while the function runs again.
    assert_warnings(
        "$`x`; const sleep = (ms) => new Promise((done) => setTimeout(done, ms));\n\
         const end = Date.now() + 60; while (Date.now() < end) await sleep(20);\ndefSystem('now', `${Date.now()}`);",
        &[("p.lmt.mjs:6:1", "cache", "defSystem('now'")],
    );
    assert_warnings(
        "$`x`; const end = Date.now() + 1_300; while (Date.now() < end); defSystem('now', String(end));",
        &[],
    );
}

#[test]
fn the_function_prints_once_though_it_runs_again() {
    let source = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'x' }];\n\
                  export default ({ $ }) => { console.log('once', Date.name); $`x`; };\n";
    let outcome = Folder::of(source).run("check p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stderr.matches("once").count()), (0, 1), "{outcome:?}");
}
