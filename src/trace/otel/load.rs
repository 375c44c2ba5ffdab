//! What waits to be sent, and what never will be: shared by the thread of the run and the one that sends. Memory is bounded
//! here, in spans and in bytes. Must not know how anything is sent.

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

/// How many spans may wait.
pub(super) const MAX_SPANS: usize = 8192;

/// How much they may be, content of messages above all.
const MAX_BYTES: usize = 32 << 20;

/// What waits and what was lost.
#[derive(Debug, Default)]
pub(super) struct Load {
    spans: AtomicUsize,
    bytes: AtomicUsize,
    lost: AtomicUsize,
    is_ending: AtomicBool,
    /// Why the last spans that were lost were lost.
    problem: Mutex<Option<String>>,
}

impl Load {
    /// Takes a span in, unless too much is waiting.
    fn add(&self, bytes: usize) -> bool {
        let is_full = self.spans.load(Ordering::Relaxed) >= MAX_SPANS
            || self.bytes.load(Ordering::Relaxed).saturating_add(bytes) > MAX_BYTES;
        if is_full {
            self.fails(1, "it takes spans more slowly than the run makes them".to_owned());
            return false;
        }
        self.spans.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        true
    }

    /// Spans wait no longer: they have arrived or are lost.
    pub(super) fn settles(&self, spans: usize, bytes: usize) {
        self.spans.fetch_sub(spans, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Spans are lost.
    pub(super) fn fails(&self, spans: usize, problem: String) {
        self.lost.fetch_add(spans, Ordering::Relaxed);
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
    }

    /// The run is over, and somebody waits.
    pub(super) fn ends(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// How many spans are lost since this was asked last, and why the last of them.
    #[cfg(feature = "worker")]
    pub(super) fn take_lost(&self) -> Option<(usize, String)> {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).take();
        (lost > 0).then(|| (lost, problem.unwrap_or_default()))
    }

    /// How many spans are lost, and why. `is_late` says that nobody waits for those under way any more.
    pub(super) fn lost(&self, is_late: bool) -> Option<(usize, String)> {
        let waiting = if is_late { self.spans.load(Ordering::Relaxed) } else { 0 };
        let lost = self.lost.load(Ordering::Relaxed) + waiting;
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).take();
        let late = || "it did not answer in time".to_owned();
        (lost > 0).then(|| (lost, problem.unwrap_or_else(late)))
    }
}

/// About how much memory a span takes.
pub(super) fn size(span: &SpanData) -> usize {
    let texts = span.attributes.iter().map(|attribute| match &attribute.value {
        Value::String(text) => text.as_str().len(),
        _ => 0,
    });
    size_of::<SpanData>() + span.attributes.len() * 64 + span.events.len() * 256 + texts.sum::<usize>()
}

/// Hands spans on to be sent as long as there is room.
#[derive(Debug)]
pub(super) struct Bounded {
    batches: BatchSpanProcessor,
    load: Arc<Load>,
}

impl Bounded {
    pub(super) fn new(batches: BatchSpanProcessor, load: Arc<Load>) -> Self {
        Bounded { batches, load }
    }
}

impl SpanProcessor for Bounded {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.batches.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if self.load.add(size(&span)) {
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
    fn what_waits_is_bounded_in_number_and_in_size() {
        let load = Load::default();
        assert!(load.add(MAX_BYTES - 10) && !load.add(11) && load.add(10));
        load.settles(2, MAX_BYTES);
        assert!((0..MAX_SPANS).all(|_| load.add(1)) && !load.add(1));
        let (lost, problem) = load.lost(false).unwrap();
        assert_eq!((lost, problem.as_str()), (2, "it takes spans more slowly than the run makes them"));
        assert_eq!(load.lost(true).unwrap(), (2 + MAX_SPANS, "it did not answer in time".to_owned()));
        assert_eq!(Load::default().lost(true), None);
    }
}
