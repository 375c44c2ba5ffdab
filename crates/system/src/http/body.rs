//! The body of a response, decompressed and within limits.
//!
//! The client does not decompress, because the ratio of the two lengths is checked here.

use std::io::{self, Write};

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;
use reqwest::{Response, header::CONTENT_ENCODING};
use thiserror::Error;

/// The limit for whole responses, and for one event of a stream.
pub const MAX_MESSAGE: usize = 64 << 20;

/// The limit of the compression ratio. Streams of events reach several dozen.
const MAX_RATIO: u64 = 200;

/// Below this size the ratio is not checked, as short responses may compress very well.
const MIN_RATIO_SIZE: u64 = MAX_MESSAGE as u64;

/// How much is decompressed at a time. Gzip reaches a ratio of 1032, so this may become 4 MiB.
const SLICE: usize = 4 << 10;

#[derive(Debug, Error)]
pub enum BodyError {
    #[error(transparent)]
    Lost(#[from] reqwest::Error),
    #[error("its compressed answer is damaged: {0}")]
    Damaged(io::Error),
    #[error("its compressed answer unpacks to more than {MAX_RATIO} times its size ({received} bytes so far)")]
    Ratio { received: u64 },
    #[error("its answer is longer than {}", size(*.limit))]
    TooLong { limit: usize },
}

fn size(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

pub struct Body {
    response: Response,
    decompressor: Option<Box<Decompressor>>,
}

impl Body {
    pub fn new(response: Response) -> Self {
        let decompressor = is_gzip(&response).then(Box::default);
        Body { response, decompressor }
    }

    /// The next chunk, which is not empty; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let decompressed = match &mut self.decompressor {
                None => self.response.chunk().await?,
                Some(decompressor) => {
                    if decompressor.compressed.is_empty() {
                        match self.response.chunk().await? {
                            Some(chunk) => decompressor.compressed = chunk,
                            None => return decompressor.end().map(|()| None),
                        }
                    }
                    Some(decompressor.next()?)
                }
            };
            if decompressed.as_ref().is_none_or(|chunk| !chunk.is_empty()) {
                return Ok(decompressed);
            }
        }
    }

    /// The whole body, up to `limit` bytes after decompression.
    pub async fn whole(mut self, limit: usize) -> Result<Vec<u8>, BodyError> {
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

struct Decompressor {
    compressed: Bytes,
    decoder: MultiGzDecoder<Vec<u8>>,
    received: u64,
    decompressed: u64,
}

impl Default for Decompressor {
    fn default() -> Self {
        Decompressor {
            compressed: Bytes::new(),
            decoder: MultiGzDecoder::new(Vec::new()),
            received: 0,
            decompressed: 0,
        }
    }
}

impl Decompressor {
    /// Decompresses the next slice; the result may be empty.
    fn next(&mut self) -> Result<Bytes, BodyError> {
        let slice = self.compressed.split_to(self.compressed.remaining().min(SLICE));
        self.received += slice.len() as u64;
        // Without a flush, the end of an event would stay in the decoder until the next event.
        self.decoder.write_all(&slice).and_then(|()| self.decoder.flush()).map_err(BodyError::Damaged)?;
        let decompressed = std::mem::take(self.decoder.get_mut());
        self.decompressed += decompressed.len() as u64;
        if self.decompressed > MIN_RATIO_SIZE && self.decompressed / MAX_RATIO > self.received {
            return Err(BodyError::Ratio { received: self.received });
        }
        Ok(decompressed.into())
    }

    fn end(&mut self) -> Result<(), BodyError> {
        // A response without a body has no gzip header either.
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

    fn compressed(pieces: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut ends = Vec::new();
        for piece in pieces {
            encoder.write_all(piece).unwrap();
            encoder.flush().unwrap();
            ends.push(encoder.get_ref().len());
        }
        (encoder.finish().unwrap(), ends)
    }

    fn decompress(decompressor: &mut Decompressor, compressed: &[u8]) -> Result<Vec<u8>, BodyError> {
        decompressor.compressed = Bytes::copy_from_slice(compressed);
        let mut decompressed = Vec::new();
        while !decompressor.compressed.is_empty() {
            decompressed.extend_from_slice(&decompressor.next()?);
        }
        Ok(decompressed)
    }

    #[test]
    fn flushed_data_is_available_immediately_wherever_it_is_cut() {
        let (bytes, ends) = compressed(&[b"data: 1\n\n", b"data: 2\n\n"]);
        for cut in 0..=ends[0] {
            let mut decompressor = Decompressor::default();
            let mut decompressed = decompress(&mut decompressor, &bytes[..cut]).unwrap();
            decompressed.extend(decompress(&mut decompressor, &bytes[cut..ends[0]]).unwrap());
            assert_eq!(decompressed, b"data: 1\n\n", "cut at {cut}");
            assert!(decompressor.end().is_err(), "it has no end yet");
        }
        let mut decompressor = Decompressor::default();
        let twice = [bytes.clone(), bytes].concat();
        assert_eq!(decompress(&mut decompressor, &twice).unwrap(), b"data: 1\n\ndata: 2\n\n".repeat(2));
        decompressor.end().unwrap();
    }

    #[test]
    fn only_long_responses_have_a_ratio() {
        let (short, _) = compressed(&[&vec![0; 32 << 20]]);
        assert_eq!(decompress(&mut Decompressor::default(), &short).unwrap().len(), 32 << 20);
        let (long, _) = compressed(&[&vec![0; 80 << 20]]);
        let error = decompress(&mut Decompressor::default(), &long).unwrap_err();
        assert!(error.to_string().starts_with("its compressed answer unpacks to more than 200 times"), "{error}");
    }

    #[tokio::test]
    async fn whole_responses_have_a_limit_after_decompression() {
        let (zeros, _) = compressed(&[&vec![0; 2 << 20]]);
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
    fn limits_are_formatted_in_whole_units() {
        assert_eq!([size(64 << 20), size(64 << 10), size(1001)], ["64 MiB", "64 KiB", "1001 bytes"]);
    }
}
