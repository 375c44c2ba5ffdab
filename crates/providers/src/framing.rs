//! Splits a response's bytes into events, with `sse-stream` and `aws-smithy-eventstream`.

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
}

#[derive(Debug)]
pub(super) enum Event {
    Sse(String),
    Aws { message_type: String, event_type: String, payload: Bytes },
}

impl Event {
    pub(super) fn as_wire(&self) -> WireEvent<'_> {
        match self {
            Event::Sse(data) => WireEvent::Data(data),
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
        }
    }

    /// The next event; `None` at the end. Events without data, and a last event without its closing blank line, are
    /// dropped.
    pub(super) async fn next(&mut self) -> Option<Result<Event, FrameFailure<E>>> {
        match self {
            Events::Sse(events) => loop {
                match events.next().await? {
                    Ok(event) => {
                        if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                            return Some(Ok(Event::Sse(data)));
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
        })
    }
}
