//! Limits of a map in batches.

use std::sync::atomic::{AtomicUsize, Ordering};

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
    let outcome = map(&lab, "--max-cost 50");
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
    let limits = [("steps: 2", 2), ("cost: 0.014", 3), ("tokens: 250", 3), ("time: '2s'", 8)];
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

/// Rows whose answers have 500 tokens, for 5.5 cents, after a call of the tool where the kind says so.
fn costly(rows: usize, kind: &str) -> Lab {
    let reply = |asked: &Asked| match reply(asked) {
        Reply::Text(text) => Reply::Long(text, 500),
        call => call,
    };
    Lab::of(BatchServer::with(Dialect::OpenAi, reply), rows, kind)
}

#[test]
fn a_first_batch_says_what_the_other_rows_will_cost() {
    let lab = costly(40, "plain");
    let outcome = map(&lab, "--max-cost 0.8");
    assert_eq!((outcome.code, lab.sizes()), (4, vec![10]), "{outcome:?}");
    for words in
        ["40 rows: 10 done, 30 not run", "$0.55 was spent in 10 steps, and 30 requests more would take about $1.65"]
    {
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
    // A tenth of the money.
    let bodies = lab.server.paid();
    assert!(bodies.iter().all(|body| body["max_output_tokens"].as_u64().unwrap() <= 800), "{bodies:?}");
    let outcome = map(&lab, "--max-cost 5");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![10, 10, 20]), "{outcome:?}");
    lab.check_done(40, &outcome);
}

#[test]
fn the_longest_answers_are_estimated_where_the_file_limits_them() {
    let lab = costly(40, "plain");
    lab.configure("options: { maxOutputTokens: 1000 }");
    let outcome = map(&lab, "--max-cost 3");
    assert_eq!((outcome.code, lab.server.seen().len()), (4, 0), "{outcome:?}");
    let words = "$0.00 was spent in 0 steps, and 30 requests more would take about $3.00";
    assert!(outcome.stderr.contains(words), "{outcome:?}");
    let outcome = map(&lab, "--max-cost 5");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![40]), "{outcome:?}");
    assert!(lab.server.paid().iter().all(|body| body["max_output_tokens"] == 1000));
}

#[test]
fn next_steps_are_asked_as_far_as_the_money_goes() {
    let lab = costly(30, "tool");
    let outcome = map(&lab, "--max-cost 1");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    // 30 first steps for 18 cents, and 14 second ones for 77.
    assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![10, 30, 4], 44), "{outcome:?}");
    for words in ["30 rows: 14 done, 16 with stored answers", "cost limit of $1.00: $0.95 was spent in 44 steps"] {
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
    let outcome = map(&lab, "--max-cost 10");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    lab.check_done(30, &outcome);
    assert_eq!((lab.server.paid().len(), lab.paid_twice().len()), (60, 0));
}

#[test]
fn a_limit_that_was_passed_is_named() {
    let asked_before = AtomicUsize::new(0);
    let reply = move |asked: &Asked| {
        let is_first = asked_before.fetch_add(1, Ordering::Relaxed) < 10;
        Reply::Long(asked.text.clone(), if is_first { 10 } else { 500 })
    };
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply), 40, "plain");
    let outcome = map(&lab, "--max-cost 0.5");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![10, 30]), "{outcome:?}");
    for words in ["40 rows: 40 done", "the cost limit of $0.50 was passed", "$1.71 in 40 steps"] {
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
    lab.check_done(40, &outcome);
}

/// A lab of which the first model of the list refuses every request.
fn with_two_models(rows: usize, members: &str) -> Lab {
    let reply = |asked: &Asked| match asked.body["model"] == "bad" {
        true => Reply::Error(400, "no such model".to_owned()),
        false => Reply::Long(asked.text.clone(), 4000),
    };
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply), rows, "plain");
    lab.configure(&format!("model: ['openai:bad', 'openai:gpt-5.1'], {members}"));
    lab
}

fn map_two_models(lab: &Lab, more: &str) -> Outcome {
    let prices = r#"{"openai:bad": {"input": 100, "output": 200}, "openai:gpt-5.1": {"input": 100, "output": 200}}"#;
    let command = format!("map p.lmt.mjs --input rows.jsonl -o out.jsonl --batch --poll 20ms {more}");
    Outcome::of(lab.command_of(&command).env("LMTHING_PRICES", prices))
}

#[test]
fn limits_hold_after_a_refusal() {
    let lab = with_two_models(20, "");
    let outcome = map_two_models(&lab, "--max-cost 1");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    // An answer costs 40 cents: of the second model, only the first ten requests are submitted.
    let bodies: Vec<_> = lab.server.batches().into_iter().flat_map(|batch| batch.requests).collect();
    assert_eq!(bodies.len(), 30, "{outcome:?}");
    let lab = with_two_models(2, "limits: { steps: 1, cost: 0.05 }");
    let outcome = map_two_models(&lab, "");
    assert_eq!((outcome.code, lab.server.paid().len()), (0, 2), "{outcome:?}");
    // 5 cents without the input buy 499 tokens.
    assert!(lab.server.paid().iter().all(|body| body["max_output_tokens"].as_u64() < Some(500)), "{outcome:?}");
}

