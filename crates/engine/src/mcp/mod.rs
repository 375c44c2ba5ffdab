//! A client of the Model Context Protocol: connections to servers, their tools, and calls.

mod config_file;
mod connection;
mod environment;
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

pub use config_file::{ServerFile, ServerLookup, find_in_files, parse_server};
pub use connection::{Connection, McpError, Timeouts};
pub use environment::McpEnvironment;
pub use hub::Hub;
pub use names::{UniqueNames, function_name, is_tool_name, tool_name};
pub use notifications::ToolProgress;
pub use server::{InvalidServer, Program, Server};
pub use tool_call_result::{McpContent, ToolCallResult};
pub use tool_filter::ToolFilter;
pub use tools::{McpTool, ToolList};
