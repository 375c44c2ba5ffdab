//! The definitions of the eight tools, and calls by name.

use serde_json::{Value, json};

use super::{
    TaskGraph, answer_question, ask_human, fork_task, generate_task_graph, list_unblocked_tasks, read_tree, spawn_task,
    update_task_status,
};
use lmthing_base::chat::ToolSpec;

/// Runs a tool by its name; `None` if it is not a tool of the task graph. The arguments need not be validated: errors are part of
/// the result.
pub fn call_tool(graph: &TaskGraph, tool_name: &str, input: &Value) -> Option<(TaskGraph, Value)> {
    Some(match tool_name {
        "generateTaskGraph" => generate_task_graph(graph, input),
        "getUnblockedTasks" => list_unblocked_tasks(graph),
        "updateTaskStatus" => update_task_status(graph, input),
        "spawnTask" => spawn_task(graph, input),
        "forkTask" => fork_task(graph, input),
        "askHuman" => ask_human(graph, input),
        "answerQuestion" => answer_question(graph, input),
        "readTree" => read_tree(graph, input),
        _ => return None,
    })
}

/// The eight tools, in the order of their definition.
pub fn tools() -> Vec<ToolSpec> {
    vec![
        generate_tool(),
        tool(
            "getUnblockedTasks",
            "Get all tasks whose dependencies are fully completed and that are ready to start, with the results of the \
             tasks they depend on as input_context.",
            json!({}),
            &[],
        ),
        update_tool(),
        spawn_tool(),
        fork_tool(),
        tool(
            "askHuman",
            "Ask a human a question that a pending or running task needs answered. The task waits until answerQuestion \
             records the answer; other tasks can go on.",
            json!({
                "taskId": task_id(),
                "question": text("What the human should answer"),
                "options": texts("Answers to choose from, if there are only some"),
            }),
            &["taskId", "question"],
        ),
        tool(
            "answerQuestion",
            "Record a human's answer to the open question of a task. The answer becomes part of the task's input_context \
             and the task can go on.",
            json!({ "taskId": task_id(), "answer": text("The answer") }),
            &["taskId", "answer"],
        ),
        tool(
            "readTree",
            "Read all tasks as a tree: every task with its status, dependencies and result, sub-tasks below their parent.",
            json!({ "taskId": text("Read only this task and its sub-tasks") }),
            &[],
        ),
    ]
}

fn generate_tool() -> ToolSpec {
    let mut task = new_task();
    task["id"] = text("Unique id, such as \"research\"; other tasks refer to it");
    task["status"] = json!({
        "type": "string",
        "enum": ["pending", "in_progress", "completed", "failed"],
        "description": "Where the task stands; pending when left out",
    });
    task["assigned_subagent"] = text("Who handles the task");
    task["input_context"] = text("What the task needs to know; results of upstream tasks are added to it");
    tool(
        "generateTaskGraph",
        "Create or replace the task graph: a directed acyclic graph of tasks. Refused, leaving the current graph, when ids \
         are used twice, references are unknown or tasks wait for each other in a circle.",
        json!({
            "tasks": {
                "type": "array",
                "minItems": 1,
                "description": "All tasks of the graph",
                "items": { "type": "object", "properties": task, "required": ["id", "title"] },
            },
        }),
        &["tasks"],
    )
}

fn update_tool() -> ToolSpec {
    tool(
        "updateTaskStatus",
        "Update the status of a task to in_progress, completed or failed. Completing it unblocks the tasks that wait for \
         it and hands its output_result to every downstream task. A failed task is tried again by setting it to \
         in_progress.",
        json!({
            "taskId": task_id(),
            "status": {
                "type": "string",
                "enum": ["in_progress", "completed", "failed"],
                "description": "The new status",
            },
            "output_result": text("What the task produced, as a summary or artifact; for a failed task the reason"),
        }),
        &["taskId", "status"],
    )
}

fn spawn_tool() -> ToolSpec {
    let mut task = new_task();
    task["id"] = text("Unique id; made up when left out");
    task["parentId"] = text("The task this one belongs to");
    tool("spawnTask", "Add a task to the task graph while it is being worked through.", task, &["title"])
}

fn fork_tool() -> ToolSpec {
    let mut subtask = new_task();
    subtask["id"] = text("Unique id; made up when left out");
    tool(
        "forkTask",
        "Split a task into sub-tasks that can be worked on in parallel. The task itself then waits for all of them, is \
         given their results and is completed last, so the tasks that depend on it wait for the whole.",
        json!({
            "taskId": task_id(),
            "subtasks": {
                "type": "array",
                "minItems": 1,
                "description": "The parts of the task; they need not repeat its dependencies",
                "items": { "type": "object", "properties": subtask, "required": ["title"] },
            },
        }),
        &["taskId", "subtasks"],
    )
}

fn new_task() -> Value {
    json!({
        // A placeholder for the order of the fields; each tool describes its id.
        "id": {},
        "title": text("Concise task name"),
        "description": text("Detailed instructions for carrying out the task"),
        "dependencies": texts("Ids of the tasks that must be completed first"),
        "unblocks": texts("Ids of the tasks that wait for this one"),
        "required_capabilities": texts("What is needed to do it, such as \"web-search\" or \"database\""),
    })
}

fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({ "type": "object", "properties": properties, "required": required }),
        provider_options: None,
        provider_tool: None,
    }
}

fn task_id() -> Value {
    text("The id of the task")
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}
