//! Prompt files as services of Restate: the real server, workers that are started and ended as machines are, a provider that
//! keeps what it was asked.

use crate::support::{
    Ended, Running,
    resume::{
        PRELUDE, Place,
        provider::{Conversation, Provider, Turn},
    },
};

pub mod balancer;
pub mod gate;
pub mod http;
pub mod server;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use gate::Gate;
use http::Reply;
use server::{Server, free_ports, soon};

/// Two steps with a tool each, and an answer of both. A tool call waits as long as there is a file `hold-` with its id.
pub const STEPS: &str = "
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

/// What the model says to [`STEPS`].
pub fn steps(asked: &Conversation) -> Turn {
    match asked.step {
        2 => Turn::text(&asked.results().join("; ")),
        step => {
            let id = format!("{}-{step}", asked.who);
            Turn::default().call(&id, "work", &json!({ "id": id }))
        }
    }
}

/// What a run of [`STEPS`] says at its end.
pub fn said(id: &str) -> String {
    format!("{id}-0 is done; {id}-1 is done")
}

/// A folder with `p.lmt.mjs`, a provider, and a server.
pub struct Lab {
    pub place: Place,
    pub server: Server,
    pub gate: Gate,
}

impl Lab {
    /// The file asks the provider; its source stands behind [`PRELUDE`]. None where there is no server.
    pub fn new(test: &str, source: &str, answer: fn(&Conversation) -> Turn) -> Option<Self> {
        let server = Server::start(test)?;
        let gate = Gate::default();
        let passed = gate.clone();
        let provider = Provider::start(move |asked| {
            passed.wait(&asked.name());
            answer(asked)
        });
        let source = format!("{PRELUDE}export const config = {{ model: 'lab:m' }};\n{source}");
        Some(Lab { place: Place::new(&source, provider), server, gate })
    }

    /// A worker for the file on a port of its own, registered.
    pub fn worker(&self) -> Worker {
        self.worker_of("p.lmt.mjs")
    }

    /// The same for other files and options; one of the files is `p.lmt.mjs`.
    pub fn worker_of(&self, words: &str) -> Worker {
        let [port] = free_ports();
        self.registered(self.worker_behind(port, port, "worker.db", words))
    }

    /// One with this port and journal, registered, that takes calls.
    pub fn worker_at(&self, port: u16, journal: &str) -> Worker {
        self.registered(self.worker_behind(port, port, journal, "p.lmt.mjs"))
    }

    /// Waits until the server knows what it serves.
    pub fn registered(&self, mut worker: Worker) -> Worker {
        let is_registered = || {
            let services = http::ask("GET", self.server.admin, "/services/p", &[], "");
            services.is_ok_and(|reply| reply.status == 200)
        };
        soon("the service is registered", || is_registered() || worker.running.has_ended());
        worker.still_running()
    }

    /// One that is reached at another port.
    pub fn worker_behind(&self, balancer: u16, port: u16, journal: &str, words: &str) -> Worker {
        let admin = self.server.admin;
        let line = format!(
            "worker {words} --listen 127.0.0.1:{port} --register http://127.0.0.1:{admin} \
             --advertise http://127.0.0.1:{balancer} --journal {journal}"
        );
        let mut worker = Worker { running: Running::of(&mut self.place.command(&line)), port };
        soon("the worker listens", || worker.is_healthy() || worker.running.has_ended());
        worker.still_running()
    }

    /// Where calls go to.
    pub fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.ingress)
    }

    /// Where the server is told what to do.
    pub fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.admin)
    }

    /// Calls a handler of the file and waits for its answer.
    pub fn call(&self, handler: &str, input: &Value) -> Reply {
        self.server.post(&format!("/p/{handler}"), &[], input)
    }

    /// Begins a call; gives its id.
    pub fn send(&self, handler: &str, input: &Value) -> String {
        self.send_with(handler, &[], input)
    }

    pub fn send_with(&self, handler: &str, headers: &[(&str, &str)], input: &Value) -> String {
        let reply = self.server.post(&format!("/p/{handler}/send"), headers, input);
        assert!(matches!(reply.status, 200 | 202), "{reply:?}");
        reply.json()["invocationId"].as_str().unwrap().to_owned()
    }

    /// What a call came to; waits for its end.
    pub fn ended(&self, id: &str) -> Reply {
        let mut reply = None;
        let path = format!("/restate/invocation/{id}/output");
        soon(&format!("{id} ends: {}", self.place.provider.count()), || {
            // The server may be down; and there may be no answer yet.
            reply = http::ask("GET", self.server.ingress, &path, &[], "").ok().filter(|reply| !is_to_come(reply));
            reply.is_some()
        });
        reply.unwrap()
    }

    /// The JSON of a call that ends well.
    pub fn result(&self, id: &str) -> Value {
        self.ended(id).good()
    }

    /// Waits until the provider has been asked this, so often.
    pub fn wait_until_asked(&self, name: &str, times: usize) {
        soon(&format!("{name} is asked {times} times"), || self.asked(name) >= times);
    }

    /// How often the provider was asked this.
    pub fn asked(&self, name: &str) -> usize {
        self.place.provider.names().iter().filter(|asked| *asked == name).count()
    }

    /// How often it was asked what.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for name in self.place.provider.names() {
            *counts.entry(name).or_default() += 1;
        }
        counts
    }

    /// Waits until tools have noted this.
    pub fn wait_for_note(&self, line: &str) {
        soon(line, || self.notes().iter().any(|noted| noted == line));
    }

    /// What tools have noted.
    pub fn notes(&self) -> Vec<String> {
        self.place.lines("done.log")
    }
}

/// There is no answer yet, or whoever is asked does not serve yet.
fn is_to_come(reply: &Reply) -> bool {
    matches!(reply.status, 470 | 502 | 503 | 504)
}

/// A worker, which ends with the test.
pub struct Worker {
    pub running: Running,
    pub port: u16,
}

impl Worker {
    pub fn is_healthy(&self) -> bool {
        http::ask("GET", self.port, "/health", &[], "").is_ok_and(|reply| reply.status == 200)
    }

    fn still_running(mut self) -> Self {
        if self.running.has_ended() {
            panic!("the worker has ended: {:?}", self.running.end());
        }
        self
    }

    /// As `kill -9`.
    pub fn kill(self) {
        self.running.signal("KILL");
        self.running.end();
    }

    /// Asks it to end, and waits for that.
    pub fn end(self) -> Ended {
        self.running.signal("TERM");
        self.running.end()
    }
}
