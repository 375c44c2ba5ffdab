//! One session with a server.
//!
//! Servers of the versions up to 2025-11-25 of the protocol begin with `initialize`; later ones have `server/discover`
//! and requests that say their version. Most of these know `initialize` too, so it is asked first. A server that
//! refuses it is connected to again, as some end with their first error.

use std::{collections::HashMap, time::Duration};

use reqwest::header::{ACCEPT_ENCODING, HeaderName, HeaderValue};
use rmcp::{
    RoleClient,
    model::ProtocolVersion,
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RunningService},
    transport::{
        IntoTransport,
        async_rw::AsyncRwTransport,
        streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig},
    },
};

use super::{
    environment::McpEnvironment,
    failure_messages,
    notifications::NotificationHandler,
    server::{HttpServer, Program, Server},
    server_process::{self, RecentStderr, ServerProcess},
};
use lmthing_system::http::{self, http_client};
use tokio::{task::JoinSet, time::Instant};

/// The limit for a message of a program. Larger ones are dropped.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

/// How long closing an HTTP session may take.
const HTTP_END: Duration = Duration::from_secs(1);

/// How long closing the pipes to a program may take, which a program that does not read its input delays.
const PIPE_END: Duration = Duration::from_millis(100);

/// Why a server cannot be reached, as the end of a sentence that begins with its name.
#[derive(Debug)]
pub(super) struct ConnectError(pub(super) String);

pub(super) struct Session {
    service: RunningService<RoleClient, NotificationHandler>,
    handler: NotificationHandler,
    child: Option<ServerProcess>,
    /// Receives changes of the tools from a server that does not announce them by itself.
    _changes: JoinSet<()>,
}

enum Failure {
    /// The server is there and does not know the request that begins a session. Contains the message.
    Refused(String),
    Failed(String),
}

/// How a session begins, and until when.
struct Opening {
    lifecycle: ClientLifecycleMode,
    patience: Duration,
    deadline: Instant,
}

impl Session {
    /// Opens a session; starts the program if the server is one.
    pub(super) async fn connect(
        server: &Server,
        patience: Duration,
        environment: &McpEnvironment,
    ) -> Result<Self, ConnectError> {
        let deadline = Instant::now() + patience;
        let initialize = Opening { lifecycle: ClientLifecycleMode::Initialize, patience, deadline };
        let refusal = match Self::open(server, initialize, environment).await {
            Ok(session) => return Ok(session),
            Err(Failure::Failed(problem)) => return Err(ConnectError(problem)),
            Err(Failure::Refused(problem)) => problem,
        };
        let lifecycle = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        let discover = Opening { lifecycle, patience, deadline };
        match Self::open(server, discover, environment).await {
            Ok(session) => Ok(session),
            Err(Failure::Failed(problem)) => Err(ConnectError(problem)),
            // It knows neither, so the usual request explains more.
            Err(Failure::Refused(_)) => Err(ConnectError(refusal)),
        }
    }

    async fn open(server: &Server, opening: Opening, environment: &McpEnvironment) -> Result<Self, Failure> {
        match server {
            Server::Program(program) => to_program(program, opening, environment).await,
            Server::Http(server) => over_http(server, opening, environment).await,
        }
    }

