//! What cannot be right ends before anything is asked.

use serde_json::json;

use super::{Lab, RIGHT, eval_file, rows};

#[test]
fn all_eval_files_are_checked_before_one_is_run() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    lab.folder.write("f.eval.lmt.mjs", &eval_file(&rows(1), RIGHT, "").replace("scores", "scoress"));
    let outcome = lab.eval("f.eval.lmt.mjs");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("did you mean 'scores'?"), "{outcome:?}");
    lab.folder.write("f.eval.lmt.mjs", &eval_file(&rows(1), "other: () => true", ""));
    let outcome = lab.eval("f.eval.lmt.mjs --fail-under neither=0.5");
    assert_eq!((outcome.code, lab.take_texts().len()), (2, 0), "{outcome:?}");
    // A score of one of them is known.
    let outcome = lab.eval("f.eval.lmt.mjs --fail-under right=1");
    assert_eq!((outcome.code, lab.take_texts().len()), (0, 3), "{outcome:?}");
}

#[test]
fn a_variant_replaces_only_what_its_file_takes() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, "{ loud: { input: { stile: '!' } } }"));
    let outcome = lab.eval("");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    let words = ["variant 'loud' replaces the input 'stile', which p.lmt.mjs does not take", "did you mean 'style'?"];
    assert!(words.iter().all(|words| outcome.stderr.contains(words)), "{outcome:?}");
}

#[test]
fn a_misspelt_input_of_the_prompt_file_is_refused() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    lab.folder.write("p.lmt.mjs", &super::PROMPT.replace("const input", "const inputs"));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    let words = ["p.lmt.mjs exports 'inputs', which is not used", "did you mean 'input'?"];
    assert!(words.iter().all(|words| outcome.stderr.contains(words)), "{outcome:?}");
}

#[test]
fn a_column_like_an_input_that_no_row_has_is_pointed_out() {
    let lab = Lab::new("");
    let warning = "the column 'stlye' is only for the scores; did you mean 'style', which p.lmt.mjs takes?";
    lab.folder.write("rows.csv", "n,stlye,want\n1,!,row 1\n");
    for (rows, variants, warnings) in [
        (r#"[{"n":1,"stlye":"!"}]"#, "", 1),
        ("'rows.csv'", "{ a: {}, b: { options: { temperature: 1 } } }", 1),
        (r#"[{"n":1,"stlye":"!"},{"n":2,"style":"?"}]"#, "", 0),
        (r#"[{"n":1,"stlye":"!"}]"#, "{ a: { input: { style: '?' } } }", 0),
    ] {
        lab.folder.write("e.eval.lmt.mjs", &eval_file(rows, "done: () => true", variants));
        let outcome = lab.eval("");
        assert_eq!((outcome.code, outcome.stderr.matches(warning).count()), (0, warnings), "{rows}: {outcome:?}");
    }
    lab.folder.write("e.eval.lmt.mjs", &eval_file(r#"[{"N":1}]"#, RIGHT, ""));
    let outcome = lab.eval("");
    assert!(outcome.code == 1 && outcome.stderr.contains("did you mean 'n' by the column 'N'?"), "{outcome:?}");
}

#[test]
fn a_model_that_cannot_be_asked_is_found_before_others_are_paid() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, "{ own: {}, other: { file: './other.lmt.mjs' } }"));
    lab.folder.write("other.lmt.mjs", &super::PROMPT.replace("lab:m", "anthropic:x"));
    for (arguments, words) in [
        ("-o out.jsonl", "there is no key for anthropic:x: ANTHROPIC_API_KEY is not set"),
        ("-o out.jsonl --models lab:m,lbb:m", "Error: Unknown provider: \"lbb\""),
    ] {
        let outcome = lab.eval(arguments);
        assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
        assert!(outcome.stderr.contains(words), "{outcome:?}");
        assert_eq!(lab.files_of_out(), Vec::<String>::new());
    }
    // Answers that are there are scored without a key.
    assert_eq!(lab.eval("-o out.jsonl --models lab:m").code, 0);
    let variants = "{ own: {}, other: { file: './other.lmt.mjs' } }";
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(2), "short: ({ text }) => text.length < 9", variants));
    lab.take_texts();
    let mut command = lab.command("-o out.jsonl --models lab:m -f json");
    let outcome = crate::support::Outcome::of(command.env_remove("LAB_API_BASE").env_remove("LAB_API_TYPE"));
    assert_eq!((outcome.code, lab.take_texts().len()), (0, 0), "{outcome:?}");
}

#[test]
fn names_of_a_list_may_follow_spaces() {
    let lab = Lab::new(&eval_file(&rows(1), RIGHT, ""));
    let mut command = lab.command("-o out.jsonl");
    let outcome = crate::support::Outcome::of(command.args(["--models", "lab:a, lab:b"]));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(lab.cells(), ["1 default lab:a 1", "1 default lab:b 1"]);
}

#[test]
fn a_baseline_is_not_written_over() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    assert_eq!(lab.eval("-o out.jsonl").code, 0);
    lab.take_texts();
    let outcome = lab.eval("-o out.jsonl --baseline ./out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len()), (2, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("it is the baseline too"), "{outcome:?}");
}

#[test]
fn a_baseline_with_impossible_scores_is_refused() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    assert_eq!(lab.eval("-o out.jsonl").code, 0);
    lab.take_texts();
    let text = std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap();
    lab.folder.write("base.jsonl", &text.replace("\"score\":1.0", "\"score\":5.0"));
    let outcome = lab.eval("--baseline base.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("has a score right outside of 0 to 1 in its line 1"), "{outcome:?}");
}

