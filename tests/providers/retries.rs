//! Which failures are retried, how often, after which wait, and the events about it.

use std::time::{Duration, Instant};

use lmthing_base::chat::{CallSettings, ModelRequest, StreamPart, Timeouts};
use lmthing_providers::{ProviderErrorKind, ProviderEvent};
use serde_json::json;

use crate::{
    setup::{ANTHROPIC, CHAT, TEXT, error_of, refusal, setup},
    steps::ask,
    support::canned::{Canned, Fault},
};

#[tokio::test]
async fn failed_attempts_are_repeated_with_growing_waits() {
    let setup = setup(vec![refusal(500, "down"), refusal(409, "busy"), Canned::sse(CHAT)]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    let waits = setup.waits();
    assert_eq!(waits.len(), 2);
    assert!(waits[0] >= Duration::from_millis(20) && waits[0] <= Duration::from_millis(21), "{waits:?}");
    assert!(waits[1] >= Duration::from_millis(40) && waits[1] <= Duration::from_millis(42), "{waits:?}");
    let line = setup.events.borrow()[0].to_string();
    assert_eq!(line, "lab:tide failed (attempt 1 of 3): down; trying again in 20 ms");
}

#[tokio::test]
async fn the_last_error_has_the_number_of_attempts() {
    let setup = setup(vec![refusal(503, "one"), refusal(503, "two"), refusal(503, "three")]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!(error_of(&answer), (ProviderErrorKind::Server, "Failed after 3 attempts. Last error: three".to_owned()));
    assert_eq!(answer.error.unwrap().status, Some(503));
    assert_eq!(setup.server.requests().len(), 3);
}

#[tokio::test]
async fn a_later_failure_without_retry_is_reported_as_such() {
    let setup = setup(vec![refusal(500, "one"), refusal(400, "two")]).await;
    let (kind, message) = error_of(&setup.ask("lab:tide").await);
    assert_eq!(kind, ProviderErrorKind::BadRequest);
    assert_eq!(message, "Failed after 2 attempts with non-retryable error: 'two'");
}

#[tokio::test]
async fn without_retries_the_error_is_plain() {
    let setup = setup(vec![refusal(500, "once")]).await;
    let settings = CallSettings { max_retries: Some(0), ..CallSettings::default() };
    assert_eq!(error_of(&setup.ask_with("lab:tide", settings).await).1, "once");
    assert_eq!(setup.server.requests().len(), 1);
}

#[tokio::test]
async fn the_providers_wish_replaces_the_wait() {
    let busy = || refusal(429, "slow down").header("retry-after-ms", "5").header("retry-after", "50");
    let setup = setup(vec![busy(), busy(), busy()]).await;
    let (kind, _) = error_of(&setup.ask("lab:tide").await);
    assert_eq!(setup.waits(), [Duration::from_millis(5), Duration::from_millis(5)]);
    assert_eq!(kind, ProviderErrorKind::RateLimit { retry_after: Some(Duration::from_millis(5)) });
}

#[tokio::test]
async fn a_connection_lost_before_the_head_is_tried_again() {
    let setup = setup(vec![Canned::sse("").fault(Fault::NoHead), Canned::sse(CHAT)]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
}

#[tokio::test]
async fn anthropic_may_fail_with_its_first_event() {
    let overloaded = || anthropic_error("overloaded_error", "Overloaded");
    let first = setup(vec![overloaded(), Canned::sse(ANTHROPIC)]).await;
    assert_eq!(first.ask("anthropic:claude-tide").await.text, TEXT);
    assert_eq!(first.waits().len(), 1);

    let always = setup(vec![overloaded(), overloaded(), overloaded()]).await;
    let error = always.ask("anthropic:claude-tide").await.error.unwrap();
    assert_eq!(error.message, "Failed after 3 attempts. Last error: Overloaded");
    assert_eq!(error.status, Some(529));

    let broken = setup(vec![anthropic_error("api_error", "Internal"), Canned::sse(ANTHROPIC)]).await;
    assert_eq!(broken.ask("anthropic:claude-tide").await.text, TEXT);

    let wrong = setup(vec![anthropic_error("invalid_request_error", "No such tool")]).await;
    assert_eq!(error_of(&wrong.ask("anthropic:claude-tide").await).1, "No such tool");
    assert_eq!(wrong.server.requests().len(), 1);
}

fn anthropic_error(kind: &str, message: &str) -> Canned {
    let event = json!({ "type": "error", "error": { "type": kind, "message": message } });
    Canned::sse(format!("event: error\ndata: {event}\n\n"))
}

fn with_timeouts(timeouts: Timeouts) -> CallSettings {
    CallSettings { timeouts, ..CallSettings::default() }
}

#[tokio::test]
async fn an_overload_after_the_message_began_is_tried_again() {
    let start = json!({ "type": "message_start", "message": { "id": "m", "usage": { "input_tokens": 3 } } });
    let block = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
    let error = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let late = || Canned::events(&[start.clone(), json!({ "type": "ping" }), block.clone(), error.clone()]);
    let setup = setup(vec![late(), late(), Canned::sse(ANTHROPIC)]).await;
    let answer = setup.ask("anthropic:claude-tide").await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    let starts = answer.parts.iter().filter(|part| matches!(part, StreamPart::TextStart { .. })).count();
    assert_eq!(starts, 1, "nothing of the failed answers is left");
    assert_eq!(setup.waits().len(), 2);
}

#[tokio::test]
async fn an_error_that_is_the_first_event_is_tried_again_with_every_provider() {
    let error = json!({ "message": "Try later", "type": "server_error", "code": 503 });
    let plain = json!({ "error": error });
    let cases = [
        ("openai", json!({ "type": "error", "error": error })),
        ("openai", json!({ "type": "response.failed", "response": { "error": error } })),
        ("openai.chat", plain.clone()),
        ("groq", plain.clone()),
        ("mistral", plain.clone()),
        ("openai-compatible", json!({ "error": "no words but these" })),
        ("google", json!({ "error": { "code": 503, "message": "Try later", "status": "UNAVAILABLE" } })),
        ("cohere", json!({ "type": "message-end", "delta": { "error": "Try later" } })),
    ];
    for (provider, event) in cases {
        let failing = Canned::events(&[event]);
        let setup = setup(vec![failing.clone(), failing.clone(), failing]).await;
        let answer = ask(setup.made(provider).as_ref(), ModelRequest::default()).await;
        let (_, message) = error_of(&answer);
        assert!(message.starts_with("Failed after 3 attempts. Last error: "), "{provider}: {message}");
        assert_eq!(setup.server.requests().len(), 3, "{provider}");
    }
}

#[tokio::test]
async fn an_error_in_place_of_a_stream_is_tried_again_when_it_may_pass() {
    let busy = Canned::new(200, "application/json", r#"{"error":{"message":"upstream","code":502}}"#);
    // Neither an error nor an answer is hidden by a wrong content type.
    let hidden = Canned::sse(r#"{"error":{"message":"upstream","code":502}}"#).pieces(1);
    let setup = setup(vec![busy, hidden, Canned::new(200, "text/plain", CHAT).pieces(1)]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
}

#[tokio::test]
async fn permanent_failures_are_not_retried() {
    for (error, kind) in [
        (json!({ "message": "who?", "code": "invalid_api_key" }), ProviderErrorKind::Authentication),
        (json!({ "message": "no", "type": "invalid_request_error" }), ProviderErrorKind::BadRequest),
        (json!({ "message": "no", "code": "content_filter" }), ProviderErrorKind::ContentFilter),
        (json!({ "message": "no", "type": "insufficient_quota" }), ProviderErrorKind::Billing),
    ] {
        let setup = setup(vec![Canned::events(&[json!({ "error": error })])]).await;
        let answer = setup.ask("lab:tide").await;
        assert_eq!(error_of(&answer), (kind, error["message"].as_str().unwrap().to_owned()));
        assert_eq!(setup.server.requests().len(), 1, "{error}");
    }
}

#[tokio::test]
async fn an_unpaid_account_is_reported_without_retry() {
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    for (status, error) in [
        (429, json!({ "message": quota, "type": "insufficient_quota", "code": "insufficient_quota" })),
        (429, json!({ "message": quota })),
        (402, json!({ "message": "Insufficient Balance" })),
        (
            400,
            json!({ "message": "Your credit balance is too low to access the API.", "type": "invalid_request_error" }),
        ),
    ] {
        let body = json!({ "error": error }).to_string();
        let setup = setup(vec![Canned::new(status, "application/json", body).header("retry-after", "1")]).await;
        let answer = setup.ask("lab:tide").await;
        assert_eq!(error_of(&answer).0, ProviderErrorKind::Billing, "{error}");
        let hint = answer.error.unwrap().hint.unwrap();
        assert!(hint.contains("billing page") && hint.contains("LAB_API_KEY"), "{hint}");
        assert_eq!(setup.server.requests().len(), 1, "{error}");
    }
}

#[tokio::test]
async fn an_answer_lost_before_anything_visible_is_tried_again() {
    let description =
        json!({ "id": "x", "model": "m", "choices": [{ "delta": { "role": "assistant", "content": "" } }] });
    let short = Canned::events(&[description]);
    let cut = short.clone().fault(Fault::CutAfter(usize::MAX));
    let setup = setup(vec![cut, short, Canned::sse(CHAT)]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    assert_eq!(answer.metadata.iter().filter_map(|described| described.id.as_deref()).collect::<Vec<_>>(), ["c1"]);
}

#[tokio::test]
async fn an_empty_answer_is_one_clear_error() {
    let bare = |status: u16| {
        let mut canned = Canned::new(status, "", "");
        canned.headers.clear();
        canned
    };
    for empty in [
        bare(204),
        bare(200),
        Canned::new(200, "application/json", " \n"),
        Canned::new(200, "text/html", ""),
        Canned::sse(""),
        Canned::sse(": ping\n\n: ping\n\n").pieces(1),
        Canned::sse("\n\n"),
        Canned::sse(": ping\n\ndata: [DONE]\n\n"),
    ] {
        let setup = setup(vec![empty.clone(), empty.clone(), empty.clone()]).await;
        let answer = setup.ask("lab:tide").await;
        let (kind, message) = error_of(&answer);
        assert_eq!(kind, ProviderErrorKind::Protocol, "{empty:?}");
        assert_eq!(message, "Failed after 3 attempts. Last error: The server sent an empty answer.", "{empty:?}");
        let error = answer.error.unwrap();
        assert_eq!((error.provider.as_str(), error.status), ("lab", Some(empty.status)));
        assert!(error.hint.unwrap().contains("base URL"));
    }
}

#[tokio::test]
async fn an_empty_answer_is_an_error_with_every_framing() {
    for provider in ["openai", "anthropic", "google", "mistral", "cohere", "bedrock", "groq"] {
        let empty = || Canned::new(200, "application/x-none", "");
        let setup = setup(vec![empty(), empty(), empty()]).await;
        let answer = ask(setup.made(provider).as_ref(), ModelRequest::default()).await;
        assert!(error_of(&answer).1.ends_with("The server sent an empty answer."), "{provider}: {:?}", answer.error);
    }
}

#[tokio::test]
async fn plain_text_in_place_of_a_stream_is_shown() {
    let setup = setup(vec![Canned::new(200, "text/plain", "upstream says hello").pieces(1)]).await;
    let (_, message) = error_of(&setup.ask("lab:tide").await);
    assert_eq!(message, "The server sent text/plain in place of an event stream: upstream says hello");
}

#[tokio::test]
async fn silence_before_anything_visible_is_tried_again() {
    let short = Some(Duration::from_millis(60));
    let slow_head = Canned { head_delay: Duration::from_secs(3600), ..Canned::sse(CHAT) };
    let head_only = Canned::new(200, "application/octet-stream", "").fault(Fault::StallAfter(0));
    let begun = Canned::sse(": thinking\n\n").fault(Fault::StallAfter(usize::MAX));
    for (canned, timeouts, word) in [
        (slow_head, Timeouts { first_byte: short, ..Timeouts::default() }, "firstByte"),
        (head_only, Timeouts { idle: short, ..Timeouts::default() }, "idle"),
        (begun, Timeouts { idle: short, ..Timeouts::default() }, "idle"),
    ] {
        let setup = setup(vec![canned.clone(), canned.clone(), canned]).await;
        let (kind, message) = error_of(&setup.ask_with("lab:tide", with_timeouts(timeouts)).await);
        assert_eq!(kind, ProviderErrorKind::Timeout);
        assert!(message.starts_with("Failed after 3 attempts. ") && message.contains(word), "{message}");
        assert_eq!(setup.waits().len(), 2, "{word}");
    }
}

#[tokio::test]
async fn comments_keep_an_answer_alive() {
    // Far more than the limit in total, with each gap far below it.
    let body = [": ping\n\n".repeat(150).as_bytes(), CHAT].concat();
    let patient = Canned { delay: Duration::from_millis(10), ..Canned::sse(body).pieces(8) };
    let setup = setup(vec![patient]).await;
    let timeouts = Timeouts { idle: Some(Duration::from_millis(1_500)), ..Timeouts::default() };
    let begun = Instant::now();
    let answer = setup.ask_with("lab:tide", with_timeouts(timeouts)).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    assert!(begun.elapsed() > Duration::from_millis(1_500));
}

#[tokio::test]
async fn a_retry_after_of_hours_ends_the_call_and_shows_when() {
    let setup = setup(vec![refusal(429, "Slow down.").header("retry-after", "4300")]).await;
    let answer = setup.ask("lab:tide").await;
    let (kind, message) = error_of(&answer);
    assert_eq!(kind, ProviderErrorKind::RateLimit { retry_after: Some(Duration::from_secs(4300)) });
    let start = "Slow down. The provider asks to come back in 1 h 12 min, at ";
    assert!(message.starts_with(start) && message.ends_with(" UTC."), "{message}");
    assert!(answer.error.unwrap().hint.unwrap().contains("up to 5 min"));
    assert_eq!((setup.server.requests().len(), setup.waits().len()), (1, 0));
}

#[tokio::test]
async fn a_retry_after_of_minutes_is_honoured_exactly() {
    let setup = setup(vec![refusal(503, "busy").header("retry-after", "290")]).await;
    let call = setup.ask("lab:tide");
    // The wait is announced when it begins; the test need not wait for its end.
    let announced = async {
        while setup.waits().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    futures_util::pin_mut!(call, announced);
    futures_util::future::select(call, announced).await;
    assert_eq!(setup.waits(), [Duration::from_secs(290)]);
    let line = setup.events.borrow()[0].to_string();
    assert_eq!(line, "lab:tide failed (attempt 1 of 3): busy; trying again in 4 min 50 s");
}

#[tokio::test]
async fn the_limit_on_the_whole_covers_the_waits() {
    let total = |milliseconds| Timeouts { total: Some(Duration::from_millis(milliseconds)), ..Timeouts::default() };
    // A wait that would exceed the limit is not started.
    let far = setup(vec![refusal(429, "slow down").header("retry-after", "30")]).await;
    let begun = Instant::now();
    let (kind, message) = error_of(&far.ask_with("lab:tide", with_timeouts(total(20_000))).await);
    assert_eq!(kind, ProviderErrorKind::Timeout);
    let expected = "The provider did not answer, waits between attempts included, within 20 s (options.timeout.total). \
                    Last error: slow down";
    assert_eq!(message, expected);
    assert!(begun.elapsed() < Duration::from_secs(15) && far.waits().is_empty());

    let slow = Canned { head_delay: Duration::from_secs(3600), ..Canned::sse(CHAT) };
    let passed = setup(vec![refusal(500, "down"), slow]).await;
    let (_, message) = error_of(&passed.ask_with("lab:tide", with_timeouts(total(3_000))).await);
    assert!(message.contains("waits between attempts included, within 3 s") && message.ends_with("down"), "{message}");
}

#[tokio::test]
async fn the_next_model_is_used_after_attempts_without_visible_output() {
    let error = || Canned::events(&[json!({ "id": "x", "choices": [] }), json!({ "error": { "message": "hiccup" } })]);
    let setup = setup(vec![error(), error(), error(), Canned::sse(ANTHROPIC)]).await;
    let model = setup.fallback(&["lab:tide", "anthropic:claude-tide"]);
    let answer = ask(model.as_ref(), ModelRequest::default()).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    let kinds: Vec<bool> =
        setup.events.borrow().iter().map(|event| matches!(event, ProviderEvent::Fallback { .. })).collect();
    assert_eq!(kinds, [false, false, true]);
}

#[tokio::test]
async fn text_after_a_permanent_failure_is_still_shown() {
    let text = json!({ "choices": [{ "delta": { "content": "still here" }, "finish_reason": "stop" }] });
    let setup = setup(vec![Canned::events(&[json!({ "error": { "message": "odd", "code": 400 } }), text])]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), error_of(&answer).1.as_str()), ("still here", "odd"));
}
