//! Who waits for whom, by position, so that no question about the graph rescans it.

use std::{
    borrow::Borrow,
    collections::{HashMap, HashSet, VecDeque},
};

use super::TaskNode;

/// The edges of a list of tasks: from `dependencies` and from `unblocks`, each edge once.
///
/// References to unknown ids are left out. When an id is used twice, all edges belong to its first task. Built in time
/// linear in tasks and references.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// Position of the first task with an id.
    pub(super) positions: HashMap<String, usize>,
    /// For each position the tasks it waits for, in the order they were named.
    pub(super) upstream: Vec<Vec<usize>>,
    /// For each position the tasks that wait for it.
    pub(super) downstream: Vec<Vec<usize>>,
    /// Whether a task depends on an id that does not exist, so that it can never run.
    pub(super) dangling: Vec<bool>,
    /// Positions so that every task follows those it waits for. A second task with the same id has no edges and is
    /// here.
    pub(super) order: Vec<usize>,
    /// What the order leaves out, in graph order: tasks that wait for themselves through a cycle or for a task that
    /// does.
    pub(super) caught: Vec<usize>,
}

impl Edges {
    /// The edges of these tasks, valid or not.
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
        // Most edges are named on both sides; the task behind one must not be told of twice.
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

    /// Kahn's algorithm; each edge is looked at once.
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
        self.caught = (0..waiting.len()).filter(|&position| waiting[position] > 0).collect();
    }

    /// One cycle, each task followed by one it waits for; empty when there is none.
    pub(super) fn find_cycle(&self) -> Vec<usize> {
        // Every caught task waits for another one of them, so following those must come round.
        let members: HashSet<usize> = self.caught.iter().copied().collect();
        let mut path: Vec<usize> = Vec::new();
        let mut place = HashMap::new();
        let mut next = self.caught.first().copied();
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
