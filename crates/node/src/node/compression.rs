//! Native half of `node:zlib`: one codec object for each stream.

use std::cell::RefCell;

use rquickjs::{Ctx, Function, Object, Result};

use super::brotli_codec::{BrotliDecoder, BrotliEncoder, BrotliSettings};
use super::codec::{Codec, CodecResult, Flush};
use super::deflate_codec::{Deflater, Format, Inflater};
use crate::globals::Bytes;
use crate::native_module::NativeModule;

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/compression", init: exports };

fn outcome<'js>(ctx: &Ctx<'js>, result: CodecResult) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    match result {
        Ok(bytes) => object.set("value", Bytes(bytes))?,
        Err(error) => {
            object.set("code", error.code)?;
            object.set("number", error.number)?;
            object.set("message", error.message)?;
        }
    }
    Ok(object)
}

/// `{process(bytes, flush), reset()}`; `process` returns `{value}` or `{code, number, message}`.
fn codec_object<'js>(ctx: Ctx<'js>, codec: Box<dyn Codec>, flush_of: fn(u32) -> Flush) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let codec = std::rc::Rc::new(RefCell::new(codec));
    let own = codec.clone();
    let process = move |ctx: Ctx<'js>, input: Bytes, flush: u32| {
        outcome(&ctx, own.borrow_mut().process(&input.0, flush_of(flush)))
    };
    object.set("process", Function::new(ctx.clone(), process)?)?;
    object.set("reset", Function::new(ctx, move || codec.borrow_mut().reset())?)?;
    Ok(object)
}

/// `open(mode, level, windowBits, dictionary?)`, where the mode is zlib's name: `gzip`, `inflateRaw`, `unzip`, …
fn open<'js>(
    ctx: Ctx<'js>,
    mode: String,
    level: i32,
    window_bits: u8,
    dictionary: Option<Bytes>,
) -> Result<Object<'js>> {
    let dictionary = dictionary.map(|bytes| bytes.0);
    let codec: Box<dyn Codec> = match mode.as_str() {
        "gzip" => Box::new(Deflater::new(Format::Gzip, level, window_bits, dictionary)),
        "deflate" => Box::new(Deflater::new(Format::Zlib, level, window_bits, dictionary)),
        "deflateRaw" => Box::new(Deflater::new(Format::Raw, level, window_bits, dictionary)),
        "gunzip" => Box::new(Inflater::new(Some(Format::Gzip), window_bits, dictionary)),
        "inflate" => Box::new(Inflater::new(Some(Format::Zlib), window_bits, dictionary)),
        "inflateRaw" => Box::new(Inflater::new(Some(Format::Raw), window_bits, dictionary)),
        _ => Box::new(Inflater::new(None, window_bits, dictionary)),
    };
    codec_object(ctx, codec, Flush::of_zlib)
}

/// `openBrotli(packs, quality, windowBits, mode, sizeHint)`.
fn open_brotli<'js>(
    ctx: Ctx<'js>,
    packs: bool,
    quality: i32,
    window_bits: i32,
    mode: u32,
    size_hint: usize,
) -> Result<Object<'js>> {
    let settings = BrotliSettings { quality, window_bits, mode, size_hint };
    let codec: Box<dyn Codec> =
        if packs { Box::new(BrotliEncoder::new(settings)) } else { Box::new(BrotliDecoder::new()) };
    codec_object(ctx, codec, Flush::of_brotli)
}

/// Continues the checksum `start`.
fn crc32(bytes: Bytes, start: f64) -> f64 {
    let mut hasher = crc32fast::Hasher::new_with_initial(start as u32);
    hasher.update(&bytes.0);
    f64::from(hasher.finalize())
}

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("open", Function::new(ctx.clone(), open)?)?;
    exports.set("openBrotli", Function::new(ctx.clone(), open_brotli)?)?;
    exports.set("crc32", Function::new(ctx.clone(), crc32)?)?;
    Ok(exports)
}
