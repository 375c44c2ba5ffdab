//! Recording a run and playing it again without a network.

#![allow(clippy::unwrap_used)]

mod provider_support;

use std::{collections::BTreeMap, rc::Rc};

use futures_util::StreamExt;
use lmthing::{
    chat::{CallSettings, Message, ModelRequest, Role, StreamPart},
    provider::{LanguageModel, ProviderContext, ProviderErrorKind, Recording, Redactor, Replay, resolve},
};
use provider_support::{
    server::{Canned, Server},
    steps::ask,
};
use serde_json::Value;

const CHAT: &[u8] = include_bytes!("fixtures/providers/compatible.sse");
const TEXT: &str = "Låg vatten… \"soon\"\\now";
const KEY: &str = "sk-recorded-secret";

fn request(question: &str) -> ModelRequest {
    let messages = vec![Rc::new(Message::system("Be brief.")), Rc::new(Message::text(Role::User, question))];
    let settings = CallSettings { temperature: Some(0.0), max_retries: Some(0), ..CallSettings::default() };
    ModelRequest { messages, tools: Vec::new(), settings }
}

/// Records three exchanges, of which the last one fails, and returns the file's text after each.
async fn record() -> (Vec<String>, Redactor) {
    let refusal = Canned::new(401, "application/json", r#"{"error":{"message":"go away"}}"#);
    let server = Server::start(vec![Canned::sse(CHAT), Canned::sse(CHAT), refusal]).await;
    let env: BTreeMap<String, String> =
        [("LAB_API_KEY", KEY.to_owned()), ("LAB_API_TYPE", "openai".into()), ("LAB_API_BASE", server.url(""))]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
    let redactor = Redactor::from_env(&env);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let recording = Recording::create(&path, redactor.clone()).unwrap();
    let mut texts = vec![std::fs::read_to_string(&path).unwrap()];
    let model = recording.wrap(resolve("lab:tide", &ProviderContext::new(Rc::new(env))).unwrap());
    assert_eq!((model.provider(), model.model_id()), ("lab", "tide"));
    for question in ["first", &format!("my key is {KEY}"), "third"] {
        ask(model.as_ref(), request(question)).await;
        texts.push(std::fs::read_to_string(&path).unwrap());
    }
    (texts, redactor)
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
    // Concurrent agents may ask in another order.
    let failed = ask(model.as_ref(), request("third")).await.error.unwrap();
    assert_eq!((failed.message.as_str(), failed.status), ("go away", Some(401)));
    assert_eq!(failed.kind, ProviderErrorKind::Authentication);
    let answer = ask(model.as_ref(), request("first")).await;
    assert_eq!((answer.text.as_str(), answer.calls.len(), answer.error), (TEXT, 2, None));
    assert!(answer.finish.is_some());
    assert_eq!(ask(model.as_ref(), request(&format!("my key is {KEY}"))).await.text, TEXT);
    assert_eq!(replay.left(), 0);
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
        "The request differs from exchange 1 of 3 in the recording (lab:tide).\n  at messages[1].content[0].text\n  \
         recorded: \"first\"\n  now:      \"another\""
    );
    let mut longer = request("first");
    longer.messages.push(Rc::new(Message::text(Role::User, "and more")));
    let error = ask(model.as_ref(), longer).await.error.unwrap();
    assert!(error.message.contains("at messages[2]\n  recorded: nothing"), "{error}");
    assert_eq!(ask(model.as_ref(), request("first")).await.text, TEXT, "a failure uses nothing up");
}

#[tokio::test]
async fn an_answer_left_early_is_recorded_as_far_as_it_was_read() {
    let server = Server::start(vec![Canned::sse(CHAT)]).await;
    let env: BTreeMap<String, String> =
        [("LAB_API_KEY", KEY.to_owned()), ("LAB_API_TYPE", "openai".into()), ("LAB_API_BASE", server.url(""))]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let recording = Recording::create(&path, Redactor::default()).unwrap();
    let model = recording.wrap(resolve("lab:tide", &ProviderContext::new(Rc::new(env))).unwrap());
    let mut parts = model.stream(request("first")).await.unwrap();
    while !matches!(parts.next().await, Some(Ok(StreamPart::TextDelta { .. }))) {}
    drop(parts);
    let replay = Replay::parse(&std::fs::read_to_string(&path).unwrap(), Redactor::default()).unwrap();
    let answer = ask(replay.model("lab:tide").as_ref(), request("first")).await;
    assert_eq!((answer.text.as_str(), answer.finish, answer.error), ("Låg vatten… ", None, None));
}

#[test]
fn what_is_no_recording_is_refused() {
    assert!(Replay::parse("{}", Redactor::default()).is_err());
    assert!(Replay::parse(r#"{"version":2,"exchanges":[]}"#, Redactor::default()).is_err());
}
