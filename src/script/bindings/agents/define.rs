//! `defAgent`: defining an agent, a tool of another kind. Calling it is in `call`.

use rquickjs::{Result, Value};

use crate::{
    prompt::{DefinitionKind, ToolDefinition},
    script::bindings::{
        prompt::call::Call,
        tools::define::{NamedEntry, named_entry, register},
    },
};

/// `defAgent(name, description, inputSchema, (args, child) => …, options?)`, or with `[agent(…), …]` in place of the
/// last three for one tool that runs several. `options`: `model`, `system`, `responseSchema`, `plugins` and call
/// settings; what is unset is inherited. Throws a `TypeError` that names the agent and the argument. Returns a
/// reference. Rules: docs/reference.md, "Agents".
pub(crate) fn def_agent(call: Call<'_>) -> Result<Value<'_>> {
    let NamedEntry { name, description, entry, .. } = named_entry(&call, DefinitionKind::DefAgent, "agent")?;
    register(&call, &name, ToolDefinition::new(DefinitionKind::DefAgent, description), entry)
}
