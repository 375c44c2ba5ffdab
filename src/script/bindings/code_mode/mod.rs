//! Functions the model calls from TypeScript that it writes: `defFunction`, `defFunctionAgent`, `defMethod`.
//! Must not know how code is checked and confined: that is `code` and `sandbox`.

pub(crate) mod declare;
pub(crate) mod functions;
pub(crate) mod methods;
mod run_code;
pub(crate) mod search;
