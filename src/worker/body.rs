//! What Restate sends to an invocation while that is at work. The SDK reads it only while a handler waits for something of
//! Restate's; whoever is at work in between reads ahead here, so that a cancellation is heard at once, and what was read is kept for
//! the SDK in its order. Must not know what an invocation does.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Wake, Waker},
};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use http_body_util::{BodyExt, combinators::UnsyncBoxBody};
use hyper::body::{Body, Frame, SizeHint};

use super::scan::Scan;

/// Whatever goes wrong while reading.
pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// So much is read ahead at most; completions are far smaller.
const MOST_KEPT: usize = 16 << 20;

/// What comes from Restate, for whoever is at work on the invocation, on whichever thread. Clones are the same.
#[derive(Clone)]
pub(crate) struct Stream(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    readers: Arc<Readers>,
}

struct State {
    body: UnsyncBoxBody<Bytes, BoxError>,
    /// Read ahead, with the error that ended it.
    kept: VecDeque<Result<Frame<Bytes>, BoxError>>,
    kept_bytes: usize,
    is_over: bool,
    scan: Scan,
    is_cancelled: bool,
    suspension: Suspension,
}

/// Whether the SDK is told that nothing more comes, so that it lets the attempt end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suspension {
    None,
    Wanted,
    /// The SDK reads on afterwards, until Restate has closed its end.
    Told,
}

/// Those who may wait for the same body at the same time: it wakes all.
#[derive(Default)]
struct Readers {
    sdk: AtomicWaker,
    ahead: Mutex<Vec<Waker>>,
}

impl Readers {
    /// Remembers somebody who reads ahead.
    fn register_ahead(&self, waker: &Waker) {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if !ahead.iter().any(|known| known.will_wake(waker)) {
            ahead.push(waker.clone());
        }
    }

    fn wake_ahead(&self) {
        let ahead = std::mem::take(&mut *self.ahead.lock().unwrap_or_else(PoisonError::into_inner));
        ahead.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Readers {
    fn wake(self: Arc<Self>) {
        self.sdk.wake();
        self.wake_ahead();
    }
}

impl Stream {
    /// Of the body of a request.
    pub(super) fn new<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let state = State {
            body: body.map_err(Into::into).boxed_unsync(),
            kept: VecDeque::new(),
            kept_bytes: 0,
            is_over: false,
            scan: Scan::default(),
            is_cancelled: false,
            suspension: Suspension::None,
        };
        Stream(Arc::new(Shared { state: Mutex::new(state), readers: Arc::default() }))
    }

    /// The body for the SDK.
    pub(super) fn body(&self) -> InvocationBody {
        InvocationBody(self.clone())
    }

    /// Waits until the invocation is cancelled; forever, if it is not. Reads ahead for that.
    ///
    /// A later attempt of a cancelled invocation hears it again, as it belongs to the invocation's journal.
    pub(crate) async fn cancelled(&self) {
        poll_fn(|context| self.poll_cancelled(context)).await;
    }

    /// Whether it is known to be cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Ends the attempt the next time that it waits for something that has not come yet: the invocation goes on with another
    /// attempt when that has come. No thread and no memory is held in between.
    pub(crate) fn suspend(&self) {
        let mut state = self.state();
        if state.suspension == Suspension::None {
            state.suspension = Suspension::Wanted;
        }
        drop(state);
        self.0.readers.sdk.wake();
    }

    /// Takes back a [`Stream::suspend`] that was not needed: what was waited for had come already.
    pub(crate) fn stay(&self) {
        let mut state = self.state();
        if state.suspension == Suspension::Wanted {
            state.suspension = Suspension::None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_cancelled(&self, context: &Context<'_>) -> Poll<()> {
        self.0.readers.register_ahead(context.waker());
        let mut state = self.state();
        while !state.is_cancelled && !state.is_over && state.kept_bytes < MOST_KEPT {
            let Poll::Ready(read) = state.poll_read(&self.0.readers) else { return Poll::Pending };
            state.keep(read);
            self.0.readers.sdk.wake();
        }
        if state.is_cancelled { Poll::Ready(()) } else { Poll::Pending }
    }

    fn poll_frame(&self, context: &Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.readers.sdk.register(context.waker());
        let mut state = self.state();
        let was_full = state.kept_bytes >= MOST_KEPT;
        if let Some(frame) = state.take() {
            if was_full {
                self.0.readers.wake_ahead();
            }
            return Poll::Ready(Some(frame));
        }
        match state.poll_read(&self.0.readers) {
            // What has arrived is handed over first.
            Poll::Pending if state.suspension == Suspension::Wanted => {
                state.suspension = Suspension::Told;
                Poll::Ready(None)
            }
            read => read,
        }
    }
}

impl State {
    /// The next frame from outside, looked at.
    fn poll_read(&mut self, readers: &Arc<Readers>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let waker = Waker::from(readers.clone());
        let read = Pin::new(&mut self.body).poll_frame(&mut Context::from_waker(&waker));
        match &read {
            Poll::Ready(Some(Ok(frame))) => {
                let data = frame.data_ref().map(Bytes::as_ref).unwrap_or_default();
                if self.scan.sees_cancellation(data) {
                    self.is_cancelled = true;
                    // Whoever has not read it himself.
                    readers.wake_ahead();
                }
            }
            Poll::Ready(_) => self.is_over = true,
            Poll::Pending => {}
        }
        read
    }

    fn keep(&mut self, read: Option<Result<Frame<Bytes>, BoxError>>) {
        self.kept_bytes += read.as_ref().map_or(0, length);
        self.kept.extend(read);
    }

    fn take(&mut self) -> Option<Result<Frame<Bytes>, BoxError>> {
        let frame = self.kept.pop_front()?;
        self.kept_bytes -= length(&frame);
        Some(frame)
    }
}

fn length(frame: &Result<Frame<Bytes>, BoxError>) -> usize {
    frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len)
}

/// What the SDK reads.
pub(super) struct InvocationBody(Stream);

impl Body for InvocationBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        let state = self.0.state();
        state.is_over && state.kept.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests;
