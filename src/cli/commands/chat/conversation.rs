//! The loop of a conversation between its answers: reads messages, and does what commands ask for.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    command::{Command, help},
    front::{Front, Line},
    save::save,
};
use crate::cli::{
    commands::{
        speaker::{Speaker, SpeakerContext},
        view,
    },
    failure::Ending,
};
use lmthing_base::{
    chat::{ContentPart, FinishReason},
    checkpoint::{Checkpoints, Entry, StoreError, UserSettings},
    diagnostic::Diagnostic,
    event::{Agent, EventKind},
};
use lmthing_engine::{
    bindings::FileRun,
    prompt::{NextTurn, RunError, TurnPrompt, Turns},
};
use lmthing_store::journal::TakenBack;

pub(super) struct Conversation {
    pub(super) context: SpeakerContext,
    front: Rc<dyn Front>,
    settings: RefCell<UserSettings>,
    /// Whether the settings are to be written to the journal.
    has_new_settings: Cell<bool>,
    /// Whether what was said in an earlier process is still to be shown.
    has_earlier: Cell<bool>,
    is_answering: Cell<bool>,
    reload: Cell<bool>,
    /// Whether a message without an answer is asked when the file is loaded.
    asks_at_once: Cell<bool>,
}

impl Conversation {
    /// `earlier` is what the user has set in an earlier process.
    pub(super) fn new(
        context: SpeakerContext,
        front: Rc<dyn Front>,
        earlier: Option<UserSettings>,
        model: Option<String>,
    ) -> Self {
        let has_earlier = earlier.is_some();
        let stored = earlier.unwrap_or_default();
        let settings = UserSettings { model: model.or_else(|| stored.model.clone()), ..stored.clone() };
        Conversation {
            context,
            front,
            // Also marks a run that was none before as a conversation.
            has_new_settings: Cell::new(has_earlier),
            settings: RefCell::new(settings),
            has_earlier: Cell::new(has_earlier),
            is_answering: Cell::new(false),
            reload: Cell::new(false),
            asks_at_once: Cell::new(true),
        }
    }

    fn greet(&self, prompt: &dyn TurnPrompt) {
        if self.has_earlier.take() {
            self.front.show_earlier(&prompt.messages());
        }
    }

    fn end_answer(&self) {
        if self.is_answering.take() {
            self.context.show.printer.flush();
            self.front.end_answer();
        }
    }

    async fn next_turn(&self, prompt: &dyn TurnPrompt) -> NextTurn {
        let is_resumed = self.has_earlier.get();
        self.greet(prompt);
        if is_resumed {
            self.front.show_unseen();
        }
        let was_answering = self.is_answering.get();
        self.end_answer();
        if was_answering || is_resumed {
            // Not awaited: the next line, or the end, is written after it.
            drop(self.context.recorder.append("", Entry::Shown));
        }
        if was_answering && self.has_failed_answer() {
            return NextTurn::End;
        }
        if self.has_new_settings.take()
            && let Err(error) = self.store_settings().await
        {
            self.front.show_failure(&diagnostic(error));
        }
        loop {
            match self.front.read().await {
                None | Some(Line::Command(Command::Exit)) => return NextTurn::End,
                Some(Line::Unreadable(failure)) => return NextTurn::Fail(failure),
                Some(Line::Say(text)) => return NextTurn::Say(vec![ContentPart::text(text)]),
                Some(Line::Command(command)) => match self.run_command(command, prompt).await {
                    Ok(None) => {}
                    Ok(Some(next)) => return next,
                    Err(failure) => {
                        self.front.show_failure(&failure);
                    }
                },
            }
        }
    }

    /// Whether the last answer has ended with an error of the provider, and the conversation with it.
    fn has_failed_answer(&self) -> bool {
        let failure = || Diagnostic::new("the answer broke off with an error of the provider (finish reason error)");
        self.context.show.finish_reason() == Some(FinishReason::Error) && !self.front.show_failure(&failure())
    }

