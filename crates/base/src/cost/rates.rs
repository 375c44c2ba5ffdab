//! Prices of one model, and the format of amounts.

use crate::chat::Usage;

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Input without cached input and cache writes.
    pub input: f64,
    /// Input read from the provider's cache.
    pub cached_input: f64,
    /// Input written to the cache.
    pub cache_write: f64,
    /// Output, including reasoning.
    pub output: f64,
}

impl Rates {
    /// The cost of an answer; `None` if the token counts are unknown.
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        let (input, output) = usage.input_tokens.zip(usage.output_tokens)?;
        // Inconsistent counts of a provider must not make a part negative.
        let cached = usage.cached_input_tokens.unwrap_or(0).min(input);
        let written = usage.cache_write_tokens.unwrap_or(0).min(input - cached);
        let plain = input - cached - written;
        Some(
            price_of(plain, self.input)
                + price_of(cached, self.cached_input)
                + price_of(written, self.cache_write)
                + price_of(output, self.output),
        )
    }
}

/// Token counts are exact as floats.
#[allow(clippy::cast_precision_loss)]
fn price_of(tokens: u64, per_million: f64) -> f64 {
    tokens as f64 * per_million / 1e6
}

/// Formats US dollars: `$0.0123`, `$1.50`; small amounts with two significant digits or more.
pub fn dollars(amount: f64) -> String {
    if amount >= 1.0 || amount <= 0.0 {
        return format!("${amount:.2}");
    }
    let wanted = (2..=12).find(|digits| amount * 10f64.powi(*digits) >= 99.5).unwrap_or(12).max(4);
    let text = format!("${amount:.0$}", usize::try_from(wanted).unwrap_or(4));
    // Cents always have two digits; trailing zeros after them are dropped.
    let (whole, below) = text.split_at(text.find('.').map_or(text.len(), |dot| dot + 3));
    format!("{whole}{}", below.trim_end_matches('0'))
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
    fn inconsistent_counts_never_have_a_negative_cost() {
        let usage =
            Usage { cached_input_tokens: Some(900), cache_write_tokens: Some(900), ..Usage::new(Some(600), Some(0)) };
        assert!((RATES.cost(&usage).unwrap() - 600.0 / 1e6).abs() < 1e-12);
    }

    #[test]
    fn unknown_tokens_have_an_unknown_cost() {
        assert_eq!(RATES.cost(&Usage::default()), None);
        assert_eq!(RATES.cost(&Usage::new(Some(5), None)), None);
    }

    #[test]
    fn dollars_have_significant_digits() {
        let formatted = [0.0, 1.5, 12.345, 0.25, 0.0123, 0.007, 0.00042, 0.000_001_234, 0.999_999].map(dollars);
        let expected = ["$0.00", "$1.50", "$12.35", "$0.25", "$0.0123", "$0.007", "$0.00042", "$0.00000123", "$1.00"];
        assert_eq!(formatted, expected);
    }
}
