//! Brotli compression and decompression.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use brotli::enc::{BrotliEncoderParams, StandardAlloc, backward_references::BrotliEncoderMode};
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState, CompressorWriter};

use super::codec::{Codec, CodecError, CodecResult, Flush};

const OUTPUT_CHUNK: usize = 32 * 1024;

#[derive(Clone, Copy)]
pub(super) struct BrotliSettings {
    pub(super) quality: i32,
    pub(super) window_bits: i32,
    pub(super) mode: u32,
    pub(super) size_hint: usize,
}

/// The encoder's output; its writer returns the buffer only when it is finished.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) struct BrotliEncoder {
    settings: BrotliSettings,
    output: Shared,
    /// `None` once the stream is finished.
    writer: Option<CompressorWriter<Shared>>,
}

impl BrotliEncoder {
    pub(super) fn new(settings: BrotliSettings) -> Self {
        let output = Shared::default();
        let mode = match settings.mode {
            1 => BrotliEncoderMode::BROTLI_MODE_TEXT,
            2 => BrotliEncoderMode::BROTLI_MODE_FONT,
            _ => BrotliEncoderMode::BROTLI_MODE_GENERIC,
        };
        let parameters = BrotliEncoderParams {
            quality: settings.quality.clamp(0, 11),
            lgwin: settings.window_bits.clamp(10, 24),
            mode,
            size_hint: settings.size_hint,
            ..BrotliEncoderParams::default()
        };
        let writer = CompressorWriter::with_params(output.clone(), OUTPUT_CHUNK, &parameters);
        Self { settings, output, writer: Some(writer) }
    }
}

impl Codec for BrotliEncoder {
    fn process(&mut self, input: &[u8], flush: Flush) -> CodecResult {
        let failed = |error: io::Error| CodecError::new("ERR_BROTLI_COMPRESSION_FAILED", -1, &error.to_string());
        if let Some(writer) = &mut self.writer {
            writer.write_all(input).map_err(failed)?;
            match flush {
                Flush::None => {}
                Flush::Finish => drop(self.writer.take()),
                Flush::Partial | Flush::Sync | Flush::Full => writer.flush().map_err(failed)?,
            }
        }
        Ok(self.output.0.take())
    }

    fn reset(&mut self) {
        *self = Self::new(self.settings);
    }
}

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub(super) struct BrotliDecoder {
    state: Box<State>,
    ended: bool,
}

fn new_state() -> Box<State> {
    Box::new(BrotliState::new(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default()))
}

impl BrotliDecoder {
    pub(super) fn new() -> Self {
        Self { state: new_state(), ended: false }
    }
}

impl Codec for BrotliDecoder {
    fn process(&mut self, input: &[u8], flush: Flush) -> CodecResult {
        let mut output = Vec::new();
        let (mut left, mut place) = (input.len(), 0);
        while !self.ended {
            let mut part = vec![0; OUTPUT_CHUNK];
            let (mut room, mut written, mut total) = (part.len(), 0, 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut place,
                input,
                &mut room,
                &mut written,
                &mut part,
                &mut total,
                &mut self.state,
            );
            output.extend_from_slice(&part[..written]);
            match result {
                BrotliResult::ResultSuccess => self.ended = true,
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::NeedsMoreInput if flush == Flush::Finish => return Err(CodecError::cut_off()),
                BrotliResult::NeedsMoreInput => break,
                BrotliResult::ResultFailure => {
                    // Node shows the error names of the C library.
                    let name = format!("{:?}", self.state.error_code);
                    let code = name.replacen("BROTLI_DECODER", "ERR_", 1);
                    return Err(CodecError::new(&code, self.state.error_code as i32, "Decompression failed"));
                }
            }
        }
        Ok(output)
    }

    fn reset(&mut self) {
        *self = Self::new();
    }
}
