//! What is due on the next step, written down for another process, and a prompt that goes on there. Must not know where it is
//! kept.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    definitions::Prompt,
    hidden::Hidden,
    kind::{DefinitionKind, Group},
};
use crate::chat::{Message, Transcript};

/// What lasts until the next step is sent, or until the results of this one are there.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Due {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reminded: Vec<(DefinitionKind, String)>,
    #[serde(skip_serializing_if = "Hidden::is_empty")]
    hidden: Hidden,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Message>,
}

impl Prompt {
    /// Reminders, what is hidden, and messages that wait for the results of the step under way; `null` when there is nothing.
    pub(crate) fn due(&self) -> Value {
        let waiting = self.waiting.iter().flatten().cloned().collect();
        let due = Due { reminded: self.reminded.iter().cloned().collect(), hidden: self.hidden.clone(), waiting };
        if due.reminded.is_empty() && due.hidden.is_empty() && due.waiting.is_empty() {
            return Value::Null;
        }
        // Keys of maps in it are texts and numbers finite: there is nothing that cannot be written.
        serde_json::to_value(due).unwrap_or_default()
    }

    /// Takes up what was due, in place of what is due now. `is_under_way` says whether a step has been sent whose results are
    /// not there yet.
    pub(crate) fn take_up(&mut self, due: &Value, is_under_way: bool) {
        let due: Due = serde_json::from_value(due.clone()).unwrap_or_default();
        self.reminded = due.reminded.into_iter().collect();
        self.hidden = due.hidden;
        self.waiting = is_under_way.then_some(due.waiting);
    }

    /// Takes up a conversation that began in another process.
    pub(crate) fn take_up_history(&mut self, messages: Vec<Rc<Message>>) {
        self.history = Transcript::from_messages(messages);
    }

    /// What sets the prompt up runs once more, in another process: as in a re-run, its messages are there already. What is
    /// defined by now stays, whether it is defined again or not.
    pub(crate) fn begin_set_up_again(&mut self) {
        let made = [
            (Group::Variable, self.variables.keys().cloned().collect::<Vec<_>>()),
            (Group::System, self.systems.keys().cloned().collect()),
            (Group::Tool, self.tools.keys().cloned().collect()),
            (Group::Function, self.functions.keys().cloned().collect()),
            (Group::Method, self.methods.keys().cloned().collect()),
        ];
        let keys = made.into_iter().flat_map(|(group, names)| names.into_iter().map(move |name| (group, name)));
        self.made_again = Some(keys.collect());
    }
}
