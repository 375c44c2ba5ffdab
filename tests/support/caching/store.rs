//! What a server remembers of prompts.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::prompt::{Prompt, Rules};

/// Token counts of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The whole prompt.
    pub input: usize,
    pub read: usize,
    pub written: usize,
}

/// A beginning of a prompt.
struct Entry {
    scope: String,
    tokens: Vec<u64>,
    /// Differs where settings do that belong to the beginning.
    hash: u64,
    lifetime: u64,
    expires: u64,
}

#[derive(Default)]
pub(super) struct Store {
    entries: Vec<Entry>,
    /// In seconds.
    now: u64,
}

/// How many blocks before a mark are looked at, with its own.
const LOOK_BACK: usize = 20;

impl Store {
    pub(super) fn evict(&mut self) {
        self.entries.clear();
    }

    pub(super) fn wait(&mut self, seconds: u64) {
        self.now += seconds;
    }

    /// Reads what is known of a prompt, and remembers it.
    pub(super) fn ask(&mut self, prompt: &Prompt) -> Counts {
        let now = self.now;
        self.entries.retain(|entry| entry.expires > now);
        let tokens = prompt.tokens();
        let input = tokens.len();
        match prompt.rules {
            Rules::Automatic { least, step } => {
                let same = |entry: &&Entry| entry.scope == prompt.scope;
                let common = |entry: &Entry| entry.tokens.iter().zip(&tokens).take_while(|(a, b)| a == b).count();
                let known = self.entries.iter().filter(same).map(common).max().unwrap_or(0);
                let read = if known < least { 0 } else { known - known % step };
                self.add(prompt, tokens, 0, 10 * 60);
                Counts { input, read, written: 0 }
            }
            Rules::Whole { least } => self.ask_marked(prompt, &tokens, least, usize::MAX),
            Rules::Marks { least } => self.ask_marked(prompt, &tokens, least, LOOK_BACK),
        }
    }

    fn ask_marked(&mut self, prompt: &Prompt, tokens: &[u64], least: usize, look_back: usize) -> Counts {
        let ends = ends(prompt);
        let marks: Vec<usize> =
            (0..ends.len()).filter(|index| prompt.blocks[*index].mark.is_some() && ends[*index].0 >= least).collect();
        let in_reach = |index: &usize| marks.iter().any(|mark| *index <= *mark && mark - index < look_back);
        let found = (0..ends.len()).rev().filter(in_reach).find_map(|index| {
            let (length, hash) = ends[index];
            self.entries
                .iter()
                .position(|entry| entry.scope == prompt.scope && entry.hash == hash && entry.tokens == tokens[..length])
        });
        let read = found.map_or(0, |found| {
            let entry = &mut self.entries[found];
            entry.expires = self.now + entry.lifetime;
            entry.tokens.len()
        });
        for mark in &marks {
            let (length, hash) = ends[*mark];
            self.add(prompt, tokens[..length].to_vec(), hash, prompt.blocks[*mark].mark.unwrap_or_default());
        }
        let end = marks.last().map_or(0, |mark| ends[*mark].0);
        Counts { input: tokens.len(), read, written: end.saturating_sub(read) }
    }

    fn add(&mut self, prompt: &Prompt, tokens: Vec<u64>, hash: u64, lifetime: u64) {
        let (scope, expires) = (prompt.scope.clone(), self.now + lifetime);
        self.entries.retain(|entry| entry.scope != scope || entry.hash != hash || entry.tokens != tokens);
        self.entries.push(Entry { scope, tokens, hash, lifetime, expires });
    }
}

/// The length of the prompt up to the end of each block, and a hash of the settings up to there.
fn ends(prompt: &Prompt) -> Vec<(usize, u64)> {
    let mut hasher = DefaultHasher::new();
    let (mut length, mut salt) = (0, "");
    let mut ends = Vec::with_capacity(prompt.blocks.len());
    for block in &prompt.blocks {
        length += block.tokens.len();
        if block.salt != salt {
            salt = &block.salt;
            salt.hash(&mut hasher);
        }
        ends.push((length, hasher.finish()));
    }
    ends
}
