//! Maps that end while batches are under way, and what the next command does.

use std::{fs, time::Duration};

use serde_json::Value;

use super::{KINDS, Lab, end_all, endless, reply};
use crate::{
    rows::results_in,
    support::{
        Outcome,
        batches::{Act, BatchServer, Dialect, KEY, Phase, Seen},
    },
};

fn names_both_ways(outcome: &Outcome) -> bool {
    outcome.stderr.contains("same command") && outcome.stderr.contains("map --cancel out.jsonl")
}

#[test]
fn without_waiting_each_command_collects_what_is_done_and_submits_next_steps() {
    for dialect in KINDS {
        let lab = endless(dialect, 3, "tool");
        let outcome = lab.map("--no-wait");
        assert_eq!((outcome.code, names_both_ways(&outcome)), (0, true), "{dialect:?}: {outcome:?}");
        assert_eq!((lab.sizes(), lab.folder.lines("out.jsonl").len()), (vec![3], 0), "{dialect:?}");
        // Nothing has happened.
        let outcome = lab.map("--no-wait");
        assert_eq!((outcome.code, lab.sizes()), (0, vec![3]), "{dialect:?}: {outcome:?}");
        end_all(&lab, &Phase::Completed);
        let outcome = lab.map("--no-wait");
        assert_eq!((outcome.code, names_both_ways(&outcome)), (0, true), "{dialect:?}: {outcome:?}");
        assert_eq!((lab.sizes(), lab.folder.lines("tools.log").len()), (vec![3, 3], 3), "{dialect:?}");
        end_all(&lab, &Phase::Completed);
        let outcome = lab.map("--no-wait");
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        lab.check_done(3, &outcome);
        assert_eq!((lab.sizes(), lab.server.count(Act::Cancel)), (vec![3, 3], 0), "{dialect:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_cancels_nothing_and_says_how_to_continue() {
    let lab = endless(Dialect::OpenAi, 3, "plain");
    let map = lab.start("");
    crate::support::wait_until("polling", || lab.server.count(Act::Status) > 0);
    map.signal("INT");
    let outcome = map.end();
    assert_eq!((outcome.code, names_both_ways(&outcome)), (130, true), "{outcome:?}");
    assert_eq!(lab.server.count(Act::Cancel), 0);
    end_all(&lab, &Phase::Completed);
    lab.finish(3);
    assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![3], 3));
}

#[test]
fn cancelling_keeps_what_was_answered_and_the_next_command_submits_the_rest() {
    for dialect in KINDS {
        let lab = endless(dialect, 4, "plain");
        assert_eq!(lab.map("--no-wait --batch-size 2").code, 0);
        let outcome = lab.cancel();
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        assert!(outcome.stderr.contains("2 batches"), "{dialect:?}: {outcome:?}");
        assert_eq!(lab.server.count(Act::Cancel), 2, "{dialect:?}");
        end_all(&lab, &Phase::Cancelled);
        assert!(lab.server.batches().iter().all(|batch| batch.is_cancelled), "{dialect:?}");
        let map = lab.start("");
        // Every other request of the cancelled batches was answered.
        crate::support::wait_until("a new batch", || lab.sizes().len() == 3);
        end_all(&lab, &Phase::Completed);
        let outcome = map.end();
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        lab.check_done(4, &outcome);
        assert_eq!((lab.sizes(), lab.paid_twice()), (vec![2, 2, 2], vec![]), "{dialect:?}");
    }
}

#[test]
fn cancelling_says_how_many_batches_also_for_none() {
    let lab = Lab::new(Dialect::OpenAi, 1, "plain");
    let outcome = lab.cancel();
    assert_eq!(outcome.code, 1, "OUT is missing: {outcome:?}");
    assert!(outcome.stderr.contains("out.jsonl"), "{outcome:?}");
    lab.finish(1);
    let outcome = lab.cancel();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains("No batch"), "{outcome:?}");
    assert_eq!(lab.server.count(Act::Cancel), 0);
}

