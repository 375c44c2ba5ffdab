//! Finds the first part of a request that differs from the one before.

use std::rc::Rc;

use super::{
    marks::{options_without_marks, without_marks},
    rules::{CacheRules, CacheSetting, SettingEffect},
    sent_prompt::{Position, SentPrompt},
};
use crate::chat::{CacheBreakKind, Message, PromptMessages, SystemPart, SystemPartKind, ToolSpec};

/// What has changed first, in the order of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub kind: CacheBreakKind,
    pub name: Option<String>,
    /// Where the requests begin to differ, in the one before. The end if the change may matter or not.
    pub position: Position,
}

impl Change {
    fn new(kind: CacheBreakKind, name: Option<&str>, position: Position) -> Self {
        Change { kind, name: name.map(str::to_owned), position }
    }
}

/// The first difference between requests that follow each other; `None` if the second continues the first. Messages of
/// one step only, such as reminders, do not count.
pub(super) fn change(before: &SentPrompt, now: &SentPrompt, rules: &CacheRules) -> Option<Change> {
    if before.model != now.model {
        return Some(Change::new(CacheBreakKind::Model, Some(&now.model), Position::Start));
    }
    let setting = |effect, position| {
        let name = changed_setting(before, now, rules, effect)?.name();
        Some(Change::new(CacheBreakKind::Settings, Some(name), position))
    };
    setting(SettingEffect::Everything, Position::Start)
        .or_else(|| tool_change(before, now))
        .or_else(|| system_change(&before.messages, &now.messages))
        .or_else(|| setting(SettingEffect::Messages, Position::Message(0)))
        .or_else(|| message_change(&before.messages, &now.messages))
        .or_else(|| setting(SettingEffect::Possible, Position::End))
}

fn changed_setting(
    before: &SentPrompt,
    now: &SentPrompt,
    rules: &CacheRules,
    effect: SettingEffect,
) -> Option<CacheSetting> {
    if Rc::ptr_eq(&before.settings, &now.settings) {
        return None;
    }
    let mut settings = rules.settings.iter().filter(|(_, of)| *of == effect).map(|(setting, _)| *setting);
    settings.find(|setting| setting.differs(&before.settings, &now.settings))
}

fn tool_change(before: &SentPrompt, now: &SentPrompt) -> Option<Change> {
    let (index, name) = match (&before.tools, &now.tools) {
        (Some(before), Some(now)) if Rc::ptr_eq(before, now) => return None,
        (Some(before), Some(now)) => {
            let same_name = |a: &ToolSpec, b: &ToolSpec| a.name == b.name;
            let (index, tool) = first_difference(before, now, same_name, is_same_tool)?;
            (index, &tool.name)
        }
        _ => first_difference(&before.active_tools, &now.active_tools, String::eq, String::eq)?,
    };
    Some(Change::new(CacheBreakKind::Tools, Some(name), Position::Tool(index)))
}

fn system_change(before: &PromptMessages, now: &PromptMessages) -> Option<Change> {
    let (old, new) = (before.system(), now.system());
    if let (Some(old), Some(new)) = (old, new)
        && Rc::ptr_eq(old, new)
    {
        return None;
    }
    let (old, new) = (system_text(old), system_text(new));
    if old == new {
        return None;
    }
    let offset = common_length(old.as_bytes(), new.as_bytes());
    let part = changed_part((old, before.system_parts()), (new, now.system_parts()), offset);
    let kind = match part.map(|part| part.kind) {
        Some(SystemPartKind::Variable) => CacheBreakKind::Variable,
        _ => CacheBreakKind::Section,
    };
    let name = part.map(|part| &*part.name).filter(|name| !name.is_empty());
    Some(Change::new(kind, name, Position::System(offset)))
}

fn system_text(message: Option<&Rc<Message>>) -> &str {
    message.and_then(|message| message.as_text()).unwrap_or_default()
}

/// Compared in blocks first, as the texts are long.
fn common_length(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = old.chunks(BLOCK).zip(new.chunks(BLOCK)).take_while(|(old, new)| old == new).count();
    let start = (blocks * BLOCK).min(old.len()).min(new.len());
    start + old[start..].iter().zip(&new[start..]).take_while(|(old, new)| old == new).count()
}

type SystemText<'a> = (&'a str, &'a [SystemPart]);

fn changed_part<'a>(before: SystemText<'a>, now: SystemText<'a>, offset: usize) -> Option<&'a SystemPart> {
    let ((old, old_parts), (new, new_parts)) = (before, now);
    if old_parts.is_empty() || new_parts.is_empty() {
        // The parts of one of them are not known, such as after the start of another process.
        let mut parts = old_parts.iter().chain(new_parts);
        return parts.find(|part| part.range.end > offset);
    }
    let same_name = |a: &SystemPart, b: &SystemPart| a.kind == b.kind && a.name == b.name;
    let equal =
        |a: &SystemPart, b: &SystemPart| same_name(a, b) && old.get(a.range.clone()) == new.get(b.range.clone());
    first_difference(old_parts, new_parts, same_name, equal).map(|(_, part)| part)
}

fn message_change(before: &PromptMessages, now: &PromptMessages) -> Option<Change> {
    if now.continues(before) {
        return None;
    }
    let (old, new) = (before.history_from(0), now.history_from(0));
    let same = old.iter().zip(&new).take_while(|(a, b)| Rc::ptr_eq(a, b) || is_same_message(a, b)).count();
    (same < old.len()).then(|| Change::new(CacheBreakKind::Message, None, Position::Message(same)))
}

/// Whether messages are the same but for marks of a cache, which move on with the conversation.
fn is_same_message(before: &Message, now: &Message) -> bool {
    before == now || without_marks(before) == without_marks(now)
}

fn is_same_tool(before: &ToolSpec, now: &ToolSpec) -> bool {
    let plain = |tool: &ToolSpec| {
        let provider_options = options_without_marks(tool.provider_options.as_ref());
        ToolSpec { provider_options, ..tool.clone() }
    };
    before == now || plain(before) == plain(now)
}

/// The index of the first difference, and the item that makes it: one that was changed, removed, added or moved.
fn first_difference<'a, T>(
    before: &'a [T],
    now: &'a [T],
    same_name: impl Fn(&T, &T) -> bool,
    equal: impl Fn(&T, &T) -> bool,
) -> Option<(usize, &'a T)> {
    let index = before.iter().zip(now).take_while(|(a, b)| equal(a, b)).count();
    let item = match (before.get(index), now.get(index)) {
        (None, None) => return None,
        (Some(removed), None) => removed,
        (None, Some(added)) => added,
        (Some(old), Some(new)) if same_name(old, new) => new,
        (Some(old), Some(new)) => {
            let is_removed = !now.iter().any(|item| same_name(old, item));
            let is_added = !before.iter().any(|item| same_name(item, new));
            let moved_back = before.get(index + 1).is_some_and(|next| same_name(next, new));
            if is_removed || (!is_added && moved_back) { old } else { new }
        }
    };
    Some((index, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_lengths_are_exact() {
        let long = "x".repeat(1000);
        for (old, new, length) in [("", "", 0), ("ab", "ac", 1), ("ab", "ab", 2), ("ab", "abc", 2), ("b", "", 0)] {
            assert_eq!(common_length(old.as_bytes(), new.as_bytes()), length, "{old} {new}");
            let (old, new) = (long.clone() + old, long.clone() + new);
            assert_eq!(common_length(old.as_bytes(), new.as_bytes()), 1000 + length);
        }
    }
}
