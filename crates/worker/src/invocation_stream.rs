//! The request body of an invocation, shared by the SDK and the code that runs the invocation.
//!
//! The SDK reads it only while a handler awaits Restate. In between, the running code reads ahead, so that a
//! cancellation is noticed at once, and queues the frames for the SDK.

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

use super::cancellation_scanner::CancellationScanner;

pub(super) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Most bytes that are read ahead; completions are far smaller.
const MAX_QUEUED: usize = 16 << 20;

/// Handle to the body. Clones share their state.
#[derive(Clone)]
pub struct InvocationStream(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    readers: Arc<Readers>,
}

struct State {
    body: UnsyncBoxBody<Bytes, BoxError>,
    /// Frames that were read ahead, with the error that ended the body.
    queued: VecDeque<Result<Frame<Bytes>, BoxError>>,
    queued_bytes: usize,
    is_over: bool,
    scanner: CancellationScanner,
    is_cancelled: bool,
    suspension: Suspension,
}

/// Whether the SDK is given the end of the body, so that it ends the attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suspension {
    None,
    Requested,
    /// The end was given. The SDK then reads on until Restate closes its end.
    Given,
}

/// Wakers of all tasks that wait for the same body.
#[derive(Default)]
struct Readers {
    sdk: AtomicWaker,
    ahead: Mutex<Vec<Waker>>,
}

impl Readers {
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

impl InvocationStream {
    pub(super) fn new<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        let state = State {
            body: body.map_err(Into::into).boxed_unsync(),
            queued: VecDeque::new(),
            queued_bytes: 0,
            is_over: false,
            scanner: CancellationScanner::default(),
            is_cancelled: false,
            suspension: Suspension::None,
        };
        InvocationStream(Arc::new(Shared { state: Mutex::new(state), readers: Arc::default() }))
    }

    pub(super) fn body(&self) -> InvocationBody {
        InvocationBody(self.clone())
    }

    /// Resolves when the invocation is cancelled; never otherwise. Reads ahead.
    ///
    /// Later attempts of a cancelled invocation resolve too, as the cancellation is part of the invocation's journal.
    pub async fn cancelled(&self) {
        poll_fn(|context| self.poll_cancelled(context)).await;
    }

    pub fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Ends the attempt when it next waits for something that has not arrived. Restate starts another attempt when it
    /// has; meanwhile the run holds no thread and no memory.
    pub fn suspend(&self) {
        let mut state = self.state();
        if state.suspension == Suspension::None {
            state.suspension = Suspension::Requested;
        }
        drop(state);
        self.0.readers.sdk.wake();
    }

    /// Reverts [`InvocationStream::suspend`] if the awaited value had arrived already.
    pub fn cancel_suspend(&self) {
        let mut state = self.state();
        if state.suspension == Suspension::Requested {
            state.suspension = Suspension::None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_cancelled(&self, context: &Context<'_>) -> Poll<()> {
        self.0.readers.register_ahead(context.waker());
        let mut state = self.state();
        while !state.is_cancelled && !state.is_over && state.queued_bytes < MAX_QUEUED {
            let Poll::Ready(read) = state.poll_read(&self.0.readers) else { return Poll::Pending };
            state.queue(read);
            self.0.readers.sdk.wake();
        }
        if state.is_cancelled { Poll::Ready(()) } else { Poll::Pending }
    }

    fn poll_frame(&self, context: &Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.readers.sdk.register(context.waker());
        let mut state = self.state();
        let was_full = state.queued_bytes >= MAX_QUEUED;
        if let Some(frame) = state.take() {
            if was_full {
                self.0.readers.wake_ahead();
            }
            return Poll::Ready(Some(frame));
        }
        match state.poll_read(&self.0.readers) {
            // Frames that have arrived are handed over first.
            Poll::Pending if state.suspension == Suspension::Requested => {
                state.suspension = Suspension::Given;
                Poll::Ready(None)
            }
            read => read,
        }
    }
}

impl State {
    fn poll_read(&mut self, readers: &Arc<Readers>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let waker = Waker::from(readers.clone());
        let read = Pin::new(&mut self.body).poll_frame(&mut Context::from_waker(&waker));
        match &read {
            Poll::Ready(Some(Ok(frame))) => {
                let data = frame.data_ref().map(Bytes::as_ref).unwrap_or_default();
                if self.scanner.sees_cancellation(data) {
                    self.is_cancelled = true;
                    // Wakes the tasks that did not poll.
                    readers.wake_ahead();
                }
            }
            Poll::Ready(_) => self.is_over = true,
            Poll::Pending => {}
        }
        read
    }

    fn queue(&mut self, read: Option<Result<Frame<Bytes>, BoxError>>) {
        self.queued_bytes += read.as_ref().map_or(0, length);
        self.queued.extend(read);
    }

    fn take(&mut self) -> Option<Result<Frame<Bytes>, BoxError>> {
        let frame = self.queued.pop_front()?;
        self.queued_bytes -= length(&frame);
        Some(frame)
    }
}

fn length(frame: &Result<Frame<Bytes>, BoxError>) -> usize {
    frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len)
}

pub(super) struct InvocationBody(InvocationStream);

impl Body for InvocationBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        let state = self.0.state();
        state.is_over && state.queued.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests;
