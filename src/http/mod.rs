//! The one HTTP client of a thread.
//!
//! Owns: TLS set-up, certificates, proxies and connection pooling, shared by the providers and by `fetch` in prompt files; reading
//! answers within limits; how an address is shown.
//! Must not know: who asks, what is sent, retries or redirects. Redirects are never followed here: a provider must not
//! carry its key to another host, and `fetch` follows them itself by the rules of the Fetch standard.

mod body;
mod certificates;
mod client;
mod exceptions;
mod failure;
mod network;
mod proxy;
mod shown;

pub(crate) use body::{Body, BodyError, MAX_MESSAGE};
pub(crate) use certificates::{tls as client_tls, tls_believing};
pub(crate) use client::{CONNECT_TIMEOUT, fresh_client, http_client, near_client, take_warnings};
pub(crate) use failure::tls_failure;
pub(crate) use network::{Network, PROXY_VARIABLES};
pub(crate) use proxy::Proxy;
#[cfg(feature = "worker")]
pub(crate) use shown::without_user;
pub(crate) use shown::{is_here, shown};
