//! A client of `lmthing lsp`.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use super::{Folder, KilledOnDrop, PATIENCE, wait_for_exit};

pub(crate) struct LspClient {
    child: KilledOnDrop,
    /// The temporary folder of the server, which is killed unless the test ends it.
    temporary: Folder,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that were read while another was waited for.
    seen: Vec<Value>,
    requests: u64,
}

/// The address of a file.
pub(crate) fn uri(path: &Path) -> String {
    String::from(url::Url::from_file_path(path).unwrap())
}

impl LspClient {
    /// Starts the server, which has no keys unless they are in `variables`.
    pub(crate) fn start(folder: &Folder, variables: &[(&str, &str)]) -> Self {
        let mut command = folder.bare_command("lsp --stdio");
        let temporary = Folder::new(&[]);
        command.stdin(std::process::Stdio::piped()).env("TMPDIR", temporary.path("")).envs(variables.iter().copied());
        let mut child: Child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        LspClient { child: KilledOnDrop(child), temporary, input, messages, seen: Vec::new(), requests: 0 }
    }

    /// A server that is initialized for the folder as a workspace.
    pub(crate) fn ready(folder: &Folder, variables: &[(&str, &str)]) -> Self {
        let mut client = Self::start(folder, variables);
        let capabilities = json!({ "window": { "showDocument": { "support": true } } });
        client.initialize(json!({ "rootUri": uri(&folder.path("")), "capabilities": capabilities }));
        client
    }

    pub(crate) fn initialize(&mut self, params: Value) -> Value {
        let result = self.request("initialize", params);
        self.notify("initialized", json!({}));
        result
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its number.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        self.requests
    }

    /// The answer to a request, with its `result` or `error`.
    pub(crate) fn answer(&mut self, number: u64) -> Value {
        self.wait(|message| message["id"] == number && message.get("method").is_none())
    }

    /// The result of a request.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let number = self.ask(method, params);
        let mut answer = self.answer(number);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The next message that fits; earlier ones that do not are kept in `seen`.
    pub(crate) fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left);
            let message = message.unwrap_or_else(|_| panic!("no such message came: {:#?}", self.seen));
            if fits(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "javascript", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    pub(crate) fn change(&mut self, uri: &str, version: u32, text: &str) {
        self.edit(uri, version, json!([{ "text": text }]));
    }

    pub(crate) fn edit(&mut self, uri: &str, version: u32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// The next findings about a document in this version; `None` for one that is not open.
    pub(crate) fn findings(&mut self, uri: &str, version: Option<u32>) -> Vec<Value> {
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"].as_u64() == version.map(u64::from)
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    pub(crate) fn command(&mut self, name: &str, uri: &str) -> Value {
        self.request("workspace/executeCommand", json!({ "command": name, "arguments": [uri] }))
    }

    /// Messages of this method that were read so far.
    pub(crate) fn seen(&self, method: &str) -> Vec<&Value> {
        self.seen.iter().filter(|message| message["method"] == method).collect()
    }

    /// A path in the server's temporary folder.
    pub(crate) fn temporary(&self, name: &str) -> PathBuf {
        self.temporary.path(name)
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.0.id()
    }

    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits for the end of the server and returns its exit code.
    pub(crate) fn exit_code(&mut self) -> Option<i32> {
        wait_for_exit(&mut self.child.0, || "the server goes on".to_owned()).code()
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some((_, value)) => length = value.parse().unwrap(),
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}
