//! TODO

pub mod files;
pub mod http;
pub mod process;
pub mod remote;
pub mod threads;
pub mod user_file;
