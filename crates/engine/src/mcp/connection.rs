//! A connection to one server, opened on first use and reopened after the server has ended.

use std::{cell::RefCell, pin::pin, rc::Rc, time::Duration};

use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest, GetPromptRequestParams,
        ListToolsRequest, PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    },
    service::{Peer, PeerRequestOptions, ServiceError},
};
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use super::{
    environment::McpEnvironment,
    failure_messages,
    notifications::{NotificationHandler, ToolProgress},
    pending_requests::PendingRequests,
    secrets::ServerSecrets,
    server::Server,
    server_process::RecentStderr,
    session::Session,
    tool_call_result::{McpContent, ToolCallResult},
    tools::ToolList,
};

/// The limit of pages of a list, for servers that always return a next one.
const MAX_PAGES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the start, and for each list, resource and prompt.
    pub start: Duration,
    /// For a call without progress.
    pub call: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts { start: Duration::from_secs(30), call: Duration::from_secs(300) }
    }
}

/// A server, with its session if one is open.
pub struct Connection {
    name: String,
    server: Server,
    timeouts: Timeouts,
    secrets: ServerSecrets,
    environment: Rc<McpEnvironment>,
    session: Mutex<Option<Session>>,
    tools: RefCell<Option<Rc<ToolList>>>,
    pending: PendingRequests,
    /// Held while tools are listed, so that concurrent callers share one request.
    listing: Mutex<()>,
}

/// A server cannot be reached, or gives no valid answer. The text names the server.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct McpError(pub String);

struct SessionHandle {
    peer: Peer<RoleClient>,
    handler: NotificationHandler,
    recent_stderr: Option<RecentStderr>,
}

