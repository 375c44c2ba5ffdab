//! A run as one HTML page that loads nothing: what `lmthing view` writes (docs/view.md).
//!
//! Owns: which lines of a file are a run's ([`Told`]), and putting them into the page, so that nothing of them can become a
//! part of it ([`write`]). The page itself is made of `runtime-js/view/` at build time. Must not know: where lines come from,
//! where the page goes, what events mean.

mod lines;
mod template;

pub(crate) use lines::Told;
pub(crate) use template::write;
