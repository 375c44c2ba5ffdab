//! The task list of `defTaskList`: a flat list that a model works through with three tools
//! (docs/reference/task-list.md).
//!
//! Allowed changes: `startTask` from pending or failed (a restart drops the reason), `completeTask` from pending or in progress
//! (a model may finish a small task without announcing it), `failTask` from pending or in progress. Everything else is refused
//! with the reason and the tool to use instead.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::{
    read::{self, ShapeError, TaskFields},
    refusal::{ToolRefusal, one_line, quoted, strip_brackets},
};
use lmthing_base::chat::ToolSpec;

/// The key of the state tuple and the name of the system section.
pub const STATE_KEY: &str = "taskList";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

impl TaskStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let name = read::normalized_status(text);
        [TaskStatus::Pending, TaskStatus::InProgress, TaskStatus::Completed, TaskStatus::Failed]
            .into_iter()
            .find(|status| status.as_str() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub id: String,
    pub name: String,
    pub status: TaskStatus,
    /// The reason of a failure; removed when the task is restarted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// The prompt author's own fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Task {
    fn read(value: &Value, label: &str) -> Result<Self, ShapeError> {
        let mut fields = TaskFields::new(value, label)?;
        let id = fields.required_text("id");
        let name = fields.required_text("name");
        let failure_reason = fields.text_or_json("failureReason");
        let status = match fields.text("status") {
            None => TaskStatus::Pending,
            Some(text) => TaskStatus::from_text(&text).unwrap_or_else(|| {
                fields.fault(format!("status must be pending, in_progress, completed or failed, not \"{text}\""));
                TaskStatus::Pending
            }),
        };
        Ok(Task { id, name, status, failure_reason, extra: fields.finish()? })
    }

    fn shown(&self) -> Value {
        json!(Task { failure_reason: None, ..self.clone() })
    }
}

impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Task::read(&Value::deserialize(deserializer)?, "task").map_err(serde::de::Error::custom)
    }
}

/// Reads the argument of `defTaskList` or of its setter. The error lists every fault.
pub fn parse_tasks(value: &Value) -> Result<Vec<Task>, ShapeError> {
    read::read_array(value, "tasks", Task::read)
}

/// Problems that do not make the list unusable: tools reach only the first task with a duplicate id.
pub fn validate_task_list(tasks: &[Task]) -> Vec<String> {
    // Not an error, so that the prompt runs and the author sees the problem.
    let mut seen = HashSet::new();
    let mut reported = HashSet::new();
    tasks
        .iter()
        .map(|task| task.id.as_str())
        .filter(|id| !seen.insert(*id) && reported.insert(*id))
        .map(|id| format!("Duplicate task id \"{id}\": tools reach only the first task with it"))
        .collect()
}

/// `startTask`: marks a pending task as in progress, or restarts a failed one.
///
/// Result: `{success: true, taskId, task, message}`, or `{success: false, taskId, error, message}`.
pub fn start_task(tasks: &[Task], task_id: &str) -> (Vec<Task>, Value) {
    change(tasks, task_id, None, |task| match task.status {
        TaskStatus::Pending => Ok((TaskStatus::InProgress, format!("Task \"{}\" started.", task.name))),
        TaskStatus::Failed => Ok((TaskStatus::InProgress, format!("Task \"{}\" restarted.", task.name))),
        TaskStatus::InProgress => Err("is already in progress; call completeTask or failTask when it is finished"),
        TaskStatus::Completed => Err("is already completed and cannot be started again"),
    })
}

/// `completeTask`: marks a pending or running task as completed. Results as for [`start_task`].
pub fn complete_task(tasks: &[Task], task_id: &str) -> (Vec<Task>, Value) {
    change(tasks, task_id, None, |task| match task.status {
        TaskStatus::Pending | TaskStatus::InProgress => {
            Ok((TaskStatus::Completed, format!("Task \"{}\" completed.", task.name)))
        }
        TaskStatus::Completed => Err("is already completed"),
        TaskStatus::Failed => Err("has failed; call startTask to restart it first"),
    })
}

/// `failTask`: marks a pending or running task as failed, with a reason. Results as for [`start_task`], with `reason`.
pub fn fail_task(tasks: &[Task], task_id: &str, reason: Option<&str>) -> (Vec<Task>, Value) {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    change(tasks, task_id, reason, |task| match task.status {
        TaskStatus::Pending | TaskStatus::InProgress => {
            let because = reason.map(|reason| format!(": {reason}")).unwrap_or_else(|| ".".to_owned());
            Ok((TaskStatus::Failed, format!("Task \"{}\" failed{because}", task.name)))
        }
        TaskStatus::Completed => Err("is already completed and cannot fail"),
        TaskStatus::Failed => Err("has already failed; call startTask to restart it"),
    })
}

