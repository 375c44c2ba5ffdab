//! What one step sends: definitions minus what is hidden, plus what effects changed for this step.

use std::rc::Rc;

use indexmap::IndexMap;

use super::{
    active::ActiveSet,
    definitions::{Prompt, Variable},
    render::system_prompt,
};
use crate::chat::{Message, PromptMessages, Transcript};

/// What effects asked for through `stepModifier`; holds for one step. Calls add up.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepModifications {
    /// Replaces the conversation.
    pub messages: Option<Vec<Message>>,
    /// Replaces the active tools, by name.
    pub tools: Option<Vec<String>>,
    /// Replaces the system sections.
    pub systems: Option<IndexMap<String, String>>,
    /// Merged over the variables.
    pub variables: IndexMap<String, Variable>,
}

/// One step, ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct StepPlan {
    /// What is sent, system prompt first.
    pub messages: PromptMessages,
    /// What counts during the step.
    pub active: ActiveSet,
}

impl Prompt {
    /// Puts together the next step from what is active on it, and uses up the reminders.
    ///
    /// `plain_system` is `config.options.system`; `sections` are status sections that plugins add to every step, after
    /// the prompt's own.
    pub(crate) fn prepare_step(
        &mut self,
        active: ActiveSet,
        plain_system: Option<&str>,
        sections: &[(String, String)],
        modifications: StepModifications,
    ) -> StepPlan {
        let system = self.render_system(&active, plain_system, sections, &modifications);
        let reminder = self.reminder().map(Rc::new).into_iter().collect();
        // A conversation of the step's own; the real one goes on beside it, unchanged.
        let history = match modifications.messages {
            Some(messages) => Transcript::from_messages(messages.into_iter().map(Rc::new).collect()),
            None => self.history().clone(),
        };
        let messages = PromptMessages::new(system.clone(), history, reminder);
        self.system = system;
        self.step_sent();
        StepPlan { messages, active }
    }

    fn render_system(
        &self,
        active: &ActiveSet,
        plain_system: Option<&str>,
        plugin_sections: &[(String, String)],
        modifications: &StepModifications,
    ) -> Option<Rc<Message>> {
        let mut sections: IndexMap<&str, &str> = match &modifications.systems {
            Some(given) => given.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect(),
            None => self.systems().collect(),
        };
        for (name, content) in plugin_sections {
            // A section that the prompt made under this name is the one that counts.
            sections.entry(name).or_insert(content);
        }
        // Last, so that hiding a definition also hides what an effect or a plugin made of it.
        sections.retain(|name, _| active.shows_section(name));
        let mut variables: IndexMap<&str, &Variable> = self.variables().collect();
        variables.extend(modifications.variables.iter().map(|(name, value)| (name.as_str(), value)));
        variables.retain(|name, _| active.shows_variable(name));
        let text = system_prompt(plain_system, sections.into_iter(), variables.into_iter())?;
        let before = self.system.as_ref().filter(|before| before.as_text().is_some_and(|before| text.are(before)));
        Some(before.cloned().unwrap_or_else(|| Rc::new(Message::system(text))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chat::{ContentPart, Role},
        prompt::{DefinitionKind, ToolDefinition},
    };

    fn prompt() -> Prompt {
        let mut prompt = Prompt::default();
        prompt.define_system("a", "A".into()).unwrap();
        prompt.define_system("b", "B".into()).unwrap();
        prompt.define_variable(DefinitionKind::Def, "X", Variable::Text("1".into())).unwrap();
        for name in ["one", "two"] {
            prompt.define_tool(name, ToolDefinition::new(DefinitionKind::DefTool, "")).unwrap();
        }
        prompt.add_message(Role::User, vec![ContentPart::text("hi")]);
        prompt
    }

    fn next(prompt: &mut Prompt) -> StepPlan {
        let active = prompt.activate(&[]);
        prompt.prepare_step(active, None, &[], StepModifications::default())
    }

    fn texts(plan: &StepPlan) -> Vec<String> {
        plan.messages.to_vec().iter().map(|message| message.plain_text()).collect()
    }

    #[test]
    fn hidden_definitions_and_reminders_hold_for_one_step() {
        let mut prompt = prompt();
        prompt.disable(DefinitionKind::DefSystem, "a");
        prompt.disable(DefinitionKind::DefTool, "two");
        prompt.remind(DefinitionKind::DefTool, "one");
        let first = next(&mut prompt);
        assert_eq!(first.active.tools, ["one"]);
        assert!(!texts(&first)[0].contains("<a>"));
        assert_eq!(texts(&first)[2], "[Reminder: keep in mind\n- the tool <one>]");
        let second = next(&mut prompt);
        assert_eq!(second.active.tools, ["one", "two"]);
        assert!(texts(&second)[0].starts_with("<a>"));
        assert_eq!(texts(&second).len(), 2);
    }

    #[test]
    fn modifications_replace_sections_and_merge_variables() {
        let mut prompt = prompt();
        let modifications = StepModifications {
            systems: Some([("c".to_owned(), "C".to_owned())].into_iter().collect()),
            variables: [("Y".to_owned(), Variable::Text("2".into()))].into_iter().collect(),
            messages: Some(vec![Message::text(Role::User, "short")]),
            tools: Some(vec!["two".into()]),
        };
        let active = prompt.activate(&[modifications.tools.as_deref()]);
        let plan = prompt.prepare_step(active, Some("plain"), &[("status".into(), "S".into())], modifications);
        let texts = texts(&plan);
        assert_eq!(
            texts[0],
            "plain\n\n<c>\nC\n</c>\n\n<status>\nS\n</status>\n\n<variables>\n  <X>1</X>\n  <Y>2</Y>\n</variables>"
        );
        assert_eq!(texts[1], "short");
        assert_eq!(plan.active.tools, ["two"]);
    }
}
