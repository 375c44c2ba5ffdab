//! Snapshots of tests: stored in Vitest's format, written when they are new, and never in CI (docs/reference/test.md).

use std::fs;

use serde_json::Value;

use crate::{
    report::{Report, tests},
    support::{Folder, Outcome},
};

const KEPT: &str = "__snapshots__/a.test.lmt.mjs.snap";

fn folder(body: &str) -> Folder {
    Folder::new(&[("a.test.lmt.mjs", &tests(body))])
}

fn stored(folder: &Folder) -> Option<String> {
    fs::read_to_string(folder.path(KEPT)).ok()
}

/// As in CI: nothing is written.
fn in_ci(folder: &Folder, arguments: &str) -> Report {
    let mut command = folder.command(&format!("test --reporter json {arguments}"));
    Report::from(Outcome::from(
        command.env("CI", "true").env_remove("GITHUB_ACTIONS").output().expect("the binary runs"),
    ))
}

#[track_caller]
fn passed(report: &Report) {
    assert_eq!(report.code, 0, "{report:#?}");
}

fn count(report: &Report, name: &str) -> u64 {
    report.json["snapshot"][name].as_u64().unwrap_or_else(|| panic!("no {name}: {}", report.json["snapshot"]))
}

#[test]
fn they_are_written_as_vitest_writes_them() {
    let folder = folder(
        "describe('outer', () => {
           test('of `x`', () => { expect({ b: [1, '${y}'], a: undefined, d: new Date(0) }).toMatchSnapshot(); expect('text').toMatchSnapshot('a hint'); });
         });
         test('x 10', () => { expect(10).toMatchSnapshot(); });
         test('x 9', () => { expect(9).toMatchSnapshot(); expect(() => { throw new Error('bad'); }).toThrowErrorMatchingSnapshot(); });
         test('parts', () => { expect({ id: 5, name: 'n' }).toMatchSnapshot({ id: expect.any(Number) }); });",
    );
    let report = Report::of(&folder, "");
    passed(&report);
    assert_eq!(count(&report, "added"), 6);
    let expected = r#"// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[`outer > of \`x\` > a hint 1`] = `"text"`;

exports[`outer > of \`x\` 1`] = `
{
  "a": undefined,
  "b": [
    1,
    "\${y}",
  ],
  "d": 1970-01-01T00:00:00.000Z,
}
`;

exports[`parts 1`] = `
{
  "id": Any<Number>,
  "name": "n",
}
`;

exports[`x 9 1`] = `9`;

exports[`x 9 2`] = `[Error: bad]`;

exports[`x 10 1`] = `10`;
"#;
    assert_eq!(stored(&folder).as_deref(), Some(expected));
    let again = in_ci(&folder, "");
    passed(&again);
    assert_eq!(count(&again, "matched"), 6);
}

#[test]
fn a_mismatch_shows_the_difference_and_update_renews() {
    let folder = folder(
        "test('it', () => { expect({ a: 1 }).toMatchSnapshot(); });\ntest('same', () => { expect(1).toMatchSnapshot(); });",
    );
    passed(&Report::of(&folder, ""));
    let before = stored(&folder);
    folder.write("a.test.lmt.mjs", &tests("test('it', () => {\n expect({ a: 2 }).toMatchSnapshot();\n});\ntest('same', () => { expect(1).toMatchSnapshot(); });"));
    let report = Report::of(&folder, "");
    assert_eq!(report.code, 1);
    let text = report.failures("it").concat();
    assert!(
        text.starts_with("Error: Snapshot `it 1` mismatched") && text.contains("-   \"a\": 1,\n+   \"a\": 2,"),
        "{text}"
    );
    assert!(text.contains("a.test.lmt.mjs:3:"), "{text}");
    assert_eq!(count(&report, "unmatched"), 1);
    assert_eq!(stored(&folder), before);
    let updated = Report::of(&folder, "--update");
    passed(&updated);
    assert_eq!((count(&updated, "updated"), count(&updated, "matched")), (1, 1));
    assert!(stored(&folder).is_some_and(|text| text.contains("\"a\": 2")));
}

#[test]
fn in_ci_none_is_written_and_a_missing_one_fails() {
    let folder = folder("test('it', () => { expect('value').toMatchSnapshot(); });");
    let report = in_ci(&folder, "");
    assert_eq!(report.code, 1);
    let text = report.failures("it").concat();
    assert!(
        text.contains("`it 1` is missing, and none is written when CI=true") && text.contains("\"value\""),
        "{text}"
    );
    assert_eq!(stored(&folder), None);
    passed(&in_ci(&folder, "--update"));
    assert!(stored(&folder).is_some());
}

#[test]
fn obsolete_snapshots_are_reported_and_removed_by_update() {
    let one = "test('one', () => { expect(1).toMatchSnapshot(); });\n";
    let folder = folder(&format!("{one}test('two', () => {{ expect(2).toMatchSnapshot(); }});"));
    passed(&Report::of(&folder, ""));
    // Tests that were not run leave their snapshots unchecked.
    assert_eq!(count(&Report::of(&folder, "--filter one"), "unchecked"), 0);
    folder.write("a.test.lmt.mjs", &tests(one));
    let report = Report::of(&folder, "");
    passed(&report);
    assert_eq!(count(&report, "unchecked"), 1);
    assert!(stored(&folder).is_some_and(|text| text.contains("two 1")));
    passed(&Report::of(&folder, "--update"));
    assert!(stored(&folder).is_some_and(|text| !text.contains("two 1") && text.contains("one 1")));
    folder.write("a.test.lmt.mjs", &tests("test('none', () => {});"));
    assert_eq!(count(&Report::of(&folder, ""), "unchecked"), 1, "nothing was expected at all");
    passed(&Report::of(&folder, "--update"));
    assert_eq!(stored(&folder), None);
}

