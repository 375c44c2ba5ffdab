//! The one HTTP client of the process.
//!
//! Owns: TLS set-up and connection pooling, shared by the providers and by `fetch` in prompt files. Must not know: who
//! asks, what is sent, retries or redirects. Redirects are never followed here: a provider must not carry its key to
//! another host, and `fetch` follows them itself by the rules of the Fetch standard.

use std::{cell::OnceCell, time::Duration};

/// How long a connection may take to be established; the limit Node's `fetch` has.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

thread_local! {
    // Pooled connections are tasks of the runtime they were opened on. A thread runs one runtime, so the client belongs
    // to the thread: a static one would hand out connections of a runtime that is gone.
    static CLIENT: OnceCell<reqwest::Client> = const { OnceCell::new() };
}

/// The shared client, built on first use (the platform's certificates are read then, which takes some milliseconds).
///
/// Clones share one pool. The client decodes gzip, keeps to proxies set in the environment, follows no redirects and has
/// no time limit beyond the one for connecting: callers bring their own.
///
/// # Errors
/// When TLS cannot be set up, for example because the platform's certificate store cannot be read.
pub(crate) fn http_client() -> Result<reqwest::Client, reqwest::Error> {
    CLIENT.with(|cell| {
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let client = build()?;
        Ok(cell.get_or_init(|| client).clone())
    })
}

fn build() -> Result<reqwest::Client, reqwest::Error> {
    // An error means that a provider is installed already, which is what we need.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("lmthing/", env!("CARGO_PKG_VERSION")))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_built_once_a_thread() {
        http_client().expect("TLS works on the test machine");
        assert!(CLIENT.with(|cell| cell.get().is_some()));
        http_client().expect("the second call reuses it");
    }
}
