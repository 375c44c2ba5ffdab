//! What is to be written to a terminal on which a question stands. Must not know the question.

/// Something that comes on the screen when the question is answered, and how.
pub(super) enum Held {
    /// Text of the model.
    Text(String),
    /// What the script prints.
    Script(String),
    ScriptBytes(Vec<u8>),
    /// Text for stderr.
    Stderr(String),
    StderrBytes(Vec<u8>),
    /// The end of a line that was begun.
    EndOfLine,
}
