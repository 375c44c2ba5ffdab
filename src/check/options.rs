//! How files are checked. Plain data; must not know what is typed for it.

use std::{sync::Arc, time::Duration};

use crate::input::TextSources;

/// How long loading a file and its first render may take.
const RENDER_LIMIT: Duration = Duration::from_secs(10);

/// How files are checked. May be shared by threads.
#[derive(Clone)]
pub(crate) struct CheckOptions {
    /// Whether the prompt function runs once. The file is loaded in any case: its exports are looked at.
    pub(crate) render: bool,
    /// The whole input as it was typed (`--input`): JSON, `@FILE` or `-`. Without one its schema's defaults have to do.
    pub(crate) input: Option<String>,
    /// Where the texts are that `input` names.
    pub(crate) sources: Arc<dyn TextSources>,
    /// `process.env` of the render, and where keys and aliases are looked up.
    pub(crate) variables: Vec<(String, String)>,
    /// How long loading the file and its first render may take together.
    pub(crate) limit: Duration,
    /// The id of a model that is known, for a provider's name and an id that is not and is spelt almost so.
    pub(crate) near_model: fn(&str, &str) -> Option<String>,
}

impl CheckOptions {
    /// With a render, without an input.
    pub(crate) fn new(sources: Arc<dyn TextSources>, variables: Vec<(String, String)>) -> Self {
        CheckOptions { render: true, input: None, sources, variables, limit: RENDER_LIMIT, near_model: |_, _| None }
    }
}
