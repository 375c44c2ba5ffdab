//! What a script may be asked about before it does it, and the words of a refusal. Must not know what is allowed.

/// Something that reaches out of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'a> {
    /// Talks to a host, looks its name up, or listens. What is asked: an origin, a name, `host:port`, a socket's path.
    Network(&'a str),
    /// Starts a program, or sends a signal to one: its file, or its number.
    Run(&'a str),
    /// Reads what this path leads to.
    Read(&'a str),
    /// Reads what is at this path itself, be it a link.
    ReadEntry(&'a str),
    /// Makes or changes what this path leads to.
    Write(&'a str),
    /// Makes, changes or removes what is at this path itself, be it a link.
    WriteEntry(&'a str),
    /// Reads a variable of the environment.
    Env(&'a str),
    /// Reaches another process, such as by a signal: in words.
    Signal(&'a str),
    /// Changes something of the whole process, such as its working directory: in words.
    Process(&'a str),
}

/// Why an access is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Who refuses what: `check renders without network: access to https://example.org is refused`.
    pub message: String,
}