    async fn run_command(&self, command: Command, prompt: &dyn TurnPrompt) -> Result<Option<NextTurn>, Diagnostic> {
        match command {
            Command::Model(None) => self.front.show(&prompt.model_name()),
            Command::Model(Some(name)) => {
                prompt.set_model(&name).map_err(|error| self.failure(&error))?;
                self.settings.borrow_mut().model = Some(name);
                self.store_settings().await.map_err(diagnostic)?;
                self.front.show(&prompt.model_name());
            }
            Command::System(None) => {
                let settings = self.settings.borrow();
                self.front.show(settings.system.as_deref().unwrap_or("nothing is added to the system prompt"));
            }
            Command::System(Some(text)) => {
                self.settings.borrow_mut().system = Some(text);
                self.store_settings().await.map_err(diagnostic)?;
                self.front.show("This is added to the system prompt from now on.");
            }
            Command::Undo => return self.take_back(TakenBack::Message).await,
            Command::Retry => return self.take_back(TakenBack::Answer).await,
            Command::Cost => self.front.show(&self.context.show.summary_text()),
            Command::View => self.view().await?,
            Command::Save(path) => {
                let saved = save(&path, &prompt.messages(), &self.context.redactor).map_err(|problem| *problem)?;
                self.front.show(&format!("Wrote {}.", saved.display()));
            }
            Command::Help => self.front.show(&help(self.context.show.printer.columns())),
            Command::Exit => {}
        }
        Ok(None)
    }

    async fn view(&self) -> Result<(), Diagnostic> {
        let SpeakerContext { recorder, show, .. } = &self.context;
        recorder.flush(|notice| show.events.warn(notice)).await.map_err(diagnostic)?;
        view::open_run(show.events.run(), recorder.path(), &show.printer).map_err(|problem| *problem)
    }

    async fn take_back(&self, what: TakenBack) -> Result<Option<NextTurn>, Diagnostic> {
        let recorder = &self.context.recorder;
        if let Some(why) = recorder.why_not_resumable() {
            return Err(Diagnostic::new(format!("this conversation cannot go back: {why}")));
        }
        let Some(step) = recorder.take_back(what).await.map_err(diagnostic)? else {
            let nothing = match what {
                TakenBack::Message => "there is no message to take back",
                TakenBack::Answer => "nothing was asked yet",
            };
            self.front.show(nothing);
            return Ok(None);
        };
        self.context.show.events.emit(&Agent::root(), &EventKind::TakenBack { step });
        if what == TakenBack::Message {
            self.front.show("The last message is taken back, with all that followed.");
        }
        self.asks_at_once.set(what == TakenBack::Answer);
        self.reload.set(true);
        Ok(Some(NextTurn::Reload))
    }

    async fn store_settings(&self) -> Result<(), StoreError> {
        let settings = self.settings.borrow().clone();
        self.context.recorder.append("", Entry::Chosen(settings)).await
    }

    fn failure(&self, error: &RunError) -> Diagnostic {
        let end = FileRun::Failed(Rc::new(error.clone()));
        let ending = Ending::of_run(&end, None, None, &self.context.redactor);
        ending.diagnostic.unwrap_or_else(|| Diagnostic::new(error.to_string()))
    }
}

fn diagnostic(error: StoreError) -> Diagnostic {
    Diagnostic { hint: error.hint, ..Diagnostic::new(error.message) }
}

impl Turns for Conversation {
    fn next<'a>(&'a self, prompt: &'a dyn TurnPrompt) -> LocalBoxFuture<'a, NextTurn> {
        self.next_turn(prompt).boxed_local()
    }

    fn asks_at_once(&self) -> bool {
        self.asks_at_once.replace(true)
    }

    fn begin_answer(&self, prompt: &dyn TurnPrompt) {
        self.greet(prompt);
        self.is_answering.set(true);
        self.front.begin_answer();
    }

    fn interrupted(&self) -> LocalBoxFuture<'_, ()> {
        self.front.interrupted()
    }

    fn goes_on_after(&self, error: &RunError) -> bool {
        let goes_on = self.front.show_failure(&self.failure(error));
        if goes_on {
            self.end_answer();
        }
        goes_on
    }

    fn system(&self) -> Option<String> {
        self.settings.borrow().system.clone()
    }
}

impl Speaker for Conversation {
    fn takes_reload(&self) -> bool {
        self.reload.take()
    }

    fn model(&self) -> Option<String> {
        self.settings.borrow().model.clone()
    }
}
