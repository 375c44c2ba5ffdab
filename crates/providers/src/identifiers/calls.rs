//! Ids of calls. The same conversation always has the same ids, as it only grows at its end.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use lmthing_base::chat::{Content, ContentPart, Message, Role};

use super::rule::Rule;

/// Replaces ids that the provider refuses, and those of calls that have the id of an earlier one: some servers count
/// from 0 in every answer.
pub(super) fn replace(messages: &mut [Rc<Message>], rule: &Rule) {
    let replacements = replacements(messages, rule);
    let mut replacements = replacements.into_iter().peekable();
    for (index, message) in messages.iter_mut().enumerate() {
        if replacements.peek().is_none_or(|(position, _)| position.message != index) {
            continue;
        }
        let Content::Parts(parts) = &mut Rc::make_mut(message).content else { continue };
        while let Some((position, id)) = replacements.next_if(|(position, _)| position.message == index) {
            if let Some(ContentPart::ToolCall { tool_call_id, .. } | ContentPart::ToolResult { tool_call_id, .. }) =
                parts.get_mut(position.part)
            {
                *tool_call_id = id;
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Position {
    message: usize,
    part: usize,
}

enum Use<'a> {
    Call(&'a str),
    Result(&'a str),
}

fn replacements(messages: &[Rc<Message>], rule: &Rule) -> Vec<(Position, String)> {
    // Accepted ids keep their text, also those that come later.
    let mut taken: HashSet<String> = HashSet::new();
    let mut called: HashSet<&str> = HashSet::new();
    let mut is_needed = false;
    for (_, used) in uses(messages) {
        let (Use::Call(id) | Use::Result(id)) = used;
        is_needed |= !rule.accepts(id) || (matches!(used, Use::Call(_)) && !called.insert(id));
    }
    if !is_needed {
        return Vec::new();
    }
    taken.extend(
        uses(messages).map(|(_, Use::Call(id) | Use::Result(id))| id).filter(|id| rule.accepts(id)).map(str::to_owned),
    );
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut current: HashMap<&str, Option<String>> = HashMap::new();
    let mut all = Vec::new();
    for (position, used) in uses(messages) {
        let (Use::Call(id) | Use::Result(id)) = used;
        if matches!(used, Use::Call(_)) || !current.contains_key(id) {
            let count = counts.entry(id).or_default();
            let replacement = (*count > 0 || !rule.accepts(id)).then(|| unique(rule, id, *count, &mut taken));
            *count += 1;
            current.insert(id, replacement);
        }
        if let Some(Some(replacement)) = current.get(id) {
            all.push((position, replacement.clone()));
        }
    }
    all
}

/// A new id for the use of `id` number `count`.
fn unique(rule: &Rule, id: &str, count: usize, taken: &mut HashSet<String>) -> String {
    let text = if count == 0 { id.to_owned() } else { format!("{id} {count}") };
    let mut attempt = 0;
    loop {
        let candidate = rule.hashed(&text, attempt);
        if taken.insert(candidate.clone()) {
            return candidate;
        }
        attempt += 1;
    }
}

fn uses(messages: &[Rc<Message>]) -> impl Iterator<Item = (Position, Use<'_>)> {
    messages.iter().enumerate().flat_map(|(index, message)| {
        let is_results = message.role == Role::Tool;
        message.content_parts().iter().enumerate().filter_map(move |(part, content)| {
            let used = match content {
                ContentPart::ToolCall { tool_call_id, provider_executed: false, .. } => Use::Call(tool_call_id),
                ContentPart::ToolResult { tool_call_id, .. } if is_results => Use::Result(tool_call_id),
                _ => return None,
            };
            Some((Position { message: index, part }, used))
        })
    })
}
