//! Saves and restores the pending state of a prompt, to resume it in another process.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    definitions::Prompt,
    hidden::Hidden,
    kind::{DefinitionKind, Group, WEB_SEARCH},
};
use lmthing_base::chat::{Message, Transcript};

/// What lasts until the next step is sent, or until the results of the current one have arrived.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct PendingState {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reminded: Vec<(DefinitionKind, String)>,
    #[serde(skip_serializing_if = "Hidden::is_empty")]
    hidden: Hidden,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Message>,
}

impl Prompt {
    /// The pending reminders, hidden definitions and queued messages; `null` if there are none.
    pub fn due(&self) -> Value {
        let waiting = self.waiting.iter().flatten().cloned().collect();
        let due =
            PendingState { reminded: self.reminded.iter().cloned().collect(), hidden: self.hidden.clone(), waiting };
        if due.reminded.is_empty() && due.hidden.is_empty() && due.waiting.is_empty() {
            return Value::Null;
        }
        serde_json::to_value(due).unwrap_or_default()
    }

    /// Replaces the pending state. `is_under_way` says whether a step was sent whose results are missing.
    pub fn take_up(&mut self, due: &Value, is_under_way: bool) {
        let due: PendingState = serde_json::from_value(due.clone()).unwrap_or_default();
        self.reminded = due.reminded.into_iter().collect();
        self.hidden = due.hidden;
        self.waiting = is_under_way.then_some(due.waiting);
    }

    pub fn take_up_history(&mut self, messages: Vec<Rc<Message>>) {
        self.history = Transcript::from_messages(messages);
    }

    /// Begins a repeated setup in another process: as in a re-run, messages are ignored, but all existing definitions
    /// are kept.
    pub fn begin_set_up_again(&mut self) {
        let defined = [
            (Group::Variable, self.variables.keys().cloned().collect::<Vec<_>>()),
            (Group::System, self.systems.keys().cloned().collect()),
            (Group::Tool, self.tools.keys().cloned().collect()),
            (Group::Function, self.functions.keys().cloned().collect()),
            (Group::Method, self.methods.keys().cloned().collect()),
            (Group::WebSearch, vec![WEB_SEARCH.to_owned()]),
        ];
        let keys = defined.into_iter().flat_map(|(group, names)| names.into_iter().map(move |name| (group, name)));
        self.defined_in_rerun = Some(keys.collect());
    }
}
