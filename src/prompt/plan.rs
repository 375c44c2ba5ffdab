//! What one step sends: definitions minus what is hidden, plus what effects changed for this step.

use std::rc::Rc;

use indexmap::IndexMap;

use super::{
    definitions::{DefinitionKind, Prompt, Variable},
    render::system_prompt,
};
use crate::chat::{Message, PromptMessages, Transcript};

/// What effects asked for through `stepModifier`; holds for one step. Calls add up (SPEC 4).
#[derive(Clone, Debug, Default)]
pub struct StepModifications {
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
pub struct StepPlan {
    pub messages: PromptMessages,
    /// Names of the active tools in definition order.
    pub active_tools: Vec<String>,
}

impl Prompt {
    /// Puts together the next step and uses up what was due for it: hidden definitions and reminders.
    ///
    /// `plain_system` is `config.options.system`; `sections` are status sections that plugins add to every step, after
    /// the prompt's own.
    pub fn prepare_step(
        &mut self,
        plain_system: Option<&str>,
        sections: &[(String, String)],
        modifications: StepModifications,
    ) -> StepPlan {
        let system = self.render_system(plain_system, sections, &modifications);
        let reminder = self.reminder().map(Rc::new).into_iter().collect();
        let history = match modifications.messages {
            Some(messages) => Transcript::from_messages(messages.into_iter().map(Rc::new).collect()),
            None => self.history().clone(),
        };
        let active_tools = self.active_tools(modifications.tools.as_deref());
        let messages = PromptMessages::new(system.map(Message::system), history, reminder);
        self.step_sent();
        StepPlan { messages, active_tools }
    }

    fn render_system(
        &self,
        plain_system: Option<&str>,
        plugin_sections: &[(String, String)],
        modifications: &StepModifications,
    ) -> Option<String> {
        let visible = |kind, name: &str| !self.is_disabled(kind, name);
        let mut sections: IndexMap<&str, &str> = match &modifications.systems {
            Some(given) => given.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect(),
            None => self.systems().collect(),
        };
        for (name, content) in plugin_sections {
            sections.entry(name).or_insert(content);
        }
        sections.retain(|name, _| visible(DefinitionKind::DefSystem, name));
        let mut variables: IndexMap<&str, &Variable> = self.variables().collect();
        variables.extend(modifications.variables.iter().map(|(name, value)| (name.as_str(), value)));
        variables.retain(|name, _| visible(DefinitionKind::Def, name));
        system_prompt(plain_system, sections.into_iter(), variables.into_iter())
    }

    fn active_tools(&self, given: Option<&[String]>) -> Vec<String> {
        self.tools()
            .map(|(name, _)| name)
            .filter(|name| given.is_none_or(|given| given.iter().any(|wanted| wanted == name)))
            .filter(|name| !self.is_disabled(DefinitionKind::DefTool, name))
            .map(str::to_owned)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chat::{ContentPart, Role},
        prompt::ToolDefinition,
    };

    fn prompt() -> Prompt {
        let mut prompt = Prompt::default();
        prompt.define_system("a", "A".into()).unwrap();
        prompt.define_system("b", "B".into()).unwrap();
        prompt.define_variable(DefinitionKind::Def, "X", Variable::Text("1".into())).unwrap();
        for name in ["one", "two"] {
            let definition = ToolDefinition { kind: DefinitionKind::DefTool, description: String::new() };
            prompt.define_tool(name, definition).unwrap();
        }
        prompt.add_message(Role::User, vec![ContentPart::text("hi")]);
        prompt
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
        let first = prompt.prepare_step(None, &[], StepModifications::default());
        assert_eq!(first.active_tools, ["one"]);
        assert!(!texts(&first)[0].contains("<a>"));
        assert_eq!(texts(&first)[2], "[Reminder: keep in mind\n- the tool <one>]");
        let second = prompt.prepare_step(None, &[], StepModifications::default());
        assert_eq!(second.active_tools, ["one", "two"]);
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
        let plan = prompt.prepare_step(Some("plain"), &[("status".into(), "S".into())], modifications);
        let texts = texts(&plan);
        assert_eq!(
            texts[0],
            "plain\n\n<c>\nC\n</c>\n\n<status>\nS\n</status>\n\n<variables>\n  <X>1</X>\n  <Y>2</Y>\n</variables>"
        );
        assert_eq!(texts[1], "short");
        assert_eq!(plan.active_tools, ["two"]);
    }
}
