//! The state that the tools work on: tasks, their edges, and upstream results.

use std::{cell::OnceCell, collections::HashSet, rc::Rc};

use serde_json::Value;

use super::{TaskNode, TaskNodeStatus, checks, context::UpstreamResults, edges::Edges};
use crate::plugin::refusal::{ToolRefusal, strip_brackets};

/// A normalized graph of tasks. Transitions return a new graph that shares what did not change.
///
/// A node stores only the task's own text as `input_context`; the results of upstream tasks are added when the task is shown. So a
/// result reaches every downstream task exactly once, completing a task again replaces it, and an update does not touch the
/// downstream tasks.
#[derive(Clone, Debug, Default)]
pub struct TaskGraph {
    nodes: Rc<Vec<Rc<TaskNode>>>,
    edges: Rc<Edges>,
    /// Computed on first use, then shared by all copies of this state.
    results: Rc<OnceCell<UpstreamResults>>,
}

impl TaskGraph {
    /// Creates a graph from the tasks of `defTaskGraph`, normalized, valid or not (see [`TaskGraph::problems`]).
    ///
    /// Upstream results in an `input_context`, which a prompt file returns as it received them, are recognized and not repeated.
    pub fn new(tasks: &[TaskNode]) -> Self {
        let graph = TaskGraph::from_stored(tasks);
        // There is nothing to recognize, so upstream results need not be computed.
        if graph.nodes.iter().all(|node| node.input_context.is_none()) {
            return graph;
        }
        let mut nodes: Vec<Rc<TaskNode>> = graph.nodes.to_vec();
        for (position, node) in nodes.iter_mut().enumerate() {
            let own = node.input_context.as_deref().map(|text| graph.results().removed_from(text, position, |_| true));
            if let Some(own) = own.filter(|own| own.as_deref() != node.input_context.as_deref()) {
                Rc::make_mut(node).input_context = own;
            }
        }
        graph.with_nodes(nodes)
    }

    /// Creates a graph from tasks that the prompt file set: like [`TaskGraph::new`], but uses `self` to recognize results in an
    /// `input_context`. Results of removed tasks stay as text of the tasks that received them.
    pub fn with_tasks(&self, tasks: &[TaskNode]) -> Self {
        let kept: HashSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        let tasks: Vec<TaskNode> = tasks
            .iter()
            .map(|task| match (&task.input_context, self.edges.positions.get(&task.id)) {
                (Some(text), Some(&position)) => TaskNode {
                    input_context: self
                        .results()
                        .removed_from(text, position, |source| kept.contains(self.node(source).id.as_str())),
                    ..task.clone()
                },
                _ => task.clone(),
            })
            .collect();
        TaskGraph::new(&tasks)
    }

    pub(super) fn from_stored(tasks: &[TaskNode]) -> Self {
        let nodes: Vec<Rc<TaskNode>> = checks::normalize_task_graph(tasks).into_iter().map(Rc::new).collect();
        let edges = Rc::new(Edges::new(&nodes));
        TaskGraph { nodes: Rc::new(nodes), edges, results: Rc::default() }
    }

    /// The problems of the graph, which the binding reports as warnings when the prompt file defines it.
    pub fn problems(&self) -> Vec<String> {
        checks::validate_task_graph(&self.nodes)
    }

    /// The tasks as stored, without upstream results. A task with the same `Rc` in two graphs did not change, except for what
    /// [`TaskGraph::input_context`] adds.
    pub fn nodes(&self) -> &[Rc<TaskNode>] {
        &self.nodes
    }

    pub fn input_context(&self, position: usize) -> Option<String> {
        self.results().added_to(self.node(position).input_context.as_deref(), position)
    }

    /// Whether two graphs of one history are unchanged.
    pub fn same_as(&self, other: &TaskGraph) -> bool {
        Rc::ptr_eq(&self.nodes, &other.nodes)
    }

    pub(super) fn edges(&self) -> &Edges {
        &self.edges
    }

    pub(super) fn node(&self, position: usize) -> &TaskNode {
        &self.nodes[position]
    }

    fn results(&self) -> &UpstreamResults {
        self.results.get_or_init(|| UpstreamResults::new(&self.nodes, &self.edges))
    }

    /// As JavaScript and models get it, with upstream results.
    pub(super) fn shown(&self, position: usize) -> TaskNode {
        TaskNode { input_context: self.input_context(position), ..self.node(position).clone() }
    }

    pub(super) fn find(&self, task_id: &str) -> Result<usize, ToolRefusal> {
        let positions = &self.edges.positions;
        positions
            .get(task_id)
            .or_else(|| positions.get(strip_brackets(task_id)))
            .copied()
            .ok_or_else(|| ToolRefusal::unknown_task(task_id, self.nodes.iter().map(|node| node.id.as_str())))
    }

    /// Ids of the dependencies that are not completed, including unknown ones.
    pub(super) fn unmet_dependencies(&self, position: usize) -> Vec<&str> {
        let completed = |id: &String| {
            self.edges.positions.get(id).is_some_and(|&at| self.nodes[at].status == TaskNodeStatus::Completed)
        };
        let unmet = self.nodes[position].dependencies.iter().filter(|id| !completed(id));
        unmet.map(String::as_str).collect()
    }

    pub(super) fn is_ready(&self, position: usize) -> bool {
        self.nodes[position].status == TaskNodeStatus::Pending
            && !self.edges.dangling[position]
            && self.edges.upstream[position].iter().all(|&at| self.nodes[at].status == TaskNodeStatus::Completed)
    }

    pub(super) fn ready(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&position| self.is_ready(position)).collect()
    }

    pub(super) fn with_changed(&self, position: usize, change: impl FnOnce(&mut TaskNode)) -> Self {
        let mut nodes = self.nodes.to_vec();
        change(Rc::make_mut(&mut nodes[position]));
        self.with_nodes(nodes)
    }

    fn with_nodes(&self, nodes: Vec<Rc<TaskNode>>) -> Self {
        // Upstream results may have changed with any task, and are computed again on demand.
        TaskGraph { nodes: Rc::new(nodes), edges: Rc::clone(&self.edges), results: Rc::default() }
    }

    pub(super) fn stored(&self) -> Vec<TaskNode> {
        self.nodes.iter().map(|node| TaskNode::clone(node)).collect()
    }

    /// The result of a transition; a refusal keeps this graph.
    pub(super) fn settle(&self, outcome: Result<(TaskGraph, Value), ToolRefusal>) -> (TaskGraph, Value) {
        outcome.unwrap_or_else(|refusal| (self.clone(), refusal.into_value()))
    }
}

impl PartialEq for TaskGraph {
    fn eq(&self, other: &Self) -> bool {
        self.same_as(other) || self.nodes == other.nodes
    }
}
