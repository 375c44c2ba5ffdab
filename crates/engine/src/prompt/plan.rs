//! What one step sends: active definitions with the modifications of effects.

use std::rc::Rc;

use indexmap::IndexMap;

use super::{
    active::ActiveSet,
    definitions::{Prompt, Variable},
    render::system_prompt,
};
use lmthing_base::chat::{Message, PromptMessages, Role, Transcript};

/// The modifications of effects through `stepModifier`, for one step. Several calls are merged.
#[derive(Clone, Debug, Default)]
pub struct StepModifications {
    pub messages: Option<Vec<Message>>,
    pub tools: Option<Vec<String>>,
    pub systems: Option<IndexMap<String, String>>,
    pub variables: IndexMap<String, Variable>,
}

#[derive(Clone, Debug)]
pub struct StepPlan {
    pub messages: PromptMessages,
    pub active: ActiveSet,
}

impl Prompt {
    /// Prepares the next step from its active definitions and clears the reminders.
    ///
    /// `plain_system` is `config.options.system`; `sections` are status sections of plugins, which follow the
    /// prompt's own.
    pub fn prepare_step(
        &mut self,
        active: ActiveSet,
        plain_system: Option<&str>,
        sections: &[(String, String)],
        modifications: StepModifications,
    ) -> StepPlan {
        let system = self.render_system(&active, plain_system, sections, &modifications);
        let reminder = self.reminder().map(Rc::new).into_iter().collect();
        // A replaced conversation is used for this step only.
        let history = match modifications.messages {
            Some(messages) => Transcript::from_messages(messages.into_iter().map(Rc::new).collect()),
            None => self.history().clone(),
        };
        let messages = PromptMessages::new(system.clone(), history, reminder);
        let messages = messages.with_system_parts(self.system_parts.clone());
        self.system = system;
        self.step_sent();
        StepPlan { messages, active }
    }

    /// The reminder of the next request (docs/reference/prompt.md): a user message, so that no provider takes
    /// it for a prefill.
    fn reminder(&self) -> Option<Message> {
        if self.reminded.is_empty() {
            return None;
        }
        let mut text = String::from("[Reminder: keep in mind");
        for (kind, name) in &self.reminded {
            text.push_str("\n- the ");
            text.push_str(kind.noun());
            text.push_str(" <");
            text.push_str(name);
            text.push('>');
        }
        text.push(']');
        Some(Message::text(Role::User, text))
    }

    fn render_system(
        &mut self,
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
            // The prompt's own section of this name takes precedence.
            sections.entry(name).or_insert(content);
        }
        // Last, so that hiding also applies to sections and variables of effects and plugins.
        sections.retain(|name, _| active.shows_section(name));
        let mut variables: IndexMap<&str, &Variable> = self.variables().collect();
        variables.extend(modifications.variables.iter().map(|(name, value)| (name.as_str(), value)));
        variables.retain(|name, _| active.shows_variable(name));
        let text = system_prompt(plain_system, sections.into_iter(), variables.into_iter())?;
        let before = self.system.as_ref().filter(|before| before.as_text().is_some_and(|before| text.equal(before)));
        if let Some(before) = before {
            return Some(before.clone());
        }
        let (parts, message) = (text.parts().into(), Message::system(text));
        self.system_parts = parts;
        Some(Rc::new(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::{DefinitionKind, ToolDefinition};
    use lmthing_base::chat::ContentPart;

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
