//! Keeps secrets out of everything a user sees.

use std::fmt;

use super::Env;

/// What stands in place of a secret.
const REDACTED: &str = "[redacted]";

/// Shorter values are not taken for secrets: replacing them would garble any text.
const SHORTEST: usize = 6;

/// Replaces known secret values in texts.
#[derive(Clone, Default)]
pub struct Redactor(Vec<String>);

impl Redactor {
    /// A redactor for these values.
    pub(super) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> = secrets.into_iter().filter(|secret| secret.len() >= SHORTEST).collect();
        // The longest first, so that a secret that contains another is replaced whole.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Redactor(secrets)
    }

    /// A redactor for every variable whose name says that it holds a secret.
    pub fn from_env(env: &dyn Env) -> Self {
        Redactor::new(env.names().into_iter().filter(|name| names_a_secret(name)).filter_map(|name| env.get(&name)))
    }

    /// The text without secrets.
    pub(super) fn apply(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), REDACTED) } else { text }
        })
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} secrets)", self.0.len())
    }
}

/// Whether a variable's or header's name says that its value is a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    const WORDS: [&str; 7] = ["KEY", "SECRET", "TOKEN", "PASSWORD", "AUTHORIZATION", "COOKIE", "CREDENTIAL"];
    let name = name.to_ascii_uppercase();
    // The credentials variable of Google names a file.
    name != "GOOGLE_APPLICATION_CREDENTIALS" && WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn secrets_are_replaced_whole() {
        let redactor = Redactor::new(["sk-12345".into(), "sk-12345-longer".into(), "a".into()]);
        assert_eq!(redactor.apply("a key sk-12345-longer and sk-12345"), "a key [redacted] and [redacted]");
        assert!(!format!("{redactor:?}").contains("sk-"));
    }

    #[test]
    fn variables_are_told_by_their_names() {
        let env: BTreeMap<String, String> = [("OPENAI_API_KEY", "sk-secret"), ("LM_MODEL_FAST", "openai:gpt-4o")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        assert_eq!(Redactor::from_env(&env).apply("sk-secret openai:gpt-4o"), "[redacted] openai:gpt-4o");
    }
}
