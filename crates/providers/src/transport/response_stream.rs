//! The stream of parts that a caller reads from a response.

use std::{
    collections::{BTreeMap, VecDeque},
    rc::Rc,
    time::Duration,
};

use serde_json::Value;
use tokio::time::Instant;

use super::{
    body::{BodyDescription, BodyFailure, OpenBody, Pace, WrongResponse},
    error_context::ErrorContext,
    limits::Limits,
};
use crate::{
    ProviderError, ProviderErrorKind, ends_retries,
    error_kind::{is_retryable, kind_of_error},
    error_text::failure_in_event,
    framing::{Events, FrameFailure},
    servers::Permit,
    wire::{Decoded, Output, WireDecoder, WireEvent, WireFormat},
};
use lmthing_base::chat::{BATCH_TIER, CallWarning, ResponseMetadata, StreamPart};

/// Maximum gap after the end or a failure was announced: usage may follow.
const GAP_AFTER_END: Duration = Duration::from_secs(2);

/// Maximum time after a possible end, as some providers keep the connection alive or mark every event as the last.
const MAX_TIME_AFTER_END: Duration = Duration::from_secs(10);

pub(super) struct Failure {
    pub error: ProviderError,
    pub is_retryable: bool,
}

pub(super) struct ResponseStream<'a> {
    events: Events<'a, BodyFailure>,
    decoder: Box<dyn WireDecoder>,
    out: Output,
    buffered: VecDeque<StreamPart>,
    errors: ErrorContext,
    limits: Limits,
    pace: Rc<Pace>,
    description: BodyDescription,
    saw_event: bool,
    headers: Option<BTreeMap<String, String>>,
    /// The service tier, until the answer names one: that of a header, else the one that was asked for.
    tier: Option<String>,
    is_of_batch: bool,
    warnings: Option<Vec<CallWarning>>,
    /// The first failure. The stream ends with it after the remaining events.
    failure: Option<Failure>,
    ended: bool,
    permit: Option<Permit>,
}

impl<'a> ResponseStream<'a> {
    pub(super) fn new(
        wire: &dyn WireFormat,
        opened: OpenBody,
        warnings: Vec<CallWarning>,
        headers: BTreeMap<String, String>,
        tier: Option<String>,
        errors: ErrorContext,
    ) -> Self {
        ResponseStream {
            events: Events::new(wire.framing(), opened.bytes),
            decoder: wire.decoder(),
            out: Output::default(),
            buffered: VecDeque::new(),
            errors,
            limits: opened.limits,
            pace: opened.pace,
            description: opened.description,
            saw_event: false,
            tier: headers.get("x-gemini-service-tier").cloned().or(tier),
            headers: Some(headers),
            is_of_batch: false,
            warnings: Some(warnings),
            failure: None,
            ended: false,
            permit: None,
        }
    }

    /// An answer of a batch, which has the price of batches whatever tier it names.
    pub(super) fn of_batch(self) -> Self {
        ResponseStream { tier: Some(BATCH_TIER.to_owned()), headers: None, is_of_batch: true, ..self }
    }

    pub(super) fn hold_permit(&mut self, permit: Permit) {
        self.permit = Some(permit).filter(|_| !self.ended);
    }

    /// Reads up to the first part that may be shown. A retryable failure before it is returned; after any other failure, the
    /// stream continues and ends with it.
    pub(super) async fn read_to_first_shown(&mut self) -> Result<(), ProviderError> {
        loop {
            while let Some(decoded) = self.out.pop() {
                let Some(part) = self.take(decoded) else { break };
                let is_shown = ends_retries(&part);
                self.buffered.push_back(part);
                if is_shown {
                    return Ok(());
                }
            }
            if let Some(failure) = self.failure.take_if(|failure| failure.is_retryable) {
                return Err(failure.error);
            }
            if self.ended || self.failure.is_some() {
                return Ok(());
            }
            self.read().await;
        }
    }

    /// The next part; nothing follows an error. The permit is suspended while the caller handles the part, which may
    /// mean sending another request to the same server.
    pub(super) async fn next(&mut self) -> Option<Result<StreamPart, ProviderError>> {
        self.permit.iter_mut().for_each(Permit::resume);
        let part = self.next_part().await;
        self.permit.iter_mut().for_each(Permit::suspend);
        part
    }

    async fn next_part(&mut self) -> Option<Result<StreamPart, ProviderError>> {
        if let Some(warnings) = self.warnings.take() {
            return Some(Ok(StreamPart::StreamStart { warnings }));
        }
        if let Some(part) = self.buffered.pop_front() {
            return Some(Ok(part));
        }
        loop {
            while let Some(decoded) = self.out.pop() {
                if let Some(part) = self.take(decoded) {
                    return Some(Ok(part));
                }
            }
            if self.ended {
                self.permit = None;
                return self.failure.take().map(|failure| Err(failure.error));
            }
            self.read().await;
        }
    }

    fn take(&mut self, decoded: Decoded) -> Option<StreamPart> {
        match decoded {
            Decoded::Part(StreamPart::Finish { .. }) if self.failure.is_some() => None,
            Decoded::Part(part) => Some(self.with_headers(part)),
            Decoded::Failure(failure) => {
                let error = self.errors.error(failure.kind, &failure.message, failure.status);
                // A decoder's failure after the last byte means a truncated response.
                let cut_short = self.ended && error.kind == ProviderErrorKind::Protocol;
                let is_retryable = cut_short || is_retryable(&error);
                self.fail(Failure { error, is_retryable });
                None
            }
        }
    }

