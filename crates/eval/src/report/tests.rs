//! Reports of a small eval.

use std::path::PathBuf;

use console::measure_text_width;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::*;
use crate::{AnsweredCell, CellLine, EvalFile, EvalRows, Score, Variant, VerdictCost};
use lmthing_base::chat::Usage;
use lmthing_map::RowError;
use lmthing_providers::Redactor;

fn file(variants: &[&str], scores: &[&str]) -> EvalFile {
    let variant = |name: &&str| Variant {
        name: (*name).to_owned(),
        file: PathBuf::from("/p/answer.lmt.mjs"),
        shown_file: "answer.lmt.mjs".to_owned(),
        model: None,
        options: Map::new(),
        input: Map::new(),
        limits: Map::new(),
    };
    EvalFile {
        path: PathBuf::from("/p/answer.eval.lmt.mjs"),
        shown_path: "answer.eval.lmt.mjs".to_owned(),
        rows: EvalRows::Objects(Vec::new()),
        variants: variants.iter().map(variant).collect(),
        scores: scores.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn cell(row: u64, variant: &str, model: &str, scores: &[(&str, Value)]) -> AnsweredCell {
    let score = |(name, value): &(&str, Value)| {
        let score = match value {
            Value::Bool(pass) => Score { score: Some(f64::from(*pass)), pass: Some(*pass), ..Score::default() },
            Value::Number(number) => Score { score: number.as_f64(), ..Score::default() },
            other => Score { error: other.as_str().map(str::to_owned), ..Score::default() },
        };
        ((*name).to_owned(), score)
    };
    let input = json!({ "question": format!("question {row}?") }).as_object().cloned().unwrap();
    let mut columns = input.clone();
    columns.insert("expected".to_owned(), json!("yes"));
    let line = CellLine {
        row,
        variant: variant.to_owned(),
        model: model.to_owned(),
        repeat: 1,
        input,
        output: None,
        text: Some("an answer".to_owned()),
        finish_reason: None,
        usage: Usage::new(Some(100), Some(10)),
        cost: Some(0.001),
        duration_ms: 100 * row,
        error: None,
        scores: scores.iter().map(score).collect(),
    };
    AnsweredCell { line, row: columns, verdicts: Vec::new() }
}

fn failed(cell: AnsweredCell, message: &str) -> AnsweredCell {
    let error = Some(RowError::new(1, "provider", message.to_owned()));
    let line =
        CellLine { error, text: None, usage: Usage::default(), cost: None, scores: IndexMap::new(), ..cell.line };
    AnsweredCell { line, ..cell }
}

fn evaluated<'a>(file: &'a EvalFile, cells: &'a [AnsweredCell], baseline: Option<&'a Baseline>) -> Evaluated<'a> {
    let rows = cells.iter().map(|cell| cell.line.row).max().unwrap_or_default();
    Evaluated { file, rows, cells, baseline, is_complete: true }
}

fn reported(file: &EvalFile, cells: &[AnsweredCell]) -> Value {
    serde_json::from_str(&Reports::new(vec![evaluated(file, cells, None)], &Gates::default()).json()).unwrap()
}

/// Two variants on twelve rows: the second is right on all, the first on four; nearly the same tone.
fn two_variants() -> (EvalFile, Vec<AnsweredCell>) {
    let cells = (1..=12).flat_map(|row| {
        let tone = 0.5 + 0.03 * f64::from(row as u32);
        [
            cell(row, "now", "lab:m", &[("right", json!(row <= 4)), ("tone", json!(tone))]),
            cell(row, "short", "lab:m", &[("right", json!(true)), ("tone", json!(tone + 0.01))]),
        ]
    });
    (file(&["now", "short"], &["right", "tone"]), cells.collect())
}