#[test]
fn a_changed_file_is_refused_while_batches_are_under_way_and_fresh_cancels_them() {
    let lab = endless(Dialect::OpenAi, 2, "plain");
    assert_eq!(lab.map("--no-wait").code, 0);
    let changed = fs::read_to_string(lab.folder.path("p.lmt.mjs")).unwrap() + "// changed\n";
    lab.folder.write("p.lmt.mjs", &changed);
    let requests = lab.server.seen().len();
    let outcome = lab.map("");
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(outcome.stderr.contains("--cancel") && outcome.stderr.contains("--fresh"), "{outcome:?}");
    assert_eq!(lab.server.seen().len(), requests, "nothing was asked");
    let outcome = lab.map("--fresh --no-wait");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!((lab.server.count(Act::Cancel), lab.sizes()), (1, vec![2, 2]));
    let acts: Vec<Act> = lab.server.seen().iter().map(|seen| seen.act).collect();
    let cancelled = acts.iter().position(|act| *act == Act::Cancel);
    assert!(cancelled < acts.iter().rposition(|act| *act == Act::Create), "cancelled first: {acts:?}");
}

#[test]
fn without_batches_nothing_is_asked_that_is_under_way() {
    let lab = endless(Dialect::OpenAi, 3, "plain");
    assert_eq!(lab.map("--no-wait --sample 2").code, 0);
    let plain = format!("map p.lmt.mjs --input rows.jsonl -o out.jsonl -m {}", lab.server.model());
    let outcome = Outcome::of(&mut lab.command_of(&plain));
    assert_eq!(lab.asks(), 1, "only the row that is in no batch: {outcome:?}");
    assert!(outcome.stderr.contains("under way") && outcome.stderr.contains("--batch"), "{outcome:?}");
    assert_eq!(results_in(&lab.folder, "out.jsonl").len(), 1, "{outcome:?}");
    end_all(&lab, &Phase::Completed);
    lab.finish(3);
    assert_eq!((lab.sizes(), lab.asks(), lab.paid_twice()), (vec![2], 1, Vec::<Value>::new()));
}

#[test]
fn the_state_of_rows_that_are_gone_does_not_hinder_the_others() {
    let lab = endless(Dialect::OpenAi, 3, "plain");
    assert_eq!(lab.map("--no-wait").code, 0);
    end_all(&lab, &Phase::Completed);
    lab.folder.write("rows.jsonl", "{\"n\":2,\"kind\":\"plain\"}\n{\"n\":3,\"kind\":\"plain\"}\n");
    let outcome = lab.map("");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![3]), "{outcome:?}");
    assert_eq!(lab.answers(), [(1, "row 2".to_owned()), (2, "row 3".to_owned())]);
}

#[test]
fn keys_of_the_file_are_known_to_the_next_command() {
    let lab = endless(Dialect::OpenAi, 2, "plain");
    let model = format!("createOpenAI({{ apiKey: '{KEY}', baseURL: '{}' }})('gpt-5.1')", lab.server.base_url());
    let source = format!("import {{ createOpenAI }} from 'lmthing';\n{}", super::ASKS);
    lab.folder.write("p.lmt.mjs", &format!("{source}export const config = {{ model: {model} }};\n"));
    let map = |more: &str| {
        let mut command = lab.folder.command(&format!("{} {more}", super::MAP));
        // Another key, which the server refuses.
        command.env("OPENAI_API_KEY", "sk-other").env_remove("OPENAI_BASE_URL");
        Outcome::of(&mut command)
    };
    for _ in 0..2 {
        let outcome = map("--no-wait");
        assert_eq!((outcome.code, lab.sizes()), (0, vec![2]), "{outcome:?}");
    }
    end_all(&lab, &Phase::Completed);
    let outcome = map("");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    lab.check_done(2, &outcome);
    assert_eq!(lab.server.paid().len(), 2);
}

