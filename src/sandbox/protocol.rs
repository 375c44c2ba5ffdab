//! The frames between host and worker: a little-endian `u32` length, then that many bytes of JSON.
//!
//! Values of scripts travel as the JSON text they were written in, unread: each side's engine parses it, so what no Rust
//! value can hold (half a surrogate pair) arrives all the same.

use std::io::{self, Read, Write};

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{config::Limits, outcome::LogLine};
use crate::code::{CheckMode, CodeDiagnostic};

/// No frame is longer. Results and arguments have limits of their own, far below.
pub(super) const MAX_FRAME: usize = 256 * 1024 * 1024;

/// From host to worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ToWorker {
    /// Load the library and these declarations ahead of need.
    Warm { declarations: String },
    /// Check and run code.
    Run(Box<RunRequest>),
    /// What a host function came to.
    Reply { id: u32, reply: Reply },
}

/// One piece of code to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RunRequest {
    pub code: String,
    pub declarations: String,
    pub functions: Vec<String>,
    pub mode: CheckMode,
    pub limits: Limits,
}

/// The result of a host call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Reply {
    /// The value as JSON text, handed to the engine's own parser.
    Value(Box<RawValue>),
    /// The message of the error to throw.
    Error(String),
}

/// From worker to host.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FromWorker {
    /// The worker gave up its rights and listens; `confinement` says what holds it, for diagnosis.
    Ready { confinement: Vec<String> },
    /// The worker took up the request; the checks begin.
    Checking,
    /// The checks passed; code runs from now on.
    Started { warnings: Vec<CodeDiagnostic>, notice: Option<String> },
    /// The checks failed; the run is over.
    Refused { errors: Vec<CodeDiagnostic>, notice: Option<String> },
    /// Code called a registered function. `args` is JSON text.
    Call { id: u32, name: String, args: Box<RawValue> },
    /// Code waits for host calls; the clock stops until the next [`ToWorker::Reply`].
    Idle,
    /// Code wrote to the console.
    Log(LogLine),
    /// Code returned; no result when it returned nothing, which is not the same as `null`.
    Returned {
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
        result: Option<Box<RawValue>>,
    },
    /// Code threw or hit a limit.
    Failed { error: String, message: String },
}

/// A field that is there, even if it is `null`, for which an `Option` alone reads "nothing".
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}

/// A frame's bytes, length first.
pub(super) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = u32::try_from(frame.len() - 4).ok().filter(|length| *length as usize <= MAX_FRAME);
    let length = length.ok_or_else(|| io::Error::other("the message is too long for a frame"))?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

/// The message in a frame's body.
pub(super) fn decode<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(body)?)
}

/// Reads a frame's length, refusing what no honest peer sends.
pub(super) fn frame_length(header: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(header) as usize;
    if length > MAX_FRAME { Err(io::Error::other("a frame is too long")) } else { Ok(length) }
}

/// Writes one message (worker side, blocking).
pub(super) fn write_frame(writer: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    writer.write_all(&encode(message)?)?;
    writer.flush()
}

/// Reads one message (worker side, blocking); none at the end of the pipe.
pub(super) fn read_frame<T: DeserializeOwned>(reader: &mut impl Read) -> io::Result<Option<T>> {
    let mut header = [0; 4];
    match reader.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    // Safe to allocate on the word of a header: the host is trusted here, and the process has its own limits.
    let mut body = vec![0; frame_length(header)?];
    reader.read_exact(&mut body)?;
    decode(&body).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_survive_the_way_there_and_back() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &FromWorker::Idle).unwrap();
        let args = RawValue::from_string("{\"a\":1.50}".to_owned()).unwrap();
        write_frame(&mut bytes, &FromWorker::Call { id: 7, name: "math.add".to_owned(), args }).unwrap();
        let mut reader = bytes.as_slice();
        assert!(matches!(read_frame(&mut reader).unwrap(), Some(FromWorker::Idle)));
        match read_frame(&mut reader).unwrap() {
            Some(FromWorker::Call { id: 7, name, args }) => {
                assert_eq!((name.as_str(), args.get()), ("math.add", "{\"a\":1.50}"))
            }
            other => panic!("{other:?}"),
        }
        assert!(read_frame::<FromWorker>(&mut reader).unwrap().is_none());
    }

    #[test]
    fn nothing_and_null_are_two_results() {
        for text in [None, Some("null"), Some("{\"half\":\"\\ud800\"}")] {
            let result = text.map(|text| RawValue::from_string(text.to_owned()).unwrap());
            let frame = encode(&FromWorker::Returned { result }).unwrap();
            match decode(&frame[4..]).unwrap() {
                FromWorker::Returned { result } => assert_eq!(result.as_deref().map(RawValue::get), text),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_frame_that_is_too_long_or_cut_is_an_error() {
        assert!(read_frame::<FromWorker>(&mut [255_u8, 255, 255, 255, 0].as_slice()).is_err());
        assert!(read_frame::<FromWorker>(&mut [9_u8, 0, 0, 0, b'{'].as_slice()).is_err());
    }
}
