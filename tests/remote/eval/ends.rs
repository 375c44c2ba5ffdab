//! Failed cells, limits, interrupts and kills.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Lab, PROMPT, RIGHT, eval_file, report, rows};

#[test]
fn failed_cells_are_asked_again() {
    let lab = Lab::new(&eval_file(&rows(3), RIGHT, ""));
    lab.change(|seen| seen.refused = vec!["row 2".to_owned()]);
    let outcome = lab.eval("-o out.jsonl -f json");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let report = report(&outcome);
    assert_eq!((&report["ok"], &report["evals"][0]["groups"][0]["errors"]), (&false.into(), &1.into()), "{report}");
    let line = &lab.lines()[1];
    assert!(line["error"]["message"].as_str().unwrap().contains("no luck"), "{line}");
    assert_eq!(line["scores"], serde_json::json!({}));
    lab.take_asked();
    lab.change(|seen| seen.refused.clear());
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts()), (0, vec!["row 2".to_owned()]), "{outcome:?}");
    assert!(lab.lines().iter().all(|line| line["scores"]["right"]["pass"] == true));
    assert_eq!(lab.cells().len(), 3);
}

#[test]
fn a_limit_ends_it_and_a_higher_one_goes_on() {
    let lab = Lab::new(&eval_file(&rows(6), RIGHT, ""));
    let outcome = lab.eval("-o out.jsonl --max-tokens 30 --jobs 1");
    assert!(outcome.code == 4 && outcome.stderr.contains("--max-tokens"), "{outcome:?}");
    let (done, asked) = (lab.lines().len(), lab.take_texts().len());
    assert!((1..6).contains(&done) && asked == done, "{done} of {asked}: {outcome:?}");
    assert!(lab.lines().iter().all(|line| line["scores"]["right"]["pass"] == true), "what was answered is scored");
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len(), lab.lines().len()), (0, 6 - done, 6), "{outcome:?}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_keeps_what_was_answered() {
    let lab = Lab::new(&eval_file(&rows(6), RIGHT, ""));
    lab.change(|seen| seen.holds_after = Some(2));
    let eval = lab.start("-o out.jsonl --jobs 1");
    lab.wait_for_requests(3);
    eval.signal("INT");
    let outcome = eval.end();
    assert_eq!((outcome.code, lab.lines().len()), (130, 2), "{outcome:?}");
    assert_eq!(lab.files_of_out(), ["out.jsonl", "out.jsonl.lmthing"]);
    lab.change(|seen| seen.holds_after = None);
    lab.take_asked();
    let outcome = lab.eval("-o out.jsonl");
    assert_eq!((outcome.code, lab.take_texts().len(), lab.lines().len()), (0, 4, 6), "{outcome:?}");
}

#[test]
#[cfg(unix)]
fn an_eval_that_is_killed_again_and_again_pays_every_cell_once() {
    let lab = Lab::new(&eval_file(&rows(4), RIGHT, "{ plain: {}, loud: { input: { style: '!' } } }"));
    let mut random = fastrand::Rng::with_seed(7);
    for paid in 1..8 {
        lab.change(|seen| seen.holds_after = Some(paid));
        lab.take_asked();
        let eval = lab.start("-o out.jsonl --jobs 1");
        // One is answered, and with a job at once the request after it is made when that is stored.
        lab.wait_for_requests(2);
        std::thread::sleep(Duration::from_millis(random.u64(0..40)));
        eval.signal("KILL");
        eval.end();
        for line in lab.folder.lines("out.jsonl") {
            serde_json::from_str::<serde_json::Value>(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
        lab.change(|seen| {
            seen.killed += 1;
            assert_eq!(seen.paid.len(), paid);
        });
    }
    lab.change(|seen| seen.holds_after = Some(8));
    let outcome = lab.eval("-o out.jsonl --jobs 3");
    assert_eq!((outcome.code, lab.lines().len()), (0, 8), "{outcome:?}");
    let mut texts: Vec<String> = Vec::new();
    lab.change(|seen| texts.extend(seen.paid.iter().map(|asked| asked.text.clone())));
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 8, "{texts:?}");
    assert_eq!(lab.files_of_out(), ["out.jsonl", "out.jsonl.lmthing"]);
}

/// Two rows with a score and a judge.
fn judged() -> Lab {
    Lab::new(&judged_file())
}

fn judged_file() -> String {
    let scores = format!("{RIGHT}, polite: judge('is polite', {{ model: 'lab:judge' }})");
    format!("import {{ judge }} from 'lmthing/eval';\n{}", eval_file(&rows(2), &scores, ""))
}

/// Of each line of OUT the scores that it has.
fn scores(lab: &Lab) -> Vec<Value> {
    let passes = |line: &Value| {
        let scores = line["scores"].as_object().unwrap();
        scores.iter().map(|(name, score)| (name.clone(), score["pass"].clone())).collect()
    };
    lab.lines().iter().map(passes).collect()
}

#[test]
#[cfg(unix)]
fn an_interrupt_waits_for_judges_that_are_asked() {
    let lab = judged();
    lab.change(|seen| seen.holds_judges = true);
    let eval = lab.start("-o out.jsonl -f json");
    lab.wait_for_requests(4);
    eval.signal("INT");
    std::thread::sleep(Duration::from_millis(1500));
    lab.change(|seen| seen.holds_judges = false);
    let outcome = eval.end();
    assert_eq!((outcome.code, scores(&lab)), (130, vec![json!({ "right": true, "polite": true }); 2]), "{outcome:?}");
    assert!(outcome.stderr.contains("waiting for judges that were asked; Ctrl-C again ends at once"), "{outcome:?}");
    assert_eq!(report(&outcome)["ok"], false);
    lab.take_asked();
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_asked().len()), (0, 0));
}

