//! The definitions of a prompt and how they live from one run of the function to the next.

use std::{collections::HashSet, hash::Hash};

use indexmap::{IndexMap, IndexSet};
use thiserror::Error;

use crate::chat::{ContentPart, Message, Role, Transcript};

/// Which `def*` method made a definition; shown as `type` by `getRemindedItems()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    Def,
    DefData,
    DefSystem,
    DefTool,
    DefAgent,
    DefFunction,
    DefFunctionAgent,
    DefMethod,
}

/// Definitions of one group share a name space: `def` and `defData`, `defTool` and `defAgent`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Group {
    Variable,
    System,
    Tool,
    Function,
    Method,
}

impl DefinitionKind {
    /// The JavaScript method's name.
    pub fn method(self) -> &'static str {
        match self {
            DefinitionKind::Def => "def",
            DefinitionKind::DefData => "defData",
            DefinitionKind::DefSystem => "defSystem",
            DefinitionKind::DefTool => "defTool",
            DefinitionKind::DefAgent => "defAgent",
            DefinitionKind::DefFunction => "defFunction",
            DefinitionKind::DefFunctionAgent => "defFunctionAgent",
            DefinitionKind::DefMethod => "defMethod",
        }
    }

    /// What a person calls it, for reminders.
    pub(super) fn noun(self) -> &'static str {
        match self {
            DefinitionKind::Def | DefinitionKind::DefData => "variable",
            DefinitionKind::DefSystem => "section",
            DefinitionKind::DefTool => "tool",
            DefinitionKind::DefAgent => "agent",
            DefinitionKind::DefFunction => "function",
            DefinitionKind::DefFunctionAgent => "function agent",
            DefinitionKind::DefMethod => "method",
        }
    }

    fn group(self) -> Group {
        match self {
            DefinitionKind::Def | DefinitionKind::DefData => Group::Variable,
            DefinitionKind::DefSystem => Group::System,
            DefinitionKind::DefTool | DefinitionKind::DefAgent => Group::Tool,
            DefinitionKind::DefFunction | DefinitionKind::DefFunctionAgent => Group::Function,
            DefinitionKind::DefMethod => Group::Method,
        }
    }
}

/// A name that cannot stand in a tag (SPEC 2).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{method}: the name {name:?} must be a non-empty string without white space, '<' or '>'")]
pub struct NameError {
    method: &'static str,
    name: String,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// `def`: stands between its tags as it is.
    Text(String),
    /// `defData`: YAML, ending in a line feed.
    Yaml(String),
}

/// A tool or agent as the prompt knows it; its callbacks and schemas stay with the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    pub kind: DefinitionKind,
    pub description: String,
}

/// What has been defined so far, the conversation, and what is due on the next step.
#[derive(Debug, Default)]
pub struct Prompt {
    pub(super) variables: IndexMap<String, Variable>,
    pub(super) systems: IndexMap<String, String>,
    pub(super) tools: IndexMap<String, ToolDefinition>,
    /// Functions and methods: the host keeps what they do, here they only live and die.
    others: IndexMap<(Group, String), DefinitionKind>,
    pub(super) reminded: IndexSet<(DefinitionKind, String)>,
    disabled: HashSet<(Group, String)>,
    /// Hidden on every step: by a body that runs only once, an agent's callback.
    always_disabled: HashSet<(Group, String)>,
    in_only_body: bool,
    /// What is hidden on the step under way; `disabled` already collects for the next one.
    hidden_now: HashSet<(Group, String)>,
    /// Names made since the current re-run began; `None` outside of one.
    made_again: Option<HashSet<(Group, String)>>,
    history: Transcript,
    /// Messages added while a step was under way; they follow its tool results.
    waiting: Vec<Message>,
    step_under_way: bool,
}