    fn new(
        service: RunningService<RoleClient, NotificationHandler>,
        handler: NotificationHandler,
        child: Option<ServerProcess>,
    ) -> Self {
        let mut changes = JoinSet::new();
        let peer = service.peer();
        if peer.peer_info().is_some_and(|info| {
            let tools = info.capabilities.tools.as_ref();
            !info.protocol_version.has_initialize() && tools.is_some_and(|tools| tools.list_changed == Some(true))
        }) {
            changes.spawn(handler.clone().subscribe(peer.clone()));
        }
        Self { service, handler, child, _changes: changes }
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(super) fn handler(&self) -> &NotificationHandler {
        &self.handler
    }

    pub(super) fn recent_stderr(&self) -> Option<RecentStderr> {
        self.child.as_ref().map(|child| child.recent_stderr.clone())
    }

    pub(super) fn is_over(&self) -> bool {
        self.service.peer().is_transport_closed()
    }

    pub(super) async fn end(mut self) {
        // Closing the service first also closes the standard input of a program.
        let patience = if self.child.is_some() { PIPE_END } else { HTTP_END };
        let is_closed = matches!(self.service.close_with_timeout(patience).await, Ok(Some(_)));
        drop(self.service);
        if let Some(child) = self.child {
            child.end(is_closed).await;
        }
    }
}

async fn to_program(program: &Program, opening: Opening, environment: &McpEnvironment) -> Result<Session, Failure> {
    let started = server_process::start(environment, program);
    let (mut child, stdout, stdin) =
        started.map_err(|error| Failure::Failed(format!("it cannot be started: {error}")))?;
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
    let handler = NotificationHandler::default();
    let begun = opening.begin(handler.clone(), transport).await;
    let problem = match begun {
        Ok(service) => return Ok(Session::new(service, handler, Some(child))),
        Err(Failure::Refused(problem)) => {
            // Ended before it is started again: it may be alone in using a file or a port.
            child.end(true).await;
            return Err(Failure::Refused(problem));
        }
        Err(Failure::Failed(problem)) => problem,
    };
    let ended = child.ended_soon().await;
    let output = child.recent_stderr.text();
    drop(child);
    Err(Failure::Failed(match (ended.and_then(|status| status.code()), output) {
        (Some(127), Some(output)) => format!("it cannot be started: {output}"),
        (Some(code), Some(output)) => format!("{problem} (exit code {code}). It said: {output}"),
        (Some(code), None) => format!("{problem} (exit code {code})"),
        (None, Some(output)) => format!("{problem}. It said: {output}"),
        (None, None) => problem,
    }))
}

async fn over_http(server: &HttpServer, opening: Opening, environment: &McpEnvironment) -> Result<Session, Failure> {
    let client = http_client(&(environment.network)()).map_err(|error| Failure::Failed(error.to_string()))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str());
    config.custom_headers = headers(server).map_err(|ConnectError(problem)| Failure::Failed(problem))?;
    config.max_sse_event_size = http::MAX_MESSAGE;
    config.max_json_response_size = http::MAX_MESSAGE;
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let handler = NotificationHandler::default();
    let service = opening.begin(handler.clone(), transport).await?;
    Ok(Session::new(service, handler, None))
}

impl Opening {
    async fn begin<E, A>(
        self,
        handler: NotificationHandler,
        transport: impl IntoTransport<RoleClient, E, A>,
    ) -> Result<RunningService<RoleClient, NotificationHandler>, Failure>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let method = match self.lifecycle {
            ClientLifecycleMode::Initialize => "initialize",
            _ => "server/discover",
        };
        let begun = handler.serve_with_lifecycle(transport, self.lifecycle);
        match tokio::time::timeout_at(self.deadline, begun).await {
            Ok(Ok(service)) => Ok(service),
            Ok(Err(error)) => {
                let problem = failure_messages::start_failure(&error, method);
                Err(if is_refusal(&error) { Failure::Refused(problem) } else { Failure::Failed(problem) })
            }
            Err(_) => Err(Failure::Failed(format!(
                "it did not answer {method} within {}; options.timeout lets it take longer",
                failure_messages::seconds(self.patience)
            ))),
        }
    }
}

/// Whether a server has answered the first request with an error. Over HTTP that may be a status only.
fn is_refusal(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(_) => true,
        ClientInitializeError::TransportError { error, .. } => {
            failure_messages::is_unknown_request(error.error.as_ref())
        }
        _ => false,
    }
}

fn headers(server: &HttpServer) -> Result<HashMap<HeaderName, HeaderValue>, ConnectError> {
    let header = |(name, value): (&String, &String)| {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| ConnectError(format!("headers: '{name}' is no name of a header")))?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| ConnectError(format!("headers: the value of {name} cannot be sent")))?;
        value.set_sensitive(true);
        Ok((name, value))
    };
    let mut headers: HashMap<_, _> = server.headers.iter().map(header).collect::<Result<_, ConnectError>>()?;
    // The library does not decompress responses, whatever headers are configured.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_requested_uncompressed() {
        for name in ["accept-encoding", "Accept-Encoding", "X-Other"] {
            let server = HttpServer {
                url: "http://127.0.0.1:9/mcp".parse().unwrap(),
                headers: [(name.to_owned(), "gzip".to_owned())].into(),
            };
            assert_eq!(headers(&server).unwrap()[&ACCEPT_ENCODING], "identity");
        }
    }
}
