//! What the terminal's last line holds, for the two threads that care: the one that draws there, and the one that ends the
//! process when the user interrupts. Must not know what is drawn.

use std::{
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
    thread,
    time::{Duration, Instant},
};

/// How long an interrupt waits for a line that is being drawn: a terminal that takes nothing must not hold it up.
const PATIENCE: Duration = Duration::from_millis(200);

static SCREEN: Mutex<Screen> = Mutex::new(Screen { has_progress: false, has_text: false });

/// What stands on the last line.
struct Screen {
    /// The progress line.
    has_progress: bool,
    /// Text without an end of line.
    has_text: bool,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws the progress line; not while the process is being ended. `draw` says whether it stands there now: where there was no
/// place for it, the last line is the text's.
pub(super) fn draw(draw: impl FnOnce() -> bool) {
    let mut screen = screen();
    screen.has_progress = draw();
}

/// Takes the progress line off the screen.
pub(super) fn clear(clear: impl FnOnce()) {
    let mut screen = screen();
    clear();
    screen.has_progress = false;
}

/// Notes whether text stands in the middle of a line.
pub(super) fn set_text(has_text: bool) {
    screen().has_text = has_text;
}

/// What has to be written before the process ends, so that nothing is left behind and nothing of the text is lost. From
/// here on nobody draws.
pub(super) fn leave() -> &'static str {
    let start = Instant::now();
    loop {
        let screen = match SCREEN.try_lock() {
            Ok(screen) => screen,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
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
        // Never given back: whoever would draw waits for the end.
        std::mem::forget(screen);
        return sequence;
    }
}
