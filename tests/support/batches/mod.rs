//! A server with batches, as each provider has them, that can fail at every act.

mod anthropic;
mod google;
mod mistral;
mod openai;
mod replies;
mod store;

use std::{
    io::{self, Write},
    net::TcpStream,
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::http::{self, Request};
pub(crate) use replies::{Asked, Reply};
use store::Store;
pub(crate) use store::{Batch, Phase};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    OpenAi,
    Azure,
    Groq,
    Mistral,
    Anthropic,
    Google,
}

pub(crate) const DIALECTS: [Dialect; 6] =
    [Dialect::OpenAi, Dialect::Azure, Dialect::Groq, Dialect::Mistral, Dialect::Anthropic, Dialect::Google];

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Act {
    Upload,
    Create,
    Status,
    /// A list of files or batches.
    List,
    Results,
    Cancel,
    Delete,
    /// An ordinary request, at the full price.
    Ask,
    Other,
}

/// What goes wrong at a request.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The connection ends, and nothing was done.
    EndBefore,
    /// It is done, and the connection ends without an answer.
    EndAfter,
    /// Nothing is done and nothing is said, until the client goes away.
    HoldBefore,
    /// It is done, and nothing is said, until the client goes away.
    HoldAfter,
    /// An answer with a status, header lines such as `retry-after: 0`, and a body.
    Refuse(u16, &'static str, Value),
    /// Half of the answer, and the end of the connection.
    Cut,
}

/// The answer to a request of a batch.
type Replies = dyn Fn(&Asked) -> Reply + Send + Sync;

pub(crate) struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    fn json(body: &Value) -> Self {
        Answer { status: 200, headers: "content-type: application/json\r\n".to_owned(), body: body.to_string() }
    }

    fn lines(lines: &[Value]) -> Self {
        let body = lines.iter().map(|line| format!("{line}\n")).collect();
        Answer { status: 200, headers: "content-type: application/jsonl\r\n".to_owned(), body }
    }

    fn error(status: u16, message: &str) -> Self {
        Answer { status, ..Answer::json(&json!({ "error": { "message": message, "type": "invalid_request_error" } })) }
    }

    fn missing() -> Self {
        Answer::error(404, "There is no such thing.")
    }

    fn bytes(&self) -> Vec<u8> {
        let Answer { status, headers, body } = self;
        let length = body.len();
        format!("HTTP/1.1 {status} Status\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
            .into()
    }
}

/// A request that was read, with what it asked for.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub act: Act,
    pub request: Request,
}

#[derive(Default)]
struct State {
    store: Store,
    seen: Vec<Seen>,
    /// Faults of acts, each at a request of the act from 0 on.
    faults: Vec<(Act, usize, Fault)>,
    elsewhere: Vec<Request>,
    delay: Duration,
    /// Requests that are being answered, and the most at once.
    open: (usize, usize),
}

/// Ends with the process. Its state outlives the clients.
#[derive(Clone)]
pub(crate) struct BatchServer {
    pub dialect: Dialect,
    pub address: String,
    state: Arc<Mutex<State>>,
}

impl BatchServer {
    /// A server that repeats the last text of the user.
    pub(crate) fn start(dialect: Dialect) -> Self {
        BatchServer::with(dialect, |asked| Reply::Text(asked.text.clone()))
    }

