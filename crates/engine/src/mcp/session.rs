//! One session with a server.

use std::{collections::HashMap, time::Duration};

use reqwest::header::{ACCEPT_ENCODING, HeaderName, HeaderValue};
use rmcp::{
    RoleClient,
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RunningService},
    transport::{
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

/// The limit for a message of a program. Larger ones are dropped.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

/// How long closing an HTTP session may take.
const HTTP_END: Duration = Duration::from_secs(1);

/// How long closing the pipes to a program may take, which a program that does not read its input delays.
const PIPE_END: Duration = Duration::from_millis(100);

pub(super) struct Session {
    service: RunningService<RoleClient, NotificationHandler>,
    handler: NotificationHandler,
    child: Option<ServerProcess>,
}

impl Session {
    /// Opens a session; starts the program if the server is one.
    pub(super) async fn connect(
        server: &Server,
        patience: Duration,
        environment: &McpEnvironment,
    ) -> Result<Self, String> {
        match server {
            Server::Program(program) => to_program(program, patience, environment).await,
            Server::Http(server) => over_http(server, patience, environment).await,
        }
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

async fn to_program(program: &Program, patience: Duration, environment: &McpEnvironment) -> Result<Session, String> {
    let started = server_process::start(environment, program);
    let (mut child, stdout, stdin) = started.map_err(|error| format!("it cannot be started: {error}"))?;
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
    let handler = NotificationHandler::default();
    let lifecycle = handler.clone().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize);
    let problem = match in_time(patience, lifecycle).await {
        Ok(service) => return Ok(Session { service, handler, child: Some(child) }),
        Err(problem) => problem,
    };
    let ended = child.ended_soon().await;
    let output = child.recent_stderr.text();
    drop(child);
    Err(match (ended.and_then(|status| status.code()), output) {
        (Some(127), Some(output)) => format!("it cannot be started: {output}"),
        (Some(code), Some(output)) => format!("{problem} (exit code {code}). It said: {output}"),
        (Some(code), None) => format!("{problem} (exit code {code})"),
        (None, Some(output)) => format!("{problem}. It said: {output}"),
        (None, None) => problem,
    })
}

async fn over_http(server: &HttpServer, patience: Duration, environment: &McpEnvironment) -> Result<Session, String> {
    let client = http_client(&(environment.network)()).map_err(|error| error.to_string())?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str());
    config.custom_headers = headers(server)?;
    config.max_sse_event_size = http::MAX_MESSAGE;
    config.max_json_response_size = http::MAX_MESSAGE;
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let handler = NotificationHandler::default();
    let lifecycle = handler.clone().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize);
    let service = in_time(patience, lifecycle).await?;
    Ok(Session { service, handler, child: None })
}

async fn in_time<T>(
    patience: Duration,
    connected: impl Future<Output = Result<T, ClientInitializeError>>,
) -> Result<T, String> {
    match tokio::time::timeout(patience, connected).await {
        Ok(connected) => connected.map_err(|error| failure_messages::start_failure(&error)),
        Err(_) => Err(format!(
            "it did not answer initialize within {}; options.timeout lets it take longer",
            failure_messages::seconds(patience)
        )),
    }
}

fn headers(server: &HttpServer) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let header = |(name, value): (&String, &String)| {
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("headers: '{name}' is no name of a header"))?;
        let mut value =
            HeaderValue::from_str(value).map_err(|_| format!("headers: the value of {name} cannot be sent"))?;
        value.set_sensitive(true);
        Ok((name, value))
    };
    let mut headers: HashMap<_, _> = server.headers.iter().map(header).collect::<Result<_, String>>()?;
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
