//! `--cancel` and `--fresh` where that is not easy.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{KINDS, Lab, at_once, end_all, endless};
use crate::support::{
    Outcome,
    batches::{Act, Dialect, Fault, Phase},
    wait_until,
};

#[test]
fn a_link_is_followed() {
    let lab = endless(Dialect::OpenAi, 2, "plain");
    fs::create_dir(lab.folder.path("real")).unwrap();
    lab.folder.write("real/o.jsonl", "");
    symlink("real/o.jsonl", lab.folder.path("out.jsonl")).unwrap();
    let outcome = lab.map("--no-wait");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("map --cancel out.jsonl"), "{outcome:?}");
    let outcome = lab.cancel();
    assert_eq!((outcome.code, lab.server.count(Act::Cancel)), (0, 1), "{outcome:?}");
    assert!(outcome.stderr.contains("1 batch of out.jsonl cancelled"), "{outcome:?}");
}

#[test]
fn a_name_with_spaces_is_quoted() {
    let lab = endless(Dialect::OpenAi, 1, "plain");
    let mut command = lab.folder.command("map p.lmt.mjs --input rows.jsonl --batch --no-wait");
    command.envs(lab.server.variables()).args(["-m", lab.server.model(), "-o", "my out.jsonl"]);
    let outcome = Outcome::of(&mut command);
    assert!(outcome.stderr.contains("lmthing map --cancel 'my out.jsonl' cancels"), "{outcome:?}");
}

#[test]
fn batches_that_had_ended_are_not_said_to_be_cancelled() {
    for dialect in KINDS {
        let lab = endless(dialect, 2, "plain");
        assert_eq!(lab.map("--no-wait").code, 0);
        end_all(&lab, &Phase::Completed);
        let outcome = lab.cancel();
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        let is_told = outcome.stderr.contains("1 batch of out.jsonl had ended already");
        assert!(is_told && !outcome.stderr.contains("cancelled"), "{dialect:?}: {outcome:?}");
        lab.finish(2);
        assert_eq!(lab.sizes(), [2], "{dialect:?}");
    }
}

#[test]
fn another_command_at_work_is_wrong_usage_for_both() {
    let lab = endless(Dialect::OpenAi, 1, "plain");
    let map = lab.start("");
    wait_until("a batch", || lab.server.count(Act::Status) > 0);
    for outcome in [lab.cancel(), lab.map("")] {
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.stderr.contains("another command is at work on out.jsonl"), "{outcome:?}");
    }
    end_all(&lab, &Phase::Completed);
    assert_eq!(map.end().code, 0);
}

#[test]
fn a_state_that_is_none_is_said_to_be_unreadable() {
    let lab = endless(Dialect::OpenAi, 1, "plain");
    lab.folder.write("out.jsonl", "");
    lab.folder.write("out.jsonl.batches", &"This is something else.\n".repeat(100));
    let outcome = lab.cancel();
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("cannot read out.jsonl.batches"), "{outcome:?}");
}

/// A lab with a batch of Anthropic of which only the provider knows, and its id.
fn with_unknown_batch() -> (Lab, String) {
    let lab = endless(Dialect::Anthropic, 2, "plain");
    lab.server.fail(Act::Create, 0, Fault::HoldAfter);
    let map = lab.start("");
    wait_until("a batch", || lab.server.batches().len() == 1);
    map.signal("KILL");
    map.end();
    let id = lab.server.batches()[0].id.clone();
    (lab, id)
}

#[test]
fn a_batch_that_is_known_only_at_its_end_is_not_waited_for_without_a_word() {
    let (lab, id) = with_unknown_batch();
    let outcome = lab.map("--no-wait");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![2]), "{outcome:?}");
    assert!(outcome.stderr.contains("may be") && outcome.stderr.contains(&id), "{outcome:?}");
    for outcome in [lab.cancel(), lab.map("--fresh")] {
        assert_eq!((outcome.code, lab.server.count(Act::Cancel)), (1, 0), "{outcome:?}");
        assert!(outcome.stderr.contains(&id) && outcome.stderr.contains("remove out.jsonl.batches"), "{outcome:?}");
    }
    let map = lab.start("--timeout 30s");
    wait_until("a second look", || lab.server.count(Act::List) > 5);
    end_all(&lab, &Phase::Completed);
    let outcome = map.end();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.stderr.matches("may be").count(), 1, "{outcome:?}");
    lab.check_done(2, &outcome);
    assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![2], 2));
}

