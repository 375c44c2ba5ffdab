//! Requests and batches that fail, servers that refuse, and connections that end.

use std::{collections::HashSet, sync::Mutex, time::Duration};

use serde_json::{Value, json};

use super::{KINDS, Lab, at_once, reply};
use crate::{
    rows::results_in,
    support::batches::{Act, Asked, BatchServer, DIALECTS, Dialect, Fault, Phase, Reply},
};

/// Answers row 2 like this when it is asked for the first time.
fn failing_once(dialect: Dialect, failure: Reply) -> BatchServer {
    let seen = Mutex::new(false);
    BatchServer::with(dialect, move |asked: &Asked| {
        let is_first = asked.text.starts_with("row 2") && !std::mem::replace(&mut *seen.lock().unwrap(), true);
        if is_first { failure.clone() } else { reply(asked) }
    })
}

#[test]
fn failed_expired_and_missing_requests_fail_their_rows_with_the_words_of_the_provider() {
    at_once(&KINDS, |dialect| {
        fails_its_row(*dialect, &Reply::Error(500, "the oven is broken".to_owned()), "the oven is broken");
        fails_its_row(*dialect, &Reply::Expired, "expire");
    });
    fails_its_row(Dialect::OpenAi, &Reply::Error(400, "no such thing".to_owned()), "no such thing");
    fails_its_row(Dialect::Mistral, &Reply::Missing, "without an answer");
}

fn fails_its_row(dialect: Dialect, failure: &Reply, words: &str) {
    let lab = Lab::of(failing_once(dialect, failure.clone()), 3, "plain");
    let outcome = lab.map("");
    let found = results_in(&lab.folder, "out.jsonl");
    assert_eq!((outcome.code, found.len()), (1, 3), "{dialect:?} {failure:?}: {outcome:?}");
    let failed: Vec<&Value> = found.iter().filter(|row| row.get("error").is_some()).collect();
    assert_eq!((failed.len(), &failed[0]["row"]), (1, &json!(2)), "{dialect:?} {failure:?}: {outcome:?}");
    let message = failed[0]["error"]["message"].to_string().to_lowercase();
    let is_told = message.contains(words) || (words == "expire" && message.contains("window"));
    assert!(is_told, "{dialect:?} {failure:?}: {message}");
    assert_eq!((lab.sizes(), lab.asks()), (vec![3], 0), "{dialect:?} {failure:?}");
    // The next command asks only that row.
    lab.finish(3);
    assert_eq!((lab.sizes(), lab.paid_twice()), (vec![3, 1], vec![]), "{dialect:?} {failure:?}");
}

#[test]
fn failed_requests_go_into_the_next_batch_with_retries_or_are_sent_at_once() {
    let failures = [Reply::Error(500, "broken".to_owned()), Reply::Expired, Reply::Missing];
    for failure in failures {
        let lab = Lab::of(failing_once(Dialect::OpenAi, failure.clone()), 3, "tool");
        let outcome = lab.map("--retries 1");
        assert_eq!(outcome.code, 0, "{failure:?}: {outcome:?}");
        lab.check_done(3, &outcome);
        assert_eq!((lab.asks(), lab.paid_twice()), (0, vec![]), "{failure:?}");
        assert_eq!(lab.sizes().iter().sum::<usize>(), 7, "{failure:?}: {:?}", lab.sizes());
        assert_eq!(lab.folder.lines("tools.log").len(), 3, "finished tools do not run again");

        let lab = Lab::of(failing_once(Dialect::OpenAi, failure.clone()), 3, "plain");
        let outcome = lab.map("--retries 1 --batch=first");
        assert_eq!(outcome.code, 0, "{failure:?}: {outcome:?}");
        lab.check_done(3, &outcome);
        assert_eq!((lab.sizes(), lab.asks()), (vec![3], 1), "{failure:?}");
    }
}

#[test]
fn retries_are_counted() {
    let server = BatchServer::with(Dialect::OpenAi, |_| Reply::Error(500, "always".to_owned()));
    let lab = Lab::of(server, 1, "plain");
    let outcome = lab.map("--retries 2");
    assert_eq!((outcome.code, lab.sizes()), (1, vec![1, 1, 1]), "{outcome:?}");
    assert!(outcome.stderr.contains("always"), "{outcome:?}");
}

#[test]
fn a_part_of_an_expired_batch_is_kept() {
    for dialect in KINDS {
        let lab = Lab::new(dialect, 4, "plain");
        lab.server.next_ends_as(&[Phase::Expired]);
        let outcome = lab.map("");
        let found = results_in(&lab.folder, "out.jsonl");
        let failed = found.iter().filter(|row| row.get("error").is_some()).count();
        assert_eq!((outcome.code, found.len(), failed), (1, 4, 2), "{dialect:?}: {outcome:?}");
        lab.server.next_ends_as(&[Phase::Expired]);
        let outcome = lab.map("--retries 3");
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        lab.check_done(4, &outcome);
        assert_eq!(lab.paid_twice(), Vec::<Value>::new(), "{dialect:?}");
    }
}

