//! A client of `lmthing mcp`, and prompt files to serve.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    process::{ChildStderr, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use crate::support::{Folder, KilledOnDrop, Outcome, PATIENCE, processes, wait_for_exit, wait_until, wait_within};

/// Answers a greeting; its input is `name` and `loud`.
pub(crate) const GREET: &str = "
import { z } from 'zod';
export const description = 'Greets somebody';
export const input = z.object({ name: z.string().describe('Who'), loud: z.boolean().default(false) });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello ' }, { type: 'text', text: 'there' }];
export default async ({ $ }, { name }) => { console.log('from the script'); $`Greet ${name}`; };
";

/// Its output is an object.
pub(crate) const WEATHER: &str = "
import { z } from 'zod';
export const description = 'Says how the weather is';
export const input = z.object({ city: z.string() });
export const output = z.object({ city: z.string(), degrees: z.number() });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '{\"city\":\"Rome\",\"degrees\":21}' }];
export default async ({ $ }, { city }) => { $`${city}`; };
";

/// Its output is an array.
pub(crate) const PRIMES: &str = "
import { z } from 'zod';
export const output = z.array(z.number());
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '[2,3,5]' }];
export default async ({ $ }) => { $`go`; };
";

/// Its output is the input, from a model of the file's own.
pub(crate) const COUNT: &str = "
import { z } from 'zod';
export const input = z.object({ n: z.number() });
export const output = z.object({ n: z.number(), seen: z.number() });
let given, seen = 0;
async function* answer() {
  seen += 1;
  yield { type: 'text-delta', id: '1', delta: JSON.stringify({ n: given, seen }) };
  yield { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}
export const config = { model: { modelId: 'own', provider: 'own', doStream: async () => ({ stream: answer() }) } };
export default async ({ $ }, { n }) => { given = n; $`${n}`; };
";

/// Calls a tool in two steps before the last answer.
pub(crate) const STEPS: &str = "
import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [
  { type: 'tool-call', toolName: 'look', args: { at: 1 } },
  { type: 'tool-call', toolName: 'look', args: { at: 2 } },
  { type: 'text', text: 'seen' },
];
export default async ({ defTool, $ }) => {
  defTool('look', 'Looks', z.object({ at: z.number() }), async ({ at }) => {
    // Long enough for a progress notification before the result.
    await new Promise((done) => setTimeout(done, 100));
    return `saw ${at}`;
  });
  $`go`;
};
";

/// Writes its process id to a file and never ends.
pub(crate) const ENDLESS: &str = "
import { appendFileSync } from 'node:fs';
export const config = { model: 'mock' };
export const mock = [];
export default async ({ $ }) => {
  appendFileSync('pids.txt', `${process.pid}\\n`);
  await new Promise((done) => setTimeout(done, 3_600_000));
  $`go`;
};
";

/// Ends its process without a message, if the input says so.
pub(crate) const CRASH: &str = "
import { z } from 'zod';
export const input = z.object({ how: z.string() });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'survived' }];
export default async ({ $ }, { how }) => {
  if (how === 'kill') process.kill(process.pid, 'SIGKILL');
  if (how === 'exit') process.exit(7);
  if (how === 'throw') throw new Error('it is broken');
  $`go`;
};
";

/// A client over the server's standard streams.
pub(crate) struct Client {
    child: KilledOnDrop,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that arrived before the one that was waited for.
    early: VecDeque<Value>,
    stderr: Arc<Mutex<String>>,
    id: u64,
}

