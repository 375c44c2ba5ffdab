//! The closing line of a run with a real model, on a terminal: steps, seconds, tokens, cost.

use std::{cell::Cell, rc::Rc, time::Duration};

use super::{
    cache_line::cache_figure,
    numbers::{cost, seconds, tokens},
};
use crate::cli::Printer;
use lmthing_base::event::{Event, EventKind, EventReader, RunSummary, SharedSummary};

/// `summary` must have received each event before.
pub(in crate::cli) fn summary_line(printer: Rc<Printer>, summary: SharedSummary) -> EventReader {
    // A run with mocks only has no cost.
    let is_real = Cell::new(false);
    Rc::new(move |event: &Event<'_>| match event.kind {
        EventKind::StepStart { model, .. } if !model.starts_with("mock:") => is_real.set(true),
        EventKind::RunFinish(_) if is_real.get() => printer.stderr_dim_wrapped(&summary_text(&summary.lock())),
        _ => {}
    })
}

/// Example: `2 steps · 1.7 s · 100 tokens in, 10 out · $0.0104 · 82 % from the cache`.
pub(in crate::cli) fn summary_text(summary: &RunSummary) -> String {
    let count = |steps: usize| if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
    let mut steps = count(summary.steps);
    if summary.all_steps != summary.steps {
        steps = format!("{steps}, {} with agents", summary.all_steps);
    }
    let time = seconds(Duration::from_millis(summary.duration_ms));
    let mut usage = summary.usage;
    if summary.all_steps == 0 {
        usage.input_tokens.get_or_insert(0);
        usage.output_tokens.get_or_insert(0);
    }
    let figures = [steps, time, tokens(&usage), cost(summary.total_cost())];
    figures.into_iter().chain(cache_figure(summary)).collect::<Vec<_>>().join(" · ")
}
