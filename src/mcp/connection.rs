//! One server, connected when it is first needed and again when it has ended. Must not know who uses it.

use std::{cell::RefCell, collections::HashMap, rc::Rc, time::Duration};

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest, GetPromptRequestParams,
        ListToolsRequest, PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    },
    service::{
        ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, PeerRequestOptions, RunningService,
        ServiceError,
    },
    transport::{
        async_rw::AsyncRwTransport,
        streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig},
    },
};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use super::{
    answer::{Answer, AnswerPart},
    child::{self, LastWords, Running},
    failure,
    flight::Flights,
    handler::{Handler, ToolProgress},
    lists::ToolList,
    secrets::Secrets,
    server::{HttpServer, Program, Server},
    surroundings::Surroundings,
};
use crate::http::http_client;

/// How large a message of a server may be. Larger ones are dropped.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

/// Pages of a list that are asked for; a server that always has one more is cut off there.
const MAX_PAGES: usize = 1000;

/// How long a server that is reached over HTTP may take to be told that we are done.
const HTTP_END: Duration = Duration::from_secs(1);

/// How long a server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// To be started and to say what it is, and for each list, resource and prompt.
    pub(crate) start: Duration,
    /// For a call without a word of progress.
    pub(crate) call: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { start: Duration::from_secs(30), call: Duration::from_secs(300) }
    }
}

/// A server, with the connection to it if there is one.
pub(crate) struct Connection {
    /// What it was first called.
    name: String,
    server: Server,
    timeouts: Timeouts,
    secrets: Secrets,
    surroundings: Rc<Surroundings>,
    live: Mutex<Option<Live>>,
    tools: RefCell<Option<Rc<ToolList>>>,
    flights: Flights,
    /// Held while tools are listed, so that they are listed once for all who ask.
    listing: Mutex<()>,
}

struct Live {
    service: RunningService<RoleClient, Handler>,
    handler: Handler,
    child: Option<Running>,
}

/// What a request needs of a connection.
struct Line {
    peer: Peer<RoleClient>,
    handler: Handler,
    last_words: Option<LastWords>,
}

impl Connection {
    pub(super) fn new(name: &str, server: Server, timeouts: Timeouts, surroundings: Rc<Surroundings>) -> Self {
        let secrets = Secrets::of(&server);
        Connection {
            name: name.to_owned(),
            server,
            timeouts,
            secrets,
            surroundings,
            live: Mutex::default(),
            tools: RefCell::default(),
            flights: Flights::default(),
            listing: Mutex::default(),
        }
    }

