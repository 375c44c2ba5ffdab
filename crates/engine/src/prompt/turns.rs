//! The turns of a conversation: where messages of the user come from when an answer is complete.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::error::RunError;
use lmthing_base::chat::{ContentPart, Message};

/// What follows an answer.
#[derive(Clone, Debug)]
pub enum NextTurn {
    /// A message of the user, which is asked.
    Say(Vec<ContentPart>),
    /// The run ends as [`RunError::Aborted`], to be loaded again from its log.
    Reload,
    /// The run is complete.
    End,
    /// The run ends with this error.
    Fail(RunError),
}

/// What the user sees and changes of a prompt.
pub trait TurnPrompt {
    /// The conversation so far.
    fn messages(&self) -> Vec<Rc<Message>>;

    /// The model as `provider:model`.
    fn model_name(&self) -> String;

    /// Replaces the model from the next request on.
    ///
    /// # Errors
    /// There is no such model, or it has no key; the model stays as it was.
    fn set_model(&self, name: &str) -> Result<(), RunError>;
}

/// The user of a conversation. Only the file's own prompt has one.
pub trait Turns {
    /// The prompt is loaded; its first step follows.
    fn begin(&self) {}

    /// Called when an answer is complete and stored, and before the first request if the prompt has nothing to ask. The
    /// user may look at the `prompt` and change its model meanwhile. The clock of the time limit stands still.
    fn next<'a>(&'a self, prompt: &'a dyn TurnPrompt) -> LocalBoxFuture<'a, NextTurn>;

    /// Whether a message without an answer, with which the run is loaded, is asked before the first call of
    /// [`Turns::next`].
    fn asks_at_once(&self) -> bool {
        true
    }

    /// The model is asked.
    fn begin_answer(&self, _prompt: &dyn TurnPrompt) {}

    /// Resolves when the user stops the answer that is under way.
    fn interrupted(&self) -> LocalBoxFuture<'_, ()> {
        std::future::pending().boxed_local()
    }

    /// A turn has failed. Returns whether the conversation goes on with the next one; if not, the run ends with the error.
    fn goes_on_after(&self, _error: &RunError) -> bool {
        false
    }

    /// Text for the system prompt, in addition to that of the file.
    fn system(&self) -> Option<String> {
        None
    }
}
