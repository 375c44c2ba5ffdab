//! Functions that the model calls from the TypeScript it writes: `defFunction`, `defFunctionAgent`, `defMethod`.

pub mod declare;
pub mod functions;
pub mod methods;
mod run_code;
pub mod search;
