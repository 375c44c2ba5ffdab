//! The decisions on calls that need approval, from this process or earlier ones, and the calls that wait for one
//! (docs/reference/approvals.md).
//!
//! A decision is matched to a call by its name and arguments.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use lmthing_base::checkpoint::{CallPartName, HeldCall, Verdict, WaitingCall, call_digest};

/// The call id of code in the text of a step, followed by the number of the step.
pub const TEXT_CODE: &str = "code-";

/// A call that may need approval, identified in the same way in every process.
#[derive(Clone, Debug)]
pub struct NamedCall {
    pub key: String,
    /// Outermost first.
    pub agent: Vec<Rc<str>>,
    /// The id of the tool call, or [`TEXT_CODE`] with the step for code in a model's text.
    pub call: String,
    pub is_tool_call: bool,
    pub part: Option<CallPartName>,
}

#[cfg(test)]
impl NamedCall {
    pub(super) fn of_tool(id: &str) -> Self {
        NamedCall { key: String::new(), agent: Vec::new(), call: id.to_owned(), is_tool_call: true, part: None }
    }
}

/// A waiting call of this process, with the agents that made it.
#[derive(Clone, Debug)]
pub struct Waiter {
    pub held: HeldCall,
    pub agent: Vec<Rc<str>>,
    pub is_tool_call: bool,
}

/// What is known about a call before the user is asked.
#[derive(Debug, PartialEq, Eq)]
pub enum Known {
    Decided(Verdict),
    /// No decision. `is_other`: a call with other arguments was approved instead.
    Nothing {
        is_other: bool,
    },
}

#[derive(Default)]
pub struct Decisions {
    /// Calls that wait or have waited, including those of earlier processes.
    held: RefCell<Vec<HeldCall>>,
    /// Serial numbers of calls that were requested in this process, or whose decision is used.
    taken: RefCell<Vec<usize>>,
    waiters: RefCell<Vec<Waiter>>,
    last: Cell<usize>,
    round: usize,
}

impl Decisions {
    /// `held` are the calls of earlier processes, `last` is the highest serial number.
    pub fn new(held: Vec<HeldCall>, last: usize) -> Rc<Self> {
        let round = held.iter().map(|held| held.call.round).max().unwrap_or(0) + 1;
        Rc::new(Decisions {
            taken: RefCell::new(held.iter().filter(|held| held.has_ended).map(|held| held.call.serial).collect()),
            held: RefCell::new(held),
            last: Cell::new(last),
            round,
            ..Decisions::default()
        })
    }

    /// Begins another answer: decisions on tool calls of the previous one apply to no other call.
    pub fn begin_answer(&self, key: &str) {
        // Code in a text is identified by its step, and may belong to an interrupted answer. The calls are kept for
        // their names.
        let is_of_previous_answer = |held: &&HeldCall| held.key == key && !held.call.call.starts_with(TEXT_CODE);
        let held = self.held.borrow();
        self.taken.borrow_mut().extend(held.iter().filter(is_of_previous_answer).map(|held| held.call.serial));
    }

    /// Takes the decision, which applies to one call only.
    pub fn known(&self, call: &NamedCall, name: &str, args: &str) -> Known {
        let asked = call_digest(name, args, &part_text(call));
        let mut taken = self.taken.borrow_mut();
        let held = self.held.borrow();
        let of_call = || held.iter().filter(|held| held.key == call.key && held.call.call == call.call);
        let decided = of_call().find_map(|held| {
            let is_same = held.call.asked == asked && !taken.contains(&held.call.serial);
            Some((held.call.serial, held.verdict.clone()?)).filter(|_| is_same)
        });
        match decided {
            Some((serial, verdict)) => {
                taken.push(serial);
                Known::Decided(verdict)
            }
            None => Known::Nothing {
                is_other: of_call().any(|held| {
                    let is_approved = held.verdict == Some(Verdict::Approved);
                    is_approved && held.call.name == name && !taken.contains(&held.call.serial)
                }),
            },
        }
    }

