//! Natives of `lmthing/test` for test files. The one room above running prompts: tests run them.

pub(crate) mod run;
