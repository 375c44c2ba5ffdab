use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn two() -> Vec<Task> {
    parse_tasks(&json!([{ "id": "1", "name": "Research", "status": "pending" }, { "id": "2", "name": "Write" }]))
        .expect("the tasks are well formed")
}

fn with_status(status: &str) -> Vec<Task> {
    parse_tasks(&json!([{ "id": "1", "name": "Research", "status": status }])).expect("the task is well formed")
}

#[test]
fn starting_answers_with_the_updated_task_and_changes_only_it() {
    let (tasks, result) = start_task(&two(), "2");
    assert_eq!(
        result,
        json!({
            "success": true,
            "taskId": "2",
            "task": { "id": "2", "name": "Write", "status": "in_progress" },
            "message": "Task \"Write\" started.",
        })
    );
    assert_eq!(tasks[0], two()[0]);
    assert_eq!(tasks[1].status, TaskStatus::InProgress);
}

#[test]
fn allowed_transitions() {
    let allowed = |tool: &str| -> Vec<&str> {
        ["pending", "in_progress", "completed", "failed"]
            .into_iter()
            .filter(|from| {
                let before = with_status(from);
                let (after, result) = call_tool(&before, tool, &json!({ "taskId": "1" })).expect("a known tool");
                assert_eq!(result["taskId"], "1");
                assert!(result["message"].is_string());
                let success = result["success"] == true;
                assert_eq!(success, after != before, "{tool} from {from}");
                assert_eq!(success, result.get("error").is_none(), "{tool} from {from}");
                success
            })
            .collect()
    };
    assert_eq!(allowed("startTask"), ["pending", "failed"]);
    assert_eq!(allowed("completeTask"), ["pending", "in_progress"]);
    assert_eq!(allowed("failTask"), ["pending", "in_progress"]);
}

#[test]
fn a_failure_keeps_its_reason_until_the_restart() {
    let (failed, result) = fail_task(&two(), "1", Some("no access"));
    assert_eq!(result["task"], json!({ "id": "1", "name": "Research", "status": "failed" }));
    assert_eq!(result["reason"], "no access");
    assert_eq!(result["message"], "Task \"Research\" failed: no access");
    assert_eq!(json!(failed[0])["failureReason"], "no access");
    assert!(render_status(&failed).ends_with("### Failed (1)\n  - [1] Research (reason: no access)"));

    let (restarted, result) = start_task(&failed, "1");
    assert_eq!(result["message"], "Task \"Research\" restarted.");
    assert_eq!(json!(restarted[0]), json!({ "id": "1", "name": "Research", "status": "in_progress" }));
}

#[test]
fn an_unknown_task_is_named_with_the_known_ones() {
    let (tasks, result) = complete_task(&two(), "9");
    assert_eq!(tasks, two());
    assert_eq!(result["success"], false);
    assert_eq!(result["taskId"], "9");
    assert_eq!(result["error"], "Task not found: 9");
    assert_eq!(result["message"], "There is no task \"9\". Known tasks: 1, 2.");
    assert_eq!(complete_task(&[], "9").1["message"], "There is no task \"9\". There are no tasks yet.");
}

#[test]
fn a_missing_task_id_is_refused() {
    let (tasks, result) = call_tool(&two(), "startTask", &json!({})).expect("a known tool");
    assert_eq!(tasks, two());
    assert_eq!(result["success"], false);
    assert_eq!(result["message"], "\"taskId\" must be a non-empty string.");
    assert!(call_tool(&two(), "runToolCode", &json!({})).is_none());
}

#[test]
fn ids_copied_with_brackets_or_as_numbers_are_understood() {
    assert_eq!(start_task(&two(), "[2]").1["taskId"], "2");
    assert_eq!(call_tool(&two(), "startTask", &json!({ "taskId": 2 })).expect("a known tool").1["taskId"], "2");
}

