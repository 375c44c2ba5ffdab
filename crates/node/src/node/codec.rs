//! Interface and errors of the compression codecs.

/// A codec's failure with zlib's name, number and message.
pub(super) struct CodecError {
    pub(super) code: String,
    pub(super) number: i32,
    pub(super) message: String,
}

impl CodecError {
    pub(super) fn new(code: &str, number: i32, message: &str) -> Self {
        Self { code: code.to_owned(), number, message: message.to_owned() }
    }

    /// The input ended too early.
    pub(super) fn cut_off() -> Self {
        Self::new("Z_BUF_ERROR", -5, "unexpected end of file")
    }
}

pub(super) type CodecResult = std::result::Result<Vec<u8>, CodecError>;

/// zlib's flush modes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    None,
    Partial,
    Sync,
    Full,
    Finish,
}

impl Flush {
    pub(super) fn of_zlib(number: u32) -> Self {
        match number {
            0 => Self::None,
            1 => Self::Partial,
            // Z_BLOCK flushes less than Z_SYNC_FLUSH; flushing more is allowed.
            2 | 5 => Self::Sync,
            3 => Self::Full,
            _ => Self::Finish,
        }
    }

    pub(super) fn of_brotli(number: u32) -> Self {
        match number {
            0 => Self::None,
            1 => Self::Sync,
            _ => Self::Finish,
        }
    }
}

pub(super) trait Codec {
    /// Consumes all of `input`; returns the output available so far.
    fn process(&mut self, input: &[u8], flush: Flush) -> CodecResult;

    fn reset(&mut self);
}
