//! Tests without `--record`.

use super::support::{Folder, ask};
use crate::recordings::{Mode, RecordingStore};
use lmthing_providers::Redactor;

#[tokio::test]
async fn a_run_plays_an_exchange_once_and_unused_ones_first() {
    let folder = Folder::new();
    folder.write("r.json", &[], &[("q", "one"), ("q", "two"), ("other", "three")]);
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    for (index, answers) in [(0, ["one", "two", "one"]), (1, ["one", "two", "one"])] {
        let test = running.file.begin_test(index);
        for answer in answers {
            test.begin_attempt();
            assert_eq!(folder.ask_recorded(&test, "r.json", &["q"]).await, [answer]);
        }
        let twice = folder.ask_recorded(&test, "r.json", &["q", "q", "q"]).await;
        assert_eq!(twice[..2], ["two", "one"], "the least used comes first");
        assert!(twice[2].starts_with("The request differs from exchange 3 of 3 in "), "{twice:?}");
        assert!(test.take_fault().unwrap().message.contains("+q") && test.take_fault().is_none());
        running.file.end_test(true);
    }
    assert_eq!(folder.asked(), 0);
    let notes = running.end(true);
    let unused =
        "1 of 3 exchanges of r.json was never asked for: 3 (lab:tide); lmthing test --record drops what is not used";
    assert_eq!(notes, [unused]);
}

#[tokio::test]
async fn unused_exchanges_are_reported_only_when_everything_ran() {
    let folder = Folder::new();
    for (used_by, whole) in [(&[][..], false), (&["a.test.lmt.mjs", "b.test.lmt.mjs"], true)] {
        folder.write("r.json", used_by, &[("q", "one"), ("other", "two")]);
        let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
        running.test(0, true, &["q"]).await;
        assert!(running.end(whole).is_empty());
    }
}

#[test]
fn an_unusable_recording_is_reported_with_a_hint() {
    let folder = Folder::new();
    folder.write("r.json", &[], &[]);
    std::fs::write(folder.path("text.json"), "hello").unwrap();
    std::fs::create_dir(folder.path("folder.json")).unwrap();
    let file =
        RecordingStore::new(Mode::Replay).for_file(&folder.path("a.test.lmt.mjs"), "my tests/a.test.lmt.mjs".as_ref());
    let test = file.begin_test(0);
    let record = "lmthing test --record 'my tests/a.test.lmt.mjs'";
    for (name, message, hint) in [
        (
            "x.json",
            "there is no recording ",
            format!("did you mean r.json? Otherwise make it, with keys set: {record}"),
        ),
        (
            "text.json",
            "is no recording: it is not JSON: expected value",
            format!("recordings are what this writes: {record}"),
        ),
        ("folder.json", "folder.json: it is a directory", String::new()),
    ] {
        let error = test.recorded(&folder.path(name), &Redactor::default()).err().unwrap();
        assert!(error.message.contains(message) && error.message.contains(name), "{error:?}");
        assert_eq!(error.hint.unwrap_or_default(), hint);
    }
    let file = RecordingStore::new(Mode::Record).for_file(&folder.path("a.test.lmt.mjs"), "a".as_ref());
    let error = file.begin_test(0).recorded(&folder.path("folder.json"), &Redactor::default()).err().unwrap();
    assert!(error.message.starts_with("cannot read the recording "), "{error:?}");
    let text = file.begin_test(1).recorded(&folder.path("text.json"), &Redactor::default()).err().unwrap();
    assert!(text.message.contains("is no recording"), "it is not overwritten: {text:?}");
}

#[tokio::test]
async fn a_run_without_a_recording_is_refused() {
    let folder = Folder::new();
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    let test = running.file.begin_test(0);
    let refused = "this test would ask lab:tide; no test asks a model without --live or --record";
    assert_eq!(ask(&test.unrecorded().exchanges, &folder.model, "q").await, refused);
    let fault = test.take_fault().unwrap();
    assert_eq!(
        (fault.message.as_str(), fault.hint.as_deref()),
        (refused, Some("give run() a mock or a recording, or ask the model with: lmthing test --live a.test.lmt.mjs"))
    );
    let error = ask(&running.file.own(&Redactor::default()), &folder.model, "q").await;
    let hint = test.take_fault().unwrap().hint.unwrap();
    assert_eq!(error, format!("{refused}\n{hint}"));
    assert!(hint.ends_with("a.test.recording.json with: lmthing test --record a.test.lmt.mjs"), "{hint}");
    let smoke = folder.run(Mode::Replay, "p.lmt.mjs");
    ask(&smoke.file.current().unrecorded().exchanges, &folder.model, "q").await;
    let hint = smoke.file.current().take_fault().unwrap().hint.unwrap();
    assert!(
        hint.starts_with("record its run with: lmthing run --record ") && hint.ends_with("p.recording.json p.lmt.mjs")
    );
    assert_eq!(folder.asked(), 0);
    for mode in [Mode::Live, Mode::Record] {
        let running = folder.run(mode, "a.test.lmt.mjs");
        assert!(ask(&running.file.current().unrecorded().exchanges, &folder.model, "q").await.starts_with("answer"));
    }
}

#[tokio::test]
async fn live_ignores_and_keeps_the_recording() {
    let folder = Folder::new();
    folder.write("r.json", &[], &[("q", "one")]);
    let before = folder.read("r.json");
    let running = folder.run(Mode::Live, "a.test.lmt.mjs");
    assert_eq!(running.test(0, true, &["q", "new"]).await, ["answer 1", "answer 2"]);
    assert!(running.end(true).is_empty());
    assert_eq!(folder.read("r.json"), before);
}

#[tokio::test]
async fn requests_of_a_test_file_belong_to_the_running_test() {
    let folder = Folder::new();
    folder.write("a.test.recording.json", &[], &[("q", "one"), ("q", "two")]);
    let running = folder.run(Mode::Replay, "a.test.lmt.mjs");
    let own = running.file.own(&Redactor::default());
    assert_eq!(folder.ask_all(&own, &["q"]).await, ["one"], "outside of tests");
    for index in 0..2 {
        let test = running.file.begin_test(index);
        for answer in ["one", "two", "one"] {
            test.begin_attempt();
            assert_eq!(folder.ask_all(&own, &["q"]).await, [answer]);
        }
        assert_eq!(folder.ask_all(&own, &["q"]).await, ["two"]);
        running.file.end_test(true);
    }
    assert_eq!(folder.ask_all(&own, &["q"]).await, ["two"]);
}
