//! Answers that must be JSON of a schema: reading them when they are complete and while they come
//! (docs/reference/typed-output.md).

mod element;
mod partial;
mod partial_schema;
mod scanner;
mod shape;
#[cfg(test)]
mod tests;

pub use element::ElementCheck;
pub use partial::{PartialAnswer, PartialElement, PartialValue, SizeBudget, extends};
pub use shape::{ANSWER_SECTION, AnswerCheck, AnswerShape, FoundJson, NoJson, correction};
