//! Sources of an answer: pages and documents, with the text that cites them (docs/reference/provider-tools.md).

use std::collections::{HashMap, HashSet, hash_map::Entry};

use serde::{Deserialize, Serialize};

/// A page or document that an answer is based on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub id: String,
    /// Missing for a document that the request contained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default)]
    pub cites: Vec<Cite>,
}

/// A part of the answer's text that is based on a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cite {
    /// Positions in the whole text of the step, in UTF-16 code units, as `text.slice(start, end)` counts them.
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// What makes two sources one page or document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SourceKey {
    Url(String),
    Id(String),
}

impl Source {
    /// Adds sources to a list that has each page or document once, with all its citations.
    pub fn merge(into: &mut Vec<Source>, new: &[Source]) {
        if new.is_empty() {
            return;
        }
        let mut list = SourceList::default();
        std::mem::take(into).into_iter().chain(new.iter().cloned()).for_each(|source| list.add(source));
        *into = list.into_sources();
    }

    fn key(&self) -> SourceKey {
        match &self.url {
            Some(url) => SourceKey::Url(url.clone()),
            None => SourceKey::Id(self.id.clone()),
        }
    }

    fn add(&mut self, other: Source) {
        self.title = self.title.take().or(other.title);
        self.media_type = self.media_type.take().or(other.media_type);
        for cite in other.cites {
            if !self.cites.contains(&cite) {
                self.cites.push(cite);
            }
        }
    }
}

/// A list that has each page or document once, with all its citations.
#[derive(Clone, Debug, Default)]
pub struct SourceList {
    sources: Vec<Source>,
    places: HashMap<SourceKey, usize>,
}

impl SourceList {
    pub fn add(&mut self, source: Source) {
        match self.places.entry(source.key()) {
            Entry::Occupied(place) => self.sources[*place.get()].add(source),
            Entry::Vacant(place) => {
                place.insert(self.sources.len());
                self.sources.push(source);
            }
        }
    }

    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The citations of each source.
    pub fn cites_mut(&mut self) -> impl Iterator<Item = &mut Vec<Cite>> {
        self.sources.iter_mut().map(|source| &mut source.cites)
    }

    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }
}

/// The ids of a run's sources, which differ.
#[derive(Debug, Default)]
pub struct SourceIds {
    known: HashMap<SourceKey, String>,
    taken: HashSet<String>,
    /// The number in the last id made up.
    last: usize,
}

impl SourceIds {
    /// Remembers a source that has its id.
    pub fn remember(&mut self, source: &Source) {
        self.known.entry(source.key()).or_insert_with(|| source.id.clone());
        self.taken.insert(source.id.clone());
    }

    /// Gives a page or document the id under which it is known. A new one keeps its own unless another has it.
    pub fn assign(&mut self, source: &mut Source) {
        let key = source.key();
        if let Some(id) = self.known.get(&key) {
            source.id.clone_from(id);
            return;
        }
        while source.id.is_empty() || self.taken.contains(&source.id) {
            self.last += 1;
            source.id = format!("source-{}", self.last);
        }
        self.known.insert(key, source.id.clone());
        self.remember(source);
    }
}
