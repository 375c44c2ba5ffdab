use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::*;

/// Tasks `t0…`, with edges as pairs of positions; an edge is given as dependency, as unblocks or as both.
fn build(count: usize, edges: &[(usize, usize, u8)]) -> Vec<TaskNode> {
    let id = |n: usize| format!("t{n}");
    let mut tasks: Vec<TaskNode> =
        (0..count).map(|n| TaskNode { id: id(n), title: format!("Task {n}"), ..TaskNode::default() }).collect();
    for &(from, to, side) in edges {
        if side != 1 {
            tasks[to].dependencies.push(id(from));
        }
        if side != 0 {
            tasks[from].unblocks.push(id(to));
        }
    }
    tasks
}

fn any_graph() -> impl Strategy<Value = Vec<TaskNode>> {
    (1_usize..9).prop_flat_map(|count| {
        prop::collection::vec((0..count, 0..count, 0_u8..3), 0..14).prop_map(move |edges| build(count, &edges))
    })
}

/// Edges lead from lower to higher in a shuffled order, so that the order of the list does not matter.
fn acyclic_graph() -> impl Strategy<Value = Vec<TaskNode>> {
    (1_usize..12).prop_flat_map(|count| {
        let order = Just((0..count).collect::<Vec<_>>()).prop_shuffle();
        let edges = prop::collection::vec((0..count, 0..count, 0_u8..3), 0..25);
        (order, edges).prop_map(move |(order, edges)| {
            let forward: Vec<(usize, usize, u8)> = edges
                .into_iter()
                .filter(|(from, to, _)| from != to)
                .map(|(from, to, side)| (order[from.min(to)], order[from.max(to)], side))
                .collect();
            build(count, &forward)
        })
    })
}

/// The dependencies of each task, from both sides of the edges.
fn naive_dependencies(tasks: &[TaskNode]) -> HashMap<String, HashSet<String>> {
    let mut dependencies: HashMap<String, HashSet<String>> = HashMap::new();
    for task in tasks {
        dependencies.entry(task.id.clone()).or_default().extend(task.dependencies.iter().cloned());
        for unblocked in &task.unblocks {
            dependencies.entry(unblocked.clone()).or_default().insert(task.id.clone());
        }
    }
    dependencies
}

fn naive_upstream(id: &str, dependencies: &HashMap<String, HashSet<String>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = dependencies[id].iter().cloned().collect();
    while let Some(next) = open.pop() {
        if found.insert(next.clone()) {
            open.extend(dependencies[&next].iter().cloned());
        }
    }
    found
}

fn ready(graph: &TaskGraph) -> Vec<String> {
    let (_, result) = list_unblocked_tasks(graph);
    let tasks = result["tasks"].as_array().cloned().unwrap_or_default();
    tasks.iter().filter_map(|task| task["id"].as_str().map(str::to_owned)).collect()
}

fn ids(graph: &TaskGraph) -> BTreeSet<String> {
    graph.nodes().iter().map(|node| node.id.clone()).collect()
}

fn random_call(graph: &TaskGraph, tool: usize, task: Index, other: Index, flag: bool) -> (&'static str, Value) {
    let id = |index: Index| match graph.nodes().len() {
        0 => "ghost".to_owned(),
        count => graph.nodes()[index.index(count)].id.clone(),
    };
    let status = ["in_progress", "completed", "failed", "completed"][other.index(4)];
    match tool {
        0 => (
            "spawnTask",
            json!({ "title": "new", "dependencies": [id(task)], "unblocks": if flag { vec![id(other)] } else { vec![] } }),
        ),
        1 => (
            "forkTask",
            json!({ "taskId": id(task), "subtasks": [{ "title": "x" }, { "title": "y", "dependencies": if flag { vec![id(other)] } else { vec![] } }] }),
        ),
        2 => ("askHuman", json!({ "taskId": id(task), "question": "why?" })),
        3 => ("answerQuestion", json!({ "taskId": id(task), "answer": "so" })),
        4 => ("readTree", json!({ "taskId": if flag { Some(id(task)) } else { None } })),
        5 => ("getUnblockedTasks", json!({})),
        6 => ("generateTaskGraph", json!({ "tasks": [{ "id": "x", "dependencies": ["x"] }] })),
        _ => (
            "updateTaskStatus",
            json!({ "taskId": id(task), "status": status, "output_result": if flag { Some("r") } else { None } }),
        ),
    }
}

