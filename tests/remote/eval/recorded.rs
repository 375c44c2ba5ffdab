//! Evals with a recording in place of models.

use serde_json::Value;

use super::{Lab, RIGHT, eval_file, rows};
use crate::support::wait_until;

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

#[test]
fn answers_of_models_and_of_a_recording_are_kept_apart() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    let files = ["out.jsonl", "out.jsonl.lmthing"];
    assert_eq!((lab.eval("--live -o out.jsonl").code, lab.take_texts().len()), (0, 2));
    let outcome = lab.eval("--record -o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len(), lab.files_of_out()), (0, 2, files.map(str::to_owned).to_vec()));
    assert!(outcome.stderr.contains("out.jsonl has had answers of models, and gets those of the recording"));
    // The recording is there now, and nothing has changed.
    for arguments in ["-o out.jsonl", "--live -o out.jsonl", "-o out.jsonl"] {
        let outcome = lab.eval(arguments);
        assert_eq!((outcome.code, lab.take_texts().len(), lab.cells().len()), (0, 0, 2), "{outcome:?}");
        assert!(!outcome.stderr.contains("Warning") && lab.files_of_out() == files, "{outcome:?}");
    }
    // A recording that has changed is played again.
    let path = lab.folder.path("e.eval.recording.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"delta\": \"row 1\"", "\"delta\": \"another\"")).unwrap();
    assert_ne!(std::fs::read_to_string(&path).unwrap(), text);
    lab.eval("-o out.jsonl");
    assert_eq!(lab.lines()[0]["text"], "another");
}

/// The variants ask the same, and two rows are equal: their answers differ by chance alone.
#[test]
fn equal_requests_of_several_cells_have_answers_of_their_own() {
    let rows = r#"[{ "n": 1 }, { "n": 1 }, { "n": 2 }]"#;
    let lab = Lab::new(&eval_file(rows, "even: ({ text }) => text.length % 2 === 0", "{ a: {}, b: {} }"));
    lab.change(|seen| seen.numbers_answers = true);
    assert_eq!((lab.eval("--record -o first.jsonl").code, lab.take_texts().len(), exchanges(&lab)), (0, 6, 6));
    let texts = |file: &str| {
        let lines = crate::rows::results_in(&lab.folder, file);
        lines.iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let outcome = lab.eval("-o again.jsonl");
    assert!(outcome.code == 0 && !outcome.stderr.contains("the same answer"), "{outcome:?}");
    assert_eq!(texts("again.jsonl"), texts("first.jsonl"));
    // Repetitions that were not recorded are no answers of their own.
    let outcome = lab.eval("--repeat 2");
    assert!(outcome.code == 0 && outcome.stderr.contains("several cells have the same answer"), "{outcome:?}");
    assert_eq!((lab.eval("--repeat 2 --record").code, lab.take_texts().len(), exchanges(&lab)), (0, 6, 12));
    let outcome = lab.eval("--repeat 2");
    assert!(outcome.code == 0 && !outcome.stderr.contains("the same answer"), "{outcome:?}");
}

#[test]
fn what_was_recorded_before_a_kill_is_not_asked_again() {
    let lab = Lab::new(&eval_file(&rows(6), RIGHT, ""));
    lab.change(|seen| seen.holds_after = Some(4));
    let running = lab.start("--record --jobs 2");
    let path = lab.folder.path("e.eval.recording.json");
    wait_until("four recorded answers", || path.exists() && exchanges(&lab) == 4);
    running.signal("KILL");
    running.end();
    lab.change(|seen| (seen.holds_after, seen.killed) = (None, 1));
    lab.take_texts();
    let outcome = lab.eval("--record");
    assert_eq!((outcome.code, lab.take_texts().len(), exchanges(&lab)), (0, 2, 6), "{outcome:?}");
}
