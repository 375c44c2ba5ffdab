use std::rc::Rc;

use serde_json::{Value, json};

use super::*;

impl TaskGraph {
    /// The tasks in the form that a prompt file sees.
    pub(super) fn tasks(&self) -> Vec<TaskNode> {
        (0..self.nodes().len()).map(|position| self.shown(position)).collect()
    }

    pub(super) fn task(&self, id: &str) -> Option<TaskNode> {
        self.tasks().into_iter().find(|task| task.id == id)
    }
}

fn nodes(tasks: Value) -> Vec<TaskNode> {
    parse_tasks(&tasks).expect("the tasks are well formed")
}

fn graph(tasks: Value) -> TaskGraph {
    TaskGraph::new(&nodes(tasks))
}

/// a -> c, b -> c, c -> d
fn join() -> TaskGraph {
    graph(json!([
        { "id": "a", "title": "Alpha", "unblocks": ["c"] },
        { "id": "b", "title": "Beta" },
        { "id": "c", "title": "Join", "dependencies": ["a", "b"], "required_capabilities": ["web"] },
        { "id": "d", "title": "Delta", "dependencies": ["c"] },
    ]))
}

fn call(graph: &TaskGraph, tool: &str, input: Value) -> (TaskGraph, Value) {
    call_tool(graph, tool, &input).expect("a known tool")
}

fn done(graph: &TaskGraph, input: Value) -> TaskGraph {
    let (graph, result) = call(graph, "updateTaskStatus", input);
    assert_eq!(result["success"], true, "{result}");
    graph
}

fn complete(graph: &TaskGraph, id: &str, output: &str) -> TaskGraph {
    done(graph, json!({ "taskId": id, "status": "completed", "output_result": output }))
}

fn refused(graph: &TaskGraph, tool: &str, input: Value) -> String {
    let (after, result) = call(graph, tool, input);
    assert_eq!(result["success"], false, "{result}");
    assert!(result["error"].is_string(), "{result}");
    assert!(after.same_as(graph));
    result["message"].as_str().expect("a message").to_owned()
}

fn ready(graph: &TaskGraph) -> Vec<String> {
    let (_, result) = call(graph, "getUnblockedTasks", json!({}));
    let tasks = result["tasks"].as_array().expect("tasks");
    assert_eq!(result["count"], tasks.len());
    tasks.iter().map(|task| task["id"].as_str().expect("an id").to_owned()).collect()
}

fn context(graph: &TaskGraph, id: &str) -> String {
    graph.task(id).expect("the task").input_context.unwrap_or_default()
}

fn status(graph: &TaskGraph, id: &str) -> &'static str {
    graph.task(id).expect("the task").status.as_str()
}

#[test]
fn cycles_are_the_tasks_that_can_never_run() {
    let cyclic = nodes(json!([
        { "id": "p", "dependencies": ["r"] },
        { "id": "q", "dependencies": ["p"] },
        { "id": "r", "dependencies": ["q"] },
        { "id": "s" },
        { "id": "after", "dependencies": ["q", "s"] },
    ]));
    assert_eq!(detect_cycles(&cyclic), ["p", "q", "r", "after"]);
    assert_eq!(
        validate_task_graph(&cyclic),
        [
            "Circular dependency: \"p\", \"q\", \"r\", \"after\" can never run (p -> r -> q -> p, where each depends on the next)"
        ]
    );
    assert!(detect_cycles::<TaskNode>(&[]).is_empty());
}

#[test]
fn a_cycle_is_found_on_either_side_of_the_edges() {
    assert_eq!(detect_cycles(&nodes(json!([{ "id": "a", "dependencies": ["a"] }]))), ["a"]);
    assert_eq!(
        detect_cycles(&nodes(json!([{ "id": "a", "unblocks": ["b"] }, { "id": "b", "unblocks": ["a"] }]))),
        ["a", "b"]
    );
    let both_sides = nodes(json!([{ "id": "a", "unblocks": ["b"] }, { "id": "b", "dependencies": ["a"] }]));
    assert!(detect_cycles(&both_sides).is_empty());
}

