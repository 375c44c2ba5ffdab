//! Builds and caches HTTP clients, one per [`Network`].

use std::{cell::RefCell, time::Duration};

use thiserror::Error;

use super::{
    certificates,
    network::Network,
    proxy::{InvalidProxy, Proxies},
};

/// The limit for establishing a connection, as in Node's `fetch`.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval of keep-alive messages. A model may think for minutes without sending a byte, and a router may drop an idle
/// connection silently.
const ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// The limit for the answer to a keep-alive message.
const ALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// How long an unused connection is cached. Less than the usual 60 s of load balancers, so that requests do not use one that is just
/// being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Cached clients; a run has one, unless its script changes `process.env`.
const MAX_CLIENTS: usize = 4;

#[derive(Debug, Error)]
pub enum ClientError {
    #[error(transparent)]
    Variable(#[from] InvalidProxy),
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    #[error("TLS cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}

struct CachedClient {
    network: Network,
    tls: rustls::ClientConfig,
    pooled: Option<reqwest::Client>,
    /// Never reuses a connection.
    fresh: Option<reqwest::Client>,
    /// Warnings that were not taken yet.
    warnings: Vec<String>,
}

thread_local! {
    // Pooled connections are tasks of the runtime that opened them, and each thread has one runtime. A static client would
    // return connections of a runtime that is gone.
    static CLIENTS: RefCell<Vec<CachedClient>> = const { RefCell::new(Vec::new()) };
}

/// The shared client. It is built on first use, when the platform's certificates are read for some milliseconds, and when the
/// variables change.
///
/// Clones share one pool. The client does not decompress bodies (see [`super::Body`]), follows no redirects and has no timeout
/// except for connecting.
///
/// # Errors
/// A proxy's variable is invalid or TLS cannot be set up.
pub fn http_client(network: &Network) -> Result<reqwest::Client, ClientError> {
    shared_client(network, true)
}

/// A client with a new connection for each request, to retry a request whose pooled connection was closed by the server.
pub fn fresh_client(network: &Network) -> Result<reqwest::Client, ClientError> {
    shared_client(network, false)
}

fn shared_client(network: &Network, is_pooled: bool) -> Result<reqwest::Client, ClientError> {
    CLIENTS.with_borrow_mut(|clients| {
        let index = match clients.iter().position(|cached| cached.network == *network) {
            Some(index) => index,
            None => {
                network.proxies()?;
                let (tls, warnings) = certificates::tls(network)?;
                clients.truncate(MAX_CLIENTS - 1);
                clients.insert(0, CachedClient { network: network.clone(), tls, pooled: None, fresh: None, warnings });
                0
            }
        };
        let CachedClient { tls, pooled, fresh, .. } = &mut clients[index];
        let client = if is_pooled { pooled } else { fresh };
        match client {
            Some(client) => Ok(client.clone()),
            None => Ok(client.insert(build(network, tls.clone(), is_pooled)?).clone()),
        }
    })
}

/// A client for servers on this machine, without proxies, certificates and TLS.
pub fn local_client(connect_timeout: Duration) -> Result<reqwest::Client, ClientError> {
    // Even a client without TLS requires a provider. An error means that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect_timeout)
        .tls_certs_only([]);
    Ok(builder.build()?)
}

/// Warnings about certificate files for this network; each is returned once.
pub fn take_warnings(network: &Network) -> Vec<String> {
    CLIENTS.with_borrow_mut(|clients| {
        let cached = clients.iter_mut().find(|cached| cached.network == *network);
        cached.map(|cached| std::mem::take(&mut cached.warnings)).unwrap_or_default()
    })
}

fn build(network: &Network, tls: rustls::ClientConfig, is_pooled: bool) -> Result<reqwest::Client, ClientError> {
    let proxies = network.proxies()?;
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(if is_pooled { usize::MAX } else { 0 })
        .tcp_keepalive(ALIVE_INTERVAL)
        .http2_keep_alive_interval(ALIVE_INTERVAL)
        .http2_keep_alive_timeout(ALIVE_TIMEOUT)
        .http2_keep_alive_while_idle(true)
        .user_agent(concat!("lmthing/", env!("CARGO_PKG_VERSION")));
    Ok(with_proxies(builder, proxies).build()?)
}

fn with_proxies(builder: reqwest::ClientBuilder, proxies: Proxies) -> reqwest::ClientBuilder {
    if proxies.is_empty() {
        // Without variables these systems use their own settings.
        return if cfg!(any(windows, target_os = "macos")) { builder } else { builder.no_proxy() };
    }
    builder.proxy(reqwest::Proxy::custom(move |url| proxies.of(url).map(|proxy| proxy.url.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(variables: &[(&str, &str)]) -> Network {
        Network::new(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_client_is_built_once_for_each_way_of_connecting() {
        let count = || CLIENTS.with_borrow(Vec::len);
        let (direct, proxied) = (network(&[("HTTP_PROXY", "")]), network(&[("HTTP_PROXY", "http://127.0.0.1:9")]));
        for (network, clients) in [(&direct, 1), (&direct, 1), (&proxied, 2), (&direct, 2)] {
            http_client(network).expect("TLS works on the test machine");
            assert_eq!(count(), clients);
        }
        let wrong = http_client(&network(&[("HTTP_PROXY", "ftp://x")])).expect_err("no such proxy");
        assert!(wrong.to_string().starts_with("HTTP_PROXY is no usable address"), "{wrong}");
    }

    #[test]
    fn a_missing_certificate_file_is_reported_once() {
        let network = network(&[("NODE_EXTRA_CA_CERTS", "/no/such/ca.pem")]);
        http_client(&network).expect("the platform's certificates are there");
        let warnings = take_warnings(&network);
        assert!(
            warnings[0].starts_with("NODE_EXTRA_CA_CERTS names /no/such/ca.pem, which cannot be read"),
            "{warnings:?}"
        );
        assert!(take_warnings(&network).is_empty());
        fresh_client(&network).expect("the certificates were read before");
        assert!(take_warnings(&network).is_empty(), "it is the same file");
    }
}
