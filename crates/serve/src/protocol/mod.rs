//! Prompt files as tools of an MCP server, over standard input and output or HTTP.

mod draining;
mod handler;
mod http;
mod line_transport;
mod request_id_scanner;
mod stdio;
#[cfg(test)]
mod tests;
mod tools;

pub use http::{BearerToken, HttpServer};
pub use stdio::serve_stdio;
