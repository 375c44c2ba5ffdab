//! Who talks to a prompt file after its own messages: the texts of `--say`, or the user of `lmthing chat`.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::cli::show::Show;
use lmthing_base::{
    chat::ContentPart,
    checkpoint::{Checkpoints, Entry},
};
use lmthing_engine::prompt::{NextTurn, TurnPrompt, Turns};
use lmthing_providers::Redactor;
use lmthing_store::journal::Recorder;

pub(super) trait Speaker: Turns {
    /// Whether the run has ended only to be loaded again from its log.
    fn takes_reload(&self) -> bool {
        false
    }

    /// The model in place of that of the file, if the speaker has chosen one.
    fn model(&self) -> Option<String> {
        None
    }
}

/// What a speaker knows of the run.
pub(super) struct SpeakerContext {
    pub(super) show: Rc<Show>,
    pub(super) recorder: Rc<Recorder>,
    pub(super) redactor: Redactor,
}

pub(super) type MakeSpeaker = Box<dyn FnOnce(SpeakerContext) -> Rc<dyn Speaker>>;

/// A speaker that says the texts that the journal knows, and then those that are new to it. `None` without any.
pub(super) fn saying(known: Vec<String>, new: Vec<String>) -> Option<MakeSpeaker> {
    let messages: VecDeque<_> = known.iter().chain(&new).map(|text| vec![ContentPart::text(text.clone())]).collect();
    if messages.is_empty() {
        return None;
    }
    Some(Box::new(|context| Rc::new(Said { messages: RefCell::new(messages), new: RefCell::new(new), context })))
}

/// A speaker that asks one question.
pub(super) fn asking(question: Vec<ContentPart>) -> MakeSpeaker {
    let (messages, new) = (RefCell::new([question].into()), RefCell::default());
    Box::new(|context| Rc::new(Said { messages, new, context }))
}

struct Said {
    messages: RefCell<VecDeque<Vec<ContentPart>>>,
    /// Those of the messages that are not in the journal.
    new: RefCell<Vec<String>>,
    context: SpeakerContext,
}

impl Turns for Said {
    fn begin(&self) {
        let texts = self.new.take();
        if !texts.is_empty() {
            // Not awaited: it is written before what follows.
            drop(self.context.recorder.append("", Entry::ToSay { texts }));
        }
    }

    fn next<'a>(&'a self, _prompt: &'a dyn TurnPrompt) -> LocalBoxFuture<'a, NextTurn> {
        let next = self.messages.borrow_mut().pop_front();
        std::future::ready(next.map_or(NextTurn::End, NextTurn::Say)).boxed_local()
    }
}

impl Speaker for Said {}
