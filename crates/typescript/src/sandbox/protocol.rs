//! The frames between host and worker: a little-endian `u32` length, then that many bytes of JSON.
//!
//! Script values are passed as unparsed JSON text, which only the engines parse: Rust strings cannot hold unpaired
//! surrogates.

use std::io::{self, Read, Write};

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{config::Limits, outcome::LogLine};
use crate::code::{CheckMode, CodeDiagnostic};

/// The limit of frames; results and arguments have far lower limits.
pub(super) const MAX_FRAME: usize = 256 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ToWorker {
    Warm { declarations: String },
    Run(Box<RunRequest>),
    Reply { id: u32, reply: Reply },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RunRequest {
    pub code: String,
    pub declarations: String,
    pub functions: Vec<String>,
    pub mode: CheckMode,
    pub limits: Limits,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Reply {
    /// JSON text for the engine's parser.
    Value(Box<RawValue>),
    Error(String),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FromWorker {
    /// The worker is ready; `confinement` lists restrictions that could not be applied.
    Ready {
        confinement: Vec<String>,
    },
    /// The worker has received the request and begins the checks.
    Checking,
    Started {
        warnings: Vec<CodeDiagnostic>,
        notice: Option<String>,
    },
    Refused {
        errors: Vec<CodeDiagnostic>,
        notice: Option<String>,
    },
    Call {
        id: u32,
        name: String,
        /// `None` without an argument, which is distinct from `null`.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some")]
        args: Option<Box<RawValue>>,
    },
    /// The code waits for host calls; the clock is paused until the next [`ToWorker::Reply`].
    Idle,
    Log(LogLine),
    /// The code returned; `None` for `undefined`, which is distinct from `null`.
    Returned {
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some")]
        result: Option<Box<RawValue>>,
    },
    Failed {
        error: String,
        message: String,
    },
}

/// Reads `null` as a value; a plain `Option` would read it as `None`.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}

pub(super) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = u32::try_from(frame.len() - 4).ok().filter(|length| *length as usize <= MAX_FRAME);
    let length = length.ok_or_else(|| io::Error::other("the message is too long for a frame"))?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

fn frame_length(header: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(header) as usize;
    if length > MAX_FRAME { Err(io::Error::other("a frame is too long")) } else { Ok(length) }
}

pub(super) fn write_frame(writer: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    writer.write_all(&encode(message)?)?;
    writer.flush()
}

/// Returns `None` at the end of the pipe.
pub(super) fn read_frame<T: DeserializeOwned>(reader: &mut impl Read) -> io::Result<Option<T>> {
    let mut header = [0; 4];
    match reader.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = frame_length(header)?;
    // Grows with what arrives, so that a false length fills no memory.
    let mut body = Vec::new();
    reader.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &FromWorker::Idle).unwrap();
        let args = Some(RawValue::from_string("{\"a\":1.50}".to_owned()).unwrap());
        write_frame(&mut bytes, &FromWorker::Call { id: 7, name: "math.add".to_owned(), args }).unwrap();
        let mut reader = bytes.as_slice();
        assert!(matches!(read_frame(&mut reader).unwrap(), Some(FromWorker::Idle)));
        match read_frame(&mut reader).unwrap() {
            Some(FromWorker::Call { id: 7, name, args }) => {
                assert_eq!((name.as_str(), args.unwrap().get()), ("math.add", "{\"a\":1.50}"))
            }
            other => panic!("{other:?}"),
        }
        assert!(read_frame::<FromWorker>(&mut reader).unwrap().is_none());
    }

    #[test]
    fn undefined_and_null_are_distinct() {
        for text in [None, Some("null"), Some("{\"half\":\"\\ud800\"}")] {
            let result = text.map(|text| RawValue::from_string(text.to_owned()).unwrap());
            let frame = encode(&FromWorker::Returned { result }).unwrap();
            match serde_json::from_slice(&frame[4..]).unwrap() {
                FromWorker::Returned { result } => assert_eq!(result.as_deref().map(RawValue::get), text),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn an_oversized_or_truncated_frame_is_an_error() {
        assert!(read_frame::<FromWorker>(&mut [255_u8, 255, 255, 255, 0].as_slice()).is_err());
        assert!(read_frame::<FromWorker>(&mut [9_u8, 0, 0, 0, b'{'].as_slice()).is_err());
    }
}
