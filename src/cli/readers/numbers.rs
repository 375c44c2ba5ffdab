//! Formatting of numbers for people.

use std::time::Duration;

use lmthing_base::{chat::Usage, cost};

/// Example: `3.4 s`.
pub(in crate::cli) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let digits = if seconds < 1.0 { 2 } else { 1 };
    format!("{seconds:.digits$} s")
}

/// Example: `1,100 tokens in (400 cached), 150 out`; unknown counts are `?`.
pub(in crate::cli) fn tokens(usage: &Usage) -> String {
    let known = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), grouped);
    let cached = match usage.cached_input_tokens {
        None | Some(0) => String::new(),
        Some(count) => format!(" ({} cached)", grouped(count)),
    };
    format!("{} tokens in{cached}, {} out", known(usage.input_tokens), known(usage.output_tokens))
}

/// Example: `$0.0104`.
pub(in crate::cli) fn cost(dollars: Option<f64>) -> String {
    dollars.map_or_else(|| "cost unknown".to_owned(), cost::dollars)
}

/// Example: `1,234,567`.
pub(in crate::cli) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_for_people() {
        let shown = |dollars| cost(Some(dollars));
        assert_eq!(
            [shown(0.0), shown(0.0104), shown(1.5), shown(0.000_034), shown(12.0), cost(None)],
            ["$0.00", "$0.0104", "$1.50", "$0.000034", "$12.00", "cost unknown"]
        );
        let usage = Usage { cached_input_tokens: Some(400), ..Usage::new(Some(1_234_567), None) };
        assert_eq!(tokens(&usage), "1,234,567 tokens in (400 cached), ? out");
        assert_eq!(tokens(&Usage::new(Some(10), Some(0))), "10 tokens in, 0 out");
        assert_eq!(
            [40, 999, 3440].map(|milliseconds| seconds(Duration::from_millis(milliseconds))),
            ["0.04 s", "1.00 s", "3.4 s"]
        );
    }
}
