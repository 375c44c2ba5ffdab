/// Output that is deferred while a question is on the screen.
pub(super) enum Held {
    /// Text of the model.
    Text(String),
    /// What the script prints.
    Script(String),
    ScriptBytes(Vec<u8>),
    Stderr(String),
    StderrBytes(Vec<u8>),
    /// The end of a line that was begun.
    EndOfLine,
}
