//! Which definitions are active on a step, after `disable()`.
//!
//! Definitions are marked as hidden; [`Prompt::activate`] turns the marks into the [`ActiveSet`] of one step, which
//! decides for everything that happens during the step. Hiding a definition during a step therefore affects the next
//! one.

use std::collections::HashSet;

use lmthing_base::checkpoint::ActiveNames;

use super::{
    definitions::{Prompt, ToolMaker},
    hidden::Key,
    kind::{DefinitionKind, Group},
};

/// The definitions that are active on one step, in definition order.
#[derive(Clone, Debug, Default)]
pub struct ActiveSet {
    pub tools: Vec<String>,
    pub functions: Vec<String>,
    pub methods: Vec<String>,
    hidden: HashSet<Key>,
}

impl ActiveSet {
    /// The active set of a resumed step. Its request was already sent, so the hidden sections do not matter.
    pub fn of_names(names: &ActiveNames) -> Self {
        let ActiveNames { tools, functions, methods } = names.clone();
        ActiveSet { tools, functions, methods, hidden: HashSet::new() }
    }

    pub fn names(&self) -> ActiveNames {
        let ActiveSet { tools, functions, methods, .. } = self;
        ActiveNames { tools: tools.clone(), functions: functions.clone(), methods: methods.clone() }
    }

    pub(super) fn shows_section(&self, name: &str) -> bool {
        self.shows(Group::System, name)
    }

    pub(super) fn shows_variable(&self, name: &str) -> bool {
        self.shows(Group::Variable, name)
    }

    fn shows(&self, group: Group, name: &str) -> bool {
        // Nothing is hidden as a rule, and then no key is allocated.
        self.hidden.is_empty() || !self.hidden.contains(&(group, name.to_owned()))
    }
}

impl Prompt {
    /// `reference.disable()`: hides the definition on the step being prepared, or on the next one during a step.
    pub fn disable(&mut self, kind: DefinitionKind, name: &str) {
        self.hidden.add(kind.key(name));
    }

    /// Keeps definitions hidden that were hidden by a function that will not run again.
    pub fn keep_hidden(&mut self) {
        self.hidden.keep();
    }

    /// The active definitions of the step being prepared; resets what `disable()` hid for it.
    ///
    /// `only` restricts the active tools (`options.activeTools`, `stepModifier('tools')`); the lists are intersected.
    pub fn activate(&mut self, only: &[Option<&[String]>]) -> ActiveSet {
        let hidden = self.hidden.take();
        let visible = |group: Group, names: Vec<&String>| -> Vec<String> {
            let is_visible = |name: &&String| hidden.is_empty() || !hidden.contains(&(group, (*name).clone()));
            names.into_iter().filter(is_visible).cloned().collect()
        };
        let mut tools = visible(Group::Tool, self.tools.keys().collect());
        tools.retain(|name| {
            let Some(tool) = self.tools.get(name) else { return true };
            let server = match &tool.maker {
                ToolMaker::Mcp(server) => Some((Group::Mcp, server.to_string())),
                _ => None,
            };
            !hidden.contains(&server.unwrap_or_else(|| tool.kind.key(name)))
        });
        for wanted in only.iter().flatten() {
            tools.retain(|name| wanted.contains(name));
        }
        let functions = visible(Group::Function, self.functions.keys().collect());
        let methods = visible(Group::Method, self.methods.keys().collect());
        ActiveSet { tools, functions, methods, hidden }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::{FunctionDefinition, StepModifications};
    use lmthing_typescript::code::{Declaration, FunctionSignature};

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
    fn hiding_during_a_step_affects_the_next() {
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
    fn definitions_hidden_by_a_function_that_runs_once_stay_hidden() {
        let mut prompt = Prompt::default();
        prompt.define_function("f", function("f")).unwrap();
        prompt.disable(DefinitionKind::DefFunction, "f");
        prompt.keep_hidden();
        for _ in 0..2 {
            assert!(prompt.activate(&[]).functions.is_empty());
        }
    }
}
