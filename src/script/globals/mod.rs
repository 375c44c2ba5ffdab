//! The globals and native module halves that every prompt file gets. Each area is one file here (its Rust half) and one
//! built-in module in `runtime-js/` (its JavaScript half), tied together by the two tables below.
//!
//! The web and Node areas (docs/reference.md, "Prompt files") hand plain functions to their JavaScript halves as
//! `lmthing:internal/native/<area>`, so that nothing of it is reachable from `globalThis`. The JavaScript half checks
//! arguments and has the faces users know; here, strings and bytes come in and plain values go out.

mod bytes;
mod console;
mod crypto;
mod encoding;
mod fetch;
mod fs;
mod fs_attributes;
mod fs_descriptors;
mod fs_error;
mod fs_operations;
mod fs_watch;
mod inspect;
mod intl;
mod modules;
mod os;
mod process;
mod timers;
mod url;

use rquickjs::{Ctx, Result};

pub(super) use self::bytes::Bytes;
pub(crate) use self::process::environment;
pub use self::process::exit_code;
pub(super) use self::process::variable;
use super::lazy::{self, LazyGlobal};
use super::native_module::NativeModule;

/// Native halves of built-in modules; all are named `lmthing:internal/native/…`, out of reach for prompt files.
pub(super) const NATIVE_MODULES: &[NativeModule] = &[
    console::NATIVE,
    crypto::NATIVE,
    encoding::NATIVE,
    fetch::NATIVE,
    fs::NATIVE,
    fs_watch::NATIVE,
    inspect::NATIVE,
    intl::NATIVE,
    modules::NATIVE,
    os::NATIVE,
    process::NATIVE,
    timers::NATIVE,
    url::NATIVE,
];

/// A global that is the export of its name of a module.
const fn export_of(module: &'static str, name: &'static str) -> LazyGlobal {
    LazyGlobal { name, module, export: name }
}

const BLOB: &str = "lmthing:internal/web/blob";
const COMPRESSION: &str = "lmthing:internal/web/compression-streams";
const CRYPTO: &str = "lmthing:internal/web/crypto";
const ENCODING: &str = "lmthing:internal/web/encoding";
const ENCODING_STREAMS: &str = "lmthing:internal/web/encoding-streams";
const EVENTS: &str = "lmthing:internal/web/events";
const FETCH: &str = "lmthing:internal/web/fetch";
const MESSAGES: &str = "lmthing:internal/web/message-channel";
const PERFORMANCE: &str = "lmthing:internal/web/performance";
const STREAMS: &str = "lmthing:internal/web/streams";
const TIMERS: &str = "lmthing:internal/timers";
const URL: &str = "lmthing:internal/web/url";

/// Globals that load their module on the first read.
const LAZY_GLOBALS: &[LazyGlobal] = &[
    LazyGlobal { name: "console", module: "lmthing:internal/console", export: "default" },
    LazyGlobal { name: "Intl", module: "lmthing:internal/intl", export: "default" },
    LazyGlobal { name: "process", module: "lmthing:internal/process", export: "default" },
    export_of(TIMERS, "queueMicrotask"),
    export_of(TIMERS, "setTimeout"),
    export_of(TIMERS, "setInterval"),
    export_of(TIMERS, "setImmediate"),
    export_of(TIMERS, "clearTimeout"),
    export_of(TIMERS, "clearInterval"),
    export_of(TIMERS, "clearImmediate"),
    export_of(URL, "URL"),
    export_of(URL, "URLSearchParams"),
    export_of(ENCODING, "TextEncoder"),
    export_of(ENCODING, "TextDecoder"),
    export_of(ENCODING_STREAMS, "TextEncoderStream"),
    export_of(ENCODING_STREAMS, "TextDecoderStream"),
    export_of(COMPRESSION, "CompressionStream"),
    export_of(COMPRESSION, "DecompressionStream"),
    export_of("lmthing:internal/web/dom-exception", "DOMException"),
    export_of(EVENTS, "Event"),
    export_of(EVENTS, "EventTarget"),
    export_of(EVENTS, "CustomEvent"),
    export_of(EVENTS, "AbortController"),
    export_of(EVENTS, "AbortSignal"),
    export_of(PERFORMANCE, "performance"),
    export_of(PERFORMANCE, "Performance"),
    export_of(PERFORMANCE, "PerformanceEntry"),
    export_of(PERFORMANCE, "PerformanceMark"),
    export_of(PERFORMANCE, "PerformanceMeasure"),
    export_of(PERFORMANCE, "PerformanceObserver"),
    export_of(PERFORMANCE, "PerformanceObserverEntryList"),
    export_of(MESSAGES, "BroadcastChannel"),
    export_of(MESSAGES, "MessageChannel"),
    export_of(MESSAGES, "MessagePort"),
    export_of(MESSAGES, "MessageEvent"),
    export_of(STREAMS, "ReadableStream"),
    export_of(STREAMS, "ReadableStreamDefaultReader"),
    export_of(STREAMS, "ReadableStreamDefaultController"),
    export_of(STREAMS, "ReadableStreamBYOBReader"),
    export_of(STREAMS, "ReadableStreamBYOBRequest"),
    export_of(STREAMS, "ReadableByteStreamController"),
    export_of(STREAMS, "WritableStream"),
    export_of(STREAMS, "WritableStreamDefaultWriter"),
    export_of(STREAMS, "WritableStreamDefaultController"),
    export_of(STREAMS, "TransformStream"),
    export_of(STREAMS, "TransformStreamDefaultController"),
    export_of(STREAMS, "ByteLengthQueuingStrategy"),
    export_of(STREAMS, "CountQueuingStrategy"),
    export_of(BLOB, "Blob"),
    export_of(BLOB, "File"),
    export_of("lmthing:internal/web/form-data", "FormData"),
    export_of("lmthing:internal/web/headers", "Headers"),
    export_of(FETCH, "Request"),
    export_of(FETCH, "Response"),
    export_of(FETCH, "fetch"),
    export_of("lmthing:internal/web/structured-clone", "structuredClone"),
    export_of(CRYPTO, "crypto"),
    export_of(CRYPTO, "Crypto"),
    export_of(CRYPTO, "CryptoKey"),
    export_of(CRYPTO, "SubtleCrypto"),
    export_of("node:buffer", "Buffer"),
    // Node has no such class: readers of PDF files want it while they load, and get it there from a native addon.
    export_of("lmthing:internal/web/dom-matrix", "DOMMatrix"),
    LazyGlobal { name: "WeakRef", module: "lmthing:internal/weak-ref", export: "WeakRef" },
    LazyGlobal { name: "WebAssembly", module: "lmthing:internal/web/web-assembly", export: "default" },
];

/// Defines every global; part of making an engine. `argv` and `env` are those of `process`.
pub(super) fn set_up(ctx: &Ctx<'_>, argv: Vec<String>, env: Vec<(String, String)>) -> Result<()> {
    process::set_up(ctx, argv, env)?;
    // The engine's own `Date` will do in UTC, and costs nothing.
    let date = LazyGlobal { name: "Date", module: "lmthing:internal/date", export: "Date" };
    let globals: Vec<_> = LAZY_GLOBALS.iter().copied().chain((!intl::is_utc()).then_some(date)).collect();
    lazy::define(ctx, &globals)
}
