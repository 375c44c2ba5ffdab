//! `defAgent`: tools that run a child prompt. Function agents of code mode run their children here too. Must
//! not know the step loop: a child is run through `services`.

pub(crate) mod call;
pub(crate) mod child;
pub(crate) mod define;
