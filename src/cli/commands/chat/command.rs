//! The commands of a conversation, typed as `/word`.

use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Show the model, or take another one.
    Model(Option<String>),
    /// Show the text that is added to the system prompt, or replace it.
    System(Option<String>),
    /// Take back the last message with all that followed.
    Undo,
    /// Ask the last message again.
    Retry,
    Cost,
    View,
    Save(PathBuf),
    Help,
    Exit,
}