#[test]
fn json_has_groups_and_differences() {
    let (file, cells) = two_variants();
    let report = reported(&file, &cells);
    assert_eq!(report["ok"], true);
    let eval = &report["evals"][0];
    assert_eq!((&eval["file"], &eval["rows"], &eval["cells"]), (&json!("answer.eval.lmt.mjs"), &json!(12), &json!(24)));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(eval), ["file", "rows", "cells", "groups", "differences"]);
    let group = &eval["groups"][0];
    let expected = ["variant", "model", "cells", "errors", "cost", "judgeCost", "usage", "durationMs", "scores"];
    assert_eq!(keys(group), expected);
    assert_eq!(group["durationMs"], json!({ "p50": 650, "p95": 1200 }));
    assert_eq!(group["usage"]["inputTokens"], 1200);
    // SciPy: binomtest(4, 12).proportion_ci(method='wilson').
    let right = &group["scores"]["right"];
    assert_eq!((&right["kind"], &right["n"]), (&json!("boolean"), &json!(12)));
    assert!((right["low"].as_f64().unwrap() - 0.138_120_091).abs() < 1e-6, "{right}");
    assert_eq!(group["scores"]["tone"]["kind"], "number");
    let [right, tone] = &eval["differences"].as_array().unwrap()[..] else { panic!("{eval}") };
    assert_eq!(keys(right), ["score", "variant", "model", "against", "n", "mean", "low", "high", "verdict"]);
    assert_eq!(
        (&right["against"], &right["variant"], &right["verdict"]),
        (&json!("first"), &json!("short"), &json!("better"))
    );
    assert_eq!((&tone["n"], &tone["mean"], &tone["verdict"]), (&json!(12), &json!(0.01), &json!("better")));
}

#[test]
fn only_rows_that_both_have_are_compared() {
    let (file, mut cells) = two_variants();
    cells.retain(|cell| cell.line.variant == "now" || cell.line.row > 2);
    for broken in [3, 4] {
        let at = cells.iter().position(|cell| cell.line.variant == "short" && cell.line.row == broken).unwrap();
        cells[at] = failed(cells[at].clone(), "overloaded");
    }
    let at = cells.iter().position(|cell| cell.line.variant == "now" && cell.line.row == 5).unwrap();
    cells[at].line.scores["right"] = Score { error: Some("TypeError: x".to_owned()), ..Score::default() };
    let report = reported(&file, &cells);
    assert_eq!(report["ok"], false);
    let eval = &report["evals"][0];
    assert_eq!(eval["groups"][1]["errors"], 2);
    assert_eq!(eval["groups"][1]["cost"], json!(0.008));
    assert_eq!(eval["groups"][0]["scores"]["right"]["n"], 11);
    let ns: Vec<&Value> = eval["differences"].as_array().unwrap().iter().map(|one| &one["n"]).collect();
    assert_eq!(ns, [7, 8]);
}

#[test]
fn repetitions_are_one_value_of_their_row() {
    let file = file(&["default"], &["right"]);
    let mut cells = Vec::new();
    for row in 1..=10 {
        for repeat in 1..=2 {
            let mut cell = cell(row, "default", "lab:m", &[("right", json!(repeat == 1 || row > 3))]);
            cell.line.repeat = repeat;
            cells.push(cell);
        }
    }
    let report = reported(&file, &cells);
    let right = &report["evals"][0]["groups"][0]["scores"]["right"];
    assert_eq!((&right["kind"], &right["n"], &right["mean"]), (&json!("boolean"), &json!(10), &json!(0.85)));
    assert_eq!(report["evals"][0]["differences"], json!([]));
}

#[test]
fn groups_are_compared_with_the_first_of_the_same_model() {
    let compared = |variants: &[&str], groups: &[(&str, &str)]| {
        let file = file(variants, &["right"]);
        let cells: Vec<_> = (1..=3)
            .flat_map(|row| {
                groups.iter().map(move |(variant, model)| cell(row, variant, model, &[("right", json!(true))]))
            })
            .collect();
        let reports = Reports::new(vec![evaluated(&file, &cells, None)], &Gates::default());
        let name = |(variant, model): (&str, &str)| format!("{variant}/{model}");
        let differences = reports.evals[0].differences.iter();
        let shown = differences
            .map(|one| format!("{} {}", name((&one.variant, &one.model)), name((&one.other.0, &one.other.1))));
        shown.collect::<Vec<_>>()
    };
    assert_eq!(compared(&["default"], &[("default", "a"), ("default", "b")]), ["default/b default/a"]);
    let all = [("now", "a"), ("now", "b"), ("new", "a"), ("new", "b"), ("mini", "c")];
    assert_eq!(compared(&["now", "new", "mini"], &all), ["new/a now/a", "new/b now/b", "mini/c now/a"]);
}

