//! JSON Schema: TypeScript types printed from it, and values validated against it.

mod references;
mod typescript;
mod validate;

pub(crate) use references::check_references;
pub(crate) use typescript::TypePrinter;
pub(crate) use typescript::{doc_comment, indent, is_identifier, pascal_case};
pub(crate) use validate::{ValidationProblem, Validator, describe_problems};
