//! The same command again: what is asked, and what OUT has.

use serde_json::json;

use super::{Lab, RIGHT, eval_file, report, rows};

const TWO: &str = "{ plain: {}, loud: { input: { style: '!' } } }";

#[test]
fn every_cell_is_a_line_and_is_asked_once() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, TWO));
    let outcome = lab.eval("-o out.jsonl --models lab:a,lab:b --repeat 2 -f json");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let expected = [
        "1 plain lab:a 1",
        "1 plain lab:a 2",
        "1 plain lab:b 1",
        "1 plain lab:b 2",
        "1 loud lab:a 1",
        "1 loud lab:a 2",
        "1 loud lab:b 1",
        "1 loud lab:b 2",
        "2 plain lab:a 1",
        "2 plain lab:a 2",
        "2 plain lab:b 1",
        "2 plain lab:b 2",
        "2 loud lab:a 1",
        "2 loud lab:a 2",
        "2 loud lab:b 1",
        "2 loud lab:b 2",
    ];
    assert_eq!(lab.cells(), expected);
    assert_eq!(lab.take_asked().len(), 16);
    let line = &lab.lines()[4];
    assert_eq!((&line["input"], &line["text"]), (&json!({ "n": 1 }), &json!("row 1!")), "{line}");
    assert_eq!(line["scores"], json!({ "right": { "score": 0.0, "pass": false } }));
    assert_eq!(lab.lines()[0]["scores"]["right"]["pass"], true);
    assert_eq!(lab.files_of_out(), ["out.jsonl", "out.jsonl.lmthing"]);
    let before = std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap();
    let again = lab.eval("-o out.jsonl --models lab:a,lab:b --repeat 2 -f json");
    assert_eq!((again.code, lab.take_asked().len()), (0, 0), "{again:?}");
    assert_eq!(report(&again), report(&outcome));
    assert_eq!(std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap(), before);
    // More models and repetitions ask what is new.
    let more = lab.eval("-o out.jsonl --models lab:a,lab:c --repeat 3");
    let asked = lab.take_asked();
    let of = |model: &str| asked.iter().filter(|asked| asked.model == model).count();
    assert_eq!((more.code, of("a"), of("b"), of("c")), (0, 4, 0, 12), "{more:?}");
    assert_eq!(lab.cells().len(), 16 + 16, "lines of models that were not asked stay");
    assert_eq!(lab.files_of_out(), ["out.jsonl", "out.jsonl.lmthing"]);
}

#[test]
fn changed_scores_ask_nothing() {
    let lab = Lab::new(&eval_file(&rows(3), RIGHT, ""));
    assert_eq!(lab.eval("-o out.jsonl").code, 0);
    assert_eq!(lab.take_asked().len(), 3);
    let other = "length: ({ text }) => text.length / 10, steps: ({ run }) => run.steps.length === 1 \
                 && run.steps[0].input.prompt[0].content[0].text === run.text && run.toolCalls.length === 0 \
                 && run.usage.inputTokens === 10 && run.finishReason === 'stop' && run.durationMs >= 0";
    // Columns for scores are not part of the input, and new ones are no new rows.
    let changed = rows(3).replace("\"want\":", "\"extra\":true,\"want\":");
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&changed, other, ""));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_asked().len()), (0, 0), "{outcome:?}");
    for line in lab.lines() {
        let expected = json!({ "length": { "score": 0.5 }, "steps": { "score": 1.0, "pass": true } });
        assert_eq!(line["scores"], expected, "{line}");
    }
    assert_eq!(lab.files_of_out(), ["out.jsonl", "out.jsonl.lmthing"]);
}

#[test]
fn a_changed_variant_or_file_asks_its_cells_anew() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, TWO));
    assert_eq!(lab.eval("-o out.jsonl").code, 0);
    lab.take_asked();
    let before = std::fs::read_to_string(lab.folder.path("out.jsonl")).unwrap();
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(2), RIGHT, &TWO.replace('!', "?")));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts()), (0, vec!["row 1?".to_owned(), "row 2?".to_owned()]), "{outcome:?}");
    assert!(outcome.stderr.contains("variant loud has changed since out.jsonl was written"), "{outcome:?}");
    assert_eq!(std::fs::read_to_string(lab.folder.path("out.jsonl.before")).unwrap(), before);
    assert_eq!(lab.cells().len(), 4);
    // A module of the scores is none of the prompt file.
    let scored = format!("import './own.mjs';\n{}", eval_file(&rows(2), RIGHT, &TWO.replace('!', "?")));
    lab.folder.write("own.mjs", "export const a = 1;");
    lab.folder.write("e.eval.lmt.mjs", &scored);
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_texts().len()), (0, 0));
    let prompt = super::PROMPT.replace("row ${n}", "row ${n} now");
    lab.folder.write("p.lmt.mjs", &prompt);
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len()), (0, 4), "{outcome:?}");
    assert!(outcome.stderr.contains("out.jsonl.before2"), "{outcome:?}");
}

