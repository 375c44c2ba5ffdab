//! Functions that the model calls from the TypeScript it writes: `defFunction`, `defFunctionAgent`, `defMethod`.

pub(crate) mod declare;
pub(crate) mod functions;
pub(crate) mod methods;
mod run_code;
pub(crate) mod search;
