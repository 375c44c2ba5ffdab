//! The definitions of a prompt and how they live from one run of the function to the next (docs/reference.md, "Steps").
//!
//! Must not know what a definition does: callbacks and schemas are the host's.

use std::{collections::HashSet, rc::Rc};

use indexmap::{IndexMap, IndexSet};

use super::{
    data::Data,
    hidden::{Hidden, Key},
    kind::{DefinitionKind, Group, NameError, check_name},
};
use crate::{
    chat::{ContentPart, Message, Role, Transcript},
    code::Declaration,
};

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// `def`: stands between its tags as it is.
    Text(String),
    /// `defData`. Shared: it may be large, and a re-run keeps what has not changed.
    Data(Rc<Data>),
}

/// A tool or agent as the prompt knows it; its callbacks and schemas stay with the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolDefinition {
    /// `DefTool` or `DefAgent`.
    pub kind: DefinitionKind,
    /// As the author wrote it; what the model is told may say more.
    pub description: String,
    /// Who made it. A name says nothing of that: an author may well call a tool of their own `startTask`.
    pub maker: ToolMaker,
}

/// Who made a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolMaker {
    /// The prompt's author, with `defTool` or `defAgent`.
    Author,
    /// Code mode: it is `runToolCode`, which comes and goes with the functions.
    CodeMode,
    /// The task list or the task graph.
    Plugin,
    /// The server of this name, with `defMcp`.
    Mcp(Rc<str>),
}

impl ToolDefinition {
    /// A tool or agent of the author's.
    pub(crate) fn new(kind: DefinitionKind, description: impl Into<String>) -> Self {
        ToolDefinition { kind, description: description.into(), maker: ToolMaker::Author }
    }
}

/// A function or method of code mode as the prompt knows it; its callbacks stay with the host.
#[derive(Clone, Debug)]
pub(crate) struct FunctionDefinition {
    /// `DefFunction`, `DefFunctionAgent` or `DefMethod`.
    pub kind: DefinitionKind,
    /// What the model and the type checker see of it. Shared: converting schemas is dear, and a re-run keeps what it
    /// can.
    pub declaration: Rc<Declaration>,
}

/// What has been defined so far, the conversation, and what is due on the next step.
#[derive(Debug, Default)]
pub(crate) struct Prompt {
    pub(super) variables: IndexMap<String, Variable>,
    /// `defSystem`.
    pub(super) systems: IndexMap<String, String>,
    /// `defTool` and `defAgent`.
    pub(super) tools: IndexMap<String, ToolDefinition>,
    /// `defFunction` and `defFunctionAgent`.
    pub(super) functions: IndexMap<String, FunctionDefinition>,
    /// `defMethod`.
    pub(super) methods: IndexMap<String, FunctionDefinition>,
    /// `defMcp`.
    pub(super) servers: IndexSet<String>,
    /// What the next request reminds of.
    pub(super) reminded: IndexSet<(DefinitionKind, String)>,
    /// What `disable()` has hidden.
    pub(super) hidden: Hidden,
    /// Names made since the current re-run began; `None` outside of one.
    pub(super) made_again: Option<HashSet<Key>>,
    pub(super) history: Transcript,
    /// The system message of the latest step, which the next one shares when it says the same.
    pub(super) system: Option<Rc<Message>>,
    /// While a step is under way: the messages added meanwhile, which follow its tool results.
    pub(super) waiting: Option<Vec<Message>>,
}

impl Prompt {
    /// `def` and `defData`. The same name again replaces the value and keeps the place.
    pub(crate) fn define_variable(
        &mut self,
        kind: DefinitionKind,
        name: &str,
        value: Variable,
    ) -> Result<(), NameError> {
        self.mark(kind, name)?;
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }

    /// `defSystem`.
    pub(crate) fn define_system(&mut self, name: &str, content: String) -> Result<(), NameError> {
        self.mark(DefinitionKind::DefSystem, name)?;
        self.systems.insert(name.to_owned(), content);
        Ok(())
    }

    /// `defTool` and `defAgent`.
    pub(crate) fn define_tool(&mut self, name: &str, definition: ToolDefinition) -> Result<(), NameError> {
        self.mark(definition.kind, name)?;
        self.tools.insert(name.to_owned(), definition);
        Ok(())
    }

