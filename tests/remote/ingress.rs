//! A stand-in for a Restate server on 127.0.0.1, with a service `p` whose runs end as their input says.

use std::{
    collections::BTreeMap,
    io::{self, BufReader, Write},
    net::TcpStream,
    sync::{Arc, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    PATIENCE,
    http::{Request, serve_connections},
    wait_within,
};

/// Takes a name. It has no model, and throws if it is called.
pub(crate) const ELSEWHERE: &str = "
import { z } from 'zod';
export const description = 'Greets';
export const input = z.object({ name: z.string().min(2), count: z.number().int().default(1) });
export default async () => { throw new Error('run here'); };
";

/// Serves until the process ends.
pub(crate) struct Ingress {
    port: u16,
    world: Arc<Mutex<World>>,
}

/// State of the server, and the faults it simulates.
#[derive(Default)]
pub(crate) struct World {
    /// In the order of arrival.
    pub runs: Vec<Run>,
    /// How many responses to submissions are lost, after the run is accepted.
    pub lose: usize,
    /// How many requests get status 503.
    pub refuse: usize,
    /// Whether every connection is closed at once.
    pub is_away: bool,
    /// Whether runs named `held` may end.
    pub is_released: bool,
    /// The required bearer token.
    pub token: Option<String>,
    /// Requests by method and path without ids.
    pub requests: BTreeMap<String, usize>,
    /// Resolved awakeables.
    pub decided: Vec<(String, Value)>,
    /// The response of the admin API.
    pub rows: Value,
}

#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub key: String,
    pub id: String,
    pub input: Value,
    pub submissions: usize,
    /// How many earlier runs have the same name.
    pub before: usize,
}

impl Ingress {
    pub(crate) fn start() -> Self {
        let world: Arc<Mutex<World>> = Arc::default();
        let shared = world.clone();
        let port = serve_connections(move |stream| serve(&stream, &shared));
        Ingress { port, world }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub(crate) fn count(&self) -> usize {
        self.world().runs.len()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.world());
    }

    /// The names of the runs, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let name = |run: &Run| run.input["name"].as_str().unwrap_or_default().to_owned();
        self.world().runs.iter().map(name).collect()
    }

    /// Waits until this many runs were accepted.
    pub(crate) fn wait_for_runs(&self, count: usize) {
        let message = || format!("runs did not come: {:?}", self.names());
        wait_within(PATIENCE, message, || self.count() >= count);
    }
}

impl World {
    /// Accepts a submission; true if it is the first with its key.
    fn submit(&mut self, key: &str, input: Value) -> (String, bool) {
        if let Some(run) = self.runs.iter_mut().find(|run| run.key == key) {
            run.submissions += 1;
            return (run.id.clone(), false);
        }
        let id = format!("inv_1{:04}", self.runs.len());
        let before = self.runs.iter().filter(|run| run.input["name"] == input["name"]).count();
        self.runs.push(Run { key: key.to_owned(), id: id.clone(), input, submissions: 1, before });
        (id, true)
    }

    /// The end of a run: status, whether the error is the run's own, body.
    fn ended(&self, id: &str) -> Option<(u16, bool, Value)> {
        let Some(run) = self.runs.iter().find(|run| run.id == id) else {
            return Some((404, false, json!({ "code": 404, "message": "invocation not found", "source": "ingress" })));
        };
        let name = run.input["name"].as_str().unwrap_or_default();
        let failed = |status, message| {
            Some((status, true, json!({ "code": status, "message": message, "source": "invocation" })))
        };
        let usage = json!({ "inputTokens": 3, "outputTokens": 2, "totalTokens": 5 });
        let mut report = json!({
            "ok": true, "text": format!("hello {name}"), "finishReason": "stop", "steps": 1, "usage": usage,
            "cost": 0.25, "model": "lab:m", "durationMs": 7,
        });
        let error =
            json!({ "code": 3, "kind": "model", "message": format!("no luck with {name}"), "hint": "try later" });
        match name {
            "held" if !self.is_released => return None,
            "bad" => (report["ok"], report["text"], report["error"]) = (false.into(), "half".into(), error),
            "once" if run.before == 0 => (report["ok"], report["error"]) = (false.into(), error),
            "typed" => report["output"] = json!({ "name": name, "input": run.input }),
            "odd" => return Some((200, false, json!(["odd"]))),
            "terminal" => return failed(500, "out of order"),
            "gone" => return Some((404, false, json!({ "code": 404, "message": "not found", "source": "ingress" }))),
            "cancelled" => return failed(409, "Cancelled"),
            _ => {}
        }
        Some((200, false, report))
    }
}

