//! Sources of an answer: pages and documents, with the text that cites them (docs/reference/provider-tools.md).

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

impl Source {
    /// Adds sources to a list that has each page or document once, with all its citations.
    pub fn merge(into: &mut Vec<Source>, new: &[Source]) {
        for source in new {
            match into.iter_mut().find(|known| known.is_same(source)) {
                Some(known) => known.add(source),
                None => into.push(source.clone()),
            }
        }
    }

    /// Whether both are one page or document.
    pub fn is_same(&self, other: &Source) -> bool {
        match (&self.url, &other.url) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.id == other.id,
            _ => false,
        }
    }

    fn add(&mut self, other: &Source) {
        self.title = self.title.take().or_else(|| other.title.clone());
        self.media_type = self.media_type.take().or_else(|| other.media_type.clone());
        let new = other.cites.iter().filter(|cite| !self.cites.contains(cite));
        let new: Vec<_> = new.cloned().collect();
        self.cites.extend(new);
    }
}
