//! What a task is told of its upstream tasks: every result, of direct and farther ones, labelled by its task.
//!
//! `input_context` is the task's own text, then for each completed upstream task with a result, in graph order, a block
//! `[id] title: result`; blocks are parted by an empty line.

use super::{TaskNode, graph::TaskGraph};

const GAP: &str = "\n\n";

/// For every task the upstream tasks that have a result. One pass over the graph, one bit for each task and result.
pub(super) struct UpstreamResults<'g> {
    graph: &'g TaskGraph,
    /// Positions of the tasks with results, in graph order.
    sources: Vec<usize>,
    /// `words` machine words for each task; bit `i` stands for `sources[i]`.
    rows: Vec<u64>,
    words: usize,
}

impl<'g> UpstreamResults<'g> {
    pub(super) fn new(graph: &'g TaskGraph) -> Self {
        let nodes = graph.nodes();
        let sources: Vec<usize> = (0..nodes.len()).filter(|&position| nodes[position].result().is_some()).collect();
        let words = sources.len().div_ceil(u64::BITS as usize);
        let mut results = UpstreamResults { graph, sources, rows: vec![0; words * nodes.len()], words };
        if words > 0 {
            results.fill();
        }
        results
    }

    /// Follows the topological order, so each task takes over what its dependencies were told, and their own results.
    fn fill(&mut self) {
        let mut bit_of = vec![None; self.graph.nodes().len()];
        for (bit, &source) in self.sources.iter().enumerate() {
            bit_of[source] = Some(bit);
        }
        let edges = self.graph.edges();
        let (order, rest) = edges.topological_order();
        // The rest waits in a cycle and will not run; it is told what can be told in one pass.
        for position in order.into_iter().chain(rest) {
            for &dependency in &edges.upstream[position] {
                for word in 0..self.words {
                    self.rows[position * self.words + word] |= self.rows[dependency * self.words + word];
                }
                if let Some(bit) = bit_of[dependency] {
                    self.rows[position * self.words + bit / 64] |= 1 << (bit % 64);
                }
            }
        }
    }

    /// The upstream tasks with results of one task, in graph order.
    fn sources_of(&self, position: usize) -> impl Iterator<Item = &'g TaskNode> + '_ {
        let row = &self.rows[position * self.words..(position + 1) * self.words];
        row.iter().enumerate().flat_map(move |(word, &bits)| {
            let set = std::iter::successors((bits != 0).then_some(bits), |bits| {
                let left = bits & (bits - 1);
                (left != 0).then_some(left)
            });
            set.map(move |bits| self.graph.node(self.sources[word * 64 + bits.trailing_zeros() as usize]))
        })
    }

    /// The task's own text and the results of its upstream tasks; `None` when there is neither.
    pub(super) fn input_context(&self, position: usize) -> Option<String> {
        let mut text = self.graph.node(position).input_context.clone().unwrap_or_default();
        self.sources_of(position).for_each(|source| push_block(&mut text, source));
        (!text.is_empty()).then_some(text)
    }

    /// `text` without the blocks that this graph would have added for the task; `removable` chooses among their ids.
    pub(super) fn without(&self, position: usize, text: &str, removable: impl Fn(&str) -> bool) -> Option<String> {
        let sources = || self.sources_of(position).filter(|source| removable(&source.id));
        let mut all = String::new();
        sources().for_each(|source| push_block(&mut all, source));
        // Nearly always the blocks are exactly the end of the text, which is cheap to see.
        let own = match text.strip_suffix(&all) {
            Some("") => String::new(),
            Some(own) if own.ends_with(GAP) && !all.is_empty() => own[..own.len() - GAP.len()].to_owned(),
            _ => sources().fold(text.to_owned(), |text, source| {
                let mut block = String::new();
                push_block(&mut block, source);
                remove_block(&text, &block)
            }),
        };
        (!own.is_empty()).then_some(own)
    }
}

/// Adds the block of one result, after an empty line when it is not the first.
fn push_block(text: &mut String, source: &TaskNode) {
    if !text.is_empty() {
        text.push_str(GAP);
    }
    text.push('[');
    text.push_str(&source.id);
    text.push_str("] ");
    text.push_str(&source.title);
    text.push_str(": ");
    text.push_str(source.result().unwrap_or_default());
}

/// `text` without the first occurrence of `block` that stands alone between empty lines.
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
