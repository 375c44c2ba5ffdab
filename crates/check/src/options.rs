//! Options of the check of prompt files.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use lmthing_base::input::TextSources;

const RENDER_LIMIT: Duration = Duration::from_secs(10);

/// How files are checked. Can be shared by threads.
#[derive(Clone)]
pub struct CheckOptions {
    /// Whether the prompt function runs once. The file is loaded in either case, to inspect its exports.
    pub render: bool,
    /// The value of `--input`: JSON, `@FILE` or `-`. By default the defaults of the input schema.
    pub input: Option<String>,
    pub sources: Arc<dyn TextSources>,
    /// `process.env` of the render; keys and aliases are looked up here too.
    pub variables: Vec<(String, String)>,
    /// Whether warnings count as errors: those about a missing key are notes then.
    pub is_strict: bool,
    /// Whether requests are compared, for what no provider's cache can keep.
    pub cache: bool,
    pub limit: Duration,
    /// Returns a known model id spelled almost like the given one. Takes a provider's name and an unknown id.
    pub near_model: fn(&str, &str) -> Option<String>,
    /// Whether every definition is located, for [`Report::rendered`](crate::Report::rendered).
    pub locate: bool,
    pub cancellation: Cancellation,
}

/// Ends a check from another thread, whose report is then worthless.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl CheckOptions {
    pub fn new(sources: Arc<dyn TextSources>, variables: Vec<(String, String)>) -> Self {
        CheckOptions {
            render: true,
            input: None,
            sources,
            variables,
            is_strict: false,
            cache: false,
            limit: RENDER_LIMIT,
            near_model: |_, _| None,
            locate: false,
            cancellation: Cancellation::default(),
        }
    }
}
