//! Smoke tests: prompt files that `lmthing test` runs with their mock or their recording (docs/reference/test.md,
//! "Smoke tests").

use crate::{
    report::Report,
    support::{Folder, Outcome},
};

/// The test `runs` of one prompt file.
fn smoke(source: &str) -> Report {
    Report::of(&Folder::of(source), "p.lmt.mjs")
}

/// A prompt file with a mock and this body.
fn mocked(body: &str) -> String {
    format!(
        "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'secret words' }}];\n\
         export default async ({{ $, defTool }}) => {{ $`go`; {body} }};\n"
    )
}

#[test]
fn a_file_passes_when_it_runs_to_its_end() {
    let report = smoke(&mocked("console.log('from the script');"));
    assert_eq!((report.code, report.statuses()), (0, vec!["runs: passed".to_owned()]), "{report:?}");
    assert_eq!(report.stderr, "console | p.lmt.mjs > runs\nfrom the script\n");
}

#[test]
fn the_mock_answers_for_a_real_model() {
    for config in
        ["export const config = { model: 'openai:gpt-4o' };", "", "export const config = { model: ['a:b', 'c:d'] };"]
    {
        let source = mocked("").replace("export const config = { model: 'mock' };", config);
        let report = smoke(&source);
        assert_eq!((report.code, report.statuses()), (0, vec!["runs: passed".to_owned()]), "{config}: {report:?}");
    }
}

#[test]
fn a_failure_is_reported_as_by_run() {
    for (body, message, line) in [
        ("throw new TypeError('as planned');", "as planned", Some(3)),
        ("process.exit(3);", "the script ended the run with exit code 3", None),
        ("process.exitCode = 4;", "the script ended the run with exit code 4", None),
        ("void Promise.reject(new Error('nobody cares'));", "nobody cares", Some(3)),
        ("await new Promise(() => {});", "nothing can settle", None),
        ("await fetch('http://192.0.2.1/');", "tests run without network", Some(3)),
    ] {
        let report = smoke(&mocked(body));
        assert_eq!((report.code, report.statuses()), (1, vec!["runs: failed".to_owned()]), "{body}: {report:?}");
        let failures = report.failures("runs");
        assert!(failures.len() == 1 && failures[0].contains(message), "{body}: {failures:?}");
        let place = format!("p.lmt.mjs:{}:", line.unwrap_or(0));
        assert_eq!(failures[0].contains(&place), line.is_some(), "{body}: {failures:?}");
    }
    assert_eq!(smoke(&mocked("process.exit(0);")).statuses(), ["runs: passed"]);
    let model = mocked("").replace("{ type: 'text', text: 'secret words' }", "{ type: 'error', error: 'overloaded' }");
    assert!(smoke(&model).failures("runs")[0].contains("overloaded"));
    let broken = smoke(&format!("{}\nconst = 3;", mocked("")));
    assert_eq!((broken.code, broken.statuses()), (1, vec!["runs: failed".to_owned()]), "{broken:?}");
}

#[test]
fn a_file_that_needs_an_input_is_skipped() {
    let source = |input: &str| format!("import {{ z }} from 'zod';\nexport const input = {input};\n{}", mocked(""));
    let folder = Folder::of(&source("z.object({ city: z.string(), days: z.number(), unit: z.string().default('C') })"));
    let skipped = Outcome::of(&mut folder.command("test p.lmt.mjs"));
    assert_eq!(skipped.code, 0, "{skipped:?}");
    assert!(skipped.stdout.contains("needs an input: city, days"), "{}", skipped.stdout);
    assert_eq!(smoke(&source("z.object({ text: z.string() })")).statuses(), ["runs: skipped"]);
    assert_eq!(smoke(&source("z.object({ days: z.number().default(3) })")).statuses(), ["runs: passed"]);
    // Not because of a missing input.
    assert_eq!(
        smoke(&source("z.object({ days: z.number().default(3) }).refine(() => false)")).statuses(),
        ["runs: failed"]
    );
}

#[test]
fn the_time_limit_is_a_minute_or_as_given() {
    let folder = Folder::new(&[
        ("busy.lmt.mjs", &mocked("for (;;);")),
        ("waits.lmt.mjs", &mocked("await new Promise((go) => setTimeout(go, 600_000));")),
    ]);
    let report = Report::of(&folder, "--timeout 300ms");
    assert_eq!(report.statuses(), ["runs: failed", "runs: failed"], "{report:?}");
    assert!(report.failures("runs")[0].contains("the run timed out after 300 ms"), "{report:?}");
}

#[test]
fn agents_with_real_models_are_refused() {
    let body = "const { z } = await import('zod');
        defTool('x', 'x', z.object({}), () => 1);
        const { runPrompt } = await import('lmthing');
        const { result } = await runPrompt(({ $ }) => { $`hello`; }, { model: 'openai:gpt-4o' });
        await result.text;";
    let report = smoke(&mocked(body));
    assert_eq!(report.statuses(), ["runs: failed"]);
    assert!(report.failures("runs")[0].contains("this test would ask openai:gpt-4o"), "{report:?}");
}

#[test]
fn a_named_file_without_a_mock_gets_a_hint() {
    let source = "export const config = { model: 'openai:gpt-4o' };\nexport default async ({ $ }) => { $`go`; };";
    let report = smoke(source);
    assert_eq!((report.code, report.statuses()), (1, vec!["runs: failed".to_owned()]), "{report:?}");
    let failure = &report.failures("runs")[0];
    assert!(failure.contains("there is no recording p.recording.json, and the file has no mock"), "{failure}");
    assert!(failure.contains("lmthing test --record p.lmt.mjs"), "{failure}");
}

#[test]
fn warnings_of_a_run_are_notes() {
    let source = mocked("").replace("model: 'mock'", "model: 'mock', modle: 'x'");
    let folder = Folder::of(&source);
    let outcome = folder.run("test p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    assert!(outcome.stdout.contains("note: p.lmt.mjs: ") && outcome.stdout.contains("modle"), "{}", outcome.stdout);
}

#[test]
fn the_filter_goes_by_the_name_of_the_test() {
    let folder = Folder::of(&mocked("throw new Error('not run');"));
    assert_eq!(Report::of(&folder, "--filter other").statuses(), ["runs: skipped"]);
    assert_eq!(Report::of(&folder, "--filter runs").statuses(), ["runs: failed"]);
}

#[test]
fn a_file_with_both_is_run_with_its_mock() {
    let source = mocked("").replace("model: 'mock'", "model: 'openai:gpt-4o'");
    let folder = Folder::new(&[("p.lmt.mjs", &source), ("p.recording.json", "not even JSON")]);
    assert_eq!(Report::of(&folder, "").statuses(), ["runs: passed"]);
}