#[test]
fn a_baseline_is_compared_by_inputs() {
    let (file, cells) = two_variants();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.jsonl");
    // In another order, with other numbers, without the last row, and with what this eval does not have.
    let mut lines: Vec<CellLine> =
        cells.iter().filter(|cell| cell.line.row < 12).map(|cell| cell.line.clone()).collect();
    for line in &mut lines {
        line.row = 30 - line.row;
        line.scores["right"] = Score { score: Some(1.0), pass: Some(true), ..Score::default() };
    }
    lines.push(CellLine { variant: "gone".to_owned(), ..lines[0].clone() });
    let text: String = lines.iter().rev().map(|line| json!(line).to_string() + "\n").collect();
    std::fs::write(&path, text).unwrap();
    let baseline = Baseline::read(&path, &Redactor::default()).unwrap();
    let inputs: Vec<_> = cells.iter().map(|cell| cell.line.input.clone()).collect();
    baseline.check(&file.scores, &inputs).unwrap();
    let gates = Gates { fail_under: Vec::new(), fail_on_regression: true };
    let reports = Reports::new(vec![evaluated(&file, &cells, Some(&baseline))], &gates);
    let of_baseline: Vec<String> = reports.evals[0]
        .differences
        .iter()
        .filter(|one| one.against == Against::Baseline)
        .map(|one| format!("{} {} {} {}", one.variant, one.score, one.n, one.verdict.as_str()))
        .collect();
    let unchanged = ["now tone 11 no difference shown", "short right 11 no difference shown"];
    let expected = ["now right 11 worse", unchanged[0], unchanged[1], "short tone 11 no difference shown"];
    assert_eq!(of_baseline, expected);
    assert!(!reports.ok);
    assert_eq!(reports.failures.len(), 1, "{:?}", reports.failures);
    assert!(
        reports.failures[0].starts_with("right of now (lab:m) is worse than the baseline"),
        "{:?}",
        reports.failures
    );
    let page: Value = serde_json::from_str(&reports.page_data("1.0.0", "2026-01-01T00:00:00Z")).unwrap();
    assert_eq!(page["evals"][0]["lines"][0]["columns"], json!({ "expected": "yes" }));
    // Those of the variant that this eval does not have are left out.
    assert_eq!(page["evals"][0]["baselineLines"].as_array().unwrap().len(), 22);
    assert_eq!(page["evals"][0]["differences"][2]["other"], json!(["now", "lab:m"]));
    assert_eq!(page["evals"][0]["baselineGroups"], json!([["now", "lab:m"], ["short", "lab:m"]]));
    assert_eq!(page["evals"][0]["disagreeing"].as_array().unwrap().len(), 8);
}

#[test]
fn a_foreign_baseline_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.jsonl");
    let refusal = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let baseline = Baseline::read(&path, &Redactor::default()).map_err(|problem| problem.message)?;
        let input = json!({ "question": "q" }).as_object().cloned().unwrap();
        baseline.check(&["right".to_owned()], &[input]).map_err(|problem| problem.message)
    };
    let line = |input: Value, score: &str| {
        let mut cell = cell(1, "default", "m", &[(score, json!(true))]);
        cell.line.input = input.as_object().cloned().unwrap();
        json!(cell.line).to_string()
    };
    assert_eq!(refusal(&line(json!({ "question": "q" }), "right")), Ok(()));
    for (text, expected) in [
        (String::new(), "is empty"),
        ("{\"row\":1,\"input\":{},\"text\":\"of a map\"}\n".to_owned(), "is no OUT of an eval: its line 1 is no cell"),
        ("not json".to_owned(), "is no OUT of an eval"),
        (line(json!({ "question": "q" }), "polite"), "has no score of this one"),
        (line(json!({ "city": "Rome" }), "right"), "has no row of this one"),
    ] {
        let message = refusal(&text).unwrap_err();
        assert!(message.contains(expected) && message.starts_with("--baseline "), "{message}");
    }
    let missing = Baseline::read(&folder.path().join("none.jsonl"), &Redactor::default()).unwrap_err();
    assert!(missing.message.ends_with("does not exist"), "{}", missing.message);
}

