//! A client of the Model Context Protocol: connections to servers, their tools, and calls.

mod config_file;
mod connection;
mod failure_messages;
mod hub;
mod names;
mod notifications;
mod pending_requests;
mod secrets;
mod server;
mod server_process;
mod session;
#[cfg(unix)]
pub mod supervisor;
mod tool_call_result;
mod tool_filter;
mod tools;

pub(crate) use config_file::{ServerFile, ServerLookup, find_in_files, parse_server};
pub(crate) use connection::{Connection, Timeouts};
pub(crate) use hub::{Hub, McpEnvironment};
pub(crate) use names::{UniqueNames, function_name, tool_name};
pub(crate) use notifications::ToolProgress;
pub(crate) use server::{Program, Server};
pub(crate) use tool_call_result::{McpContent, ToolCallResult};
pub(crate) use tool_filter::ToolFilter;
pub(crate) use tools::{McpTool, ToolList};
