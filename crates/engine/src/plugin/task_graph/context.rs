//! The results of all upstream tasks in the `input_context` of a task.
//!
//! `input_context` is the task's own text, followed by a block `[id] title: result` for each completed upstream task with a
//! result, in graph order; blocks are separated by an empty line.

use std::rc::Rc;

use super::{TaskNode, edges::Edges};

const GAP: &str = "\n\n";
const WORD: usize = u64::BITS as usize;

/// For every task the upstream tasks that have a result, by position. Computed in one pass over the graph, with one bit per task
/// and result.
#[derive(Debug, Default)]
pub(super) struct UpstreamResults {
    sources: Vec<usize>,
    blocks: Vec<String>,
    /// `words` machine words for each task; bit `i` stands for `sources[i]`.
    rows: Vec<u64>,
    words: usize,
}

impl UpstreamResults {
    pub(super) fn new(nodes: &[Rc<TaskNode>], edges: &Edges) -> Self {
        let sources: Vec<usize> = (0..nodes.len()).filter(|&position| nodes[position].result().is_some()).collect();
        let blocks = sources.iter().map(|&position| block(&nodes[position])).collect();
        let words = sources.len().div_ceil(WORD);
        let mut results = UpstreamResults { sources, blocks, rows: vec![0; words * nodes.len()], words };
        if words > 0 {
            results.fill(edges);
        }
        results
    }

    /// In topological order, so that each task inherits the bits of its dependencies.
    fn fill(&mut self, edges: &Edges) {
        let mut bit_of = vec![None; edges.upstream.len()];
        for (bit, &source) in self.sources.iter().enumerate() {
            bit_of[source] = Some(bit);
        }
        // Tasks on a cycle will not run; a single pass is enough for them.
        for &position in edges.order.iter().chain(&edges.never_ready) {
            for &dependency in &edges.upstream[position] {
                for word in 0..self.words {
                    self.rows[position * self.words + word] |= self.rows[dependency * self.words + word];
                }
                if let Some(bit) = bit_of[dependency] {
                    self.rows[position * self.words + bit / WORD] |= 1 << (bit % WORD);
                }
            }
        }
    }

    /// Indices of the sources upstream of one task, in graph order.
    fn upstream_of(&self, position: usize) -> impl Iterator<Item = usize> {
        let row = &self.rows[position * self.words..(position + 1) * self.words];
        row.iter().enumerate().flat_map(|(word, &bits)| {
            let not_empty = |bits: u64| (bits != 0).then_some(bits);
            // Each step clears the lowest bit that is set, so zeros cost nothing.
            let set = std::iter::successors(not_empty(bits), move |bits| not_empty(bits & (bits - 1)));
            set.map(move |bits| word * WORD + bits.trailing_zeros() as usize)
        })
    }

    /// The task's own text with the results of its upstream tasks; `None` if both are empty.
    pub(super) fn added_to(&self, own: Option<&str>, position: usize) -> Option<String> {
        let mut text = own.unwrap_or_default().to_owned();
        for source in self.upstream_of(position) {
            push_block(&mut text, &self.blocks[source]);
        }
        (!text.is_empty()).then_some(text)
    }

    /// `text` without the blocks that were added for the task; `removable` selects their sources by position.
    pub(super) fn removed_from(
        &self,
        text: &str,
        position: usize,
        removable: impl Fn(usize) -> bool,
    ) -> Option<String> {
        let is_removable = |source: &usize| removable(self.sources[*source]);
        let blocks = || self.upstream_of(position).filter(is_removable).map(|source| self.blocks[source].as_str());
        let mut all = String::new();
        blocks().for_each(|block| push_block(&mut all, block));
        // The blocks are nearly always exactly the end of the text, which is quick to check.
        let own = match text.strip_suffix(&all) {
            Some("") => String::new(),
            Some(own) if own.ends_with(GAP) && !all.is_empty() => own[..own.len() - GAP.len()].to_owned(),
            _ => blocks().fold(text.to_owned(), |text, block| remove_block(&text, block)),
        };
        (!own.is_empty()).then_some(own)
    }
}

fn block(source: &TaskNode) -> String {
    format!("[{}] {}: {}", source.id, source.title, source.result().unwrap_or_default())
}

fn push_block(text: &mut String, block: &str) {
    if !text.is_empty() {
        text.push_str(GAP);
    }
    text.push_str(block);
}

/// `text` without the first occurrence of `block` that is between separators.
fn remove_block(text: &str, block: &str) -> String {
    for (start, _) in text.match_indices(block) {
        let (before, after) = (&text[..start], &text[start + block.len()..]);
        let begins = before.is_empty() || before.ends_with(GAP);
        let ends = after.is_empty() || after.starts_with(GAP);
        if begins && ends {
            let before = before.strip_suffix(GAP).unwrap_or(before);
            let after = after.strip_prefix(GAP).unwrap_or(after);
            let gap = if before.is_empty() || after.is_empty() { "" } else { GAP };
            return format!("{before}{gap}{after}");
        }
    }
    text.to_owned()
}
