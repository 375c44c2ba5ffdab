//! lmthing: a runner for scripted LLM prompts.
//!
//! Rooms, and which way the arrows point (`tests/architecture.rs` holds it):
//!
//! - [`cli`] – arguments, printer, one file per command
//! - [`session`] – one run from file to result: step loop, tool dispatch, agents
//! - [`script`] – the prompt file's QuickJS: loader, globals, bindings; the `'js` lifetime lives here
//! - [`prompt`] – engine-free model of a prompt: definitions, messages, reconciliation, rendering
//! - [`plugin`] – engine-free built-in plugins: task list, task graph
//! - [`provider`] – the language models
//! - [`code`], [`sandbox`] – TypeScript that the model writes: checked, then run in a worker process
//! - [`chat`], [`schema`], [`diagnostic`] – plain types everybody shares
//!
//! `cli → session → {prompt, plugin, provider, code, sandbox, script} → {chat, schema, diagnostic}`. The engine-free rooms
//! never import `script`.

pub mod chat;
pub mod cli;
pub mod code;
pub mod diagnostic;
pub mod http;
pub mod plugin;
pub mod prompt;
pub mod provider;
pub mod sandbox;
pub mod schema;
pub mod script;
pub mod session;
