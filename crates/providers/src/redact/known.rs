//! The known secrets, and the search for them in a text in any encoding.

use std::{collections::BTreeSet, ops::Range};

use super::{
    heuristics::looks_like_a_key,
    needles::Needles,
    view::{TerminalStrings, View},
};

const MIN_PAIR_LENGTH: usize = 6;

const MAX_LAYERS: usize = 3;

#[derive(Default)]
pub(super) struct KnownSecrets {
    anywhere: Vec<String>,
    in_context: BTreeSet<String>,
    /// The search tables and how many secrets they cover; built on first use.
    needles: Option<(usize, Box<Needles>)>,
    longest: usize,
}

impl KnownSecrets {
    pub(super) fn learn(&mut self, secret: &str) {
        let secret = secret.trim();
        self.longest = self.longest.max(secret.len());
        if looks_like_a_key(secret) {
            self.learn_anywhere(secret);
        } else if !secret.is_empty() && !self.in_context.contains(secret) {
            self.in_context.insert(secret.to_owned());
        }
        // A key of several lines, such as PEM, is often shown in parts.
        if secret.contains('\n') {
            secret.lines().filter(|line| !line.starts_with("-----")).for_each(|line| self.learn(line));
        }
    }

    pub(super) fn learn_pair(&mut self, pair: &str) {
        self.longest = self.longest.max(pair.len());
        if pair.len() >= MIN_PAIR_LENGTH {
            self.learn_anywhere(pair);
        }
    }

    fn learn_anywhere(&mut self, secret: &str) {
        if !self.anywhere.iter().any(|known| known == secret) {
            self.anywhere.push(secret.to_owned());
        }
    }

    pub(super) fn is_secret(&self, value: &str) -> bool {
        self.in_context.contains(value) || self.anywhere.iter().any(|secret| secret == value)
    }

    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Finds secrets as they are and encoded.
    pub(super) fn find_unescaped(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if !self.anywhere.is_empty() {
            self.needles().find(text.as_bytes(), &|_| false, |range| found.push(to_char_boundaries(text, range)));
        }
        found
    }

    /// Finds secrets with escapes.
    pub(super) fn find_escaped(&mut self, text: &str, found: &mut Vec<Range<usize>>) {
        if self.anywhere.is_empty() {
            return;
        }
        let needles = self.needles();
        if find_in_views(needles, text, TerminalStrings::Omit, found) {
            find_in_views(needles, text, TerminalStrings::Keep, found);
        }
    }

    fn needles(&mut self) -> &Needles {
        let (count, needles) = self.needles.get_or_insert_default();
        for secret in &self.anywhere[*count..] {
            needles.add(secret.replace(['\r', '\n'], "").as_bytes());
        }
        *count = self.anywhere.len();
        needles
    }
}

/// Searches the text with its escape layers removed. Returns whether the content of terminal strings was omitted.
fn find_in_views(needles: &Needles, text: &str, strings: TerminalStrings, found: &mut Vec<Range<usize>>) -> bool {
    let mut has_omitted_string = false;
    let mut view = View::new(text, strings);
    for _ in 0..MAX_LAYERS {
        let Some(current) = view else { break };
        has_omitted_string = current.has_omitted_string;
        let is_gap_before = |at: usize| current.is_gap_before(at);
        needles.find(&current.bytes, &is_gap_before, |range| {
            found.push(to_char_boundaries(text, current.source_range(&range)))
        });
        view = current.next_layer();
    }
    has_omitted_string
}

fn to_char_boundaries(text: &str, Range { start, end }: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(start)..text.ceil_char_boundary(end)
}
