//! Splits a response's bytes into events: with `sse-stream` and `aws-smithy-eventstream`, or by lines.

use std::{error::Error, fmt};

use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream::LocalBoxStream};
use sse_stream::SseByteStream;

use super::wire::{Framing, WireEvent};

#[derive(Debug)]
pub(super) enum FrameFailure<E> {
    Body(E),
    Malformed(String),
}

pub(super) type ByteStream<'a, E> = LocalBoxStream<'a, Result<Bytes, E>>;

pub(super) enum Events<'a, E> {
    Sse(Box<SseByteStream<ByteStream<'a, E>>>),
    Aws { bytes: ByteStream<'a, E>, buffer: BytesMut, decoder: MessageFrameDecoder },
    Lines { bytes: ByteStream<'a, E>, buffer: LineBuffer },
}

#[derive(Default)]
pub(super) struct LineBuffer {
    bytes: BytesMut,
    /// Bytes that are known to hold no line feed, so that a long line is not searched again with every chunk.
    searched: usize,
}

impl LineBuffer {
    /// The next line that is not blank.
    fn next_line(&mut self) -> Option<String> {
        while let Some(end) = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n') {
            let line = self.bytes.split_to(self.searched + end + 1);
            self.searched = 0;
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Some(String::from_utf8_lossy(line).into_owned());
            }
        }
        self.searched = self.bytes.len();
        None
    }

    /// The last line without a line feed, unless it was cut.
    fn last_line(&mut self) -> Option<String> {
        self.searched = 0;
        let line = self.bytes.split();
        let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(&line).is_ok();
        is_whole.then(|| String::from_utf8_lossy(line.trim_ascii()).into_owned())
    }
}

#[derive(Debug)]
pub(super) enum Event {
    Data(String),
    Aws { message_type: String, event_type: String, payload: Bytes },
}

impl Event {
    pub(super) fn as_wire(&self) -> WireEvent<'_> {
        match self {
            Event::Data(data) => WireEvent::Data(data),
            Event::Aws { message_type, event_type, payload } => WireEvent::Frame { message_type, event_type, payload },
        }
    }
}

impl<'a, E: Error + Send + Sync + 'static> Events<'a, E> {
    pub(super) fn new(framing: Framing, bytes: ByteStream<'a, E>) -> Self {
        match framing {
            // Boxed: the reader is large, and `Events` moves through several futures.
            Framing::Sse => Events::Sse(Box::new(SseByteStream::new(bytes))),
            Framing::AwsEventStream => {
                Events::Aws { bytes, buffer: BytesMut::new(), decoder: MessageFrameDecoder::new() }
            }
            Framing::JsonLines => Events::Lines { bytes, buffer: LineBuffer::default() },
        }
    }

    /// The next event; `None` at the end. Events without data, and a last event that was cut, are dropped.
    pub(super) async fn next(&mut self) -> Option<Result<Event, FrameFailure<E>>> {
        match self {
            Events::Sse(events) => loop {
                match events.next().await? {
                    Ok(event) => {
                        if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                            return Some(Ok(Event::Data(data)));
                        }
                    }
                    Err(error) => return Some(Err(sse_failure(error))),
                }
            },
            Events::Aws { bytes, buffer, decoder } => loop {
                match decoder.decode_frame(&mut *buffer) {
                    Ok(DecodedFrame::Complete(message)) => return Some(Ok(aws_event(&message))),
                    // A frame may be cut anywhere; the decoder keeps its state.
                    Ok(DecodedFrame::Incomplete) => match bytes.next().await? {
                        Ok(chunk) => buffer.extend_from_slice(&chunk),
                        Err(error) => return Some(Err(FrameFailure::Body(error))),
                    },
                    Err(error) => {
                        // The outer error only reports an invalid frame; its source has the reason.
                        let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
                        return Some(Err(FrameFailure::Malformed(format!("{error}{source}"))));
                    }
                }
            },
            Events::Lines { bytes, buffer } => loop {
                if let Some(line) = buffer.next_line() {
                    return Some(Ok(Event::Data(line)));
                }
                match bytes.next().await {
                    Some(Ok(chunk)) => buffer.bytes.extend_from_slice(&chunk),
                    Some(Err(error)) => return Some(Err(FrameFailure::Body(error))),
                    None => return buffer.last_line().map(|line| Ok(Event::Data(line))),
                }
            },
        }
    }
}

fn sse_failure<E: Error + Send + Sync + 'static>(error: sse_stream::Error) -> FrameFailure<E> {
    match error {
        // `sse-stream` boxes the error of the byte stream.
        sse_stream::Error::Body(error) => match error.downcast::<E>() {
            Ok(error) => FrameFailure::Body(*error),
            Err(error) => FrameFailure::Malformed(error.to_string()),
        },
        error => FrameFailure::Malformed(error.to_string()),
    }
}

fn aws_event(message: &aws_smithy_types::event_stream::Message) -> Event {
    let header = |name: &str| {
        let header = message.headers().iter().find(|header| header.name().as_str() == name)?;
        header.value().as_string().ok().map(|value| value.as_str().to_owned())
    };
    let message_type = header(":message-type").unwrap_or_else(|| "event".to_owned());
    let event_type = match message_type.as_str() {
        "exception" => header(":exception-type"),
        "error" => header(":error-code"),
        _ => header(":event-type"),
    };
    Event::Aws { message_type, event_type: event_type.unwrap_or_default(), payload: message.payload().clone() }
}

impl<E> fmt::Debug for Events<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Events::Sse(_) => "Events::Sse",
            Events::Aws { .. } => "Events::Aws",
            Events::Lines { .. } => "Events::Lines",
        })
    }
}