    /// What of the server's settings nobody may be told.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter()
    }

    /// Whether it is the connection to this server, with these limits.
    pub(super) fn is_to(&self, server: &Server, timeouts: Timeouts) -> bool {
        self.server == *server && self.timeouts == timeouts
    }

    /// The tools of the server: the very same list as long as the server does not say that it has changed.
    ///
    /// # Errors
    /// In words: the server cannot be reached, or does not answer.
    pub(crate) async fn tools(&self) -> Result<Rc<ToolList>, String> {
        let _listing = self.listing.lock().await;
        let line = self.line().await?;
        let changed = line.handler.take_tools_changed();
        if let Some(known) = self.tools.borrow().clone().filter(|_| !changed) {
            return Ok(known);
        }
        let mut list = ToolList::default();
        // A server may have resources only, and refuse to list what it has not.
        let has_tools = line.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        let mut cursor: Option<String> = None;
        for _ in 0..if has_tools { MAX_PAGES } else { 0 } {
            let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let page = self.ask(&line, request).await.map_err(|problem| format!("tools/list: {problem}"))?;
            let Some(tools) = page.get("tools").and_then(Value::as_array) else {
                return Err(self.told("tools/list: its answer has no list of tools"));
            };
            tools.iter().for_each(|tool| list.add(tool));
            let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            if next.is_none() || next == cursor {
                break;
            }
            cursor = next;
        }
        // One that says again what it said before has not changed.
        let known = self.tools.borrow().clone().filter(|known| **known == list);
        let list = known.unwrap_or_else(|| Rc::new(list));
        self.tools.replace(Some(list.clone()));
        Ok(list)
    }

    /// Calls a tool by the server's name for it. Dropping the future cancels the call.
    ///
    /// # Errors
    /// In words: the server cannot be reached, does not answer, or refuses to.
    pub(crate) async fn call(
        &self,
        tool: &str,
        args: Map<String, Value>,
        progress: impl Fn(ToolProgress),
    ) -> Result<Answer, String> {
        let line = self.line().await?;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::with_timeout(self.timeouts.call).reset_timeout_on_progress();
        let sent = line.peer.send_request_with_option(request, options).await;
        let handle = sent.map_err(|error| self.told(&failure::of_request(&error)))?;
        let flight = self.flights.begin(line.peer.clone(), handle.id.clone());
        let token = handle.progress_token.clone();
        let mut told = line.handler.listen(token.clone());
        let answered = {
            let answer = handle.await_response();
            futures_util::pin_mut!(answer);
            loop {
                tokio::select! {
                    biased;
                    Some(step) = told.recv() => progress(step),
                    answer = &mut answer => break answer,
                }
            }
        };
        flight.landed();
        line.handler.forget(&token);
        match answered {
            Ok(result) => Ok(Answer::read(as_json(&result))),
            Err(error) => Err(self.explained(&line, &error).await),
        }
    }

    /// The parts of a resource.
    ///
    /// # Errors
    /// As [`Connection::call`].
    pub(crate) async fn resource(&self, uri: &str) -> Result<Vec<AnswerPart>, String> {
        let line = self.line().await?;
        let params = ReadResourceRequestParams::new(uri);
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
        let mut result = self.ask(&line, request).await?;
        match result.get_mut("contents").map(Value::take) {
            Some(Value::Array(contents)) => Ok(contents.into_iter().filter_map(AnswerPart::of_resource).collect()),
            _ => Err(self.told("resources/read: its answer has no contents")),
        }
    }

    /// The messages of a prompt, each with its role.
    ///
    /// # Errors
    /// As [`Connection::call`].
    pub(crate) async fn prompt(
        &self,
        name: &str,
        args: Map<String, Value>,
    ) -> Result<Vec<(String, AnswerPart)>, String> {
        let line = self.line().await?;
        let params = GetPromptRequestParams::new(name).with_arguments(args);
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let mut result = self.ask(&line, request).await?;
        let Some(Value::Array(messages)) = result.get_mut("messages").map(Value::take) else {
            return Err(self.told("prompts/get: its answer has no messages"));
        };
        let read = |mut message: Value| {
            let role = message.get("role").and_then(Value::as_str).unwrap_or("user").to_owned();
            (role, AnswerPart::read(message.get_mut("content").map(Value::take).unwrap_or_default()))
        };
        Ok(messages.into_iter().map(read).collect())
    }

    /// Ends the connection, and the server if it is ours.
    pub(super) async fn close(&self) {
        let Some(mut live) = self.live.lock().await.take() else { return };
        self.flights.cancel(live.service.peer()).await;
        // Its reader of answers goes first, which closes the server's standard input.
        let _ = live.service.close_with_timeout(HTTP_END).await;
        drop(live.service);
        if let Some(child) = live.child {
            child.end().await;
        }
    }

    /// A sentence about this server, without its secrets.
    pub(crate) fn told(&self, problem: &str) -> String {
        format!("the MCP server '{}' ({}): {}", self.name, self.server.place(), self.secrets.redact(problem))
    }

    async fn ask(&self, line: &Line, request: ClientRequest) -> Result<Value, String> {
        let options = PeerRequestOptions::with_timeout(self.timeouts.start);
        let answered = match line.peer.send_request_with_option(request, options).await {
            Ok(handle) => handle.await_response().await,
            Err(error) => Err(error),
        };
        match answered {
            Ok(result) => Ok(as_json(&result)),
            Err(error) => Err(self.explained(line, &error).await),
        }
    }

    /// Why a request failed, with what the server said when it ended over it.
    async fn explained(&self, line: &Line, error: &ServiceError) -> String {
        let mut problem = failure::of_request(error);
        if matches!(error, ServiceError::TransportClosed) {
            // What it wrote last may still be on its way.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let words = line.last_words.as_ref().and_then(LastWords::text);
            problem.extend(words.map(|words| format!(". It said: {words}")));
        }
        self.told(&problem)
    }

    /// The connection, made now if there is none.
    async fn line(&self) -> Result<Line, String> {
        let mut live = self.live.lock().await;
        if live.as_ref().is_some_and(|live| live.service.peer().is_transport_closed()) {
            if let Some(gone) = live.take() {
                drop(gone.service);
                if let Some(child) = gone.child {
                    child.end().await;
                }
            }
            // Another process may have other tools.
            self.tools.replace(None);
        }
        let live = match &mut *live {
            Some(live) => live,
            none => none.insert(self.connect().await?),
        };
        let last_words = live.child.as_ref().map(|child| child.last_words.clone());
        Ok(Line { peer: live.service.peer().clone(), handler: live.handler.clone(), last_words })
    }

    async fn connect(&self) -> Result<Live, String> {
        match &self.server {
            Server::Program(program) => self.connect_to_program(program).await,
            Server::Http(server) => self.connect_over_http(server).await,
        }
    }

    async fn connect_to_program(&self, program: &Program) -> Result<Live, String> {
        let started = child::start(&self.surroundings, program);
        let (mut child, stdout, stdin) =
            started.map_err(|error| self.told(&format!("it cannot be started: {error}")))?;
        let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE);
        let handler = Handler::default();
        let lifecycle = handler.clone().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize);
        let problem = match self.in_time(lifecycle).await {
            Ok(service) => return Ok(Live { service, handler, child: Some(child) }),
            Err(problem) => problem,
        };
        let ended = child.ended_soon().await;
        let words = child.last_words.text();
        drop(child);
        Err(self.told(&match (ended.and_then(|status| status.code()), words) {
            (Some(127), Some(words)) => format!("it cannot be started: {words}"),
            (Some(code), Some(words)) => format!("{problem} (exit code {code}). It said: {words}"),
            (Some(code), None) => format!("{problem} (exit code {code})"),
            (None, Some(words)) => format!("{problem}. It said: {words}"),
            (None, None) => problem,
        }))
    }

    async fn connect_over_http(&self, server: &HttpServer) -> Result<Live, String> {
        let client = http_client(&(self.surroundings.network)()).map_err(|error| self.told(&error.to_string()))?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str());
        config.custom_headers = headers(server).map_err(|problem| self.told(&problem))?;
        config.max_sse_event_size = MAX_MESSAGE;
        config.max_json_response_size = MAX_MESSAGE;
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let handler = Handler::default();
        let lifecycle = handler.clone().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize);
        let service = self.in_time(lifecycle).await.map_err(|problem| self.told(&problem))?;
        Ok(Live { service, handler, child: None })
    }

    async fn in_time<T>(&self, connected: impl Future<Output = Result<T, ClientInitializeError>>) -> Result<T, String> {
        let span = self.timeouts.start;
        match tokio::time::timeout(span, connected).await {
            Ok(connected) => connected.map_err(|error| failure::of_start(&error)),
            Err(_) => Err(format!(
                "it did not answer initialize within {}; options.timeout lets it take longer",
                failure::seconds(span)
            )),
        }
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
    server.headers.iter().map(header).collect()
}

/// What a server answered, whatever the library takes it for.
fn as_json(result: &impl serde::Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_else(|_| json!({}))
}
