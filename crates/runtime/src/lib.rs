//! The JavaScript half of lmthing, made from `runtime-js/` at build time: built-in modules as bytecode, declarations, and the pages of
//! `lmthing view` and `lmthing eval`.
//!
//! Only the program depends on this crate, so that a change of JavaScript compiles no other Rust.

mod bytecode;

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::DeflateDecoder;

pub use bytecode::load;

/// The declarations of the modules and globals of prompt files, as a compressed archive.
pub static DECLARATIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/declarations.bin"));

/// The page of `lmthing view`, compressed, without its events.
pub static VIEW: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/view.bin"));

/// The page of `lmthing eval --format html`, compressed, without its reports.
pub static EVAL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/eval.bin"));

include!(concat!(env!("OUT_DIR"), "/builtins.rs"));

/// One entry of `runtime-js/builtins.json`, bundled and compiled.
struct Builtin {
    stored: &'static [u8],
    /// The length of the bytecode if it is stored compressed, else 0.
    length: usize,
    unpacked: OnceLock<Vec<u8>>,
}

impl Builtin {
    const fn new(stored: &'static [u8], length: usize) -> Self {
        Builtin { stored, length, unpacked: OnceLock::new() }
    }

    /// The bytecode; decompressed once for all engines of the process.
    fn bytecode(&'static self) -> &'static [u8] {
        if self.length == 0 {
            return self.stored;
        }
        self.unpacked.get_or_init(|| {
            let mut bytecode = Vec::with_capacity(self.length);
            DeflateDecoder::new(self.stored).read_to_end(&mut bytecode).expect("the build script compressed it");
            bytecode
        })
    }
}
