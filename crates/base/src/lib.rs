//! Data types and rules that all other crates share: messages, events, logs, costs, input, permissions, schemas.

pub mod answer;
pub mod cache;
pub mod chat;
pub mod checkpoint;
pub mod cost;
pub mod diagnostic;
pub mod event;
pub mod input;
pub mod parser;
pub mod permission;
pub mod schema;
