//! Money in words.

/// An amount of money: `$0.0123`, `$1.50`; small ones with as many digits as say something.
pub fn dollars(amount: f64) -> String {
    if amount >= 1.0 || amount <= 0.0 {
        return format!("${amount:.2}");
    }
    let wanted = (2..=12).find(|digits| amount * 10f64.powi(*digits) >= 99.5).unwrap_or(12).max(4);
    let text = format!("${amount:.0$}", usize::try_from(wanted).unwrap_or(4));
    // Cents always have two digits, what is below has none too many.
    let (whole, below) = text.split_at(text.find('.').map_or(text.len(), |dot| dot + 3));
    format!("{whole}{}", below.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_digits_that_say_something() {
        let said = [0.0, 1.5, 12.345, 0.25, 0.0123, 0.007, 0.00042, 0.000_001_234, 0.999_999].map(dollars);
        let words = ["$0.00", "$1.50", "$12.35", "$0.25", "$0.0123", "$0.007", "$0.00042", "$0.00000123", "$1.00"];
        assert_eq!(said, words);
    }
}
