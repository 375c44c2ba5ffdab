//! What looks like a key, which names say that something is one, and what stands in its place. Must not know any key.

/// What stands in place of a secret.
pub(in crate::provider) const REDACTED: &str = "[redacted]";

/// Shorter values are not taken for keys.
const SHORTEST: usize = 12;

/// Keys have more kinds of characters than this; `xxxxxxxxxxxx` and `sk-000000000000` have not.
const FEW_CHARACTERS: usize = 6;

/// A single word of letters is an ordinary one unless it is longer than words are.
const LONGEST_WORD: usize = 20;

/// A number is a key only where it is longer than what people count and date with.
const SHORTEST_NUMBER: usize = 16;

/// A value of these words alone says that there is no key: `sk-no-key-required`, `your-api-key-here`.
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

/// Whether a value that is used as a secret has the look of one, so that it can be replaced wherever it stands: at least
/// 12 characters without a space, of at least 6 kinds, which are neither an ordinary word nor words that say "no key".
/// Letters with digits among them are a key; so are letters alone that are several words, or none.
pub(super) fn looks_like_a_key(value: &str) -> bool {
    if value.chars().count() < SHORTEST || value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return false;
    }
    let mut characters: Vec<char> = value.chars().collect();
    characters.sort_unstable();
    characters.dedup();
    if characters.len() < FEW_CHARACTERS {
        return false;
    }
    let has_letter = value.contains(char::is_alphabetic);
    if value.contains(|c: char| c.is_ascii_digit()) {
        return has_letter || value.len() >= SHORTEST_NUMBER;
    }
    let words = words(value);
    match words.as_slice() {
        [word] => word.chars().count() > LONGEST_WORD,
        words => words.iter().any(|word| !DUMMY_WORDS.contains(&word.as_str())),
    }
}

/// Whether a value that nobody has called a secret can hardly be anything else: a long run of letters and digits.
pub(super) fn is_random(value: &str) -> bool {
    value.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let has = |is: fn(&u8) -> bool| run.bytes().any(|byte| is(&byte));
        run.len() >= SHORTEST && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    })
}

/// Whether a variable's, header's or member's name says that its value is a secret.
pub(in crate::provider) fn names_a_secret(name: &str) -> bool {
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
    // What stands last says what it is: `API_KEY_FILE` is a place.
    const ABOUT_SECRETS: [&str; 18] = [
        "base", "count", "dir", "domain", "endpoint", "file", "header", "host", "length", "limit", "name", "path",
        "size", "sock", "timeout", "type", "uri", "url",
    ];
    // The working directory, and a file's name.
    if ["PWD", "OLDPWD", "GOOGLE_APPLICATION_CREDENTIALS"].contains(&name) {
        return false;
    }
    let words = words(name);
    let is_about = words.last().is_none_or(|last| ABOUT_SECRETS.contains(&last.as_str()));
    !is_about && (has_sure_words(&words) || words.iter().any(|word| SECRETS.contains(&word.as_str())))
}

/// Whether a name can mean nothing else. A lone `key` or `token` may be that of a table or of the next page, and the tools
/// of a run need those.
pub(super) fn surely_names_a_secret(name: &str) -> bool {
    has_sure_words(&words(name))
}

fn has_sure_words(words: &[String]) -> bool {
    const SURE: [&str; 13] = [
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
    const FIRST: [&str; 11] =
        ["access", "api", "auth", "bearer", "client", "id", "private", "refresh", "secret", "security", "session"];
    words.iter().any(|word| SURE.contains(&word.as_str()))
        || words.windows(2).any(|pair| FIRST.contains(&&*pair[0]) && ["key", "token"].contains(&&*pair[1]))
}

/// Whether a variable's name says that its value is a URL; one without a scheme may hold a password too.
pub(super) fn names_a_place(name: &str) -> bool {
    words(name).last().is_some_and(|last| ["base", "endpoint", "host", "proxy", "uri", "url"].contains(&last.as_str()))
}

/// Whether a URL's parameter of this name is a secret.
pub(super) fn names_a_secret_parameter(name: &str) -> bool {
    // Whoever has the code of a login or the id of a session is let in; elsewhere these words mean other things.
    const MORE: [&str; 6] = ["code", "session", "sessionid", "sid", "sig", "signature"];
    names_a_secret(name) || words(name).last().is_some_and(|last| MORE.contains(&last.as_str()))
}

/// The words of a name in lower case: parted by what is no letter or digit, and by capitals as in `apiKey`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (after_small && character.is_uppercase()) {
            words.push(String::new());
        }
        after_small = character.is_lowercase();
        let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) else { continue };
        // Every variable of the environment comes by here at the start of a run.
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
    fn keys_are_told_from_words() {
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
    fn a_long_run_of_letters_and_digits_is_chance() {
        assert!(is_random("planted-9f8e7d6c5b4a3f2e"));
        for value in ["prompt-caching-2024-07-31", "gpt-4o-2024-08-06", "https://lab.example/v1", "application/json"] {
            assert!(!is_random(value), "{value}");
        }
    }

    #[test]
    fn names_say_what_is_secret() {
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
        assert!(surely_names_a_secret("clientSecret") && surely_names_a_secret("refresh_token"));
        assert!(!surely_names_a_secret("pageToken") && !surely_names_a_secret("key"));
    }
}
