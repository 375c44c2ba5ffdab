//! Verdicts of judges stay in OUT (docs/reference/eval.md#judges).

use serde_json::json;

use super::{Asked, Lab, eval_file, rows};
use crate::support::{Outcome, wait_until};

/// Of the server, about texts without an exclamation mark.
fn judged(criterion: &str, rows_: &str) -> String {
    let scores = format!("polite: judge('{criterion}', {{ model: 'lab:judge' }})");
    let file = eval_file(rows_, &scores, "{ plain: {}, loud: { input: { style: '!' } } }");
    format!("import {{ judge }} from 'lmthing/eval';\n{file}")
}

/// Whether the state next to OUT has a text.
fn is_kept(lab: &Lab, text: &str) -> bool {
    let files = ["out.jsonl.lmthing", "out.jsonl.lmthing-wal"].map(|name| std::fs::read(lab.folder.path(name)));
    files.iter().flatten().any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
}

/// The number of answers and of verdicts that were asked for.
fn counts(lab: &Lab) -> (usize, usize) {
    let asked = lab.take_asked();
    let verdicts = asked.iter().filter(|Asked { model, .. }| model == "judge").count();
    (asked.len() - verdicts, verdicts)
}

#[test]
fn a_changed_judge_asks_judges_only() {
    let lab = Lab::new(&judged("is polite", &rows(2)));
    let outcome = lab.eval("-o out.jsonl -f json");
    assert_eq!((outcome.code, counts(&lab)), (0, (4, 4)), "{outcome:?}");
    let line = &lab.lines()[1];
    assert_eq!(line["scores"], json!({ "polite": { "score": 0.0, "pass": false, "reason": "because" } }), "{line}");
    let before = std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap();
    assert_eq!((lab.eval("-o out.jsonl").code, counts(&lab)), (0, (0, 0)));
    assert_eq!(std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap(), before);
    lab.folder.write("e.eval.lmt.mjs", &judged("is brief", &rows(2)));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, counts(&lab)), (0, (0, 4)), "{outcome:?}");
    // Back again, and a further row.
    lab.folder.write("e.eval.lmt.mjs", &judged("is polite", &rows(3)));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, counts(&lab)), (0, (2, 2)), "{outcome:?}");
    assert_eq!(lab.files_of_out(), ["out.jsonl", "out.jsonl.lmthing"]);
}

#[test]
#[cfg(unix)]
fn verdicts_of_an_eval_that_is_killed_are_not_paid_again() {
    let lab = Lab::new(&judged("is polite", &rows(2)));
    lab.change(|seen| seen.numbers_answers = true);
    // Answers and verdicts, one after the other.
    for paid in [2, 4, 5, 7] {
        lab.change(|seen| seen.holds_after = Some(paid));
        let eval = lab.start("-o out.jsonl --jobs 1");
        lab.wait_until(|seen| seen.paid.len() == paid && seen.held > 0);
        wait_until("the answers are kept", || (1..=paid).all(|number| is_kept(&lab, &format!(", answer {number}"))));
        eval.signal("KILL");
        eval.end();
        lab.change(|seen| seen.killed += 1);
        lab.wait_until(|seen| seen.held == 0);
    }
    lab.change(|seen| seen.holds_after = Some(8));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.lines().len()), (0, 4), "{outcome:?}");
    lab.change(|seen| assert_eq!(seen.paid.len(), 8));
}

#[test]
fn a_judge_asks_for_no_endless_number_of_verdicts() {
    let scores = "polite: judge('is polite', { model: 'lab:judge', of: 1e9 })";
    let lab = Lab::new(&format!("import {{ judge }} from 'lmthing/eval';\n{}", eval_file(&rows(1), scores, "")));
    let outcome = lab.eval("");
    assert_eq!((outcome.code, counts(&lab)), (1, (0, 0)), "{outcome:?}");
    assert!(outcome.stderr.contains("of must be a whole number from 1 to 100, got 1000000000"), "{outcome:?}");
}

#[test]
fn a_judge_that_rows_ask_is_asked_by_each_command() {
    let rows = "async () => (await judge('is short', { model: 'lab:judge' })({ text: 'x' })).pass ? [{ n: 1, want: 'row 1' }] : []";
    let lab = Lab::new(&format!("import {{ judge }} from 'lmthing/eval';\n{}", eval_file(rows, super::RIGHT, "")));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, counts(&lab)), (0, (1, 1)), "{outcome:?}");
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, counts(&lab)), (0, (0, 1)), "{outcome:?}");
}

#[test]
fn a_verdict_is_of_the_server_that_gave_it() {
    let (lab, other) = (Lab::new(&judged("is polite", &rows(2))), Lab::new(""));
    assert_eq!((lab.eval("-o out.jsonl").code, counts(&lab)), (0, (4, 4)));
    let key = || Outcome::of(lab.command("-o out.jsonl").env("LAB_API_KEY", "sk-other-key-of-the-same-server"));
    assert_eq!((key().code, counts(&lab)), (0, (0, 0)), "another key is no other judge");
    let mut elsewhere = lab.command("-o out.jsonl");
    let outcome = Outcome::of(elsewhere.env("LAB_API_BASE", format!("http://{}", other.address)));
    assert_eq!((outcome.code, counts(&lab), counts(&other)), (0, (0, 0), (0, 4)), "{outcome:?}");
    // Of two judges with one name, each is asked.
    let judge = |lab: &Lab, query: &str| {
        let settings = format!("name: 'same', baseURL: 'http://{}'{query}", lab.address);
        format!("judge('is x', {{ model: createOpenAICompatible({{ {settings} }})('judge') }})")
    };
    let (one, two) = (judge(&lab, ""), judge(&other, ""));
    let three = judge(&lab, ", headers: { tenant: 'b' }");
    let scores = format!("one: {one}, again: {one}, two: {two}, three: {three}");
    let imports = "import { createOpenAICompatible } from 'lmthing';\nimport { judge } from 'lmthing/eval';\n";
    lab.folder.write("e.eval.lmt.mjs", &format!("{imports}{}", eval_file(&rows(1), &scores, "")));
    let outcome = lab.eval("-o out.jsonl --fresh");
    assert_eq!((outcome.code, counts(&lab), counts(&other)), (0, (1, 2), (0, 1)), "{outcome:?}");
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, counts(&lab), counts(&other)), (0, (0, 0), (0, 0)), "{outcome:?}");
}
