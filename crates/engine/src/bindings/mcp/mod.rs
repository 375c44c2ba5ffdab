//! `defMcp`: servers of the Model Context Protocol in a prompt. The protocol itself is in [`crate::mcp`].

mod call;
pub mod define;
mod file_variables;
pub mod hub;
mod reference;
pub mod tools;

use rquickjs::{Ctx, Result};

pub fn finish_prototype(ctx: &Ctx<'_>) -> Result<()> {
    reference::McpReference::finish_prototype(ctx)
}