impl Prompt {
    /// Checks a definition's name: not empty, no white space, no angle brackets (SPEC 2).
    pub fn check_name(kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        let fits = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '<' || c == '>');
        if fits { Ok(()) } else { Err(NameError { method: kind.method(), name: name.to_owned() }) }
    }

    /// `def` and `defData`. The same name again replaces the value and keeps the place.
    pub fn define_variable(&mut self, kind: DefinitionKind, name: &str, value: Variable) -> Result<(), NameError> {
        self.mark(kind, name)?;
        self.variables.insert(name.to_owned(), value);
        Ok(())
    }

    /// `defSystem`.
    pub fn define_system(&mut self, name: &str, content: String) -> Result<(), NameError> {
        self.mark(DefinitionKind::DefSystem, name)?;
        self.systems.insert(name.to_owned(), content);
        Ok(())
    }

    /// `defTool` and `defAgent`.
    pub fn define_tool(&mut self, name: &str, definition: ToolDefinition) -> Result<(), NameError> {
        self.mark(definition.kind, name)?;
        self.tools.insert(name.to_owned(), definition);
        Ok(())
    }

    /// `defFunction`, `defFunctionAgent` and `defMethod`: what they do is the host's.
    pub fn define_other(&mut self, kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        self.mark(kind, name)?;
        self.others.insert((kind.group(), name.to_owned()), kind);
        Ok(())
    }

    fn mark(&mut self, kind: DefinitionKind, name: &str) -> Result<(), NameError> {
        Prompt::check_name(kind, name)?;
        if let Some(made_again) = &mut self.made_again {
            made_again.insert((kind.group(), name.to_owned()));
        }
        Ok(())
    }

    /// Whether a definition of this kind's group exists and is not hidden on the step under way, or else on the one being
    /// prepared.
    pub fn is_active(&self, kind: DefinitionKind, name: &str) -> bool {
        let exists = match kind.group() {
            Group::Variable => self.variables.contains_key(name),
            Group::System => self.systems.contains_key(name),
            Group::Tool => self.tools.contains_key(name),
            group @ (Group::Function | Group::Method) => self.others.contains_key(&(group, name.to_owned())),
        };
        let hidden = if self.step_under_way {
            self.hidden_now.contains(&(kind.group(), name.to_owned()))
        } else {
            self.is_disabled(kind, name)
        };
        exists && !hidden
    }

    /// `reference.disable()`: hides the definition on the step being prepared, or on the next one; on every step when
    /// called in the body (SPEC 2), also in a body that runs only once.
    pub fn disable(&mut self, kind: DefinitionKind, name: &str) {
        let hidden = if self.in_only_body { &mut self.always_disabled } else { &mut self.disabled };
        hidden.insert((kind.group(), name.to_owned()));
    }

    /// A body that will not run again (an agent's callback) begins or ends: what it hides stays hidden.
    pub fn set_in_only_body(&mut self, inside: bool) {
        self.in_only_body = inside;
    }

    pub(super) fn is_disabled(&self, kind: DefinitionKind, name: &str) -> bool {
        let hidden_in =
            |hidden: &HashSet<(Group, String)>| !hidden.is_empty() && hidden.contains(&(kind.group(), name.to_owned()));
        hidden_in(&self.disabled) || hidden_in(&self.always_disabled)
    }

    /// `reference.remind()`: names the item once at the end of the next request.
    pub fn remind(&mut self, kind: DefinitionKind, name: &str) {
        self.reminded.insert((kind, name.to_owned()));
    }

    /// `getRemindedItems()`: what has been reminded and not been sent yet, in call order.
    pub fn reminded_items(&self) -> impl Iterator<Item = (DefinitionKind, &str)> {
        self.reminded.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    /// Adds a message. A re-run adds none (SPEC 3); what is added while a step is under way follows its tool results.
    pub fn add_message(&mut self, role: Role, parts: Vec<ContentPart>) {
        let message = match role {
            Role::System => Message::system(Message::parts(role, parts).plain_text()),
            _ => Message::parts(role, parts),
        };
        if self.made_again.is_some() {
            return;
        }
        if self.step_under_way { self.waiting.push(message) } else { self.history.push(message) }
    }

    /// The conversation so far.
    pub fn history(&self) -> &Transcript {
        &self.history
    }

    /// The tools there are, hidden ones included, in definition order.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &ToolDefinition)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// The system sections there are, hidden ones included, in definition order.
    pub fn systems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.systems.iter().map(|(name, content)| (name.as_str(), content.as_str()))
    }

    /// The variables there are, hidden ones included, in definition order.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The function runs again: from now on, note what it makes.
    pub fn begin_rerun(&mut self) {
        self.made_again = Some(HashSet::new());
    }

    /// The function has run again: removes what it did not make again, and names those tools, functions and methods.
    pub fn finish_rerun(&mut self) -> Vec<(DefinitionKind, String)> {
        let Some(made) = self.made_again.take() else { return Vec::new() };
        let kept = |group: Group, name: &str| made.contains(&(group, name.to_owned()));
        self.variables.retain(|name, _| kept(Group::Variable, name));
        self.systems.retain(|name, _| kept(Group::System, name));
        let mut removed = Vec::new();
        self.tools.retain(|name, tool| {
            let keep = kept(Group::Tool, name);
            if !keep {
                removed.push((tool.kind, name.clone()));
            }
            keep
        });
        self.others.retain(|(group, name), kind| {
            let keep = kept(*group, name);
            if !keep {
                removed.push((*kind, name.clone()));
            }
            keep
        });
        removed
    }

    /// The re-run threw: keeps everything as it was.
    pub fn abandon_rerun(&mut self) {
        self.made_again = None;
    }

    /// A step was sent: what held for it only is over, and messages wait for its results.
    pub(super) fn step_sent(&mut self) {
        self.hidden_now = std::mem::take(&mut self.disabled);
        self.hidden_now.extend(self.always_disabled.iter().cloned());
        self.reminded.clear();
        self.step_under_way = true;
    }

    /// A step ended: appends what the model said and the tool results, then the messages that waited.
    pub fn finish_step(&mut self, answer: Vec<Message>) {
        for message in answer.into_iter().chain(std::mem::take(&mut self.waiting)) {
            self.history.push(message);
        }
        self.step_under_way = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(kind: DefinitionKind) -> ToolDefinition {
        ToolDefinition { kind, description: String::new() }
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
    fn what_is_hidden_stays_hidden_until_its_step_is_over() {
        let mut prompt = Prompt::default();
        let is_active = |prompt: &Prompt, name| prompt.is_active(DefinitionKind::DefFunction, name);
        for name in ["now", "next"] {
            prompt.define_other(DefinitionKind::DefFunction, name).unwrap();
        }
        prompt.disable(DefinitionKind::DefFunction, "now");
        prompt.step_sent();
        prompt.disable(DefinitionKind::DefFunction, "next");
        assert_eq!((is_active(&prompt, "now"), is_active(&prompt, "next")), (false, true));
        prompt.finish_step(Vec::new());
        assert_eq!((is_active(&prompt, "now"), is_active(&prompt, "next")), (true, false));
    }

    #[test]
    fn messages_of_a_rerun_are_dropped_and_those_of_a_step_follow_its_results() {
        let mut prompt = Prompt::default();
        prompt.add_message(Role::User, vec![ContentPart::text("question")]);
        prompt.step_sent();
        prompt.add_message(Role::User, vec![ContentPart::text("later")]);
        prompt.finish_step(vec![Message::text(Role::Assistant, "answer")]);
        prompt.begin_rerun();
        prompt.add_message(Role::User, vec![ContentPart::text("question")]);
        prompt.finish_rerun();
        let texts: Vec<_> = prompt.history().to_vec().iter().map(|message| message.plain_text()).collect();
        assert_eq!(texts, ["question", "answer", "later"]);
    }
}
