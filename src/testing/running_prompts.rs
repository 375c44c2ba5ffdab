//! What runs prompt files for a file of tests, by the options of the command. Must not know which tests.

use std::rc::Rc;

use super::{
    message::Teller,
    options::TestOptions,
    prompt_run::{PromptRunner, PromptRunnerOptions},
};
use crate::{permission::Permissions, script::ScriptHost};

/// Runs prompt files for a file of tests; what they print and warn of goes to `host`.
pub(super) fn runner(options: &TestOptions, teller: &Teller, host: Rc<dyn ScriptHost>) -> PromptRunner {
    PromptRunner::new(PromptRunnerOptions {
        host,
        variables: options.variables.clone(),
        mcp_config: options.mcp_config.as_deref().map(Rc::from),
        redactor: teller.redactor.clone(),
        permissions: Permissions::of_tests(options.is_live),
        recordings: teller.recordings.clone(),
    })
}
