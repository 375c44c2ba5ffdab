//! The bytes of a response, within limits of time and size.

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
    error_text::{parse_body, root_cause},
    framing::ByteStream,
    wire::Framing,
};
use lmthing_system::http::{Body, BodyError, MAX_MESSAGE};

#[derive(Clone, Debug, Error)]
pub(super) enum BodyFailure {
    #[error("{0}")]
    Lost(String),
    #[error("{0}")]
    TooLarge(String),
    #[error("idle")]
    Idle,
    #[error("total")]
    Total,
}

pub(super) struct OpenBody {
    pub bytes: ByteStream<'static, BodyFailure>,
    pub limits: Limits,
    pub pace: Rc<Pace>,
    pub description: BodyDescription,
}

/// How long and how much further data is awaited; the time is shortened when the response is complete.
#[derive(Debug)]
pub(super) struct Pace {
    pub idle: Cell<Duration>,
    pub until: Cell<Instant>,
    pub since_event: Cell<usize>,
}

/// The head and the prefix of the body, for descriptions of wrong responses.
#[derive(Debug)]
pub(super) struct BodyDescription {
    pub status: u16,
    framing: Framing,
    content_type: String,
    prefix: Rc<RefCell<Vec<u8>>>,
}

pub(super) struct WrongResponse {
    pub message: String,
    pub json: Option<Value>,
    pub is_empty: bool,
}

const MAX_WRONG_BODY: usize = 64 << 10;

const WRONG_BODY_GAP: Duration = Duration::from_secs(5);

/// Characters shown of a wrong response, enough to recognize a login page or a proxy.
const MAX_SHOWN: usize = 200;

impl OpenBody {
    pub(super) fn new(response: Response, limits: Limits, framing: Framing) -> Self {
        let header = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = header.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let prefix = Rc::default();
        let description =
            BodyDescription { status: response.status().as_u16(), framing, content_type, prefix: Rc::clone(&prefix) };
        let pace = Rc::new(Pace {
            idle: Cell::new(limits.idle),
            until: Cell::new(limits.deadline),
            since_event: Cell::default(),
        });
        let bytes = limited_stream(response, pace.clone(), prefix);
        OpenBody { bytes, limits, pace, description }
    }

    pub(super) async fn check(mut self) -> Result<OpenBody, WrongResponse> {
        match self.description.content_type.as_str() {
            "application/vnd.amazon.eventstream" => return Ok(self),
            "text/html" => return Err(self.web_page().await),
            _ => {}
        }
        // Content types are unreliable: streams come as JSON or plain text, and JSON errors as event streams. The
        // first byte distinguishes JSON and HTML from events.
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
        let is_wrong = match self.description.framing {
            Framing::JsonLines => first.is_some_and(|byte| byte != b'{'),
            Framing::Sse | Framing::AwsEventStream => matches!(first, Some(b'{' | b'[' | b'<')),
        };
        if !is_wrong {
            let rest = self.bytes;
            self.bytes = stream::iter(read).chain(rest).boxed_local();
            return Ok(self);
        }
        let body = self.collect(read.into_iter().flatten().flatten().collect()).await;
        let message = self.description.wrong_type_message(&body);
        Err(WrongResponse { message, json: serde_json::from_slice(&body).ok(), is_empty: false })
    }

    async fn web_page(&mut self) -> WrongResponse {
        let body = self.collect(Vec::new()).await;
        let Some(parsed) = parse_body(&body) else {
            return WrongResponse { message: EMPTY.to_owned(), json: None, is_empty: true };
        };
        let title: String = parsed.message.chars().take(if parsed.is_page { MAX_SHOWN } else { 0 }).collect();
        let title = if title.is_empty() { title } else { format!(" titled \"{title}\"") };
        let expected = self.description.expected();
        let message = format!(
            "The server sent a web page{title} (text/html) in place of {expected}. Is the base URL right, and does \
             no login or proxy stand in between?"
        );
        WrongResponse { message, json: None, is_empty: false }
    }