    pub(crate) fn with(dialect: Dialect, replies: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (shared, replies): (_, Box<Replies>) = (state.clone(), Box::new(replies));
        let address = http::serve_stream(move |request, stream| respond(dialect, &shared, &replies, request, stream));
        let store = &mut state.lock().unwrap().store;
        (store.address, store.polls) = (address.clone(), 1);
        BatchServer { dialect, address, state: state.clone() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Answers each request after a while.
    pub(crate) fn slow(self, delay: Duration) -> Self {
        self.state().delay = delay;
        self
    }

    pub(crate) fn most_open(&self) -> usize {
        self.state().open.1
    }

    /// How often a batch is asked about before it has ended.
    pub(crate) fn polls(self, count: usize) -> Self {
        self.state().store.polls = count;
        self
    }

    /// Lets results be at another host, which is given the requests for them.
    pub(crate) fn with_results_elsewhere(self) -> Self {
        let (shared, from) = (self.state.clone(), self.clone());
        let address = http::serve_stream(move |request, stream| {
            shared.lock().unwrap().elsewhere.push(request.clone());
            stream.write_all(&from.results_of(&request.path).bytes())
        });
        self.state().store.elsewhere = Some(format!("http://{address}"));
        self
    }

    /// Lets batches say that results are at another host, which wants a key of its own.
    pub(crate) fn behind_a_gateway(self) -> Self {
        let shared = self.state.clone();
        let address = http::serve_stream(move |request, stream| {
            shared.lock().unwrap().elsewhere.push(request.clone());
            stream.write_all(&Answer::error(401, "There is no key.").bytes())
        });
        self.state().store.elsewhere = Some(format!("http://{address}"));
        self.state().store.is_gateway = true;
        self
    }

    fn results_of(&self, path: &str) -> Answer {
        let (state, last) = (self.state(), path.rsplit('/').next().unwrap_or_default());
        match path.starts_with("/results/") {
            true => {
                let lines = state.store.results(|batch| batch.id == last);
                Answer::lines(&lines.iter().map(anthropic::result).collect::<Vec<_>>())
            }
            false => state.store.file(last).map_or_else(Answer::missing, |lines| Answer::lines(&lines)),
        }
    }

    /// Lets the request of this number (from 0) for an act fail.
    pub(crate) fn fail(&self, act: Act, number: usize, fault: Fault) {
        self.state().faults.push((act, number, fault));
    }

    /// Ends a batch, as another program or the provider may.
    pub(crate) fn end(&self, id: &str, phase: Phase) {
        self.state().store.end(id, phase);
    }

    /// Forgets a batch, as a provider does after a while.
    pub(crate) fn forget(&self, id: &str) {
        self.state().store.batches.retain(|batch| batch.id != id);
    }

    /// What the next batches that are created end as, in place of `Completed`.
    pub(crate) fn next_ends_as(&self, phases: &[Phase]) {
        self.state().store.endings.extend(phases.iter().rev().cloned());
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state().seen.clone()
    }

    pub(crate) fn count(&self, act: Act) -> usize {
        self.state().seen.iter().filter(|seen| seen.act == act).count()
    }

    /// The requests to the host of results.
    pub(crate) fn elsewhere(&self) -> Vec<Request> {
        self.state().elsewhere.clone()
    }

    pub(crate) fn batches(&self) -> Vec<Batch> {
        self.state().store.batches.clone()
    }

    /// The names of files that were not deleted.
    pub(crate) fn files(&self) -> Vec<String> {
        let state = self.state();
        state.store.files.iter().filter(|file| file.is_listed).map(|file| file.name.clone()).collect()
    }

    /// The bodies of requests that were answered, and so are paid: those of batches and ordinary ones.
    pub(crate) fn paid(&self) -> Vec<Value> {
        self.state().store.paid.clone()
    }

    pub(crate) fn base_url(&self) -> String {
        let path = match self.dialect {
            Dialect::OpenAi | Dialect::Anthropic | Dialect::Mistral => "/v1",
            Dialect::Azure => "/openai",
            Dialect::Groq => "/openai/v1",
            Dialect::Google => "/v1beta",
        };
        format!("http://{}{path}", self.address)
    }

    /// The variables that lead to it.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let prefix = match self.dialect {
            Dialect::OpenAi => "OPENAI",
            Dialect::Azure => "AZURE",
            Dialect::Groq => "GROQ",
            Dialect::Mistral => "MISTRAL",
            Dialect::Anthropic => "ANTHROPIC",
            Dialect::Google => "GOOGLE_GENERATIVE_AI",
        };
        vec![(format!("{prefix}_BASE_URL"), self.base_url()), (format!("{prefix}_API_KEY"), KEY.to_owned())]
    }