#[test]
fn rows_are_known_by_their_input() {
    let lab = Lab::new(&eval_file(&rows(3), RIGHT, ""));
    assert_eq!(lab.eval("-o out.jsonl").code, 0);
    lab.take_asked();
    // Moved, doubled, and one gone.
    let moved = "[{ n: 3, want: 'row 3' }, { n: 1, want: 'row 1' }, { n: 1, want: 'row 1' }]";
    lab.folder.write("e.eval.lmt.mjs", &eval_file(moved, RIGHT, ""));
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts()), (0, vec!["row 1".to_owned()]), "{outcome:?}");
    let texts: Vec<_> = lab.lines().iter().map(|line| (line["row"].clone(), line["text"].clone())).collect();
    assert_eq!(json!(texts), json!([[1, "row 3"], [2, "row 1"], [3, "row 1"]]));
    assert!(outcome.stderr.contains("as it was, it is now out.jsonl.before"), "{outcome:?}");
    // Without OUT everything begins again; `--fresh` asks all.
    std::fs::remove_file(lab.folder.path("out.jsonl")).unwrap();
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_texts().len()), (0, 3));
    assert_eq!((lab.eval("-o out.jsonl --fresh").code, lab.take_texts().len()), (0, 3));
}

#[test]
fn a_sample_is_the_same_each_time_and_part_of_the_whole() {
    let lab = Lab::new(&eval_file(&rows(9), RIGHT, ""));
    let outcome = lab.eval("-o out.jsonl --sample 3 -f json");
    assert_eq!((outcome.code, lab.take_texts()), (0, ["row 1", "row 4", "row 7"].map(str::to_owned).to_vec()));
    assert_eq!(report(&outcome)["evals"][0]["rows"], 3);
    assert_eq!((lab.eval("-o out.jsonl --sample 3").code, lab.take_texts().len()), (0, 0));
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_texts().len()), (0, 6));
    assert_eq!((lab.eval("-o out.jsonl --sample 3").code, lab.take_texts().len(), lab.lines().len()), (0, 0, 9));
}

#[test]
fn a_foreign_file_is_not_written_over() {
    let lab = Lab::new(&eval_file(&rows(1), RIGHT, ""));
    lab.folder.write("out.jsonl", "{\"mine\":1}\n");
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("was not written by lmthing eval"), "{outcome:?}");
    assert_eq!(lab.files_of_out(), ["out.jsonl"]);
    assert_eq!((lab.eval("-o out.jsonl --fresh").code, lab.cells().len()), (0, 1));
    for read in ["p.lmt.mjs", "e.eval.lmt.mjs", "own.mjs"] {
        let outcome = lab.eval(&format!("-o {read} --fresh"));
        assert!(outcome.code == 2 && outcome.stderr.contains(read), "{outcome:?}");
    }
    // And `map` does not harm what an eval has paid for.
    lab.folder.write("rows.jsonl", "{\"n\":1}\n");
    let map = lab.folder.run("map p.lmt.mjs --input rows.jsonl -o out.jsonl");
    assert!(map.code != 0 && map.stderr.contains("was not written by lmthing map"), "{map:?}");
    lab.take_asked();
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_texts().len()), (0, 0));
}

#[test]
fn lines_of_rows_that_are_gone_have_numbers_of_no_other_row() {
    let lab = Lab::new(&eval_file(&rows(3), RIGHT, TWO));
    assert_eq!(lab.eval("-o out.jsonl").code, 0);
    let without_first = rows(3).replacen("{\"n\":1,\"want\":\"row 1\"},", "", 1);
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&without_first, RIGHT, TWO));
    assert_eq!(lab.eval("--variants plain -o out.jsonl").code, 0);
    let row_and_n: Vec<_> = lab.lines().iter().map(|line| (line["row"].clone(), line["input"]["n"].clone())).collect();
    let expected = [(1, 2), (1, 2), (2, 3), (2, 3), (3, 1)].map(|(row, n)| (json!(row), json!(n)));
    assert_eq!(row_and_n, expected);
}