/// One variant takes `style` as well, so that the rows give other inputs to it.
#[test]
fn a_baseline_is_compared_by_the_inputs_of_each_variant() {
    let rows =
        json!([{ "n": 1, "style": "!", "want": "row 1" }, { "n": 2, "style": "!", "want": "row 2" }]).to_string();
    let variants = "{ plain: { file: './plain.lmt.mjs' }, styled: {} }";
    let lab = Lab::new(&eval_file(&rows, RIGHT, variants));
    let plain = super::PROMPT.replace(", style: { type: 'string' }", "").replace("${style}", "");
    lab.folder.write("plain.lmt.mjs", &plain);
    assert_eq!(lab.eval("-o base.jsonl").code, 0);
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows, "right: () => false", variants));
    for variants in ["plain,styled", "plain"] {
        let outcome = lab.eval(&format!("--variants {variants} --baseline base.jsonl -f json"));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let report = super::report(&outcome);
        let differences = report["evals"][0]["differences"].as_array().unwrap();
        let of_plain =
            differences.iter().find(|one| one["against"] == "baseline" && one["variant"] == "plain").unwrap();
        assert_eq!((&of_plain["n"], &of_plain["mean"]), (&json!(2), &json!(-1.0)), "{outcome:?}");
    }
}

#[test]
fn a_gate_that_compares_nothing_fails() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, "{ old: {} }"));
    assert_eq!(lab.eval("-o base.jsonl").code, 0);
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(2), RIGHT, "{ renamed: {} }"));
    let outcome = lab.eval("--baseline base.jsonl --fail-on-regression -f json");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("--fail-on-regression has nothing to compare"), "{outcome:?}");
    assert_eq!(super::report(&outcome)["ok"], false, "{outcome:?}");
}

#[test]
fn what_is_refused_forgets_nothing() {
    let judged = |model: &str| {
        let scores = format!("right: judge('is right', {{ model: '{model}' }})");
        format!("import {{ judge }} from 'lmthing/eval';\n{}", eval_file(&rows(2), &scores, ""))
    };
    let lab = Lab::new(&judged("lab:judge"));
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_texts().len()), (0, 4));
    lab.folder.write("e.eval.lmt.mjs", &judged("anthropic:x"));
    let outcome = lab.eval("-o out.jsonl --fresh");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    lab.folder.write("e.eval.lmt.mjs", &judged("lab:judge"));
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_texts().len(), lab.lines().len()), (0, 0, 2));
}

/// Scores see answers as they are: a score may look for leaks.
#[test]
fn secrets_are_in_no_report() {
    const KEY: &str = "sk-lab-Vb3kQ9xTz7LmN2pR8wYc";
    let rows = json!([{ "n": 1, "style": KEY, "want": KEY }, { "n": 2, "want": "x" }]).to_string();
    let lab = Lab::new(&eval_file(
        &rows,
        "leaks: ({ text, row }) => text.includes('sk-lab-V') && text.includes(row.want)",
        "",
    ));
    let eval = |arguments: &str| crate::support::Outcome::of(lab.command(arguments).env("LAB_API_KEY", KEY));
    for arguments in ["-o base.jsonl", "-o base.jsonl -f html", "-f csv", "--baseline base.jsonl -f html -o out.jsonl"]
    {
        let outcome = eval(arguments);
        assert!(outcome.code == 0 && !outcome.stdout.contains("Vb3kQ9"), "{arguments}: {outcome:?}");
    }
    let line = &lab.lines()[0];
    assert_eq!((&line["input"]["style"], &line["text"]), (&json!("[redacted]"), &json!("row 1[redacted]")));
    assert_eq!(line["scores"]["leaks"]["pass"], true);
    lab.take_texts();
    let outcome = eval("-o out.jsonl --baseline base.jsonl -f json");
    let report = super::report(&outcome);
    assert_eq!((lab.take_texts().len(), &report["evals"][0]["differences"][0]["n"]), (0, &json!(2)), "{report}");
}

#[test]
fn what_cannot_be_is_wrong_usage() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    for (arguments, words) in [
        ("--fail-on-regression", "--fail-on-regression has nothing to compare"),
        ("--repeat 400000000", "too many cells: 2 rows, 1 combinations of a variant and a model, --repeat 400000000"),
        ("--sample 0", "expected a whole number from 1 on"),
        ("-o e.eval.lmt.mjs", "the command reads it"),
    ] {
        let outcome = lab.eval(arguments);
        assert_eq!((outcome.code, lab.take_texts().len()), (2, 0), "{outcome:?}");
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
    // Models can be compared with each other.
    assert_eq!(lab.eval("--fail-on-regression --models lab:a,lab:b").code, 0);
}

#[test]
fn names_that_no_option_could_take_are_refused() {
    let lab = Lab::new("");
    for (scores, variants, words) in [
        ("'': () => true", "", "the name of a score must not be empty"),
        ("'a,b': () => true", "", "the name of the score 'a,b' has a comma"),
        (RIGHT, "{ ' a': {} }", "the name of the variant ' a' begins or ends with a space"),
        (RIGHT, r"{ 'a\u202e': {} }", r"the name of the variant 'a\u{202e}' has a control character"),
    ] {
        lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(1), scores, variants));
        let outcome = lab.eval("");
        assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
}
