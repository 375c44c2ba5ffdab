//! The growing history of a run, and the part of it that each step sent.
//!
//! A step's input is the history so far plus a system message and a reminder. Copying the list for every step would make a
//! run of n steps cost n², so a step stores the length of the shared history instead.

use std::{cell::RefCell, rc::Rc};

use super::{Message, SystemPart};

/// An append-only list of messages, shared by the run and its recorded steps.
#[derive(Clone, Debug, Default)]
pub struct Transcript(Rc<RefCell<Vec<Rc<Message>>>>);

impl Transcript {
    pub fn from_messages(messages: Vec<Rc<Message>>) -> Self {
        Transcript(Rc::new(RefCell::new(messages)))
    }

    pub fn push(&self, message: impl Into<Rc<Message>>) {
        self.0.borrow_mut().push(message.into());
    }

    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn since(&self, start: usize) -> Vec<Rc<Message>> {
        self.0.borrow().get(start..).unwrap_or_default().to_vec()
    }

    pub fn to_vec(&self) -> Vec<Rc<Message>> {
        self.0.borrow().clone()
    }
}

/// The messages of one request: system message, a prefix of the history, and messages of this step only.
#[derive(Clone, Debug, Default)]
pub struct PromptMessages {
    system: Option<Rc<Message>>,
    /// The parts of the system message; empty if they are not known.
    system_parts: Rc<[SystemPart]>,
    history: Transcript,
    end: usize,
    extra: Vec<Rc<Message>>,
}

impl PromptMessages {
    pub fn new(system: Option<Rc<Message>>, history: Transcript, extra: Vec<Rc<Message>>) -> Self {
        let end = history.len();
        PromptMessages { system, system_parts: Rc::default(), history, end, extra }
    }

    /// The first `end` messages of a history.
    pub fn with_history_length(
        system: Option<Rc<Message>>,
        history: Transcript,
        end: usize,
        extra: Vec<Rc<Message>>,
    ) -> Self {
        let end = end.min(history.len());
        PromptMessages { system, system_parts: Rc::default(), history, end, extra }
    }

    #[must_use]
    pub fn with_system_parts(self, system_parts: Rc<[SystemPart]>) -> Self {
        PromptMessages { system_parts, ..self }
    }

    pub fn system(&self) -> Option<&Rc<Message>> {
        self.system.as_ref()
    }

    pub fn system_parts(&self) -> &Rc<[SystemPart]> {
        &self.system_parts
    }

    pub fn history(&self) -> Vec<Rc<Message>> {
        let history = self.history.0.borrow();
        history[..self.end].to_vec()
    }

    /// The number of history messages if they belong to `history`; `None` if they belong to another.
    pub fn length_in(&self, history: &Transcript) -> Option<usize> {
        Rc::ptr_eq(&self.history.0, &history.0).then_some(self.end)
    }

    pub fn history_length(&self) -> usize {
        self.end
    }

    pub fn history_from(&self, first: usize) -> Vec<Rc<Message>> {
        self.history.0.borrow()[..self.end].get(first..).unwrap_or_default().to_vec()
    }

    /// Whether the history is that of an `earlier` request or has grown from it.
    pub fn continues(&self, earlier: &PromptMessages) -> bool {
        Rc::ptr_eq(&self.history.0, &earlier.history.0) && self.end >= earlier.end
    }

    pub fn extra(&self) -> &[Rc<Message>] {
        &self.extra
    }

    /// The same request with one more message at its end.
    #[must_use]
    pub fn followed_by(&self, message: Rc<Message>) -> Self {
        let mut messages = self.clone();
        messages.extra.push(message);
        messages
    }

    pub fn to_vec(&self) -> Vec<Rc<Message>> {
        let history = self.history.0.borrow();
        let mut all = Vec::with_capacity(self.end + self.extra.len() + 1);
        all.extend(self.system.iter().cloned());
        all.extend(history[..self.end].iter().cloned());
        all.extend(self.extra.iter().cloned());
        all
    }
}

impl PartialEq for PromptMessages {
    fn eq(&self, other: &Self) -> bool {
        // By content: two histories can be equal without being shared.
        self.to_vec() == other.to_vec()
    }
}
