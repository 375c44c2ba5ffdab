//! Batches and results that a provider does not have any more, and errors that end the command.

use serde_json::{Value, json};

use super::{KINDS, Lab, at_once, end_all, endless, reply};
use crate::{
    rows::results_in,
    support::{
        Outcome,
        batches::{Act, BatchServer, Dialect, Fault, Phase},
    },
};

fn missing() -> Fault {
    Fault::Refuse(404, "", json!({ "error": { "message": "No such thing.", "type": "invalid_request_error" } }))
}

/// The messages of the rows that failed.
fn failures(lab: &Lab) -> Vec<String> {
    let results = results_in(&lab.folder, "out.jsonl");
    results.iter().filter_map(|row| row["error"]["message"].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_rows_of_a_batch_that_is_gone_fail_and_those_of_others_do_not() {
    at_once(&KINDS, |&dialect| {
        let lab = endless(dialect, 4, "plain");
        assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
        let gone = lab.server.batches()[0].id.clone();
        lab.server.forget(&gone);
        end_all(&lab, &Phase::Completed);
        let outcome = lab.map("");
        let failed = failures(&lab);
        assert_eq!((outcome.code, failed.len(), lab.answers().len()), (1, 2, 4), "{dialect:?}: {outcome:?}");
        assert!(failed[0].contains("does not have the results of batch") && failed[0].contains(&gone), "{failed:?}");
        assert_eq!(lab.server.files(), [""; 0], "{dialect:?}");
        ends_with_the_rest(&lab, "");
    });
}

/// Runs two rows again, in a batch of their own.
fn ends_with_the_rest(lab: &Lab, options: &str) {
    let map = lab.start(options);
    let batches = lab.server.count(Act::Create);
    crate::support::wait_until("a new batch", || lab.server.batches().iter().any(|it| it.phase == Phase::Running));
    end_all(lab, &Phase::Completed);
    let outcome = map.end();
    assert_eq!(outcome.code, 0, "{:?} {batches}: {outcome:?}", lab.server.dialect);
    lab.check_done(4, &outcome);
    assert_eq!((lab.paid_twice(), lab.server.paid().len()), (vec![], 4), "{:?}", lab.server.dialect);
}

#[test]
fn retries_hold_for_a_batch_that_is_gone() {
    let lab = endless(Dialect::OpenAi, 4, "plain");
    assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
    lab.server.forget(&lab.server.batches()[1].id);
    end_all(&lab, &Phase::Completed);
    ends_with_the_rest(&lab, "--retries 1");
}

#[test]
fn a_batch_that_was_cancelled_and_is_gone_is_submitted_again() {
    let lab = endless(Dialect::OpenAi, 4, "plain");
    assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
    lab.server.forget(&lab.server.batches()[0].id);
    end_all(&lab, &Phase::Completed);
    let outcome = lab.cancel();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("2 batches of out.jsonl had ended already"), "{outcome:?}");
    ends_with_the_rest(&lab, "");
}

#[test]
fn results_that_are_gone_fail_their_rows_and_a_list_that_is_late_does_not() {
    at_once(&[(Dialect::OpenAi, 1), (Dialect::Anthropic, 2)], |&(dialect, places)| {
        for (looks, code) in [(1, 0), (3, 1)] {
            let lab = Lab::new(dialect, 2, "plain");
            (0..looks * places).for_each(|number| lab.server.fail(Act::Results, number, missing()));
            let outcome = lab.map("");
            assert_eq!((outcome.code, failures(&lab).len()), (code, code as usize * 2), "{dialect:?}: {outcome:?}");
            assert_eq!(lab.server.files(), [""; 0], "{dialect:?}");
        }
    });
}

#[test]
fn answers_that_are_there_are_written_before_an_error_ends_the_command() {
    at_once(&KINDS, |&dialect| {
        let lab = endless(dialect, 4, "plain");
        assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
        end_all(&lab, &Phase::Completed);
        let revoked = json!({ "error": { "message": "the key is revoked" } });
        lab.server.fail(Act::Status, lab.server.count(Act::Status), Fault::Refuse(401, "", revoked));
        let outcome = lab.map("");
        assert_eq!((outcome.code, lab.answers().len()), (1, 2), "{dialect:?}: {outcome:?}");
        assert!(outcome.stderr.contains("the key is revoked"), "{dialect:?}: {outcome:?}");
        assert!(outcome.stderr.contains("1 batch is under way, with 2 rows"), "{dialect:?}: {outcome:?}");
        lab.finish(4);
        assert_eq!((lab.sizes(), lab.paid_twice()), (vec![2, 2], vec![]), "{dialect:?}");
    });
}

/// As after a kill between the answers and the rows.
#[cfg(unix)]
#[test]
fn rows_whose_answers_were_stored_by_an_earlier_command_are_written_before_an_error_ends_this_one() {
    let lab = endless(Dialect::OpenAi, 4, "plain");
    let slow = "
export const input = { type: 'object', properties: { n: { type: 'number' }, kind: { type: 'string' } } };
export default async ({ $ }, { n }) => {
  await new Promise((resolve) => setTimeout(resolve, 400));
  $`row ${n} plain`;
};
";
    lab.folder.write("p.lmt.mjs", slow);
    assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
    let rows: Vec<String> = lab.server.batches()[0].requests.iter().map(|(_, body)| body.to_string()).collect();
    lab.server.end(&lab.server.batches()[0].id.clone(), Phase::Completed);
    lab.server.fail(Act::Delete, 0, Fault::HoldBefore);
    let map = lab.start("--jobs 1");
    crate::support::wait_until("stored answers", || lab.server.count(Act::Delete) > 0);
    map.signal("KILL");
    map.end();
    let refused = json!({ "error": { "message": "the key is revoked" } });
    lab.server.fail(Act::Status, lab.server.count(Act::Status), Fault::Refuse(401, "", refused));
    let outcome = lab.map("--jobs 1");
    assert_eq!((outcome.code, failures(&lab).len()), (1, 0), "{outcome:?}");
    let answers = lab.answers();
    assert!(answers.len() == 2, "{answers:?}, {outcome:?}");
    assert!(answers.iter().all(|(_, text)| rows.iter().any(|body| body.contains(text))), "{answers:?}, {rows:?}");
    end_all(&lab, &Phase::Completed);
    lab.finish(4);
    assert_eq!((lab.sizes(), lab.paid_twice()), (vec![2, 2], vec![]));
}

#[test]
fn a_file_that_cannot_be_deleted_is_left() {
    let lab = Lab::new(Dialect::OpenAi, 1, "plain");
    lab.server.fail(Act::Delete, 0, Fault::Refuse(403, "", json!({ "error": { "message": "not yours" } })));
    let outcome = lab.map("");
    assert_eq!((outcome.code, lab.server.files().len()), (0, 1), "{outcome:?}");
    assert!(outcome.stderr.contains("is left at the provider: not yours"), "{outcome:?}");
}

#[test]
fn an_error_begins_no_further_rows() {
    let lab = Lab::new(Dialect::OpenAi, 4, "plain");
    lab.server.fail(Act::Create, 0, Fault::Refuse(401, "", json!({ "error": { "message": "no" } })));
    let outcome = lab.map("--batch-size 1 --jobs 1");
    assert_eq!((outcome.code, failures(&lab).len()), (1, 0), "{outcome:?}");
    assert!(outcome.stderr.contains("Check the key in OPENAI_API_KEY"), "{outcome:?}");
    lab.finish(4);
    assert_eq!(lab.paid_twice(), Vec::<Value>::new());
}

#[test]
fn a_gateway_has_the_results_although_its_batches_lead_to_the_service() {
    let server = BatchServer::with(Dialect::Anthropic, reply).behind_a_gateway();
    let lab = Lab::of(server, 2, "tool");
    lab.finish(2);
    assert_eq!(lab.server.elsewhere().len(), 0);
}

#[test]
fn a_server_that_gets_no_key_is_not_said_to_refuse_it() {
    let lab = Lab::of(BatchServer::with(Dialect::Anthropic, reply).behind_a_gateway(), 2, "plain");
    lab.server.fail(Act::Results, 0, missing());
    let outcome = lab.map("");
    assert_eq!((outcome.code, failures(&lab).len()), (1, 0), "{outcome:?}");
    assert!(!outcome.stderr.contains("ANTHROPIC_API_KEY") && outcome.stderr.contains("gets no key"), "{outcome:?}");
    let requests = lab.server.elsewhere();
    assert!(requests.len() == 1 && !requests[0].head.iter().any(|line| super::has_key(line)), "{requests:?}");
    lab.finish(2);
}

#[test]
fn hints_name_no_model_where_none_is_asked() {
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        let lab = Lab::new(dialect, 1, "plain");
        lab.server.fail(Act::Create, 0, Fault::Refuse(405, "", json!({ "error": { "message": "not here" } })));
        let outcome: Outcome = lab.map("");
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("Check the base URL") && !outcome.stderr.contains("model"), "{outcome:?}");
    }
}
