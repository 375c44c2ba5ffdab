//! Options that limit a run (docs/reference/limits.md). Doc comments of options are help texts.

use std::time::Duration;

use clap::Args;

use lmthing_base::cost::Limits;

/// How far a run may go.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct LimitArgs {
    /// End the run before it makes more than N requests to models, agents included
    #[arg(long, value_name = "N", value_parser = Limits::parse_steps, allow_hyphen_values = true)]
    max_steps: Option<u64>,

    /// End it when N tokens of input and output are used
    #[arg(long, value_name = "N", value_parser = Limits::parse_tokens, allow_hyphen_values = true)]
    max_tokens: Option<u64>,

    /// End it when so many US dollars are spent, such as 0.50
    #[arg(long, value_name = "USD", value_parser = Limits::parse_cost, allow_hyphen_values = true)]
    max_cost: Option<f64>,

    /// End it after a time such as 90s, 1m30s, 500ms or 2h; a bare number is seconds
    #[arg(long, value_name = "TIME", value_parser = Limits::parse_time, allow_hyphen_values = true)]
    timeout: Option<Duration>,
}

impl LimitArgs {
    pub(super) fn limits(&self) -> Limits {
        Limits {
            steps: self.max_steps,
            tokens: self.max_tokens,
            cost: self.max_cost,
            time: self.timeout,
            parallel: None,
        }
    }

    /// The options as arguments.
    pub(super) fn words(&self) -> Vec<String> {
        let steps = self.max_steps.map(|steps| format!("--max-steps={steps}"));
        let tokens = self.max_tokens.map(|tokens| format!("--max-tokens={tokens}"));
        let cost = self.max_cost.map(|cost| format!("--max-cost={cost}"));
        let time = self.timeout.map(|time| format!("--timeout={}ms", time.as_secs_f64() * 1000.0));
        [steps, tokens, cost, time].into_iter().flatten().collect()
    }
}