    async fn read(&mut self) {
        match self.events.next().await {
            Some(Ok(event)) => {
                self.pace.since_event.set(0);
                let before = self.out.len();
                match event.as_wire() {
                    // The marker is not JSON, so decoders do not get it. It does not count as an event of a response.
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
            Some(Err(FrameFailure::Body(_))) if self.decoder.complete() => self.end(),
            Some(Err(FrameFailure::Body(failure))) => {
                self.ended = true;
                let error = self.errors.body(&failure, &self.limits);
                // The limit on the whole call also covers retries.
                let is_retryable = !matches!(failure, BodyFailure::Total | BodyFailure::TooLarge(_));
                self.fail(Failure { error, is_retryable });
            }
            Some(Err(FrameFailure::Malformed(what))) => {
                self.ended = true;
                let message = format!("The provider's event stream is malformed: {what}");
                let error = self.errors.error(ProviderErrorKind::Protocol, &message, None);
                self.fail(Failure { error, is_retryable: false });
            }
        }
    }

    /// Sets how long further events are awaited: some servers keep the connection open after the end, others mark
    /// every event as the last.
    fn set_pace(&self, has_output: bool) {
        let (gap, rest) = if self.failure.is_some() {
            (GAP_AFTER_END, GAP_AFTER_END)
        } else if self.decoder.is_ending() {
            (GAP_AFTER_END, MAX_TIME_AFTER_END)
        } else if self.decoder.complete() {
            (MAX_TIME_AFTER_END, MAX_TIME_AFTER_END)
        } else {
            self.pace.idle.set(self.limits.idle);
            return self.pace.until.set(self.limits.deadline);
        };
        self.pace.idle.set(self.limits.idle.min(gap));
        let until = self.limits.deadline.min(Instant::now() + rest);
        // Events without content only keep the connection alive.
        let until = if has_output { until } else { until.min(self.pace.until.get()) };
        self.pace.until.set(until);
    }

    /// Decodes an event. An error in another format than the wire format's, such as a gateway's, is a failure as
    /// well.
    fn decode(&mut self, event: WireEvent<'_>) {
        let before = self.out.len();
        // No wire format has arrays as events.
        let list = matches!(event, WireEvent::Data(data) if data.starts_with('['));
        if !list {
            self.decoder.event(event, &mut self.out);
        }
        if let WireEvent::Data(data) = event
            && self.out.len() == before
            && let Some((kind, message)) = reported_failure(data)
        {
            return self.out.failure(kind, message);
        }
        if list {
            self.decoder.event(event, &mut self.out);
        }
    }

    fn end(&mut self) {
        self.ended = true;
        match self.description.without_events().filter(|_| !self.saw_event) {
            Some(wrong) => self.fail(no_events(&wrong, self.description.status, &self.errors)),
            None => self.decoder.finish(&mut self.out),
        }
    }

    fn fail(&mut self, failure: Failure) {
        self.pace.idle.set(self.limits.idle.min(GAP_AFTER_END));
        // Keep-alive comments do not count as a gap.
        self.pace.until.set(self.pace.until.get().min(Instant::now() + GAP_AFTER_END));
        // Later failures are mostly consequences of the first one.
        self.failure.get_or_insert(failure);
    }

    fn with_headers(&mut self, part: StreamPart) -> StreamPart {
        match part {
            StreamPart::ResponseMetadata(metadata) => {
                let service_tier = metadata.service_tier.filter(|_| !self.is_of_batch);
                self.tier.take_if(|_| service_tier.is_some());
                StreamPart::ResponseMetadata(ResponseMetadata {
                    headers: self.headers.take(),
                    service_tier,
                    ..metadata
                })
            }
            finish @ StreamPart::Finish { .. } if self.headers.is_some() || self.tier.is_some() => {
                self.out.push_front(finish);
                let (headers, service_tier) = (self.headers.take(), self.tier.take());
                StreamPart::ResponseMetadata(ResponseMetadata { headers, service_tier, ..Default::default() })
            }
            part => part,
        }
    }
}

fn reported_failure(data: &str) -> Option<(ProviderErrorKind, String)> {
    // Avoids parsing most events a second time.
    if !["\"error\"", "\"detail\"", "\"errors\"", "\"message\""].iter().any(|key| data.contains(key)) {
        return None;
    }
    let event = serde_json::from_str::<Value>(data).ok()?;
    let (error, message) = failure_in_event(&event)?;
    Some((kind_of_error(error, &message), message))
}

pub(super) fn no_events(wrong: &WrongResponse, status: u16, errors: &ErrorContext) -> Failure {
    let mut error = errors.error(ProviderErrorKind::Protocol, &wrong.message, Some(status));
    if wrong.is_empty {
        error.hint = Some(
            "Check that the base URL leads to the API (its path often ends in /v1), that the model's name is right, and that \
             no proxy in between drops the answer."
                .to_owned(),
        );
    }
    Failure { error, is_retryable: wrong.is_empty }
}
