//! What the user of a conversation sees and changes of its prompt between two turns.

use std::rc::Rc;

use rquickjs::{Error, IntoJs};

use super::host::ScriptPrompt;
use crate::{
    bindings::{models::resolve::resolve, services},
    prompt::{PromptHost, RunError, TurnPrompt},
};
use lmthing_base::chat::Message;
use lmthing_providers::model_label;

impl TurnPrompt for ScriptPrompt<'_> {
    fn messages(&self) -> Vec<Rc<Message>> {
        self.prompt().borrow().history().to_vec()
    }

    fn model_name(&self) -> String {
        let model = self.chosen_model();
        model_label(model.provider(), model.model_id())
    }

    fn set_model(&self, name: &str) -> std::result::Result<(), RunError> {
        let replaced = || {
            let value = name.into_js(&self.ctx)?;
            let model = resolve(&self.ctx, &value, self.core.mock.borrow().clone())?;
            Ok::<_, Error>((value, model))
        };
        let (value, model) = replaced().map_err(|error| self.to_run_error(error))?;
        let limits = services::limits(&self.ctx).map_err(|error| self.to_run_error(error))?;
        if limits.has_cost() {
            limits.check_prices(&model.model_identities()).map_err(RunError::Usage)?;
        }
        // Agents take the model of their parent.
        self.prompt.borrow().bag.set_model(value);
        self.model.replace(model);
        Ok(())
    }
}
