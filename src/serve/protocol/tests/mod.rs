//! The protocol over files that are none: what a client says and hears, line by line.

mod fake;
mod http;
mod stdio;
