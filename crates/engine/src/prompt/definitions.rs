//! The definitions of a prompt, and their reconciliation after a re-run (docs/reference/steps.md).

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use indexmap::{IndexMap, IndexSet};

use super::{
    data::Data,
    hidden::{Hidden, Key},
    kind::{DefinitionKind, Group, NameError, WEB_SEARCH, check_name},
};
use lmthing_base::{
    cache::CacheConversation,
    chat::{ContentPart, Message, ProviderTool, Role, SystemPart, Transcript},
};
use lmthing_typescript::code::Declaration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Plain text, written between its tags as it is.
    Text(String),
    /// `defData`. Shared, as it may be large and a re-run keeps unchanged data.
    Data(Rc<Data>),
}

/// Callbacks and schemas stay with the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    pub kind: DefinitionKind,
    /// As the author wrote it; the description for the model may be longer.
    pub description: String,
    /// Not derivable from the name: an author may define a tool called `startTask`.
    pub maker: ToolMaker,
    /// For a tool that the provider runs, where it has one.
    pub provider_tool: Option<Rc<ProviderTool>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolMaker {
    Author,
    /// `runToolCode`, which exists while there are functions.
    CodeMode,
    Plugin,
    Mcp(Rc<str>),
}

impl ToolDefinition {
    pub fn new(kind: DefinitionKind, description: impl Into<String>) -> Self {
        ToolDefinition { kind, description: description.into(), maker: ToolMaker::Author, provider_tool: None }
    }
}

/// Callbacks stay with the host.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    pub kind: DefinitionKind,
    /// Shared, as converting schemas is expensive and a re-run keeps unchanged ones.
    pub declaration: Rc<Declaration>,
}

#[derive(Debug, Default)]
pub struct Prompt {
    pub(super) variables: IndexMap<String, Variable>,
    pub(super) systems: IndexMap<String, String>,
    pub(super) tools: IndexMap<String, ToolDefinition>,
    pub(super) functions: IndexMap<String, FunctionDefinition>,
    pub(super) methods: IndexMap<String, FunctionDefinition>,
    pub(super) servers: IndexSet<String>,
    /// Listed at the end of the next request.
    pub(super) reminded: IndexSet<(DefinitionKind, String)>,
    pub(super) hidden: Hidden,
    /// The definitions made since the current re-run began; `None` outside of one.
    pub(super) defined_in_rerun: Option<HashSet<Key>>,
    pub(super) history: Transcript,
    pub(super) system: Option<Rc<Message>>,
    /// Where its sections and variables are in it.
    pub(super) system_parts: Rc<[SystemPart]>,
    /// Its requests, of all its runs.
    pub(super) cache: Rc<RefCell<CacheConversation>>,
    /// During a step: messages added meanwhile, which follow its tool results.
    pub(super) waiting: Option<Vec<Message>>,
}

impl Prompt {
    pub(crate) fn cache(&self) -> Rc<RefCell<CacheConversation>> {
        self.cache.clone()
    }

    /// `def` and `defData`. An existing name keeps its position.
    pub fn define_variable(&mut self, kind: DefinitionKind, name: &str, value: Variable) -> Result<(), NameError> {
        self.mark_defined(kind, name)?;
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }

    pub fn define_system(&mut self, name: &str, content: String) -> Result<(), NameError> {
        self.mark_defined(DefinitionKind::DefSystem, name)?;
        self.systems.insert(name.to_owned(), content);
        Ok(())
    }

    pub fn define_tool(&mut self, name: &str, definition: ToolDefinition) -> Result<(), NameError> {
        self.mark_defined(definition.kind, name)?;
        if self.web_search().is_some_and(|search| search == name) {
            self.rename_web_search();
        }
        self.tools.insert(name.to_owned(), definition);
        Ok(())
    }

    /// `defWebSearch`. A prompt has one at most.
    pub fn define_web_search(&mut self, definition: ToolDefinition) -> Result<(), NameError> {
        self.mark_defined(definition.kind, WEB_SEARCH)?;
        let name = self.web_search().map_or_else(|| self.free_name(), str::to_owned);
        self.tools.insert(name, definition);
        Ok(())
    }

    /// The name of the tool that `defWebSearch` has defined.
    pub fn web_search(&self) -> Option<&str> {
        let mut tools = self.tools();
        tools.find(|(_, tool)| tool.kind == DefinitionKind::DefWebSearch).map(|(name, _)| name)
    }

    /// Gives the name of the web search free for another tool.
    fn rename_web_search(&mut self) {
        let free = self.free_name();
        let index = self.tools.values().position(|tool| tool.kind == DefinitionKind::DefWebSearch);
        if let Some((index, (_, search))) = index.and_then(|index| Some((index, self.tools.shift_remove_index(index)?)))
        {
            self.tools.shift_insert(index, free, search);
        }
    }

    fn free_name(&self) -> String {
        let numbered = (2..).map(|number| format!("{WEB_SEARCH}_{number}"));
        let mut names = std::iter::once(WEB_SEARCH.to_owned()).chain(numbered);
        names.find(|name| !self.tools.contains_key(name)).unwrap_or_default()
    }

    pub fn define_function(&mut self, name: &str, definition: FunctionDefinition) -> Result<(), NameError> {
        self.mark_defined(definition.kind, name)?;
        self.callables_mut(definition.kind).insert(name.to_owned(), definition);
        Ok(())
    }

    /// `defMcp`. The tools of the server are defined separately, once they are known.
    pub fn define_server(&mut self, name: &str) -> Result<(), NameError> {
        self.mark_defined(DefinitionKind::DefMcp, name)?;
        self.servers.insert(name.to_owned());
        Ok(())
    }

