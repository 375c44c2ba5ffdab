//! Tests with `--record`.

use std::{collections::BTreeMap, sync::Barrier};

use super::support::{Folder, ask};
use crate::recordings::{Mode, RecordingStore};
use lmthing_providers::Redactor;

#[tokio::test]
async fn only_missing_exchanges_are_requested() {
    let folder = Folder::new();
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["first", "second"]).await, ["answer 1", "answer 2"]);
    assert_eq!(running.test(1, true, &["first"]).await, ["answer 1"], "tests share a recording");
    assert_eq!(running.end(true), ["r.json: 2 exchanges recorded"]);
    assert_eq!(folder.exchanges("r.json"), ["first: answer 1", "second: answer 2"]);
    let before = (folder.read("r.json"), std::fs::metadata(folder.path("r.json")).unwrap().modified().unwrap());
    assert!(before.0.contains("\n  \"usedBy\": [\"a.test.lmt.mjs\"],\n"), "{}", before.0);
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["first", "second"]).await, ["answer 1", "answer 2"]);
    assert!(running.end(true).is_empty());
    let after = (folder.read("r.json"), std::fs::metadata(folder.path("r.json")).unwrap().modified().unwrap());
    assert_eq!(before, after, "an unchanged recording is not written");
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["second", "first"]).await, ["answer 2", "answer 1"]);
    assert_eq!(folder.asked(), 2);
}

#[tokio::test]
async fn a_changed_request_is_replaced_in_its_position() {
    let folder = Folder::new();
    folder.write("r.json", &["a.test.lmt.mjs"], &[("a", "A"), ("b", "B"), ("c", "C"), ("d", "D"), ("e", "E")]);
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    running.test(0, true, &["a", "b2", "c"]).await;
    running.test(1, true, &["d2", "e"]).await;
    running.test(2, true, &["f"]).await;
    assert_eq!(running.end(true), ["r.json: 3 exchanges recorded, 2 exchanges dropped"]);
    let expected = ["a: A", "b2: answer 1", "c: C", "d2: answer 2", "e: E", "f: answer 3"];
    assert_eq!(folder.exchanges("r.json"), expected);
}

#[tokio::test]
async fn exchanges_that_others_may_use_are_not_dropped() {
    let folder = Folder::new();
    // A test was skipped or failed; another file that uses the recording did not run.
    for (used_by, whole) in [(["a.test.lmt.mjs"], false), (["b.test.lmt.mjs"], true)] {
        folder.write("r.json", &used_by, &[("a", "A"), ("b", "B")]);
        let running = folder.run(Mode::Record, "a.test.lmt.mjs");
        running.test(0, true, &["b", "new"]).await;
        assert_eq!(running.end(whole), ["r.json: 1 exchange recorded"]);
        assert_eq!(folder.exchanges("r.json")[..2], ["a: A", "b: B"]);
    }
    assert!(folder.read("r.json").contains("[\"a.test.lmt.mjs\", \"b.test.lmt.mjs\"]"));
    // A file that no longer exists uses nothing.
    folder.write("r.json", &["gone.test.lmt.mjs"], &[("a", "A"), ("b", "B")]);
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    running.test(0, true, &["b"]).await;
    assert_eq!(running.end(true), ["r.json: 1 exchange dropped"]);
    assert_eq!(folder.exchanges("r.json"), ["b: B"]);
}

/// A smoke test without its input does not run, and the recording may belong to another test.
#[tokio::test]
async fn an_opened_recording_without_requests_is_not_used() {
    let folder = Folder::new();
    folder.write("r.json", &["a.test.lmt.mjs"], &[("a", "A"), ("b", "B")]);
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    let smoke = running.store.for_file(&folder.path("p.lmt.mjs"), "p.lmt.mjs".as_ref());
    smoke.begin_test(0).recorded(&folder.path("r.json"), &Redactor::default()).unwrap();
    smoke.end_test(false);
    smoke.end(false);
    running.test(0, true, &["b"]).await;
    assert_eq!(running.end(true), ["r.json: 1 exchange dropped"]);
}

#[tokio::test]
async fn failures_are_recorded_for_tests_that_pass() {
    let folder = Folder::new();
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    assert_eq!(running.test(0, false, &["fail", "q"]).await, ["no power", "answer 2"]);
    running.end(false);
    assert_eq!(folder.exchanges("r.json"), ["q: answer 2"], "a paid answer is kept");
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["fail", "q"]).await, ["no power", "answer 2"]);
    running.end(true);
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["q", "fail"]).await, ["answer 2", "no power"]);
    assert_eq!(folder.asked(), 3);
}

