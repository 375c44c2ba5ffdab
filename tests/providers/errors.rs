//! Errors of servers: their messages, hints, requests that are repeated without a rejected parameter, and requests
//! that wait for each other.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc, time::Duration};

use lmthing_base::chat::{CallSettings, Message, ModelRequest, Role, ToolSpec};
use lmthing_providers::{ProviderContext, ProviderErrorKind, ProviderEvent, resolve};
use serde_json::{Value, json};

use crate::{
    setup::{ANTHROPIC, CHAT},
    steps::{Answer, ask},
    support::canned::{Canned, Server},
};

const KEY: &str = "sk-test-0123456789";
const ALL: [&str; 9] = [
    "openai:tide",
    "anthropic:tide",
    "google:tide",
    "mistral:tide",
    "azure:tide",
    "groq:tide",
    "cohere:tide",
    "bedrock:tide",
    "lab:tide",
];

struct Setup {
    server: Server,
    context: ProviderContext,
    events: Rc<RefCell<Vec<ProviderEvent>>>,
}

async fn setup(answers: Vec<Canned>) -> Setup {
    let server = Server::start(answers).await;
    let base = server.url("/v1");
    let mut variables: Vec<(&str, String)> = vec![("LAB_API_TYPE", "openai".into()), ("LAB_API_BASE", base.clone())];
    for name in ["OPENAI", "ANTHROPIC", "GOOGLE_GENERATIVE_AI", "MISTRAL", "AZURE", "GROQ", "COHERE"] {
        variables.push((Box::leak(format!("{name}_API_KEY").into_boxed_str()), KEY.into()));
        variables.push((Box::leak(format!("{name}_BASE_URL").into_boxed_str()), base.clone()));
    }
    variables.push(("LAB_API_KEY", KEY.into()));
    variables.push(("AWS_BEARER_TOKEN_BEDROCK", KEY.into()));
    variables.push(("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", base));
    let env: BTreeMap<String, String> = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let events = Rc::new(RefCell::new(Vec::new()));
    let stored = events.clone();
    let mut context = ProviderContext::new(Rc::new(env)).on_event(move |event| stored.borrow_mut().push(event.clone()));
    context.first_wait = Duration::from_millis(20);
    Setup { server, context, events }
}

impl Setup {
    async fn ask(&self, model: &str, settings: CallSettings) -> Answer {
        let model = resolve(model, &self.context).unwrap();
        let tool = ToolSpec {
            name: "tide".into(),
            description: "The tide.".into(),
            input_schema: json!({ "type": "object", "properties": {} }),
            provider_options: None,
            provider_tool: None,
        };
        let messages = vec![Rc::new(Message::text(Role::User, "How high is the water?"))];
        ask(model.as_ref(), ModelRequest { messages, tools: vec![tool], settings, ..ModelRequest::default() }).await
    }

    /// The error of a call without retries.
    async fn error(&self, model: &str) -> (ProviderErrorKind, String, String) {
        let settings = CallSettings { max_retries: Some(0), ..CallSettings::default() };
        let error = self.ask(model, settings).await.error.expect("an error");
        (error.kind, error.message, error.hint.unwrap_or_default())
    }

    fn bodies(&self) -> Vec<Value> {
        self.server.requests().iter().map(|request| request.json()).collect()
    }
}

fn refusal(status: u16, body: &Value) -> Canned {
    Canned::new(status, "application/json", body.to_string())
}

#[tokio::test]
async fn every_provider_shows_the_servers_message_in_any_format() {
    let words = "The tide table is closed";
    let shapes = [
        json!({ "error": words }),
        json!({ "error": { "message": words } }),
        json!({ "detail": words }),
        json!({ "detail": [{ "loc": ["body", "x"], "msg": words }] }),
        json!({ "message": words }),
        json!({ "errors": [{ "message": words }] }),
        json!([{ "error": { "message": words } }]),
        json!({ "error": { "message": "Provider returned error", "metadata": { "raw": words, "provider_name": "Lab" } } }),
    ];
    for model in ALL {
        let answers = shapes.iter().map(|shape| refusal(400, shape));
        let plain = [Canned::new(400, "text/plain", format!("{words}\n\u{1b}[31m {KEY}"))];
        let setup = setup(answers.chain(plain).collect()).await;
        for shape in shapes.iter().map(Value::to_string).chain(["plain".to_owned()]) {
            let (_, message, _) = setup.error(model).await;
            assert!(message.contains(words) && !message.contains(KEY), "{model} {shape}: {message:?}");
            assert!(!message.contains(['\u{1b}', '\n']), "{message:?}");
        }
    }
}

