//! Finds the recorded exchange for a request, or explains why there is none.

use super::{
    difference::{describe, difference_count},
    matching::matches,
};
use crate::{
    record::{RecordedExchange, ReplayRequest},
    redact::Redactor,
};

pub(super) const ALIAS_PROVIDER: &str = "replay";

impl ReplayRequest {
    pub fn is_answered_by(&self, exchange: &RecordedExchange) -> bool {
        self.is_same_model(exchange) && matches(&exchange.request, &self.request)
    }

    /// Whether the exchange may be with the same model; unresolved aliases match any.
    fn is_same_model(&self, exchange: &RecordedExchange) -> bool {
        let is_alias = self.provider == ALIAS_PROVIDER;
        is_alias || (self.provider == exchange.provider && self.model == exchange.model)
    }

    /// Why none of the `left` exchanges (with their indices among `total`) matches. Describes the difference from the
    /// most similar one.
    pub fn mismatch_message<'a>(
        &self,
        left: impl Iterator<Item = (usize, &'a RecordedExchange)>,
        total: usize,
        recording: &str,
        redactor: &Redactor,
    ) -> String {
        let nearest = left.min_by_key(|(_, exchange)| {
            (difference_count(&exchange.request, &self.request), !self.is_same_model(exchange))
        });
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
        let other =
            if self.is_same_model(exchange) { String::new() } else { format!("; now {} is asked", self.name()) };
        let difference = describe(&exchange.request, &self.request, redactor);
        format!("The request differs from {place} ({recorded}{other}).\n{difference}")
    }
}

pub fn split_name(model: &str) -> (&str, &str) {
    model.split_once(':').unwrap_or((ALIAS_PROVIDER, model))
}

pub fn unused_exchanges(unused: &[(usize, &RecordedExchange)], total: usize, recording: &str) -> Option<String> {
    const MAX_SHOWN: usize = 5;
    let count = unused.len();
    let names = unused.iter().take(MAX_SHOWN).map(|(index, exchange)| format!("{} ({})", index + 1, exchange.name()));
    let shown = names.collect::<Vec<_>>().join(", ");
    let more = if count > MAX_SHOWN { format!(" and {} more", count - MAX_SHOWN) } else { String::new() };
    let were = if count == 1 { "was" } else { "were" };
    (count > 0).then(|| format!("{count} of {total} exchanges of {recording} {were} never asked for: {shown}{more}"))
}
