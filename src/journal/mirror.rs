//! The door to whoever keeps entries elsewhere as well. Must not know where.

use crate::checkpoint::Stored;

/// Who keeps what was done elsewhere as well, where other machines find it, and is handed it when it is written here.
pub(crate) trait Mirror {
    /// An entry is written, as this text. `is_over` says that with it a step is over.
    fn kept(&self, key: &str, text: String, is_over: bool);

    /// See [`crate::checkpoint::Checkpoints::stored`].
    fn stored(&self) -> Option<Stored>;
}
