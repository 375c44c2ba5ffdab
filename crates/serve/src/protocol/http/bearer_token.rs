//! The bearer token that HTTP clients must send.

use std::sync::Arc;

use ring::hmac;

/// A bearer token. Comparison takes constant time, and the token cannot be printed: only its HMAC is stored.
#[derive(Clone)]
pub struct BearerToken(Arc<(hmac::Key, hmac::Tag)>);

impl BearerToken {
    /// Fails with the reason if no client could send the token in a header.
    pub fn new(secret: &str) -> Result<Self, &'static str> {
        if secret.is_empty() {
            return Err("it is empty");
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("it has spaces or characters that a header cannot have");
        }
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let tag = hmac::sign(&key, secret.as_bytes());
        Ok(BearerToken(Arc::new((key, tag))))
    }

    pub(super) fn matches(&self, header: &[u8]) -> bool {
        let scheme = b"Bearer ";
        let (Some(named), Some(given)) = (header.get(..scheme.len()), header.get(scheme.len()..)) else { return false };
        let (key, tag) = &*self.0;
        named.eq_ignore_ascii_case(scheme) && hmac::verify(key, given.trim_ascii(), tag.as_ref()).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_token_matches() {
        let token = BearerToken::new("t0ken").unwrap();
        for header in ["Bearer t0ken", "bearer t0ken", "BEARER  t0ken "] {
            assert!(token.matches(header.as_bytes()), "{header}");
        }
        for header in ["", "Bearer", "Bearer ", "t0ken", "Bearer t0ke", "Bearer t0ken2", "Basic t0ken", "Bearer T0KEN"]
        {
            assert!(!token.matches(header.as_bytes()), "{header}");
        }
    }

    #[test]
    fn invalid_header_values_are_refused() {
        for secret in ["", "two words", "line\n", "ä"] {
            assert!(BearerToken::new(secret).is_err(), "{secret:?}");
        }
    }
}
