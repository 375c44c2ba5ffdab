//! Native half of `TextEncoder` and `TextDecoder`, using `encoding_rs`.

use std::cell::RefCell;

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding};
use rquickjs::{Ctx, Function, Object, Result, function::Opt};

use super::bytes::Bytes;
use crate::native_module::NativeModule;

/// `decoder(label, fatal, ignoreBOM)`: `{encoding, decode(bytes, more)}`, or `undefined` for an unknown label.
///
/// `decode` returns the text, or `undefined` when the bytes are malformed and the decoder is fatal. `more` means that
/// the text continues in the next call; without it the decoder is reset afterwards.
fn decoder<'js>(ctx: Ctx<'js>, label: String, fatal: bool, ignore_bom: bool) -> Result<Option<Object<'js>>> {
    let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) else { return Ok(None) };
    let state: RefCell<Option<Decoder>> = RefCell::new(None);
    let decode = move |bytes: Bytes, more: bool| {
        let mut state = state.borrow_mut();
        let decoder = state.get_or_insert_with(|| new_decoder(encoding, ignore_bom));
        let text = decode_part(decoder, &bytes.0, !more, fatal);
        if !more || text.is_none() {
            *state = None;
        }
        text
    };
    let object = Object::new(ctx.clone())?;
    object.set("encoding", encoding.name().to_ascii_lowercase())?;
    object.set("decode", Function::new(ctx, decode)?)?;
    Ok(Some(object))
}

fn new_decoder(encoding: &'static Encoding, ignore_bom: bool) -> Decoder {
    if ignore_bom { encoding.new_decoder_without_bom_handling() } else { encoding.new_decoder_with_bom_removal() }
}

/// Decodes one part; `None` when the bytes are malformed and `fatal` is set.
fn decode_part(decoder: &mut Decoder, bytes: &[u8], last: bool, fatal: bool) -> Option<String> {
    // With this capacity one call decodes everything; the decoder would stop at a full buffer.
    let capacity = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len());
    let mut text = String::with_capacity(capacity);
    if fatal {
        let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, last);
        return matches!(result, DecoderResult::InputEmpty).then_some(text);
    }
    let (result, _, _) = decoder.decode_to_string(bytes, &mut text, last);
    debug_assert!(matches!(result, CoderResult::InputEmpty), "the capacity was the greatest possible");
    Some(text)
}

/// `decodeUtf8(bytes)`: lossy, keeps a byte order mark; used by `Buffer` and `fs`.
fn decode_utf8(bytes: Bytes) -> String {
    text(bytes.0)
}

/// Decodes UTF-8, with U+FFFD for invalid bytes.
pub(super) fn text(bytes: Vec<u8>) -> String {
    // Without a copy in the usual case of valid bytes.
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/encoding", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    let encode = |text: Opt<String>| Bytes(text.0.unwrap_or_default().into_bytes());
    exports.set("encodeUtf8", Function::new(ctx.clone(), encode)?)?;
    exports.set("decodeUtf8", Function::new(ctx.clone(), decode_utf8)?)?;
    exports.set("decoder", Function::new(ctx.clone(), decoder)?)?;
    Ok(exports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_anywhere_decodes_whole() {
        let bytes = "\u{feff}aä€😀".as_bytes();
        for cut in 0..=bytes.len() {
            let mut decoder = new_decoder(encoding_rs::UTF_8, false);
            let mut text = decode_part(&mut decoder, &bytes[..cut], false, true).expect("a prefix is not malformed");
            text += &decode_part(&mut decoder, &bytes[cut..], true, true).expect("the whole is not malformed");
            assert_eq!(text, "aä€😀", "cut at {cut}");
        }
    }

    #[test]
    fn malformed_bytes_fail_only_when_fatal() {
        let mut decoder = new_decoder(encoding_rs::UTF_8, false);
        assert_eq!(decode_part(&mut decoder, b"a\xff", true, true), None);
        let mut decoder = new_decoder(encoding_rs::UTF_8, false);
        assert_eq!(decode_part(&mut decoder, b"a\xff", true, false).as_deref(), Some("a\u{fffd}"));
    }
}
