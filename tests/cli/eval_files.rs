//! Eval files and the commands other than `eval`: what is no prompt file is refused or left alone, and `check` knows what
//! an eval file exports.

use crate::{
    findings::Finding,
    support::{Folder, HELLO},
};

const EVAL: &str = "import { judge } from 'lmthing/eval';
export const file = './p.lmt.mjs';
export const rows = [{ city: 'Rome', expected: 'Italy' }];
export const scores = {
  right: ({ text, row }) => text === row.expected,
  polite: judge('is polite', { model: 'ollama:judge', of: 3 }),
};
export const variants = { plain: {}, cold: { options: { temperature: 0 }, limits: { steps: 2 } } };
";

fn folder() -> Folder {
    Folder::new(&[("p.lmt.mjs", HELLO), ("p.eval.lmt.mjs", EVAL), ("p.eval.recording.json", "{}")])
}

#[test]
fn commands_for_prompt_files_point_to_eval() {
    let folder = folder();
    for command in ["run p.eval.lmt.mjs", "p.eval.lmt.mjs", "map p.eval.lmt.mjs --input rows.csv", "mcp p.eval.lmt.mjs"]
    {
        let outcome = folder.run(command);
        assert!(outcome.code == 1 || outcome.code == 2, "{command}: {outcome:?}");
        assert!(
            outcome.stderr.contains("p.eval.lmt.mjs holds an eval, and is no prompt file to"),
            "{command}: {outcome:?}"
        );
        assert!(outcome.stderr.contains("it is run by: lmthing eval p.eval.lmt.mjs"), "{command}: {outcome:?}");
    }
}

#[test]
fn tests_leave_eval_files_alone() {
    let folder = folder();
    let outcome = folder.run("test");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("p.lmt.mjs") && !outcome.stdout.contains("eval"), "{outcome:?}");
    let outcome = folder.run("test p.eval.lmt.mjs");
    assert_eq!(outcome.code, 1, "{outcome:?}");
}

/// The findings for an eval file with this text.
fn findings(source: &str) -> Vec<Finding> {
    let folder = Folder::new(&[("p.lmt.mjs", HELLO), ("p.eval.lmt.mjs", source)]);
    Finding::all(&folder.run("check --format json p.eval.lmt.mjs"))
}

#[test]
fn a_right_eval_file_has_no_findings() {
    let found = findings(EVAL);
    assert!(found.is_empty(), "{found:#?}");
    // Nothing is called, and a folder has eval files too.
    let calls = EVAL.replace("[{ city: 'Rome', expected: 'Italy' }]", "() => { throw new Error('called'); }");
    let folder = Folder::new(&[("p.lmt.mjs", HELLO), ("p.eval.lmt.mjs", &calls)]);
    let outcome = folder.run("check");
    assert!(outcome.code == 0 && outcome.stdout.contains("2 files"), "{outcome:?}");
}

#[test]
fn mistakes_in_eval_files_are_found_at_their_lines() {
    for (right, wrong, line, words) in [
        ("export const scores", "export const score", 4, "did you mean 'scores'?"),
        ("'./p.lmt.mjs'", "'./q.lmt.mjs'", 2, "cannot find the file"),
        ("cold: {", "cold: { modle: 'x',", 8, "'modle'"),
        ("options: { temperature", "options: { temprature", 8, "'temprature'"),
        ("limits: { steps: 2 }", "limits: { step: 2 }", 8, "'step'"),
        ("text === row.expected", "text.size === row.expected", 5, "'size'"),
        ("=> text === row.expected", "=> text + row.expected", 5, "string"),
        ("=== row.expected", "=== row.expcted", 5, "Did you mean 'expected'?"),
        ("'is polite', {", "'is polite', { nede: 1,", 6, "'nede'"),
        ("'ollama:judge'", "'olama:judge'", 6, "olama"),
    ] {
        let found = findings(&EVAL.replace(right, wrong));
        let errors: Vec<_> = found.iter().filter(|finding| finding.severity == "error").collect();
        let there = errors.iter().any(|finding| finding.line == line && finding.text().contains(words));
        assert!(there, "{wrong}: {errors:#?}");
    }
}

#[test]
fn scores_may_read_each_column_that_a_row_could_have() {
    for rows in [
        "[{ city: 'Rome' }, { city: 'Oslo', expected: 'Norway' }, { expected: null, city: [] }]",
        "[{ city: 'Rome', ...more }]",
        "[...others, { city: 'Rome' }]",
        "others",
        "[]; rows.push(...others)",
        "() => [{ city: 'Rome' }]",
    ] {
        let more = "const more = { expected: 'Italy' };\nconst others = [more];\n";
        let source = EVAL.replace("[{ city: 'Rome', expected: 'Italy' }]", rows);
        let found = findings(&source.replace("export const rows", &format!("{more}export const rows")));
        assert!(found.is_empty(), "{rows}: {found:#?}");
    }
}

#[test]
fn a_judge_is_a_function_of_tests_too() {
    let test = "import { createMockModel, expect, judge, run, test } from 'lmthing/test';
import { judge as same } from 'lmthing/eval';
test('is polite', async () => {
  const model = createMockModel([{ type: 'text', text: '{\"pass\":true,\"reason\":\"It greets.\"}' }]);
  expect(judge).toBe(same);
  const judged = await judge('is polite', { model })(await run('./p.lmt.mjs'));
  expect(judged).toEqual({ score: true, pass: true, reason: 'It greets.' });
});
";
    let folder = Folder::new(&[("p.lmt.mjs", HELLO), ("p.test.lmt.mjs", test)]);
    let outcome = folder.run("test p.test.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
}
