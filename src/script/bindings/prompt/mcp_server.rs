//! An MCP server that a prompt names with `defMcp`.

use std::rc::Rc;

use rquickjs::{JsLifetime, class::Trace};

use super::entry::CallOptions;
use crate::mcp::{Server, Timeouts, ToolFilter, ToolList};

#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct McpServer<'js> {
    /// Options of every call of its tools: the callbacks, `needsApproval`.
    pub(crate) options: CallOptions<'js>,
    #[qjs(skip_trace)]
    pub(crate) config: Rc<McpServerConfig>,
    /// `None` before its tools were first listed.
    #[qjs(skip_trace)]
    pub(crate) definitions: Option<Rc<McpDefinitions>>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct McpServerConfig {
    pub(crate) name: String,
    pub(crate) server: Server,
    pub(crate) timeouts: Timeouts,
    pub(crate) kind: McpToolKind,
    /// Selects tools by name.
    pub(crate) patterns: ToolFilter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum McpToolKind {
    /// Tools `name_tool`.
    Tools,
    Functions,
}

pub(crate) struct McpDefinitions {
    pub(crate) list: Rc<ToolList>,
    /// Names of the tools, or of the namespace.
    pub(crate) names: Vec<String>,
}