    /// Registers a call that waits, and returns its journal entry.
    pub fn wait(&self, call: &NamedCall, name: &str, args: String) -> WaitingCall {
        let asked = call_digest(name, &args, &part_text(call));
        let mut held = self.held.borrow_mut();
        let mut taken = self.taken.borrow_mut();
        let is_same = |held: &&HeldCall| {
            let is_free = held.verdict.is_none() && !taken.contains(&held.call.serial);
            is_free && held.key == call.key && held.call.call == call.call && held.call.asked == asked
        };
        let serial = held.iter().find(is_same).map(|held| held.call.serial);
        let serial = serial.unwrap_or_else(|| {
            self.last.set(self.last.get() + 1);
            self.last.get()
        });
        taken.push(serial);
        let waiting = WaitingCall {
            serial,
            round: self.round,
            call: call.call.clone(),
            asked,
            name: name.to_owned(),
            args,
            part: call.part.clone(),
        };
        let now = HeldCall::new(&call.key, waiting.clone());
        match held.iter_mut().find(|held| held.call.serial == serial) {
            Some(known) => *known = now.clone(),
            None => held.push(now.clone()),
        }
        self.waiters.borrow_mut().push(Waiter {
            held: now,
            agent: call.agent.clone(),
            is_tool_call: call.is_tool_call,
        });
        waiting
    }

    /// The waiting calls by serial number. All calls are returned too, to distinguish similar ones.
    pub fn waiters(&self) -> (Vec<Waiter>, Vec<HeldCall>) {
        let mut waiters = self.waiters.borrow().clone();
        waiters.sort_by_key(|waiter| waiter.held.call.serial);
        (waiters, self.held.borrow().clone())
    }
}

/// Identifies a part within its call, independent of the code that makes it.
fn part_text(call: &NamedCall) -> String {
    call.part.as_ref().map(|part| part.number.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_applies_to_one_call_with_its_arguments() {
        let deploy = NamedCall::of_tool("a");
        let first = Decisions::new(Vec::new(), 0);
        let waiting = ["{}", "{}", "[]"].map(|args| first.wait(&deploy, "deploy", args.to_owned()));
        assert_eq!(waiting.each_ref().map(|call| (call.serial, call.round)), [(1, 1), (2, 1), (3, 1)]);
        let verdicts = [Some(Verdict::Approved), None, Some(Verdict::Denied(None))];
        let held = |(call, verdict): (WaitingCall, _)| HeldCall { verdict, ..HeldCall::new("", call) };
        let next = Decisions::new(waiting.into_iter().zip(verdicts).map(held).collect(), 3);
        let known = |args: &str| next.known(&deploy, "deploy", args);
        assert_eq!(known("{ }"), Known::Nothing { is_other: true });
        assert_eq!(known("{}"), Known::Decided(Verdict::Approved));
        assert_eq!(known("{}"), Known::Nothing { is_other: false }, "a decision applies to one call");
        assert_eq!(next.wait(&deploy, "deploy", "{}".to_owned()).serial, 2);
        assert_eq!(known("[]"), Known::Decided(Verdict::Denied(None)));
    }

    #[test]
    fn a_decision_does_not_apply_to_a_later_answer() {
        let deploy = NamedCall::of_tool("a");
        let waiting = Decisions::new(Vec::new(), 0).wait(&deploy, "deploy", "{}".to_owned());
        let approved = HeldCall { verdict: Some(Verdict::Approved), ..HeldCall::new("", waiting) };
        let over = Decisions::new(vec![HeldCall { has_ended: true, ..approved.clone() }], 1);
        assert_eq!(over.known(&deploy, "deploy", "{}"), Known::Nothing { is_other: false });
        let another_answer = Decisions::new(vec![approved.clone()], 1);
        another_answer.begin_answer("/0:other");
        assert_eq!(another_answer.known(&deploy, "deploy", "{}"), Known::Decided(Verdict::Approved));
        let another_answer = Decisions::new(vec![approved], 1);
        another_answer.begin_answer("");
        assert_eq!(another_answer.known(&deploy, "deploy", "{}"), Known::Nothing { is_other: false });
    }
}
