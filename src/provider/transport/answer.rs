//! From events to parts: the stream a caller reads.

use std::{collections::BTreeMap, rc::Rc, time::Duration};

use serde_json::Value;
use tokio::time::Instant;

use super::{
    body::{BodyFailure, Opened, Pace},
    faults::Faults,
    limits::Limits,
};
use crate::{
    chat::{CallWarning, ResponseMetadata, StreamPart},
    provider::{
        ProviderError, ProviderErrorKind,
        failure::kind_of_error,
        framing::{Events, FrameFailure},
        servers::Pass,
        wire::{Decoded, Output, WireDecoder, WireEvent, WireFormat},
        words::of_event,
    },
};

/// How long to wait for the end of the stream once the provider said that its answer is over, or failed.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// An answer that is being read.
pub(super) struct Answer<'a> {
    events: Events<'a, BodyFailure>,
    decoder: Box<dyn WireDecoder>,
    out: Output,
    faults: Faults,
    limits: Limits,
    pace: Rc<Pace>,
    /// Goes out with the first metadata.
    head: Option<BTreeMap<String, String>>,
    warnings: Option<Vec<CallWarning>>,
    /// The first failure; what follows is still read, and then the stream ends with it.
    failure: Option<ProviderError>,
    ended: bool,
    /// The place at the server's gate, given back with the end of the answer.
    pass: Option<Pass>,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        wire: &dyn WireFormat,
        opened: Opened,
        warnings: Vec<CallWarning>,
        head: BTreeMap<String, String>,
        faults: Faults,
    ) -> Self {
        Answer {
            events: Events::new(wire.framing(), opened.bytes),
            decoder: wire.decoder(),
            out: Output::default(),
            faults,
            limits: opened.limits,
            pace: opened.pace,
            head: Some(head),
            warnings: Some(warnings),
            failure: None,
            ended: false,
            pass: None,
        }
    }

    /// Keeps the place at the server's gate as long as the answer comes.
    pub(super) fn hold(&mut self, pass: Pass) {
        self.pass = Some(pass).filter(|_| !self.ended);
    }

    /// The next part; after an error nothing follows.
    pub(super) async fn next(&mut self) -> Option<Result<StreamPart, ProviderError>> {
        // What was dropped from the request is known before the first byte of the answer.
        if let Some(warnings) = self.warnings.take() {
            return Some(Ok(StreamPart::StreamStart { warnings }));
        }
        loop {
            while let Some(decoded) = self.out.pop() {
                match decoded {
                    // A failed answer has no regular end.
                    Decoded::Part(StreamPart::Finish { .. }) if self.failure.is_some() => {}
                    Decoded::Part(part) => return Some(Ok(self.with_head(part))),
                    Decoded::Failure(failure) => {
                        self.fail(self.faults.error(failure.kind, &failure.message, failure.status));
                    }
                }
            }
            if self.ended {
                self.pass = None;
                return self.failure.take().map(Err);
            }
            self.read().await;
        }
    }

    /// When the very first thing the provider says is an error: that error and its status.
    pub(super) async fn first_failure(&mut self) -> Option<(ProviderError, u16)> {
        // Events may decode to nothing (`ping`).
        while self.out.is_empty() && !self.ended {
            self.read().await;
        }
        let failure = self.out.first_failure()?;
        let status = failure.status?;
        Some((self.faults.error(failure.kind.clone(), &failure.message, Some(status)), status))
    }

    /// Reads one event and decodes it.
    async fn read(&mut self) {
        match self.events.next().await {
            Some(Ok(event)) => {
                match event.as_wire() {
                    // Not JSON, so no decoder should have to look for it.
                    WireEvent::Data(data) if data.trim() == "[DONE]" => self.decoder.done_marker(),
                    event => self.decode(event),
                }
                // Some servers keep the connection open after the end.
                if self.decoder.complete() {
                    let until = Instant::now() + LAST_PATIENCE;
                    self.pace.until.set(self.pace.until.get().min(until));
                }
            }
            None => self.end(),
            // The answer is whole; what became of the connection no longer matters.
            Some(Err(FrameFailure::Body(_))) if self.decoder.complete() => self.end(),
            Some(Err(FrameFailure::Body(failure))) => {
                self.ended = true;
                self.fail(self.faults.body(&failure, &self.limits));
            }
            Some(Err(FrameFailure::Malformed(what))) => {
                self.ended = true;
                let message = format!("The provider's event stream is malformed: {what}");
                self.fail(self.faults.error(ProviderErrorKind::Protocol, &message, None));
            }
        }
    }

    /// Hands an event to the decoder. An error in another shape than the format's own is a failure all the same: the
    /// server behind a gateway, or the gateway itself, has broken off.
    fn decode(&mut self, event: WireEvent<'_>) {
        let before = self.out.len();
        // A list is no event of any format.
        let list = matches!(event, WireEvent::Data(data) if data.starts_with('['));
        if !list {
            self.decoder.event(event, &mut self.out);
        }
        if let WireEvent::Data(data) = event
            && self.out.len() == before
            && let Some((kind, message)) = reported(data)
        {
            return self.out.failure(kind, message);
        }
        if list {
            self.decoder.event(event, &mut self.out);
        }
    }

    fn end(&mut self) {
        self.ended = true;
        self.decoder.finish(&mut self.out);
    }

    fn fail(&mut self, error: ProviderError) {
        self.pace.idle.set(self.limits.idle.min(LAST_PATIENCE));
        // The first failure is the cause; later ones mostly follow from it.
        self.failure.get_or_insert(error);
    }

    /// Adds the response's headers to the first metadata; a finish without any gets them in front of it.
    fn with_head(&mut self, part: StreamPart) -> StreamPart {
        match part {
            StreamPart::ResponseMetadata(metadata) => {
                StreamPart::ResponseMetadata(ResponseMetadata { headers: self.head.take(), ..metadata })
            }
            finish @ StreamPart::Finish { .. } if self.head.is_some() => {
                self.out.push_front(finish);
                StreamPart::ResponseMetadata(ResponseMetadata { headers: self.head.take(), ..Default::default() })
            }
            part => part,
        }
    }
}

/// The failure an event tells of that its decoder made nothing of.
fn reported(data: &str) -> Option<(ProviderErrorKind, String)> {
    // Most events that say nothing name none of these; the others are parsed a second time.
    if !["\"error\"", "\"detail\"", "\"errors\""].iter().any(|key| data.contains(key)) {
        return None;
    }
    let event = serde_json::from_str::<Value>(data).ok()?;
    let (error, message) = of_event(&event)?;
    Some((kind_of_error(error, &message), message))
}
