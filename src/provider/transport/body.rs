//! The bytes of an answer under time limits.

use std::{cell::Cell, rc::Rc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use reqwest::Response;
use serde_json::Value;
use thiserror::Error;
use tokio::time::Instant;

use super::limits::Limits;
use crate::provider::framing::ByteStream;

/// Why no more bytes come.
#[derive(Clone, Debug, Error)]
pub(super) enum BodyFailure {
    #[error("{0}")]
    Lost(String),
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
}

/// How long further bytes are waited for; the answer shortens it when nothing more is due.
#[derive(Debug)]
pub(super) struct Pace {
    /// The longest gap between two pieces.
    pub idle: Cell<Duration>,
    /// When the stream is left, whatever still comes.
    pub until: Cell<Instant>,
}

/// An answer that is no event stream.
pub(super) struct WrongAnswer {
    pub message: String,
    pub json: Option<Value>,
}

/// More of a wrong answer is not read.
const MAX_WRONG_BODY: usize = 64 << 10;

impl Opened {
    pub(super) fn new(response: Response, limits: Limits) -> Self {
        let pace = Rc::new(Pace { idle: Cell::new(limits.idle), until: Cell::new(limits.deadline) });
        let bytes = guarded(response, pace.clone());
        Opened { bytes, limits, pace }
    }

    /// Looks at the content type, and at the first bytes where it does not promise an event stream.
    pub(super) async fn check(mut self, content_type: &str) -> Result<Opened, WrongAnswer> {
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        if matches!(kind, "text/event-stream" | "application/vnd.amazon.eventstream") {
            return Ok(self);
        }
        if kind == "text/html" {
            return Err(self.web_page().await);
        }
        // Many servers send a good stream under another type; JSON and HTML give themselves away by how they begin.
        let Some(Ok(first)) = self.bytes.next().await else { return Ok(self) };
        if !matches!(first.trim_ascii_start().first(), Some(b'{' | b'[' | b'<')) {
            let rest = self.bytes;
            self.bytes = stream::once(async { Ok(first) }).chain(rest).boxed_local();
            return Ok(self);
        }
        let body = self.collect(first).await;
        let json = serde_json::from_slice(&body).ok();
        let kind = if kind.is_empty() { "an answer of no stated type" } else { kind };
        // Enough to recognise a login page or a proxy by.
        let shown = String::from_utf8_lossy(&body);
        Err(WrongAnswer { message: format!("The server sent {kind} in place of an event stream: {shown}"), json })
    }

    async fn web_page(&mut self) -> WrongAnswer {
        let body = self.collect(Bytes::new()).await;
        let text = String::from_utf8_lossy(&body);
        let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        let title = title.map(|(title, _)| format!(" titled \"{}\"", title.trim())).unwrap_or_default();
        let message = format!(
            "The server sent a web page{title} (text/html) in place of an event stream. Is the base URL right, and does \
             no login or proxy stand in between?"
        );
        WrongAnswer { message, json: None }
    }

    async fn collect(&mut self, first: Bytes) -> Vec<u8> {
        let mut body = first.to_vec();
        while let Some(Ok(chunk)) = self.bytes.next().await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_WRONG_BODY {
                break;
            }
        }
        body
    }
}

fn guarded(response: Response, pace: Rc<Pace>) -> ByteStream<'static, BodyFailure> {
    let bytes = response.bytes_stream().boxed_local();
    stream::unfold(Some(bytes), move |bytes| {
        let pace = pace.clone();
        async move {
            let mut bytes = bytes?;
            let until = pace.until.get();
            // A gap longer than the clock can say is none.
            let idle = Instant::now().checked_add(pace.idle.get()).unwrap_or(until);
            match tokio::time::timeout_at(idle.min(until), bytes.next()).await {
                Ok(None) => None,
                Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(bytes))),
                // Nothing is read behind a loss: it would not fit what came before.
                Ok(Some(Err(error))) => Some((Err(BodyFailure::Lost(cause(&error))), None)),
                Err(_) if idle < until => Some((Err(BodyFailure::Idle), None)),
                Err(_) => Some((Err(BodyFailure::Total), None)),
            }
        }
    })
    .boxed_local()
}

/// The words of the innermost error; the outer ones repeat the URL.
fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