#[tokio::test]
async fn html_pages_and_long_messages_are_shortened() {
    let page = "<!DOCTYPE html><html><head><title>lab.example | 502: Bad gateway</title></head><body>…</body></html>";
    let moment = "<html><title>Just a moment...</title></html>";
    let long = format!("{} {KEY} {}", "x".repeat(488), "y".repeat(600));
    let setup = setup(vec![
        Canned::new(502, "text/html", page),
        Canned::new(403, "text/html; charset=UTF-8", moment),
        Canned::new(503, "text/plain", ""),
        refusal(400, &json!({ "error": { "message": long } })),
    ])
    .await;
    let (kind, message, hint) = setup.error("lab:tide").await;
    assert_eq!(
        (kind, message.as_str()),
        (ProviderErrorKind::Server, "Bad Gateway (a web page titled \"lab.example | 502: Bad gateway\")")
    );
    assert!(hint.contains("Try again later"), "{hint}");
    let (_, message, hint) = setup.error("lab:tide").await;
    assert!(message.contains("Just a moment...") && hint.contains("firewall"), "{message} {hint}");
    assert_eq!(setup.error("lab:tide").await.1, "Service Unavailable");
    let (_, message, _) = setup.error("lab:tide").await;
    assert!(message.chars().count() == 500 && message.contains("[redacted]") && !message.contains("sk-t"), "{message}");
}

#[tokio::test]
async fn errors_inside_a_stream_come_in_any_shape() {
    let words = "The tide has gone out";
    for model in ALL.into_iter().filter(|model| !model.starts_with("bedrock")) {
        for shape in [
            json!({ "error": words }),
            json!({ "error": { "message": words, "code": 500 } }),
            json!({ "type": "error", "error": { "message": words } }),
            json!({ "object": "error", "message": words, "code": 400 }),
            json!({ "detail": words }),
            json!([{ "error": { "message": words, "status": "INTERNAL" } }]),
        ] {
            let setup = setup(vec![Canned::sse(format!("data: {shape}\n\n"))]).await;
            let (_, message, _) = setup.error(model).await;
            assert_eq!(message, words, "{model} {shape}");
        }
    }
}

#[tokio::test]
async fn advice_names_what_to_look_at() {
    let setup = setup(vec![
        refusal(401, &json!({ "error": { "message": "no" } })),
        refusal(404, &json!({ "error": { "message": "The model `tide` does not exist", "code": "model_not_found" } })),
        Canned::new(404, "text/plain", "404 page not found"),
        Canned::new(407, "text/plain", ""),
        refusal(413, &json!({ "error": "too large" })),
        refusal(529, &json!({ "error": { "message": "Overloaded" } })),
    ])
    .await;
    for part in [
        "LAB_API_KEY",
        "the model's name, \"tide\"",
        "/v1/chat/completions",
        "HTTPS_PROXY",
        "attach less",
        "list of models",
    ] {
        let (_, message, hint) = setup.error("lab:tide").await;
        assert!(hint.contains(part), "{message}: {hint}");
    }
}

fn unsupported(message: &str) -> Canned {
    refusal(400, &json!({ "error": { "message": message, "type": "invalid_request_error" } }))
}

