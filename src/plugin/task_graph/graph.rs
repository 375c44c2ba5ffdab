//! The state the tools work on: tasks, their edges, and what is told downstream. Must not know the tools.

use std::{cell::OnceCell, collections::HashSet, rc::Rc};

use serde_json::Value;

use super::{TaskNode, TaskNodeStatus, checks, context::UpstreamResults, edges::Edges};
use crate::plugin::refusal::{Refusal, bare_id};

/// A normalised graph of tasks. A value: transitions give back a new one, sharing what did not change.
///
/// `input_context` is not stored: a task's own text is, and the results of upstream tasks are added whenever the task
/// is shown. So a result reaches every downstream task, at once and only once, completing again replaces it, and an
/// update costs nothing for the tasks downstream.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskGraph {
    nodes: Rc<Vec<Rc<TaskNode>>>,
    edges: Rc<Edges>,
    /// Computed when first asked for, then shared by all copies of this state.
    results: Rc<OnceCell<UpstreamResults>>,
}

impl TaskGraph {
    /// Takes the tasks of `defTaskGraph`, normalised, valid or not (see [`TaskGraph::problems`]).
    ///
    /// Upstream results already in an `input_context` (a prompt file hands back what it was shown) are recognised and
    /// not repeated.
    pub(crate) fn new(tasks: &[TaskNode]) -> Self {
        let graph = TaskGraph::from_stored(tasks);
        // Nothing to recognise, and so no need to work out who is told what.
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

    /// The graph after the prompt file set its tasks itself: like [`TaskGraph::new`], but knows from `self` which
    /// results stood in an `input_context`. Results of tasks that were taken out stay as text of the tasks that had
    /// received them.
    pub(crate) fn with_tasks(&self, tasks: &[TaskNode]) -> Self {
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

    /// Takes tasks whose `input_context` is their own text only.
    pub(super) fn from_stored(tasks: &[TaskNode]) -> Self {
        let nodes: Vec<Rc<TaskNode>> = checks::normalize_task_graph(tasks).into_iter().map(Rc::new).collect();
        let edges = Rc::new(Edges::new(&nodes));
        TaskGraph { nodes: Rc::new(nodes), edges, results: Rc::default() }
    }

    /// What is wrong with the graph; the binding warns of these when the prompt file defined it.
    pub(crate) fn problems(&self) -> Vec<String> {
        checks::validate_task_graph(&self.nodes)
    }

    /// The tasks as stored, without upstream results. The same `Rc` in two graphs is a task that did not change, but
    /// for what [`TaskGraph::input_context`] adds.
    pub(crate) fn nodes(&self) -> &[Rc<TaskNode>] {
        &self.nodes
    }

    /// The full `input_context` of the task at a position of [`TaskGraph::nodes`].
    pub(crate) fn input_context(&self, position: usize) -> Option<String> {
        self.results().added_to(self.node(position).input_context.as_deref(), position)
    }

    /// Whether nothing changed between two graphs of one history.
    pub(crate) fn same_as(&self, other: &TaskGraph) -> bool {
        Rc::ptr_eq(&self.nodes, &other.nodes)
    }

    /// Who waits for whom.
    pub(super) fn edges(&self) -> &Edges {
        &self.edges
    }

    /// The task at a position, as stored.
    pub(super) fn node(&self, position: usize) -> &TaskNode {
        &self.nodes[position]
    }

    fn results(&self) -> &UpstreamResults {
        self.results.get_or_init(|| UpstreamResults::new(&self.nodes, &self.edges))
    }

    /// The task as JavaScript and models see it.
    pub(super) fn shown(&self, position: usize) -> TaskNode {
        TaskNode { input_context: self.input_context(position), ..self.node(position).clone() }
    }

    /// Position of the task a model means; ids copied with their brackets are understood.
    pub(super) fn find(&self, task_id: &str) -> Result<usize, Refusal> {
        let positions = &self.edges.positions;
        positions
            .get(task_id)
            .or_else(|| positions.get(bare_id(task_id)))
            .copied()
            .ok_or_else(|| Refusal::unknown_task(task_id, self.nodes.iter().map(|node| node.id.as_str())))
    }

    /// Ids of the dependencies that are not completed, unknown ones too.
    pub(super) fn unmet_dependencies(&self, position: usize) -> Vec<&str> {
        let completed = |id: &String| {
            self.edges.positions.get(id).is_some_and(|&at| self.nodes[at].status == TaskNodeStatus::Completed)
        };
        let unmet = self.nodes[position].dependencies.iter().filter(|id| !completed(id));
        unmet.map(String::as_str).collect()
    }

    /// Whether a task is pending and all its dependencies are completed.
    pub(super) fn is_ready(&self, position: usize) -> bool {
        self.nodes[position].status == TaskNodeStatus::Pending
            && !self.edges.dangling[position]
            && self.edges.upstream[position].iter().all(|&at| self.nodes[at].status == TaskNodeStatus::Completed)
    }

    /// Positions of the tasks that can be started, in graph order.
    pub(super) fn ready(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&position| self.is_ready(position)).collect()
    }

    /// The graph with one task changed, its edges being the same.
    pub(super) fn with_changed(&self, position: usize, change: impl FnOnce(&mut TaskNode)) -> Self {
        let mut nodes = self.nodes.to_vec();
        change(Rc::make_mut(&mut nodes[position]));
        self.with_nodes(nodes)
    }

    fn with_nodes(&self, nodes: Vec<Rc<TaskNode>>) -> Self {
        // What is told downstream may have changed with any task, and is worked out again when somebody asks.
        TaskGraph { nodes: Rc::new(nodes), edges: Rc::clone(&self.edges), results: Rc::default() }
    }

    /// The stored tasks, to build a graph with other edges from.
    pub(super) fn stored(&self) -> Vec<TaskNode> {
        self.nodes.iter().map(|node| TaskNode::clone(node)).collect()
    }

    /// The transition's outcome as the tools give it: a refusal keeps this graph.
    pub(super) fn settle(&self, outcome: Result<(TaskGraph, Value), Refusal>) -> (TaskGraph, Value) {
        outcome.unwrap_or_else(|refusal| (self.clone(), refusal.into_value()))
    }
}

impl PartialEq for TaskGraph {
    fn eq(&self, other: &Self) -> bool {
        self.same_as(other) || self.nodes == other.nodes
    }
}