#[test]
fn rows_of_a_batch_that_was_cancelled_elsewhere_are_left_to_the_next_command() {
    for dialect in KINDS {
        let lab = Lab::new(dialect, 4, "plain");
        lab.server.next_ends_as(&[Phase::Cancelled]);
        let outcome = lab.map("");
        assert_eq!(outcome.code, 1, "{dialect:?}: {outcome:?}");
        assert!(outcome.stderr.contains("cancelled"), "{outcome:?}");
        let found = results_in(&lab.folder, "out.jsonl");
        assert!(found.iter().all(|row| row.get("error").is_none()), "no row has failed: {found:?}");
        assert_eq!((found.len(), lab.sizes()), (2, vec![4]), "{dialect:?}: {outcome:?}");
        lab.finish(4);
        assert_eq!((lab.sizes(), lab.paid_twice()), (vec![4, 2], vec![]), "{dialect:?}");
    }
}

#[test]
fn a_batch_that_is_refused_as_a_whole_fails_its_rows() {
    for dialect in [Dialect::OpenAi, Dialect::Mistral, Dialect::Google] {
        let lab = Lab::new(dialect, 2, "plain");
        let phase = Phase::Failed { code: "invalid_model", message: "the model has no batches" };
        lab.server.next_ends_as(&[phase]);
        let outcome = lab.map("");
        assert_eq!(outcome.code, 1, "{dialect:?}: {outcome:?}");
        assert_eq!(results_in(&lab.folder, "out.jsonl").len(), 2);
        assert!(outcome.stderr.contains("2 failed"), "{dialect:?}: {outcome:?}");
        lab.finish(2);
    }
}

#[test]
fn a_full_queue_and_too_many_requests_are_waited_for_and_are_no_retries() {
    let full = json!({ "error": { "code": "token_limit_exceeded", "message": "Enqueued token limit reached" } });
    for dialect in KINDS {
        let lab = Lab::new(dialect, 2, "plain");
        lab.server.fail(Act::Create, 0, Fault::Refuse(429, "retry-after: 0.02", full.clone()));
        for act in [Act::Upload, Act::Status, Act::Results, Act::Delete] {
            lab.server.fail(act, 0, Fault::Refuse(429, "retry-after: 0.02", json!({ "error": { "message": "slow" } })));
        }
        lab.finish(2);
        assert_eq!(lab.sizes(), [2], "{dialect:?}");
    }
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    lab.server.next_ends_as(&[Phase::Failed { code: "token_limit_exceeded", message: "Enqueued token limit reached" }]);
    lab.finish(2);
    assert_eq!(lab.server.paid().len(), 2);
}

#[test]
fn a_refused_key_while_polling_ends_the_command_and_no_row_has_failed() {
    for dialect in KINDS {
        let lab = Lab::of(BatchServer::with(dialect, reply).polls(3), 3, "plain");
        lab.server.fail(
            Act::Status,
            1,
            Fault::Refuse(401, "", json!({ "error": { "message": "the key is revoked" } })),
        );
        let outcome = lab.map("");
        assert_eq!(outcome.code, 1, "{dialect:?}: {outcome:?}");
        assert!(outcome.stderr.contains("the key is revoked"), "{dialect:?}: {outcome:?}");
        assert_eq!(lab.folder.lines("out.jsonl"), Vec::<String>::new(), "{dialect:?}");
        assert!(outcome.stderr.contains("--cancel"), "{dialect:?}: {outcome:?}");
        lab.finish(3);
        assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![3], 3), "{dialect:?}");
    }
}

#[test]
fn what_the_server_has_accepted_is_not_submitted_again_when_its_answer_is_lost() {
    let accepted = DIALECTS.map(|dialect| (dialect, Fault::EndAfter));
    let others = [(Dialect::OpenAi, Fault::EndBefore), (Dialect::OpenAi, Fault::Cut), (Dialect::Google, Fault::Cut)];
    at_once(&[&accepted[..], &others].concat(), |(dialect, fault)| {
        let lab = Lab::new(*dialect, 3, "plain");
        for act in [Act::Upload, Act::Create, Act::Results, Act::Delete] {
            lab.server.fail(act, 0, fault.clone());
        }
        lab.finish(3);
        assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![3], 3), "{dialect:?} {fault:?}");
    });
}

#[test]
fn files_and_batches_of_other_programs_are_not_touched() {
    at_once(&KINDS, |&dialect| {
        let lab = Lab::new(dialect, 2, "plain");
        // Another map, of the same server and of as many rows.
        let mut other = lab.command("-o other.jsonl --no-wait");
        assert_eq!(crate::support::Outcome::of(&mut other).code, 0);
        let before: HashSet<String> = lab.server.files().into_iter().collect();
        lab.server.fail(Act::Create, 1, Fault::EndBefore);
        let outcome = lab.map("");
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        assert_eq!(lab.sizes(), [2, 2], "{dialect:?}");
        let after: HashSet<String> = lab.server.files().into_iter().collect();
        assert_eq!(before, after, "{dialect:?}: its files are there");
        assert_eq!(lab.answers().len(), 2);
    });
}

#[test]
fn retry_after_is_followed_while_polling() {
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, reply).polls(2), 1, "plain");
    lab.server.fail(Act::Status, 0, Fault::Refuse(429, "retry-after: 1", json!({ "error": { "message": "slow" } })));
    let began = std::time::Instant::now();
    lab.finish(1);
    assert!(began.elapsed() >= Duration::from_millis(950), "{:?}", began.elapsed());
}
