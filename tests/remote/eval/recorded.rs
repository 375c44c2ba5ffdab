//! Evals with a recording in place of models.

use serde_json::Value;

use super::{Lab, RIGHT, eval_file, rows};

fn exchanges(lab: &Lab) -> usize {
    let text = std::fs::read_to_string(lab.folder.path("e.eval.recording.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["exchanges"].as_array().unwrap().len()
}

#[test]
fn a_recording_answers_in_place_of_models() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, "{ plain: {}, loud: { input: { style: '!' } } }"));
    let outcome = lab.eval("--record --repeat 2");
    assert_eq!((outcome.code, lab.take_texts().len(), exchanges(&lab)), (0, 8, 8), "{outcome:?}");
    assert!(outcome.stderr.contains("e.eval.recording.json: 8 exchanges recorded"), "{outcome:?}");
    // Replayed without the server, and again with an OUT.
    let outcome = lab.eval("--repeat 2 -o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len(), lab.cells().len()), (0, 0, 8), "{outcome:?}");
    assert_eq!(lab.lines()[0]["scores"]["right"]["pass"], true);
    // Only what is missing is asked for a recording; what is not used any more goes.
    lab.folder.write("e.eval.lmt.mjs", &eval_file(&rows(3), RIGHT, ""));
    let outcome = lab.eval("");
    assert_eq!((outcome.code, lab.take_texts().len()), (1, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("lmthing eval --record e.eval.lmt.mjs"), "{outcome:?}");
    let outcome = lab.eval("--record");
    assert_eq!((outcome.code, lab.take_texts(), exchanges(&lab)), (0, vec!["row 3".to_owned()], 3), "{outcome:?}");
    // `--live` ignores it.
    let outcome = lab.eval("--live");
    assert_eq!((outcome.code, lab.take_texts().len(), exchanges(&lab)), (0, 3, 3), "{outcome:?}");
}
