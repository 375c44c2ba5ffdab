//! An async HTTP server that plays canned answers in order and records the requests.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{Folder, Outcome};

#[derive(Clone, Debug)]
pub(crate) struct Canned {
    pub status: u16,
    pub status_text: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The body is sent in pieces of this size, each as a chunk and a packet of its own.
    pub piece: usize,
    /// Pause before each piece.
    pub delay: Duration,
    /// Pause before the head.
    pub head_delay: Duration,
    pub fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Closes the connection instead of sending a head.
    NoHead,
    /// Closes the connection after this many bytes of the body, without the last chunk.
    CutAfter(usize),
    /// Sends nothing after this many bytes and keeps the connection open.
    StallAfter(usize),
}

impl Canned {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Canned {
            status,
            status_text: String::new(),
            headers: vec![("content-type".into(), content_type.into())],
            body: body.into(),
            piece: usize::MAX,
            delay: Duration::ZERO,
            head_delay: Duration::ZERO,
            fault: Fault::None,
        }
    }

    pub(crate) fn sse(body: impl Into<Vec<u8>>) -> Self {
        Canned::new(200, "text/event-stream; charset=utf-8", body)
    }

    /// An event stream with these data.
    pub(crate) fn events(events: &[Value]) -> Self {
        Canned::sse(events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>())
    }

    pub(crate) fn json(body: &Value) -> Self {
        Canned::new(200, "application/json", body.to_string())
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn status_text(mut self, text: &str) -> Self {
        self.status_text = text.into();
        self
    }

    pub(crate) fn pieces(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }

    pub(crate) fn fault(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[derive(Default)]
struct Script {
    answers: VecDeque<Canned>,
    requests: Vec<ReceivedRequest>,
    token_requests: Vec<String>,
    connections: usize,
}

/// Stops with the runtime.
pub(crate) struct Server {
    pub port: u16,
    script: Arc<Mutex<Script>>,
}

impl Server {
    /// Requests after the last answer get status 500.
    pub(crate) async fn start(answers: Vec<Canned>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Arc::new(Mutex::new(Script { answers: answers.into(), ..Script::default() }));
        let shared = script.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Server { port, script }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<ReceivedRequest> {
        self.script.lock().unwrap().requests.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.script.lock().unwrap().connections
    }

    /// Bodies of the requests for OAuth tokens at `/token`.
    pub(crate) fn token_requests(&self) -> Vec<String> {
        self.script.lock().unwrap().token_requests.clone()
    }
}

/// Runs a prompt file against a server that plays these answers; `SERVER` in a variable stands for its address. Returns
/// what the server was asked.
pub(crate) async fn run_file(
    source: &str,
    variables: &[(&str, &str)],
    answers: Vec<Canned>,
) -> (Vec<ReceivedRequest>, Outcome) {
    let server = Server::start(answers).await;
    let folder = Folder::of(source);
    let mut command = folder.bare_command("run p.lmt.mjs");
    command.envs(variables.iter().map(|(name, value)| (*name, value.replace("SERVER", &server.url("")))));
    // The server shares this thread with the test.
    let outcome = tokio::task::spawn_blocking(move || Outcome::of(&mut command)).await.unwrap();
    (server.requests(), outcome)
}

async fn serve(mut stream: TcpStream, script: Arc<Mutex<Script>>) {
    stream.set_nodelay(true).ok();
    let mut buffer = Vec::new();
    while let Some(requests) = read_request(&mut stream, &mut buffer).await {
        let answer = if requests.path == "/token" {
            script.lock().unwrap().token_requests.push(String::from_utf8(requests.body).unwrap());
            let token = r#"{"access_token":"<key>","expires_in":3599,"token_type":"Bearer"}"#;
            Canned::new(200, "application/json", token)
        } else {
            let mut script = script.lock().unwrap();
            script.requests.push(requests);
            script.answers.pop_front().unwrap_or_else(|| Canned::new(500, "text/plain", "no answer is left"))
        };
        if write_answer(&mut stream, &answer).await.is_none() {
            return;
        }
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<ReceivedRequest> {
    let head_end = loop {
        if let Some(place) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break place;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer[..head_end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap().split(' ');
    let (method, path) = (first.next().unwrap().to_owned(), first.next().unwrap().to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    while buffer.len() < head_end + 4 + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = buffer[head_end + 4..head_end + 4 + length].to_vec();
    buffer.drain(..head_end + 4 + length);
    Some(ReceivedRequest { method, path, headers, body })
}

/// `None` if the connection must be closed.
async fn write_answer(stream: &mut TcpStream, answer: &Canned) -> Option<()> {
    if answer.fault == Fault::NoHead {
        return None;
    }
    tokio::time::sleep(answer.head_delay).await;
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, answer.status_text);
    // 204 has no body, not even an empty chunk.
    let has_body = answer.status != 204;
    if has_body {
        head.push_str("transfer-encoding: chunked\r\n");
    }
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    if !has_body {
        return Some(());
    }
    let body = match answer.fault {
        Fault::CutAfter(length) | Fault::StallAfter(length) => &answer.body[..length.min(answer.body.len())],
        _ => &answer.body,
    };
    for piece in body.chunks(answer.piece.max(1)) {
        if !answer.delay.is_zero() {
            tokio::time::sleep(answer.delay).await;
        }
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk).await.ok()?;
        if answer.piece != usize::MAX {
            stream.flush().await.ok()?;
            tokio::task::yield_now().await;
        }
    }
    match answer.fault {
        Fault::CutAfter(_) => return None,
        Fault::StallAfter(_) => tokio::time::sleep(Duration::from_secs(3600)).await,
        _ => {}
    }
    stream.write_all(b"0\r\n\r\n").await.ok()
}
