//! Reads answers from the terminal, without what was typed before the question.

#[cfg(unix)]
pub(super) use unix::Terminal;

#[cfg(unix)]
mod unix {
    use std::{
        io::{self, Stdin},
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr},
    };

    /// Interval at which a reader checks whether its question is still open.
    const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

    const MAX_LINE: usize = 64 << 10;

    /// Standard input as a terminal in line mode. Dropping it restores the previous mode.
    pub(in crate::cli::approvals) struct Terminal {
        stdin: Stdin,
        /// The previous mode, if it had to be changed.
        before: Option<Termios>,
        is_over: Arc<AtomicBool>,
    }

    impl Terminal {
        /// Must be called before the question is written.
        pub(in crate::cli::approvals) fn open() -> Self {
            let stdin = io::stdin();
            let before = tcgetattr(&stdin).ok().filter(|now| {
                let wanted = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
                let mut cooked = now.clone();
                cooked.local_modes.insert(wanted);
                cooked.input_modes.insert(rustix::termios::InputModes::ICRNL);
                !now.local_modes.contains(wanted) && tcsetattr(&stdin, OptionalActions::Drain, &cooked).is_ok()
            });
            let terminal = Terminal { stdin, before, is_over: Arc::default() };
            terminal.discard_input();
            terminal
        }

        /// Drops what was typed and not read.
        pub(in crate::cli::approvals) fn discard_input(&self) {
            let _ = tcflush(&self.stdin, QueueSelector::IFlush);
        }

        /// Reads a line. `None` at the end of input.
        pub(in crate::cli::approvals) async fn line(&self) -> Option<String> {
            let is_over = self.is_over.clone();
            // Not on the event loop: the model may still be streaming.
            tokio::task::spawn_blocking(move || read_line(&is_over)).await.unwrap_or_default()
        }
    }

    impl Drop for Terminal {
        fn drop(&mut self) {
            self.is_over.store(true, Ordering::Relaxed);
            if let Some(before) = &self.before {
                // Fails if standard input is no terminal.
                let _ = tcsetattr(&self.stdin, OptionalActions::Drain, before);
            }
        }
    }

    /// Unbuffered: the standard library's buffer would take input after the line.
    fn read_line(is_over: &AtomicBool) -> Option<String> {
        let stdin = io::stdin();
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < MAX_LINE && !is_over.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&POLL_INTERVAL)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                // Otherwise the key is for the next reader.
                Ok(_) if is_over.load(Ordering::Relaxed) => break,
                Ok(_) => {}
                Err(_) => break,
            }
            match rustix::io::read(&stdin, &mut byte) {
                Ok(1) => line.push(byte[0]),
                Err(rustix::io::Errno::INTR) => continue,
                Ok(_) | Err(_) => break,
            }
            if byte[0] == b'\n' {
                break;
            }
        }
        (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
    }
}

#[cfg(not(unix))]
pub(super) use other::Terminal;

#[cfg(not(unix))]
mod other {
    use std::io;

    pub(in crate::cli::approvals) struct Terminal;

    impl Terminal {
        pub(in crate::cli::approvals) fn open() -> Self {
            Terminal
        }

        pub(in crate::cli::approvals) fn discard_input(&self) {}

        pub(in crate::cli::approvals) async fn line(&self) -> Option<String> {
            let read = || {
                let mut line = String::new();
                io::stdin().read_line(&mut line).ok().filter(|length| *length > 0).map(|_| line)
            };
            tokio::task::spawn_blocking(read).await.unwrap_or_default()
        }
    }
}
