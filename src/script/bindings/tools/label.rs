//! What messages call something that is run. Must not know how.

/// How error messages call what is run.
#[derive(Clone, Copy)]
pub(crate) struct Label<'a> {
    /// `tool`, `sub-tool`, `function`, …
    pub(crate) noun: &'static str,
    /// As the model called it.
    pub(crate) name: &'a str,
}
