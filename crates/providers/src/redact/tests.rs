use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use serde_json::json;

use std::collections::BTreeMap;

use super::*;
use crate::{LanguageModel, PartStream, ProviderError, ProviderErrorKind};
use lmthing_base::chat::{CallSettings, CallWarning, ModelRequest, ResponseMetadata, StreamPart};

const KEY: &str = "sk-planted/0123+456789=abcdef";

fn redactor_with(secret: &str) -> Redactor {
    Redactor::new([secret.to_owned()])
}

#[test]
fn secrets_are_replaced_whole() {
    let redactor = Redactor::new(["sk-12345-67890".into(), "sk-12345-67890-longer".into(), "a".into()]);
    assert_eq!(redactor.apply("a key sk-12345-67890-longer and sk-12345-67890"), "a key [redacted] and [redacted]");
    assert!(!format!("{redactor:?}").contains("sk-"));
    assert_eq!(redactor.apply("nothing"), "nothing");
}

#[test]
fn a_key_is_found_in_every_encoding() {
    let redactor = redactor_with(KEY);
    let encoded = percent_encoding::utf8_percent_encode(KEY, percent_encoding::NON_ALPHANUMERIC).to_string();
    let written = [
        KEY.to_owned(),
        encoded.clone(),
        encoded.to_lowercase(),
        encoded.replace('%', "%25"),
        KEY.replace('/', "\\/"),
        KEY.replace('/', "\\u002f"),
        STANDARD.encode(KEY),
        URL_SAFE_NO_PAD.encode(KEY),
        STANDARD.encode(format!("u:{KEY}")),
        STANDARD.encode(format!("me:{KEY}:more")),
    ];
    for written in written {
        assert_eq!(redactor.apply(&format!("(\"{written}\")")), "(\"[redacted]\")", "{written}");
    }
    assert_eq!(redactor.apply(&format!("cut: {}…", &KEY[..14])), "cut: [redacted]…");
    assert_eq!(redactor.apply(&format!("cut: {}", &KEY[..14])), "cut: [redacted]");
    assert_eq!(redactor.apply("sk-planted is a beginning, no key"), "sk-planted is a beginning, no key");
}

#[test]
fn long_parts_of_a_key_are_found() {
    let redactor = Redactor::new([KEY.to_owned(), "/home/me/work/secrets/key.pem".to_owned()]);
    for (text, shown) in [
        ("Incorrect API key provided: sk-planted/0...cdef.", "Incorrect API key provided: [redacted]...cdef."),
        ("sk-plant****=abcdef", "[redacted]****=abcdef"),
        ("sk-plantedxxxxxxxx", "[redacted]xxxxxxxx"),
        ("(sk-planted/0123+456)", "([redacted])"),
        ("starts with sk-planted/0123+456, ends in 56789=abcdef", "starts with [redacted], ends in [redacted]"),
        ("keys begin with sk-planted/, yours does not", "keys begin with sk-planted/, yours does not"),
        ("**+456789=abcdef", "**[redacted]"),
        ("sk-planted/0123+456th of May", "sk-planted/0123+456th of May"),
        ("planted/01 is none, nor is 6789=abcdef", "planted/01 is none, nor is 6789=abcdef"),
        ("sk-planted...", "[redacted]..."),
        ("in /home/me/work/p.lmt.mjs:1:2", "in /home/me/work/p.lmt.mjs:1:2"),
        ("in /home/me/work/secrets/key.pem:1", "in [redacted]:1"),
    ] {
        assert_eq!(redactor.apply(text), shown);
    }
}

#[test]
fn common_prefixes_of_secrets_stay() {
    for (secret, text) in [
        ("sk-ant-api03-Zx8qWe7rTy6uIo5pAs4dFg3h", "Anthropic keys begin with sk-ant-api03-, yours does not"),
        ("sk-proj-v1-Zx8q-We7rTy6uIo5pAs4dFg3h", "a key as sk-proj-v1-, not more"),
        ("https://hooks.slack.com/services/T0AB1/B0CD2/x1y2z3a4b5", "see https://hooks.slack.com/services/ for more"),
        ("https://abc123.example.com/Hook/x1y2z3a4b5c6d7", "no https://abc123.example.com/v1 here"),
        (r"C:\Users\me\keys\secret-key-0123.pem", r"in C:\Users\me\keys\p.lmt.mjs:1"),
    ] {
        let redactor = redactor_with(secret);
        assert_eq!(redactor.apply(text), text);
        assert_eq!(redactor.apply(&format!("got {secret}!")), "got [redacted]!");
    }
    for (secret, piece) in [
        ("sk-ant-api03-Zx8qWe7rTy6uIo5pAs4dFg3h", "sk-ant-api03-Zx8qWe7r"),
        ("https://me:pass-word@h.example/Hook/x1y2z3a4b5c6d7", "https://me:pass-word@h.example"),
        ("a1b2c3d4-e5f6-7890-abcd-ef1234567890", "a1b2c3d4-e5f6"),
    ] {
        assert!(!redactor_with(secret).apply(&format!("starts with {piece}, it does")).contains(piece), "{piece}");
    }
}

