//! A request beside what is recorded: which exchange answers it, and why none does. Must not know who asks.

use super::{
    difference::{describe, distance},
    matching::matches,
};
use crate::provider::{
    record::{Asked, RecordedExchange},
    redact::Redactor,
};

/// What stands for the provider of an alias that leads nowhere.
pub(super) const ALIAS: &str = "replay";

impl Asked {
    /// Whether the recorded exchange answers this.
    pub(crate) fn is_answered_by(&self, exchange: &RecordedExchange) -> bool {
        self.is_of(exchange) && matches(&exchange.request, &self.request)
    }

    /// Whether this is asked of the model of an exchange, as far as can be known.
    fn is_of(&self, exchange: &RecordedExchange) -> bool {
        let is_alias = self.provider == ALIAS;
        is_alias || (self.provider == exchange.provider && self.model == exchange.model)
    }

    /// Why none of the exchanges that are `left`, with their places among `total`, answers this. `recording` is what the
    /// recording is called. One difference, from what is most likely to have been meant, is worth more than a list.
    pub(crate) fn why_none<'a>(
        &self,
        left: impl Iterator<Item = (usize, &'a RecordedExchange)>,
        total: usize,
        recording: &str,
        redactor: &Redactor,
    ) -> String {
        // The first one of those that differ least.
        let nearest =
            left.min_by_key(|(_, exchange)| (distance(&exchange.request, &self.request), !self.is_of(exchange)));
        let Some((index, exchange)) = nearest else {
            let exchanges = if total == 1 { "1 exchange" } else { &format!("{total} exchanges") };
            let recording = recording.strip_prefix("the ").map_or(recording.to_owned(), |name| format!("The {name}"));
            return format!("{recording} holds {exchanges} and the run asks for one more.");
        };
        let place = format!("exchange {} of {total} in {recording}", index + 1);
        let recorded = exchange.name();
        if matches(&exchange.request, &self.request) {
            return format!("The model differs from {place}: recorded {recorded}, asked now {}.", self.name());
        }
        let other = if self.is_of(exchange) { String::new() } else { format!("; now {} is asked", self.name()) };
        let difference = describe(&exchange.request, &self.request, redactor);
        format!("The request differs from {place} ({recorded}{other}).\n{difference}")
    }
}

/// A model string without the meaning of its alias, as provider and model.
pub(crate) fn split_name(model: &str) -> (&str, &str) {
    model.split_once(':').unwrap_or((ALIAS, model))
}

/// Which exchanges of `total` were never asked for, as a sentence; `None` when all were.
pub(crate) fn unused_exchanges(unused: &[(usize, &RecordedExchange)], total: usize, recording: &str) -> Option<String> {
    const MOST: usize = 5;
    let count = unused.len();
    let names = unused.iter().take(MOST).map(|(index, exchange)| format!("{} ({})", index + 1, exchange.name()));
    let shown = names.collect::<Vec<_>>().join(", ");
    let more = if count > MOST { format!(" and {} more", count - MOST) } else { String::new() };
    let were = if count == 1 { "was" } else { "were" };
    (count > 0).then(|| format!("{count} of {total} exchanges of {recording} {were} never asked for: {shown}{more}"))
}
