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

pub use body::{Body, BodyError, MAX_MESSAGE};
pub use certificates::{tls as client_tls, tls_trusting};
pub use client::{CONNECT_TIMEOUT, ClientError, fresh_client, http_client, local_client, take_warnings};
pub use display_url::strip_credentials;
pub use display_url::{display_url, is_local_host};
pub use network::{Network, PROXY_VARIABLES};
pub use proxy::{InvalidProxy, Proxy};
pub use tls_failure::tls_failure;
