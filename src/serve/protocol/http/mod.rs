//! Many clients over HTTP, at one address: connections, and what is in the way of those who should not ask. Must not know what is
//! asked.

mod asker;
mod bodies;
mod door;
mod leaving;
mod sessions;
mod token;

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
pub(crate) use token::Token;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use self::{
    asker::Names,
    bodies::Bodies,
    door::{Answer, Door},
    sessions::{RETRY, Sessions},
};
use super::{
    super::{PromptFiles, address},
    handler::Handler,
};
use crate::diagnostic::Diagnostic;

/// The path that is served.
const PATH: &str = "/mcp";

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait when the system has no more connections to give.
const BREATH: Duration = Duration::from_millis(100);

/// An address at which files can be served.
pub(crate) struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<Token>,
}

impl HttpServer {
    /// Finds out where `address` is: `HOST:PORT`, or a port of this machine alone.
    ///
    /// # Errors
    /// It is nowhere, or others could ask there without a token.
    pub(crate) async fn resolve(address: &str, token: Option<&Token>) -> Result<Vec<SocketAddr>, Diagnostic> {
        let found = address::resolve("--http", address).await?;
        if token.is_some() || address::are_here(&found) {
            return Ok(found);
        }
        Err(address::reachable_by_others("--http", address)
            .with_hint("name a variable with a token that clients must have, --token-env NAME, or take 127.0.0.1"))
    }

    /// Takes one of these addresses.
    ///
    /// # Errors
    /// The system does not give it.
    pub(crate) async fn bind(addresses: &[SocketAddr], token: Option<Token>) -> Result<Self, Diagnostic> {
        let listener = TcpListener::bind(addresses).await;
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| address::cannot_bind(addresses, &error))?;
        Ok(HttpServer { listener, address, token })
    }

    /// Where clients find it.
    pub(crate) fn url(&self) -> String {
        // What is written as an IPv6 address may be one of IPv4, and clients know it by that.
        let address = SocketAddr::new(self.address.ip().to_canonical(), self.address.port());
        format!("http://{address}{PATH}")
    }

    /// Answers whoever asks; never resolves. Calls end when it is dropped.
    pub(crate) async fn serve(self, files: Arc<dyn PromptFiles>) {
        // Names and bodies are looked at before the library sees a request.
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(bodies::MAX_BODY)
            .with_sse_retry(Some(RETRY))
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let service =
            StreamableHttpService::new(move || Ok(Handler::new(files.clone())), Arc::new(Sessions::new()), config);
        // With a token any Host is accepted: names of proxies are not known.
        let names = Names { own: self.address.ip(), has_token: self.token.is_some() };
        let door = Arc::new(Door { path: PATH, names, token: self.token, bodies: Bodies::default(), service });
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(answer(stream, door.clone()))),
                    Err(_) => tokio::time::sleep(BREATH).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }
}

async fn answer(stream: TcpStream, door: Arc<Door<StreamableHttpService<Handler, Sessions>>>) {
    // Small messages, each of which somebody waits for.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request: Request<Incoming>| {
        let door = door.clone();
        async move { Ok::<Answer, Infallible>(door.answer(request).await) }
    });
    // What goes wrong with a connection its client knows by itself.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}
