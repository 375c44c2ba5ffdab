//! Decides on calls that need approval: by patterns, then by asking at the terminal
//! (docs/reference/approvals.md).

pub(super) mod awaited_calls;
mod question;
mod terminal;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    io::{self, IsTerminal},
    rc::Rc,
};

use futures_util::{FutureExt, future::LocalBoxFuture};

use self::{
    question::{Answer, Question},
    terminal::Terminal,
};
use super::{Printer, args::RunArgs};
use lmthing_base::permission::{ApprovalRequest, ApprovalRules, Approver, Decision, DenyingApprover, StoppingApprover};
use lmthing_providers::Redactor;

const NO_TERMINAL_HINT: &str = "lmthing run --approve '{name}' approves it, --yes every call";

const NO_TERMINAL_HINT_OF_CHAT: &str = "lmthing chat --approve '{name}' approves it, --yes every call";

const SERVED_HINT: &str = "what needs approval is denied in files that are served";

/// Chooses the approver of a run. Without a terminal, calls that no pattern approves are denied or wait.
pub(super) fn approver(args: &RunArgs, printer: Rc<Printer>, redactor: Redactor) -> Rc<dyn Approver> {
    let rules = args.approvals.rules();
    if args.served_by.is_some() {
        return DenyingApprover::new(rules, SERVED_HINT);
    }
    if io::stdin().is_terminal() && printer.stderr_is_terminal() {
        return Rc::new(TerminalApprover { rules, printer, redactor, always: RefCell::default() });
    }
    if args.approvals.stops() {
        return StoppingApprover::new(rules);
    }
    DenyingApprover::new(rules, if args.is_chat { NO_TERMINAL_HINT_OF_CHAT } else { NO_TERMINAL_HINT })
}

struct TerminalApprover {
    rules: ApprovalRules,
    printer: Rc<Printer>,
    redactor: Redactor,
    /// Names that the user has approved for the rest of the run.
    always: RefCell<BTreeSet<String>>,
}

impl Approver for TerminalApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision> {
        async {
            if self.rules.approve(request) {
                return Decision::Approved;
            }
            let _turn = self.printer.terminal_turn().await;
            // Checked after the lock: the previous question may have been about the same tool.
            if self.always.borrow().contains(&request.name) {
                return Decision::Approved;
            }
            self.ask(request).await
        }
        .boxed_local()
    }
}

impl TerminalApprover {
    async fn ask(&self, request: &ApprovalRequest) -> Decision {
        let question = Question::new(&request.name, &self.redactor.apply(&request.args));
        let width = usize::from(self.printer.stderr_columns().unwrap_or(80)).max(20);
        let terminal = Terminal::open();
        let open_question = OpenQuestion { printer: &self.printer, is_in_line: Cell::new(true) };
        let read_line = async || {
            let line = terminal.line().await;
            open_question.is_in_line.set(false);
            line
        };
        self.printer.ask(&question.text(width, self.printer.stderr_has_colours()));
        loop {
            match question.answer(read_line().await.as_deref()) {
                Answer::Yes => return Decision::Approved,
                Answer::Always => {
                    self.always.borrow_mut().insert(request.name.clone());
                    return Decision::Approved;
                }
                Answer::ShowAll => open_question.go_on(&question.whole()),
                Answer::WithReason => {
                    open_question.go_on("Why not? ");
                    return Decision::denied_by_user(&request.name, read_line().await.as_deref());
                }
                Answer::No => return Decision::denied_by_user(&request.name, None),
                Answer::NotUnderstood => {
                    // The rest of a pasted text is no answer.
                    terminal.discard_input();
                    open_question.go_on(&question.again());
                }
            }
        }
    }
}

/// A question is on the screen until this is dropped.
struct OpenQuestion<'a> {
    printer: &'a Printer,
    /// Whether the cursor is behind the question.
    is_in_line: Cell<bool>,
}

impl OpenQuestion<'_> {
    fn go_on(&self, text: &str) {
        self.printer.continue_question(text);
        self.is_in_line.set(true);
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        if self.is_in_line.get() {
            // The user has stopped the answer instead.
            self.printer.continue_question("\n");
        }
        self.printer.end_question();
    }
}