#[test]
fn another_batch_that_is_gone_is_not_the_one_that_is_looked_for() {
    let (lab, id) = with_unknown_batch();
    lab.server.forget(&id);
    let map = lab.start("");
    wait_until("a new batch", || lab.server.batches().len() == 1);
    end_all(&lab, &Phase::Completed);
    let outcome = map.end();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    lab.check_done(2, &outcome);
}

#[test]
fn a_lost_address_or_key_has_a_way_out() {
    at_once(&[true, false], |&is_address| {
        let lab = endless(Dialect::OpenAi, 2, "plain");
        assert_eq!(lab.map("--no-wait").code, 0);
        let id = &lab.server.batches()[0].id;
        let changed = |arguments: &str| {
            let mut command = lab.command_of(arguments);
            match is_address {
                true => command.env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
                false => command.env("OPENAI_API_KEY", "sk-revoked"),
            };
            Outcome::of(&mut command)
        };
        let fresh = format!("{} -m {} --fresh", super::MAP, lab.server.model());
        for outcome in [changed("map --cancel out.jsonl"), changed(&fresh)] {
            assert_eq!(outcome.code, 1, "{outcome:?}");
            let has_all = [id.as_str(), &lab.server.base_url(), "remove out.jsonl.batches"]
                .iter()
                .all(|words| outcome.stderr.contains(words));
            assert!(has_all && !outcome.stderr.contains("--fresh"), "{outcome:?}");
        }
        fs::remove_file(lab.folder.path("out.jsonl.batches")).unwrap();
        let outcome = lab.map("--fresh --no-wait");
        assert_eq!((outcome.code, lab.sizes()), (0, vec![2, 2]), "{outcome:?}");
    });
}

#[test]
fn batches_are_cancelled_although_one_of_them_cannot_be() {
    let lab = endless(Dialect::OpenAi, 4, "plain");
    assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
    let refusal = Fault::Refuse(403, "", json!({ "error": { "message": "not this one" } }));
    lab.server.fail(Act::Cancel, 0, refusal);
    let outcome = lab.cancel();
    assert_eq!((outcome.code, lab.server.count(Act::Cancel)), (1, 2), "{outcome:?}");
    assert!(outcome.stderr.contains("1 batch of out.jsonl cancelled"), "{outcome:?}");
    assert!(outcome.stderr.contains("not this one"), "{outcome:?}");
    let outcome = lab.cancel();
    assert_eq!((outcome.code, lab.server.count(Act::Cancel)), (0, 3), "{outcome:?}");
}

#[test]
fn state_of_format_1_is_continued_and_cancelled() {
    let lab = endless(Dialect::OpenAi, 2, "plain");
    assert_eq!(lab.map("--no-wait").code, 0);
    let make_old = || {
        let state = rusqlite::Connection::open(lab.folder.path("out.jsonl.batches")).unwrap();
        state.execute_batch("ALTER TABLE rows DROP COLUMN worked; PRAGMA user_version = 1").unwrap();
    };
    make_old();
    let outcome = lab.cancel();
    assert_eq!((outcome.code, lab.server.count(Act::Cancel)), (0, 1), "{outcome:?}");
    assert_eq!(lab.map("--no-wait").code, 0);
    make_old();
    end_all(&lab, &Phase::Completed);
    lab.finish(2);
    assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![2], 2));
}

#[test]
fn only_names_of_tables_stand_for_the_lines_next_to_them() {
    let lab = endless(Dialect::OpenAi, 1, "plain");
    assert_eq!(lab.map("--no-wait").code, 0);
    let outcome = Outcome::of(&mut lab.command_of("map --cancel out"));
    assert_eq!((outcome.code, lab.server.count(Act::Cancel)), (1, 0), "{outcome:?}");
}
