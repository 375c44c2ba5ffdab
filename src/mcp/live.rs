//! One session with a server: begun, and ended. Must not know what is asked of the server.

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
    child::{self, LastWords, Running},
    failure,
    handler::Handler,
    server::{HttpServer, Program, Server},
    surroundings::Surroundings,
};
use crate::http::{self, http_client};

/// How large a message of a program may be. Larger ones are dropped.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

/// How long a server that is reached over HTTP may take to be told that we are done.
const HTTP_END: Duration = Duration::from_secs(1);

/// How long closing the pipes to a program may take. A program that does not read what it was sent keeps them open.
const PIPE_END: Duration = Duration::from_millis(100);

/// A session with a server.
pub(super) struct Live {
    service: RunningService<RoleClient, Handler>,
    handler: Handler,
    child: Option<Running>,
}

impl Live {
    /// Begins a session; a program is started for it.
    ///
    /// # Errors
    /// In words that do not name the server: it cannot be reached, or does not answer in time.
    pub(super) async fn connect(server: &Server, patience: Duration, around: &Surroundings) -> Result<Self, String> {
        match server {
            Server::Program(program) => to_program(program, patience, around).await,
            Server::Http(server) => over_http(server, patience, around).await,
        }
    }

    /// Whom requests go to.
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    /// Our side of it.
    pub(super) fn handler(&self) -> &Handler {
        &self.handler
    }

    /// What the program writes to its standard error, if it is one.
    pub(super) fn last_words(&self) -> Option<LastWords> {
        self.child.as_ref().map(|child| child.last_words.clone())
    }

    /// Whether the server has ended it.
    pub(super) fn is_over(&self) -> bool {
        self.service.peer().is_transport_closed()
    }

    /// Ends it, and the program.
    pub(super) async fn end(mut self) {
        // The reader of answers goes first, which closes the standard input of a program.
        let patience = if self.child.is_some() { PIPE_END } else { HTTP_END };
        let is_closed = matches!(self.service.close_with_timeout(patience).await, Ok(Some(_)));
        drop(self.service);
        if let Some(child) = self.child {
            child.end(is_closed).await;
        }
    }
}

async fn to_program(program: &Program, patience: Duration, around: &Surroundings) -> Result<Live, String> {
    let started = child::start(around, program);
    let (mut child, stdout, stdin) = started.map_err(|error| format!("it cannot be started: {error}"))?;
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
    let handler = Handler::default();
    let lifecycle = handler.clone().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize);
    let problem = match in_time(patience, lifecycle).await {
        Ok(service) => return Ok(Live { service, handler, child: Some(child) }),
        Err(problem) => problem,
    };
    let ended = child.ended_soon().await;
    let words = child.last_words.text();
    drop(child);
    Err(match (ended.and_then(|status| status.code()), words) {
        (Some(127), Some(words)) => format!("it cannot be started: {words}"),
        (Some(code), Some(words)) => format!("{problem} (exit code {code}). It said: {words}"),
        (Some(code), None) => format!("{problem} (exit code {code})"),
        (None, Some(words)) => format!("{problem}. It said: {words}"),
        (None, None) => problem,
    })
}

async fn over_http(server: &HttpServer, patience: Duration, around: &Surroundings) -> Result<Live, String> {
    let client = http_client(&(around.network)()).map_err(|error| error.to_string())?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str());
    config.custom_headers = headers(server)?;
    config.max_sse_event_size = http::MAX_MESSAGE;
    config.max_json_response_size = http::MAX_MESSAGE;
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let handler = Handler::default();
    let lifecycle = handler.clone().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize);
    let service = in_time(patience, lifecycle).await?;
    Ok(Live { service, handler, child: None })
}

async fn in_time<T>(
    patience: Duration,
    connected: impl Future<Output = Result<T, ClientInitializeError>>,
) -> Result<T, String> {
    match tokio::time::timeout(patience, connected).await {
        Ok(connected) => connected.map_err(|error| failure::of_start(&error)),
        Err(_) => Err(format!(
            "it did not answer initialize within {}; options.timeout lets it take longer",
            failure::seconds(patience)
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
    // The library does not unpack answers, whatever headers are configured.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_never_asked_for_compressed() {
        for name in ["accept-encoding", "Accept-Encoding", "X-Other"] {
            let server = HttpServer {
                url: "http://127.0.0.1:9/mcp".parse().unwrap(),
                headers: [(name.to_owned(), "gzip".to_owned())].into(),
            };
            assert_eq!(headers(&server).unwrap()[&ACCEPT_ENCODING], "identity");
        }
    }
}
