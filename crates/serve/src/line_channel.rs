//! Channel for log lines to standard error. The protocol must not block when standard error is not read: lines that do
//! not fit are dropped and counted.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::mpsc::{self, error::TrySendError},
    time::timeout,
};

const CAPACITY: usize = 1000;

/// How long output of scripts waits while the channel is full.
const SEND_TIMEOUT: Duration = Duration::from_millis(500);

/// Clones send to the same receiver.
#[derive(Clone, Debug)]
pub struct LineSender {
    lines: mpsc::Sender<Option<String>>,
    state: Arc<State>,
}

/// Receives the lines on a thread of its own.
pub struct LineReceiver {
    lines: mpsc::Receiver<Option<String>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    dropped: AtomicUsize,
    is_over: AtomicBool,
}

impl LineSender {
    pub fn new() -> (Self, LineReceiver) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let state = Arc::new(State::default());
        (LineSender { lines: sender, state: state.clone() }, LineReceiver { lines: receiver, state })
    }

    /// Sends a line, or drops it if the channel is full.
    pub fn send(&self, line: String) {
        if let Err(TrySendError::Full(_)) = self.lines.try_send(Some(line)) {
            self.state.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Sends a line; waits a moment while the channel is full, unless an earlier wait was in vain.
    pub(super) async fn send_waiting(&self, line: String) {
        if self.state.dropped.load(Ordering::SeqCst) > 0 {
            return self.send(line);
        }
        if let Ok(permit) = timeout(SEND_TIMEOUT, self.lines.reserve()).await {
            // Fails if the receiver is gone.
            return permit.map_or((), |permit| permit.send(Some(line)));
        }
        self.state.dropped.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends the receiver after the lines that were sent.
    pub fn end(&self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes the receiver. If the channel is full, it is awake.
        let _ = self.lines.try_send(None);
    }
}

impl LineReceiver {
    pub fn each(mut self, mut write: impl FnMut(&str)) {
        while let Some(line) = self.lines.blocking_recv() {
            if let Some(line) = line {
                write(&line);
            }
            if !self.lines.is_empty() {
                continue;
            }
            match self.state.dropped.swap(0, Ordering::SeqCst) {
                0 => {}
                1 => write("… a line left out: nobody was reading"),
                count => write(&format!("… {count} lines left out: nobody was reading")),
            }
            if self.state.is_over.load(Ordering::SeqCst) {
                return;
            }
        }
    }
}