#[tokio::test]
async fn temporary_failures_are_never_recorded() {
    let folder = Folder::new();
    for _ in 0..2 {
        let running = folder.run(Mode::Record, "a.test.lmt.mjs");
        assert_eq!(running.test(0, true, &["fail for now", "q"]).await, ["no power", "answer 2"]);
        running.end(true);
    }
    assert_eq!(folder.exchanges("r.json"), ["q: answer 2"]);
    assert_eq!(folder.asked(), 3, "only the failed request is repeated");
}

#[tokio::test]
async fn each_repetition_gets_its_own_answer() {
    let folder = Folder::new();
    for _ in 0..2 {
        let running = folder.run(Mode::Record, "a.test.lmt.mjs");
        let own = running.file.own(&Redactor::default());
        let test = running.file.begin_test(0);
        for number in 1..=3 {
            test.begin_attempt();
            assert_eq!(folder.ask_all(&own, &["q"]).await, [format!("answer {number}")]);
        }
        running.end(true);
    }
    assert_eq!(folder.exchanges("a.test.recording.json"), ["q: answer 1", "q: answer 2", "q: answer 3"]);
}

#[tokio::test]
async fn a_recording_without_requests_is_removed() {
    let folder = Folder::new();
    folder.write("a.test.recording.json", &[], &[("q", "one")]);
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    let note = "1 of 1 exchanges of a.test.recording.json was never asked for: 1 (lab:tide); lmthing test --record drops what is \
                not used";
    assert_eq!(running.end(true), [note]);
    assert!(folder.run(Mode::Record, "a.test.lmt.mjs").end(false).is_empty());
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    assert_eq!(running.end(true), ["a.test.recording.json: 1 exchange dropped"]);
    assert!(!folder.path("a.test.recording.json").exists());
}

#[tokio::test]
async fn a_run_without_requests_has_an_empty_recording() {
    let folder = Folder::new();
    folder.run(Mode::Record, "a.test.lmt.mjs").test(0, true, &[]).await;
    assert!(!folder.path("r.json").exists());
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    running.test(0, true, &[]).await;
    running.end(true);
    assert!(folder.exchanges("r.json").is_empty());
}

#[tokio::test]
async fn record_all_replaces_every_exchange() {
    let folder = Folder::new();
    folder.write("r.json", &["b.test.lmt.mjs"], &[("a", "A"), ("b", "B"), ("c", "C")]);
    let running = folder.run(Mode::RecordAll, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["b", "c"]).await, ["answer 1", "answer 2"]);
    assert_eq!(running.end(true), ["r.json: 2 exchanges recorded, 2 exchanges dropped"]);
    assert_eq!(folder.exchanges("r.json"), ["a: A", "b: answer 1", "c: answer 2"]);
}

#[tokio::test]
async fn no_secret_is_recorded() {
    let folder = Folder::new();
    let key = "sk-proj-abcdefghij0123456789";
    let redactor = Redactor::of_variables(&BTreeMap::from([("LAB_API_KEY".to_owned(), key.to_owned())]));
    let running = folder.run(Mode::Record, "a.test.lmt.mjs");
    let test = running.file.begin_test(0);
    let exchanges = test.recorded(&folder.path("r.json"), &redactor).unwrap().exchanges;
    let question = format!("what is {key}?");
    assert_eq!(ask(&exchanges, &folder.model, &question).await, "answer 1");
    running.file.end_test(true);
    running.end(true);
    assert_eq!(folder.exchanges("r.json"), ["what is [redacted]?: answer 1"]);
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &[&question]).await, ["answer 1"]);
}

/// Two threads use one recording: equal requests are answered once, and the file does not depend on the order.
#[test]
fn files_on_several_threads_share_a_recording() {
    for _ in 0..20 {
        let folder = Folder::new();
        let store = RecordingStore::new(Mode::Record);
        let barrier = Barrier::new(2);
        let run = |name: &str, questions: &[&str]| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let file = store.for_file(&folder.path(name), name.as_ref());
            runtime.block_on(async {
                let test = file.begin_test(0);
                let exchanges = test.recorded(&folder.path("r.json"), &Redactor::default()).unwrap().exchanges;
                barrier.wait();
                for question in questions {
                    assert!(ask(&exchanges, &folder.model, question).await.starts_with("answer"));
                }
                file.end_test(true);
            });
            file.end(true);
        };
        std::thread::scope(|scope| {
            scope.spawn(|| run("b.test.lmt.mjs", &["both", "both", "b"]));
            scope.spawn(|| run("a.test.lmt.mjs", &["a", "both"]));
        });
        assert!(store.finish().errors.is_empty());
        let questions: Vec<String> =
            folder.exchanges("r.json").iter().map(|exchange| exchange.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(questions, ["a", "both", "both", "b"]);
        assert_eq!(folder.asked(), 4);
    }
}