fn serve(stream: &TcpStream, world: &Mutex<World>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = Request::read(&mut reader)? {
        if !answer(&request, stream, world) {
            break;
        }
    }
    Ok(())
}

/// Responds; true if the connection stays open.
fn answer(request: &Request, stream: &TcpStream, world: &Mutex<World>) -> bool {
    let lock = || world.lock().unwrap();
    let own = |status: u16, message: &str| json!({ "code": status, "message": message, "source": "ingress" });
    if lock().is_away {
        return false;
    }
    let parts: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
    let kind = format!("{} {}", request.method, parts.last().unwrap());
    *lock().requests.entry(kind).or_default() += 1;
    let is_let_in = lock().token.clone().is_none_or(|token| {
        request.headers.get("authorization").is_some_and(|given| *given == format!("Bearer {token}"))
    });
    if !is_let_in {
        return send(stream, 401, false, &own(401, "unauthorized"));
    }
    if lock().refuse > 0 {
        lock().refuse -= 1;
        return send(stream, 503, false, &own(503, "partition is not ready"));
    }
    match (request.method.as_str(), &parts[..]) {
        ("POST", ["p", "report", "send"]) => {
            let input = serde_json::from_slice(&request.body).unwrap();
            let (id, is_new) = lock().submit(&request.headers["idempotency-key"], input);
            if lock().lose > 0 {
                lock().lose -= 1;
                return false;
            }
            let status = if is_new { "Accepted" } else { "PreviouslyAccepted" };
            send(stream, 202, false, &json!({ "invocationId": id, "status": status }))
        }
        ("POST", [service, _, "send"]) => {
            let message =
                format!("service '{service}' not found, make sure to register the service before calling it.");
            send(stream, 404, false, &own(404, &message))
        }
        ("GET", ["restate", "invocation", id, way]) => {
            let began = Instant::now();
            loop {
                let outcome = lock().ended(id);
                let is_away = lock().is_away || began.elapsed() > PATIENCE;
                match outcome {
                    _ if is_away => return false,
                    Some((status, is_of_invocation, body)) => return send(stream, status, is_of_invocation, &body),
                    None if *way == "output" => {
                        return send(stream, 470, false, &own(470, "the invocation exists but has not completed yet"));
                    }
                    None => thread::sleep(Duration::from_millis(5)),
                }
            }
        }
        ("POST", ["restate", "awakeables", id, "resolve"]) => {
            if !id.starts_with("sign_1") {
                return send(stream, 400, false, &own(400, &format!("bad awakeable id '{id}'")));
            }
            lock().decided.push(((*id).to_owned(), serde_json::from_slice(&request.body).unwrap()));
            send(stream, 202, false, &Value::Null)
        }
        ("POST", ["query"]) => {
            let rows = lock().rows.clone();
            send(stream, 200, false, &json!({ "rows": rows }))
        }
        _ => send(stream, 404, false, &Value::String("<html>nothing here</html>".to_owned())),
    }
}

fn send(mut stream: &TcpStream, status: u16, is_of_invocation: bool, body: &Value) -> bool {
    let body = match body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let source = match (status >= 400, is_of_invocation) {
        (true, true) => "x-restate-error-source: invocation\r\n",
        (true, false) => "x-restate-error-source: ingress\r\n",
        _ => "",
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{source}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).is_ok()
}
