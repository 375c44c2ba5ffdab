//! Making the client, once for each way of connecting.

use std::{cell::RefCell, time::Duration};

use thiserror::Error;

use super::{certificates, network::Network, proxy::Proxies};

/// How long a connection may take to be established; the limit Node's `fetch` has.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a connection is asked whether it is still there. A model may think for minutes without a byte, and what lies
/// between may have forgotten the connection without a word.
const ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// How long the answer to that may take.
const ALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// How long an unused connection is kept: shorter than what load balancers usually grant (60 s), or a request would meet
/// one that is just being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);

/// Clients that are kept at the same time; a run has one, unless its script changes `process.env`.
const MAX_CLIENTS: usize = 4;

/// Why there is no client.
#[derive(Debug, Error)]
pub(crate) enum ClientError {
    /// A variable is wrong; the text names it.
    #[error("{0}")]
    Variable(String),
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    #[error("TLS cannot be set up: {0}")]
    Client(#[from] reqwest::Error),
}

/// The clients of a way of connecting.
struct Kept {
    network: Network,
    tls: rustls::ClientConfig,
    pooled: Option<reqwest::Client>,
    /// Uses no connection again.
    fresh: Option<reqwest::Client>,
    /// Warnings that were not shown yet.
    warnings: Vec<String>,
}

thread_local! {
    // Pooled connections are tasks of the runtime they were opened on. A thread runs one runtime, so the client belongs
    // to the thread: a static one would hand out connections of a runtime that is gone.
    static CLIENTS: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// The shared client, built on first use (the platform's certificates are read then, which takes some milliseconds), and
/// again when the variables are others.
///
/// Clones share one pool. The client leaves bodies as they are sent (see [`super::Body`]), follows no redirects and has no
/// time limit beyond the one for connecting: callers bring their own.
///
/// # Errors
/// When a proxy's variable is wrong or TLS cannot be set up.
pub(crate) fn http_client(network: &Network) -> Result<reqwest::Client, ClientError> {
    shared_client(network, true)
}

/// The same, with a new connection for each request: for a request that met a connection which the server had closed.
///
/// # Errors
/// As [`http_client`].
pub(crate) fn fresh_client(network: &Network) -> Result<reqwest::Client, ClientError> {
    shared_client(network, false)
}

fn shared_client(network: &Network, is_pooled: bool) -> Result<reqwest::Client, ClientError> {
    CLIENTS.with_borrow_mut(|clients| {
        let index = match clients.iter().position(|kept| kept.network == *network) {
            Some(index) => index,
            None => {
                network.proxies().map_err(ClientError::Variable)?;
                let (tls, warnings) = certificates::tls(network)?;
                clients.truncate(MAX_CLIENTS - 1);
                clients.insert(0, Kept { network: network.clone(), tls, pooled: None, fresh: None, warnings });
                0
            }
        };
        let Kept { tls, pooled, fresh, .. } = &mut clients[index];
        let client = if is_pooled { pooled } else { fresh };
        match client {
            Some(client) => Ok(client.clone()),
            None => Ok(client.insert(build(network, tls.clone(), is_pooled)?).clone()),
        }
    })
}

/// A client for servers of the machine itself: a proxy would look for them on its own machine, and nobody near speaks TLS,
/// so that no certificates are read.
///
/// # Errors
/// When it cannot be built.
pub(crate) fn near_client(connect_timeout: Duration) -> Result<reqwest::Client, ClientError> {
    // Even a client without TLS asks for a provider. An error means that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect_timeout)
        .tls_certs_only([]);
    Ok(builder.build()?)
}

/// What is wrong with the files of certificates that this client was to use; told once.
pub(crate) fn take_warnings(network: &Network) -> Vec<String> {
    CLIENTS.with_borrow_mut(|clients| {
        let kept = clients.iter_mut().find(|kept| kept.network == *network);
        kept.map(|kept| std::mem::take(&mut kept.warnings)).unwrap_or_default()
    })
}

fn build(network: &Network, tls: rustls::ClientConfig, is_pooled: bool) -> Result<reqwest::Client, ClientError> {
    let proxies = network.proxies().map_err(ClientError::Variable)?;
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
        // These systems have a setting of their own for when no variable is set.
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
    fn a_file_of_certificates_that_is_not_there_is_told_once() {
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