#[test]
#[cfg(unix)]
fn a_second_interrupt_does_not_wait() {
    let lab = judged();
    lab.change(|seen| seen.holds_judges = true);
    let eval = lab.start("-o out.jsonl");
    lab.wait_for_requests(4);
    eval.signal("INT");
    std::thread::sleep(Duration::from_millis(300));
    eval.signal("INT");
    assert_eq!(eval.end().code, 130);
    lab.change(|seen| seen.holds_judges = false);
    lab.wait_until(|seen| seen.held == 0);
    lab.take_asked();
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_asked().len(), lab.lines().len()), (0, 2, 2));
}

#[test]
fn a_limit_refuses_judges_and_waits_for_those_that_are_asked() {
    let lab = judged();
    lab.change(|seen| seen.holds_judges = true);
    let eval = lab.start("-o out.jsonl -f json --max-steps 3");
    lab.wait_for_requests(3);
    std::thread::sleep(Duration::from_millis(300));
    lab.change(|seen| seen.holds_judges = false);
    let outcome = eval.end();
    let mut given = scores(&lab);
    given.sort_by_key(|scores| scores.as_object().unwrap().len());
    let expected = [json!({ "right": true }), json!({ "right": true, "polite": true })];
    assert_eq!((outcome.code, given), (4, expected.to_vec()), "{outcome:?}");
    let report = report(&outcome);
    let means = &report["evals"][0]["groups"][0]["scores"];
    assert_eq!((&means["right"]["n"], &means["polite"]["n"]), (&json!(2), &json!(1)), "{report}");
    assert!(report["ok"] == false && outcome.stderr.contains("1 answered and not scored in full"), "{outcome:?}");
    lab.take_asked();
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_asked().len()), (0, 1));
}

#[test]
fn scores_that_wait_lose_no_others_at_a_limit() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    assert_eq!((lab.eval("-o out.jsonl").code, lab.take_asked().len()), (0, 2));
    let slow = ", slow: () => new Promise((done) => setTimeout(done, 60_000, true)), polite:";
    lab.folder.write("e.eval.lmt.mjs", &judged_file().replace(", polite:", slow));
    let outcome = lab.eval("-o out.jsonl --max-steps 1 -f json");
    let report = report(&outcome);
    let means = &report["evals"][0]["groups"][0]["scores"];
    let counts = ["right", "slow", "polite"].map(|name| means[name]["n"].as_u64().unwrap());
    assert_eq!((outcome.code, counts, lab.take_asked().len()), (4, [2, 0, 1], 1), "{outcome:?}");
}

/// The other variant has answers already, and nothing of it is asked.
#[test]
fn a_variant_that_cannot_be_asked_ends_the_command() {
    let lab = Lab::new(&eval_file(&rows(9), RIGHT, "{ a: {}, b: { file: './other.lmt.mjs' } }"));
    // The keys of a list of models are looked at when it is asked.
    lab.folder.write("other.lmt.mjs", &PROMPT.replace("'lab:m'", "['anthropic:x', 'anthropic:y']"));
    assert_eq!(lab.eval("-o out.jsonl --variants a").code, 0);
    let outcome = lab.eval("-o out.jsonl --jobs 1");
    assert_eq!((outcome.code, lab.lines().len()), (1, 12), "{outcome:?}");
    assert!(outcome.stderr.contains("every cell fails for the same reason"), "{outcome:?}");
}

/// A judge counts in the limit, at the price that is set for it.
#[test]
fn judges_count_in_a_limit_on_cost() {
    let lab = Lab::new(&eval_file(&rows(2), RIGHT, ""));
    let prices = json!({ "lab:m": { "input": 1, "output": 1 }, "lab:judge": { "input": 20, "output": 20 } });
    let eval = |arguments: &str| {
        let mut command = lab.command(&format!("-o out.jsonl -f json {arguments}"));
        crate::support::Outcome::of(command.env("LMTHING_PRICES", prices.to_string()))
    };
    assert_eq!((eval("").code, lab.take_asked().len()), (0, 2));
    lab.folder.write("e.eval.lmt.mjs", &judged_file());
    // A verdict costs 0.00024, and its request is estimated to cost more.
    let outcome = eval("--max-cost 0.0002 --jobs 1");
    assert!(outcome.code == 4 && outcome.stderr.contains("--max-cost"), "{outcome:?}");
    assert_eq!((lab.take_asked().len(), scores(&lab)), (0, vec![json!({ "right": true }); 2]));
    let outcome = eval("--max-cost 0.1");
    let group = report(&outcome)["evals"][0]["groups"][0].clone();
    assert_eq!((outcome.code, lab.take_asked().len()), (0, 2), "{outcome:?}");
    let is = |name: &str, expected: f64| (group[name].as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(is("cost", 24e-6) && is("judgeCost", 480e-6), "{group}");
}
