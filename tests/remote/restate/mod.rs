//! Prompt files as services of Restate: the real server, workers that are started and killed, and a provider that
//! records requests.

use crate::support::{
    Outcome, Running,
    resume::{
        PRELUDE, Project,
        provider::{Conversation, Provider, Turn},
    },
};

pub(crate) mod balancer;
pub(crate) mod gate;
pub(crate) mod http;
pub(crate) mod server;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use gate::Gate;
use http::Reply;
use server::{Server, free_ports, soon};

/// Two steps with a tool call each, and an answer with both results. A tool call waits while there is a file `hold-`
/// with its id.
pub(crate) const STEPS: &str = "
export const input = z.object({ id: z.string() });
const named = z.object({ id: z.string() });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export default ({ $, defTool }, { id }) => {
  defTool('work', 'Works.', named, async ({ id }) => {
    note(`begin ${id}`);
    while (fs.existsSync(`hold-${id}`)) await sleep(10);
    note(`end ${id}`);
    return `${id} is done`;
  });
  $`You are who=${id}.`;
};
";

/// The model's answers for [`STEPS`].
pub(crate) fn steps(request: &Conversation) -> Turn {
    match request.step {
        2 => Turn::text(&request.results().join("; ")),
        step => {
            let id = format!("{}-{step}", request.who);
            Turn::default().call(&id, "work", &json!({ "id": id }))
        }
    }
}

/// The final text of a run of [`STEPS`].
pub(crate) fn final_text(id: &str) -> String {
    format!("{id}-0 is done; {id}-1 is done")
}

/// A folder with `p.lmt.mjs`, a provider, and a server.
pub(crate) struct Lab {
    pub project: Project,
    pub server: Server,
    pub gate: Gate,
}

impl Lab {
    /// The file calls the provider; its source is appended to [`PRELUDE`]. `None` if there is no server on this
    /// machine.
    pub(crate) fn new(test: &str, source: &str, answer: fn(&Conversation) -> Turn) -> Option<Self> {
        let server = Server::start(test)?;
        let gate = Gate::default();
        let passed = gate.clone();
        let provider = Provider::start(move |request| {
            passed.wait(&request.name());
            answer(request)
        });
        let source = format!("{PRELUDE}export const config = {{ model: 'lab:m' }};\n{source}");
        Some(Lab { project: Project::new(&source, provider), server, gate })
    }

    /// A registered worker for the file, on a port of its own.
    pub(crate) fn worker(&self) -> Worker {
        self.worker_of("p.lmt.mjs")
    }

    /// A registered worker for these files and options; one of the files is `p.lmt.mjs`.
    pub(crate) fn worker_of(&self, words: &str) -> Worker {
        let [port] = free_ports();
        self.registered(self.worker_behind(port, port, "worker.db", words))
    }

    /// A registered worker with this port and journal.
    pub(crate) fn worker_at(&self, port: u16, journal: &str) -> Worker {
        self.registered(self.worker_behind(port, port, journal, "p.lmt.mjs"))
    }

    /// Waits until the server knows the worker's services.
    pub(crate) fn registered(&self, mut worker: Worker) -> Worker {
        let is_registered = || {
            let services = http::ask("GET", self.server.admin, "/services/p", &[], "");
            services.is_ok_and(|reply| reply.status == 200)
        };
        soon("the service is registered", || is_registered() || worker.running.has_ended());
        worker.still_running()
    }

    /// A worker that the server reaches at another port.
    pub(crate) fn worker_behind(&self, balancer: u16, port: u16, journal: &str, words: &str) -> Worker {
        let admin = self.server.admin;
        let line = format!(
            "worker {words} --listen 127.0.0.1:{port} --register http://127.0.0.1:{admin} \
             --advertise http://127.0.0.1:{balancer} --journal {journal}"
        );
        let mut worker = Worker { running: Running::of(&mut self.project.command(&line)), port };
        soon("the worker listens", || worker.is_healthy() || worker.running.has_ended());
        worker.still_running()
    }

    pub(crate) fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.ingress)
    }

    pub(crate) fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.admin)
    }

    /// Calls a handler of the file and waits for the response.
    pub(crate) fn call(&self, handler: &str, input: &Value) -> Reply {
        self.server.post(&format!("/p/{handler}"), &[], input)
    }

    /// Starts a call; returns its id.
    pub(crate) fn send(&self, handler: &str, input: &Value) -> String {
        self.send_with(handler, &[], input)
    }

    pub(crate) fn send_with(&self, handler: &str, headers: &[(&str, &str)], input: &Value) -> String {
        let reply = self.server.post(&format!("/p/{handler}/send"), headers, input);
        assert!(matches!(reply.status, 200 | 202), "{reply:?}");
        reply.json()["invocationId"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a call; returns its response.
    pub(crate) fn ended(&self, id: &str) -> Reply {
        let mut reply = None;
        let path = format!("/restate/invocation/{id}/output");
        soon(&format!("{id} ends: {}", self.project.provider.count()), || {
            // The server may be down, or the call may still run.
            reply = http::ask("GET", self.server.ingress, &path, &[], "").ok().filter(|reply| !is_to_come(reply));
            reply.is_some()
        });
        reply.unwrap()
    }

    /// The JSON of a call that succeeds.
    pub(crate) fn result(&self, id: &str) -> Value {
        self.ended(id).good()
    }

    /// Waits until the provider has received this request this many times.
    pub(crate) fn wait_for_request(&self, name: &str, times: usize) {
        soon(&format!("{name} is asked {times} times"), || self.request_count(name) >= times);
    }

    /// How often the provider received this request.
    pub(crate) fn request_count(&self, name: &str) -> usize {
        self.project.provider.names().iter().filter(|request| *request == name).count()
    }

    /// The requests by name, and how often each came.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for name in self.project.provider.names() {
            *counts.entry(name).or_default() += 1;
        }
        counts
    }

    /// Waits until a tool has written this line.
    pub(crate) fn wait_for_note(&self, line: &str) {
        soon(line, || self.notes().iter().any(|noted| noted == line));
    }

    /// The lines that tools have written.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.project.lines("done.log")
    }
}

/// The call still runs, or the server does not serve yet.
fn is_to_come(reply: &Reply) -> bool {
    matches!(reply.status, 470 | 502 | 503 | 504)
}

/// Killed when it is dropped.
pub(crate) struct Worker {
    pub running: Running,
    pub port: u16,
}

impl Worker {
    pub(crate) fn is_healthy(&self) -> bool {
        http::ask("GET", self.port, "/health", &[], "").is_ok_and(|reply| reply.status == 200)
    }

    fn still_running(mut self) -> Self {
        if self.running.has_ended() {
            panic!("the worker has ended: {:?}", self.running.end());
        }
        self
    }

    pub(crate) fn kill(self) {
        self.running.signal("KILL");
        self.running.end();
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn end(self) -> Outcome {
        self.running.signal("TERM");
        self.running.end()
    }
}
