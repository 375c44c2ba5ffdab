//! HTTP clients with TLS, proxies, certificates and connection pooling, for providers and `fetch`.
//!
//! Redirects are never followed here: a provider must not send its key to another host, and `fetch` follows them itself by the
//! rules of the Fetch standard.

mod body;
mod certificates;
mod client;
mod display_url;
mod network;
mod no_proxy;
mod proxy;
mod tls_failure;

pub(crate) use body::{Body, BodyError, MAX_MESSAGE};
pub(crate) use certificates::{tls as client_tls, tls_trusting};
pub(crate) use client::{CONNECT_TIMEOUT, fresh_client, http_client, local_client, take_warnings};
#[cfg(feature = "worker")]
pub(crate) use display_url::strip_credentials;
pub(crate) use display_url::{display_url, is_local_host};
pub(crate) use network::{Network, PROXY_VARIABLES};
pub(crate) use proxy::Proxy;
pub(crate) use tls_failure::tls_failure;
