//! gzip, zlib and raw deflate streams.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::codec::{Codec, CodecError, CodecResult, Flush};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Gzip,
    Zlib,
    Raw,
}

const OUTPUT_CHUNK: usize = 32 * 1024;

const DEFAULT_LEVEL: u32 = 6;

fn compression(level: i32) -> Compression {
    Compression::new(u32::try_from(level).map_or(DEFAULT_LEVEL, |level| level.min(9)))
}

pub(super) struct Deflater {
    state: Compress,
    make: Box<dyn Fn() -> Compress>,
}

impl Deflater {
    pub(super) fn new(format: Format, level: i32, window_bits: u8, dictionary: Option<Vec<u8>>) -> Self {
        // zlib, too, replaces a window of 256 bytes by 512.
        let window_bits = window_bits.clamp(9, 15);
        let make = move || {
            let mut state = match format {
                Format::Gzip => Compress::new_gzip(compression(level), window_bits),
                Format::Zlib => Compress::new_with_window_bits(compression(level), true, window_bits),
                Format::Raw => Compress::new_with_window_bits(compression(level), false, window_bits),
            };
            if let Some(dictionary) = &dictionary {
                // gzip has no header field for a dictionary.
                let _ = state.set_dictionary(dictionary);
            }
            state
        };
        Self { state: make(), make: Box::new(make) }
    }
}

impl Codec for Deflater {
    fn process(&mut self, input: &[u8], flush: Flush) -> CodecResult {
        let flush = match flush {
            Flush::None => FlushCompress::None,
            Flush::Partial => FlushCompress::Partial,
            Flush::Sync => FlushCompress::Sync,
            Flush::Full => FlushCompress::Full,
            Flush::Finish => FlushCompress::Finish,
        };
        let begin = self.state.total_in();
        let mut output = Vec::new();
        loop {
            let taken = usize::try_from(self.state.total_in() - begin).unwrap_or(input.len());
            output.reserve(OUTPUT_CHUNK);
            let status = self
                .state
                .compress_vec(&input[taken..], &mut output, flush)
                .map_err(|error| CodecError::new("Z_STREAM_ERROR", -2, &error.to_string()))?;
            // The output buffer is not full, so there is no more output.
            if status == Status::StreamEnd || output.len() < output.capacity() {
                return Ok(output);
            }
        }
    }

    fn reset(&mut self) {
        self.state = (self.make)();
    }
}

pub(super) struct Inflater {
    /// `None` until the first bytes show whether it is gzip or zlib.
    format: Option<Format>,
    given_format: Option<Format>,
    window_bits: u8,
    dictionary: Option<Vec<u8>>,
    state: Option<Decompress>,
    /// The first byte, until the second arrives.
    first_byte: Vec<u8>,
    ended: bool,
}

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

impl Inflater {
    pub(super) fn new(format: Option<Format>, window_bits: u8, dictionary: Option<Vec<u8>>) -> Self {
        let window_bits = if window_bits == 0 { 15 } else { window_bits.clamp(9, 15) };
        let first_byte = Vec::new();
        Self { format, given_format: format, window_bits, dictionary, state: None, first_byte, ended: false }
    }

    /// Creates the state for the next member; `false` while the format is unknown.
    fn begin(&mut self, input: &[u8]) -> Result<bool, CodecError> {
        if self.state.is_some() {
            return Ok(true);
        }
        if self.format.is_none() {
            match input {
                [] => return Ok(false),
                [first] if *first == GZIP_MAGIC[0] => return Ok(false),
                _ if input.starts_with(&GZIP_MAGIC) => self.format = Some(Format::Gzip),
                _ => self.format = Some(Format::Zlib),
            }
        }
        let mut state = match self.format {
            Some(Format::Gzip) => Decompress::new_gzip(self.window_bits),
            format => Decompress::new_with_window_bits(format != Some(Format::Raw), self.window_bits),
        };
        if let (Some(Format::Raw), Some(dictionary)) = (self.format, &self.dictionary) {
            state.set_dictionary(dictionary).map_err(|_| CodecError::new("Z_STREAM_ERROR", -2, "Bad dictionary"))?;
        }
        self.state = Some(state);
        Ok(true)
    }

