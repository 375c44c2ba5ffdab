//! A conversation whose messages are the lines of standard input.

use std::{
    io::{self, Read},
    rc::Rc,
    sync::mpsc,
    thread,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::oneshot;

use super::front::{Front, Line};
use crate::cli::{failure::io_error_text, show::Show, standard_streams::blocking_standard_streams};
use lmthing_base::diagnostic::Diagnostic;
use lmthing_engine::prompt::RunError;

/// The longest message, in bytes.
const MAX_LINE: usize = 64 << 20;

pub(super) struct Piped {
    show: Rc<Show>,
    /// To the thread that reads. Each line is read when it is asked for, so that none is lost with the process.
    requests: mpsc::Sender<oneshot::Sender<io::Result<Option<String>>>>,
}

impl Piped {
    pub(super) fn new(show: Rc<Show>) -> Self {
        let (requests, asked) = mpsc::channel::<oneshot::Sender<io::Result<Option<String>>>>();
        let read = move || {
            let mut is_first = true;
            while let Ok(request) = asked.recv() {
                let line = blocking_standard_streams().and_then(|(mut input, _)| next_line(&mut input, MAX_LINE));
                let _ = request.send(line.map(|line| line.map(|line| without_mark(line, is_first))));
                is_first = false;
            }
        };
        // Without a thread the input counts as ended.
        let _ = thread::Builder::new().name("lines".into()).stack_size(256 << 10).spawn(read);
        Piped { show, requests }
    }
}

/// Leaves out the byte order mark at the beginning of the input.
fn without_mark(line: String, is_first: bool) -> String {
    match line.strip_prefix('\u{feff}').filter(|_| is_first) {
        Some(rest) => rest.to_owned(),
        None => line,
    }
}

/// The next line that is not empty; `None` at the end of the input. Nothing behind it is read: it is for the next process
/// if this one ends.
fn next_line(input: &mut impl Read, longest: usize) -> io::Result<Option<String>> {
    loop {
        // A buffer would hold more than the line.
        let (mut bytes, mut byte) = (Vec::new(), [0]);
        while !bytes.ends_with(b"\n") && read_byte(input, &mut byte)? {
            if bytes.len() >= longest {
                let message = format!("a line of it has more than {} MiB", longest >> 20);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            bytes.push(byte[0]);
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\r', '\n']);
        if !line.trim().is_empty() {
            return Ok(Some(line.to_owned()));
        }
    }
}

fn read_byte(input: &mut impl Read, byte: &mut [u8; 1]) -> io::Result<bool> {
    loop {
        match input.read(byte) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map(|length| length == 1),
        }
    }
}

fn unreadable(error: &io::Error) -> RunError {
    let problem = Diagnostic::new(format!("cannot read standard input: {}", io_error_text(error)));
    match error.kind() {
        io::ErrorKind::FileTooLarge => RunError::Usage(Box::new(problem)),
        _ => problem.into(),
    }
}

impl Front for Piped {
    fn read(&self) -> LocalBoxFuture<'_, Option<Line>> {
        let (sender, line) = oneshot::channel();
        let _ = self.requests.send(sender);
        async {
            match line.await.unwrap_or(Ok(None)) {
                Ok(line) => line.map(Line::Say),
                Err(error) => Some(Line::Unreadable(unreadable(&error))),
            }
        }
        .boxed_local()
    }

    fn show(&self, text: &str) {
        self.show.printer.stderr(&format!("{text}\n"));
    }

    fn show_unseen(&self) {
        if self.show.has_unseen_answer() {
            self.show.warn("the last answer of the earlier process follows; it may have been shown before");
            self.show.end_line_of_answer();
        }
    }

    fn end_answer(&self) {
        self.show.end_line_of_answer();
    }

    fn show_failure(&self, _failure: &Diagnostic) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_are_no_messages() {
        let mut input = io::Cursor::new("\n  one \r\n\t\n/undo\n\nlast".as_bytes());
        let lines: Vec<_> = std::iter::from_fn(|| next_line(&mut input, 9).unwrap()).collect();
        assert_eq!(lines, ["  one ", "/undo", "last"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_wrong_usage() {
        let error = next_line(&mut io::repeat(b'a'), 1 << 20).unwrap_err();
        assert!(matches!(unreadable(&error), RunError::Usage(problem) if problem.message.ends_with("more than 1 MiB")));
        assert!(matches!(unreadable(&io::ErrorKind::IsADirectory.into()), RunError::Script(_)));
    }
}
