//! A line from the terminal, for whoever asks: what was typed before the question is no answer to it. Must not know the question.

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

    /// How often whoever waits for a line looks whether somebody still wants it.
    const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

    /// More is no line that somebody types.
    const MAX_LINE: usize = 64 << 10;

    /// The terminal behind standard input, as it has to be for a question; dropped, as it was.
    pub(in crate::cli::approvals) struct Terminal {
        stdin: Stdin,
        /// How a script has left it, when that had to be changed.
        before: Option<Termios>,
        is_over: Arc<AtomicBool>,
    }

    impl Terminal {
        /// Call it before the question is written.
        pub(in crate::cli::approvals) fn open() -> Self {
            let stdin = io::stdin();
            let before = tcgetattr(&stdin).ok().filter(|now| {
                let wanted = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
                let mut cooked = now.clone();
                cooked.local_modes.insert(wanted);
                cooked.input_modes.insert(rustix::termios::InputModes::ICRNL);
                !now.local_modes.contains(wanted) && tcsetattr(&stdin, OptionalActions::Drain, &cooked).is_ok()
            });
            // Nobody answers a question that does not stand yet.
            let _ = tcflush(&stdin, QueueSelector::IFlush);
            Terminal { stdin, before, is_over: Arc::default() }
        }

        /// The next line; nothing at the end of the input.
        pub(in crate::cli::approvals) async fn line(&self) -> String {
            let is_over = self.is_over.clone();
            // On a thread of its own: the model may still be writing.
            tokio::task::spawn_blocking(move || read_line(&is_over)).await.unwrap_or_default()
        }
    }

    impl Drop for Terminal {
        fn drop(&mut self) {
            self.is_over.store(true, Ordering::Relaxed);
            if let Some(before) = &self.before {
                // Without a terminal there is nothing to put back.
                let _ = tcsetattr(&self.stdin, OptionalActions::Drain, before);
            }
        }
    }

    /// Reads past the buffer of the standard library, which would keep what comes behind the line.
    fn read_line(is_over: &AtomicBool) -> String {
        let stdin = io::stdin();
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < MAX_LINE && !is_over.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
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
        String::from_utf8_lossy(&line).into_owned()
    }
}

#[cfg(not(unix))]
pub(super) use elsewhere::Terminal;

#[cfg(not(unix))]
mod elsewhere {
    use std::io;

    /// The terminal behind standard input.
    pub(in crate::cli::approvals) struct Terminal;

    impl Terminal {
        pub(in crate::cli::approvals) fn open() -> Self {
            Terminal
        }

        /// The next line; nothing at the end of the input.
        pub(in crate::cli::approvals) async fn line(&self) -> String {
            let read = || {
                let mut line = String::new();
                io::stdin().read_line(&mut line).map(|_| line).unwrap_or_default()
            };
            tokio::task::spawn_blocking(read).await.unwrap_or_default()
        }
    }
}
