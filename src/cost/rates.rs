//! Prices of one model, and what an answer costs by them.

use crate::chat::Usage;

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Input that is neither of the next two.
    pub input: f64,
    /// Input that came from the provider's cache.
    pub cached_input: f64,
    /// Input that was written to the cache.
    pub cache_write: f64,
    /// Output, reasoning included.
    pub output: f64,
}

impl Rates {
    /// The cost of an answer; `None` when the provider did not say how many tokens there were.
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        let (input, output) = usage.input_tokens.zip(usage.output_tokens)?;
        // The counts are a provider's: parts that exceed the whole are cut, not subtracted below zero.
        let cached = usage.cached_input_tokens.unwrap_or(0).min(input);
        let written = usage.cache_write_tokens.unwrap_or(0).min(input - cached);
        let plain = input - cached - written;
        Some(
            of(plain, self.input)
                + of(cached, self.cached_input)
                + of(written, self.cache_write)
                + of(output, self.output),
        )
    }
}

/// The price of so many tokens. A float holds every count that a provider can mean.
#[allow(clippy::cast_precision_loss)]
fn of(tokens: u64, per_million: f64) -> f64 {
    tokens as f64 * per_million / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { input: 10.0, cached_input: 1.0, cache_write: 12.5, output: 20.0 };

    #[test]
    fn every_kind_of_token_has_its_price() {
        let usage = Usage {
            cached_input_tokens: Some(400),
            cache_write_tokens: Some(100),
            reasoning_tokens: Some(30),
            ..Usage::new(Some(600), Some(50))
        };
        let cost = RATES.cost(&usage).unwrap();
        assert!((cost - (100.0 * 10.0 + 400.0 + 100.0 * 12.5 + 50.0 * 20.0) / 1e6).abs() < 1e-12, "{cost}");
        assert_eq!(RATES.cost(&Usage::new(Some(0), Some(0))), Some(0.0));
    }

    #[test]
    fn counts_that_do_not_fit_together_never_make_money() {
        let usage =
            Usage { cached_input_tokens: Some(900), cache_write_tokens: Some(900), ..Usage::new(Some(600), Some(0)) };
        assert!((RATES.cost(&usage).unwrap() - 600.0 / 1e6).abs() < 1e-12);
    }

    #[test]
    fn unknown_tokens_have_an_unknown_cost() {
        assert_eq!(RATES.cost(&Usage::default()), None);
        assert_eq!(RATES.cost(&Usage::new(Some(5), None)), None);
    }
}
