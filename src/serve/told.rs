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

/// Capacity in lines.
const WAITING: usize = 1000;

/// How long output of scripts waits while the channel is full.
const PATIENCE: Duration = Duration::from_millis(500);

/// Clones send to the same receiver.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    lines: mpsc::Sender<Option<String>>,
    state: Arc<State>,
}

/// Receives the lines on a thread of its own.
pub(crate) struct Heard {
    lines: mpsc::Receiver<Option<String>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    left_out: AtomicUsize,
    is_over: AtomicBool,
}

impl Told {
    pub(crate) fn new() -> (Self, Heard) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let state = Arc::new(State::default());
        (Told { lines: sender, state: state.clone() }, Heard { lines: receiver, state })
    }

    /// Sends a line, or drops it if the channel is full.
    pub(crate) fn tell(&self, line: String) {
        if let Err(TrySendError::Full(_)) = self.lines.try_send(Some(line)) {
            self.state.left_out.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Sends a line; waits a moment while the channel is full, unless an earlier wait was in vain.
    pub(super) async fn tell_patiently(&self, line: String) {
        if self.state.left_out.load(Ordering::SeqCst) > 0 {
            return self.tell(line);
        }
        if let Ok(room) = timeout(PATIENCE, self.lines.reserve()).await {
            // Fails if the receiver is gone.
            return room.map_or((), |room| room.send(Some(line)));
        }
        self.state.left_out.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends the receiver after the lines that were sent.
    pub(crate) fn end(&self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes the receiver. If the channel is full, it is awake.
        let _ = self.lines.try_send(None);
    }
}

impl Heard {
    /// Passes every line to `write` until the end.
    pub(crate) fn each(mut self, mut write: impl FnMut(&str)) {
        while let Some(line) = self.lines.blocking_recv() {
            if let Some(line) = line {
                write(&line);
            }
            if !self.lines.is_empty() {
                continue;
            }
            match self.state.left_out.swap(0, Ordering::SeqCst) {
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
