//! Uploads and creations that the provider refuses.

use serde_json::{Value, json};

use super::{KINDS, Lab, at_once};
use crate::{
    rows::results_in,
    support::{
        Outcome,
        batches::{Act, Dialect, Fault, Phase},
    },
};

fn refusal(status: u16) -> Fault {
    Fault::Refuse(status, "", json!({ "error": { "message": "there are no batches of this model", "code": "no" } }))
}

#[test]
fn a_creation_or_upload_that_is_refused_fails_the_rows_of_its_batch() {
    let creations = KINDS.map(|dialect| (dialect, Act::Create));
    at_once(&[&creations[..], &[(Dialect::Mistral, Act::Create), (Dialect::OpenAi, Act::Upload)]].concat(), |case| {
        for status in [400, 404, 413, 422] {
            if (case.1, status) != (Act::Upload, 404) {
                fails_its_rows(*case, status);
            }
        }
    });
}

fn fails_its_rows((dialect, act): (Dialect, Act), status: u16) {
    let lab = Lab::new(dialect, 4, "plain");
    lab.server.fail(act, 0, refusal(status));
    let outcome = lab.map("--batch-size 2");
    let results = results_in(&lab.folder, "out.jsonl");
    let failed: Vec<&Value> = results.iter().filter(|row| row.get("error").is_some()).collect();
    let at = format!("{dialect:?} {act:?} {status}: {outcome:?}");
    assert_eq!((outcome.code, results.len(), failed.len()), (1, 4, 2), "{at}");
    assert!(failed[0]["error"]["message"].to_string().contains("no batches of this model"), "{at}");
    assert!(outcome.stderr.contains("2 failed") && !outcome.stderr.contains("under way"), "{at}");
    lab.finish(4);
    assert_eq!((lab.sizes(), lab.paid_twice()), (vec![2, 2], vec![]), "{at}");
}

#[test]
fn retries_hold_for_a_creation_that_is_refused() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    lab.server.fail(Act::Create, 0, refusal(400));
    let outcome = lab.map("--retries 1");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    lab.check_done(2, &outcome);
}

#[test]
fn the_next_model_of_a_list_is_asked_when_a_creation_is_refused() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let source = std::fs::read_to_string(lab.folder.path("p.lmt.mjs")).unwrap();
    let config = "export const config = { model: ['openai:gpt-5.1', 'openai:gpt-4o'] };\n";
    lab.folder.write("p.lmt.mjs", &format!("{source}{config}"));
    lab.server.fail(Act::Create, 0, refusal(400));
    let outcome = Outcome::of(&mut lab.command_of(super::MAP));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    lab.check_done(2, &outcome);
    let models: Vec<Value> = lab.server.paid().iter().map(|body| body["model"].clone()).collect();
    assert_eq!(models, ["gpt-4o", "gpt-4o"]);
}

#[test]
fn what_a_batch_has_answered_before_it_failed_is_kept() {
    for dialect in [Dialect::OpenAi, Dialect::Mistral] {
        let lab = Lab::new(dialect, 4, "plain");
        lab.server.next_ends_as(&[Phase::Failed { code: "partial", message: "the model was switched off" }]);
        let outcome = lab.map("");
        let results = results_in(&lab.folder, "out.jsonl");
        let failed: Vec<&Value> = results.iter().filter(|row| row.get("error").is_some()).collect();
        assert_eq!((outcome.code, results.len(), failed.len()), (1, 4, 2), "{dialect:?}: {outcome:?}");
        let message = failed[0]["error"]["message"].to_string();
        assert!(message.contains("the model was switched off"), "{dialect:?}: {message}");
        lab.finish(4);
        assert_eq!((lab.sizes(), lab.paid_twice()), (vec![4, 2], vec![]), "{dialect:?}");
    }
}

#[test]
fn a_batch_that_fails_without_a_reason_says_so() {
    for dialect in [Dialect::OpenAi, Dialect::Mistral, Dialect::Google] {
        let lab = Lab::new(dialect, 1, "plain");
        lab.server.next_ends_as(&[Phase::Failed { code: "", message: "" }]);
        let outcome = lab.map("");
        assert_eq!(outcome.code, 1, "{dialect:?}: {outcome:?}");
        assert!(outcome.stderr.contains("gives no reason"), "{dialect:?}: {outcome:?}");
    }
}