#[test]
fn status_text_matches_the_original() {
    let (tasks, _) = start_task(
        &parse_tasks(&json!([
            { "id": 1, "name": "Research the topic" },
            { "id": 2, "name": "Write implementation" },
            { "id": 3, "name": "Test the implementation" },
        ]))
        .expect("the tasks are well formed"),
        "1",
    );
    let expected = "\
## Current Task Status

### In Progress (1)
  - [1] Research the topic

### Pending (2)
  - [2] Write implementation
  - [3] Test the implementation

### Completed (0)
  (none)";
    assert_eq!(render_status(&tasks), expected);
}

#[test]
fn the_authors_own_fields_stay() {
    let given =
        json!([{ "id": "1", "name": "Research", "status": "pending", "owner": { "name": "Ada" }, "points": 3 }]);
    let tasks = parse_tasks(&given).expect("the tasks are well formed");
    assert_eq!(json!(tasks), given);
    let (after, result) = start_task(&tasks, "1");
    assert_eq!(result["task"]["owner"]["name"], "Ada");
    assert_eq!(json!(after)[0]["points"], 3);
}

#[test]
fn every_fault_of_the_shape_is_reported() {
    let ShapeError(faults) = parse_tasks(&json!([{ "id": "1" }, 7, { "id": "3", "name": "x", "status": "asleep" }]))
        .expect_err("three faults");
    assert_eq!(
        faults,
        [
            "tasks[0] (\"1\"): name is missing; it must be a non-empty string",
            "tasks[1] must be an object, not a number",
            "tasks[2] (\"3\"): status must be pending, in_progress, completed or failed, not \"asleep\"",
        ]
    );
    assert_eq!(
        parse_tasks(&json!({})).expect_err("not an array").to_string(),
        "tasks must be an array of tasks, not an object"
    );
}

#[test]
fn duplicate_ids_are_reported_once() {
    let tasks = parse_tasks(&json!([
        { "id": "1", "name": "a" }, { "id": "1", "name": "b" }, { "id": "1", "name": "c" }, { "id": "2", "name": "d" },
    ]))
    .expect("the tasks are well formed");
    assert_eq!(validate_task_list(&tasks).len(), 1);
    assert!(validate_task_list(&two()).is_empty());
}

#[test]
fn definitions_match_the_tools() {
    for tool in tools() {
        assert!(call_tool(&two(), &tool.name, &json!({ "taskId": "1" })).is_some(), "{}", tool.name);
        assert_eq!(tool.input_schema["required"], json!(["taskId"]));
        assert!(jsonschema::validator_for(&tool.input_schema).is_ok());
    }
    assert_eq!(tools().len(), 3);
}

proptest! {
    #[test]
    fn transitions_keep_all_tasks(
        count in 0_usize..6,
        calls in prop::collection::vec((0_usize..4, 0_usize..8, any::<bool>()), 0..40),
    ) {
        let given: Vec<Value> = (0..count).map(|n| json!({ "id": n.to_string(), "name": format!("task {n}"), "n": n })).collect();
        let mut tasks = parse_tasks(&json!(given)).expect("the tasks are well formed");
        for (tool, id, reason) in calls {
            let name = ["startTask", "completeTask", "failTask", "startTask"][tool];
            let input = json!({ "taskId": id.to_string(), "reason": reason.then_some("because") });
            let (after, result) = call_tool(&tasks, name, &input).expect("a known tool");
            let expected: Vec<Task> = after.iter().zip(&tasks).map(|(after, before)| {
                if after.id == id.to_string() && result["success"] == true {
                    Task { status: after.status, failure_reason: after.failure_reason.clone(), ..before.clone() }
                } else {
                    before.clone()
                }
            }).collect();
            prop_assert_eq!(&after, &expected);
            prop_assert_eq!(after.len(), count);
            let rendered = render_status(&after);
            prop_assert_eq!(rendered.matches("  - [").count(), count);
            tasks = after;
        }
    }
}