impl Connection {
    pub(super) fn new(name: &str, server: Server, timeouts: Timeouts, environment: Rc<McpEnvironment>) -> Self {
        let secrets = ServerSecrets::of(&server);
        Connection {
            name: name.to_owned(),
            server,
            timeouts,
            secrets,
            environment,
            session: Mutex::default(),
            tools: RefCell::default(),
            pending: PendingRequests::default(),
            listing: Mutex::default(),
        }
    }

    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter()
    }

    /// Whether this is the connection to the server with these limits.
    pub(super) fn is_to(&self, server: &Server, timeouts: Timeouts) -> bool {
        self.server == *server && self.timeouts == timeouts
    }

    /// The tools of the server. The same list is returned until the server reports a change.
    pub async fn tools(&self) -> Result<Rc<ToolList>, McpError> {
        let _listing = self.listing.lock().await;
        let session = self.session().await?;
        if session.handler.take_tools_changed() {
            self.tools.replace(None);
        }
        if let Some(known) = self.tools.borrow().clone() {
            return Ok(known);
        }
        let mut list = ToolList::default();
        // A server with resources only may refuse to list tools.
        let has_tools = session.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        let mut cursor: Option<String> = None;
        for _ in 0..if has_tools { MAX_PAGES } else { 0 } {
            let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let page =
                self.ask(&session, request).await.map_err(|problem| McpError(format!("tools/list: {problem}")))?;
            let Some(tools) = page.get("tools").and_then(Value::as_array) else {
                return Err(self.error("tools/list: its answer has no list of tools"));
            };
            tools.iter().for_each(|tool| list.add(tool));
            let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            if next.is_none() || next == cursor {
                break;
            }
            cursor = next;
        }
        // An unchanged list stays the same `Rc`, so that callers can compare by pointer.
        let known = self.tools.borrow().clone().filter(|known| **known == list);
        let list = known.unwrap_or_else(|| Rc::new(list));
        self.tools.replace(Some(list.clone()));
        Ok(list)
    }

    /// `name` is the server's name for the tool. Dropping the future cancels the call.
    pub async fn call(
        &self,
        tool: &str,
        args: Map<String, Value>,
        progress: impl Fn(ToolProgress),
    ) -> Result<ToolCallResult, McpError> {
        let session = self.session().await?;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        self.exchange(&session, request, self.timeouts.call, progress).await.map(ToolCallResult::read)
    }

    pub async fn resource(&self, uri: &str) -> Result<Vec<McpContent>, McpError> {
        let session = self.session().await?;
        let params = ReadResourceRequestParams::new(uri);
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
        let mut result = self.ask(&session, request).await?;
        match result.get_mut("contents").map(Value::take) {
            Some(Value::Array(contents)) => Ok(contents.into_iter().filter_map(McpContent::of_resource).collect()),
            _ => Err(self.error("resources/read: its answer has no contents")),
        }
    }

    /// Messages with their roles.
    pub async fn prompt(&self, name: &str, args: Map<String, Value>) -> Result<Vec<(String, McpContent)>, McpError> {
        let session = self.session().await?;
        let params = GetPromptRequestParams::new(name).with_arguments(args);
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let mut result = self.ask(&session, request).await?;
        let Some(Value::Array(messages)) = result.get_mut("messages").map(Value::take) else {
            return Err(self.error("prompts/get: its answer has no messages"));
        };
        let read = |mut message: Value| {
            let role = message.get("role").and_then(Value::as_str).unwrap_or("user").to_owned();
            (role, McpContent::read(message.get_mut("content").map(Value::take).unwrap_or_default()))
        };
        Ok(messages.into_iter().map(read).collect())
    }

    /// Closes the session, and ends the server if it is a child process.
    pub(super) async fn close(&self) {
        let Some(session) = self.session.lock().await.take() else { return };
        self.pending.cancel(session.peer()).await;
        session.end().await;
    }

    pub fn message(&self, problem: &str) -> String {
        format!("the MCP server '{}' ({}): {}", self.name, self.server.place(), self.secrets.redact(problem))
    }

    pub fn error(&self, problem: &str) -> McpError {
        McpError(self.message(problem))
    }

    async fn ask(&self, session: &SessionHandle, request: ClientRequest) -> Result<Value, McpError> {
        self.exchange(session, request, self.timeouts.start, |_| {}).await
    }

    /// Sends a request and waits for its result. Progress resets the time limit. A timeout and dropping the future cancel the request
    /// at the server.
    async fn exchange(
        &self,
        session: &SessionHandle,
        request: ClientRequest,
        patience: Duration,
        progress: impl Fn(ToolProgress),
    ) -> Result<Value, McpError> {
        let sent = session.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(|error| self.error(&failure_messages::request_failure(&error)))?;
        let request_guard = self.pending.begin(session.peer.clone(), handle.id.clone());
        let mut progress_receiver = session.handler.listen(handle.progress_token.clone());
        // The library's own timeout would wait for a server that does not read its input.
        let mut silence = pin!(sleep(patience));
        let answered = {
            let mut answer = pin!(handle.await_response());
            loop {
                tokio::select! {
                    biased;
                    Some(step) = progress_receiver.next() => {
                        silence.as_mut().reset(Instant::now() + patience);
                        progress(step);
                    }
                    answer = &mut answer => break Some(answer),
                    () = &mut silence => break None,
                }
            }
        };
        drop(progress_receiver);
        let Some(answered) = answered else {
            return Err(self.error(&format!("no answer within {}", failure_messages::seconds(patience))));
        };
        request_guard.complete();
        match answered {
            Ok(result) => match as_json(&result) {
                // Instead of requests of its own, which the library refuses, a newer server answers like this.
                result if result["resultType"] == "input_required" => {
                    Err(self.error("it asks for a model, a person or folders, which it does not get"))
                }
                result => Ok(result),
            },
            Err(error) => Err(self.explained(session, &error).await),
        }
    }

    /// Why a request failed, with the last output of a server that has ended.
    async fn explained(&self, session: &SessionHandle, error: &ServiceError) -> McpError {
        let mut problem = failure_messages::request_failure(error);
        if matches!(error, ServiceError::TransportClosed) {
            // The last output may still be on its way.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let output = session.recent_stderr.as_ref().and_then(RecentStderr::text);
            problem.extend(output.map(|output| format!(". It said: {output}")));
        }
        self.error(&problem)
    }

    async fn session(&self) -> Result<SessionHandle, McpError> {
        let mut session = self.session.lock().await;
        if session.as_ref().is_some_and(Session::is_over) {
            if let Some(gone) = session.take() {
                gone.end().await;
            }
            // A restarted server may have other tools.
            self.tools.replace(None);
        }
        let session = match &mut *session {
            Some(session) => session,
            none => none.insert(self.connect().await?),
        };
        Ok(SessionHandle {
            peer: session.peer().clone(),
            handler: session.handler().clone(),
            recent_stderr: session.recent_stderr(),
        })
    }

    async fn connect(&self) -> Result<Session, McpError> {
        let connected = Session::connect(&self.server, self.timeouts.start, &self.environment).await;
        connected.map_err(|error| self.error(&error.0))
    }
}

/// The result as JSON, whatever type the library gives it.
fn as_json(result: &impl serde::Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_else(|_| json!({}))
}
