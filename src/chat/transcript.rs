//! The growing history of a run and what each step saw of it.
//!
//! A step's input is "the history so far" plus a system message and a reminder. Copying the list for every step would
//! make a run of n steps cost n²; a step therefore remembers how far the shared history reached.

use std::{cell::RefCell, rc::Rc};

use super::Message;

/// An append-only list of messages, shared by the run and its recorded steps.
#[derive(Clone, Debug, Default)]
pub struct Transcript(Rc<RefCell<Vec<Rc<Message>>>>);

impl Transcript {
    /// A history that starts with the given messages.
    pub fn from_messages(messages: Vec<Rc<Message>>) -> Self {
        Transcript(Rc::new(RefCell::new(messages)))
    }

    /// Adds a message at the end.
    pub fn push(&self, message: impl Into<Rc<Message>>) {
        self.0.borrow_mut().push(message.into());
    }

    /// How many messages there are now.
    pub fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The messages from this place on.
    pub fn since(&self, start: usize) -> Vec<Rc<Message>> {
        self.0.borrow().get(start..).unwrap_or_default().to_vec()
    }

    /// The messages there are now.
    pub fn to_vec(&self) -> Vec<Rc<Message>> {
        self.0.borrow().clone()
    }
}

/// The messages one request was made of: system message, history up to a point, and messages for this step only.
#[derive(Clone, Debug, Default)]
pub struct PromptMessages {
    system: Option<Rc<Message>>,
    history: Transcript,
    end: usize,
    extra: Vec<Rc<Message>>,
}

impl PromptMessages {
    /// The history as it stands now between a system message and messages that only this step sees.
    pub fn new(system: Option<Rc<Message>>, history: Transcript, extra: Vec<Rc<Message>>) -> Self {
        // The history grows on; this request saw what is there now.
        let end = history.len();
        PromptMessages { system, history, end, extra }
    }

    /// The first messages of a history, as an earlier request was made of them.
    pub fn of_earlier(system: Option<Rc<Message>>, history: Transcript, end: usize, extra: Vec<Rc<Message>>) -> Self {
        let end = end.min(history.len());
        PromptMessages { system, history, end, extra }
    }

    /// The system message.
    pub fn system(&self) -> Option<&Rc<Message>> {
        self.system.as_ref()
    }

    /// The messages between the system message and those for this step only.
    pub fn history(&self) -> Vec<Rc<Message>> {
        let history = self.history.0.borrow();
        history[..self.end].to_vec()
    }

    /// How many these are, when they are the first of this history; `None` when they belong to another.
    pub fn length_in(&self, history: &Transcript) -> Option<usize> {
        Rc::ptr_eq(&self.history.0, &history.0).then_some(self.end)
    }

    /// How many there are.
    pub fn history_length(&self) -> usize {
        self.end
    }

    /// The same without the first ones.
    pub fn history_from(&self, first: usize) -> Vec<Rc<Message>> {
        self.history.0.borrow()[..self.end].get(first..).unwrap_or_default().to_vec()
    }

    /// Whether they are those of an earlier request, or have grown from them.
    pub fn continues(&self, earlier: &PromptMessages) -> bool {
        Rc::ptr_eq(&self.history.0, &earlier.history.0) && self.end >= earlier.end
    }

    /// The messages for this step only.
    pub fn extra(&self) -> &[Rc<Message>] {
        &self.extra
    }

    /// All messages in the order they are sent.
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
        // By what was sent: two histories may have come to the same by different ways.
        self.to_vec() == other.to_vec()
    }
}