#[test]
fn a_model_that_has_changed_is_compared_with_the_earlier_one() {
    let file = file(&["default"], &["right"]);
    let cells = |model: &str| -> Vec<AnsweredCell> {
        (1..=3).map(|row| cell(row, "default", model, &[("right", json!(true))])).collect()
    };
    let earlier = cells("old").into_iter().map(|cell| cell.line).collect();
    let baseline = Baseline { shown_path: "base.jsonl".to_owned(), lines: earlier };
    let cells = cells("new");
    let reports = Reports::new(vec![evaluated(&file, &cells, Some(&baseline))], &Gates::default());
    let [difference] = &reports.evals[0].differences[..] else { panic!("{:?}", reports.evals[0].differences) };
    assert_eq!((difference.n, &difference.other.1[..]), (3, "old"));
    assert!(reports.pretty(Look { has_colours: false, columns: None }).contains("right · new, there old"));
}

#[test]
fn gates_name_what_is_below() {
    let (file, cells) = two_variants();
    let gate = |text: &str| text.parse::<FailUnder>().unwrap();
    let failures = |gates: &[&str]| {
        let gates = Gates { fail_under: gates.iter().map(|text| gate(text)).collect(), fail_on_regression: false };
        Reports::new(vec![evaluated(&file, &cells, None)], &gates).failures
    };
    assert_eq!(failures(&["right=0.9"]), ["right of now (lab:m) is 0.333, below 0.9"]);
    // The mean of tone is 0.695 for `now`: equal is not below.
    assert_eq!(failures(&["tone=0.695", "right=0"]), Vec::<String>::new());
    assert_eq!(failures(&["tone=0.6951"])[0], "tone of now (lab:m) is 0.6950, below 0.6951");
    for wrong in ["right", "right=", "right=1.5", "right=-0.1", "=0.5", "right=NaN", "right=90%"] {
        assert!(wrong.parse::<FailUnder>().is_err(), "{wrong}");
    }
    let gates = Gates { fail_under: vec![gate("rigth=0.9")], fail_on_regression: false };
    let problem = gates.check_names(["right", "tone"]).unwrap_err();
    assert_eq!(problem.hint.as_deref(), Some("did you mean right=0.9?"));
    assert!(gates.check_names(["rigth"]).is_ok());
}

#[test]
fn a_score_that_no_row_has_is_below_every_limit() {
    let file = file(&["default"], &["right"]);
    let cells = [failed(cell(1, "default", "m", &[]), "refused")];
    let gates = Gates { fail_under: vec!["right=0".parse().unwrap()], fail_on_regression: false };
    let reports = Reports::new(vec![evaluated(&file, &cells, None)], &gates);
    assert_eq!(reports.failures, ["right of default (m): no row has this score"]);
    let json: Value = serde_json::from_str(&reports.json()).unwrap();
    let group = &json["evals"][0]["groups"][0];
    assert_eq!(group["scores"]["right"], json!({ "kind": "number", "n": 0, "mean": null, "low": null, "high": null }));
    assert_eq!((&group["cost"], &group["durationMs"]), (&json!(0.0), &json!({ "p50": null, "p95": null })));
    for columns in [40, 80] {
        assert!(reports.pretty(Look { has_colours: false, columns: Some(columns) }).contains("provider: refused"));
    }
}

