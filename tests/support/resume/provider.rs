//! An OpenAI-compatible provider whose answers depend on the conversation alone, so that a run gets the same answers
//! however often it is interrupted.

use std::{
    io::{self, Write},
    net::TcpStream,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::http::{self, Request};

/// The parts of a request that answers depend on.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    /// The text between `who=` and the next full stop, which names the prompt.
    pub who: String,
    /// The number of assistant messages.
    pub step: usize,
    pub body: Value,
}

impl Conversation {
    fn of(body: Value) -> Self {
        let messages = body["messages"].as_array().unwrap();
        let step = messages.iter().filter(|message| message["role"] == "assistant").count();
        Conversation { who: who(&body["messages"].to_string()).unwrap_or_default(), step, body }
    }

    /// Equal for equal requests.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.who, self.step)
    }

    /// The texts of the tool results.
    pub(crate) fn results(&self) -> Vec<String> {
        let messages = self.body["messages"].as_array().unwrap();
        let results = messages.iter().filter(|message| message["role"] == "tool");
        results.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub(crate) fn messages(&self) -> String {
        self.body["messages"].to_string()
    }
}

/// The name after the first `who=` in a text.
pub(crate) fn who(text: &str) -> Option<String> {
    let (_, after) = text.split_once("who=")?;
    after.split_once('.').map(|(word, _)| word.to_owned())
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    chunks: Vec<Value>,
    calls: usize,
    status: Option<u16>,
    cut_after: Option<usize>,
    pause: Duration,
}

impl Turn {
    pub(crate) fn text(text: &str) -> Self {
        let pieces = text.split_inclusive(' ');
        let chunks = pieces.map(|piece| json!({ "choices": [{ "delta": { "content": piece } }] })).collect();
        Turn { chunks, ..Turn::default() }
    }

    /// Adds a tool call, with the arguments in two pieces.
    pub(crate) fn call(mut self, id: &str, name: &str, input: &Value) -> Self {
        let text = input.to_string();
        let (first, second) = text.split_at(text.len() / 2);
        let delta = |call: Value| json!({ "choices": [{ "delta": { "tool_calls": [call] } }] });
        let (index, function) = (self.calls, json!({ "name": name, "arguments": first }));
        self.chunks.push(delta(json!({ "index": index, "id": id, "type": "function", "function": function })));
        self.chunks.push(delta(json!({ "index": index, "function": { "arguments": second } })));
        self.calls += 1;
        self
    }

    /// Closes the connection after this many pieces.
    pub(crate) fn cut_after(mut self, pieces: usize) -> Self {
        self.cut_after = Some(pieces);
        self
    }

    /// Pauses before each piece.
    pub(crate) fn slowly(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    pub(crate) fn failure(status: u16) -> Self {
        Turn { status: Some(status), ..Turn::default() }
    }

    fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        if let Some(status) = self.status {
            let body = json!({ "error": { "message": "no luck" } }).to_string();
            return stream.write_all(http::response(&format!("{status} No"), "application/json", &body).as_bytes());
        }
        stream.write_all(http::response("200 OK", "text/event-stream", "").as_bytes())?;
        let reason = if self.calls > 0 { "tool_calls" } else { "stop" };
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12 });
        let last = json!({ "choices": [{ "delta": {}, "finish_reason": reason }], "usage": usage });
        for (index, chunk) in self.chunks.iter().chain([&last]).enumerate() {
            if self.cut_after.is_some_and(|pieces| index >= pieces) {
                return Ok(());
            }
            thread::sleep(self.pause);
            stream.write_all(format!("data: {chunk}\n\n").as_bytes())?;
        }
        stream.write_all(b"data: [DONE]\n\n")
    }
}

/// Serves until the process ends.
pub(crate) struct Provider {
    pub base: String,
    requests: Arc<Mutex<Vec<Conversation>>>,
}

impl Provider {
    pub(crate) fn start(answer: impl Fn(&Conversation) -> Turn + Send + Sync + 'static) -> Self {
        let requests = Arc::<Mutex<Vec<Conversation>>>::default();
        let stored = requests.clone();
        let address = http::serve_stream(move |received: &Request, stream| {
            // The client may have been killed before it sent the whole request.
            let Ok(body) = serde_json::from_slice(&received.body) else { return Ok(()) };
            let conversation = Conversation::of(body);
            stored.lock().unwrap().push(conversation.clone());
            answer(&conversation).write(stream)
        });
        Provider { base: format!("http://{address}/v1"), requests }
    }

    /// The requests so far, in order.
    pub(crate) fn requests(&self) -> Vec<Conversation> {
        self.requests.lock().unwrap().clone()
    }

    /// The names of the requests so far.
    pub(crate) fn names(&self) -> Vec<String> {
        self.requests().iter().map(Conversation::name).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}
