//! Recording model exchanges, for `run --record` and `test --record`: models that tell what they are asked and what they answer,
//! and the text that this is kept as.
//!
//! A recording is JSON: `{"version": 1, "usedBy"?: [test files], "exchanges": [{provider, model, request: {messages, tools,
//! settings}, parts: [stream parts], error?}]}`, without the secrets of the run. Where it is kept is `file`'s business, how it
//! is written `layout`'s, what of an answer is written `steady`'s.

mod exchange;
mod file;
mod layout;
mod recorder;
mod recording;
mod request;
mod steady;
mod text;

use std::{io, path::Path, sync::Arc};

pub(crate) use exchange::{Asked, RecordedExchange};
pub use file::Kept;
pub(crate) use recorder::ask_and_keep;
pub use recording::Recording;
pub(crate) use text::RecordedFile;

use file::RecordingFile;

/// Writes a whole recording in place of what is there.
///
/// # Errors
/// When the file cannot be written; what is there stays.
pub(crate) fn write_recording(path: &Path, used_by: &[String], exchanges: &[Arc<RecordedExchange>]) -> io::Result<()> {
    let mut file = RecordingFile::create(path, text::beginning(used_by))?;
    for exchange in exchanges {
        let mut exchange = RecordedExchange::clone(exchange);
        // One of an older recording may not be yet.
        exchange.make_steady();
        file.append(&text::exchange(&exchange)?)?;
    }
    file.finish(true).map(drop)
}

/// Tries whether a recording can be written, without changing one.
///
/// # Errors
/// When it cannot.
pub(crate) fn try_recording(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    RecordingFile::create(path, String::new())?.finish(false).map(drop)
}