#[test]
fn a_verdict_is_paid_once() {
    let file = file(&["default"], &["polite"]);
    let verdict = |key: &str, cost: Option<f64>| VerdictCost { key: key.to_owned(), cost };
    let mut cells: Vec<_> = (1..=3).map(|row| cell(row, "default", "m", &[("polite", json!(true))])).collect();
    cells[0].verdicts = vec![verdict("a", Some(0.25)), verdict("b", Some(0.5))];
    cells[1].verdicts = vec![verdict("a", Some(0.25))];
    assert_eq!(reported(&file, &cells)["evals"][0]["groups"][0]["judgeCost"], 0.75);
    cells[2].verdicts = vec![verdict("c", None)];
    assert_eq!(reported(&file, &cells)["evals"][0]["groups"][0]["judgeCost"], Value::Null);
}

#[test]
fn csv_has_a_line_for_each_cell() {
    let file = file(&["default"], &["right", "text"]);
    let mut cells = [
        cell(1, "default", "m", &[("right", json!(true)), ("text", json!(0.5))]),
        failed(cell(2, "default", "m", &[]), "=refused"),
        cell(3, "default", "m", &[("right", json!("TypeError: x")), ("text", json!(0))]),
    ];
    cells[0].line.text = Some("=1+1\n\"q\"".to_owned());
    let reports = Reports::new(vec![evaluated(&file, &cells, None)], &Gates::default());
    let expected = "row,variant,model,repeat,question,text,right,score.text,finishReason,inputTokens,outputTokens,cost,\
                    durationMs,error\r\n\
                    1,default,m,1,question 1?,\"'=1+1\n\"\"q\"\"\",1,0.5,,100,10,0.001,100,\r\n\
                    2,default,m,1,question 2?,,,,,,,,200,'=refused\r\n\
                    3,default,m,1,question 3?,an answer,,0,,100,10,0.001,300,right: TypeError: x\r\n";
    assert_eq!(reports.csv(), expected);
}

/// The same eval with names and texts that try to leave their place.
fn hostile() -> (EvalFile, Vec<AnsweredCell>) {
    let names = ["\u{1b}[31mnow|\u{202e}", "短い変種の名前"];
    let cells = (1..=30).flat_map(|row| {
        names.map(|name| {
            let mut cell = cell(row, name, "lab:m", &[("right|`<b>`", json!(name.len() + row as usize % 3 > 21))]);
            cell.line.input.insert("x".to_owned(), json!("</details>\u{1b}]0;t\u{7}\n| a | @team `x`"));
            if row == 2 { failed(cell, "\u{1b}[2J<script>|\nsecond line") } else { cell }
        })
    });
    (file(&names, &["right|`<b>`"]), cells.collect())
}

#[test]
fn a_report_fits_every_terminal() {
    for (file, cells) in [two_variants(), hostile()] {
        let reports = Reports::new(vec![evaluated(&file, &cells, None)], &Gates::default());
        for columns in 40..=200 {
            for has_colours in [false, true] {
                let text = reports.pretty(Look { has_colours, columns: Some(columns) });
                let plain = console::strip_ansi_codes(&text).into_owned();
                assert!(has_colours || plain == text, "{text}");
                assert!(!plain.contains(|c: char| c.is_control() && c != '\n'), "{plain:?}");
                for line in plain.lines() {
                    assert!(measure_text_width(line) <= usize::from(columns), "{columns}: {line}");
                }
            }
        }
    }
}

#[test]
fn markdown_keeps_foreign_text_in_its_cell() {
    let (file, cells) = hostile();
    let text = Reports::new(vec![evaluated(&file, &cells, None)], &Gates::default()).markdown();
    let outside: String = text.split('`').step_by(2).collect();
    for hostile in ["<script>", "@team", "<b>", "\u{1b}"] {
        assert!(!outside.contains(hostile), "{text}");
    }
    assert_eq!(outside.matches("</details>").count(), 2, "{text}");
    let head = text.lines().position(|line| line.starts_with("| variant")).unwrap();
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[head + 1..head + 4].iter().all(|line| columns(line) == columns(lines[head])), "{text}");
}

#[test]
fn a_report_shows_means_differences_and_costs() {
    let (file, cells) = two_variants();
    let text = Reports::new(vec![evaluated(&file, &cells, None)], &Gates::default())
        .pretty(Look { has_colours: false, columns: Some(100) });
    insta::assert_snapshot!(text);
}
