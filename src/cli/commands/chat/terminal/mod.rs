//! A conversation with a person at a terminal.

mod earlier;
mod editor;
mod history;
mod typed;

use std::{
    cell::{Cell, RefCell},
    env,
    future::poll_fn,
    rc::Rc,
    task::Poll,
};

use futures_util::{FutureExt, future::LocalBoxFuture};

use self::{
    editor::{EditorSettings, LineEditor},
    typed::Typed,
};
use super::{
    command::Command,
    front::{Front, Line},
};
use crate::cli::{interrupt::CtrlC, screen, show::Show};
use lmthing_base::{chat::Message, diagnostic::Diagnostic};
use lmthing_node as script;

/// The values of `TERM` for which the editor does not draw.
const PLAIN_TERMINALS: [&str; 3] = ["dumb", "cons25", "emacs"];

pub(super) struct Terminal {
    show: Rc<Show>,
    editor: LineEditor,
    ctrl_c: RefCell<Option<CtrlC>>,
    is_answering: Cell<bool>,
    was_interrupted: Cell<bool>,
    has_begun: Cell<bool>,
    /// Whether the terminal has no editor, but reads lines itself.
    is_plain: bool,
}

impl Terminal {
    pub(super) fn new(show: Rc<Show>) -> Self {
        let settings =
            EditorSettings { has_colours: show.printer.stdout_has_colours(), commands: || Command::names().collect() };
        Terminal {
            show,
            editor: LineEditor::start(settings),
            ctrl_c: RefCell::default(),
            is_answering: Cell::default(),
            was_interrupted: Cell::default(),
            has_begun: Cell::default(),
            is_plain: env::var("TERM").is_ok_and(|term| PLAIN_TERMINALS.contains(&term.to_lowercase().as_str())),
        }
    }

    /// Once there is something to interrupt or to read. Until then Ctrl-C ends the process.
    fn begin(&self) {
        if !self.has_begun.replace(true) {
            self.ctrl_c.replace(Some(CtrlC::divert()));
            self.keep_typed_keys();
        }
    }

    /// What is typed or pasted during an answer is for the editor.
    fn keep_typed_keys(&self) {
        if !self.is_plain {
            script::keep_typed_keys();
            screen::mark_pastes();
        }
    }

    async fn next_line(&self) -> Option<Line> {
        if !self.has_begun.get() {
            self.show.hint("/help lists the commands, Ctrl-D leaves");
        }
        self.begin();
        loop {
            match self.typed().await? {
                Typed::Quoted(text) => return Some(Line::Say(text)),
                Typed::Line(text) => match Line::of_typed(&text) {
                    Ok(line) => return Some(line),
                    Err(problem) => self.show.printer.diagnostic(&problem),
                },
            }
        }
    }

    async fn typed(&self) -> Option<Typed> {
        let printer = &self.show.printer;
        let _turn = printer.terminal_turn().await;
        printer.begin_editing();
        let typed = self.editor.line().await;
        if self.is_plain && typed.is_none() {
            // The editor ends the line of the prompt itself.
            printer.control("\n");
        }
        printer.end_editing();
        self.keep_typed_keys();
        typed
    }
}

impl Front for Terminal {
    fn read(&self) -> LocalBoxFuture<'_, Option<Line>> {
        async {
            let line = self.next_line().await;
            if matches!(line, None | Some(Line::Command(Command::Exit))) {
                // Ends what is left of the run from now on.
                self.ctrl_c.take();
            }
            line
        }
        .boxed_local()
    }

    fn show(&self, text: &str) {
        self.show.printer.text(&format!("{text}\n"));
    }

    fn show_failure(&self, failure: &Diagnostic) -> bool {
        self.show.printer.finish_line();
        self.show.printer.diagnostic(failure);
        if self.is_answering.get() {
            self.show.hint("/retry asks again, /undo takes the message back");
        }
        true
    }

    fn show_earlier(&self, messages: &[Rc<Message>]) {
        earlier::show(messages, &self.show.printer);
    }

    fn begin_answer(&self) {
        self.begin();
        self.is_answering.set(true);
        self.was_interrupted.set(false);
        if let Some(ctrl_c) = &mut *self.ctrl_c.borrow_mut() {
            ctrl_c.discard();
        }
    }

    fn end_answer(&self) {
        let printer = &self.show.printer;
        self.is_answering.set(false);
        printer.finish_line();
        if self.was_interrupted.take() {
            printer.stderr_dim("(stopped)");
        }
        printer.text("\n");
    }

    fn interrupted(&self) -> LocalBoxFuture<'_, ()> {
        async {
            poll_fn(|context| match &mut *self.ctrl_c.borrow_mut() {
                Some(ctrl_c) => ctrl_c.poll_next(context),
                None => Poll::Pending,
            })
            .await;
            self.was_interrupted.set(true);
        }
        .boxed_local()
    }
}
