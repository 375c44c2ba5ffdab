//! Calls of tools that somebody has to approve: what is asked, who is asked, and rules that answer beforehand. Must not know
//! how a person is asked, nor how a call is made.

use std::rc::Rc;

use futures_util::future::{FutureExt, LocalBoxFuture, ready};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// A call that needs approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// What is called, in full: `deploy`; `srv.sum` for a function of a namespace or a tool of an array form.
    pub name: String,
    /// What it may be called in rules besides.
    pub other_names: Vec<String>,
    /// The arguments as JSON, as the call will get them.
    pub args: String,
    /// The tool call that it is, or is made for; none for code in a model's text.
    pub tool_call_id: Option<String>,
}

/// Whether a call is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is.
    Approved,
    /// It is not.
    Denied {
        /// Who denied it and why, for the model.
        message: String,
        /// What a person should know of it who was not asked.
        warning: Option<String>,
    },
    /// That is left to whoever goes on with the run, which stops.
    Waits,
}

impl Decision {
    /// A person said no, with a reason or without.
    pub fn denied_by_user(name: &str, reason: Option<&str>) -> Self {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        let message = match reason {
            Some(reason) => format!("The user denied the call of {name}: {reason}"),
            None => format!("The user denied the call of {name}"),
        };
        Decision::Denied { message, warning: None }
    }
}

/// Decides on calls that need approval. One for a whole run, with its agents and the code that models write.
pub trait Approver {
    /// Decides on a call, at once or when somebody has answered.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision>;

    /// Whether the run may have to stop, which takes somebody who can go on with it.
    fn may_stop(&self) -> bool {
        false
    }
}

/// Globs over names: calls that are approved beforehand.
#[derive(Clone, Debug, Default)]
pub struct ApprovalRules {
    patterns: GlobSet,
}

impl ApprovalRules {
    /// Approves what one of the patterns matches.
    ///
    /// # Errors
    /// Says which pattern cannot be read, and why.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern).literal_separator(false).build();
            let glob = glob.map_err(|error| format!("'{pattern}' is no pattern: {}", error.kind()))?;
            if pattern.is_empty() {
                return Err("a pattern must not be empty; '*' stands for every name".to_owned());
            }
            set.add(glob);
        }
        let patterns = set.build().map_err(|error| error.to_string())?;
        Ok(ApprovalRules { patterns })
    }

    /// Whether the call is approved.
    pub fn approve(&self, request: &ApprovalRequest) -> bool {
        let mut names = std::iter::once(&request.name).chain(&request.other_names);
        names.any(|name| self.patterns.is_match(name))
    }
}

/// Nobody is there to be asked: what the rules do not approve is denied.
#[derive(Clone, Debug, Default)]
pub struct NobodyToAsk {
    rules: ApprovalRules,
    /// What allows it another time: `run it with --approve '{name}'`.
    advice: &'static str,
}

impl NobodyToAsk {
    /// `advice` ends the warning about a call that was denied; `{name}` in it stands for the name of what was called.
    pub fn new(rules: ApprovalRules, advice: &'static str) -> Rc<Self> {
        Rc::new(NobodyToAsk { rules, advice })
    }
}

impl Approver for NobodyToAsk {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision> {
        if self.rules.approve(request) {
            return ready(Decision::Approved).boxed_local();
        }
        let name = &request.name;
        let advice = self.advice.replace("{name}", name);
        let decision = Decision::Denied {
            message: format!(
                "The call of {name} was denied: it needs approval, and there is nobody who could be asked"
            ),
            warning: Some(format!("the call of {name} needs approval and was denied; {advice}")),
        };
        ready(decision).boxed_local()
    }
}

/// Nobody is there to be asked: at what the rules do not approve the run stops.
#[derive(Clone, Debug, Default)]
pub struct AskedLater {
    rules: ApprovalRules,
}

impl AskedLater {
    /// What the rules do not approve waits.
    pub fn new(rules: ApprovalRules) -> Rc<Self> {
        Rc::new(AskedLater { rules })
    }
}

impl Approver for AskedLater {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision> {
        let decision = if self.rules.approve(request) { Decision::Approved } else { Decision::Waits };
        ready(decision).boxed_local()
    }

    fn may_stop(&self) -> bool {
        true
    }
}