#[test]
fn each_problem_has_its_own_message() {
    let tasks = nodes(json!([
        { "id": "a", "dependencies": ["ghost", "ghost"], "unblocks": ["spook"] },
        { "id": "a" },
        { "id": "a" },
        { "id": "b", "dependencies": ["b"] },
    ]));
    assert_eq!(
        validate_task_graph(&tasks),
        [
            "Duplicate task id \"a\"",
            "Task \"a\" depends on unknown task \"ghost\"",
            "Task \"a\" unblocks unknown task \"spook\"",
            "Circular dependency: \"b\" can never run (b -> b, where each depends on the next)",
        ]
    );
}

#[test]
fn normalising_writes_both_sides_of_every_edge() {
    let normal = normalize_task_graph(&nodes(json!([
        { "id": "a", "unblocks": ["c", "c", "nobody"] },
        { "id": "b", "note": "kept" },
        { "id": "c", "dependencies": ["b", "b"] },
    ])));
    assert_eq!(normal[0].unblocks, ["c", "nobody"]);
    assert_eq!(normal[1].unblocks, ["c"]);
    assert_eq!(normal[1].extra["note"], "kept");
    assert_eq!(normal[2].dependencies, ["b", "a"]);
}

#[test]
fn unblocked_are_pending_tasks_with_completed_dependencies() {
    let tasks = nodes(json!([
        { "id": "a", "status": "completed" },
        { "id": "b", "dependencies": ["a"] },
        { "id": "c", "dependencies": ["a", "b"] },
        { "id": "d", "dependencies": ["ghost"] },
        { "id": "e", "status": "failed" },
    ]));
    let ids: Vec<String> = get_unblocked_tasks(&tasks).into_iter().map(|task| task.id).collect();
    assert_eq!(ids, ["b"]);
    assert_eq!(ready(&TaskGraph::new(&tasks)), ["b"]);
}

#[test]
fn a_join_waits_for_every_branch() {
    let graph = join();
    assert_eq!(ready(&graph), ["a", "b"]);
    let graph = complete(&graph, "a", "A");
    assert_eq!(ready(&graph), ["b"]);
    let (graph, result) = call(&graph, "updateTaskStatus", json!({ "taskId": "b", "status": "completed" }));
    assert_eq!(result["newlyUnblocked"], json!([{ "id": "c", "title": "Join" }]));
    assert_eq!(result["task"]["status"], "completed");
    assert_eq!(result["message"], "Task \"b\" (Beta) is now completed. Now ready to start: \"c\".");
    assert_eq!(ready(&graph), ["c"]);
}

#[test]
fn a_blocked_task_is_neither_started_nor_completed() {
    let message = refused(&join(), "updateTaskStatus", json!({ "taskId": "c", "status": "completed" }));
    assert_eq!(message, "Task \"c\" cannot be completed yet: these dependencies are not completed: \"a\", \"b\".");
    let graph = complete(&join(), "a", "A");
    let (_, result) = call(&graph, "updateTaskStatus", json!({ "taskId": "c", "status": "in_progress" }));
    assert_eq!(result["unmetDependencies"], json!(["b"]));
    assert_eq!(status(&done(&graph, json!({ "taskId": "c", "status": "failed" })), "c"), "failed");
}

#[test]
fn wrong_arguments_are_refused_with_what_is_right() {
    let graph = join();
    let unknown = refused(&graph, "updateTaskStatus", json!({ "taskId": "zzz", "status": "completed" }));
    assert_eq!(unknown, "There is no task \"zzz\". Known tasks: a, b, c, d.");
    let status = refused(&graph, "updateTaskStatus", json!({ "taskId": "a", "status": "asleep" }));
    assert_eq!(status, "\"status\" must be in_progress, completed or failed, not \"asleep\".");
    let missing = refused(&graph, "updateTaskStatus", json!({ "status": "completed" }));
    assert_eq!(missing, "\"taskId\" must be a non-empty string.");
}

#[test]
fn results_reach_every_downstream_task_in_graph_order() {
    let graph = complete(&complete(&join(), "b", "B"), "a", "A");
    assert_eq!(context(&graph, "c"), "[a] Alpha: A\n\n[b] Beta: B");
    assert_eq!(context(&graph, "d"), "[a] Alpha: A\n\n[b] Beta: B");
    let graph = complete(&graph, "c", "C");
    assert_eq!(context(&graph, "d"), "[a] Alpha: A\n\n[b] Beta: B\n\n[c] Join: C");
    let (_, result) = call(&graph, "getUnblockedTasks", json!({}));
    assert_eq!(result["tasks"][0]["input_context"], context(&graph, "d"));
}

