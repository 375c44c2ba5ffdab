//! An MCP server that a prompt names with `defMcp`.

use std::rc::Rc;

use rquickjs::{JsLifetime, class::Trace};

use super::entry::CallOptions;
use crate::mcp::{Server, Timeouts, ToolFilter, ToolList};

#[derive(Clone, Trace, JsLifetime)]
pub struct McpServer<'js> {
    /// Options of every call of its tools: the callbacks, `needsApproval`.
    pub options: CallOptions<'js>,
    #[qjs(skip_trace)]
    pub config: Rc<McpServerConfig>,
    /// `None` before its tools were first listed.
    #[qjs(skip_trace)]
    pub definitions: Option<Rc<McpDefinitions>>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct McpServerConfig {
    pub name: String,
    pub server: Server,
    pub timeouts: Timeouts,
    pub kind: McpToolKind,
    pub patterns: ToolFilter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpToolKind {
    /// Tools `name_tool`.
    Tools,
    Functions,
}

pub struct McpDefinitions {
    pub list: Rc<ToolList>,
    pub names: Vec<String>,
}
