//! The run as spans, sent to a collector of OpenTelemetry while it goes on (docs/opentelemetry.md).
//!
//! Owns: which variables switch it on, the spans and attributes that events become by the semantic conventions for
//! generative AI, and sending them from a thread of its own, which several runs may share. Whatever goes wrong there costs the run a moment at its end
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

use opentelemetry::trace::SpanContext;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider};

use crate::event::Reader;
pub(crate) use attributes::Clean;
use exporter::Exporter;
use load::{Bounded, Load, MAX_SPANS};
pub(crate) use settings::{Found, Settings, address_variables, header_variables};
use spans::Spans;

/// How long the end of the run may be put off for the spans that are still to be sent.
const LAST_FLUSH: Duration = Duration::from_millis(900);

/// How long spans are collected before they are sent: what has happened can be looked at soon after.
const DELAY: Duration = Duration::from_secs(1);

/// The export of one run.
pub(crate) struct Export {
    shared: SharedExport,
    spans: Rc<RefCell<Spans>>,
}

impl Export {
    /// Begins to listen for spans. `clean` replaces secrets in whatever is going to be sent.
    pub(crate) fn new(settings: Settings, clean: Clean) -> Self {
        let shared = SharedExport::new(settings, &clean);
        let spans = shared.spans(shared.0.parent.clone(), clean);
        Export { shared, spans: Rc::new(RefCell::new(spans)) }
    }

    /// Makes spans of what it reads.
    pub(crate) fn reader(&self) -> Reader {
        reader(self.spans.clone())
    }

    /// Sends what is left, after the last event. Takes a moment at most; says what did not arrive, and why.
    pub(crate) fn end(self) -> Option<String> {
        self.shared.end("this run")
    }
}

/// The export of many runs, side by side on whichever threads: they share what sends, and its bounds. Clones are the same.
#[derive(Clone)]
pub(crate) struct SharedExport(Arc<Sending>);

struct Sending {
    provider: SdkTracerProvider,
    load: Arc<Load>,
    parent: Option<SpanContext>,
    captures_content: bool,
    /// What must not be shown: known to whoever replaces secrets.
    #[cfg(feature = "worker")]
    secrets: Vec<String>,
    /// Where spans go, as it may be shown.
    address: String,
}

impl SharedExport {
    /// Begins to listen for spans. `clean` replaces secrets in what all spans have.
    pub(crate) fn new(settings: Settings, clean: &Clean) -> Self {
        let load = Arc::new(Load::default());
        let (resource, parent) = (settings.resource(clean), settings.parent.clone());
        let (captures_content, address) = (settings.captures_content, settings.address());
        #[cfg(feature = "worker")]
        let secrets = settings.secrets().map(str::to_owned).collect();
        let exporter = Exporter::new(settings, load.clone());
        let batches = BatchConfigBuilder::default().with_max_queue_size(MAX_SPANS).with_scheduled_delay(DELAY).build();
        let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_span_processor(Bounded::new(processor, load.clone()))
            .build();
        SharedExport(Arc::new(Sending {
            provider,
            load,
            parent,
            captures_content,
            #[cfg(feature = "worker")]
            secrets,
            address,
        }))
    }

    fn spans(&self, parent: Option<SpanContext>, clean: Clean) -> Spans {
        Spans::new(&self.0.provider, parent, clean, self.0.captures_content)
    }

    /// Makes spans of what it reads of one run; `parent` is who asked for it, as a W3C header has it. None, when who asked wants
    /// no spans. `clean` replaces the secrets of this run.
    #[cfg(feature = "worker")]
    pub(crate) fn reader(&self, parent: Option<&str>, clean: Clean) -> Option<Reader> {
        let parent = parent.and_then(|parent| parent::parent(parent, None)).or_else(|| self.0.parent.clone());
        if parent.as_ref().is_some_and(|parent| !parent.is_sampled()) {
            return None;
        }
        Some(reader(Rc::new(RefCell::new(self.spans(parent, clean)))))
    }

    /// What must not be shown of how spans are sent.
    #[cfg(feature = "worker")]
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.0.secrets.iter().map(String::as_str)
    }

    /// What did not arrive since this was asked last, and why.
    #[cfg(feature = "worker")]
    pub(crate) fn lost(&self) -> Option<String> {
        let (lost, problem) = self.0.load.take_lost()?;
        Some(self.words(lost, "runs", &problem))
    }

    /// Sends what is left, after the last event. Takes a moment at most; says what did not arrive of `whose` spans, and why.
    pub(crate) fn end(&self, whose: &str) -> Option<String> {
        self.0.load.ends();
        let is_late = self.0.provider.shutdown_with_timeout(LAST_FLUSH).is_err();
        let (lost, problem) = self.0.load.lost(is_late)?;
        Some(self.words(lost, whose, &problem))
    }

    fn words(&self, lost: usize, whose: &str, problem: &str) -> String {
        let spans = if lost == 1 { "1 span".to_owned() } else { format!("{lost} spans") };
        format!(
            "OpenTelemetry: {spans} of {whose} did not reach {}: {problem}. OTEL_SDK_DISABLED=true switches the export off",
            self.0.address
        )
    }
}

fn reader(spans: Rc<RefCell<Spans>>) -> Reader {
    Rc::new(move |event| spans.borrow_mut().take(event))
}
