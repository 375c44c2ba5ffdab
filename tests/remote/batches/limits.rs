//! Limits of a map in batches.

use serde_json::json;

use super::{Lab, at_once, reply};
use crate::{
    rows::results_in,
    support::{
        Outcome,
        batches::{Act, Asked, BatchServer, Dialect, Phase, Reply},
    },
};

/// 100 tokens in and 10 out cost 0.6 cents in a batch.
const PRICES: &str = r#"{"openai:gpt-5.1": {"input": 100, "output": 200}}"#;

fn map(lab: &Lab, more: &str) -> Outcome {
    Outcome::of(lab.command(more).env("LMTHING_PRICES", PRICES))
}

#[test]
fn nothing_is_uploaded_when_an_estimate_is_above_the_limit_on_cost() {
    let lab = Lab::new(Dialect::OpenAi, 40, "plain");
    // A row has about three tokens of input.
    let outcome = map(&lab, "--max-cost 0.002 --batch-size 5");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(outcome.stderr.contains("--max-cost"), "{outcome:?}");
    assert_eq!((lab.server.seen().len(), lab.folder.lines("out.jsonl").len()), (0, 0), "{outcome:?}");
    let outcome = map(&lab, "--max-cost 5");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![40]), "{outcome:?}");
    lab.check_done(40, &outcome);
}

#[test]
fn what_becomes_known_later_stops_next_steps() {
    let lab = Lab::new(Dialect::OpenAi, 4, "tool");
    let outcome = map(&lab, "--max-cost 0.02");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![4], 4), "{outcome:?}");
    let outcome = map(&lab, "--max-cost 5");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    lab.check_done(4, &outcome);
    assert_eq!((lab.server.paid().len(), lab.paid_twice()), (8, vec![]));
    assert_eq!(lab.folder.lines("tools.log").len(), 4, "finished tools do not run again");
}

#[test]
fn a_timeout_ends_the_waiting_and_batches_go_on() {
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply).polls(usize::MAX), 2, "plain");
    let outcome = lab.map("--timeout 3s");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    assert!(outcome.stderr.contains("--timeout") && outcome.stderr.contains("--cancel"), "{outcome:?}");
    assert_eq!((lab.sizes(), lab.server.count(Act::Cancel)), (vec![2], 0));
    let id = lab.server.batches()[0].id.clone();
    lab.server.end(&id, Phase::Completed);
    lab.finish(2);
    assert_eq!(lab.sizes(), [2]);
}

#[test]
fn limits_of_the_file_count_all_runs_of_a_row() {
    let reply = |asked: &Asked| match asked.body["input"].as_array().map_or(0, Vec::len) {
        // Ends at last, so that a limit that does not count fails the test.
        0..16 => Reply::Call("look".to_owned(), json!({ "id": "a" })),
        _ => Reply::Text(asked.text.clone()),
    };
    // A step takes 0.6 cents, 110 tokens, and 0.3 s with the tool.
    let limits = [("steps: 2", 2), ("cost: 0.014", 3), ("tokens: 250", 3), ("time: '900ms'", 4)];
    at_once(&limits, |(limit, most)| {
        let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply), 2, "slow");
        lab.configure(&format!("limits: {{ {limit} }}"));
        let outcome = map(&lab, "");
        assert_eq!(outcome.code, 1, "{limit}: {outcome:?}");
        let kinds: Vec<_> =
            results_in(&lab.folder, "out.jsonl").iter().map(|row| row["error"]["kind"].clone()).collect();
        assert_eq!(kinds, ["limit", "limit"], "{limit}: {outcome:?}");
        let name = limit.split(':').next().unwrap();
        assert!(outcome.stderr.contains(&format!("config.limits.{name} higher")), "{limit}: {outcome:?}");
        assert!(lab.sizes().len() <= *most && (2..).contains(&lab.sizes().len()), "{limit}: {:?}", lab.sizes());
    });
}

#[test]
fn steps_and_failures_are_counted() {
    let lab = Lab::new(Dialect::OpenAi, 3, "tool");
    let outcome = lab.map("--max-steps 3");
    assert_eq!((outcome.code, lab.sizes()), (4, vec![3]), "{outcome:?}");
    lab.finish(3);
    assert_eq!(lab.sizes(), [3, 3]);

    let broken = |asked: &Asked| match asked.text.starts_with("row 1") {
        true => Reply::Error(500, "broken".to_owned()),
        false => reply(asked),
    };
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, broken), 3, "tool");
    let outcome = lab.map("--max-errors 0");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("--max-errors"), "{outcome:?}");
    assert!(results_in(&lab.folder, "out.jsonl").iter().any(|row| row.get("error").is_some()));
}
