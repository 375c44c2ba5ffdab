//! Sends a run as spans to an OpenTelemetry collector while it runs (docs/reference/opentelemetry.md).
//!
//! Spans follow the semantic conventions for generative AI. They are sent by a separate thread, which several runs may share.
//! Failures only delay the end of a run briefly.

mod agent;
mod attributes;
mod chat;
mod collector;
mod content;
mod exporter;
mod parent;
mod pending;
mod settings;
mod spans;
mod tool;

use std::{cell::RefCell, rc::Rc, sync::Arc, time::Duration};

use opentelemetry::trace::SpanContext;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider};

pub use attributes::Redact;
use exporter::Exporter;
use lmthing_base::event::EventReader;
use pending::{BoundedProcessor, MAX_SPANS, PendingSpans};
pub use settings::{OtelConfig, Settings, address_variables, header_variables};
use spans::RunSpans;

/// How long the end of the run may be delayed to send the remaining spans.
const LAST_FLUSH: Duration = Duration::from_millis(900);

/// How long spans are collected before they are sent, so that they are visible soon.
const DELAY: Duration = Duration::from_secs(1);

pub struct Export {
    shared: SharedExport,
    spans: Rc<RefCell<RunSpans>>,
}

impl Export {
    /// Starts the export. `clean` replaces secrets in everything that is sent.
    pub fn new(settings: Settings, clean: Redact) -> Self {
        let shared = SharedExport::new(settings, &clean);
        let spans = shared.spans(shared.0.parent.clone(), clean);
        Export { shared, spans: Rc::new(RefCell::new(spans)) }
    }

    /// Turns events into spans.
    pub fn reader(&self) -> EventReader {
        reader(self.spans.clone())
    }

    /// Sends the remaining spans, after the last event. Waits briefly; returns which spans did not arrive, and why.
    pub fn end(self) -> Option<String> {
        self.shared.end("this run")
    }
}

/// The export of many concurrent runs, which share the sender and its limits. Clones are the same.
#[derive(Clone)]
pub struct SharedExport(Arc<ExportState>);

struct ExportState {
    provider: SdkTracerProvider,
    pending: Arc<PendingSpans>,
    parent: Option<SpanContext>,
    captures_content: bool,
    /// Secrets in the settings, which must not be shown.
    secrets: Vec<String>,
    address: String,
}

impl SharedExport {
    /// Starts the export. `clean` replaces secrets in the attributes that all spans share.
    pub fn new(settings: Settings, clean: &Redact) -> Self {
        let pending = Arc::new(PendingSpans::default());
        let (resource, parent) = (settings.resource(clean), settings.parent.clone());
        let (captures_content, address) = (settings.captures_content, settings.address());
        let secrets = settings.secrets().map(str::to_owned).collect();
        let exporter = Exporter::new(settings, pending.clone());
        let batches = BatchConfigBuilder::default().with_max_queue_size(MAX_SPANS).with_scheduled_delay(DELAY).build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_span_processor(BoundedProcessor::new(processor, pending.clone()))
            .build();
        SharedExport(Arc::new(ExportState { provider, pending, parent, captures_content, secrets, address }))
    }

    fn spans(&self, parent: Option<SpanContext>, clean: Redact) -> RunSpans {
        RunSpans::new(&self.0.provider, parent, clean, self.0.captures_content)
    }

    /// Turns the events of one run into spans; `parent` is a W3C `traceparent` header. `None` if the parent is not sampled. `clean`
    /// replaces the secrets of this run.
    pub fn reader(&self, parent: Option<&str>, clean: Redact) -> Option<EventReader> {
        let parent = parent.and_then(|parent| parent::parent(parent, None)).or_else(|| self.0.parent.clone());
        if parent.as_ref().is_some_and(|parent| !parent.is_sampled()) {
            return None;
        }
        Some(reader(Rc::new(RefCell::new(self.spans(parent, clean)))))
    }

    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.secrets.iter().map(String::as_str)
    }

    /// Which spans were lost since the last call, and why.
    pub fn lost(&self) -> Option<String> {
        let (lost, problem) = self.0.pending.take_lost()?;
        Some(self.lost_message(lost, "runs", &problem))
    }

    /// Sends the remaining spans, after the last event. Waits briefly; returns which of the spans of `whose` did not arrive, and why.
    pub fn end(&self, whose: &str) -> Option<String> {
        self.0.pending.set_ending();
        let is_late = self.0.provider.shutdown_with_timeout(LAST_FLUSH).is_err();
        let (lost, problem) = self.0.pending.lost(is_late)?;
        Some(self.lost_message(lost, whose, &problem))
    }

    fn lost_message(&self, lost: usize, whose: &str, problem: &str) -> String {
        let spans = if lost == 1 { "1 span".to_owned() } else { format!("{lost} spans") };
        format!(
            "OpenTelemetry: {spans} of {whose} did not reach {}: {problem}. OTEL_SDK_DISABLED=true switches the export off",
            self.0.address
        )
    }
}

fn reader(spans: Rc<RefCell<RunSpans>>) -> EventReader {
    Rc::new(move |event| spans.borrow_mut().handle(event))
}