#[test]
fn a_key_is_found_in_and_around_terminal_strings() {
    let redactor = redactor_with("sk-ant-api03-Zx8qWe7rTy6uIo5pAs4dFg3h");
    for begin in ["\u{1b}]0;", "\u{1b}P", "\u{1b}_", "\u{9d}", "\\u001b]0;"] {
        for key in [
            "sk-%61nt-%61pi03-Zx8qWe7rTy6uIo5pAs4dFg3h",
            r"sk-ant-api03-Zx8\u0071We7rTy6uIo5pAs4dFg3h",
            "sk-ant-api03-Zx8&#113;We7rTy6uIo5pAs4dFg3h",
        ] {
            assert_eq!(redactor.apply(&format!("{begin}{key}")), format!("{begin}[redacted]"), "{begin:?}");
            let shown = redactor.apply(&format!("a{begin}{key}\u{7}b"));
            assert_eq!(shown, format!("a{begin}[redacted]\u{7}b"), "{begin:?}");
        }
        let end = if begin.starts_with('\\') { r"\u0007" } else { "\u{7}" };
        let around = format!("sk-ant-api03-{begin}title{end}Zx8qWe7rTy6uIo5pAs4dFg3h");
        assert_eq!(redactor.apply(&around), "[redacted]", "{begin:?}");
    }
}

#[test]
fn text_next_to_an_encoded_key_stays() {
    let redactor = redactor_with(KEY);
    let lines = STANDARD.encode(KEY).as_bytes().chunks(10).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\n");
    assert_eq!(redactor.apply(&format!("before\n{lines}\nNext line")), "before\n[redacted]\nNext line");
    assert_eq!(redactor.apply(&format!("key={}&a=b", STANDARD.encode(KEY))), "key=[redacted]&a=b");
    let dump = KEY.bytes().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
    assert_eq!(redactor.apply(&format!("dump: {dump} and so on")), "dump: [redacted] and so on");
    assert_eq!(
        redactor.apply("\u{65e5}\u{672c}\n\u{200b}%E6%97%A5 &amp; \\u0041"),
        "\u{65e5}\u{672c}\n\u{200b}%E6%97%A5 &amp; \\u0041"
    );
}

#[test]
fn dummy_keys_are_replaced_in_headers_and_urls_only() {
    let redactor = Redactor::new(["ollama".into(), "test".into(), "sk-no-key-required".into()]);
    for text in [
        "ollama has no model named test",
        "a test key such as sk-no-key-required",
        "the key is missing: test",
        "http://test.example/ollama",
    ] {
        assert_eq!(redactor.apply(text), text);
    }
    for (text, shown) in [
        ("authorization: Bearer ollama", "authorization: Bearer [redacted]"),
        ("{\\\"x-api-key\\\":\\\"test\\\"}", "{\\\"x-api-key\\\":\\\"[redacted]\\\"}"),
        ("http://h/v1?a=b&key=test#x", "http://h/v1?a=b&key=[redacted]#x"),
        ("http://ollama:test@h/v1", "http://[redacted]@h/v1"),
        ("Bearer ollama.", "Bearer [redacted]"),
        ("api_key=sk-no-key-required", "api_key=[redacted]"),
    ] {
        assert_eq!(redactor.apply(text), shown);
        assert_eq!(redactor.apply(shown), shown, "once is enough");
    }
}

#[test]
fn unknown_secrets_are_found_by_context() {
    let redactor = Redactor::default();
    for (text, shown) in [
        ("see https://u:p@h:8080/x?y=1", "see https://[redacted]@h:8080/x?y=1"),
        ("/login?code=8a&state=x&sig=abc", "/login?code=[redacted]&state=x&sig=[redacted]"),
        ("Basic dXNlcjpwYXNz", "Basic [redacted]"),
        ("Authorization: Bearer 0123456789abcdef", "Authorization: Bearer [redacted]"),
        ("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJtZSJ9.c2ln failed", "[redacted] failed"),
        ("key AKIAIOSFODNN7EXAMPLE", "key [redacted]"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIE\nabcd\n-----END PRIVATE KEY-----\nrest",
            "-----BEGIN PRIVATE KEY-----\n[redacted]\n[redacted]\n-----END PRIVATE KEY-----\nrest",
        ),
    ] {
        assert_eq!(redactor.apply(text), shown);
    }
    for text in [
        "error code=404 at https://api.example/v1/users/@me",
        "max_tokens: 4096, key: value, Bearer token is missing",
        "{\"pageToken\": \"0123456789abcdef\", \"signature\": \"0123456789abcdef\"}",
        "Invalid value for token: gpt-4o-2024-08-06",
        "a task-oriented risk-assessment-of-2024-and-2025",
    ] {
        assert_eq!(redactor.apply(text), text);
    }
}