#[test]
fn completing_again_replaces_the_result() {
    let graph = complete(&join(), "a", "first");
    let again = complete(&graph, "a", "first");
    assert_eq!(context(&again, "c"), "[a] Alpha: first");
    let (graph, result) =
        call(&again, "updateTaskStatus", json!({ "taskId": "a", "status": "completed", "output_result": "second" }));
    assert_eq!(context(&graph, "c"), "[a] Alpha: second");
    assert_eq!(result["newlyUnblocked"], json!([]));
    let graph = done(&graph, json!({ "taskId": "a", "status": "completed" }));
    assert_eq!(context(&graph, "c"), "[a] Alpha: second");
}

#[test]
fn a_failure_blocks_downstream_until_the_task_is_tried_again() {
    let graph = done(&join(), json!({ "taskId": "a", "status": "failed", "output_result": "no access" }));
    let graph = done(&graph, json!({ "taskId": "a", "status": "failed" }));
    assert_eq!(context(&graph, "c"), "");
    assert!(render_status(&graph).contains("### Failed (1)\n  - [a] Alpha (reason: no access)"));
    let graph = complete(&done(&graph, json!({ "taskId": "a", "status": "in_progress" })), "b", "B");
    assert_eq!(graph.task("a").expect("the task").output_result, None);
    assert_eq!(ready(&complete(&graph, "a", "A")), ["c"]);
}

#[test]
fn a_completed_task_is_reopened_only_while_nothing_was_built_on_it() {
    let graph = complete(&complete(&join(), "a", "A"), "b", "B");
    let reopened = done(&graph, json!({ "taskId": "a", "status": "in_progress" }));
    assert!(ready(&reopened).is_empty());
    let graph = done(&graph, json!({ "taskId": "c", "status": "in_progress" }));
    let message = refused(&graph, "updateTaskStatus", json!({ "taskId": "a", "status": "in_progress" }));
    assert!(message.contains("was built on by \"c\""), "{message}");
}

#[test]
fn own_context_survives_the_way_through_javascript() {
    let graph = graph(json!([
        { "id": "a", "title": "Alpha" },
        { "id": "b", "title": "Beta", "dependencies": ["a"], "input_context": "Be brief." },
    ]));
    let graph = complete(&graph, "a", "two\n\nparagraphs");
    let expected = "Be brief.\n\n[a] Alpha: two\n\nparagraphs";
    assert_eq!(context(&graph, "b"), expected);
    // The binding passes the tasks as JSON and reads them back.
    let back = TaskGraph::new(&nodes(json!(graph.tasks())));
    assert_eq!(back, graph);
    assert_eq!(context(&complete(&back, "a", "new"), "b"), "Be brief.\n\n[a] Alpha: new");
    assert_eq!(graph.with_tasks(&graph.tasks()), graph);
}

#[test]
fn tasks_set_by_the_prompt_file_neither_repeat_nor_lose_results() {
    let graph = complete(&complete(&join(), "b", "B"), "a", "A");
    let mut tasks = graph.tasks();
    tasks[0].output_result = Some("A2".to_owned());
    assert_eq!(context(&graph.with_tasks(&tasks), "c"), "[a] Alpha: A2\n\n[b] Beta: B");
    let mut tasks = graph.tasks();
    tasks.remove(0);
    tasks[1].dependencies.retain(|id| id != "a");
    let pruned = graph.with_tasks(&tasks);
    assert_eq!(context(&pruned, "c"), "[a] Alpha: A\n\n[b] Beta: B");
    assert_eq!(ready(&pruned), ["c"]);
}

