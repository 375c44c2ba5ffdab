//! What `disable()` hides, and what is left for a step.
//!
//! Hiding is told once here: definitions note it, [`Prompt::activate`] turns it into the [`ActiveSet`] of one step, and
//! whatever happens during that step (tool calls, model-written code) asks that set. Definitions that are hidden while
//! a step is under way thereby count for the next one.

use std::collections::HashSet;

use crate::checkpoint::ActiveNames;

use super::{
    definitions::{Prompt, ToolMaker},
    hidden::Key,
    kind::{DefinitionKind, Group},
};

/// The definitions that count on one step, in definition order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet {
    /// Tools and agents that the model is told of and may call.
    pub tools: Vec<String>,
    /// Functions of code mode, top-level names.
    pub functions: Vec<String>,
    /// Methods for code in the model's text.
    pub methods: Vec<String>,
    hidden: HashSet<Key>,
}

impl ActiveSet {
    /// What counted on a step that goes on in another process: what was shown has been sent.
    pub(crate) fn of_names(names: &ActiveNames) -> Self {
        let ActiveNames { tools, functions, methods } = names.clone();
        ActiveSet { tools, functions, methods, hidden: HashSet::new() }
    }

    /// The same without what only rendering needs.
    pub(crate) fn names(&self) -> ActiveNames {
        let ActiveSet { tools, functions, methods, .. } = self;
        ActiveNames { tools: tools.clone(), functions: functions.clone(), methods: methods.clone() }
    }

    /// Whether a system section is shown, also one that a plugin or an effect brought.
    pub(super) fn shows_section(&self, name: &str) -> bool {
        self.shows(Group::System, name)
    }

    /// Whether a variable is shown.
    pub(super) fn shows_variable(&self, name: &str) -> bool {
        self.shows(Group::Variable, name)
    }

    fn shows(&self, group: Group, name: &str) -> bool {
        // Nearly always nothing is hidden, and then no key has to be made.
        self.hidden.is_empty() || !self.hidden.contains(&(group, name.to_owned()))
    }
}

impl Prompt {
    /// `reference.disable()`: hides the definition on the step being prepared, or on the next one when a step is under way.
    pub(crate) fn disable(&mut self, kind: DefinitionKind, name: &str) {
        self.hidden.add((kind.group(), name.to_owned()));
    }

    /// The body that has just run will not run again: what it hid stays hidden.
    pub(crate) fn keep_hidden(&mut self) {
        self.hidden.keep();
    }

    /// What counts on the step being prepared; uses up what `disable()` hid for it.
    ///
    /// `only` names the tools that are left of the active ones (`options.activeTools`, `stepModifier('tools')`): each list
    /// leaves out more.
    pub(crate) fn activate(&mut self, only: &[Option<&[String]>]) -> ActiveSet {
        let hidden = self.hidden.take();
        let left = |group: Group, names: Vec<&String>| -> Vec<String> {
            let is_left = |name: &&String| hidden.is_empty() || !hidden.contains(&(group, (*name).clone()));
            names.into_iter().filter(is_left).cloned().collect()
        };
        let mut tools = left(Group::Tool, self.tools.keys().collect());
        tools.retain(|name| match self.tools.get(name).map(|tool| &tool.maker) {
            Some(ToolMaker::Mcp(server)) => !hidden.contains(&(Group::Mcp, server.to_string())),
            _ => true,
        });
        for wanted in only.iter().flatten() {
            tools.retain(|name| wanted.contains(name));
        }
        let functions = left(Group::Function, self.functions.keys().collect());
        let methods = left(Group::Method, self.methods.keys().collect());
        ActiveSet { tools, functions, methods, hidden }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        code::{Declaration, FunctionSignature},
        prompt::{FunctionDefinition, StepModifications},
    };

    fn function(name: &str) -> FunctionDefinition {
        let signature = FunctionSignature {
            name: name.into(),
            description: String::new(),
            input_schema: serde_json::json!({}),
            output_schema: None,
        };
        FunctionDefinition { kind: DefinitionKind::DefFunction, declaration: Declaration::Function(signature).into() }
    }

    #[test]
    fn what_is_hidden_during_a_step_counts_for_the_next() {
        let mut prompt = Prompt::default();
        for name in ["now", "next"] {
            prompt.define_function(name, function(name)).unwrap();
        }
        prompt.disable(DefinitionKind::DefFunction, "now");
        let first = prompt.activate(&[]);
        let plan = prompt.prepare_step(first, None, &[], StepModifications::default());
        prompt.disable(DefinitionKind::DefFunction, "next");
        assert_eq!(plan.active.functions, ["next"]);
        prompt.finish_step(Vec::new());
        assert_eq!(prompt.activate(&[]).functions, ["now"]);
        assert_eq!(prompt.activate(&[]).functions, ["now", "next"]);
    }

    #[test]
    fn what_a_body_that_runs_once_hides_stays_hidden() {
        let mut prompt = Prompt::default();
        prompt.define_function("f", function("f")).unwrap();
        prompt.disable(DefinitionKind::DefFunction, "f");
        prompt.keep_hidden();
        for _ in 0..2 {
            assert!(prompt.activate(&[]).functions.is_empty());
        }
    }
}