#[test]
fn tests_that_were_skipped_or_failed_keep_theirs() {
    let folder = folder(
        "test('one', () => { expect(1).toMatchSnapshot(); });\ntest('two', () => { expect(2).toMatchSnapshot(); });",
    );
    passed(&Report::of(&folder, ""));
    let before = stored(&folder);
    folder.write(
        "a.test.lmt.mjs",
        &tests("test.skip('one', () => { expect(1).toMatchSnapshot(); });\ntest('two', () => { expect(2).toBe(3); expect(2).toMatchSnapshot(); });"),
    );
    assert_eq!(Report::of(&folder, "--update").code, 1);
    assert_eq!(stored(&folder), before);
}

#[test]
fn repetitions_compare_and_retries_start_over() {
    let report = Report::of_tests(
        "let n = 0;
         test('same', { repeat: 3 }, () => { expect('a').toMatchSnapshot(); expect('b').toMatchSnapshot(); });
         test('differs', { repeat: 2 }, () => { expect(n++).toMatchSnapshot(); });
         test('again', { retry: 1 }, ({ task }) => { expect(++n).toMatchSnapshot(); if (n % 2 === 1) throw new Error('once more'); });
         test('same', () => { expect('c').toMatchSnapshot(); });",
    );
    assert_eq!(report.statuses(), ["same: passed", "differs: failed", "again: passed", "same: passed"], "{report:?}");
    assert!(report.failures("differs").concat().contains("Snapshot `differs 1` mismatched"));
}

#[test]
fn inline_ones_are_compared_and_never_written() {
    let source = tests(
        "test('good', () => {
           expect({ a: 1, b: ['x'] }).toMatchInlineSnapshot(`
             {
               \"a\": 1,
               \"b\": [
                 \"x\",
               ],
             }
           `);
           expect(() => { throw new Error('bad'); }).toThrowErrorMatchingInlineSnapshot(`[Error: bad]`);
         });
         test('wrong', () => { expect('new').toMatchInlineSnapshot(`\"old\"`); });
         test('empty', () => { expect({ a: '`' }).toMatchInlineSnapshot(); });",
    );
    let folder = Folder::new(&[("a.test.lmt.mjs", &source)]);
    let report = Report::of(&folder, "--update");
    assert_eq!(report.statuses(), ["good: passed", "wrong: failed", "empty: failed"]);
    assert!(report.failures("wrong").concat().contains("Snapshot `wrong 1` mismatched"));
    let text = report.failures("empty").concat();
    assert!(text.contains("toMatchInlineSnapshot(`\n  {\n    \"a\": \"\\`\",\n  }\n`)"), "{text}");
    assert_eq!(fs::read_to_string(folder.path("a.test.lmt.mjs")).ok(), Some(source));
    assert_eq!(stored(&folder), None);
}

#[test]
fn a_file_can_hold_one() {
    let folder =
        folder("test('it', async () => { await expect('line\\nline').toMatchFileSnapshot('./kept/out.txt'); });");
    passed(&Report::of(&folder, ""));
    assert_eq!(fs::read_to_string(folder.path("kept/out.txt")).ok().as_deref(), Some("line\nline"));
    folder.write("kept/out.txt", "other");
    let text = Report::of(&folder, "").failures("it").concat();
    assert!(text.contains("mismatched") && text.contains("a.test.lmt.mjs:2:"), "{text}");
    passed(&Report::of(&folder, "--update"));
}

#[test]
fn snapshots_of_runs_omit_variable_parts() {
    let prompt = "export const config = { model: 'mock' };
        export const mock = [{ type: 'tool-call', toolName: 'look', args: { at: 'sky' } }, { type: 'text', text: 'Blue.' }];
        export default async ({ defTool, $ }) => { defTool('look', 'Looks.', {}, () => ({ seen: 1 })); $`go`; };";
    let folder = folder("test('it', async () => { expect(await run('./p.lmt.mjs')).toMatchSnapshot(); });");
    folder.write("p.lmt.mjs", prompt);
    passed(&Report::of(&folder, "a.test.lmt.mjs"));
    let text = stored(&folder).unwrap_or_default();
    let expected = "exports[`it 1`] = `
Run {
  \"finishReason\": \"stop\",
  \"steps\": 2,
  \"text\": \"Blue.\",
  \"toolCalls\": [
    {
      \"input\": {
        \"at\": \"sky\",
      },
      \"output\": {
        \"seen\": 1,
      },
      \"toolName\": \"look\",
    },
  ],
}
`;";
    assert!(text.contains(expected), "{text}");
    passed(&in_ci(&folder, "a.test.lmt.mjs"));
}

#[test]
fn an_invalid_snapshot_file_is_reported_and_left() {
    let folder = folder("test('it', () => { expect(1).toMatchSnapshot(); });");
    folder.write(KEPT, "this is none");
    let report = Report::of(&folder, "--update");
    assert_eq!(report.code, 1);
    let text = report.failures("it").concat();
    assert!(text.contains("is no snapshot file"), "{text}");
    assert_eq!(stored(&folder).as_deref(), Some("this is none"));
    assert_eq!(report.json["success"], Value::Bool(false));
}

#[test]
fn a_lone_surrogate_is_stored_as_the_replacement_character() {
    let folder = folder("test('cut', () => { expect({ text: 'x\\ud83d' }).toMatchSnapshot(); });");
    passed(&Report::of(&folder, ""));
    assert!(stored(&folder).is_some_and(|text| text.contains("x\u{fffd}")));
    passed(&in_ci(&folder, ""));
}
