//! State of the terminal's last line, shared by the thread that draws and the one that ends the process.

use std::{
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};

/// How long the end of the process waits for a line that is being drawn. A terminal that is stopped must not block it.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);

static SCREEN: Mutex<Screen> = Mutex::new(Screen { has_progress: false, has_text: false });

struct Screen {
    has_progress: bool,
    has_text: bool,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws the progress line. `draw` returns whether it fits. Blocks once the process is ending.
pub(super) fn draw(draw: impl FnOnce() -> bool) {
    let mut screen = screen();
    screen.has_progress = draw();
}

pub(super) fn clear(clear: impl FnOnce()) {
    let mut screen = screen();
    clear();
    screen.has_progress = false;
}

pub(super) fn set_text(has_text: bool) {
    screen().has_text = has_text;
}

/// Returns the sequence that leaves the terminal in order. Later calls of the other functions block.
pub(super) fn leave() -> &'static str {
    let start = Instant::now();
    loop {
        let screen = match SCREEN.try_lock() {
            Ok(screen) => screen,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(TryLockError::WouldBlock) => return "",
        };
        let sequence = match &*screen {
            Screen { has_progress: true, .. } => "\r\x1b[2K",
            Screen { has_text: true, .. } => "\n",
            Screen { .. } => "",
        };
        // Never unlocked, so that nothing is drawn any more.
        std::mem::forget(screen);
        return sequence;
    }
}
