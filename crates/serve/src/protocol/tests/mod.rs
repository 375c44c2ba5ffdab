//! The protocol over fake files: requests and responses line by line.

mod fake;
mod http;
mod stdio;