#[test]
fn keys_in_addresses_and_headers_are_sent_and_not_stored() {
    let lab = endless(Dialect::OpenAi, 2, "plain");
    lab.configure(
        "options: { providerOptions: { openai: {
          query: { key: process.env.MY_TOKEN, v: process.env.MY_TOKEN, sig: 'by-hand', plain: '2' },
          headers: { 'x-own': process.env.MY_TOKEN },
        } } }",
    );
    let map = |token: &str, more: &str| Outcome::of(lab.command(more).env("MY_TOKEN", token));
    let outcome = map("tok-99887766", "--no-wait");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![2]), "{outcome:?}");
    let file = |end: &&str| fs::read(lab.folder.path(&format!("out.jsonl.batches{end}"))).unwrap_or_default();
    let stored: Vec<u8> = ["", "-wal"].iter().flat_map(file).collect();
    let stored = String::from_utf8_lossy(&stored).into_owned();
    assert!(stored.contains("plain=2") && !stored.contains("tok-99887766") && !stored.contains("by-hand"));
    end_all(&lab, &Phase::Completed);
    // The next command takes them from the file.
    let outcome = map("tok-new55443322", "");
    lab.check_done(2, &outcome);
    let seen = lab.server.seen();
    let sent = |token: &str| {
        let query = format!("key={token}&v={token}&sig=by-hand");
        let has_all = |seen: &&Seen| {
            let header = format!("x-own: {token}");
            let has_header = seen.request.head.iter().any(|line| line.eq_ignore_ascii_case(&header));
            seen.request.path.contains("plain=2") && seen.request.path.contains(&query) && has_header
        };
        seen.iter().filter(has_all).count()
    };
    assert_eq!(sent("tok-99887766") + sent("tok-new55443322"), seen.len(), "{seen:?}");
    assert!(sent("tok-99887766") > 0 && sent("tok-new55443322") > 0);
}

#[test]
fn batches_are_named_with_verbose_only() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let outcome = lab.map("-v");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let id = &lab.server.batches()[0].id;
    assert!(outcome.stderr.matches(id.as_str()).count() >= 2, "submitted and completed: {outcome:?}");
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    let outcome = lab.map("");
    assert!(!outcome.stderr.contains("batch_"), "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_how_far_each_batch_is() {
    let lab = endless(Dialect::OpenAi, 4, "plain");
    let variables: String = lab.server.variables().iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    lab.folder.write(".env", &variables);
    let arguments = format!("{} -m {} --batch-size 3", super::MAP, lab.server.model());
    let mut map = lab.folder.start_on_terminal(&arguments, 120);
    map.wait_for("batches 0/3, 0/1", 1);
    crate::support::wait_until("both batches", || lab.sizes().len() == 2);
    end_all(&lab, &Phase::Completed);
    map.wait_for("4 rows: 4 done", 1);
    assert_eq!(map.end().code, 0);
}

#[test]
fn only_rows_of_the_input_are_counted() {
    let lab = endless(Dialect::OpenAi, 3, "plain");
    assert_eq!(lab.map("--no-wait").code, 0);
    lab.folder.write("rows.jsonl", "{\"n\":2,\"kind\":\"plain\"}\n");
    let outcome = lab.map("--no-wait");
    assert!(outcome.stderr.contains("1 row: 0 done, 1 in batches"), "{outcome:?}");
}

#[test]
fn few_acts_are_under_way_at_once() {
    let server = BatchServer::with(Dialect::OpenAi, reply).slow(Duration::from_millis(20));
    let lab = Lab::of(server, 40, "plain");
    let outcome = lab.map("--batch-size 1");
    assert_eq!((outcome.code, lab.sizes().len()), (0, 40), "{outcome:?}");
    assert!((2..=8).contains(&lab.server.most_open()), "{}", lab.server.most_open());
}