    /// A model of it.
    pub(crate) fn model(&self) -> &'static str {
        match self.dialect {
            Dialect::OpenAi => "openai:gpt-5.1",
            Dialect::Azure => "azure:gpt-4o",
            Dialect::Groq => "groq:llama-3.3-70b-versatile",
            Dialect::Mistral => "mistral:mistral-small-latest",
            Dialect::Anthropic => "anthropic:claude-sonnet-4-5",
            Dialect::Google => "google:gemini-2.5-flash",
        }
    }
}

/// The key that every request must have, and no other host may get.
pub(crate) const KEY: &str = "sk-batch-0123456789";

fn respond(
    dialect: Dialect,
    shared: &Mutex<State>,
    replies: &Replies,
    request: &Request,
    stream: &mut TcpStream,
) -> io::Result<()> {
    let act = act_of(dialect, request);
    let (fault, delay) = {
        let mut state = shared.lock().unwrap();
        state.open.0 += 1;
        state.open.1 = state.open.1.max(state.open.0);
        let number = state.seen.iter().filter(|seen| seen.act == act).count();
        state.seen.push(Seen { act, request: request.clone() });
        let at = state.faults.iter().position(|(of, at, _)| *of == act && *at == number);
        (at.map(|at| state.faults.remove(at).2), state.delay)
    };
    thread::sleep(delay);
    shared.lock().unwrap().open.0 -= 1;
    match &fault {
        Some(Fault::EndBefore) => return Ok(()),
        Some(Fault::HoldBefore) => return hold(),
        Some(Fault::Refuse(status, headers, body)) => {
            let headers = format!("content-type: application/json\r\n{headers}");
            let headers = headers.trim_end().to_owned() + "\r\n";
            return stream.write_all(&Answer { status: *status, headers, body: body.to_string() }.bytes());
        }
        _ => {}
    }
    let answer = match request.head.iter().any(|line| line.contains(KEY)) {
        true => answer(dialect, &mut shared.lock().unwrap().store, replies, act, request),
        false => Answer::error(401, "There is no key."),
    };
    match fault {
        Some(Fault::EndAfter) => Ok(()),
        Some(Fault::HoldAfter) => hold(),
        Some(Fault::Cut) => {
            let bytes = answer.bytes();
            stream.write_all(&bytes[..bytes.len() - answer.body.len() / 2])
        }
        _ => stream.write_all(&answer.bytes()),
    }
}

fn hold() -> io::Result<()> {
    thread::sleep(Duration::from_secs(60));
    Ok(())
}

fn act_of(dialect: Dialect, request: &Request) -> Act {
    match dialect {
        Dialect::OpenAi | Dialect::Azure | Dialect::Groq => openai::act(request),
        Dialect::Mistral => mistral::act(request),
        Dialect::Anthropic => anthropic::act(request),
        Dialect::Google => google::act(request),
    }
}

fn answer(dialect: Dialect, store: &mut Store, replies: &Replies, act: Act, request: &Request) -> Answer {
    if act == Act::Ask {
        let body = request.json();
        store.paid.push(body.clone());
        return replies::at_once(dialect, &request.path, &body, replies);
    }
    let answers = |path: &str, id: &str, body: &Value| replies::result(dialect, path, id, body, replies);
    match dialect {
        Dialect::OpenAi | Dialect::Azure | Dialect::Groq => openai::answer(store, &answers, act, request),
        Dialect::Mistral => mistral::answer(store, &answers, act, request),
        Dialect::Anthropic => anthropic::answer(store, &answers, act, request),
        Dialect::Google => google::answer(store, &answers, act, request),
    }
}

/// How many items a list has at most, so that clients have to turn pages.
const PAGE: usize = 2;

/// Leaves the page of a list that a client asks for by the last item before it. Whether more follow.
fn turn_page(request: &Request, after: &str, items: &mut Vec<Value>) -> bool {
    let after = request.path.split_once(after).map(|(_, after)| after.split('&').next().unwrap_or_default());
    if let Some(at) = after.and_then(|after| items.iter().position(|item| item["id"] == after)) {
        items.drain(..=at);
    }
    let has_more = items.len() > PAGE;
    items.truncate(PAGE);
    has_more
}

/// The segments of a path, without its query.
fn segments(request: &Request) -> Vec<&str> {
    let path = request.path.split('?').next().unwrap_or_default();
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}