    async fn collect(&mut self, mut body: Vec<u8>) -> Vec<u8> {
        self.pace.idle.set(self.pace.idle.get().min(WRONG_BODY_GAP));
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

impl BodyDescription {
    pub(super) fn without_events(&self) -> Option<WrongResponse> {
        let prefix = self.prefix.borrow();
        let mut lines = prefix.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.trim_ascii().is_empty());
        // Comments are for keep-alive, and an end marker alone is no response.
        if lines.clone().all(|line| line.starts_with(b":") || line.trim_ascii() == b"data: [DONE]") {
            return Some(WrongResponse { message: EMPTY.to_owned(), json: None, is_empty: true });
        }
        let is_other_framing =
            self.framing == Framing::JsonLines || self.content_type == "application/vnd.amazon.eventstream";
        if is_other_framing || lines.next().is_none_or(may_start_event) {
            return None;
        }
        Some(WrongResponse { message: self.wrong_type_message(&prefix), json: None, is_empty: false })
    }

    fn wrong_type_message(&self, body: &[u8]) -> String {
        let kind = match self.content_type.as_str() {
            "" => "an answer of no stated type",
            "text/event-stream" if self.framing != Framing::JsonLines => "something else",
            kind => kind,
        };
        let shown: String = String::from_utf8_lossy(body).chars().take(MAX_SHOWN).collect();
        format!("The server sent {kind} in place of {}: {shown}", self.expected())
    }

    fn expected(&self) -> &'static str {
        match self.framing {
            Framing::JsonLines => "lines of JSON",
            Framing::Sse | Framing::AwsEventStream => "an event stream",
        }
    }
}

fn may_start_event(line: &[u8]) -> bool {
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
                BodyFailure::TooLarge(format!("The answer of {host} is not read any further: {error}."))
            }
        }
    }
}

fn event_too_long(host: &str) -> BodyFailure {
    let most = MAX_MESSAGE >> 20;
    BodyFailure::TooLarge(format!(
        "The answer of {host} is not read any further: it has more than {most} MiB without the end of an event."
    ))
}

fn host(response: &Response) -> String {
    let url = response.url();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", url.host_str().unwrap_or_default())
}

fn limited_stream(
    response: Response,
    pace: Rc<Pace>,
    prefix: Rc<RefCell<Vec<u8>>>,
) -> ByteStream<'static, BodyFailure> {
    let host: Rc<str> = host(&response).into();
    stream::unfold(Some(Body::new(response)), move |bytes| {
        let (pace, prefix, host) = (pace.clone(), prefix.clone(), host.clone());
        async move {
            let mut bytes = bytes?;
            let until = pace.until.get();
            // A gap that overflows the clock means no limit.
            let idle = Instant::now().checked_add(pace.idle.get()).unwrap_or(until);
            match tokio::time::timeout_at(idle.min(until), bytes.chunk()).await {
                Ok(Ok(None)) => None,
                Ok(Ok(Some(chunk))) => {
                    pace.since_event.update(|count| count + chunk.len());
                    if pace.since_event.get() > MAX_MESSAGE {
                        return Some((Err(event_too_long(&host)), None));
                    }
                    let mut prefix = prefix.borrow_mut();
                    let room = MAX_SHOWN.saturating_sub(prefix.len()).min(chunk.len());
                    prefix.extend_from_slice(&chunk[..room]);
                    Some((Ok(chunk), Some(bytes)))
                }
                // Stop at an error: later bytes would not continue the previous ones.
                Ok(Err(error)) => Some((Err(BodyFailure::of(&error, &host)), None)),
                Err(_) if idle < until => Some((Err(BodyFailure::Idle), None)),
                Err(_) => Some((Err(BodyFailure::Total), None)),
            }
        }
    })
    // Some readers poll after the end.
    .fuse()
    .boxed_local()
}
