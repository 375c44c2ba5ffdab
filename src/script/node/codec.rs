//! What all codecs have in common.

/// A codec's failure, as zlib tells it: name, number and words.
pub(super) struct CodecError {
    pub(super) code: String,
    pub(super) number: i32,
    pub(super) message: String,
}

impl CodecError {
    pub(super) fn new(code: &str, number: i32, message: &str) -> Self {
        Self { code: code.to_owned(), number, message: message.to_owned() }
    }

    /// The input ended in the middle.
    pub(super) fn cut_off() -> Self {
        Self::new("Z_BUF_ERROR", -5, "unexpected end of file")
    }
}

pub(super) type CodecResult = std::result::Result<Vec<u8>, CodecError>;

/// What happens to what the codec keeps back, in zlib's numbers.
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
            // Z_BLOCK asks for less than a whole flush, and may be given more.
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
    /// Takes all of `input`; gives what there is to give.
    fn process(&mut self, input: &[u8], flush: Flush) -> CodecResult;

    /// Begins anew.
    fn reset(&mut self);
}
