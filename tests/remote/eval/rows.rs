//! Rows, variants and models of an eval, checked before anything is asked.

use serde_json::json;

use super::{Lab, RIGHT, eval_file, report, rows};

#[test]
fn rows_of_a_table_have_columns_for_scores() {
    let lab = Lab::new(&eval_file(
        "'rows.csv'",
        "right: ({ text, row }) => text === row.want && row.n === Number(row.copy)",
        "",
    ));
    lab.folder.write("rows.csv", "n,want,copy\n1,row 1,1\n2,row 2,2\n");
    let outcome = lab.eval("-o out.jsonl -f json");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let lines = lab.lines();
    assert_eq!((&lines[1]["input"], &lines[1]["scores"]["right"]["pass"]), (&json!({ "n": 2 }), &json!(true)));
    assert_eq!(report(&outcome)["evals"][0]["groups"][0]["model"], "lab:m");
}

#[test]
fn a_row_that_does_not_fit_is_named_before_anything_is_asked() {
    let variants = "{ plain: {}, wrong: { input: { style: 7 } } }";
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, variants));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    for part in ["row 1", "variant wrong", "style", "1 further row does not fit"] {
        assert!(outcome.stderr.contains(part), "{part}: {outcome:?}");
    }
    assert_eq!(lab.files_of_out(), Vec::<String>::new());
    lab.folder.write("e.eval.lmt.mjs", &eval_file("'rows.csv'", RIGHT, ""));
    lab.folder.write("rows.csv", "n,want\n1,row 1\nx,row 2\n");
    let outcome = lab.eval("");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("row 2 of rows.csv (line 3)"), "{outcome:?}");
    for (file, part) in [("'rows.csv'", "rows.csv"), ("[]", "there are no rows"), ("'none.csv'", "none.csv")] {
        lab.folder.write("rows.csv", "n,want\n");
        lab.folder.write("e.eval.lmt.mjs", &eval_file(file, RIGHT, ""));
        let outcome = lab.eval("");
        assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
        assert!(outcome.stderr.contains(part), "{part}: {outcome:?}");
    }
}

#[test]
fn variants_replace_settings_of_the_prompt_file() {
    let variants = "{ own: {}, cold: { options: { temperature: 0, system: 'Be cold.' }, limits: { steps: 1 } }, \
                    other: { model: 'lab:z', file: './other.lmt.mjs' } }";
    let lab = Lab::new(&eval_file(&rows(1), RIGHT, variants));
    let prompt = super::PROMPT.replace("model: 'lab:m'", "model: 'lab:m', options: { temperature: 1, topP: 0.5 }");
    lab.folder.write("p.lmt.mjs", &prompt);
    lab.folder.write("other.lmt.mjs", &prompt.replace("row ${n}", "other ${n}"));
    let outcome = lab.eval("--models lab:a -o out.jsonl --jobs 1");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let asked = lab.take_asked();
    let what = |index: usize| (asked[index].model.as_str(), asked[index].text.as_str());
    assert_eq!([what(0), what(1), what(2)], [("a", "row 1"), ("a", "row 1"), ("z", "other 1")]);
    assert_eq!((&asked[0].body["temperature"], &asked[0].body["top_p"]), (&json!(1), &json!(0.5)));
    assert_eq!((&asked[1].body["temperature"], &asked[1].body["top_p"]), (&json!(0), &json!(0.5)));
    assert_eq!(asked[1].body["messages"][0]["content"], "Be cold.");
    // `--variants` chooses, in the order of the file, and lines of the others stay.
    let outcome = lab.eval("--variants other,own -o out.jsonl -f json");
    assert_eq!((outcome.code, lab.take_asked().len()), (0, 1), "the file's own model is another one: {outcome:?}");
    let groups = report(&outcome)["evals"][0]["groups"].as_array().unwrap().clone();
    assert_eq!(groups.iter().map(|group| group["variant"].as_str().unwrap()).collect::<Vec<_>>(), ["own", "other"]);
    assert_eq!(lab.cells().len(), 4);
    let outcome = lab.eval("--variants oter");
    assert!(outcome.code == 2 && outcome.stderr.contains("did you mean other?"), "{outcome:?}");
}

#[test]
fn a_prompt_file_without_input_gets_no_columns() {
    let prompt = "export const config = { model: 'lab:m' };\nexport default ({ $ }) => { $`row 1`; };\n";
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    lab.folder.write("p.lmt.mjs", prompt);
    lab.folder.write("rows.csv", "want,why\nrow 1,a\nrow 2,b\n");
    for rows in [rows(2), "'rows.csv'".to_owned()] {
        lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows, RIGHT, ""));
        let outcome = lab.eval("-o out.jsonl");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let passes: Vec<_> = lab.lines().iter().map(|line| line["scores"]["right"]["pass"].clone()).collect();
        assert_eq!((passes, &lab.lines()[1]["input"]), (vec![json!(true), json!(false)], &json!({})), "{outcome:?}");
    }
    assert_eq!(lab.take_texts().len(), 2);
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(2), RIGHT, "{ a: { input: { n: 1 } } }"));
    let outcome = lab.eval("");
    assert!(outcome.code == 1 && outcome.stderr.contains("it takes no input"), "{outcome:?}");
}
