//! Prompt files as tools of a server of the Model Context Protocol, over standard input and output or over HTTP.
//!
//! Owns: what of a file is in a tool, what of a call is in an answer, who may ask over HTTP, and when whoever asked has gone.
//!
//! Must not know: how files are found, described and run; only [`super::PromptFiles`].

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