/// Runs a tool by its name; `None` if it is not a tool of the task list.
pub fn call_tool(tasks: &[Task], tool_name: &str, input: &Value) -> Option<(Vec<Task>, Value)> {
    if !matches!(tool_name, "startTask" | "completeTask" | "failTask") {
        return None;
    }
    let task_id = match read::argument(input, "taskId") {
        Ok(task_id) => task_id,
        Err(refusal) => return Some((tasks.to_vec(), refusal.into_value())),
    };
    Some(match tool_name {
        "startTask" => start_task(tasks, &task_id),
        "completeTask" => complete_task(tasks, &task_id),
        _ => fail_task(tasks, &task_id, read::optional_argument(input, "reason").as_deref()),
    })
}

fn change(
    tasks: &[Task],
    task_id: &str,
    reason: Option<&str>,
    rule: impl Fn(&Task) -> Result<(TaskStatus, String), &'static str>,
) -> (Vec<Task>, Value) {
    let mut tasks = tasks.to_vec();
    let by_id = |id: &str| tasks.iter().position(|task| task.id == id);
    // The exact id first, as an author's ids may contain brackets.
    let Some(position) = by_id(task_id).or_else(|| by_id(strip_brackets(task_id))) else {
        let refusal = ToolRefusal::unknown_task(task_id, tasks.iter().map(|task| task.id.as_str())).into_value();
        return (tasks, refusal);
    };
    let task = &mut tasks[position];
    let result = match rule(task) {
        Ok((status, message)) => {
            task.status = status;
            task.failure_reason = reason.map(str::to_owned);
            let mut result = json!({ "success": true, "taskId": task.id, "task": task.shown() });
            if let Some(reason) = reason {
                result["reason"] = json!(reason);
            }
            result["message"] = json!(message);
            result
        }
        Err(why) => ToolRefusal::new(
            format!("Task is {}: {}", task.status.as_str(), task.id),
            format!("Task {} ({}) {why}.", quoted([&task.id]), task.name),
        )
        .with("taskId", json!(task.id))
        .with("task", task.shown())
        .into_value(),
    };
    (tasks, result)
}

/// The status section of the system prompt. "Failed" appears only if a task failed.
pub fn render_status(tasks: &[Task]) -> String {
    let mut sections = vec!["## Current Task Status".to_owned()];
    for (title, status) in [
        ("In Progress", TaskStatus::InProgress),
        ("Pending", TaskStatus::Pending),
        ("Completed", TaskStatus::Completed),
        ("Failed", TaskStatus::Failed),
    ] {
        let group: Vec<&Task> = tasks.iter().filter(|task| task.status == status).collect();
        if group.is_empty() && status == TaskStatus::Failed {
            continue;
        }
        let mut section = format!("### {title} ({})", group.len());
        if group.is_empty() {
            section.push_str("\n  (none)");
        }
        for task in group {
            section.push_str(&format!("\n  - [{}] {}", task.id, one_line(&task.name)));
            if let Some(reason) = task.failure_reason.as_deref().filter(|_| status == TaskStatus::Failed) {
                section.push_str(&format!(" (reason: {})", one_line(reason)));
            }
        }
        sections.push(section);
    }
    sections.join("\n\n")
}

pub fn tools() -> Vec<ToolSpec> {
    let task_id =
        json!({ "type": "string", "description": "The id of the task, as shown in brackets in the task status" });
    let only_id = json!({ "type": "object", "properties": { "taskId": task_id }, "required": ["taskId"] });
    let with_reason = json!({
        "type": "object",
        "properties": { "taskId": task_id, "reason": { "type": "string", "description": "Why the task failed" } },
        "required": ["taskId"],
    });
    [
        (
            "startTask",
            "Mark a task as in progress. Call it when you begin working on the task. Can restart failed tasks.",
            only_id.clone(),
        ),
        ("completeTask", "Mark a task as completed. Call it when the task is finished.", only_id),
        (
            "failTask",
            "Mark a task as failed, with an optional reason. Call it when the task cannot be finished.",
            with_reason,
        ),
    ]
    .into_iter()
    .map(|(name, description, input_schema)| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema,
        provider_options: None,
        provider_tool: None,
    })
    .collect()
}

#[cfg(test)]
mod tests;