#[test]
fn a_refused_request_is_submitted_once() {
    let reply = |asked: &Asked| match asked.text.starts_with("row 2 ") {
        true => Reply::Error(400, "not this".to_owned()),
        false => Reply::Long(asked.text.clone(), 300),
    };
    for limit in ["--max-cost 0.5", "--max-tokens 20000"] {
        let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply), 3, "plain");
        let outcome = map(&lab, limit);
        assert_eq!((outcome.code, lab.sizes()), (1, vec![3]), "{outcome:?}");
        assert!(lab.server.batches()[0].requests.iter().all(|request| request.1["max_output_tokens"].is_u64()));
    }
}

#[test]
fn a_limit_on_the_answer_is_sent_that_the_model_accepts() {
    // A tenth of the limit is above 4096 tokens, of which not every model takes more.
    for (model, most) in [("gpt-5.1", 9000), ("unknown", 4096)] {
        let lab = costly(40, "plain");
        let prices = format!("{{\"openai:{model}\": {{\"input\": 100, \"output\": 200}}}}");
        let mut command = lab.command(&format!("-m openai:{model} --max-cost 9"));
        let outcome = Outcome::of(command.env("LMTHING_PRICES", prices));
        assert_eq!((outcome.code, lab.sizes()), (0, vec![10, 30]), "{outcome:?}");
        let limits: Vec<_> = lab.server.paid().iter().map(|body| body["max_output_tokens"].as_u64()).collect();
        assert!(limits.iter().all(|limit| limit.is_some_and(|limit| (4096..=most).contains(&limit))), "{limits:?}");
    }
}

#[test]
fn a_limit_that_seemed_too_low_ends_nothing_when_all_rows_fit() {
    // The first answer to a second step is long.
    let reply = |asked: &Asked| match reply(asked) {
        Reply::Text(text) if asked.text.starts_with("row 20 ") => Reply::Long(text, 130_000),
        other => other,
    };
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply), 20, "tool");
    let rows: String =
        (1..=20).map(|n| format!("{{\"n\":{n},\"kind\":\"{}\"}}\n", if n < 20 { "tool" } else { "plain" })).collect();
    std::fs::write(lab.folder.path("rows.jsonl"), rows).unwrap();
    let outcome = map(&lab, "--max-cost 17 --jobs 1");
    assert_eq!(outcome.code, 0, "{outcome:?} {:?}", lab.sizes());
    lab.check_done(20, &outcome);
    assert!(lab.sizes().len() > 2, "it did not seem too low: {:?}", lab.sizes());
}

#[test]
fn the_last_answers_may_pass_the_limit() {
    let lab = costly(1, "plain");
    let outcome = map(&lab, "--max-cost 0.01");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("the cost limit of $0.01 was passed"), "{outcome:?}");
    lab.check_done(1, &outcome);
}

#[test]
fn answers_shorter_than_the_file_allows_are_expected_of_next_steps() {
    let lab = Lab::new(Dialect::OpenAi, 5, "tool");
    lab.configure("options: { maxOutputTokens: 1000 }");
    // The first steps are estimated at 10 cents each, and take 0.6.
    let outcome = map(&lab, "--max-cost 0.6");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![5, 5]), "{outcome:?}");
}

#[test]
fn attempts_whose_script_failed_are_counted_once() {
    let file = "
import fs from 'node:fs';
import { runPrompt } from 'lmthing';
export const input = { type: 'object', properties: { n: { type: 'number' }, kind: { type: 'string' } } };
const part = ({ $ }, { n }) => { $`row ${n} part`; };
export default async ({ $ }, { n }) => {
  const { result } = await runPrompt(part, { model: 'openai:gpt-5.1', input: { n } });
  await result.text;
  const mark = `failed-${n}`;
  if (!fs.existsSync(mark)) {
    fs.writeFileSync(mark, '');
    throw new Error('once');
  }
  $`row ${n} whole`;
};
";
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    std::fs::write(lab.folder.path("p.lmt.mjs"), file).unwrap();
    let outcome = map(&lab, "--retries 1");
    assert_eq!((outcome.code, lab.server.paid().len()), (0, 6), "{outcome:?}");
    assert!(outcome.stderr.contains("600 tokens in, 60 out, $0.036"), "{outcome:?}");
}

#[test]
fn no_wait_submits_the_first_batch_and_then_the_others() {
    let lab = costly(15, "plain");
    let outcome = map(&lab, "--max-cost 2 --no-wait");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![10]), "{outcome:?}");
    assert!(outcome.stderr.contains("10 in batches, 5 not run"), "{outcome:?}");
    while lab.sizes().len() < 2 {
        let outcome = map(&lab, "--max-cost 2 --no-wait");
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    assert_eq!(lab.sizes(), [10, 5]);
    lab.finish(15);
}

#[test]
fn requests_that_the_limit_on_steps_allows_are_submitted() {
    let lab = Lab::new(Dialect::OpenAi, 5, "plain");
    let outcome = lab.map("--max-steps 3");
    assert_eq!((outcome.code, lab.sizes()), (4, vec![3]), "{outcome:?}");
    assert!(outcome.stderr.contains("5 rows: 3 done, 2 not run"), "{outcome:?}");
    let lab = Lab::new(Dialect::OpenAi, 5, "tool");
    let outcome = lab.map("--max-steps 7");
    assert_eq!((outcome.code, lab.sizes()), (4, vec![5, 2]), "{outcome:?}");
    for words in ["5 rows: 2 done, 3 with stored answers", "7 steps were used"] {
        assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
    }
    lab.finish(5);
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
