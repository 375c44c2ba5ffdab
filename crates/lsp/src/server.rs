//! The thread that handles messages and results in turn, and the life of the server.

use std::{
    cell::OnceCell,
    io::{BufReader, Read, Write},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use gen_lsp_types::{
    ErrorCodes,
    json_rpc::{Id, RequestObject},
};
use lmthing_base::cost::ListedModel;
use lmthing_check::CheckOptions;
use lmthing_system::threads::ThreadOptions;
use serde_json::{Value, json};

use super::{
    checks::{CheckEvent, Checks, Findings},
    client::{Client, capabilities, watch_request},
    commands::Output,
    diagnostics::Shown,
    documents::Documents,
    parent,
    tasks::Tasks,
    transport::{self, Incoming, Messages, failure},
    workplace::{Workplace, remove_abandoned},
};

/// The stack of threads that read and write messages.
const STACK_SIZE: usize = 1 << 20;

/// How long answers may take to be written at the end, and processes to end.
const END_PATIENCE: Duration = Duration::from_millis(500);

/// Sleeps without work last no longer.
const IDLE: Duration = Duration::from_secs(60);

pub struct ServerOptions {
    /// The version in `serverInfo`.
    pub version: &'static str,
    /// This program, which runs commands.
    pub program: PathBuf,
    /// How files are checked that are run from a folder.
    pub check: fn(&Path) -> CheckOptions,
    /// Returns when the system asks the process to end.
    pub wait_for_signal: fn(),
    /// Today, such as `2026-11-21`.
    pub today: fn() -> String,
}

pub(crate) enum Event {
    Incoming(Incoming),
    Checked(CheckEvent),
    Hovered(Id, Value),
    Ran(Id, Box<Output>),
    MustEnd,
}

/// How far the client is in the life of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    New,
    Running,
    ShutDown,
}

pub(crate) struct Server {
    pub(crate) options: ServerOptions,
    pub(crate) events: Sender<Event>,
    pub(crate) client: Client,
    pub(crate) documents: Documents,
    pub(crate) checks: Checks,
    pub(crate) shown: Shown,
    pub(crate) tasks: Tasks,
    pub(crate) workplace: Option<Workplace>,
    /// The models of the price table, which takes a while to read.
    pub(crate) models: OnceCell<Vec<ListedModel>>,
    output: Sender<Value>,
    life: Life,
    requests: u64,
}

/// Serves one client until it ends the server, or its streams end. Returns whether it was shut down first.
///
/// # Errors
/// A thread cannot be started.
pub fn serve(
    input: impl Read + Send + 'static,
    mut output: impl Write + Send + 'static,
    options: ServerOptions,
) -> std::io::Result<bool> {
    let (events, incoming) = channel();
    let (messages, to_write) = channel::<Value>();
    let (written, all_written) = channel::<()>();
    let to_events = events.clone();
    let read = move || {
        let mut messages = Messages::new(BufReader::new(input));
        loop {
            let message = messages.read();
            let is_end = matches!(message, Incoming::End);
            if to_events.send(Event::Incoming(message)).is_err() || is_end {
                return;
            }
        }
    };
    let write = move || {
        // A client that reads no more has ended.
        let _ = to_write.iter().try_for_each(|message| transport::write(&mut output, &message));
        drop(written);
    };
    let (wait_for_signal, to_end) = (options.wait_for_signal, events.clone());
    let wait = move || {
        wait_for_signal();
        drop(to_end.send(Event::MustEnd));
    };
    ThreadOptions { name: "lmthing-signal", stack_size: STACK_SIZE }.spawn(wait)?;
    ThreadOptions { name: "lmthing-clean", stack_size: STACK_SIZE }.spawn(remove_abandoned)?;
    ThreadOptions { name: "lmthing-read", stack_size: STACK_SIZE }.spawn(read)?;
    ThreadOptions { name: "lmthing-write", stack_size: STACK_SIZE }.spawn(write)?;
    let of_checks = events.clone();
    let sender = move || {
        let events = of_checks.clone();
        // The server may have ended.
        Box::new(move |event| drop(events.send(Event::Checked(event)))) as Box<dyn Fn(CheckEvent) + Send>
    };
    let mut server = Server {
        options,
        events,
        client: Client::default(),
        documents: Documents::default(),
        checks: Checks::start(sender)?,
        shown: Shown::default(),
        tasks: Tasks::default(),
        workplace: None,
        models: OnceCell::new(),
        output: messages,
        life: Life::New,
        requests: 0,
    };
    let is_shut_down = server.run(&incoming);
    server.end();
    drop(server);
    // Waits until the last answers are written.
    let _ = all_written.recv_timeout(END_PATIENCE);
    Ok(is_shut_down)
}