    /// `defFunction`, `defFunctionAgent` and `defMethod`.
    pub(crate) fn define_function(&mut self, name: &str, definition: FunctionDefinition) -> Result<(), NameError> {
        self.mark(definition.kind, name)?;
        self.callables_mut(definition.kind).insert(name.to_owned(), definition);
        Ok(())
    }

    /// `defMcp`. What the server's tools are is defined apart, once they are known.
    pub(crate) fn define_server(&mut self, name: &str) -> Result<(), NameError> {
        self.mark(DefinitionKind::DefMcp, name)?;
        self.servers.insert(name.to_owned());
        Ok(())
    }

    /// A re-run makes a definition again that stays as it is.
    pub(crate) fn define_again(&mut self, kind: DefinitionKind, name: &str) {
        if let Some(made_again) = &mut self.made_again {
            made_again.insert((kind.group(), name.to_owned()));
        }
    }

    /// Removes a tool that is there no more.
    pub(crate) fn remove_tool(&mut self, name: &str) {
        self.tools.shift_remove(name);
    }

    fn callables_mut(&mut self, kind: DefinitionKind) -> &mut IndexMap<String, FunctionDefinition> {
        if kind.group() == Group::Method { &mut self.methods } else { &mut self.functions }
    }

    fn mark(&mut self, kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        check_name(kind, name)?;
        // By group: `def` in the place of `defData` makes the same definition again.
        if let Some(made_again) = &mut self.made_again {
            made_again.insert((kind.group(), name.to_owned()));
        }
        Ok(())
    }

    /// Checks a name that an effect gives, as the definition of this kind would.
    pub(crate) fn check_name(kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        check_name(kind, name)
    }

    /// `reference.remind()`: names the item once at the end of the next request.
    pub(crate) fn remind(&mut self, kind: DefinitionKind, name: &str) {
        self.reminded.insert((kind, name.to_owned()));
    }

    /// `getRemindedItems()`: what has been reminded and not been sent yet, in call order.
    pub(crate) fn reminded_items(&self) -> impl Iterator<Item = (DefinitionKind, &str)> {
        self.reminded.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    /// Adds a message. A re-run adds none, as its messages are there since the first run; what is added while a step is
    /// under way follows its tool results, because providers want those right after the calls.
    pub(crate) fn add_message(&mut self, role: Role, parts: Vec<ContentPart>) {
        let message = match role {
            // The content of a system message is a string on every wire.
            Role::System => Message::system(Message::parts(role, parts).plain_text()),
            _ => Message::parts(role, parts),
        };
        if self.made_again.is_some() {
            return;
        }
        match &mut self.waiting {
            Some(waiting) => waiting.push(message),
            None => self.history.push(message),
        }
    }

    /// The conversation so far.
    pub(crate) fn history(&self) -> &Transcript {
        &self.history
    }

    /// The tools there are, hidden ones included, in definition order.
    pub(crate) fn tools(&self) -> impl Iterator<Item = (&str, &ToolDefinition)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// The tool of this name, hidden or not.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolDefinition> {
        self.tools.get(name)
    }

    /// What defined this name in the name space of `kind`, hidden or not.
    pub(crate) fn defined_as(&self, kind: DefinitionKind, name: &str) -> Option<DefinitionKind> {
        match kind.group() {
            Group::Variable => self.variables.get(name).map(|variable| match variable {
                Variable::Text(_) => DefinitionKind::Def,
                Variable::Data(_) => DefinitionKind::DefData,
            }),
            Group::System => self.systems.contains_key(name).then_some(DefinitionKind::DefSystem),
            Group::Tool => self.tools.get(name).map(|tool| tool.kind),
            Group::Function => self.functions.get(name).map(|function| function.kind),
            Group::Method => self.methods.get(name).map(|method| method.kind),
            Group::Mcp => self.servers.contains(name).then_some(DefinitionKind::DefMcp),
        }
    }

    /// The functions there are (`DefMethod`: the methods), hidden ones included, in definition order.
    pub(crate) fn functions(&self, kind: DefinitionKind) -> impl Iterator<Item = (&str, &FunctionDefinition)> {
        let functions = if kind.group() == Group::Method { &self.methods } else { &self.functions };
        functions.iter().map(|(name, function)| (name.as_str(), function))
    }

