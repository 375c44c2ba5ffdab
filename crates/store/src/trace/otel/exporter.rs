//! Sends spans in batches, on the SDK's thread.

use std::{
    fmt,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use opentelemetry_proto::{
    tonic::collector::trace::v1::ExportTraceServiceRequest,
    transform::{common::tonic::ResourceAttributesWithSchema, trace::tonic::group_spans_by_resource_and_scope},
};
use opentelemetry_sdk::{
    Resource,
    error::{OTelSdkError, OTelSdkResult},
    trace::{SpanData, SpanExporter},
};
use prost::Message;
use tokio::runtime::Runtime;

use super::{
    collector::{Collector, ExportFailure, RetryHint},
    pending::{PendingSpans, size},
    settings::Settings,
};

/// The largest request: collectors usually take 20 MB, and a refused request is lost as a whole.
const MAX_REQUEST: usize = 4 << 20;

/// The waits before further attempts during the run.
const WAITS: [Duration; 2] = [Duration::from_millis(300), Duration::from_secs(2)];

/// The wait before the only further attempt at its end.
const LAST_WAIT: Duration = Duration::from_millis(200);

/// The longest wait, whatever the collector demands.
const MAX_WAIT: Duration = Duration::from_secs(10);

pub(super) struct Exporter {
    collector: Collector,
    pending: Arc<PendingSpans>,
    resource: ResourceAttributesWithSchema,
    /// Created where it is used, as connections belong to it.
    runtime: Mutex<Option<Runtime>>,
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exporter")
    }
}

impl Exporter {
    pub(super) fn new(settings: Settings, pending: Arc<PendingSpans>) -> Self {
        let resource = ResourceAttributesWithSchema::default();
        Exporter { collector: Collector::new(settings), pending, resource, runtime: Mutex::default() }
    }

    fn send_all(&self, batch: Vec<SpanData>) -> io::Result<()> {
        let mut guard = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_none() {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            *guard = Some(runtime?);
        }
        let Some(runtime) = guard.as_ref() else { return Ok(()) };
        for part in parts(batch) {
            let (spans, bytes) = (part.len(), part.iter().map(size).sum());
            match runtime.block_on(self.send(part)) {
                Ok(None) => {}
                Ok(Some((spans, problem))) => self.pending.count_lost(spans, problem),
                Err(refusal) => self.pending.count_lost(spans, refusal.problem),
            }
            self.pending.remove(spans, bytes);
        }
        Ok(())
    }

    async fn send(&self, spans: Vec<SpanData>) -> Result<Option<(usize, String)>, ExportFailure> {
        let resource_spans = group_spans_by_resource_and_scope(spans, &self.resource);
        let body = ExportTraceServiceRequest { resource_spans }.encode_to_vec();
        let body = Bytes::from(if self.collector.is_compressed() { compressed(&body) } else { body });
        let mut attempt = 0;
        loop {
            let refusal = match self.collector.post(body.clone()).await {
                Ok(arrived) => return Ok(arrived),
                Err(refusal) => refusal,
            };
            let Some(wait) = self.wait(&refusal, attempt) else { return Err(refusal) };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// How long to wait for another attempt; `None` if there is none.
    fn wait(&self, refusal: &ExportFailure, attempts: usize) -> Option<Duration> {
        match (refusal.again?, self.pending.is_ending()) {
            // The collector is not reachable, which will not change in the remaining time.
            (RetryHint::Later, true) => None,
            (RetryHint::After(_), true) => (attempts == 0).then_some(LAST_WAIT),
            (RetryHint::Later | RetryHint::After(None), false) => WAITS.get(attempts).copied(),
            (RetryHint::After(Some(wait)), false) => WAITS.get(attempts).map(|_| wait.min(MAX_WAIT)),
        }
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        // Blocking is fine, as the thread belongs to the exporter.
        let sent = self.send_all(batch);
        sent.map_err(|error| OTelSdkError::InternalFailure(format!("the event loop cannot start: {error}")))
    }

    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Does not wait for pending name lookups.
        runtime.into_iter().for_each(Runtime::shutdown_background);
        Ok(())
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}

/// Splits a batch into parts that fit into a request. A single large span is sent anyway.
fn parts(batch: Vec<SpanData>) -> Vec<Vec<SpanData>> {
    let mut parts = Vec::new();
    let (mut part, mut bytes) = (Vec::new(), 0);
    for span in batch {
        let size = size(&span);
        if bytes + size > MAX_REQUEST && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
            bytes = 0;
        }
        bytes += size;
        part.push(span);
    }
    parts.push(part);
    parts
}

fn compressed(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}