impl Server {
    fn run(&mut self, incoming: &Receiver<Event>) -> bool {
        loop {
            let wait = self.checks.due().map_or(IDLE, |due| due.saturating_duration_since(Instant::now()));
            match incoming.recv_timeout(wait) {
                Ok(Event::Incoming(Incoming::Call(call))) if call.method() == "exit" && call.id().is_none() => break,
                Ok(Event::Incoming(Incoming::End) | Event::MustEnd) => break,
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            for (path, findings) in self.checks.work() {
                self.show(&path, findings);
            }
            self.answer_fixes();
        }
        self.life == Life::ShutDown
    }

    fn end(&mut self) {
        if self.tasks.cancel_all() {
            thread::sleep(END_PATIENCE);
        }
        self.workplace = None;
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Incoming(Incoming::Call(call)) => self.call(call),
            Event::Incoming(Incoming::Damaged { id, code, why }) => {
                self.log(&format!("a message was skipped: {why}"));
                self.send(json!(failure(id, code, why)));
            }
            Event::Incoming(Incoming::Answer | Incoming::End) | Event::MustEnd => {}
            Event::Checked(event) => {
                let (client, check) = (&self.client, self.options.check);
                let options =
                    |path: &Path| CheckOptions { render: client.is_rendering, ..check(&client.directory_of(path)) };
                if let Some((path, findings)) = self.checks.take(event, options) {
                    self.show(&path, findings);
                }
            }
            Event::Hovered(id, hover) => {
                if self.tasks.finish(&id) {
                    self.answer(id, hover);
                }
            }
            Event::Ran(id, output) => self.ran(id, &output),
        }
    }

    fn call(&mut self, call: RequestObject) {
        let (method, id, params) = call.into_parts();
        let params = params.unwrap_or_default();
        match (id, self.life) {
            (Some(id), Life::New) if method == "initialize" => {
                self.client = Client::of(&params);
                self.life = Life::Running;
                self.begin();
                self.answer(id, capabilities(self.options.version));
            }
            (Some(id), Life::New) => {
                let why = format!("{method} came before initialize");
                self.refuse(id, ErrorCodes::ServerNotInitialized, why);
            }
            (Some(id), Life::Running) if method == "initialize" => {
                self.refuse(id, ErrorCodes::InvalidRequest, "the server is initialized");
            }
            (Some(id), Life::Running) if method == "shutdown" => {
                self.life = Life::ShutDown;
                self.answer(id, Value::Null);
            }
            (Some(id), Life::Running) => self.request(id, &method, params),
            (Some(id), Life::ShutDown) => {
                self.refuse(id, ErrorCodes::InvalidRequest, format!("{method} came after shutdown"));
            }
            (None, Life::Running) => self.notification(&method, params),
            (None, Life::New | Life::ShutDown) => {}
        }
    }

    fn begin(&mut self) {
        if let Some(process) = self.client.process {
            let events = self.events.clone();
            parent::watch(process, move || drop(events.send(Event::MustEnd)));
        }
        // What scripts see as the working directory.
        if let Some(folder) = self.client.folders.first() {
            let _ = std::env::set_current_dir(folder);
        }
    }

    pub(crate) fn initialized(&mut self) {
        if self.client.can_watch_files {
            self.ask("client/registerCapability", watch_request());
        }
    }

    /// Shows the findings of a check.
    fn show(&mut self, path: &Path, findings: Findings) {
        for params in self.shown.replace(path, findings.findings, &self.documents) {
            self.publish(params);
        }
    }

    pub(crate) fn publish(&self, params: Value) {
        self.notify("textDocument/publishDiagnostics", params);
    }

    pub(crate) fn answer(&self, id: Id, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    pub(crate) fn refuse(&self, id: Id, code: ErrorCodes, why: impl Into<String>) {
        self.send(json!(failure(id, code, why)));
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request to the client, whose answer does not matter.
    pub(crate) fn ask(&mut self, method: &str, params: Value) {
        let id = format!("lmthing-{}", self.next_number());
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    pub(crate) fn next_number(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }

    /// A line for the log of the client.
    fn log(&self, line: &str) {
        const WARNING: u32 = 2;
        self.notify("window/logMessage", json!({ "type": WARNING, "message": line }));
    }

    fn send(&self, message: Value) {
        // The writer has ended if the client reads no more; the end of the input follows.
        let _ = self.output.send(message);
    }
}
