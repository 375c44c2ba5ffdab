//! Prompt files as tools of an MCP server, over standard input and output or HTTP.

mod answer;
mod handler;
mod http;
mod lines;
mod patient;
mod scan;
mod stdio;
#[cfg(test)]
mod tests;

pub(crate) use http::{HttpServer, Token};
pub(crate) use stdio::serve_stdio;