    /// The system sections there are, hidden ones included, in definition order.
    pub(crate) fn systems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.systems.iter().map(|(name, content)| (name.as_str(), content.as_str()))
    }

    /// The data of `defData` under this name, hidden or not.
    pub(crate) fn data(&self, name: &str) -> Option<&Rc<Data>> {
        match self.variables.get(name)? {
            Variable::Data(data) => Some(data),
            Variable::Text(_) => None,
        }
    }

    /// The variables there are, hidden ones included, in definition order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The function runs again: from now on, note what it makes.
    pub(crate) fn begin_rerun(&mut self) {
        self.made_again = Some(HashSet::new());
    }

    /// The function has run again: removes what it did not make again, and names those tools, functions and methods.
    pub(crate) fn finish_rerun(&mut self) -> Vec<(DefinitionKind, String)> {
        let Some(made) = self.made_again.take() else { return Vec::new() };
        let kept = |group: Group, name: &str| made.contains(&(group, name.to_owned()));
        self.variables.retain(|name, _| kept(Group::Variable, name));
        self.systems.retain(|name, _| kept(Group::System, name));
        let mut removed = Vec::new();
        let mut keep = |kind: DefinitionKind, name: &str| {
            let keep = kept(kind.group(), name);
            if !keep {
                removed.push((kind, name.to_owned()));
            }
            keep
        };
        // Only of these does the host keep something: what is to be called.
        self.tools.retain(|name, tool| keep(tool.kind, name));
        self.functions.retain(|name, function| keep(function.kind, name));
        self.methods.retain(|name, method| keep(method.kind, name));
        self.servers.retain(|name| keep(DefinitionKind::DefMcp, name));
        removed
    }

    /// The re-run threw: keeps everything as it was.
    pub(crate) fn abandon_rerun(&mut self) {
        self.made_again = None;
    }

    /// A step was sent: what reminded for it only is over, and messages wait for its results.
    pub(super) fn step_sent(&mut self) {
        self.reminded.clear();
        // Not from empty: a step that broke off may have left messages that still wait.
        self.waiting.get_or_insert_default();
    }

    /// A step ended: appends what the model said and the tool results, then the messages that waited.
    pub(crate) fn finish_step(&mut self, answer: Vec<Rc<Message>>) {
        let waiting = self.waiting.take().unwrap_or_default().into_iter().map(Rc::new);
        for message in answer.into_iter().chain(waiting) {
            self.history.push(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(kind: DefinitionKind) -> ToolDefinition {
        ToolDefinition::new(kind, "")
    }

    #[test]
    fn names_that_cannot_stand_in_a_tag_are_refused_with_the_method() {
        for name in ["", "two words", "a<b", "a>b", "tab\t"] {
            let error = Prompt::check_name(DefinitionKind::DefTool, name).unwrap_err().to_string();
            assert!(error.starts_with("defTool: ") && error.contains(&format!("{name:?}")), "{error}");
        }
        assert_eq!(Prompt::check_name(DefinitionKind::Def, "größe-1.2"), Ok(()));
    }

    #[test]
    fn a_rerun_removes_what_it_did_not_make_again_and_keeps_places() {
        let mut prompt = Prompt::default();
        for name in ["a", "b", "c"] {
            prompt.define_tool(name, tool(DefinitionKind::DefTool)).unwrap();
        }
        prompt.begin_rerun();
        prompt.define_tool("c", tool(DefinitionKind::DefAgent)).unwrap();
        prompt.define_tool("a", tool(DefinitionKind::DefTool)).unwrap();
        assert_eq!(prompt.finish_rerun(), vec![(DefinitionKind::DefTool, "b".to_owned())]);
        assert_eq!(prompt.tools().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "c"]);
    }

    #[test]
    fn messages_of_a_rerun_are_dropped_and_those_of_a_step_follow_its_results() {
        let mut prompt = Prompt::default();
        prompt.add_message(Role::User, vec![ContentPart::text("question")]);
        prompt.step_sent();
        prompt.add_message(Role::User, vec![ContentPart::text("later")]);
        prompt.finish_step(vec![Rc::new(Message::text(Role::Assistant, "answer"))]);
        prompt.begin_rerun();
        prompt.add_message(Role::User, vec![ContentPart::text("question")]);
        prompt.finish_rerun();
        let texts: Vec<_> = prompt.history().to_vec().iter().map(|message| message.plain_text()).collect();
        assert_eq!(texts, ["question", "answer", "later"]);
    }
}
