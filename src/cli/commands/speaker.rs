//! Who talks to a prompt file after its own messages: the texts of `--say`, or the user of `lmthing chat`.

use std::{cell::RefCell, collections::VecDeque, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::cli::show::Show;
use lmthing_base::chat::ContentPart;
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

/// A speaker that says these texts; `None` without any.
pub(super) fn saying(texts: &[String]) -> Option<MakeSpeaker> {
    let messages: VecDeque<_> = texts.iter().map(|text| vec![ContentPart::text(text.clone())]).collect();
    if messages.is_empty() {
        return None;
    }
    Some(Box::new(|_| Rc::new(Said(RefCell::new(messages)))))
}

/// A speaker that asks one question.
pub(super) fn asking(question: Vec<ContentPart>) -> MakeSpeaker {
    Box::new(|_| Rc::new(Said(RefCell::new([question].into()))))
}

struct Said(RefCell<VecDeque<Vec<ContentPart>>>);

impl Turns for Said {
    fn next<'a>(&'a self, _prompt: &'a dyn TurnPrompt) -> LocalBoxFuture<'a, NextTurn> {
        let next = self.0.borrow_mut().pop_front();
        std::future::ready(next.map_or(NextTurn::End, NextTurn::Say)).boxed_local()
    }
}

impl Speaker for Said {}
