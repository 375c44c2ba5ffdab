//! `defMcp`: servers of the Model Context Protocol in a prompt. Owns: reading its arguments, making tools and functions of what a
//! server offers, and carrying calls across. Must not know how a server is reached: that is [`crate::mcp`].

mod call;
pub(crate) mod define;
mod file_variables;
pub(crate) mod hub;
mod reference;
pub(crate) mod tools;

use rquickjs::{Ctx, Result};

/// Part of making an engine.
pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    reference::McpReference::finish_prototype(ctx)
}
