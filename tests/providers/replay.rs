//! Recording a run and replaying it without a network.

use std::{collections::BTreeMap, rc::Rc};

use futures_util::StreamExt;
use lmthing_base::chat::{
    CacheOption, CallSettings, Message, ModelRequest, Reasoning, ResponseFormat, Role, StreamPart,
};
use lmthing_providers::{
    LanguageModel, ProviderContext, ProviderErrorKind, Recording, RecordingOutcome, Redactor, Replay, resolve,
};
use serde_json::{Value, json};

use crate::{
    setup::{CHAT, TEXT},
    steps::ask,
    support::canned::{Canned, Server},
};

const KEY: &str = "sk-recorded-secret";

fn request(question: &str) -> ModelRequest {
    let messages = vec![Rc::new(Message::system("Be brief.")), Rc::new(Message::text(Role::User, question))];
    let settings = CallSettings { temperature: Some(0.0), max_retries: Some(0), ..CallSettings::default() };
    ModelRequest { messages, tools: Vec::new(), settings, ..ModelRequest::default() }
}

fn env(server: &Server) -> BTreeMap<String, String> {
    [("LAB_API_KEY", KEY.to_owned()), ("LAB_API_TYPE", "openai".into()), ("LAB_API_BASE", server.url(""))]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

/// A new recording, and its folder.
fn begin(redactor: Redactor) -> (Rc<Recording>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (Recording::create(&folder.path().join("run.json"), redactor).unwrap(), folder)
}

fn read(folder: &tempfile::TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

/// Records three exchanges, of which the last one fails; returns the file's text after each.
async fn record() -> (Vec<String>, Redactor) {
    let refusal = Canned::new(401, "application/json", r#"{"error":{"message":"go away"}}"#);
    let server = Server::start(vec![Canned::sse(CHAT), Canned::sse(CHAT), refusal]).await;
    let env = env(&server);
    let redactor = Redactor::of_variables(&env);
    let (recording, folder) = begin(redactor.clone());
    let mut texts = vec![read(&folder, "run.json.partial")];
    let model = recording.wrap(resolve("lab:tide", &ProviderContext::new(Rc::new(env))).unwrap());
    assert_eq!((model.provider(), model.model_id()), ("lab", "tide"));
    for question in ["first", &format!("my key is {KEY}"), "third"] {
        ask(model.as_ref(), request(question)).await;
        texts.push(read(&folder, "run.json.partial"));
    }
    assert_eq!(recording.finish(true).unwrap(), RecordingOutcome::Saved);
    assert_eq!(read(&folder, "run.json"), texts[3]);
    (texts, redactor)
}

/// A hand-made recording of one exchange with this request.
fn recorded(request: Value) -> Rc<Replay> {
    let exchange = json!({ "provider": "lab", "model": "tide", "request": request, "parts": [] });
    Replay::parse(&json!({ "version": 1, "exchanges": [exchange] }).to_string(), Redactor::default()).unwrap()
}

#[tokio::test]
async fn a_recording_is_whole_after_every_exchange_and_holds_no_secret() {
    let (texts, _) = record().await;
    for (count, text) in texts.iter().enumerate() {
        let file: Value = serde_json::from_str(text).unwrap();
        assert_eq!(file["exchanges"].as_array().unwrap().len(), count);
        assert!(!text.contains(KEY));
    }
    let file: Value = serde_json::from_str(&texts[3]).unwrap();
    assert_eq!(file["exchanges"][1]["request"]["messages"][1]["content"][0]["text"], "my key is [redacted]");
    assert_eq!(file["exchanges"][0]["request"]["settings"]["temperature"], 0);
    assert_eq!(file["exchanges"][2]["error"]["kind"], "authentication");
}

#[tokio::test]
async fn a_recording_answers_as_the_run_did() {
    let (texts, redactor) = record().await;
    let replay = Replay::parse(texts.last().unwrap(), redactor).unwrap();
    let model: Rc<dyn LanguageModel> = replay.model("lab:tide");
    assert_eq!(replay.left(), 3);
    // Concurrent agents may send requests in another order.
    let failed = ask(model.as_ref(), request("third")).await.error.unwrap();
    assert_eq!((failed.message.as_str(), failed.status), ("go away", Some(401)));
    assert_eq!(failed.kind, ProviderErrorKind::Authentication);
    let answer = ask(model.as_ref(), request("first")).await;
    assert_eq!((answer.text.as_str(), answer.calls.len(), answer.error), (TEXT, 2, None));
    assert!(answer.finish.is_some());
    assert_eq!(ask(model.as_ref(), request(&format!("my key is {KEY}"))).await.text, TEXT);
    assert_eq!((replay.left(), replay.unused()), (0, None));
    let error = ask(model.as_ref(), request("first")).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Replay);
    assert_eq!(error.message, "The recording holds 3 exchanges and the run asks for one more.");
}

#[tokio::test]
async fn a_request_that_differs_fails_and_shows_the_difference() {
    let (texts, redactor) = record().await;
    let replay = Replay::parse(texts.last().unwrap(), redactor).unwrap();
    let model = replay.model("lab:tide");
    let error = ask(model.as_ref(), request("another")).await.error.unwrap();
    assert_eq!(error.kind, ProviderErrorKind::Replay);
    assert_eq!(
        error.message,
        "The request differs from exchange 1 of 3 in the recording (lab:tide).\n  at messages[1].content[0].text\n  --- \
         recorded\n  +++ asked now\n  -first\n  +another"
    );
    let mut longer = request("third");
    longer.messages.push(Rc::new(Message::text(Role::User, "and more")));
    let error = ask(model.as_ref(), longer).await.error.unwrap();
    assert!(error.message.contains("exchange 3 of 3") && error.message.contains("at messages[2]\n"), "{error}");
    assert_eq!(ask(model.as_ref(), request("first")).await.text, TEXT, "a failure uses nothing up");
    assert_eq!(
        replay.unused().unwrap(),
        "2 of 3 exchanges of the recording were never asked for: 2 (lab:tide), 3 (lab:tide)"
    );
}

#[tokio::test]
async fn another_model_is_a_difference() {
    let (texts, redactor) = record().await;
    let replay = Replay::parse(texts.last().unwrap(), redactor).unwrap();
    let error = ask(replay.model("lab:ebb").as_ref(), request("first")).await.error.unwrap();
    assert_eq!(
        error.message,
        "The model differs from exchange 1 of 3 in the recording: recorded lab:tide, asked now lab:ebb."
    );
    let error = ask(replay.model("lab:ebb").as_ref(), request("another")).await.error.unwrap();
    assert!(error.message.contains("(lab:tide; now lab:ebb is asked)"), "{error}");
    // The target of an alias is unknown where the alias is not set.
    assert_eq!(ask(replay.model("fast").as_ref(), request("first")).await.text, TEXT);
}

#[tokio::test]
async fn keys_do_not_matter_to_a_replay() {
    let (texts, _) = record().await;
    let keys = [None, Some(KEY), Some("sk-quite-another-key-77"), Some("first"), Some("Be")];
    for key in keys {
        let redactor = key.map_or_else(Redactor::default, |key| {
            Redactor::of_variables(&BTreeMap::from([("LAB_API_KEY".to_owned(), key.to_owned())]))
        });
        let replay = Replay::parse(texts.last().unwrap(), redactor).unwrap();
        let model = replay.model("lab:tide");
        assert_eq!(ask(model.as_ref(), request("first")).await.text, TEXT, "{key:?}");
        assert_eq!(ask(model.as_ref(), request(&format!("my key is {KEY}"))).await.text, TEXT, "{key:?}");
    }
}

#[tokio::test]
async fn every_setting_is_part_of_a_request() {
    type Change = fn(&mut CallSettings);
    let base = json!({ "messages": [], "tools": [], "settings": {} });
    let settings = |change: Change| {
        let mut settings = CallSettings::default();
        change(&mut settings);
        ModelRequest { settings, ..ModelRequest::default() }
    };
    let changes: [(&str, Change); 4] = [
        ("settings.reasoning", |settings| settings.reasoning = Some(Reasoning::High)),
        ("settings.cache", |settings| settings.cache = Some(CacheOption::Off)),
        ("settings.responseFormat", |settings| {
            settings.response_format = Some(ResponseFormat { name: "answer".into(), schema: json!({}) });
        }),
        ("settings.seed", |settings| settings.seed = Some(7)),
    ];
    for (place, change) in changes {
        let error = ask(recorded(base.clone()).model("lab:tide").as_ref(), settings(change)).await.error.unwrap();
        assert!(error.message.contains(&format!("at {place}\n")), "{error}");
    }
    let headers = settings(|settings| {
        settings.headers.insert("x-own".into(), "mine".into());
    });
    assert_eq!(ask(recorded(base).model("lab:tide").as_ref(), headers).await.error, None);
}

#[tokio::test]
async fn an_answer_left_early_is_recorded_as_far_as_it_was_read() {
    let server = Server::start(vec![Canned::sse(CHAT)]).await;
    let (recording, folder) = begin(Redactor::default());
    let model = recording.wrap(resolve("lab:tide", &ProviderContext::new(Rc::new(env(&server)))).unwrap());
    let mut parts = model.stream(request("first")).await.unwrap();
    while !matches!(parts.next().await, Some(Ok(StreamPart::TextDelta { .. }))) {}
    drop(parts);
    let replay = Replay::parse(&read(&folder, "run.json.partial"), Redactor::default()).unwrap();
    let answer = ask(replay.model("lab:tide").as_ref(), request("first")).await;
    assert_eq!((answer.text.as_str(), answer.finish, answer.error), ("Låg vatten… ", None, None));
}

#[tokio::test]
async fn a_failed_run_leaves_the_old_recording_as_it_was() {
    let server = Server::start(vec![Canned::sse(CHAT), Canned::sse(CHAT)]).await;
    let context = ProviderContext::new(Rc::new(env(&server)));
    let (recording, folder) = begin(Redactor::default());
    assert_eq!(recording.finish(false).unwrap(), RecordingOutcome::Empty);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    let path = folder.path().join("run.json");
    let recording = Recording::create(&path, Redactor::default()).unwrap();
    ask(recording.wrap(resolve("lab:tide", &context).unwrap()).as_ref(), request("first")).await;
    assert!(!path.exists());
    assert_eq!(recording.finish(false).unwrap(), RecordingOutcome::Incomplete, "there was nothing to protect");
    let old = read(&folder, "run.json");

    let recording = Recording::create(&path, Redactor::default()).unwrap();
    ask(recording.wrap(resolve("lab:tide", &context).unwrap()).as_ref(), request("second")).await;
    assert_eq!(recording.finish(false).unwrap(), RecordingOutcome::Partial(path.with_file_name("run.json.partial")));
    assert_eq!(read(&folder, "run.json"), old);
    assert!(read(&folder, "run.json.partial").contains("second"));
    assert_eq!(recording.finish(true).unwrap(), RecordingOutcome::Saved);
    assert!(read(&folder, "run.json").contains("second"));
}

#[cfg(unix)]
#[test]
fn a_partial_recording_is_private() {
    use std::{
        fs::{File, Permissions, metadata, set_permissions},
        os::unix::fs::PermissionsExt,
    };
    let (recording, folder) = begin(Redactor::default());
    let path = |name: &str| folder.path().join(name);
    let mode = |name: &str| metadata(path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("run.json.partial"), 0o600);
    recording.finish(true).unwrap();
    File::create(path("usual")).unwrap();
    assert_eq!(mode("run.json"), mode("usual"));

    set_permissions(path("run.json"), Permissions::from_mode(0o640)).unwrap();
    File::create(path("run.json.partial")).unwrap();
    let recording = Recording::create(&path("run.json"), Redactor::default()).unwrap();
    assert_eq!(mode("run.json.partial"), 0o600, "also where a file was left");
    recording.finish(true).unwrap();
    assert_eq!(mode("run.json"), 0o640);
}

#[test]
fn invalid_recordings_are_refused_with_the_reason() {
    for (text, reason) in [
        ("", "it is empty"),
        ("{", "it is not JSON: EOF"),
        ("{}", "it is JSON, but not what --record writes"),
        ("[1]", "it is JSON, but not what --record writes"),
        (r#"{"version":2,"exchanges":[]}"#, "it has version 2; this lmthing reads version 1"),
        (r#"{"version":2,"steps":[]}"#, "it has version 2"),
        (r#"{"version":1,"exchanges":[{"provider":"lab"}]}"#, "it is not as --record writes it: missing field `model`"),
    ] {
        let what = Replay::parse(text, Redactor::default()).err().unwrap().to_string();
        assert!(what.starts_with(reason), "{text}: {what}");
    }
}
