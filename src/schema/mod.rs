//! JSON Schema: TypeScript types printed from it, and values validated against it.
//!
//! Owns: turning a schema (as zod 4's `toJSONSchema` or a script author wrote it) into text a model can read and a
//! compiler can check, and turning validation failures into words. Must not know: prompts, JavaScript, the sandbox.

mod references;
mod typescript;
mod validate;

pub(crate) use references::check_references;
pub(crate) use typescript::TypePrinter;
pub(crate) use typescript::{doc_comment, indent, is_identifier, pascal_case};
pub(crate) use validate::{Problem, Validator, describe_problems};
