//! Names of tools, which depend on the other names in the request only where two would become the same.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

use lmthing_base::chat::{Content, ContentPart, Message, ModelRequest, Role, ToolChoice};

use super::rule::Rule;

#[derive(Debug, Default)]
pub(super) struct Names {
    replacements: BTreeMap<String, String>,
    originals: HashMap<String, String>,
}

impl Names {
    /// The replacements for all refused names of a request: of its tools, its choice and its history.
    pub(super) fn of(request: &ModelRequest, rule: &Rule) -> Self {
        let (mut accepted, mut refused) = (BTreeSet::new(), BTreeSet::new());
        // Tools that only the provider runs are not sent by name.
        let provided = |name: &str| request.tools.iter().any(|tool| tool.name == name && !tool.runs_here());
        for name in all(request) {
            if rule.accepts(name) {
                accepted.insert(name);
            } else if !provided(name) {
                refused.insert(name);
            }
        }
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for cleaned in refused.iter().filter_map(|name| rule.cleaned(name)) {
            *wanted.entry(cleaned).or_default() += 1;
        }
        let mut names = Names::default();
        for name in &refused {
            let is_free = |candidate: &String, names: &Names| {
                !accepted.contains(candidate.as_str()) && !names.originals.contains_key(candidate)
            };
            // Of several names that would become the same, none does, whatever their order.
            let cleaned = rule.cleaned(name).filter(|cleaned| wanted[cleaned] == 1 && is_free(cleaned, &names));
            let hashed = || (0..).map(|attempt| rule.hashed(name, attempt)).find(|hashed| is_free(hashed, &names));
            let Some(replacement) = cleaned.or_else(hashed) else { continue };
            names.originals.insert(replacement.clone(), (*name).to_owned());
            names.replacements.insert((*name).to_owned(), replacement);
        }
        names
    }

    pub(super) fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    pub(super) fn original(&self, name: &str) -> Option<&str> {
        self.originals.get(name).map(String::as_str)
    }

    pub(super) fn replace(&self, request: &mut ModelRequest) {
        if self.is_empty() {
            return;
        }
        request.tools.iter_mut().for_each(|tool| self.replace_name(&mut tool.name));
        if let Some(ToolChoice::Tool(name)) = &mut request.settings.tool_choice {
            self.replace_name(name);
        }
        for message in &mut request.messages {
            if own_names(message).any(|name| self.replacements.contains_key(name))
                && let Content::Parts(parts) = &mut Rc::make_mut(message).content
            {
                parts.iter_mut().filter_map(own_name_mut).for_each(|name| self.replace_name(name));
            }
        }
    }

    fn replace_name(&self, name: &mut String) {
        if let Some(replacement) = self.replacements.get(name) {
            name.clone_from(replacement);
        }
    }
}

fn all(request: &ModelRequest) -> impl Iterator<Item = &str> {
    let chosen = match &request.settings.tool_choice {
        Some(ToolChoice::Tool(name)) => Some(name.as_str()),
        _ => None,
    };
    let history = request.messages.iter().flat_map(|message| own_names(message));
    request.tools.iter().map(|tool| tool.name.as_str()).chain(chosen).chain(history)
}

/// The names in a message, without those that the provider has chosen for tools that it runs.
fn own_names(message: &Message) -> impl Iterator<Item = &str> {
    let is_results = message.role == Role::Tool;
    message.content_parts().iter().filter_map(move |part| match part {
        ContentPart::ToolCall { tool_name, provider_executed: false, .. } => Some(tool_name.as_str()),
        ContentPart::ToolResult { tool_name, .. } if is_results => Some(tool_name.as_str()),
        _ => None,
    })
}

fn own_name_mut(part: &mut ContentPart) -> Option<&mut String> {
    match part {
        ContentPart::ToolCall { tool_name, provider_executed: false, .. }
        | ContentPart::ToolResult { tool_name, .. } => Some(tool_name),
        _ => None,
    }
}
