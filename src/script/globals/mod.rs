//! The native halves of the web and Node globals and modules (SPEC 1).
//!
//! Owns: one file per area, each a set of plain functions handed to the JavaScript half (`runtime-js/src/`) as the internal
//! module `lmthing:internal/native/<area>`, so that nothing of it is reachable from `globalThis`. The JavaScript half checks
//! arguments and has the faces users know; here, strings and bytes come in and plain values go out. Must not know: prompts,
//! sessions, providers.

mod bytes;
mod crypto;
mod encoding;
mod fetch;
mod fs;
mod fs_operations;
mod os;
mod url;

use rquickjs::{Ctx, Object, Result};

pub(crate) use bytes::Bytes;

/// A native half: its internal module name and the function that makes its exports.
pub(crate) type NativeModule = (&'static str, for<'js> fn(&Ctx<'js>) -> Result<Object<'js>>);

/// Every native half, by the name the JavaScript half imports.
pub(crate) const NATIVE_MODULES: &[NativeModule] = &[
    ("lmthing:internal/native/crypto", crypto::exports),
    ("lmthing:internal/native/encoding", encoding::exports),
    ("lmthing:internal/native/fetch", fetch::exports),
    ("lmthing:internal/native/fs", fs::exports),
    ("lmthing:internal/native/os", os::exports),
    ("lmthing:internal/native/url", url::exports),
];

/// Globals that load their builtin module on first read: global name, module. The export has the global's name.
pub(crate) const LAZY_GLOBALS: &[(&str, &str)] = &[
    ("URL", "lmthing:internal/web/url"),
    ("URLSearchParams", "lmthing:internal/web/url"),
    ("TextEncoder", "lmthing:internal/web/encoding"),
    ("TextDecoder", "lmthing:internal/web/encoding"),
    ("TextEncoderStream", "lmthing:internal/web/encoding-streams"),
    ("TextDecoderStream", "lmthing:internal/web/encoding-streams"),
    ("Event", "lmthing:internal/web/events"),
    ("EventTarget", "lmthing:internal/web/events"),
    ("CustomEvent", "lmthing:internal/web/events"),
    ("AbortController", "lmthing:internal/web/events"),
    ("AbortSignal", "lmthing:internal/web/events"),
    ("ReadableStream", "lmthing:internal/web/streams"),
    ("ReadableStreamDefaultReader", "lmthing:internal/web/streams"),
    ("ReadableStreamDefaultController", "lmthing:internal/web/streams"),
    ("ReadableStreamBYOBReader", "lmthing:internal/web/streams"),
    ("ReadableStreamBYOBRequest", "lmthing:internal/web/streams"),
    ("ReadableByteStreamController", "lmthing:internal/web/streams"),
    ("WritableStream", "lmthing:internal/web/streams"),
    ("WritableStreamDefaultWriter", "lmthing:internal/web/streams"),
    ("WritableStreamDefaultController", "lmthing:internal/web/streams"),
    ("TransformStream", "lmthing:internal/web/streams"),
    ("TransformStreamDefaultController", "lmthing:internal/web/streams"),
    ("ByteLengthQueuingStrategy", "lmthing:internal/web/streams"),
    ("CountQueuingStrategy", "lmthing:internal/web/streams"),
    ("Blob", "lmthing:internal/web/blob"),
    ("File", "lmthing:internal/web/blob"),
    ("FormData", "lmthing:internal/web/form-data"),
    ("Headers", "lmthing:internal/web/headers"),
    ("Request", "lmthing:internal/web/fetch"),
    ("Response", "lmthing:internal/web/fetch"),
    ("fetch", "lmthing:internal/web/fetch"),
    ("structuredClone", "lmthing:internal/web/structured-clone"),
    ("crypto", "lmthing:internal/web/crypto"),
    ("Crypto", "lmthing:internal/web/crypto"),
    ("CryptoKey", "lmthing:internal/web/crypto"),
    ("SubtleCrypto", "lmthing:internal/web/crypto"),
    ("Buffer", "node:buffer"),
];
