//! Who decides on calls that need approval: patterns that were typed, then whoever sits at the terminal (docs/command-line.md,
//! "Approvals"). Must not know what a call does.

mod question;
mod terminal;
pub(super) mod waiting;

use std::{
    cell::RefCell,
    collections::BTreeSet,
    io::{self, IsTerminal},
    rc::Rc,
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use tokio::sync::Mutex;

use self::{
    question::{Answer, Question},
    terminal::Terminal,
};
use super::{Printer, args::RunArgs};
use crate::{
    permission::{ApprovalRequest, ApprovalRules, Approver, Decision, DenyingApprover, StoppingApprover},
    provider::Redactor,
};

/// How a call is approved where nobody can be asked.
const WITHOUT_TERMINAL: &str = "lmthing run --approve '{name}' approves it, --yes every call";

/// The same where a server has started the run.
const WHILE_SERVED: &str = "what needs approval is denied in files that are served";

/// Who decides in a run: a person, when there is a terminal to ask on. Else what nobody has approved beforehand is denied, or
/// waits.
pub(super) fn approver(args: &RunArgs, printer: Rc<Printer>, redactor: Redactor) -> Rc<dyn Approver> {
    let rules = args.approvals.rules();
    if args.served_by.is_some() {
        return DenyingApprover::new(rules, WHILE_SERVED);
    }
    if io::stdin().is_terminal() && printer.stderr_is_terminal() {
        return Rc::new(Person { rules, printer, redactor, always: RefCell::default(), turn: Mutex::default() });
    }
    if args.approvals.stops() { StoppingApprover::new(rules) } else { DenyingApprover::new(rules, WITHOUT_TERMINAL) }
}

/// Somebody at a terminal.
struct Person {
    rules: ApprovalRules,
    printer: Rc<Printer>,
    redactor: Redactor,
    /// The names that nobody has to be asked about any more.
    always: RefCell<BTreeSet<String>>,
    /// One question at a time.
    turn: Mutex<()>,
}

impl Approver for Person {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision> {
        async {
            if self.rules.approve(request) {
                return Decision::Approved;
            }
            let _turn = self.turn.lock().await;
            // Looked at when it is our turn: the question before may have been about the same tool.
            if self.always.borrow().contains(&request.name) {
                return Decision::Approved;
            }
            self.ask(request).await
        }
        .boxed_local()
    }
}

impl Person {
    async fn ask(&self, request: &ApprovalRequest) -> Decision {
        let question = Question::new(&request.name, &self.redactor.apply(&request.args));
        let width = usize::from(self.printer.stderr_columns().unwrap_or(80)).max(20);
        let terminal = Terminal::open();
        let _standing = Standing(&self.printer);
        self.printer.ask(&question.text(width, self.printer.stderr_has_colours()));
        loop {
            match question.answer(&terminal.line().await) {
                Answer::Yes => return Decision::Approved,
                Answer::Always => {
                    self.always.borrow_mut().insert(request.name.clone());
                    return Decision::Approved;
                }
                Answer::ShowAll => self.printer.ask_further(&question.whole()),
                Answer::WithReason => {
                    self.printer.ask_further("Why not? ");
                    return Decision::denied_by_user(&request.name, Some(&terminal.line().await));
                }
                Answer::No => return Decision::denied_by_user(&request.name, None),
                Answer::NotUnderstood => {
                    self.printer.ask_further("That is not y: the call is denied.\n");
                    return Decision::denied_by_user(&request.name, None);
                }
            }
        }
    }
}

/// A question stands on the screen, until dropped.
struct Standing<'a>(&'a Printer);

impl Drop for Standing<'_> {
    fn drop(&mut self) {
        self.0.let_go();
    }
}
