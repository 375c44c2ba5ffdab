//! MCP over HTTP: the listener and its connections.

mod bearer_token;
mod body_reader;
mod endpoint;
mod host_check;
mod session_table;
mod sessions;

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

pub use bearer_token::BearerToken;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use self::{
    body_reader::BodyReader,
    endpoint::{Answer, Endpoint},
    host_check::HostCheck,
    sessions::{RETRY, Sessions},
};
use super::{
    super::{PromptFiles, address},
    handler::Handler,
};
use lmthing_base::diagnostic::Diagnostic;

const PATH: &str = "/mcp";

const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a failed `accept`, as when there are no file descriptors left.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<BearerToken>,
}

impl HttpServer {
    /// Resolves `address`. Fails if other machines could connect without a bearer token.
    pub async fn resolve(address: &str, token: Option<&BearerToken>) -> Result<Vec<SocketAddr>, Diagnostic> {
        let found = address::resolve("--http", address).await?;
        if token.is_some() || address::are_here(&found) {
            return Ok(found);
        }
        Err(address::reachable_by_others("--http", address)
            .with_hint("name a variable with a token that clients must have, --token-env NAME, or take 127.0.0.1"))
    }

    pub async fn bind(addresses: &[SocketAddr], token: Option<BearerToken>) -> Result<Self, Diagnostic> {
        let listener = TcpListener::bind(addresses).await;
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| address::cannot_bind(addresses, &error))?;
        Ok(HttpServer { listener, address, token })
    }

    pub fn url(&self) -> String {
        // An IPv4-mapped IPv6 address is shown as IPv4.
        let address = SocketAddr::new(self.address.ip().to_canonical(), self.address.port());
        format!("http://{address}{PATH}")
    }

    /// Serves connections; never returns. Dropping it ends all calls.
    pub async fn serve(self, files: Arc<dyn PromptFiles>) {
        // rmcp's checks of hosts and origins are off, as `Endpoint` has stricter ones.
        let config = StreamableHttpServerConfig::default()
            .with_max_request_body_bytes(body_reader::MAX_BODY)
            .with_sse_retry(Some(RETRY))
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let service =
            StreamableHttpService::new(move || Ok(Handler::new(files.clone())), Arc::new(Sessions::new()), config);
        // With a token any `Host` is accepted, as the names of proxies are unknown.
        let host_check = HostCheck { own: self.address.ip(), has_token: self.token.is_some() };
        let endpoint = Arc::new(Endpoint {
            path: PATH,
            host_check,
            token: self.token,
            body_reader: BodyReader::default(),
            service,
        });
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => drop(connections.spawn(answer(stream, endpoint.clone()))),
                    Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }
}

async fn answer(stream: TcpStream, endpoint: Arc<Endpoint<StreamableHttpService<Handler, Sessions>>>) {
    // Messages are small, and the other side waits for each.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request: Request<Incoming>| {
        let endpoint = endpoint.clone();
        async move { Ok::<Answer, Infallible>(endpoint.answer(request).await) }
    });
    // The client notices a broken connection by itself.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
}
