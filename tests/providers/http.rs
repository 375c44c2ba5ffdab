//! Models over HTTP, against a local server: faults, errors, time limits, redaction. Retries are in `retries.rs`.

use std::time::{Duration, Instant};

use lmthing_base::chat::{CallSettings, ModelRequest, Timeouts};
use lmthing_providers::{FallbackModel, ProviderErrorKind, ProviderEvent, ProviderSettings, create};
use serde_json::{Value, json};

use crate::{
    setup::{ANTHROPIC, CHAT, KEY, TEXT, error_of, refusal, setup},
    steps::ask,
    support::canned::{Canned, Fault},
};

#[tokio::test]
async fn an_answer_is_the_same_in_pieces_of_any_size() {
    for piece in [1, 2, 3, 7, 64, 1024] {
        let setup = setup(vec![Canned::sse(CHAT).pieces(piece)]).await;
        let answer = setup.ask("lab:tide").await;
        assert_eq!((answer.text.as_str(), answer.error), (TEXT, None), "pieces of {piece}");
    }
}

#[tokio::test]
async fn request_and_response_are_described() {
    let setup = setup(vec![Canned::sse(CHAT).header("x-request-id", "req-7").header("set-cookie", "a=b")]).await;
    let settings = CallSettings {
        headers: [("X-Own".to_owned(), "mine".to_owned())].into(),
        temperature: Some(1.0),
        ..CallSettings::default()
    };
    let answer = setup.ask_with("lab:tide", settings).await;
    let requests = &setup.server.requests()[0];
    assert_eq!(requests.path, "/lab/v1/chat/completions");
    assert_eq!(requests.header("authorization"), Some("Bearer sk-test-0123456789"));
    assert_eq!(requests.header("x-own"), Some("mine"));
    assert_eq!(requests.json()["temperature"].to_string(), "1");
    let described = &answer.metadata[0];
    assert_eq!((described.id.as_deref(), described.model_id.as_deref()), (Some("c1"), Some("tide-chat")));
    let headers = described.headers.as_ref().unwrap();
    assert_eq!(headers.get("x-request-id").map(String::as_str), Some("req-7"));
    assert!(!headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn statuses_have_kinds_and_the_providers_messages() {
    let cases = [
        (400, r#"{"error":{"message":"bad","code":"x"}}"#, ProviderErrorKind::BadRequest, "bad"),
        (401, r#"{"error":{"message":"who?"}}"#, ProviderErrorKind::Authentication, "who?"),
        (403, r#"{"error":{"message":"no"}}"#, ProviderErrorKind::Authentication, "no"),
        (404, "", ProviderErrorKind::BadRequest, "Not Found"),
        (422, r#"{"detail":"other shape"}"#, ProviderErrorKind::BadRequest, "other shape"),
        (
            413,
            "<html>too large</html>",
            ProviderErrorKind::ContextLength,
            "Payload Too Large (a web page titled \"too large\")",
        ),
        (
            400,
            r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
            ProviderErrorKind::ContextLength,
            "too long",
        ),
        (
            400,
            r#"{"error":{"message":"filtered","code":"content_filter"}}"#,
            ProviderErrorKind::ContentFilter,
            "filtered",
        ),
        (302, "", ProviderErrorKind::BadRequest, "Found"),
    ];
    for (status, body, kind, message) in cases {
        let setup = setup(vec![Canned::new(status, "application/json", body).header("location", "/login")]).await;
        let answer = setup.ask("lab:tide").await;
        assert_eq!(error_of(&answer), (kind, message.to_owned()), "{status} {body}");
        let error = answer.error.unwrap();
        assert_eq!((error.provider.as_str(), error.model.as_str(), error.status), ("lab", "tide", Some(status)));
    }
}

#[tokio::test]
async fn the_servers_own_status_text_is_used() {
    let setup = setup(vec![Canned::new(529, "text/plain", "").status_text("Site Overloaded")]).await;
    let settings = CallSettings { max_retries: Some(0), ..CallSettings::default() };
    assert_eq!(error_of(&setup.ask_with("lab:tide", settings).await).1, "Site Overloaded");
}

#[tokio::test]
async fn pieces_of_calls_may_lack_their_index() {
    let piece = |call: Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }));
    let body = [
        piece(json!({ "id": "a", "function": { "name": "tide", "arguments": "{\"port\":" } })),
        piece(json!({ "function": { "arguments": "\"Oban\"}" } })),
        piece(json!({ "function": { "name": "now" } })),
        "data: [DONE]\n\n".to_owned(),
    ];
    let setup = setup(vec![Canned::sse(body.concat())]).await;
    let calls = setup.ask("lab:tide").await.calls;
    assert_eq!(calls[0], ("a".to_owned(), "tide".to_owned(), r#"{"port":"Oban"}"#.to_owned()));
    assert_eq!((calls[1].1.as_str(), calls[1].2.as_str()), ("now", "{}"));
    assert!(!calls[1].0.is_empty(), "an id is made up");
}

#[tokio::test]
async fn a_server_that_never_ends_its_answer_is_left() {
    let mut body = CHAT.to_vec();
    body.extend(b": still here\n\n".repeat(2_000));
    let chatty = Canned { delay: Duration::from_millis(5), ..Canned::sse(body).pieces(CHAT.len()) };
    let setup = setup(vec![chatty.fault(Fault::StallAfter(usize::MAX))]).await;
    let begun = Instant::now();
    assert_eq!(setup.ask("lab:tide").await.error, None);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn aws_errors_carry_the_type_from_the_head() {
    let refusal = Canned::new(400, "application/json", r#"{"message":"Malformed input."}"#)
        .header("x-amzn-errortype", "ValidationException:http://internal.example/");
    let setup = setup(vec![refusal]).await;
    let (_, message) = error_of(&setup.ask("bedrock:amazon.nova-lite-v1:0").await);
    assert_eq!(message, "ValidationException: Malformed input.");
    let requests = &setup.server.requests()[0];
    assert_eq!(requests.header("authorization"), Some("Bearer sk-test-0123456789"));
    assert_eq!(requests.path, "/model/amazon.nova-lite-v1%3A0/converse-stream");
    let content = json!([{ "text": "How high is the water?" }, { "cachePoint": { "type": "default" } }]);
    assert_eq!(requests.json(), json!({ "system": [], "messages": [{ "role": "user", "content": content }] }));
}

#[tokio::test]
async fn keys_are_never_shown() {
    let echo = format!("Incorrect key sk-test-0123456789 and {KEY}.");
    let setup = setup(vec![refusal(401, &echo), refusal(400, "your tok-secret-1 is wrong")]).await;
    let error = setup.ask("lab:tide").await.error.unwrap();
    assert!(!format!("{error:?} {error}").contains("sk-test"), "{error:?}");
    assert_eq!(error.message, "Incorrect key [redacted] and [redacted].");
    let settings = CallSettings {
        headers: [("X-Auth-Token".to_owned(), "tok-secret-1".to_owned())].into(),
        ..CallSettings::default()
    };
    assert_eq!(error_of(&setup.ask_with("lab:tide", settings).await).1, "your [redacted] is wrong");
}

#[tokio::test]
async fn a_missing_key_shows_when_the_request_is_due() {
    let setup = setup(vec![]).await;
    let answer = setup.ask("openai:gpt-4o").await;
    let error = answer.error.unwrap();
    assert_eq!(
        error.message,
        "OpenAI API key is missing. Pass it using the 'apiKey' parameter or the OPENAI_API_KEY environment variable."
    );
    assert_eq!(error.kind, ProviderErrorKind::Configuration);
    assert!(error.hint.unwrap().contains("platform.openai.com"));
    assert!(setup.server.requests().is_empty());
}

#[tokio::test]
async fn an_unreachable_server_is_tried_again() {
    let mut setup = setup(vec![]).await;
    let settings = ProviderSettings {
        // Nothing listens on the discard port.
        base_url: Some("http://127.0.0.1:9/v1".into()),
        api_key: Some(KEY.into()),
        ..ProviderSettings::default()
    };
    setup.context.first_wait = Duration::from_millis(1);
    let model = create("openai", &settings, "gpt-4o", &setup.context).unwrap();
    let answer = ask(model.as_ref(), ModelRequest::default()).await;
    let (kind, message) = error_of(&answer);
    assert_eq!(kind, ProviderErrorKind::Connection);
    assert!(message.starts_with("Failed after 3 attempts. Last error: Cannot connect to API: "), "{message}");
    assert!(message.contains("127.0.0.1:9"), "{message}");
}

#[tokio::test]
async fn a_truncated_answer_fails_after_its_parts() {
    let length = CHAT.len() / 2;
    let setup = setup(vec![Canned::sse(CHAT).fault(Fault::CutAfter(length)), Canned::sse(CHAT)]).await;
    let answer = setup.ask("lab:tide").await;
    assert!(TEXT.starts_with(&answer.text));
    assert_eq!(error_of(&answer).0, ProviderErrorKind::Connection);
    assert_eq!(setup.server.requests().len(), 1, "what has begun is not repeated");
}

#[tokio::test]
async fn a_connection_lost_after_the_end_does_no_harm() {
    let setup = setup(vec![Canned::sse(CHAT).fault(Fault::CutAfter(CHAT.len()))]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
}

#[tokio::test]
async fn an_answer_that_just_ends_is_an_error() {
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n";
    let setup = setup(vec![Canned::sse(half)]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!(answer.text, "Hal");
    assert_eq!(error_of(&answer).0, ProviderErrorKind::Protocol);
    assert_eq!(setup.server.requests().len(), 1, "what has begun is not repeated");
}

#[tokio::test]
async fn text_after_a_failure_inside_the_stream_is_still_shown() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"one \"}}]}\n\ndata: {\"error\":{\"message\":\"hiccup\"}}\n\n\
                data: {\"choices\":[{\"delta\":{\"content\":\"two\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let setup = setup(vec![Canned::sse(body)]).await;
    let answer = setup.ask("lab:tide").await;
    assert_eq!(answer.text, "one two");
    assert_eq!(error_of(&answer).1, "hiccup");
    assert!(answer.finish.is_none());
}

#[tokio::test]
async fn malformed_frames_are_reported() {
    let setup = setup(vec![Canned::sse(b"data: \xff\xfe\n\n".to_vec())]).await;
    let (kind, message) = error_of(&setup.ask("lab:tide").await);
    assert_eq!(kind, ProviderErrorKind::Protocol);
    assert!(message.contains("malformed"), "{message}");
}

#[tokio::test]
async fn a_web_page_is_not_an_answer() {
    let page = "<!doctype html><title>Sign in</title>";
    let setup = setup(vec![Canned::new(200, "text/html; charset=utf-8", page)]).await;
    let (kind, message) = error_of(&setup.ask("lab:tide").await);
    assert_eq!(kind, ProviderErrorKind::Protocol);
    assert!(message.contains("web page titled \"Sign in\""), "{message}");
}

#[tokio::test]
async fn json_in_place_of_a_stream_shows_its_message() {
    let setup = setup(vec![
        Canned::new(200, "application/json", r#"{"error":{"message":"no such model","code":404}}"#),
        Canned::new(200, "application/json", CHAT),
        Canned::new(200, "application/json", r#"{"choices":[]}"#),
    ])
    .await;
    assert_eq!(error_of(&setup.ask("lab:tide").await).1, "no such model");
    // Some servers send a stream with a wrong content type.
    assert_eq!(setup.ask("lab:tide").await.text, TEXT);
    assert_eq!(error_of(&setup.ask("lab:tide").await).0, ProviderErrorKind::Protocol);
}

#[tokio::test]
async fn time_limits_end_a_call() {
    let limits = |timeouts| CallSettings { timeouts, ..CallSettings::default() };
    let short = Some(Duration::from_millis(80));
    let slow_head = Canned { head_delay: Duration::from_secs(30), ..Canned::sse(CHAT) };
    let stalling = Canned::sse(CHAT).fault(Fault::StallAfter(CHAT.len() / 2));
    let trickling = Canned { delay: Duration::from_millis(15), ..Canned::sse(CHAT).pieces(4) };
    for (canned, timeouts, word) in [
        (slow_head.clone(), Timeouts { first_byte: short, ..Timeouts::default() }, "firstByte"),
        (slow_head, Timeouts { total: short, ..Timeouts::default() }, "total"),
        (stalling, Timeouts { idle: short, ..Timeouts::default() }, "idle"),
        (trickling, Timeouts { total: short, ..Timeouts::default() }, "total"),
    ] {
        let setup = setup(vec![canned]).await;
        let begun = Instant::now();
        let settings = CallSettings { max_retries: Some(0), ..limits(timeouts) };
        let (kind, message) = error_of(&setup.ask_with("lab:tide", settings).await);
        assert_eq!(kind, ProviderErrorKind::Timeout);
        assert!(message.contains(&format!("options.timeout.{word}")), "{message}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{word}");
    }
}

#[tokio::test]
async fn the_next_model_answers_when_one_fails_before_its_first_byte() {
    let setup = setup(vec![refusal(401, "no"), Canned::sse(ANTHROPIC)]).await;
    let model = setup.fallback(&["lab:tide", "anthropic:claude-tide"]);
    let answer = ask(model.as_ref(), ModelRequest::default()).await;
    assert_eq!((answer.text.as_str(), answer.error), (TEXT, None));
    assert_eq!(
        setup.events.borrow().as_slice(),
        [ProviderEvent::Fallback { from: "lab:tide".into(), to: "anthropic:claude-tide".into(), reason: "no".into() }]
    );
}

#[tokio::test]
async fn a_model_that_has_begun_is_not_replaced() {
    let half = Canned::sse("data: {\"choices\":[{\"delta\":{\"content\":\"Hal\"}}]}\n\n");
    let empty = || Canned::sse("data: {\"id\":\"x\",\"choices\":[]}\n\n");
    let setup = setup(vec![half, empty(), empty(), empty(), Canned::sse(ANTHROPIC)]).await;
    let model = setup.fallback(&["lab:tide", "anthropic:claude-tide"]);
    let answer = ask(model.as_ref(), ModelRequest::default()).await;
    assert_eq!((answer.text.as_str(), answer.error.is_some()), ("Hal", true));
    // Metadata alone has not been shown to the user, so the request can be repeated.
    assert_eq!(ask(model.as_ref(), ModelRequest::default()).await.text, TEXT);
    assert!(FallbackModel::of(Vec::new(), &setup.context).is_err());
}

#[tokio::test]
async fn sixty_four_answers_at_once_lose_nothing() {
    let piece = |index: usize| {
        let event =
            |content: &str| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": content } }] }));
        let mut body: String = (0..200).map(|word| event(&format!("{index}.{word} "))).collect();
        body.push_str("data: [DONE]\n\n");
        Canned::sse(body).pieces(100 + index)
    };
    let setup = setup((0..64).map(piece).collect()).await;
    let answers = futures_util::future::join_all((0..64).map(|_| setup.ask("lab:tide"))).await;
    let mut seen: Vec<String> = answers
        .iter()
        .map(|answer| {
            let index = answer.text.split('.').next().unwrap();
            let expected: String = (0..200).map(|word| format!("{index}.{word} ")).collect();
            assert_eq!(answer.text, expected);
            index.to_owned()
        })
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 64);
}

#[tokio::test]
async fn factories_take_their_own_settings() {
    let setup = setup(vec![Canned::sse(CHAT), Canned::sse(CHAT)]).await;
    let settings = ProviderSettings {
        api_key: Some("own-key-123".into()),
        base_url: Some(setup.server.url("/own/")),
        headers: [("x-team".to_owned(), "tides".to_owned())].into(),
        organization: Some("org-1".into()),
        ..ProviderSettings::default()
    };
    let model = create("openai.chat", &settings, "gpt-4o", &setup.context).unwrap();
    assert_eq!(ask(model.as_ref(), ModelRequest::default()).await.text, TEXT);
    let requests = &setup.server.requests()[0];
    assert_eq!(requests.path, "/own/chat/completions");
    assert_eq!(requests.header("authorization"), Some("Bearer own-key-123"));
    assert_eq!(requests.header("x-team"), Some("tides"));
    assert_eq!(requests.header("openai-organization"), Some("org-1"));

    let settings = ProviderSettings { name: Some("lab2".into()), ..settings };
    let model = create("openai-compatible", &settings, "m", &setup.context).unwrap();
    assert_eq!(ask(model.as_ref(), ModelRequest::default()).await.text, TEXT);
    assert_eq!(setup.server.requests()[1].path, "/own/chat/completions");
    let _: Value = setup.server.requests()[1].json();
    assert!(create("nope", &settings, "m", &setup.context).is_err());
    assert!(create("groq.responses", &settings, "m", &setup.context).is_err());
}
