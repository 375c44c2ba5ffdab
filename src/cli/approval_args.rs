//! The options that approve calls of tools beforehand (docs/command-line.md, "Approvals"). Doc comments in here are what the
//! help shows.

use clap::Args;

use crate::permission::ApprovalRules;

/// What nobody has to be asked about.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ApprovalArgs {
    /// Approve calls of tools and functions with such a name, such as deploy or 'files_*'; may be repeated
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    approve: Vec<String>,

    /// Approve every call that needs it
    #[arg(long)]
    yes: bool,
}

impl ApprovalArgs {
    /// What was typed.
    pub(super) fn rules(&self) -> ApprovalRules {
        let all = self.yes.then_some("*");
        // Each was read before.
        ApprovalRules::new(self.approve.iter().map(String::as_str).chain(all)).unwrap_or_default()
    }
}

fn pattern(typed: &str) -> Result<String, String> {
    ApprovalRules::new([typed]).map(|_| typed.to_owned())
}
