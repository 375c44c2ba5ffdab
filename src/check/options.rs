//! Options of the check of prompt files.

use std::{sync::Arc, time::Duration};

use crate::input::TextSources;

const RENDER_LIMIT: Duration = Duration::from_secs(10);

/// How files are checked. Can be shared by threads.
#[derive(Clone)]
pub(crate) struct CheckOptions {
    /// Whether the prompt function runs once. The file is loaded in either case, to inspect its exports.
    pub(crate) render: bool,
    /// The value of `--input`: JSON, `@FILE` or `-`. Without one, the defaults of the input schema are used.
    pub(crate) input: Option<String>,
    /// Where the texts that `input` names are read from.
    pub(crate) sources: Arc<dyn TextSources>,
    /// `process.env` of the render; keys and aliases are looked up here too.
    pub(crate) variables: Vec<(String, String)>,
    /// How long loading the file and its first render may take together.
    pub(crate) limit: Duration,
    /// Returns the known model id that is spelled almost like the given one, for a provider's name and an unknown id.
    pub(crate) near_model: fn(&str, &str) -> Option<String>,
}

impl CheckOptions {
    pub(crate) fn new(sources: Arc<dyn TextSources>, variables: Vec<(String, String)>) -> Self {
        CheckOptions { render: true, input: None, sources, variables, limit: RENDER_LIMIT, near_model: |_, _| None }
    }
}
