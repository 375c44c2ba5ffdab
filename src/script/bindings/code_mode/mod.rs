//! Functions the model calls from TypeScript that it writes: `defFunction`, `defFunctionAgent`, `defMethod`.

mod declare;
pub(crate) mod functions;
pub(crate) mod methods;
mod run_code;
