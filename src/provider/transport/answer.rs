//! From events to parts: the stream a caller reads.

use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
    time::Duration,
};

use serde_json::Value;
use tokio::time::Instant;

use super::{
    body::{BodyFailure, Opened, Pace, Promise, WrongAnswer},
    faults::Faults,
    limits::Limits,
    repeatable::is_repeatable,
};
use crate::{
    chat::{CallWarning, ResponseMetadata, StreamPart},
    provider::{
        ProviderError, ProviderErrorKind,
        failure::kind_of_error,
        framing::{Events, FrameFailure},
        servers::Pass,
        visible::is_visible,
        wire::{Decoded, Output, WireDecoder, WireEvent, WireFormat},
        words::of_event,
    },
};

/// How long a gap may be once the provider said that its answer is over, or failed: usage may follow.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// After so long the stream is left, even if signs of life go on, or where the provider says with each piece that it is
/// the last.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// What went wrong with an answer.
pub(super) struct Failure {
    pub error: ProviderError,
    /// Whether another attempt may mend it, as long as nothing was visible.
    pub is_repeatable: bool,
}

/// An answer that is being read.
pub(super) struct Answer<'a> {
    events: Events<'a, BodyFailure>,
    decoder: Box<dyn WireDecoder>,
    out: Output,
    /// Parts that were read before the answer was given out.
    peeked: VecDeque<StreamPart>,
    faults: Faults,
    limits: Limits,
    pace: Rc<Pace>,
    promise: Promise,
    saw_event: bool,
    /// Goes out with the first metadata.
    head: Option<BTreeMap<String, String>>,
    warnings: Option<Vec<CallWarning>>,
    /// The first failure; what follows is still read, and then the stream ends with it.
    failure: Option<Failure>,
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
            peeked: VecDeque::new(),
            faults,
            limits: opened.limits,
            pace: opened.pace,
            promise: opened.promise,
            saw_event: false,
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

    /// Reads up to the first visible part, which `next` then begins before. A failure before it that another attempt may
    /// mend is given out in place of the answer; with any other one, what still follows is an answer nonetheless.
    pub(super) async fn begin(&mut self) -> Result<(), ProviderError> {
        loop {
            while let Some(decoded) = self.out.pop() {
                let Some(part) = self.take(decoded) else { break };
                let visible = is_visible(&part);
                self.peeked.push_back(part);
                if visible {
                    return Ok(());
                }
            }
            if let Some(failure) = self.failure.take_if(|failure| failure.is_repeatable) {
                return Err(failure.error);
            }
            if self.ended || self.failure.is_some() {
                return Ok(());
            }
            self.read().await;
        }
    }

    /// The next part; after an error nothing follows. While the caller is busy with it, which may mean asking the same
    /// server, the place at the gate is free.
    pub(super) async fn next(&mut self) -> Option<Result<StreamPart, ProviderError>> {
        self.pass.iter_mut().for_each(Pass::resume);
        let part = self.next_part().await;
        self.pass.iter_mut().for_each(Pass::rest);
        part
    }

    async fn next_part(&mut self) -> Option<Result<StreamPart, ProviderError>> {
        // What was dropped from the request is known before the first byte of the answer.
        if let Some(warnings) = self.warnings.take() {
            return Some(Ok(StreamPart::StreamStart { warnings }));
        }
        if let Some(part) = self.peeked.pop_front() {
            return Some(Ok(part));
        }
        loop {
            while let Some(decoded) = self.out.pop() {
                if let Some(part) = self.take(decoded) {
                    return Some(Ok(part));
                }
            }
            if self.ended {
                self.pass = None;
                return self.failure.take().map(|failure| Err(failure.error));
            }
            self.read().await;
        }
    }

    /// The part in a decoded piece; a failure is kept for the end.
    fn take(&mut self, decoded: Decoded) -> Option<StreamPart> {
        match decoded {
            // A failed answer has no regular end.
            Decoded::Part(StreamPart::Finish { .. }) if self.failure.is_some() => None,
            Decoded::Part(part) => Some(self.with_head(part)),
            Decoded::Failure(failure) => {
                let error = self.faults.error(failure.kind, &failure.message, failure.status);
                // What a decoder says after the last byte is that the answer was cut short.
                let cut_short = self.ended && error.kind == ProviderErrorKind::Protocol;
                let is_repeatable = cut_short || is_repeatable(&error);
                self.fail(Failure { error, is_repeatable });
                None
            }
        }
    }

    /// Reads one event and decodes it.
    async fn read(&mut self) {
        match self.events.next().await {
            Some(Ok(event)) => {
                self.pace.since_event.set(0);
                let before = self.out.len();
                match event.as_wire() {
                    // Not JSON, so no decoder should have to look for it. An end alone is no answer.
                    WireEvent::Data(data) if data.trim() == "[DONE]" => {
                        self.decoder.done_marker();
                    }
                    event => {
                        self.saw_event = true;
                        self.decode(event);
                    }
                }
                self.set_pace(self.out.len() > before);
            }
            None => self.end(),
            // The answer is whole; what became of the connection no longer matters.
            Some(Err(FrameFailure::Body(_))) if self.decoder.complete() => self.end(),
            Some(Err(FrameFailure::Body(failure))) => {
                self.ended = true;
                let error = self.faults.body(&failure, &self.limits);
                // The limit on the whole call holds for further attempts too.
                let is_repeatable = !matches!(failure, BodyFailure::Total | BodyFailure::TooMuch(_));
                self.fail(Failure { error, is_repeatable });
            }
            Some(Err(FrameFailure::Malformed(what))) => {
                self.ended = true;
                let message = format!("The provider's event stream is malformed: {what}");
                let error = self.faults.error(ProviderErrorKind::Protocol, &message, None);
                self.fail(Failure { error, is_repeatable: false });
            }
        }
    }

    /// Says how long more is waited for: some servers keep the connection open after the end, others say with each piece
    /// that it is the last.
    fn set_pace(&self, went_on: bool) {
        let (gap, rest) = if self.failure.is_some() {
            (LAST_PATIENCE, LAST_PATIENCE)
        } else if self.decoder.is_ending() {
            (LAST_PATIENCE, LAST_WORDS)
        } else if self.decoder.complete() {
            (LAST_WORDS, LAST_WORDS)
        } else {
            self.pace.idle.set(self.limits.idle);
            return self.pace.until.set(self.limits.deadline);
        };
        self.pace.idle.set(self.limits.idle.min(gap));
        let until = self.limits.deadline.min(Instant::now() + rest);
        // Events that bring nothing only keep a connection alive.
        let until = if went_on { until } else { until.min(self.pace.until.get()) };
        self.pace.until.set(until);
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
        match self.promise.without_events().filter(|_| !self.saw_event) {
            Some(wrong) => self.fail(not_events(&wrong, self.promise.status, &self.faults)),
            None => self.decoder.finish(&mut self.out),
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.pace.idle.set(self.limits.idle.min(LAST_PATIENCE));
        // Comments that keep the connection alive are no gap.
        self.pace.until.set(self.pace.until.get().min(Instant::now() + LAST_PATIENCE));
        // The first failure is the cause; later ones mostly follow from it.
        self.failure.get_or_insert(failure);
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
    if !["\"error\"", "\"detail\"", "\"errors\"", "\"message\""].iter().any(|key| data.contains(key)) {
        return None;
    }
    let event = serde_json::from_str::<Value>(data).ok()?;
    let (error, message) = of_event(&event)?;
    Some((kind_of_error(error, &message), message))
}

/// The failure of an answer without a single event.
pub(super) fn not_events(wrong: &WrongAnswer, status: u16, faults: &Faults) -> Failure {
    let mut error = faults.error(ProviderErrorKind::Protocol, &wrong.message, Some(status));
    if wrong.is_empty {
        error.hint = Some(
            "Check that the base URL leads to the API (its path often ends in /v1), that the model's name is right, and that \
             no proxy in between drops the answer."
                .to_owned(),
        );
    }
    Failure { error, is_repeatable: wrong.is_empty }
}
