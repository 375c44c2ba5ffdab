//! `defAgent`: tools that run a child prompt.

pub(crate) mod call;
pub(crate) mod child;

use rquickjs::{Result, Value};

use crate::{
    bindings::{
        prompt::call::Call,
        tools::define::{NamedEntry, named_entry, register},
    },
    prompt::{DefinitionKind, ToolDefinition},
};

/// `defAgent(name, description, inputSchema, (args, child) => …, options?)`, or with `[agent(…), …]` in place of the
/// last three arguments: one tool that runs several agents. Rules: docs/reference/agents.md.
pub(crate) fn def_agent(call: Call<'_>) -> Result<Value<'_>> {
    let NamedEntry { name, description, entry, .. } = named_entry(&call, DefinitionKind::DefAgent, "agent")?;
    register(&call, &name, ToolDefinition::new(DefinitionKind::DefAgent, description), entry)
}