#[tokio::test]
async fn a_refused_parameter_is_dropped_and_reported_once() {
    let setup = setup(vec![
        unsupported("Unsupported parameter: 'temperature' is not supported with this model."),
        unsupported("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
        Canned::sse(CHAT),
        Canned::sse(CHAT),
        Canned::sse(CHAT),
    ])
    .await;
    let settings = CallSettings {
        temperature: Some(0.5),
        max_output_tokens: Some(9),
        // Does not count as a retry.
        max_retries: Some(0),
        ..CallSettings::default()
    };
    let answer = setup.ask("lab:tide", settings.clone()).await;
    assert_eq!(answer.error, None);
    let warned: Vec<_> = answer.warnings.iter().map(|w| (w.kind.as_str(), w.setting.as_deref())).collect();
    assert_eq!(warned, [("unsupported-setting", Some("temperature"))]);
    let last = setup.bodies().pop().unwrap();
    assert_eq!(
        (last.get("temperature"), last.get("max_tokens"), &last["max_completion_tokens"]),
        (None, None, &json!(9))
    );
    // The next step remembers it; another model is tried from the start.
    assert_eq!(setup.ask("lab:tide", settings.clone()).await.warnings, []);
    setup.ask("lab:ebb", settings).await;
    let bodies = setup.bodies();
    assert_eq!(bodies.len(), 5);
    assert_eq!((bodies[3].get("temperature"), &bodies[4]["temperature"]), (None, &json!(0.5)));
    assert_eq!(*setup.events.borrow(), []);
}

#[tokio::test]
async fn a_second_refused_parameter_is_dropped_once() {
    let both = "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
    let thinking = "`temperature` may only be set to 1 when thinking is enabled.";
    let answer = || Canned::sse(CHAT);
    let setup = setup(vec![unsupported(both), answer(), answer(), unsupported(thinking), answer(), answer()]).await;
    let top_p = CallSettings { top_p: Some(0.5), ..CallSettings::default() };
    let settings = CallSettings { temperature: Some(0.5), ..top_p.clone() };
    assert_eq!(setup.ask("lab:tide", settings.clone()).await.warnings[0].setting.as_deref(), Some("topP"));
    assert_eq!(setup.ask("lab:tide", top_p).await.warnings, []);
    assert_eq!(setup.ask("lab:tide", settings.clone()).await.warnings[0].setting.as_deref(), Some("temperature"));
    assert_eq!(setup.ask("lab:tide", settings).await.warnings, []);
    let bodies = setup.bodies();
    assert_eq!((bodies.len(), bodies[1].get("top_p"), &bodies[2]["top_p"]), (6, None, &json!(0.5)));
    assert_eq!((bodies[4].get("temperature"), &bodies[5]["temperature"]), (None, &json!(0.5)));
}

#[tokio::test]
async fn a_server_that_always_refuses_ends_the_retries() {
    let refusals = ["temperature", "top_p", "seed"].map(|name| unsupported(&format!("'{name}' is not supported")));
    let setup = setup(refusals.into_iter().chain([unsupported("'seed' is not supported")]).collect()).await;
    let settings = CallSettings { temperature: Some(0.5), top_p: Some(0.5), seed: Some(1), ..CallSettings::default() };
    let error = setup.ask("lab:tide", settings).await.error.unwrap();
    assert_eq!((error.message.as_str(), setup.bodies().len()), ("'seed' is not supported", 4));
}

#[tokio::test]
async fn parameters_that_anthropic_forbids_are_not_sent() {
    let setup = setup(vec![unsupported("temperature: Extra inputs are not permitted"), Canned::sse(ANTHROPIC)]).await;
    let settings = CallSettings { temperature: Some(0.5), ..CallSettings::default() };
    let answer = setup.ask("anthropic:claude-3-haiku-20240307", settings).await;
    assert_eq!((answer.error, answer.warnings[0].setting.as_deref()), (None, Some("temperature")));
}

fn too_many() -> Canned {
    refusal(429, &json!({ "error": { "message": "Too many" } })).header("retry-after", "0.1")
}

#[tokio::test]
async fn requests_of_one_run_do_not_fail_each_other() {
    // The first two are accepted, the next are refused for a long time: far beyond the three attempts of each request.
    let slow = || Canned { delay: Duration::from_millis(30), ..Canned::sse(CHAT).pieces(CHAT.len() / 20) };
    let answers = [slow(), slow()].into_iter().chain((0..12).map(|_| too_many())).chain((0..8).map(|_| slow()));
    let setup = setup(answers.collect()).await;
    let requests = (0..10).map(|_| setup.ask("lab:tide", CallSettings::default()));
    let answers = futures_util::future::join_all(requests).await;
    assert!(answers.iter().all(|answer| answer.error.is_none()));
    let throttled = |event: &ProviderEvent| matches!(event, ProviderEvent::Throttled { .. });
    assert!(setup.events.borrow().iter().any(throttled));
}

#[tokio::test]
async fn a_used_up_limit_is_waited_for_before_the_next_request() {
    let used_up = |reset: &str| {
        Canned::sse(CHAT).header("x-ratelimit-remaining-requests", "0").header("x-ratelimit-reset-requests", reset)
    };
    let setup = setup(vec![used_up("4m50s"), Canned::sse(CHAT)]).await;
    assert_eq!(setup.ask("lab:tide", CallSettings::default()).await.error, None);
    assert_eq!(*setup.events.borrow(), []);
    // Limits are per server, and models of one server share them. The wait is announced when it begins; the test need
    // not wait for its end.
    let call = setup.ask("lab:ebb", CallSettings::default());
    let announced = async {
        while setup.events.borrow().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    futures_util::pin_mut!(call, announced);
    let first = futures_util::future::select(call, announced).await;
    assert!(matches!(first, futures_util::future::Either::Right(_)), "it waits");
    assert!(matches!(&setup.events.borrow()[..], [ProviderEvent::Throttled { .. }]));
    assert_eq!(setup.server.requests().len(), 1);

    let setup = self::setup(vec![used_up("20ms"), Canned::sse(CHAT)]).await;
    setup.ask("lab:tide", CallSettings::default()).await;
    assert_eq!(setup.ask("lab:ebb", CallSettings::default()).await.error, None);
    assert_eq!(setup.server.requests().len(), 2);

    let mut settings = CallSettings::default();
    settings.timeouts.total = Some(Duration::from_millis(100));
    let used_up = Canned::sse(CHAT).header("ratelimit-remaining", "0").header("ratelimit-reset", "60");
    let setup = self::setup(vec![used_up]).await;
    setup.ask("lab:tide", CallSettings::default()).await;
    let error = setup.ask("lab:tide", settings).await.error.unwrap();
    assert_eq!((error.kind, setup.server.requests().len()), (ProviderErrorKind::Timeout, 1));
}
