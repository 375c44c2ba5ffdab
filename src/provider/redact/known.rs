//! The secrets that are known, and where they stand in a text, however they are written.

use std::{collections::BTreeSet, ops::Range};

use super::{
    look::looks_like_a_key,
    needles::Needles,
    view::{Strings, View},
};

/// `user:password` is no ordinary word, however short; but `a:b` is everywhere.
const SHORTEST_PAIR: usize = 6;

/// So many layers of escapes are taken off a text.
const LAYERS: usize = 3;

/// The secrets that a run is known to use.
#[derive(Default)]
pub(super) struct Known {
    /// Replaced wherever they stand.
    anywhere: Vec<String>,
    /// The others, which are too much like ordinary words for that.
    in_place: BTreeSet<String>,
    /// The search tables and how many secrets they cover; built on first use.
    needles: Option<(usize, Box<Needles>)>,
    /// How long the longest is.
    longest: usize,
}

impl Known {
    pub(super) fn learn(&mut self, secret: &str) {
        let secret = secret.trim();
        self.longest = self.longest.max(secret.len());
        if looks_like_a_key(secret) {
            self.learn_anywhere(secret);
        } else if !secret.is_empty() && !self.in_place.contains(secret) {
            self.in_place.insert(secret.to_owned());
        }
        // A key of several lines, such as one in PEM, is not always shown whole.
        if secret.contains('\n') {
            secret.lines().filter(|line| !line.starts_with("-----")).for_each(|line| self.learn(line));
        }
    }

    pub(super) fn learn_pair(&mut self, pair: &str) {
        self.longest = self.longest.max(pair.len());
        if pair.len() >= SHORTEST_PAIR {
            self.learn_anywhere(pair);
        }
    }

    fn learn_anywhere(&mut self, secret: &str) {
        if !self.anywhere.iter().any(|known| known == secret) {
            self.anywhere.push(secret.to_owned());
        }
    }

    /// Whether a value that stands where secrets stand is one.
    pub(super) fn is_secret(&self, value: &str) -> bool {
        self.in_place.contains(value) || self.anywhere.iter().any(|secret| secret == value)
    }

    /// The length of the longest secret.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Where secrets stand that are replaced anywhere.
    pub(super) fn find(&mut self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if self.anywhere.is_empty() {
            return found;
        }
        let needles = self.needles();
        needles.find(text.as_bytes(), &|_| false, |range| found.push(to_letters(text, range)));
        if find_in_views(needles, text, Strings::LeftOut, &mut found) {
            find_in_views(needles, text, Strings::Kept, &mut found);
        }
        found
    }

    /// The needles of all secrets.
    fn needles(&mut self) -> &Needles {
        let (count, needles) = self.needles.get_or_insert_default();
        for secret in &self.anywhere[*count..] {
            needles.add(secret.replace(['\r', '\n'], "").as_bytes());
        }
        *count = self.anywhere.len();
        needles
    }
}

/// Where secrets stand in a text without its layers; returns whether the content of strings was left out.
fn find_in_views(needles: &Needles, text: &str, strings: Strings, found: &mut Vec<Range<usize>>) -> bool {
    let mut has_left_out_string = false;
    let mut view = View::of(text, strings);
    for _ in 0..LAYERS {
        let Some(seen) = view else { break };
        has_left_out_string = seen.has_left_out_string;
        let is_joined = |at: usize| seen.is_joined(at);
        needles.find(&seen.bytes, &is_joined, |range| found.push(to_letters(text, seen.place(&range))));
        view = seen.further();
    }
    has_left_out_string
}

/// The range with all of the letters that it begins and ends in.
fn to_letters(text: &str, Range { start, end }: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(start)..text.ceil_char_boundary(end)
}
