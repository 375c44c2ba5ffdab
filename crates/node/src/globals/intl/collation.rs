//! Language-sensitive comparison of strings, using ICU4X.

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_locale::Locale;
use rquickjs::{Ctx, Exception, Function, Result};

/// `makeComparer(locale, sensitivity, ignorePunctuation)`: a function of two texts that returns -1, 0 or 1. The locale
/// selects the order by its extensions `co`, `kn` and `kf`.
pub(super) fn make_comparer<'js>(
    ctx: Ctx<'js>,
    locale: String,
    sensitivity: String,
    ignore_punctuation: bool,
) -> Result<Function<'js>> {
    let broken = |error: String| Exception::throw_range(&ctx, &format!("cannot compare by {locale}: {error}"));
    let parsed = Locale::try_from_str(&locale).map_err(|error| broken(error.to_string()))?;
    let collator =
        CollatorBorrowed::try_new(CollatorPreferences::from(&parsed), options(&sensitivity, ignore_punctuation))
            .map_err(|error| broken(error.to_string()))?;
    Function::new(ctx.clone(), move |left: String, right: String| collator.compare(&left, &right) as i32)
}

/// Translates ECMA-402's sensitivity to collation strengths.
fn options(sensitivity: &str, ignore_punctuation: bool) -> CollatorOptions {
    let mut options = CollatorOptions::default();
    options.strength = Some(match sensitivity {
        "base" | "case" => Strength::Primary,
        "accent" => Strength::Secondary,
        _ => Strength::Tertiary,
    });
    options.case_level = Some(if sensitivity == "case" { CaseLevel::On } else { CaseLevel::Off });
    options.alternate_handling =
        Some(if ignore_punctuation { AlternateHandling::Shifted } else { AlternateHandling::NonIgnorable });
    options
}
