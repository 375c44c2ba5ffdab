//! The kinds of access that are checked, and refusals.

/// An access to something outside the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'a> {
    /// Connecting to a host, resolving its name, or listening: an origin, a name, `host:port`, or the path of a socket.
    Network(&'a str),
    Run(&'a str),
    /// Reading a file or folder; links are followed.
    Read(&'a str),
    /// Reading what is at the path; a link at its end is not followed.
    ReadEntry(&'a str),
    /// Creating or changing a file or folder; links are followed.
    Write(&'a str),
    /// Creating, changing or removing what is at the path; a link at its end is not followed.
    WriteEntry(&'a str),
    Env(&'a str),
    /// Reaching another process, such as by a signal; holds a description for the message.
    Signal(&'a str),
    /// Changing the process, such as its working directory; holds a description for the message.
    Process(&'a str),
}

/// A refused access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessDenied {
    /// For example `check renders without network: access to https://example.org is refused`.
    pub message: String,
}
