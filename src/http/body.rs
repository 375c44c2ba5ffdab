//! The body of an answer: unpacked where it is compressed, and within limits.
//!
//! The client leaves answers as they were sent, since only here is known both how much came and what it unpacks to.

use std::io::{self, Write};

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;
use reqwest::{Response, header::CONTENT_ENCODING};
use thiserror::Error;

/// More is not kept of an answer that is read whole, nor of one event of a stream.
pub(crate) const MAX_MESSAGE: usize = 64 << 20;

/// An answer may unpack to so many times its size. Streams of events reach some dozens.
const MAX_RATIO: u64 = 200;

/// Below this size the ratio does not matter: a short answer may compress very well.
const RATIO_FLOOR: u64 = MAX_MESSAGE as u64;

/// Unpacked at a time. Gzip reaches a ratio of 1032, so that 4 MiB may come of it.
const SLICE: usize = 4 << 10;

/// Why a body cannot be read to its end.
#[derive(Debug, Error)]
pub(crate) enum BodyError {
    /// The connection broke, or the answer took too long.
    #[error(transparent)]
    Lost(#[from] reqwest::Error),
    #[error("its compressed answer is damaged: {0}")]
    Damaged(io::Error),
    #[error("its compressed answer unpacks to more than {MAX_RATIO} times its size ({received} bytes so far)")]
    Ratio { received: u64 },
    #[error("its answer is longer than {}", size(*.limit))]
    TooLong { limit: usize },
}

/// A limit in the largest unit that it is a whole number of.
fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

/// A body that is being read.
pub(crate) struct Body {
    response: Response,
    unpacker: Option<Box<Unpacker>>,
}

impl Body {
    pub(crate) fn new(response: Response) -> Self {
        let unpacker = is_gzip(&response).then(Box::default);
        Body { response, unpacker }
    }

    /// The next piece; `None` at the end. Never an empty piece.
    ///
    /// # Errors
    /// See [`BodyError`].
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let unpacked = match &mut self.unpacker {
                None => self.response.chunk().await?,
                Some(unpacker) => {
                    if unpacker.packed.is_empty() {
                        match self.response.chunk().await? {
                            Some(chunk) => unpacker.packed = chunk,
                            None => return unpacker.end().map(|()| None),
                        }
                    }
                    Some(unpacker.next()?)
                }
            };
            if unpacked.as_ref().is_none_or(|chunk| !chunk.is_empty()) {
                return Ok(unpacked);
            }
        }
    }

    /// All of the body.
    ///
    /// # Errors
    /// See [`BodyError`].
    pub(crate) async fn whole(mut self, limit: usize) -> Result<Vec<u8>, BodyError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(BodyError::TooLong { limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

fn is_gzip(response: &Response) -> bool {
    let coding = response.headers().get(CONTENT_ENCODING).map(|coding| coding.as_bytes().trim_ascii());
    coding.is_some_and(|coding| coding.eq_ignore_ascii_case(b"gzip") || coding.eq_ignore_ascii_case(b"x-gzip"))
}

struct Unpacker {
    /// What came and is still to be unpacked.
    packed: Bytes,
    decoder: MultiGzDecoder<Vec<u8>>,
    received: u64,
    unpacked: u64,
}

impl Default for Unpacker {
    fn default() -> Self {
        Unpacker { packed: Bytes::new(), decoder: MultiGzDecoder::new(Vec::new()), received: 0, unpacked: 0 }
    }
}

impl Unpacker {
    /// What the next slice unpacks to, which may be nothing yet.
    fn next(&mut self) -> Result<Bytes, BodyError> {
        let slice = self.packed.split_to(self.packed.remaining().min(SLICE));
        self.received += slice.len() as u64;
        // Without a flush the last part of an event would stay in the decoder until the next one comes.
        self.decoder.write_all(&slice).and_then(|()| self.decoder.flush()).map_err(BodyError::Damaged)?;
        let unpacked = std::mem::take(self.decoder.get_mut());
        self.unpacked += unpacked.len() as u64;
        if self.unpacked > RATIO_FLOOR && self.unpacked / MAX_RATIO > self.received {
            return Err(BodyError::Ratio { received: self.received });
        }
        Ok(unpacked.into())
    }

    /// Whether all has come.
    fn end(&mut self) -> Result<(), BodyError> {
        // An answer without a body has no header of gzip's either.
        if self.received == 0 {
            return Ok(());
        }
        self.decoder.try_finish().map_err(BodyError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn packed(pieces: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut ends = Vec::new();
        for piece in pieces {
            encoder.write_all(piece).unwrap();
            encoder.flush().unwrap();
            ends.push(encoder.get_ref().len());
        }
        (encoder.finish().unwrap(), ends)
    }

    fn unpack(unpacker: &mut Unpacker, packed: &[u8]) -> Result<Vec<u8>, BodyError> {
        unpacker.packed = Bytes::copy_from_slice(packed);
        let mut unpacked = Vec::new();
        while !unpacker.packed.is_empty() {
            unpacked.extend_from_slice(&unpacker.next()?);
        }
        Ok(unpacked)
    }

    #[test]
    fn what_was_flushed_is_there_at_once_wherever_it_is_cut() {
        let (bytes, ends) = packed(&[b"data: 1\n\n", b"data: 2\n\n"]);
        for cut in 0..=ends[0] {
            let mut unpacker = Unpacker::default();
            let mut unpacked = unpack(&mut unpacker, &bytes[..cut]).unwrap();
            unpacked.extend(unpack(&mut unpacker, &bytes[cut..ends[0]]).unwrap());
            assert_eq!(unpacked, b"data: 1\n\n", "cut at {cut}");
            assert!(unpacker.end().is_err(), "it has no end yet");
        }
        let mut unpacker = Unpacker::default();
        let twice = [bytes.clone(), bytes].concat();
        assert_eq!(unpack(&mut unpacker, &twice).unwrap(), b"data: 1\n\ndata: 2\n\n".repeat(2));
        unpacker.end().unwrap();
    }

    #[test]
    fn only_long_answers_have_a_ratio() {
        let (short, _) = packed(&[&vec![0; 32 << 20]]);
        assert_eq!(unpack(&mut Unpacker::default(), &short).unwrap().len(), 32 << 20);
        let (long, _) = packed(&[&vec![0; 80 << 20]]);
        let error = unpack(&mut Unpacker::default(), &long).unwrap_err();
        assert!(error.to_string().starts_with("its compressed answer unpacks to more than 200 times"), "{error}");
    }

    #[tokio::test]
    async fn whole_answers_have_a_limit_of_what_they_unpack_to() {
        let (zeros, _) = packed(&[&vec![0; 2 << 20]]);
        let body = |bytes: &[u8]| {
            let answer = hyper::http::Response::builder().header(CONTENT_ENCODING, "gzip").body(bytes.to_vec());
            Body::new(Response::from(answer.unwrap()))
        };
        assert_eq!(body(&zeros).whole(2 << 20).await.unwrap().len(), 2 << 20);
        let error = body(&zeros).whole(1 << 20).await.unwrap_err();
        assert_eq!(error.to_string(), "its answer is longer than 1 MiB");
        assert!(matches!(body(&zeros[..zeros.len() - 9]).whole(2 << 20).await, Err(BodyError::Damaged(_))));
        assert!(body(b"").whole(1).await.unwrap().is_empty());
    }

    #[test]
    fn limits_are_told_in_whole_units() {
        assert_eq!([size(64 << 20), size(64 << 10), size(1001)], ["64 MiB", "64 KiB", "1001 bytes"]);
    }
}
