//! The bytes of an answer, within limits of time and size.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use futures_util::{StreamExt, stream};
use reqwest::{Response, header::CONTENT_TYPE};
use serde_json::Value;
use thiserror::Error;
use tokio::time::Instant;

use super::limits::Limits;
use crate::{
    http::{Body, BodyError, MAX_MESSAGE},
    provider::{
        framing::ByteStream,
        words::{of_body, root_cause},
    },
};

/// Why no more bytes come.
#[derive(Clone, Debug, Error)]
pub(super) enum BodyFailure {
    #[error("{0}")]
    Lost(String),
    /// More than an answer may have; it would be as much another time.
    #[error("{0}")]
    TooMuch(String),
    #[error("idle")]
    Idle,
    #[error("total")]
    Total,
}

/// A body that has begun.
pub(super) struct Opened {
    pub bytes: ByteStream<'static, BodyFailure>,
    pub limits: Limits,
    pub pace: Rc<Pace>,
    pub promise: Promise,
}

/// How long further bytes are waited for, which the answer shortens when nothing more is due, and how many.
#[derive(Debug)]
pub(super) struct Pace {
    /// The longest gap between two pieces.
    pub idle: Cell<Duration>,
    /// When the stream is left, whatever still comes.
    pub until: Cell<Instant>,
    /// Bytes that came since the last whole event.
    pub since_event: Cell<usize>,
}

/// What the head said of the body, and how the body then began.
#[derive(Debug)]
pub(super) struct Promise {
    pub status: u16,
    /// Without its parameters.
    kind: String,
    beginning: Rc<RefCell<Vec<u8>>>,
}

/// An answer that is no event stream.
pub(super) struct WrongAnswer {
    pub message: String,
    pub json: Option<Value>,
    /// Nothing came at all.
    pub is_empty: bool,
}

/// More of a wrong answer is not read.
const MAX_WRONG_BODY: usize = 64 << 10;

/// How long a gap in a wrong answer may be: what has come says enough.
const WRONG_PATIENCE: Duration = Duration::from_secs(5);

/// Enough to recognise a login page or a proxy by.
const SHOWN: usize = 200;

impl Opened {
    pub(super) fn new(response: Response, limits: Limits) -> Self {
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let beginning = Rc::default();
        let promise = Promise { status: response.status().as_u16(), kind, beginning: Rc::clone(&beginning) };
        let pace = Rc::new(Pace {
            idle: Cell::new(limits.idle),
            until: Cell::new(limits.deadline),
            since_event: Cell::default(),
        });
        let bytes = guarded(response, pace.clone(), beginning);
        Opened { bytes, limits, pace, promise }
    }

    /// Looks at the content type and at the first bytes.
    pub(super) async fn check(mut self) -> Result<Opened, WrongAnswer> {
        match self.promise.kind.as_str() {
            "application/vnd.amazon.eventstream" => return Ok(self),
            "text/html" => return Err(self.web_page().await),
            _ => {}
        }
        // Content types are wrong both ways: good streams come as JSON or plain text, and errors in JSON as event streams.
        // JSON and HTML give themselves away by how they begin, which no event does.
        let mut read = Vec::new();
        let first = loop {
            let Some(chunk) = self.bytes.next().await else { break None };
            let first = chunk.as_ref().ok().and_then(|chunk| chunk.trim_ascii_start().first().copied());
            let is_failure = chunk.is_err();
            read.push(chunk);
            if first.is_some() || is_failure {
                break first;
            }
        };
        if !matches!(first, Some(b'{' | b'[' | b'<')) {
            let rest = self.bytes;
            self.bytes = stream::iter(read).chain(rest).boxed_local();
            return Ok(self);
        }
        let body = self.collect(read.into_iter().flatten().flatten().collect()).await;
        let message = self.promise.not_events(&body);
        Err(WrongAnswer { message, json: serde_json::from_slice(&body).ok(), is_empty: false })
    }

    async fn web_page(&mut self) -> WrongAnswer {
        let body = self.collect(Vec::new()).await;
        let Some(said) = of_body(&body) else {
            return WrongAnswer { message: EMPTY.to_owned(), json: None, is_empty: true };
        };
        let title: String = said.words.chars().take(if said.page { SHOWN } else { 0 }).collect();
        let title = if title.is_empty() { title } else { format!(" titled \"{title}\"") };
        let message = format!(
            "The server sent a web page{title} (text/html) in place of an event stream. Is the base URL right, and does \
             no login or proxy stand in between?"
        );
        WrongAnswer { message, json: None, is_empty: false }
    }

