//! Timing of streams: servers that announce the end too early, or continue after a failure.

use std::time::{Duration, Instant};

use lmthing_base::chat::{CallSettings, Message, ModelRequest, Role};
use lmthing_providers::{LanguageModel, ProviderEvent};
use serde_json::{Value, json};

use crate::{
    setup::{refusal, setup},
    steps::{Answer, ask},
    support::canned::{Canned, Fault},
};

/// These texts, padded with white space to the same length, one per `delay`.
fn slowly(pieces: &[String], delay: Duration) -> Canned {
    let longest = pieces.iter().map(String::len).max().unwrap();
    let body: String = pieces.iter().map(|piece| format!("{}{piece}", "\n".repeat(longest - piece.len()))).collect();
    Canned { delay, ..Canned::sse(body).pieces(longest) }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn candidate(text: &str) -> String {
    event(&json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": "STOP" }] }))
}

fn choice(delta: &Value) -> String {
    event(&json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] }))
}

async fn printed(model: &dyn LanguageModel) -> Answer {
    let messages = vec![std::rc::Rc::new(Message::text(Role::User, "How high is the water?"))];
    ask(
        model,
        ModelRequest { messages, tools: Vec::new(), settings: CallSettings::default(), ..ModelRequest::default() },
    )
    .await
}

#[tokio::test]
async fn a_reason_in_every_chunk_of_gemini_ends_nothing() {
    let chunks: Vec<String> = (0..5).map(|n| candidate(&n.to_string())).collect();
    let setup = setup(vec![slowly(&chunks, Duration::from_millis(800))]).await;
    let answer = printed(setup.made("google").as_ref()).await;
    assert_eq!((answer.text.as_str(), answer.error), ("01234", None));
}

#[tokio::test]
async fn a_finish_reason_with_only_a_role_does_not_end_the_stream() {
    let chunks = [choice(&json!({ "role": "assistant", "content": "" })), choice(&json!({ "content": "late" }))];
    let setup = setup(vec![slowly(&chunks, Duration::from_millis(2_500))]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error), ("late", None));
}

#[tokio::test]
async fn a_connection_that_stays_open_after_the_end_is_left() {
    let candidate = |part: Value| event(&json!({ "candidates": [part] }));
    let body = candidate(json!({ "content": { "parts": [{ "text": "a" }] } }))
        + &candidate(json!({ "content": { "parts": [{ "text": "b" }] }, "finishReason": "STOP" }));
    let setup = setup(vec![Canned::sse(body).fault(Fault::StallAfter(1 << 20))]).await;
    let begun = Instant::now();
    let answer = printed(setup.made("google").as_ref()).await;
    assert_eq!((answer.text.as_str(), answer.error), ("ab", None));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn comments_do_not_prolong_an_answer_that_has_failed() {
    let mut pieces = vec![
        event(&json!({ "choices": [{ "delta": { "content": "so far" } }] })),
        event(&json!({ "error": { "message": "Broke", "code": 500 } })),
    ];
    pieces.extend((0..100).map(|_| ": alive\n\n".to_owned()));
    let setup = setup(vec![slowly(&pieces, Duration::from_millis(200))]).await;
    let begun = Instant::now();
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error.map(|error| error.message)), ("so far", Some("Broke".to_owned())));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_wish_wins_over_announced_limits() {
    let busy = refusal(429, "Slow down").header("x-ratelimit-remaining-requests", "0");
    let wishes = busy.clone().header("x-ratelimit-reset-requests", "40s").header("retry-after-ms", "5");
    let announces = busy.header("x-ratelimit-reset-requests", "30ms");
    let end = || Canned::sse(choice(&json!({ "content": "done" })));
    let begun = Instant::now();
    let setup = setup(vec![wishes, announces, end()]).await;
    assert_eq!(setup.ask("lab:tide").await.text, "done");
    assert_eq!(setup.waits(), [Duration::from_millis(5), Duration::from_millis(30)]);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_long_pause_before_a_request_is_reported() {
    let end = |reset: &str| {
        let answer = Canned::sse(choice(&json!({ "content": "done" })));
        answer.header("x-ratelimit-remaining-requests", "0").header("x-ratelimit-reset-requests", reset)
    };
    let setup = setup(vec![end("6s"), end("6s")]).await;
    setup.ask("lab:tide").await;
    assert!(setup.events.borrow().is_empty(), "no request waits yet");
    assert_eq!(setup.ask("lab:tide").await.text, "done");
    let events = setup.events.borrow();
    assert!(
        matches!(&events[..], [ProviderEvent::Throttled { reason, .. }] if reason == "nothing is left of its limit for now"),
        "{events:?}"
    );
}
