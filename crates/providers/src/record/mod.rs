//! Recordings of model exchanges, for `run --record` and `test --record`.
//!
//! Format: `{"version": 1, "usedBy"?: [test files], "exchanges": [{provider, model, request: {messages, tools,
//! settings}, parts: [stream parts], error?}]}`, without secrets.

mod exchange;
mod file;
mod layout;
mod normalize;
mod recorder;
mod recording;
mod request;
mod text;

use std::{io, path::Path, sync::Arc};

pub use exchange::{RecordedExchange, ReplayRequest};
pub use file::RecordingOutcome;
pub use recorder::stream_and_record;
pub use recording::Recording;
pub use text::{InvalidRecording, RecordedFile};

use file::RecordingFile;

/// The text of a recording. The `used_by` are paths from its folder.
pub fn recording_text(used_by: &[String], exchanges: &[RecordedExchange]) -> io::Result<String> {
    let exchanges: Vec<String> = exchanges.iter().map(text::exchange).collect::<io::Result<_>>()?;
    Ok(format!("{}\n{}{}", text::beginning(used_by), exchanges.join(",\n"), file::END))
}

/// Writes a recording, replacing the existing one. If that fails, the existing one is unchanged.
pub fn write_recording(path: &Path, used_by: &[String], exchanges: &[Arc<RecordedExchange>]) -> io::Result<()> {
    let mut file = RecordingFile::create(path, text::beginning(used_by))?;
    for exchange in exchanges {
        let mut exchange = RecordedExchange::clone(exchange);
        exchange.normalize();
        file.append(&text::exchange(&exchange)?)?;
    }
    file.finish(true).map(drop)
}

pub fn check_recording_writable(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    RecordingFile::create(path, String::new())?.finish(false).map(drop)
}
