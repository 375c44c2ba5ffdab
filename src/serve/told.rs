//! What there is to say for whoever looks at the server, on its way to standard error. Nobody may be reading there, and the protocol
//! must not wait for that: what does not fit is left out and counted. Must not know what is said.

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

/// How many lines may wait.
const WAITING: usize = 1000;

/// How long what a script prints may wait for room: as long as somebody reads, nothing is left out.
const PATIENCE: Duration = Duration::from_millis(500);

/// Takes lines. Clones go to the same place.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    lines: mpsc::Sender<Option<String>>,
    state: Arc<State>,
}

/// Gives the lines to whoever writes them, on a thread of its own.
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
    /// Both ends.
    pub(crate) fn new() -> (Self, Heard) {
        let (sender, receiver) = mpsc::channel(WAITING);
        let state = Arc::new(State::default());
        (Told { lines: sender, state: state.clone() }, Heard { lines: receiver, state })
    }

    /// Says a line, or leaves it out.
    pub(crate) fn tell(&self, line: String) {
        if let Err(TrySendError::Full(_)) = self.lines.try_send(Some(line)) {
            self.state.left_out.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// The same, and waits a moment for room, unless that was in vain before.
    pub(super) async fn tell_patiently(&self, line: String) {
        if self.state.left_out.load(Ordering::SeqCst) > 0 {
            return self.tell(line);
        }
        if let Ok(room) = timeout(PATIENCE, self.lines.reserve()).await {
            // Without anybody who hears it there is nothing to say.
            return room.map_or((), |room| room.send(Some(line)));
        }
        self.state.left_out.fetch_add(1, Ordering::SeqCst);
    }

    /// Nothing more is said from now on.
    pub(crate) fn end(&self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes whoever waits. When there is no room he does not wait.
        let _ = self.lines.try_send(None);
    }
}

impl Heard {
    /// Hands every line to `write`, until the end.
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
