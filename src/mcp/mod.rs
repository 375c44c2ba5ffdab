//! Servers of the Model Context Protocol, as a client: connections, their tools as plain data, calls.
//!
//! Owns: where a server is ([`Server`]), files that name servers, starting and ending servers that are programs, one connection
//! for each server of a run ([`Hub`]), names that providers and TypeScript take, and what an answer is worth.
//!
//! Must not know: JavaScript, prompts, models, who asks.

mod answer;
mod child;
mod config_file;
mod connection;
mod failure;
mod flight;
mod handler;
mod hub;
#[cfg(unix)]
pub mod keeper;
mod lists;
mod live;
mod names;
mod pattern;
mod secrets;
mod server;
mod surroundings;

pub(crate) use answer::{Answer, AnswerPart};
pub(crate) use config_file::{Lookup, ServerFile, find_in_files, server_of};
pub(crate) use connection::{Connection, Timeouts};
pub(crate) use handler::ToolProgress;
pub(crate) use hub::Hub;
pub(crate) use lists::{McpTool, ToolList};
pub(crate) use names::{Names, function_name, tool_name};
pub(crate) use pattern::Patterns;
pub(crate) use server::{Program, Server};
pub(crate) use surroundings::Surroundings;
