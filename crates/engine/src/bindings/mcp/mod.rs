//! `defMcp`: servers of the Model Context Protocol in a prompt. The protocol itself is in [`crate::mcp`].

mod call;
pub(crate) mod define;
mod file_variables;
pub(crate) mod hub;
mod reference;
pub(crate) mod tools;

use rquickjs::{Ctx, Result};

pub(crate) fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    reference::McpReference::finish_prototype(ctx)
}
