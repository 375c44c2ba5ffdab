//! Colours of a report, and text that is safe on a terminal.

use std::time::Duration;

use lmthing_base::{cost::dollars, diagnostic::strip_controls_line};
use lmthing_providers::HumanDuration;

use super::types::{Group, Verdict};

/// How a report looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub has_colours: bool,
    /// Of the terminal, if there is one.
    pub columns: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Style {
    #[default]
    Plain,
    Bold,
    Dim,
    Green,
    Red,
}

impl Style {
    pub(super) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Better => Style::Green,
            Verdict::Worse => Style::Red,
            Verdict::NotShown => Style::Plain,
        }
    }

    pub(super) fn paint(self, text: &str, has_colours: bool) -> String {
        let style = console::Style::new().force_styling(has_colours);
        let style = match self {
            Style::Plain => return text.to_owned(),
            Style::Bold => style.bold(),
            Style::Dim => style.dim(),
            Style::Green => style.green(),
            Style::Red => style.red(),
        };
        style.apply_to(text).to_string()
    }
}

/// A name or a message of the eval, on one line.
pub(super) fn one_line(text: &str) -> String {
    strip_controls_line(text).replace(char::is_control, " ")
}

/// Variant and model of a group, without what is the same in all.
pub(super) fn label(groups: &[Group], variant: &str, model: &str) -> String {
    let is_same = |of: fn(&Group) -> &str| groups.iter().all(|group| of(group) == of(&groups[0]));
    let (variant, model) = (one_line(variant), one_line(model));
    match (is_same(|group| &group.variant), is_same(|group| &group.model)) {
        (true, _) => model,
        (false, true) => variant,
        (false, false) => format!("{variant} · {model}"),
    }
}

/// Example: `0.820`.
pub(super) fn number(number: f64) -> String {
    format!("{number:.3}")
}

/// Example: `+0.040`.
pub(super) fn signed(number: f64) -> String {
    // Without `-0.000`.
    format!("{:+.3}", if number.abs() < 0.0005 { 0.0 } else { number })
}

pub(super) fn money(cost: Option<f64>) -> String {
    cost.map_or_else(|| "?".to_owned(), dollars)
}

pub(super) fn time(milliseconds: Option<u64>) -> String {
    milliseconds.map_or_else(|| "–".to_owned(), |time| HumanDuration(Duration::from_millis(time)).to_string())
}

/// Example: `12.3k in, 840 out`.
pub(super) fn tokens(group: &Group) -> String {
    let count = |count: Option<u64>| match count {
        None => "?".to_owned(),
        Some(count @ 0..10_000) => count.to_string(),
        #[allow(clippy::cast_precision_loss)]
        Some(count @ 10_000..10_000_000) => format!("{:.1}k", count as f64 / 1e3),
        #[allow(clippy::cast_precision_loss)]
        Some(count) => format!("{:.1}M", count as f64 / 1e6),
    };
    format!("{} in, {} out", count(group.usage.input_tokens), count(group.usage.output_tokens))
}

pub(super) fn counted(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}
