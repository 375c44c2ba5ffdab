//! The edges of the graph, by position, so that queries need not scan the graph.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet, VecDeque},
};

use super::TaskNode;

/// The edges of a list of tasks: from `dependencies` and from `unblocks`, each edge once.
///
/// References to unknown ids are left out. If an id is used twice, all edges belong to its first task. Built in linear time.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// First position, if an id is used twice.
    pub(super) positions: HashMap<String, usize>,
    /// For each position, the tasks it depends on, in the order they were named.
    pub(super) upstream: Vec<Vec<usize>>,
    pub(super) downstream: Vec<Vec<usize>>,
    /// Whether a task depends on an unknown id, so that it can never run.
    pub(super) dangling: Vec<bool>,
    /// Positions in topological order. A second task with the same id has no edges and is included.
    pub(super) order: Vec<usize>,
    /// The positions left out of `order`, in graph order: tasks on a cycle and those downstream of one.
    pub(super) never_ready: Vec<usize>,
}

impl Edges {
    pub(super) fn new<T: Borrow<TaskNode>>(tasks: &[T]) -> Self {
        let mut positions = HashMap::with_capacity(tasks.len());
        for (position, task) in tasks.iter().enumerate() {
            positions.entry(task.borrow().id.clone()).or_insert(position);
        }
        let mut edges = Edges {
            positions,
            upstream: vec![Vec::new(); tasks.len()],
            downstream: vec![Vec::new(); tasks.len()],
            dangling: vec![false; tasks.len()],
            ..Edges::default()
        };
        // Most edges are named on both sides, but must be added once.
        let mut seen = HashSet::new();
        for task in tasks.iter().map(Borrow::borrow) {
            let here = edges.positions[&task.id];
            for dependency in &task.dependencies {
                match edges.positions.get(dependency) {
                    Some(&from) => edges.connect(from, here, &mut seen),
                    None => edges.dangling[here] = true,
                }
            }
            for unblocked in &task.unblocks {
                if let Some(&to) = edges.positions.get(unblocked) {
                    edges.connect(here, to, &mut seen);
                }
            }
        }
        edges.sort();
        edges
    }

    fn connect(&mut self, from: usize, to: usize, seen: &mut HashSet<(usize, usize)>) {
        if seen.insert((from, to)) {
            self.upstream[to].push(from);
            self.downstream[from].push(to);
        }
    }

    /// Kahn's algorithm, linear in the edges.
    fn sort(&mut self) {
        let mut waiting: Vec<usize> = self.upstream.iter().map(Vec::len).collect();
        let mut ready: VecDeque<usize> = (0..waiting.len()).filter(|&position| waiting[position] == 0).collect();
        while let Some(position) = ready.pop_front() {
            self.order.push(position);
            for &next in &self.downstream[position] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.push_back(next);
                }
            }
        }
        self.never_ready = (0..waiting.len()).filter(|&position| waiting[position] > 0).collect();
    }

    /// One cycle, each task followed by one it depends on; empty if there is none.
    pub(super) fn find_cycle(&self) -> Vec<usize> {
        // Every never_ready task depends on another never_ready one, so following those must return to a visited task.
        let members: HashSet<usize> = self.never_ready.iter().copied().collect();
        let mut path: Vec<usize> = Vec::new();
        let mut place = HashMap::new();
        let mut next = self.never_ready.first().copied();
        while let Some(position) = next {
            if let Some(&start) = place.get(&position) {
                return path.split_off(start);
            }
            place.insert(position, path.len());
            path.push(position);
            next = self.upstream[position].iter().copied().find(|dependency| members.contains(dependency));
        }
        Vec::new()
    }
}