#[test]
fn an_update_touches_one_task() {
    // 500 tasks and 2 000 edges; the update of the first one shares all others with the old graph.
    let tasks: Vec<Value> = (0_usize..500)
        .map(|n| json!({ "id": format!("t{n}"), "dependencies": (1..=4).filter_map(|k| n.checked_sub(k * k)).map(|d| format!("t{d}")).collect::<Vec<_>>() }))
        .collect();
    let before = graph(json!(tasks));
    let after = complete(&before, "t0", "the result");
    let changed: Vec<&str> = before
        .nodes()
        .iter()
        .zip(after.nodes())
        .filter(|(before, after)| !Rc::ptr_eq(before, after))
        .map(|(_, after)| after.id.as_str())
        .collect();
    assert_eq!(changed, ["t0"]);
    assert_eq!(context(&after, "t499"), "[t0] t0: the result");
    assert!((1..500).all(|position| after.input_context(position).as_deref() == Some("[t0] t0: the result")));
}

#[test]
fn a_generated_graph_replaces_the_old_one() {
    let (graph, result) = call(
        &join(),
        "generateTaskGraph",
        json!({ "tasks": [{ "id": "x", "title": "X" }, { "id": "y", "title": "Y", "dependencies": "x", "unblocks": null }] }),
    );
    assert_eq!(result["success"], true);
    assert_eq!(result["count"], 2);
    assert_eq!(result["unblocked"], json!([{ "id": "x", "title": "X" }]));
    let ids: Vec<String> = graph.tasks().into_iter().map(|task| task.id).collect();
    assert_eq!(ids, ["x", "y"]);
    assert_eq!(graph.tasks()[0].unblocks, ["y"]);
}

#[test]
fn a_bad_generated_graph_is_refused_naming_the_tasks() {
    let cycle = json!({ "tasks": [{ "id": "x", "dependencies": ["y"] }, { "id": "y", "dependencies": ["x"] }] });
    let message = refused(&join(), "generateTaskGraph", cycle);
    assert!(message.contains("\"x\", \"y\" can never run"), "{message}");
    let (_, result) =
        call(&join(), "generateTaskGraph", json!({ "tasks": [{ "id": "x", "dependencies": ["ghost"] }] }));
    assert_eq!(result["errors"], json!(["Task \"x\" depends on unknown task \"ghost\""]));
    for wrong in [
        json!({}),
        json!({ "tasks": [] }),
        json!({ "tasks": [{ "title": "no id" }] }),
        json!({ "tasks": 3 }),
        json!(null),
    ] {
        refused(&join(), "generateTaskGraph", wrong);
    }
}

#[test]
fn shapes_are_read_leniently_and_faults_are_exact() {
    let task =
        &nodes(json!([{ "id": 7, "status": "In-Progress", "output_result": { "n": 1 }, "priority": "high" }]))[0];
    assert_eq!((task.id.as_str(), task.title.as_str()), ("7", "7"));
    assert_eq!(task.status, TaskNodeStatus::InProgress);
    assert_eq!(task.output_result.as_deref(), Some("{\"n\":1}"));
    assert_eq!(json!(task)["priority"], "high");
    let faults = parse_tasks(&json!([{ "id": "w", "dependencies": 3.5, "unblocks": {} }, {}])).expect_err("faults").0;
    assert_eq!(
        faults,
        [
            "tasks[0] (\"w\"): unblocks must be an array of strings, not an object",
            "tasks[1]: id is missing; it must be a non-empty string",
        ]
    );
    assert_eq!(nodes(json!("[{\"id\": \"a\"}]"))[0].id, "a");
    let node: TaskNode = serde_json::from_value(json!({ "id": "a", "title": "A" })).expect("a task");
    assert_eq!(node.description, "");
}

#[test]
fn a_spawned_task_takes_its_place() {
    let input =
        json!({ "title": "Check", "description": "look", "dependencies": ["a"], "unblocks": ["d"], "parentId": "a" });
    let (graph, result) = call(&complete(&join(), "a", "A"), "spawnTask", input);
    assert_eq!(result["taskId"], "a.1");
    assert_eq!(result["ready"], true);
    assert_eq!(result["task"]["input_context"], "[a] Alpha: A");
    assert_eq!(graph.task("d").expect("the task").dependencies, ["c", "a.1"]);
    assert_eq!(graph.task("a").expect("the task").unblocks, ["c", "a.1"]);
    let (_, second) = call(&graph, "spawnTask", json!({ "title": "Alone", "status": "completed" }));
    assert_eq!((&second["taskId"], &second["task"]["status"]), (&json!("task-1"), &json!("pending")));
}

