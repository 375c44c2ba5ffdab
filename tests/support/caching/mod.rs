//! A server whose models keep prompts in a cache, as those of providers do, and report what they have read and written.
//! The API follows from the path of a request.

mod answers;
mod prompt;
mod store;

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use super::http::{self, Request};
pub(crate) use answers::Reply;
use prompt::Prompt;
pub(crate) use store::Counts;
use store::Store;

/// An API of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    Responses,
    Chat,
    Anthropic,
    Bedrock,
    Google,
}

impl Api {
    fn of(path: &str) -> Api {
        let path = path.split('?').next().unwrap_or_default();
        match path {
            path if path.ends_with("/responses") => Api::Responses,
            path if path.ends_with("/messages") => Api::Anthropic,
            path if path.ends_with("/converse-stream") => Api::Bedrock,
            path if path.ends_with(":streamGenerateContent") => Api::Google,
            _ => Api::Chat,
        }
    }
}

/// What the server does at a request, counted from 0.
type Replies = dyn Fn(usize, &Value) -> Reply + Send + Sync;

/// Something that happens before a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Everything is forgotten.
    Evict,
    /// The clock goes on by so many seconds.
    Wait(u64),
    /// The first attempt fails; another model, or the same one later, gets an answer.
    Fail,
}

#[derive(Default)]
struct State {
    store: Store,
    failed: Vec<usize>,
    bodies: Vec<Value>,
    counts: Vec<Counts>,
}

/// Ends with the process.
pub(crate) struct CachingServer {
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl CachingServer {
    /// `events` are of the requests of these numbers. Without `reports`, counts of the cache are left out.
    pub(crate) fn start(
        replies: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static,
        events: Vec<(usize, Event)>,
        reports: bool,
    ) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (shared, replies): (_, Box<Replies>) = (state.clone(), Box::new(replies));
        let address = http::serve_stream(move |request, stream| {
            stream.write_all(&answer(&mut shared.lock().unwrap(), request, &replies, &events, reports))
        });
        CachingServer { address, state }
    }

    /// The bodies of the requests that were answered.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.state.lock().unwrap().bodies.clone()
    }

    /// What was read and written at each of them.
    pub(crate) fn counts(&self) -> Vec<Counts> {
        self.state.lock().unwrap().counts.clone()
    }

    /// Variables that make this server the one of all providers.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let url = |path: &str| format!("http://{}{path}", self.address);
        let key = || "key".to_owned();
        vec![
            ("OPENAI_BASE_URL", url("/v1")),
            ("OPENAI_API_KEY", key()),
            ("ANTHROPIC_BASE_URL", url("/v1")),
            ("ANTHROPIC_API_KEY", key()),
            ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", url("")),
            ("AWS_BEARER_TOKEN_BEDROCK", key()),
            ("GOOGLE_GENERATIVE_AI_BASE_URL", url("/v1beta")),
            ("GOOGLE_GENERATIVE_AI_API_KEY", key()),
            ("DEEPSEEK_BASE_URL", url("")),
            ("DEEPSEEK_API_KEY", key()),
            ("LAB_API_BASE", url("/v1")),
            ("LAB_API_TYPE", "openai".to_owned()),
            ("LAB_API_KEY", key()),
        ]
    }
}

fn answer(
    state: &mut State,
    request: &Request,
    replies: &Replies,
    events: &[(usize, Event)],
    reports: bool,
) -> Vec<u8> {
    let (api, body) = (Api::of(&request.path), request.json());
    let number = state.counts.len();
    for (_, event) in events.iter().filter(|(at, _)| *at == number) {
        match event {
            Event::Evict => state.store.evict(),
            Event::Wait(seconds) => state.store.wait(*seconds),
            Event::Fail if !state.failed.contains(&number) => {
                state.failed.push(number);
                let body = r#"{"error":{"message":"this model is out of order"}}"#;
                return http::response("400 Bad Request", "application/json", body).into_bytes();
            }
            Event::Fail => {}
        }
    }
    let prompt = Prompt::of(api, &request.path, &body);
    let counts = state.store.ask(&prompt);
    let reply = replies(number, &body);
    state.counts.push(counts);
    state.bodies.push(body);
    reply.response(api, number, reports.then_some((counts, prompt.is_deepseek())), counts.input)
}
