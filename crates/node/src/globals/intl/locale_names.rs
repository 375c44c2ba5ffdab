//! Locale identifiers (validation, canonical form, likely subtags) and language-sensitive case mapping.

use icu_casemap::CaseMapper;
use icu_locale::{LanguageIdentifier, Locale, LocaleCanonicalizer, LocaleExpander};
use rquickjs::{Ctx, Function, Object, Result};

use crate::string_text::WellFormed;

/// Exports `canonicalize(tag)`, `maximize(tag)` and `minimize(tag)`, which return undefined for a malformed tag, and
/// `toUpperCase(text, tag)` and `toLowerCase(text, tag)`.
pub(super) fn export<'js>(ctx: &Ctx<'js>, exports: &Object<'js>) -> Result<()> {
    let canonicalize = |WellFormed(tag): WellFormed| {
        let mut locale = Locale::try_from_str(&tag).ok()?;
        LocaleCanonicalizer::new_extended().canonicalize(&mut locale);
        Some(locale.to_string())
    };
    let maximize = |WellFormed(tag): WellFormed| {
        let mut locale = Locale::try_from_str(&tag).ok()?;
        LocaleExpander::new_extended().maximize(&mut locale.id);
        Some(locale.to_string())
    };
    let minimize = |WellFormed(tag): WellFormed| {
        let mut locale = Locale::try_from_str(&tag).ok()?;
        LocaleExpander::new_extended().minimize(&mut locale.id);
        Some(locale.to_string())
    };
    exports.set("canonicalize", Function::new(ctx.clone(), canonicalize)?)?;
    exports.set("maximize", Function::new(ctx.clone(), maximize)?)?;
    exports.set("minimize", Function::new(ctx.clone(), minimize)?)?;
    exports.set("defaultLocaleName", Function::new(ctx.clone(), default_locale_name)?)?;
    let language = |tag: &str| Locale::try_from_str(tag).map_or(LanguageIdentifier::UNKNOWN, |locale| locale.id);
    let upper =
        move |text: String, tag: String| CaseMapper::new().uppercase_to_string(&text, &language(&tag)).into_owned();
    let lower =
        move |text: String, tag: String| CaseMapper::new().lowercase_to_string(&text, &language(&tag)).into_owned();
    exports.set("toUpperCase", Function::new(ctx.clone(), upper)?)?;
    exports.set("toLowerCase", Function::new(ctx.clone(), lower)?)
}

/// The locale of the environment: `de-DE` for `de_DE.UTF-8`; `None` for `C`.
fn default_locale_name() -> Option<String> {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let value = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG"))?;
    let name = value.split(['.', '@']).next()?.replace('_', "-");
    (!matches!(name.as_str(), "C" | "POSIX")).then_some(name)
}
