//! What lmthing uses of the operating system: HTTP connections, processes, threads, files, and a Restate server.

pub mod attachment;
pub mod files;
pub mod http;
pub mod process;
pub mod remote;
pub mod threads;
pub mod user_file;