    /// Decompresses until the input or the member ends; returns the number of bytes consumed.
    fn member(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<usize, CodecError> {
        let Some(state) = &mut self.state else { return Ok(0) };
        let begin = state.total_in();
        loop {
            let taken = usize::try_from(state.total_in() - begin).unwrap_or(input.len());
            output.reserve(OUTPUT_CHUNK);
            match state.decompress_vec(&input[taken..], output, FlushDecompress::None) {
                Ok(Status::StreamEnd) => {
                    self.ended = true;
                    return Ok(usize::try_from(state.total_in() - begin).unwrap_or(input.len()));
                }
                Ok(_) if output.len() < output.capacity() => return Ok(input.len()),
                Ok(_) => {}
                Err(error) if error.needs_dictionary().is_some() => {
                    let Some(dictionary) = &self.dictionary else {
                        return Err(CodecError::new("Z_NEED_DICT", 2, "Missing dictionary"));
                    };
                    let refused = state.set_dictionary(dictionary).is_err();
                    if refused {
                        return Err(CodecError::new("Z_NEED_DICT", 2, "Bad dictionary"));
                    }
                }
                Err(error) => {
                    let message = error.message().unwrap_or("invalid data");
                    return Err(CodecError::new("Z_DATA_ERROR", -3, message));
                }
            }
        }
    }
}

impl Codec for Inflater {
    fn process(&mut self, input: &[u8], flush: Flush) -> CodecResult {
        let mut output = Vec::new();
        let joined = [std::mem::take(&mut self.first_byte).as_slice(), input].concat();
        let mut rest = joined.as_slice();
        loop {
            if self.ended {
                // gzip files may hold several members and trailing zeros; after the end of other formats the input is
                // ignored.
                if self.format != Some(Format::Gzip) || rest.first().is_none_or(|byte| *byte == 0) {
                    return Ok(output);
                }
                self.ended = false;
                self.state = None;
            }
            if !self.begin(rest)? {
                self.first_byte = rest.to_vec();
                break;
            }
            let taken = self.member(rest, &mut output)?;
            rest = &rest[taken..];
            if rest.is_empty() && !self.ended {
                break;
            }
        }
        if flush == Flush::Finish && !self.ended { Err(CodecError::cut_off()) } else { Ok(output) }
    }

    fn reset(&mut self) {
        *self = Self::new(self.given_format, self.window_bits, self.dictionary.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(format: Format, bytes: &[u8]) -> Vec<u8> {
        Deflater::new(format, -1, 15, None).process(bytes, Flush::Finish).unwrap_or_default()
    }

    #[test]
    fn what_is_packed_is_unpacked_byte_by_byte() {
        let text = b"again and again and again".repeat(5000);
        for format in [Format::Gzip, Format::Zlib, Format::Raw] {
            let packed = pack(format, &text);
            assert!(packed.len() < 1000);
            let auto = if format == Format::Raw { Some(format) } else { None };
            let mut inflater = Inflater::new(auto, 15, None);
            let mut all = Vec::new();
            for byte in &packed {
                all.extend(inflater.process(&[*byte], Flush::None).unwrap_or_default());
            }
            assert_eq!(all, text);
        }
    }

    #[test]
    fn failures_have_zlibs_codes_and_messages() {
        let fails = |format, bytes: &[u8]| match Inflater::new(format, 15, None).process(bytes, Flush::Finish) {
            Ok(_) => String::new(),
            Err(error) => format!("{} {} {}", error.code, error.number, error.message),
        };
        assert_eq!(fails(Some(Format::Gzip), b"plain text"), "Z_DATA_ERROR -3 incorrect header check");
        let packed = pack(Format::Gzip, b"some text");
        assert_eq!(fails(None, &packed[..12]), "Z_BUF_ERROR -5 unexpected end of file");
        assert_eq!(fails(None, b""), "Z_BUF_ERROR -5 unexpected end of file");
        assert_eq!(fails(None, &[packed.as_slice(), &[0; 9]].concat()), "");
    }
}
