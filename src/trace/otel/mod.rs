//! The run as spans, sent to a collector of OpenTelemetry while it goes on (docs/opentelemetry.md).
//!
//! Owns: which variables switch it on, the spans and attributes that events become by the semantic conventions for
//! generative AI, and sending them from a thread of its own. Whatever goes wrong there costs the run a moment at its end
//! and nothing else. Must not know: who else reads the events, what is secret (whoever starts it hands in what replaces
//! secrets), the terminal.

mod agent;
mod attributes;
mod chat;
mod content;
mod exporter;
mod load;
mod parent;
mod post;
mod settings;
mod spans;
mod tool;

use std::{cell::RefCell, rc::Rc, sync::Arc, time::Duration};

use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider};

use crate::event::Reader;
pub(crate) use attributes::Clean;
use exporter::Exporter;
use load::{Bounded, Load, MAX_SPANS};
pub(crate) use settings::{Found, Settings};
use spans::Spans;

/// How long the end of the run may be put off for the spans that are still to be sent.
const LAST_FLUSH: Duration = Duration::from_millis(900);

/// How long spans are collected before they are sent: what has happened can be looked at soon after.
const DELAY: Duration = Duration::from_secs(1);

/// The export of one run.
pub(crate) struct Export {
    provider: SdkTracerProvider,
    spans: Rc<RefCell<Spans>>,
    load: Arc<Load>,
    /// Where spans go, as it may be shown.
    address: String,
}

impl Export {
    /// Begins to listen for spans. `clean` replaces secrets in whatever is going to be sent.
    pub(crate) fn new(settings: Settings, clean: Clean) -> Self {
        let load = Arc::new(Load::default());
        let (resource, parent) = (settings.resource(&clean), settings.parent.clone());
        let (captures_content, address) = (settings.captures_content, settings.address());
        let exporter = Exporter::new(settings, load.clone());
        let batches = BatchConfigBuilder::default().with_max_queue_size(MAX_SPANS).with_scheduled_delay(DELAY).build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_span_processor(Bounded::new(processor, load.clone()))
            .build();
        let spans = Spans::new(&provider, parent, clean, captures_content);
        Export { provider, spans: Rc::new(RefCell::new(spans)), load, address }
    }

    /// Makes spans of what it reads.
    pub(crate) fn reader(&self) -> Reader {
        let spans = self.spans.clone();
        Rc::new(move |event| spans.borrow_mut().take(event))
    }

    /// Sends what is left, after the last event. Takes a moment at most; says what did not arrive, and why.
    pub(crate) fn end(self) -> Option<String> {
        self.load.ends();
        let is_late = self.provider.shutdown_with_timeout(LAST_FLUSH).is_err();
        let (lost, problem) = self.load.lost(is_late)?;
        let spans = if lost == 1 { "1 span".to_owned() } else { format!("{lost} spans") };
        Some(format!(
            "OpenTelemetry: {spans} of this run did not reach {}: {problem}. OTEL_SDK_DISABLED=true switches the export off",
            self.address
        ))
    }
}
