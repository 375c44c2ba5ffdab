//! Writes a run as one self-contained HTML page, for `lmthing view` (docs/reference/view.md). The page is built from
//! `runtime-js/pages/view/`. That of `lmthing eval` is filled in the same way.

mod run_lines;
mod template;

pub use run_lines::RunLines;
pub use template::{fill, write};
