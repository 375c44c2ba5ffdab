//! Hints for errors of scripts that use prompts.

use lmthing_base::diagnostic::closest;
use lmthing_node::Explain;

use super::method_table::Method;

pub(super) struct ExplainPrompts(Vec<&'static str>);

impl ExplainPrompts {
    pub(super) fn new(table: &[Method]) -> Self {
        Self(table.iter().map(|method| method.name).collect())
    }
}

impl Explain for ExplainPrompts {
    fn methods(&self) -> &[&'static str] {
        &self.0
    }

    fn misspelled_method(&self, name: &str, meant: &str) -> String {
        format!("prompts have no '{name}'; did you mean '{meant}'?")
    }

    fn undefined_variable(&self, name: &str) -> Option<String> {
        match name {
            "require" => return Some("prompt files are ES modules: use import instead of require".to_owned()),
            "module" | "exports" => {
                return Some("prompt files are ES modules: use export instead of module.exports".to_owned());
            }
            _ => {}
        }
        if self.0.contains(&name) {
            return Some(format!("'{name}' is a method of the prompt: take it from the argument, ({{ {name} }}) => …"));
        }
        let meant = closest(name, self.0.iter().copied())?;
        Some(format!("did you mean '{meant}', a method of the prompt?"))
    }
}