#[test]
fn a_task_that_does_not_fit_is_not_spawned() {
    let graph = done(&join(), json!({ "taskId": "a", "status": "in_progress" }));
    for (input, why) in [
        (json!({ "title": "X", "id": "b" }), "Duplicate task id \"b\""),
        (json!({ "title": "X", "dependencies": ["ghost"] }), "unknown task \"ghost\""),
        (json!({ "title": "X", "dependencies": ["d"], "unblocks": ["c"] }), "Circular dependency"),
        (json!({ "title": "X", "unblocks": ["a"] }), "already in progress"),
        (json!({ "title": "X", "parentId": "ghost" }), "no task \"ghost\""),
        (json!({}), "title is missing"),
    ] {
        let message = refused(&graph, "spawnTask", input);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn dependents_of_a_forked_task_wait_for_all_its_parts() {
    let graph = complete(&complete(&join(), "a", "A"), "b", "B");
    let graph = done(&graph, json!({ "taskId": "c", "status": "in_progress" }));
    let input = json!({ "taskId": "c", "subtasks": [{ "title": "Left" }, { "title": "Right", "id": "r" }] });
    let (graph, result) = call(&graph, "forkTask", input);
    assert_eq!(result["subtasks"], json!([{ "id": "c.1", "title": "Left" }, { "id": "r", "title": "Right" }]));
    assert_eq!(ready(&graph), ["c.1", "r"]);
    assert_eq!(graph.task("r").expect("the task").required_capabilities, ["web"]);
    assert_eq!(context(&graph, "r"), "[a] Alpha: A\n\n[b] Beta: B");
    let graph = complete(&graph, "c.1", "L");
    assert_eq!(ready(&graph), ["r"]);
    let graph = complete(&graph, "r", "R");
    assert_eq!(ready(&graph), ["c"]);
    assert!(context(&graph, "c").ends_with("[c.1] Left: L\n\n[r] Right: R"));
    assert_eq!(ready(&complete(&graph, "c", "C")), ["d"]);
}

#[test]
fn what_cannot_be_split_is_refused() {
    let graph = complete(&join(), "a", "A");
    let parts = json!([{ "title": "x" }]);
    assert!(refused(&graph, "forkTask", json!({ "taskId": "a", "subtasks": parts })).contains("is completed"));
    refused(&graph, "forkTask", json!({ "taskId": "b", "subtasks": [] }));
    refused(&graph, "forkTask", json!({ "taskId": "b" }));
    let circle = json!([{ "title": "x", "dependencies": ["d"] }]);
    assert!(refused(&graph, "forkTask", json!({ "taskId": "c", "subtasks": circle })).contains("Circular"));
}

#[test]
fn a_question_makes_a_task_wait_until_the_answer() {
    let graph = done(&join(), json!({ "taskId": "a", "status": "in_progress" }));
    let (graph, result) =
        call(&graph, "askHuman", json!({ "taskId": "a", "question": "Which year?", "options": ["1", "2"] }));
    assert_eq!(result["task"]["status"], "waiting_human");
    assert_eq!(ready(&graph), ["b"]);
    assert!(render_status(&graph).contains("### Waiting for Human (1)\n  - [a] Alpha (question: Which year?)"));
    refused(&graph, "askHuman", json!({ "taskId": "a", "question": "And which month?" }));
    let early = refused(&graph, "updateTaskStatus", json!({ "taskId": "a", "status": "completed" }));
    assert!(early.contains("Which year?"), "{early}");

    // The question survives the conversion to JavaScript.
    let graph = TaskGraph::new(&nodes(json!(graph.tasks())));
    let (graph, result) = call(&graph, "answerQuestion", json!({ "taskId": "a", "answer": "2" }));
    assert_eq!((&result["question"], &result["task"]["status"]), (&json!("Which year?"), &json!("in_progress")));
    assert_eq!(context(&graph, "a"), "Question: Which year?\nAnswer: 2");
    assert!(graph.task("a").expect("the task").human_question.is_none());
    refused(&graph, "answerQuestion", json!({ "taskId": "a", "answer": "3" }));
}

#[test]
fn a_question_about_a_pending_task_leaves_it_pending() {
    let (graph, _) = call(&join(), "askHuman", json!({ "taskId": "b", "question": "Now?" }));
    refused(&graph, "answerQuestion", json!({ "taskId": "b" }));
    let (graph, _) = call(&graph, "answerQuestion", json!({ "taskId": "b", "answer": "yes" }));
    assert_eq!(ready(&graph), ["a", "b"]);
    refused(&complete(&graph, "a", "A"), "askHuman", json!({ "taskId": "a", "question": "Sure?" }));
}

#[test]
fn the_tree_holds_sub_tasks_below_their_parent() {
    let (graph, _) =
        call(&join(), "forkTask", json!({ "taskId": "b", "subtasks": [{ "title": "one" }, { "title": "two" }] }));
    let (same, result) = call(&graph, "readTree", json!({}));
    assert!(same.same_as(&graph));
    assert_eq!((&result["count"], &result["statuses"]), (&json!(6), &json!({ "pending": 6 })));
    let tree = result["tree"].as_array().expect("a tree");
    assert_eq!(tree.iter().map(|task| &task["id"]).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let children = tree[1]["children"].as_array().expect("children");
    assert_eq!(children.iter().map(|task| &task["id"]).collect::<Vec<_>>(), ["b.1", "b.2"]);
    assert_eq!((&children[0]["ready"], &tree[1]["ready"]), (&json!(true), &json!(false)));
    assert_eq!(call(&graph, "readTree", json!({ "taskId": "b" })).1["count"], 3);
    refused(&graph, "readTree", json!({ "taskId": "ghost" }));
}

#[test]
fn strange_parents_hide_no_task() {
    let mut tasks: Vec<Value> =
        (0..200).map(|n| json!({ "id": format!("{n}"), "parent_id": format!("{}", n - 1) })).collect();
    tasks.push(json!({ "id": "x", "parent_id": "y" }));
    tasks.push(json!({ "id": "y", "parent_id": "x" }));
    tasks.push(json!({ "id": "self", "parent_id": "self" }));
    let (_, result) = call(&graph(json!(tasks)), "readTree", json!({}));
    assert_eq!(result["count"], 203);
    assert_eq!(result["tree"].to_string().matches("\"title\"").count(), 203);
}

#[test]
fn status_text_matches_the_original() {
    let graph = graph(json!([
        { "id": "research", "title": "Research", "status": "in_progress", "unblocks": ["write"], "required_capabilities": ["web-search"] },
        { "id": "write", "title": "Write", "dependencies": ["research"], "required_capabilities": ["writing"] },
    ]));
    let expected = "\
## Task Graph Status

### In Progress (1)
  - [research] Research [web-search]

### Ready to Start (0)
  (none)

### Blocked / Pending (1)
  - [write] Write (depends on: research) [writing]

### Completed (0)
  (none)

Use \"getUnblockedTasks\" to find tasks ready for execution, \"updateTaskStatus\" to update task progress.";
    assert_eq!(render_status(&graph), expected);
}

#[test]
fn no_ready_task_is_explained() {
    let message = |graph: &TaskGraph| call(graph, "getUnblockedTasks", json!({})).1["message"].clone();
    assert_eq!(message(&TaskGraph::default()), "There are no tasks yet. Create them with generateTaskGraph.");
    let busy = graph(json!([{ "id": "a", "status": "in_progress" }, { "id": "b", "dependencies": ["a"] }]));
    assert_eq!(message(&busy), "No task is ready to start: 1 in progress, 1 blocked.");
    assert_eq!(message(&complete(&complete(&busy, "a", ""), "b", "")), "Nothing is left to do: all 2 tasks completed.");
}

#[test]
fn definitions_match_the_tools() {
    let names: Vec<String> = tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "generateTaskGraph",
            "getUnblockedTasks",
            "updateTaskStatus",
            "spawnTask",
            "forkTask",
            "askHuman",
            "answerQuestion",
            "readTree"
        ]
    );
    for tool in tools() {
        assert!(call_tool(&join(), &tool.name, &json!({})).is_some(), "{}", tool.name);
        let validator = jsonschema::validator_for(&tool.input_schema).expect("a schema");
        let required = tool.input_schema["required"].as_array().expect("required");
        assert_eq!(validator.is_valid(&json!({})), required.is_empty(), "{}", tool.name);
    }
    assert!(call_tool(&join(), "startTask", &json!({})).is_none());
}
