//! Options about calls that need approval (docs/reference/approvals.md). Doc comments of options are help texts.

use clap::{Args, ValueEnum};
use serde_json::Value;

use lmthing_base::permission::{ApprovalRules, InvalidPattern};

/// Key under which `--on-approval` is stored with a run.
pub(super) const ON_APPROVAL: &str = "onApproval";

/// What happens to a call that needs approval without a terminal to ask on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OnApproval {
    /// The model gets a denial as the result, and goes on.
    Deny,
    /// The run stops until the call is approved or denied.
    Stop,
}

/// Key under which the approved patterns are stored with a run.
pub(super) const APPROVED: &str = "approved";

impl OnApproval {
    pub(super) fn stored(self) -> Value {
        match self {
            OnApproval::Deny => "deny".into(),
            OnApproval::Stop => "stop".into(),
        }
    }
}

/// Calls that are approved without asking.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ApprovedArgs {
    /// Approve calls of tools and functions with such a name, such as deploy or 'files_*'; may be repeated
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub(super) approve: Vec<String>,

    /// Approve every call that needs it
    #[arg(long)]
    pub(super) yes: bool,
}

impl ApprovedArgs {
    pub(super) fn rules(&self) -> ApprovalRules {
        // Every pattern was validated by clap.
        ApprovalRules::new(self.patterns()).unwrap_or_default()
    }

    /// The options that were given and only work where the file runs.
    pub(super) fn local_options(&self) -> [(bool, &'static str); 2] {
        [(!self.approve.is_empty(), "--approve"), (self.yes, "--yes")]
    }

    fn patterns(&self) -> impl Iterator<Item = &str> {
        self.approve.iter().map(String::as_str).chain(self.yes.then_some("*"))
    }
}

/// What happens to calls that need approval.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ApprovalArgs {
    #[command(flatten)]
    pub(super) approved: ApprovedArgs,

    /// What happens without a terminal to a call without approval: the model gets a denial as the result, or the run stops
    /// (exit code 5, needs a journal) until `lmthing resume ID --approve CALL` or --deny CALL
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(super) on_approval: Option<OnApproval>,
}

impl ApprovalArgs {
    pub(super) fn rules(&self) -> ApprovalRules {
        self.approved.rules()
    }

    /// The options to store with a run.
    pub(super) fn stored(&self) -> impl Iterator<Item = (String, Value)> {
        let patterns: Vec<Value> = self.approved.patterns().map(Value::from).collect();
        let approved = (!patterns.is_empty()).then(|| (APPROVED.to_owned(), patterns.into()));
        approved.into_iter().chain(self.on_approval.map(|what| (ON_APPROVAL.to_owned(), what.stored())))
    }

    /// The options that were given and only work where the file runs.
    pub(super) fn local_options(&self) -> [(bool, &'static str); 3] {
        let [approve, yes] = self.approved.local_options();
        [approve, yes, (self.on_approval.is_some(), "--on-approval")]
    }

    pub(super) fn stops(&self) -> bool {
        self.on_approval == Some(OnApproval::Stop)
    }
}

/// What is decided for a run that goes on.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct DecisionArgs {
    /// Approve the call of this id, which the run waits for; else a name or pattern as in `run`: deploy, 'files_*'. May be
    /// repeated
    #[arg(long, value_name = "CALL|PATTERN")]
    pub(super) approve: Vec<String>,

    /// Deny the call of this id, which the run waits for; the model gets the reason. May be repeated
    #[arg(long, value_name = "CALL[=REASON]")]
    pub(super) deny: Vec<String>,

    /// Approve every call that needs it
    #[arg(long)]
    pub(super) yes: bool,

    /// What happens without a terminal to a call without approval; as it was before, unless given
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(super) on_approval: Option<OnApproval>,
}

fn pattern(typed: &str) -> Result<String, InvalidPattern> {
    ApprovalRules::new([typed]).map(|_| typed.to_owned())
}
