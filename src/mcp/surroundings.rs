//! What connections need of the run they are in. Must not know what they do with it.

use std::path::PathBuf;

use crate::{http::Network, permission::FileRights};

/// Finds a variable.
pub(crate) type Variable = Box<dyn Fn(&str) -> Option<String>>;

/// What connections need of the run they are in.
pub(crate) struct Surroundings {
    /// The program to start the keeper with: this one.
    pub(crate) keeper: PathBuf,
    /// What servers that are programs may do with files; everything unless set.
    pub(crate) rights: Box<dyn Fn() -> Option<FileRights>>,
    /// The variables of the run that servers may get.
    pub(crate) variable: Variable,
    /// How connections to other machines are made.
    pub(crate) network: Box<dyn Fn() -> Network>,
}