    /// Marks a definition as made by the re-run, without changing it.
    pub fn define_again(&mut self, kind: DefinitionKind, name: &str) {
        if let Some(defined_in_rerun) = &mut self.defined_in_rerun {
            defined_in_rerun.insert(kind.key(name));
        }
    }

    pub fn remove_tool(&mut self, name: &str) {
        self.tools.shift_remove(name);
    }

    fn callables_mut(&mut self, kind: DefinitionKind) -> &mut IndexMap<String, FunctionDefinition> {
        if kind.group() == Group::Method { &mut self.methods } else { &mut self.functions }
    }

    fn mark_defined(&mut self, kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        check_name(kind, name)?;
        // By group, as `def` may replace `defData` of the same name.
        if let Some(defined_in_rerun) = &mut self.defined_in_rerun {
            defined_in_rerun.insert(kind.key(name));
        }
        Ok(())
    }

    /// Checks a name that an effect gives, like a definition of this kind.
    pub fn check_name(kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        check_name(kind, name)
    }

    /// `reference.remind()`: lists the item once at the end of the next request.
    pub fn remind(&mut self, kind: DefinitionKind, name: &str) {
        self.reminded.insert((kind, name.to_owned()));
    }

    /// `getRemindedItems()`: the reminders not sent yet, in call order.
    pub fn reminded_items(&self) -> impl Iterator<Item = (DefinitionKind, &str)> {
        self.reminded.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    /// Adds a message. Ignored in a re-run, whose messages exist since the first run. During a step the message is
    /// queued until after its tool results, which providers require directly after the calls.
    pub fn add_message(&mut self, role: Role, parts: Vec<ContentPart>) {
        let message = match role {
            // On every wire format the content of a system message is a string.
            Role::System => Message::system(Message::parts(role, parts).plain_text()),
            _ => Message::parts(role, parts),
        };
        if !self.takes_messages() {
            return;
        }
        match &mut self.waiting {
            Some(waiting) => waiting.push(message),
            None => self.history.push(message),
        }
    }

    /// Whether messages are added, not ignored.
    pub fn takes_messages(&self) -> bool {
        self.defined_in_rerun.is_none()
    }

    pub fn history(&self) -> &Transcript {
        &self.history
    }

    pub fn tools(&self) -> impl Iterator<Item = (&str, &ToolDefinition)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    pub fn tool(&self, name: &str) -> Option<&ToolDefinition> {
        self.tools.get(name)
    }

    pub fn defined_as(&self, kind: DefinitionKind, name: &str) -> Option<DefinitionKind> {
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
            Group::WebSearch => self.web_search().map(|_| DefinitionKind::DefWebSearch),
        }
    }

    /// All functions (for `DefMethod`: methods), including hidden ones, in definition order.
    pub fn functions(&self, kind: DefinitionKind) -> impl Iterator<Item = (&str, &FunctionDefinition)> {
        let functions = if kind.group() == Group::Method { &self.methods } else { &self.functions };
        functions.iter().map(|(name, function)| (name.as_str(), function))
    }

    pub fn systems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.systems.iter().map(|(name, content)| (name.as_str(), content.as_str()))
    }

    pub fn data(&self, name: &str) -> Option<&Rc<Data>> {
        match self.variables.get(name)? {
            Variable::Data(data) => Some(data),
            Variable::Text(_) => None,
        }
    }

    pub fn variables(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Begins a re-run of the function: definitions are tracked from now on.
    pub fn begin_rerun(&mut self) {
        self.defined_in_rerun = Some(HashSet::new());
    }

    /// Ends a re-run: removes definitions that it did not make again, and returns those with callbacks.
    pub fn finish_rerun(&mut self) -> Vec<(DefinitionKind, String)> {
        let Some(made) = self.defined_in_rerun.take() else { return Vec::new() };
        let kept = |group: Group, name: &str| made.contains(&(group, name.to_owned()));
        self.variables.retain(|name, _| kept(Group::Variable, name));
        self.systems.retain(|name, _| kept(Group::System, name));
        let mut removed = Vec::new();
        let mut keep = |kind: DefinitionKind, name: &str| {
            let keep = made.contains(&kind.key(name));
            if !keep {
                removed.push((kind, name.to_owned()));
            }
            keep
        };
        // The host has callbacks only for these.
        self.tools.retain(|name, tool| keep(tool.kind, name));
        self.functions.retain(|name, function| keep(function.kind, name));
        self.methods.retain(|name, method| keep(method.kind, name));
        self.servers.retain(|name| keep(DefinitionKind::DefMcp, name));
        removed
    }

    pub fn abandon_rerun(&mut self) {
        self.defined_in_rerun = None;
    }

    pub(super) fn step_sent(&mut self) {
        self.reminded.clear();
        // A failed step may have left queued messages, which must not be lost.
        self.waiting.get_or_insert_default();
    }

    /// Ends a step: appends the answer and the tool results, then the queued messages.
    pub fn finish_step(&mut self, answer: Vec<Rc<Message>>) {
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
    fn names_that_are_invalid_in_tags_are_refused() {
        for name in ["", "two words", "a<b", "a>b", "tab\t"] {
            let error = Prompt::check_name(DefinitionKind::DefTool, name).unwrap_err().to_string();
            assert!(error.starts_with("defTool: ") && error.contains(&format!("{name:?}")), "{error}");
        }
        assert_eq!(Prompt::check_name(DefinitionKind::Def, "größe-1.2"), Ok(()));
    }

    #[test]
    fn a_rerun_removes_missing_definitions_and_keeps_positions() {
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
    fn messages_of_a_rerun_are_ignored_and_those_of_a_step_follow_its_results() {
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
