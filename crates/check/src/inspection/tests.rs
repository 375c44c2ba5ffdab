use std::time::Instant;

use super::*;
use crate::Severity;

struct Texts;

impl TextSources for Texts {
    fn file(&self, path: &str) -> Result<String, UnreadableText> {
        if path == "input.json" {
            Ok(r#"{"day": 2}"#.to_owned())
        } else {
            Err(UnreadableText("there is no such file".to_owned()))
        }
    }

    fn standard_input(&self) -> Result<String, UnreadableText> {
        Ok(r#"{"day": 3}"#.to_owned())
    }

    fn is_terminal(&self) -> bool {
        false
    }
}

fn options() -> CheckOptions {
    CheckOptions::new(Arc::new(Texts), vec![("NAME".to_owned(), "Ada".to_owned())])
}

fn inspected(source: &str, options: &CheckOptions) -> Inspected {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.lmt.mjs");
    let head = "export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'x' }];";
    std::fs::write(&file, format!("{head}\n{source}")).unwrap();
    lmthing_node::set_builtins(lmthing_node::Builtins { names: &lmthing_runtime::NAMES, load: lmthing_runtime::load });
    inspect(&file, options, false)
}

fn messages(inspected: &Inspected) -> Vec<&str> {
    inspected.findings.iter().map(|finding| finding.message.as_str()).collect()
}

#[test]
fn a_render_that_does_not_end_is_an_error() {
    let options = CheckOptions { limit: Duration::from_millis(200), ..options() };
    let began = Instant::now();
    for (body, has_place) in [
        ("for (;;);", true),
        ("await new Promise((done) => setTimeout(done, 60_000));", true),
        // The blocked thread must not be used again.
        ("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);", false),
        ("const again = () => setTimeout(again, 0); again(); await new Promise(() => {});", true),
    ] {
        let found = inspected(&format!("export default async ({{ $ }}) => {{\n{body}\n$`go`; }};"), &options);
        assert_eq!(messages(&found), ["the first render did not end within 0.2 s"], "{body}");
        assert_eq!(found.findings[0].severity, Severity::Error);
        assert_eq!(found.findings[0].span.is_some(), has_place, "{body}");
    }
    let found = inspected("for (;;);\nexport default () => {};", &options);
    assert_eq!(messages(&found), ["loading the file did not end within 0.2 s"]);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_loop_that_defines_one_name_over_and_over_is_ended() {
    let options = CheckOptions { limit: Duration::from_millis(200), ..options() };
    let found = inspected("export default ({ def }) => {\nfor (;;) def('A', 1); };", &options);
    let late = found.findings.iter().find(|finding| finding.message.contains("did not end within 0.2 s")).unwrap();
    assert!(late.span.is_some(), "{late:?}");
    assert_eq!(found.findings.len(), 2, "{:?}", found.findings);
}

const DAY: &str = "export const input = { type: 'object', properties: { day: { type: 'integer' } }, required: ['day'] };\n\
                   export default ({ $ }, { day }) => { $`day ${day}`; };";

#[test]
fn an_input_is_read_from_where_it_is_named() {
    for (given, day) in [(r#"{"day": 1}"#, 1), ("@input.json", 2), ("-", 3)] {
        let options = CheckOptions { input: Some(given.to_owned()), ..options() };
        let found = inspected(DAY, &options);
        assert_eq!(messages(&found), [""; 0], "{given}");
        assert_eq!(found.rendered.unwrap().messages[0].plain_text(), format!("day {day}"));
    }
    for (given, error) in [
        (r#"{"day": "one"}"#, "--input: --day: expected integer, got 'one'"),
        ("@nowhere", "--input: cannot read the file nowhere: there is no such file"),
        ("{", "--input: "),
        ("{}", "--input: missing required input: --day <integer>"),
    ] {
        let options = CheckOptions { input: Some(given.to_owned()), ..options() };
        let found = inspected(DAY, &options);
        assert!(found.findings[0].message.starts_with(error), "{given}: {:?}", found.findings);
        assert_eq!(found.findings[0].severity, Severity::Error);
        assert!(found.rendered.is_none());
    }
    // Standard input is read when it is named, and not because something is missing.
    let found = inspected(DAY, &options());
    assert_eq!(found.findings[0].severity, Severity::Note);
}

#[test]
fn an_input_that_nobody_takes_is_warned_of() {
    let options = CheckOptions { input: Some("{}".to_owned()), ..options() };
    let found = inspected("export default ({ $ }) => { $`go`; };", &options);
    assert_eq!(messages(&found), ["--input: p.lmt.mjs takes no input"]);
    assert_eq!(found.findings[0].severity, Severity::Warning);
    assert!(found.rendered.is_some());
}

#[test]
fn without_a_render_the_exports_are_checked() {
    let options = CheckOptions { render: false, ..options() };
    let found = inspected("export default () => { throw new Error('not reached'); };", &options);
    assert_eq!(messages(&found), [""; 0]);
    assert!(found.rendered.is_none());
    let found = inspected("throw new Error('reached');", &options);
    assert_eq!(messages(&found), ["reached"]);
}

#[test]
fn the_first_request_is_put_together() {
    let source = "export default ({ def, defSystem, defTool, defFunction, defEffect, $ }) => {\n\
                  defSystem('role', 'You count.'); def('NAME', process.env.NAME);\n\
                  defTool('add', 'Adds.', { type: 'object', properties: { a: { type: 'number' } } }, () => 1);\n\
                  defTool('hidden', 'Hidden.', { type: 'object' }, () => 1).disable();\n\
                  defEffect((_, change) => change('variables', [{ name: 'NOW', value: 'noon' }]), []);\n\
                  defFunction('count', 'Counts.', { type: 'object' }, () => 1);\n\
                  $`Count to ${3}.`; };";
    let found = inspected(source, &options());
    assert_eq!(messages(&found), [""; 0]);
    let rendered = found.rendered.unwrap();
    let texts: Vec<String> = rendered.messages.iter().map(lmthing_base::chat::Message::plain_text).collect();
    assert!(texts[0].contains("<role>\nYou count.\n</role>"), "{texts:?}");
    assert!(texts[0].contains("<NAME>Ada</NAME>") && texts[0].contains("<NOW>noon</NOW>"), "{texts:?}");
    assert_eq!(texts[1], "Count to 3.");
    let tools: Vec<&str> = rendered.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["add", "runToolCode"]);
    assert_eq!(rendered.tools[0].input_schema["properties"]["a"]["type"], "number");
    assert_eq!(rendered.tools[0].location.as_ref().map(|location| location.line), Some(4));
    assert_eq!(rendered.functions, ["count"]);
}

#[test]
fn files_are_inspected_in_parallel() {
    let threads = (0..4).map(|number| {
        std::thread::spawn(move || {
            let own = ("OWN".to_owned(), number.to_string());
            let options = CheckOptions { variables: vec![own], ..options() };
            let source = "const first = process.env.OWN; process.env.OWN += '!'; process.exitCode = 5;\n\
                          process.on('exit', () => console.log('exit')); process.on('SIGTERM', () => {});\n\
                          export default async ({ $ }) => {\n\
                          await new Promise((done) => setTimeout(done, 20)); $`${first}${process.env.OWN}`; };";
            for _ in 0..3 {
                let found = inspected(source, &options);
                assert_eq!(messages(&found), [""; 0]);
                assert_eq!(found.rendered.unwrap().messages[0].plain_text(), format!("{number}{number}!"));
            }
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().unwrap();
    }
}

#[test]
fn the_engine_is_taken_apart_whatever_a_script_holds_on_to() {
    for body in [
        "const list = Array.from({ length: 5000 }, (_, n) => ({ n, text: `number ${n}` })); defData('LIST', list);",
        "defEffect(() => () => {}); const [, set] = defState('s', { self: defData }); set({ defData });",
        "globalThis.kept = { def, defTool }; setInterval(() => kept, 1); new Promise(() => {}).then(() => kept);",
        "fetch('https://example.org').catch(() => {}); import('node:fs').then((fs) => fs.promises.readFile('/dev/null'));",
        "process.on('exit', () => def); process.stdin.on('data', () => def); new AbortController().signal.onabort = def;",
        "await new Promise((done) => setTimeout(done, 60_000));",
        "process.exit(1);",
        "throw new Error('with', { cause: { def } });",
    ] {
        let source = format!(
            "export default async ({{ def, defData, defEffect, defState, defTool, $ }}) => {{ {body}\n$`go`; }};"
        );
        // This test fails by not returning: the remaining work has to be ended.
        inspected(&source, &CheckOptions { limit: Duration::from_millis(300), ..options() });
    }
}
