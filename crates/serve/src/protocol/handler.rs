//! Handler of one MCP connection: lists tools, calls them, announces changes.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProgressToken, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use tokio::{sync::watch, task::JoinSet};

use super::{
    super::{Call, Outcome, PromptFiles},
    tools::{result, tool, unknown},
};

/// Supported methods. A request for one of them that rmcp could not parse has invalid parameters.
const METHODS: [&str; 4] = ["initialize", "ping", "tools/list", "tools/call"];

pub(super) struct Handler {
    files: Arc<dyn PromptFiles>,
    /// Task that notifies the client of changes while the connection lasts.
    notifier: Mutex<JoinSet<()>>,
}

impl Handler {
    pub(super) fn new(files: Arc<dyn PromptFiles>) -> Self {
        Handler { files, notifier: Mutex::default() }
    }

    fn changes(&self) -> watch::Receiver<u64> {
        let mut changes = self.files.changes();
        changes.mark_unchanged();
        changes
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(tools).with_server_info(Implementation::new("lmthing", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.files.list().iter().map(tool).collect()))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(only_tools("resources/list"))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(only_tools("resources/templates/list"))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(only_tools("prompts/list"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.files.list().iter().find(|file| file.name == name).map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let files = self.files.list();
        let file = files.iter().find(|file| file.name == request.name);
        let call = self.files.call(&request.name, request.arguments.unwrap_or_default());
        let (Some(file), Some(call)) = (file, call) else { return Err(unknown(&request.name, &files)) };
        let outcome = tokio::select! {
            biased;
            // rmcp does not send this error, as the client has cancelled.
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was cancelled", None)),
            outcome = follow(call, &context.peer, context.meta.get_progress_token()) => outcome,
        };
        Ok(result(outcome, file.output.is_some()).into())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (mut changes, peer) = (self.changes(), context.peer);
        let mut notifier = self.notifier.lock().unwrap_or_else(PoisonError::into_inner);
        notifier.abort_all();
        notifier.spawn(async move {
            while changes.changed().await.is_ok() && peer.notify_tool_list_changed().await.is_ok() {}
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // rmcp removes what the server does not support.
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed(), if context.accepted().tools_list_changed == Some(true) => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(if METHODS.contains(&method.as_str()) {
            let expected = match method.as_str() {
                "tools/call" => ": expected {name: string, arguments?: object}",
                _ => "",
            };
            ErrorData::invalid_params(format!("the parameters of {method} are wrong{expected}"), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method:?}"), None)
        })
    }
}

/// rmcp's default error contains only the method name.
fn only_tools(method: &str) -> ErrorData {
    let message = format!("there is no method {method:?}: this server has tools alone");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

async fn follow(call: Call, peer: &Peer<RoleServer>, token: Option<ProgressToken>) -> Outcome {
    let Call { mut progress, mut outcome } = call;
    loop {
        tokio::select! {
            biased;
            Some(progress) = progress.recv() => {
                let Some(token) = token.clone() else { continue };
                // Exact up to 2^53.
                let notification = ProgressNotificationParam::new(token, progress.count as f64).with_message(progress.message);
                // A closed connection is noticed elsewhere.
                let _ = peer.notify_progress(notification).await;
            }
            outcome = &mut outcome => {
                return outcome.unwrap_or_else(|_| Outcome::Failed("the run was lost before it ended".to_owned()));
            }
        }
    }
}
