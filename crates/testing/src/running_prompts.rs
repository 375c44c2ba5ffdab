//! Sets up the runner of prompt files for a test file.

use std::rc::Rc;

use super::{
    message::Teller,
    options::TestOptions,
    prompt_runner::{PromptRunner, PromptRunnerOptions},
};
use lmthing_base::permission::Permissions;
use lmthing_node::ScriptHost;

/// What the prompt files print and warn of goes to `host`.
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
