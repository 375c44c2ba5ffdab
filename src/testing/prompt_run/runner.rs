//! Runs prompt files for the tests of one file. Must not know what is asked of a run, nor what is reported.

use std::{path::Path, rc::Rc};

use crate::{
    diagnostic::Diagnostic,
    permission::Permissions,
    provider::Redactor,
    script::{ScriptHost, bindings::Exchanges},
};

/// What all runs of a test file have in common.
pub(crate) struct PromptRunnerOptions {
    /// Where output and warnings of prompt files go.
    pub host: Rc<dyn ScriptHost>,
    /// The environment, unless the test file has looked at `process.env`.
    pub variables: Vec<(String, String)>,
    /// What prompt files may reach: what the test file may.
    pub permissions: Permissions,
    /// Bytes that one run may use.
    pub max_memory: Option<usize>,
    /// Bytes of stack for scripts.
    pub max_stack_size: usize,
    /// Where answers come from, given the recording that a test names, if it names one.
    pub exchanges: ExchangesOf,
}

/// The exchanges of a run; the redactor knows its secrets. What cannot be replayed is refused, in words for the author.
pub(crate) type ExchangesOf = Box<dyn Fn(Option<&Path>, &Redactor) -> Result<Exchanges, Box<Diagnostic>>>;
