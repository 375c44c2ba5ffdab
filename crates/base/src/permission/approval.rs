//! Tool calls that need approval, and the rules that approve them in advance.

use std::rc::Rc;

use futures_util::future::{FutureExt, LocalBoxFuture, ready};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The full name: `deploy`; `srv.sum` for a function of a namespace or a tool of an array form.
    pub name: String,
    /// Other names that rules may use for it.
    pub other_names: Vec<String>,
    /// The arguments as JSON, as the call will get them.
    pub args: String,
    /// The tool call that it is, or that makes it; `None` for code in a model's text.
    pub tool_call_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Approved,
    Denied {
        /// Who denied it and why, for the model.
        message: String,
        /// A warning for a user who was not asked.
        warning: Option<String>,
    },
    /// The run stops; the call is decided before it is resumed.
    Waits,
}

impl Decision {
    /// The denial of a person, with an optional reason.
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
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision>;

    /// Whether the run may stop at a call, which requires that it can be resumed.
    fn may_stop(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InvalidPattern {
    #[error("a pattern must not be empty; '*' stands for every name")]
    Empty,
    #[error("'{0}' is no pattern: {1}")]
    Glob(String, globset::ErrorKind),
    #[error(transparent)]
    Set(#[from] globset::Error),
}

/// Globs over names of calls that are approved in advance.
#[derive(Clone, Debug, Default)]
pub struct ApprovalRules {
    patterns: GlobSet,
}

impl ApprovalRules {
    /// Approves names that match one of the patterns.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidPattern> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern).literal_separator(false).build();
            let glob = glob.map_err(|error| InvalidPattern::Glob(pattern.to_owned(), error.kind().clone()))?;
            if pattern.is_empty() {
                return Err(InvalidPattern::Empty);
            }
            set.add(glob);
        }
        let patterns = set.build()?;
        Ok(ApprovalRules { patterns })
    }

    pub fn approve(&self, request: &ApprovalRequest) -> bool {
        let mut names = std::iter::once(&request.name).chain(&request.other_names);
        names.any(|name| self.patterns.is_match(name))
    }
}

/// Denies what the rules do not approve, as no person can be asked.
#[derive(Clone, Debug, Default)]
pub struct DenyingApprover {
    rules: ApprovalRules,
    /// What allows it another time: `run it with --approve '{name}'`.
    advice: &'static str,
}

impl DenyingApprover {
    /// `advice` ends the warning about a denied call; `{name}` in it is replaced by the name of the call.
    pub fn new(rules: ApprovalRules, advice: &'static str) -> Rc<Self> {
        Rc::new(DenyingApprover { rules, advice })
    }
}

impl Approver for DenyingApprover {
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

/// Stops the run at calls that the rules do not approve.
#[derive(Clone, Debug, Default)]
pub struct StoppingApprover {
    rules: ApprovalRules,
}

impl StoppingApprover {
    pub fn new(rules: ApprovalRules) -> Rc<Self> {
        Rc::new(StoppingApprover { rules })
    }
}

impl Approver for StoppingApprover {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest) -> LocalBoxFuture<'a, Decision> {
        let decision = if self.rules.approve(request) { Decision::Approved } else { Decision::Waits };
        ready(decision).boxed_local()
    }

    fn may_stop(&self) -> bool {
        true
    }
}
