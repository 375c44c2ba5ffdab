//! Heuristics: which values look like keys, and which names denote secrets.

pub(crate) const REDACTED: &str = "[redacted]";

const MIN_LENGTH: usize = 12;

/// Excludes dummies such as `xxxxxxxxxxxx` and `sk-000000000000`.
const MIN_DISTINCT_CHARACTERS: usize = 6;

/// A single word of letters counts as an ordinary word up to this length.
const MAX_WORD_LENGTH: usize = 20;

/// Shorter numbers are too common: counts and dates.
const MIN_NUMBER_LENGTH: usize = 16;

/// A value that consists of these words is a dummy, such as `sk-no-key-required` and `your-api-key-here`.
const DUMMY_WORDS: [&str; 44] = [
    "a",
    "access",
    "any",
    "anything",
    "api",
    "auth",
    "change",
    "changeme",
    "default",
    "demo",
    "development",
    "dummy",
    "empty",
    "example",
    "fake",
    "for",
    "free",
    "here",
    "ignored",
    "insert",
    "key",
    "lm",
    "local",
    "localhost",
    "me",
    "mock",
    "my",
    "need",
    "needed",
    "no",
    "none",
    "not",
    "ollama",
    "placeholder",
    "required",
    "secret",
    "sk",
    "studio",
    "test",
    "testing",
    "the",
    "token",
    "unused",
    "your",
];

/// Whether a secret looks like a key, so that it can be replaced everywhere: at least 12 characters without spaces,
/// at least 6 distinct ones, and neither an ordinary word nor a dummy. Without digits, it must be several words or a
/// very long one.
pub(super) fn looks_like_a_key(value: &str) -> bool {
    if value.chars().count() < MIN_LENGTH || value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return false;
    }
    let mut characters: Vec<char> = value.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    if characters.len() < MIN_DISTINCT_CHARACTERS {
        return false;
    }
    let has_letter = value.contains(char::is_alphabetic);
    if value.contains(|c: char| c.is_ascii_digit()) {
        return has_letter || value.len() >= MIN_NUMBER_LENGTH;
    }
    let words = words(value);
    match words.as_slice() {
        [word] => word.chars().count() > MAX_WORD_LENGTH,
        words => words.iter().any(|word| !DUMMY_WORDS.contains(&word.as_str())),
    }
}

pub(super) fn is_random(value: &str) -> bool {
    value.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let has = |is: fn(&u8) -> bool| run.bytes().any(|byte| is(&byte));
        run.len() >= MIN_LENGTH && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    })
}

pub(crate) fn names_a_secret(name: &str) -> bool {
    const SECRETS: [&str; 12] = [
        "assertion",
        "auth",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "key",
        "keys",
        "pass",
        "passphrase",
        "pwd",
        "token",
    ];
    const NOT_SECRET_LAST: [&str; 18] = [
        "base", "count", "dir", "domain", "endpoint", "file", "header", "host", "length", "limit", "name", "path",
        "size", "sock", "timeout", "type", "uri", "url",
    ];
    if ["PWD", "OLDPWD", "GOOGLE_APPLICATION_CREDENTIALS"].contains(&name) {
        return false;
    }
    let words = words(name);
    let is_not_secret = words.last().is_none_or(|last| NOT_SECRET_LAST.contains(&last.as_str()));
    !is_not_secret && (has_unambiguous_words(&words) || words.iter().any(|word| SECRETS.contains(&word.as_str())))
}

/// Whether a name denotes a secret unambiguously. A lone `key` or `token` may belong to a table or a page, and tools
/// need those values.
pub(super) fn unambiguously_names_a_secret(name: &str) -> bool {
    has_unambiguous_words(&words(name))
}

fn has_unambiguous_words(words: &[String]) -> bool {
    const UNAMBIGUOUS: [&str; 13] = [
        "accesskey",
        "accesstoken",
        "apikey",
        "authkey",
        "authorization",
        "authtoken",
        "bearer",
        "passwd",
        "password",
        "privatekey",
        "secret",
        "secretkey",
        "secrets",
    ];
    const FIRST_WORDS: [&str; 11] =
        ["access", "api", "auth", "bearer", "client", "id", "private", "refresh", "secret", "security", "session"];
    words.iter().any(|word| UNAMBIGUOUS.contains(&word.as_str()))
        || words.windows(2).any(|pair| FIRST_WORDS.contains(&&*pair[0]) && ["key", "token"].contains(&&*pair[1]))
}

pub(super) fn names_a_url(name: &str) -> bool {
    words(name).last().is_some_and(|last| ["base", "endpoint", "host", "proxy", "uri", "url"].contains(&last.as_str()))
}

pub(super) fn names_a_secret_parameter(name: &str) -> bool {
    // A login code or a session id grants access; outside of URLs these words have other meanings.
    const URL_SECRETS: [&str; 6] = ["code", "session", "sessionid", "sid", "sig", "signature"];
    names_a_secret(name) || words(name).last().is_some_and(|last| URL_SECRETS.contains(&last.as_str()))
}

fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower_case = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (after_lower_case && character.is_uppercase()) {
            words.push(String::new());
        }
        after_lower_case = character.is_lowercase();
        let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) else { continue };
        match character.is_ascii() {
            true => word.push(character.to_ascii_lowercase()),
            false => word.extend(character.to_lowercase()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_distinguished_from_words() {
        for key in [
            "sk-test-0123456789",
            "sk-recorded-secret",
            "tok-secret-1",
            "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            "correcthorsebatterystaple",
            "AIzaSyD-abcdefgh",
            "abcDEFghiJKLmno",
        ] {
            assert!(looks_like_a_key(key), "{key}");
        }
        for word in [
            "ollama",
            "none",
            "test",
            "dummy",
            "EMPTY",
            "hunter2",
            "lm-studio",
            "not-needed",
            "sk-no-key-required",
            "your-api-key-here",
            "NoKeyRequired",
            "placeholder-key",
            "unauthenticated",
            "xxxxxxxxxxxxxxxxxxxx",
            "sk-xxxxxxxxxxxxxxx",
            "123456789012",
            "an ordinary sentence of 6 words",
        ] {
            assert!(!looks_like_a_key(word), "{word}");
        }
    }

    #[test]
    fn a_long_run_of_letters_and_digits_is_random() {
        assert!(is_random("planted-9f8e7d6c5b4a3f2e"));
        for value in ["prompt-caching-2024-07-31", "gpt-4o-2024-08-06", "https://lab.example/v1", "application/json"] {
            assert!(!is_random(value), "{value}");
        }
    }

    #[test]
    fn names_denote_secrets() {
        for name in [
            "OPENAI_API_KEY",
            "x-api-key",
            "apiKey",
            "Authorization",
            "AWS_SESSION_TOKEN",
            "private_key",
            "Cookie",
            "x-auth",
            "pageToken",
        ] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in [
            "PWD",
            "KEYBOARD",
            "MONKEY",
            "max_tokens",
            "SSH_KEY_PATH",
            "TOKEN_URL",
            "keyword",
            "signature",
            "x-request-id",
        ] {
            assert!(!names_a_secret(name), "{name}");
        }
        assert!(names_a_secret_parameter("code") && names_a_secret_parameter("X-Amz-Signature"));
        assert!(!names_a_secret("code"));
        assert!(unambiguously_names_a_secret("clientSecret") && unambiguously_names_a_secret("refresh_token"));
        assert!(!unambiguously_names_a_secret("pageToken") && !unambiguously_names_a_secret("key"));
    }
}