impl Client {
    /// Starts a server and initializes the session.
    pub(crate) fn connect(folder: &Folder, arguments: &str) -> Self {
        let mut client = Client::start(&mut folder.command(arguments));
        let hello = client.ask("initialize", hello("2025-11-25"));
        assert_eq!(hello["serverInfo"]["name"], "lmthing", "{hello}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Starts a server without a session.
    pub(crate) fn start(command: &mut Command) -> Self {
        let (client, stderr) = Client::start_unread(command);
        let (mut from, to) = (BufReader::new(stderr), client.stderr.clone());
        thread::spawn(move || {
            let mut line = String::new();
            while from.read_line(&mut line).is_ok_and(|length| length > 0) {
                to.lock().unwrap().push_str(&line);
                line.clear();
            }
        });
        client
    }

    /// Like [`Client::start`], but stderr is not read.
    pub(crate) fn start_unread(command: &mut Command) -> (Self, ChildStderr) {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"));
                let _ = sender.send(message);
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let pipe = child.stderr.take().unwrap();
        let stdin = child.stdin.take();
        (Client { child: KilledOnDrop(child), stdin, messages, early: VecDeque::new(), stderr, id: 0 }, pipe)
    }

    /// Writes any line.
    pub(crate) fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request; returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        let id = self.id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// Sends a call; returns its id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The first message that fits, of those received and those to come.
    pub(crate) fn message(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.early.iter().position(&is_it) {
            return self.early.remove(place).unwrap();
        }
        let start = Instant::now();
        loop {
            let message = self.messages.recv_timeout(PATIENCE.saturating_sub(start.elapsed()));
            let message = message.unwrap_or_else(|_| panic!("{what} did not come: {:?} {}", self.early, self.stderr()));
            if is_it(&message) {
                return message;
            }
            self.early.push_back(message);
        }
    }

    /// The result or the error of a request.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let mut answer = self.message("an answer", |message| message["id"] == id);
        let part = if answer["error"].is_null() { "result" } else { "error" };
        answer[part].take()
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The result of a call.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        self.answer(id)
    }

    /// The text of a call that succeeds.
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The names of all tools.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", json!({}));
        list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits for a notification that the list of tools has changed.
    pub(crate) fn list_changed(&mut self) {
        self.message("list_changed", |message| message["method"] == "notifications/tools/list_changed");
    }

    pub(crate) fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    pub(crate) fn wait_for_stderr(&self, text: &str) {
        let message = || format!("{text:?} did not come: {}", self.stderr());
        wait_within(PATIENCE, message, || self.stderr().contains(text));
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        processes::signal(self.child.0.id(), name);
    }

    /// Closes stdin and waits for the end.
    pub(crate) fn close(mut self) -> Outcome {
        drop(self.stdin.take());
        self.end()
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Outcome {
        let stderr = self.stderr.clone();
        let status = wait_for_exit(&mut self.child.0, || stderr.lock().unwrap().clone());
        let rest = self.messages.iter().map(|message| format!("{message}\n")).collect();
        Outcome { code: status.code().unwrap_or(-1), stdout: rest, stderr: self.stderr() }
    }
}

/// The parameters of `initialize`.
pub(crate) fn hello(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

/// The process ids that `ENDLESS` has written, once there are `count`.
pub(crate) fn pids(folder: &Folder, count: usize) -> Vec<String> {
    let mut pids = Vec::new();
    wait_until(format!("the start of {count} runs"), || {
        pids = folder.lines("pids.txt");
        pids.len() >= count
    });
    pids
}

/// A server over HTTP.
pub(crate) struct HttpServer {
    child: KilledOnDrop,
    pub url: String,
    /// Its stderr up to the line with the address.
    pub printed: String,
}

impl HttpServer {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (mut printed, mut line) = (String::new(), String::new());
        let url = loop {
            line.clear();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "it does not listen: {printed}");
            printed += &line;
            if let Some(url) = line.trim().strip_prefix("listening on ") {
                break url.to_owned();
            }
        };
        // Keeps the pipe empty: the server must not block on it.
        thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        HttpServer { child: KilledOnDrop(child), url, printed }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.0.id()
    }

    /// Opens a connection and writes this.
    pub(crate) fn open(&self, text: &str) -> std::net::TcpStream {
        let mut stream = std::net::TcpStream::connect(self.address()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap()
    }

    /// Sends one request on its own connection; returns the status and the whole response.
    pub(crate) fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let address = self.address();
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\
             accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n",
            body.len()
        );
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        (answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default(), answer)
    }
}
