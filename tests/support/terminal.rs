//! Runs the binary in a pseudo terminal, and reads its screen as a person does.

use std::{
    io::{Read, Write},
    num::NonZero,
    process::{Child, Command},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Instant,
};

use pty_process::blocking::{Command as PtyCommand, Pty, open};

use super::wait::{PATIENCE, wait_for_exit};

/// A program on a terminal of its own. It is killed when this is dropped.
pub(crate) struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    screen: Arc<(Mutex<vt100::Parser>, Condvar)>,
}

/// Lines that have scrolled away and stay readable.
const SCROLLBACK: usize = 1_000;

impl Terminal {
    pub(crate) fn start(command: &Command, rows: u16, columns: u16) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        let mut in_pty = PtyCommand::new(command.get_program()).args(command.get_args()).env_remove("CI");
        if let Some(folder) = command.get_current_dir() {
            in_pty = in_pty.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            in_pty = match value {
                Some(value) => in_pty.env(name, value),
                None => in_pty.env_remove(name),
            };
        }
        let child = in_pty.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let screen = Arc::new((Mutex::new(vt100::Parser::new(size(rows), size(columns), SCROLLBACK)), Condvar::new()));
        let (reader, parser) = (pty.clone(), screen.clone());
        thread::spawn(move || read(&reader, &parser));
        Terminal { pty, child, screen }
    }

    pub(crate) fn type_text(&self, text: &str) {
        (&*self.pty).write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        self.screen.0.lock().unwrap().screen_mut().set_size(size(rows), size(columns));
        self.pty.resize(pty_process::Size::new(rows, columns)).unwrap();
    }

    /// Waits until the screen is as wanted, and returns its text.
    pub(crate) fn wait_until(&self, what: &str, is_wanted: impl Fn(&vt100::Screen) -> bool) -> String {
        let (parser, changed) = &*self.screen;
        let end = Instant::now() + PATIENCE;
        let mut parser = parser.lock().unwrap();
        while !is_wanted(parser.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} does not appear on the screen:\n{}", parser.screen().contents());
            parser = changed.wait_timeout(parser, left).unwrap().0;
        }
        parser.screen().contents()
    }

    /// Waits until the text is on the screen.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(&format!("{text:?}"), |screen| screen.contents().contains(text))
    }

    /// Waits until the last lines of the screen are these.
    pub(crate) fn wait_for_end(&self, lines: &[&str]) -> String {
        self.wait_until(&format!("{lines:?} at the end"), |screen| {
            let text = screen.contents();
            let shown: Vec<&str> = text.trim_end_matches('\n').lines().map(str::trim_end).collect();
            shown.ends_with(lines)
        })
    }

    /// Waits for an empty prompt with the cursor in it, as the last line.
    pub(crate) fn wait_for_prompt(&self) -> String {
        self.wait_until("an empty prompt", |screen| {
            let (row, column) = screen.cursor_position();
            let line = screen.rows(0, screen.size().1.get()).nth(usize::from(row)).unwrap_or_default();
            column == 2 && line.trim_end() == ">"
        })
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Waits for the end, and returns the exit code; -1 after a signal.
    pub(crate) fn end(&mut self) -> i32 {
        let screen = self.screen.clone();
        let shown = || screen.0.lock().unwrap().screen().contents();
        wait_for_exit(&mut self.child, shown).code().unwrap_or(-1)
    }

    /// After the end of the program: keys are echoed and read line by line, and pasted text is not marked, as shells
    /// expect of a terminal.
    pub(crate) fn wait_until_usual(&self) {
        let modes = rustix::termios::tcgetattr(&*self.pty).unwrap().local_modes;
        assert!(modes.contains(rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON), "{modes:?}");
        self.wait_until("the end of marked pastes", |screen| !screen.bracketed_paste());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

fn read(pty: &Pty, screen: &(Mutex<vt100::Parser>, Condvar)) {
    let mut buffer = [0; 4096];
    // Fails when the other end is closed.
    while let Ok(length @ 1..) = (&*pty).read(&mut buffer) {
        screen.0.lock().unwrap().process(&buffer[..length]);
        screen.1.notify_all();
    }
}
