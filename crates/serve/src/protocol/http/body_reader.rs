//! Reads request bodies under a common limit, as the number of connections is not limited.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::{
    StatusCode,
    body::{Body, Incoming},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout, timeout_at},
};

use super::host_check::Refusal;

/// Largest body in bytes; the same as over standard input.
pub(super) const MAX_BODY: usize = 16 << 20;

/// Most bytes of all bodies that are being read.
const MAX_TOTAL: usize = 64 << 20;

const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the rest of a refused body is read and discarded.
const DRAIN_TIME: Duration = Duration::from_secs(2);

pub(super) struct BodyReader(Arc<Semaphore>);

impl Default for BodyReader {
    fn default() -> Self {
        BodyReader(Arc::new(Semaphore::new(MAX_TOTAL)))
    }
}

impl BodyReader {
    /// Reads a body. Its bytes count until the permit is dropped.
    pub(super) async fn read(&self, mut body: Incoming) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Refusal> {
        let read = self.read_some(&mut body).await;
        if read.is_err() {
            // A client that is still writing when the connection closes may not see the response.
            let rest = async { while let Some(Ok(_)) = body.frame().await {} };
            let _ = timeout(DRAIN_TIME, rest).await;
        }
        read
    }

    async fn read_some(&self, body: &mut Incoming) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Refusal> {
        let too_large = (StatusCode::PAYLOAD_TOO_LARGE, "the body exceeds 16777216 bytes");
        if body.size_hint().lower() > MAX_BODY as u64 {
            return Err(too_large);
        }
        let until = Instant::now() + READ_TIMEOUT;
        let (mut read, mut permit) = (BytesMut::new(), None::<OwnedSemaphorePermit>);
        loop {
            let frame = timeout_at(until, body.frame()).await;
            let frame = frame.map_err(|_| (StatusCode::REQUEST_TIMEOUT, "the body did not come within 30 seconds"))?;
            let Some(frame) = frame else { return Ok((read.freeze(), permit)) };
            let frame = frame.map_err(|_| (StatusCode::BAD_REQUEST, "the body cannot be read"))?;
            let Ok(data) = frame.into_data() else { continue };
            if read.len() + data.len() > MAX_BODY {
                return Err(too_large);
            }
            let count = u32::try_from(data.len()).unwrap_or(u32::MAX);
            let busy = (StatusCode::SERVICE_UNAVAILABLE, "too many bodies are being read at the same time; try again");
            let permits = self.0.clone().try_acquire_many_owned(count).map_err(|_| busy)?;
            match &mut permit {
                Some(permit) => permit.merge(permits),
                none => *none = Some(permits),
            }
            read.extend_from_slice(&data);
        }
    }
}
