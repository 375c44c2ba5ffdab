//! `defAgent`: tools that run a child prompt. Function agents of code mode run their children here too.

pub(crate) mod call;
pub(crate) mod child;
pub(crate) mod define;
mod response;
