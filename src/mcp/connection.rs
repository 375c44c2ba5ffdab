//! One server, connected when it is first needed and again when it has ended. Must not know who uses it.

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
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use super::{
    answer::{Answer, AnswerPart},
    child::LastWords,
    failure,
    flight::Flights,
    handler::{Handler, ToolProgress},
    lists::ToolList,
    live::Live,
    secrets::Secrets,
    server::Server,
    surroundings::Surroundings,
};

/// Pages of a list that are asked for; a server that always has one more is cut off there.
const MAX_PAGES: usize = 1000;

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
        if line.handler.take_tools_changed() {
            // Not known any more, also when asking for it fails.
            self.tools.replace(None);
        }
        if let Some(known) = self.tools.borrow().clone() {
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
        self.exchange(&line, request, self.timeouts.call, progress).await.map(Answer::read)
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
        let Some(live) = self.live.lock().await.take() else { return };
        self.flights.cancel(live.peer()).await;
        live.end().await;
    }

    /// A sentence about this server, without its secrets.
    pub(crate) fn told(&self, problem: &str) -> String {
        format!("the MCP server '{}' ({}): {}", self.name, self.server.place(), self.secrets.redact(problem))
    }

    async fn ask(&self, line: &Line, request: ClientRequest) -> Result<Value, String> {
        self.exchange(line, request, self.timeouts.start, |_| {}).await
    }

    /// Sends a request and waits for the answer, as long as there is a word of progress now and then. Dropping the future, and
    /// giving up, tells the server that nobody waits any more.
    async fn exchange(
        &self,
        line: &Line,
        request: ClientRequest,
        patience: Duration,
        progress: impl Fn(ToolProgress),
    ) -> Result<Value, String> {
        let sent = line.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let handle = sent.map_err(|error| self.told(&failure::of_request(&error)))?;
        let flight = self.flights.begin(line.peer.clone(), handle.id.clone());
        let mut told = line.handler.listen(handle.progress_token.clone());
        // Not the library's own limit: that one waits for a server that does not read to be told.
        let mut silence = pin!(sleep(patience));
        let answered = {
            let mut answer = pin!(handle.await_response());
            loop {
                tokio::select! {
                    biased;
                    Some(step) = told.next() => {
                        silence.as_mut().reset(Instant::now() + patience);
                        progress(step);
                    }
                    answer = &mut answer => break Some(answer),
                    () = &mut silence => break None,
                }
            }
        };
        drop(told);
        let Some(answered) = answered else {
            return Err(self.told(&format!("no answer within {}", failure::seconds(patience))));
        };
        flight.landed();
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
        if live.as_ref().is_some_and(Live::is_over) {
            if let Some(gone) = live.take() {
                gone.end().await;
            }
            // Another process may have other tools.
            self.tools.replace(None);
        }
        let live = match &mut *live {
            Some(live) => live,
            none => none.insert(self.connect().await?),
        };
        Ok(Line { peer: live.peer().clone(), handler: live.handler().clone(), last_words: live.last_words() })
    }

    async fn connect(&self) -> Result<Live, String> {
        let connected = Live::connect(&self.server, self.timeouts.start, &self.surroundings).await;
        connected.map_err(|problem| self.told(&problem))
    }
}

/// What a server answered, whatever the library takes it for.
fn as_json(result: &impl serde::Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_else(|_| json!({}))
}
