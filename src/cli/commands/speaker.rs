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
    let texts: VecDeque<String> = texts.iter().cloned().collect();
    if texts.is_empty() {
        return None;
    }
    Some(Box::new(|_| Rc::new(Said(RefCell::new(texts)))))
}

struct Said(RefCell<VecDeque<String>>);

impl Turns for Said {
    fn next<'a>(&'a self, _prompt: &'a dyn TurnPrompt) -> LocalBoxFuture<'a, NextTurn> {
        let next = self.0.borrow_mut().pop_front();
        let next = next.map_or(NextTurn::End, |text| NextTurn::Say(vec![ContentPart::text(text)]));
        std::future::ready(next).boxed_local()
    }
}

impl Speaker for Said {}
