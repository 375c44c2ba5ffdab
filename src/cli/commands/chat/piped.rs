//! A conversation whose messages are the lines of standard input.

use std::{
    io::{self, BufRead},
    rc::Rc,
    sync::mpsc,
    thread,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::oneshot;

use super::front::{Front, Line};
use crate::cli::show::Show;
use lmthing_base::diagnostic::Diagnostic;

pub(super) struct Piped {
    show: Rc<Show>,
    /// To the thread that reads. Each line is read when it is asked for, so that none is lost with the process.
    requests: mpsc::Sender<oneshot::Sender<Option<String>>>,
}

impl Piped {
    pub(super) fn new(show: Rc<Show>) -> Self {
        let (requests, asked) = mpsc::channel::<oneshot::Sender<Option<String>>>();
        let read = move || {
            while let Ok(request) = asked.recv() {
                let _ = request.send(next_line(&mut io::stdin().lock()));
            }
        };
        // Without a thread the input counts as ended.
        let _ = thread::Builder::new().name("lines".into()).stack_size(256 << 10).spawn(read);
        Piped { show, requests }
    }
}

/// The next line that is not empty; `None` at the end of the input.
fn next_line(input: &mut impl BufRead) -> Option<String> {
    loop {
        let mut bytes = Vec::new();
        if input.read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_end_matches(['\r', '\n']);
        if !line.trim().is_empty() {
            return Some(line.to_owned());
        }
    }
}

impl Front for Piped {
    fn read(&self) -> LocalBoxFuture<'_, Option<Line>> {
        let (sender, line) = oneshot::channel();
        let _ = self.requests.send(sender);
        async { line.await.ok().flatten().map(Line::Say) }.boxed_local()
    }

    fn show(&self, text: &str) {
        self.show.printer.stderr(&format!("{text}\n"));
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
        let lines: Vec<_> = std::iter::from_fn(|| next_line(&mut input)).collect();
        assert_eq!(lines, ["  one ", "/undo", "last"]);
    }
}
