//! Tracks pending and lost spans, shared by the thread of the run and the sender. Limits the memory of pending spans.

use std::{
    mem::size_of,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use opentelemetry::{Context, Value};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{BatchSpanProcessor, Span, SpanData, SpanProcessor},
};

pub(super) const MAX_SPANS: usize = 8192;

/// How many bytes they may take; mostly content of messages.
const MAX_BYTES: usize = 32 << 20;

#[derive(Debug, Default)]
pub(super) struct PendingSpans {
    spans: AtomicUsize,
    bytes: AtomicUsize,
    lost: AtomicUsize,
    is_ending: AtomicBool,
    /// Why the last lost spans were lost.
    problem: Mutex<Option<String>>,
}

impl PendingSpans {
    /// Adds a pending span, unless too many are pending.
    fn add(&self, bytes: usize) -> bool {
        let is_full = self.spans.load(Ordering::Relaxed) >= MAX_SPANS
            || self.bytes.load(Ordering::Relaxed).saturating_add(bytes) > MAX_BYTES;
        if is_full {
            self.count_lost(1, "it takes spans more slowly than the run makes them".to_owned());
            return false;
        }
        self.spans.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        true
    }

    /// Removes pending spans, which have arrived or are lost.
    pub(super) fn remove(&self, spans: usize, bytes: usize) {
        self.spans.fetch_sub(spans, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn count_lost(&self, spans: usize, problem: String) {
        self.lost.fetch_add(spans, Ordering::Relaxed);
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
    }

    /// Marks the end of the run, which waits for the sender.
    pub(super) fn set_ending(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// How many spans were lost since the last call, and why the last of them.
    pub(super) fn take_lost(&self) -> Option<(usize, String)> {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).take();
        (lost > 0).then(|| (lost, problem.unwrap_or_default()))
    }

    /// How many spans are lost, and why. With `is_late`, pending spans count as lost.
    pub(super) fn lost(&self, is_late: bool) -> Option<(usize, String)> {
        let waiting = if is_late { self.spans.load(Ordering::Relaxed) } else { 0 };
        let lost = self.lost.load(Ordering::Relaxed) + waiting;
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).take();
        let late = || "it did not answer in time".to_owned();
        (lost > 0).then(|| (lost, problem.unwrap_or_else(late)))
    }
}

pub(super) fn size(span: &SpanData) -> usize {
    let texts = span.attributes.iter().map(|attribute| match &attribute.value {
        Value::String(text) => text.as_str().len(),
        _ => 0,
    });
    size_of::<SpanData>() + span.attributes.len() * 64 + span.events.len() * 256 + texts.sum::<usize>()
}

/// Passes spans on within the limits of [`PendingSpans`].
#[derive(Debug)]
pub(super) struct BoundedProcessor {
    batches: BatchSpanProcessor,
    pending: Arc<PendingSpans>,
}

impl BoundedProcessor {
    pub(super) fn new(batches: BatchSpanProcessor, pending: Arc<PendingSpans>) -> Self {
        BoundedProcessor { batches, pending }
    }
}

impl SpanProcessor for BoundedProcessor {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.batches.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if self.pending.add(size(&span)) {
            self.batches.on_end(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_spans_are_limited_in_number_and_size() {
        let pending = PendingSpans::default();
        assert!(pending.add(MAX_BYTES - 10) && !pending.add(11) && pending.add(10));
        pending.remove(2, MAX_BYTES);
        assert!((0..MAX_SPANS).all(|_| pending.add(1)) && !pending.add(1));
        let (lost, problem) = pending.lost(false).unwrap();
        assert_eq!((lost, problem.as_str()), (2, "it takes spans more slowly than the run makes them"));
        assert_eq!(pending.lost(true).unwrap(), (2 + MAX_SPANS, "it did not answer in time".to_owned()));
        assert_eq!(PendingSpans::default().lost(true), None);
    }
}
