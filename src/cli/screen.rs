//! The terminal's last line: the progress line on stderr. The thread that draws it and the one that ends the process
//! share its state.
//!
//! A drawn line never fills the width of the terminal, so that the `^C` that the terminal adds stays on the same line
//! and is removed with it.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use console::{Style, Term, truncate_str};

/// How long the end of the process waits for a line that is being drawn. A terminal that is stopped must not block it.
const LOCK_TIMEOUT: Duration = Duration::from_millis(200);

/// Columns that stay free at the end of a line: `^C`, and one more, as a full line moves the cursor to the next.
const MARGIN: usize = 3;

const DEFAULT_COLUMNS: usize = 80;

const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

static MARKS_PASTES: AtomicBool = AtomicBool::new(false);

static SCREEN: Mutex<Screen> = Mutex::new(Screen { has_progress: false, has_text: false });

struct Screen {
    has_progress: bool,
    has_text: bool,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Columns that a drawn line may use.
pub(super) fn line_width() -> usize {
    let columns = Term::stderr().size_checked().map_or(DEFAULT_COLUMNS, |(_, columns)| usize::from(columns));
    columns.saturating_sub(MARGIN)
}

/// The character that shows, `elapsed` after the start, that something goes on.
pub(super) fn spinner(elapsed: Duration) -> char {
    SPINNER[(elapsed.as_millis() / SPINNER_INTERVAL.as_millis()) as usize % SPINNER.len()]
}

/// Draws the progress line: `mark` and then `text`, dimmed and cut to the width. `before` is written first. Blocks once
/// the process is ending.
pub(super) fn draw(before: &str, mark: &str, text: &str) {
    let mut screen = screen();
    let line = if mark.is_empty() { text.to_owned() } else { format!("{mark} {text}") };
    let line = truncate_str(&line, line_width(), "…");
    let shown = line.strip_prefix(mark).unwrap_or_default();
    let dim = Style::new().for_stderr().dim();
    // Erased behind the text, not before it is written: the line does not flicker.
    write(&format!("{before}\r{}{}\x1b[K", &line[..line.len() - shown.len()], dim.apply_to(shown)));
    screen.has_progress = true;
}

/// Removes the progress line, and writes `after`.
pub(super) fn clear(after: &str) {
    let mut screen = screen();
    write(&format!("\r\x1b[2K{after}"));
    screen.has_progress = false;
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    // Nothing can be done if stderr is closed.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Makes the terminal mark pasted text, so that its lines are one message.
pub(super) fn mark_pastes() {
    MARKS_PASTES.store(true, Ordering::Relaxed);
    write_to_terminal("\x1b[?2004h");
}

/// Leaves pasted text as it is for the programs that follow.
pub(super) fn end_pastes() {
    if MARKS_PASTES.swap(false, Ordering::Relaxed) {
        write_to_terminal("\x1b[?2004l");
    }
}

fn write_to_terminal(sequence: &str) {
    let mut stdout = io::stdout();
    if stdout.is_terminal() {
        let _ = stdout.write_all(sequence.as_bytes()).and_then(|()| stdout.flush());
    }
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