    async fn collect(&mut self, mut body: Vec<u8>) -> Vec<u8> {
        self.pace.idle.set(self.pace.idle.get().min(WRONG_PATIENCE));
        while let Some(Ok(chunk)) = self.bytes.next().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_WRONG_BODY {
                break;
            }
        }
        body
    }
}

const EMPTY: &str = "The server sent an empty answer.";

impl Promise {
    /// What to say of a body that ended without one whole event; `None` when it was cut off inside the first.
    pub(super) fn without_events(&self) -> Option<WrongAnswer> {
        let beginning = self.beginning.borrow();
        let mut lines =
            beginning.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.trim_ascii().is_empty());
        // Comments only keep a connection alive, and an end alone ends nothing.
        if lines.clone().all(|line| line.starts_with(b":") || line.trim_ascii() == b"data: [DONE]") {
            return Some(WrongAnswer { message: EMPTY.to_owned(), json: None, is_empty: true });
        }
        if self.kind == "application/vnd.amazon.eventstream" || lines.next().is_none_or(is_field) {
            return None;
        }
        Some(WrongAnswer { message: self.not_events(&beginning), json: None, is_empty: false })
    }

    fn not_events(&self, body: &[u8]) -> String {
        let kind = match self.kind.as_str() {
            "" => "an answer of no stated type",
            "text/event-stream" => "something else",
            kind => kind,
        };
        let shown: String = String::from_utf8_lossy(body).chars().take(SHOWN).collect();
        format!("The server sent {kind} in place of an event stream: {shown}")
    }
}

/// Whether a line can begin an event; the line may be cut off.
fn is_field(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    [&b"data"[..], b"event", b"id", b"retry", b":"]
        .iter()
        .any(|field| line.starts_with(field) || field.starts_with(line))
}

impl BodyFailure {
    fn of(error: &BodyError, host: &str) -> Self {
        match error {
            BodyError::Lost(error) => BodyFailure::Lost(root_cause(error)),
            BodyError::Damaged(_) => BodyFailure::Lost(error.to_string()),
            BodyError::Ratio { .. } | BodyError::TooLong { .. } => {
                BodyFailure::TooMuch(format!("The answer of {host} is not read any further: {error}."))
            }
        }
    }
}

fn without_event(host: &str) -> BodyFailure {
    let most = MAX_MESSAGE >> 20;
    BodyFailure::TooMuch(format!(
        "The answer of {host} is not read any further: it has more than {most} MiB without the end of an event."
    ))
}

/// Host and port that the answer comes from.
fn host(response: &Response) -> String {
    let url = response.url();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", url.host_str().unwrap_or_default())
}

fn guarded(response: Response, pace: Rc<Pace>, beginning: Rc<RefCell<Vec<u8>>>) -> ByteStream<'static, BodyFailure> {
    let host: Rc<str> = host(&response).into();
    stream::unfold(Some(Body::new(response)), move |bytes| {
        let (pace, beginning, host) = (pace.clone(), beginning.clone(), host.clone());
        async move {
            let mut bytes = bytes?;
            let until = pace.until.get();
            // A gap longer than the clock can say is none.
            let idle = Instant::now().checked_add(pace.idle.get()).unwrap_or(until);
            match tokio::time::timeout_at(idle.min(until), bytes.chunk()).await {
                Ok(Ok(None)) => None,
                Ok(Ok(Some(chunk))) => {
                    pace.since_event.update(|count| count + chunk.len());
                    if pace.since_event.get() > MAX_MESSAGE {
                        return Some((Err(without_event(&host)), None));
                    }
                    let mut beginning = beginning.borrow_mut();
                    let room = SHOWN.saturating_sub(beginning.len()).min(chunk.len());
                    beginning.extend_from_slice(&chunk[..room]);
                    Some((Ok(chunk), Some(bytes)))
                }
                // Nothing is read behind a loss: it would not fit what came before.
                Ok(Err(error)) => Some((Err(BodyFailure::of(&error, &host)), None)),
                Err(_) if idle < until => Some((Err(BodyFailure::Idle), None)),
                Err(_) => Some((Err(BodyFailure::Total), None)),
            }
        }
    })
    // Asked again after its end by some readers.
    .fuse()
    .boxed_local()
}
