//! Which arguments look like options.

/// Whether a word is an option. List items and lines of Markdown may start with dashes as well.
pub(super) fn is_option(word: &str) -> bool {
    let Some(option) = word.strip_prefix("--") else { return false };
    let name = option.split('=').next().unwrap_or_default();
    !name.is_empty() && !name.starts_with('-') && !name.contains(char::is_whitespace)
}

/// Whether a word looks like `-d`; `-5` and `- item` are values.
pub(super) fn is_short_option(word: &str) -> bool {
    let begins_with_letter = |rest: &str| rest.starts_with(char::is_alphabetic);
    word.strip_prefix('-').is_some_and(begins_with_letter) && !word.contains(char::is_whitespace)
}