#[test]
fn all_secrets_of_a_url_are_learned() {
    let redactor = Redactor::default();
    redactor.learn_url("http://me:p%40ss-word-1234@h/v1?api-version=1&api_key=ke%2By-0123456789");
    redactor.learn_url("http://you:a/b@h:port/v1");
    redactor.learn_url("me:word-of-mine-77@h/v1?next=https://x");
    let basic = STANDARD.encode("me:p@ss-word-1234");
    for secret in [
        "p%40ss-word-1234",
        "p@ss-word-1234",
        "me:p@ss-word-1234",
        "ke+y-0123456789",
        "you:a/b",
        "word-of-mine-77",
        &basic,
    ] {
        assert_eq!(redactor.apply(&format!("got {secret} here")), "got [redacted] here");
    }
    assert_eq!(redactor.apply("api-version=1"), "api-version=1");
    redactor.learn_header("authorization", &format!("Basic {}", STANDARD.encode("you:pa55word-of-mine")));
    assert_eq!(redactor.apply("pa55word-of-mine"), "[redacted]");
}

#[test]
fn secret_variables_are_recognized_by_name() {
    let variables: BTreeMap<String, String> = [
        ("OPENAI_API_KEY", "sk-secret-of-mine"),
        ("LM_MODEL_FAST", "openai:gpt-4o-2024"),
        ("HTTPS_PROXY", "http://me:proxy-pass-1@h:1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let redactor = Redactor::of_variables(&variables);
    assert_eq!(
        redactor.apply("sk-secret-of-mine openai:gpt-4o-2024 proxy-pass-1"),
        "[redacted] openai:gpt-4o-2024 [redacted]"
    );
}

#[test]
fn sources_are_polled_until_they_are_gone() {
    let redactor = Redactor::default();
    let tokens = Rc::new(RefCell::new(Vec::new()));
    let weak = Rc::downgrade(&tokens);
    redactor.watch(move || weak.upgrade().map(|tokens| tokens.borrow().clone()));
    assert_eq!(redactor.apply("fetched-token-1"), "fetched-token-1");
    tokens.borrow_mut().push("fetched-token-1".to_owned());
    assert_eq!(redactor.apply("fetched-token-1"), "[redacted]");
    drop(tokens);
    assert_eq!(redactor.apply("fetched-token-1"), "[redacted]", "known secrets stay known");
    assert!(redactor.0.sources.borrow().is_empty());
}

#[test]
fn json_is_searched_with_member_names() {
    let redactor = redactor_with("dummy");
    let mut value = json!({ "x-api-key": "dummy", "text": "a dummy", "n": 1, "list": [{ "token": "Bearer dummy" }] });
    redactor.apply_json(&mut value);
    let expected =
        json!({ "x-api-key": REDACTED, "text": "a dummy", "n": 1, "list": [{ "token": "Bearer [redacted]" }] });
    assert_eq!(value, expected);
}

struct EchoModel;

impl LanguageModel for EchoModel {
    fn provider(&self) -> &str {
        "lab"
    }

    fn model_id(&self) -> &str {
        "m"
    }

    fn stream<'a>(&'a self, request: ModelRequest) -> LocalBoxFuture<'a, Result<PartStream<'a>, ProviderError>> {
        let sent = format!("got {:?} {:?}", request.settings.headers, request.settings.provider_options);
        let warning = CallWarning { kind: "other".into(), setting: Some("seed".into()), details: Some(sent.clone()) };
        let headers = [("x-echo".to_owned(), sent.clone()), ("x-api-key".to_owned(), "test".to_owned())];
        let mut error = ProviderError::new(ProviderErrorKind::Stream, "lab", "m", &*sent);
        error.hint = Some(sent.clone());
        let parts = vec![
            Ok(StreamPart::StreamStart { warnings: vec![warning] }),
            Ok(StreamPart::ResponseMetadata(ResponseMetadata { headers: Some(headers.into()), ..Default::default() })),
            Ok(StreamPart::TextDelta { id: "0".into(), delta: KEY.into(), provider_metadata: None }),
            Ok(StreamPart::Error { error: json!({ "message": sent, "token": "Bearer test" }) }),
            Err(error),
        ];
        async move { Ok(stream::iter(parts).boxed_local()) }.boxed_local()
    }
}

#[tokio::test]
async fn only_the_models_own_output_is_not_redacted() {
    let redactor = redactor_with("test");
    let model = guard::guard(Rc::new(EchoModel), &redactor);
    let mut settings = CallSettings::default();
    settings.headers.insert("Authorization".into(), format!("Bearer {KEY}"));
    let tools = json!({ "mcp_servers": [{ "authorization_token": "mcp-token-0123456789" }] });
    settings.provider_options.insert("lab".into(), serde_json::from_value(tools).unwrap());
    let request = ModelRequest { settings, ..ModelRequest::default() };
    let mut count = 0;
    let mut parts = model.stream(request).await.unwrap();
    while let Some(part) = parts.next().await {
        let shown = format!("{part:?}");
        let is_models = matches!(part, Ok(StreamPart::TextDelta { .. }));
        assert_eq!(shown.contains(KEY), is_models, "{shown}");
        assert_eq!(shown.contains(REDACTED), !is_models, "{shown}");
        assert!(
            !shown.contains("mcp-token") && !shown.contains("\"test\"") && !shown.contains("Bearer test"),
            "{shown}"
        );
        count += 1;
    }
    assert_eq!(count, 5);
}

#[test]
fn a_key_in_several_deltas_is_replaced_once() {
    let delta = |id: &str, delta: &str| StreamPart::TextDelta {
        id: id.to_owned(),
        delta: delta.to_owned(),
        provider_metadata: None,
    };
    let mut parts =
        [delta("0", "your sk-pla"), delta("1", "other"), delta("0", "nted/0123+456"), delta("0", "789=abcdef, ok")];
    redact_parts(&mut parts, &redactor_with(KEY));
    assert_eq!(parts, [delta("0", "your [redacted]"), delta("1", "other"), delta("0", ""), delta("0", ", ok")]);
}

#[test]
fn malicious_texts_take_linear_time() {
    let jwt = "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM";
    let pieces = [
        ":",
        "=",
        "key:",
        "apiKey=",
        "key=%41",
        "x://",
        "bearer ",
        ": \"",
        "sk-",
        "sk-a.",
        "sk-a1.",
        "eyJ",
        "eyJ.",
        "eyJaaaaaaaaa.",
        "PRIVATE KEY-----",
        "-----",
        "%2",
        "&amp;key=",
        ". ",
    ];
    let redactor = redactor_with(KEY);
    redactor.learn("test");
    let begun = std::time::Instant::now();
    for piece in pieces {
        for end in ["", "...........", "!"] {
            let many = piece.repeat((48 << 10) / piece.len()) + &end.repeat(10_000);
            let shown = redactor.apply(&format!("{many} \"api_key\": \"test\", {jwt} {KEY}"));
            assert!(!shown.contains("test") && !shown.contains(jwt) && !shown.contains(KEY), "{piece}");
        }
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?} for 3 MiB", begun.elapsed());
}

#[test]
fn overlapping_values_are_all_checked() {
    let redactor = redactor_with("test");
    for (text, shown) in [
        ("a:b:api_key:ab12cd34ef56gh", "a:b:api_key:[redacted]"),
        ("a:ab12cd34ef56gh api_key:x:password=ab12cd34ef56gh", "a:ab12cd34ef56gh api_key:[redacted]"),
        ("a=test:key=test; token: test.", "a=test:key=[redacted]; token: [redacted]"),
        ("eyJa.eyJhbGciOiJI.eyJzdWIiOiIx.sig..", "eyJa.[redacted].."),
        ("no sk-key-but sk-a.sk-0123456789012345678901234567890123", "no sk-key-but [redacted]"),
    ] {
        assert_eq!(redactor.apply(text), shown, "{text}");
    }
}

#[test]
fn contents_of_files_are_searched_for_encoded_keys_only() {
    let redactor = redactor_with(KEY);
    let file = STANDARD.encode(vec![7; 50_000]);
    let with_key = STANDARD.encode([&[7; 40_000][..], KEY.as_bytes(), &[7; 40_000]].concat());
    let text = |file: &str, key: &str| {
        let shown = format!("https://a:{key}@lab.example");
        json!({ "a": key, "b": [file, key], "c": format!("data:image/png;base64,{file}"), "d": shown }).to_string()
    };
    assert_eq!(redactor.apply(&text(&file, KEY)), text(&file, REDACTED));
    assert_eq!(redactor.apply(&text(&with_key, KEY)), text(REDACTED, REDACTED));
    assert!(!redactor.finds(&json!([file, "none"]).to_string()));
}
