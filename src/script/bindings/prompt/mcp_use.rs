//! A server that a prompt has named with `defMcp`: what was said of it, and what has been made of its tools. Must not know how
//! it is reached.

use std::rc::Rc;

use rquickjs::{JsLifetime, class::Trace};

use super::entry::CallOptions;
use crate::mcp::{Server, Timeouts, ToolFilter, ToolList};

/// A server in a prompt.
#[derive(Clone, Trace, JsLifetime)]
pub(crate) struct McpUse<'js> {
    /// What stands for every call of its tools: the callbacks, `needsApproval`.
    pub(crate) options: CallOptions<'js>,
    /// What else was said of it.
    #[qjs(skip_trace)]
    pub(crate) plan: Rc<McpPlan>,
    /// What was made of its tools; none before it was first asked.
    #[qjs(skip_trace)]
    pub(crate) made: Option<Rc<Made>>,
}

/// What a prompt file said of a server, as plain data.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct McpPlan {
    /// What the prompt calls it.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) server: Server,
    /// How long it may take.
    pub(crate) timeouts: Timeouts,
    /// What its tools become.
    pub(crate) shape: McpShape,
    /// Which of them.
    pub(crate) patterns: ToolFilter,
}

/// What the tools of a server become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum McpShape {
    /// Tools `name_tool`.
    Tools,
    /// Functions of a namespace for code mode.
    Functions,
}

/// What was made of a server's tools.
pub(crate) struct Made {
    /// The list it was made of.
    pub(crate) list: Rc<ToolList>,
    /// The names of the tools, or of the namespace.
    pub(crate) names: Vec<String>,
}
