//! JSON Schema: TypeScript types printed from it, and values validated against it.

mod references;
mod typescript;
mod validate;

pub use references::{TooManyChecks, check_references};
pub use typescript::TypePrinter;
pub use typescript::{doc_comment, indent, is_identifier, pascal_case};
pub use validate::{InvalidSchema, ProblemKind, ValidationProblem, Validator, describe_problems, json_type};