proptest! {
    #[test]
    fn cycles_are_found_exactly(tasks in any_graph()) {
        let dependencies = naive_dependencies(&tasks);
        let on_cycle = |id: &str| naive_upstream(id, &dependencies).contains(id);
        let never_ready: BTreeSet<String> = tasks
            .iter()
            .map(|task| task.id.clone())
            .filter(|id| on_cycle(id) || naive_upstream(id, &dependencies).iter().any(|id| on_cycle(id)))
            .collect();
        let detected = detect_cycles(&tasks);
        prop_assert_eq!(detected.iter().cloned().collect::<BTreeSet<_>>(), never_ready.clone());
        prop_assert_eq!(detected.len(), never_ready.len());
        let problems = validate_task_graph(&tasks);
        prop_assert_eq!(problems.len(), usize::from(!never_ready.is_empty()));
        if let Some(problem) = problems.first() {
            let (_, way) = problem.split_once('(').expect("the way round");
            let way: Vec<&str> = way.split(',').next().expect("the ids").split(" -> ").collect();
            prop_assert!(way.len() > 1 && way.first() == way.last());
            prop_assert!(way.windows(2).all(|pair| dependencies[pair[0]].contains(pair[1])), "{}", problem);
        }
    }

    #[test]
    fn normalising_is_idempotent_symmetric_and_keeps_tasks(tasks in any_graph(), unknown in any::<bool>(), twice in any::<bool>()) {
        let mut tasks = tasks;
        if unknown {
            tasks[0].dependencies.push("ghost".to_owned());
        }
        if twice {
            let first = tasks[0].clone();
            tasks.push(first);
        }
        let normal = normalize_task_graph(&tasks);
        prop_assert_eq!(&normalize_task_graph(&normal), &normal);
        prop_assert_eq!(
            normal.iter().map(|task| &task.id).collect::<Vec<_>>(),
            tasks.iter().map(|task| &task.id).collect::<Vec<_>>()
        );
        for task in &normal {
            prop_assert_eq!(task.dependencies.iter().collect::<HashSet<_>>().len(), task.dependencies.len());
            for other in &normal {
                prop_assert_eq!(task.dependencies.contains(&other.id), other.unblocks.contains(&task.id));
            }
        }
        let same_edges = |id: &str| naive_dependencies(&tasks)[id] == naive_dependencies(&normal)[id];
        prop_assert!(tasks.iter().all(|task| same_edges(&task.id)));
    }

    #[test]
    fn a_graph_is_worked_through_and_results_reach_all_downstream(tasks in acyclic_graph(), picks in prop::collection::vec(any::<Index>(), 12)) {
        let dependencies = naive_dependencies(&tasks);
        let mut graph = TaskGraph::new(&tasks);
        let mut completed = BTreeSet::new();
        for pick in picks.iter().take(tasks.len()) {
            let ready = ready(&graph);
            prop_assert!(!ready.is_empty(), "stuck after {:?}", completed);
            let id = &ready[pick.index(ready.len())];
            let input = json!({ "taskId": id, "status": "completed", "output_result": format!("<{id}>") });
            let (next, result) = update_task_status(&graph, &input);
            prop_assert_eq!(&result["success"], &json!(true));
            completed.insert(id.clone());
            // The reported list of newly unblocked tasks is the difference.
            let before: HashSet<&String> = ready.iter().collect();
            let newly: Vec<String> = utility_ready(&next).into_iter().filter(|id| !before.contains(id)).collect();
            let reported: HashSet<&str> = result["newlyUnblocked"].as_array().expect("a list").iter().filter_map(|task| task["id"].as_str()).collect();
            prop_assert_eq!(reported, newly.iter().map(String::as_str).collect::<HashSet<_>>());
            graph = next;
            for task in graph.tasks() {
                let context = task.input_context.clone().unwrap_or_default();
                for other in &tasks {
                    let expected = completed.contains(&other.id) && naive_upstream(&task.id, &dependencies).contains(&other.id);
                    prop_assert_eq!(context.matches(&format!("<{}>", other.id)).count(), usize::from(expected));
                }
            }
            prop_assert_eq!(&TaskGraph::new(&graph.tasks()), &graph);
            prop_assert_eq!(&graph.with_tasks(&graph.tasks()), &graph);
        }
        prop_assert_eq!(completed.len(), tasks.len());
    }

    #[test]
    fn no_transition_loses_a_task_or_breaks_the_rules(
        tasks in acyclic_graph(),
        calls in prop::collection::vec((0_usize..12, any::<Index>(), any::<Index>(), any::<bool>()), 0..30),
    ) {
        let mut graph = TaskGraph::new(&tasks);
        for (tool, task, other, flag) in calls {
            let (name, input) = random_call(&graph, tool, task, other, flag);
            let (next, result) = call_tool(&graph, name, &input).expect("a known tool");
            prop_assert!(ids(&next).is_superset(&ids(&graph)), "{} {} lost a task", name, input);
            prop_assert!(result["message"].is_string());
            if result["success"] == false {
                prop_assert!(next.same_as(&graph));
            }
            prop_assert!(next.problems().is_empty(), "{:?}", next.problems());
            for node in next.nodes() {
                let under_way = matches!(node.status, TaskNodeStatus::InProgress | TaskNodeStatus::Completed);
                let standing = node.dependencies.iter().all(|id| next.task(id).expect("the task").status == TaskNodeStatus::Completed);
                prop_assert!(!under_way || standing, "{} stands on unfinished work after {} {}", node.id, name, input);
                prop_assert_eq!(node.status == TaskNodeStatus::WaitingHuman, node.human_question.is_some());
            }
            prop_assert_eq!(render_status(&next).matches("\n  - [").count(), next.nodes().len());
            graph = next;
        }
        // Some task can always continue.
        let open = graph.nodes().iter().any(|node| node.status != TaskNodeStatus::Completed);
        let can_go_on = graph.nodes().iter().any(|node| !matches!(node.status, TaskNodeStatus::Completed | TaskNodeStatus::Pending));
        prop_assert!(!open || can_go_on || !ready(&graph).is_empty());
    }
}

fn utility_ready(graph: &TaskGraph) -> Vec<String> {
    get_unblocked_tasks(&graph.tasks()).into_iter().map(|task| task.id).collect()
}
