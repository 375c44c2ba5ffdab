//! One task of the graph.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::plugin::read::{self, ShapeError, TaskFields};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskNodeStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Failed,
    /// `askHuman` asked a question about it that `answerQuestion` has not answered yet.
    WaitingHuman,
}

impl TaskNodeStatus {
    const ALL: [TaskNodeStatus; 5] = [
        TaskNodeStatus::Pending,
        TaskNodeStatus::InProgress,
        TaskNodeStatus::Completed,
        TaskNodeStatus::Failed,
        TaskNodeStatus::WaitingHuman,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            TaskNodeStatus::Pending => "pending",
            TaskNodeStatus::InProgress => "in_progress",
            TaskNodeStatus::Completed => "completed",
            TaskNodeStatus::Failed => "failed",
            TaskNodeStatus::WaitingHuman => "waiting_human",
        }
    }

    pub(super) fn from_text(text: &str) -> Option<Self> {
        let name = read::normalized_status(text);
        TaskNodeStatus::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HumanQuestion {
    pub question: String,
    /// Suggested answers; empty if any answer is possible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The status after the answer: `pending` or `in_progress`.
    pub resume_status: TaskNodeStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TaskNode {
    pub id: String,
    pub title: String,
    pub description: String,
    pub status: TaskNodeStatus,
    /// Ids of the tasks that must be completed first.
    pub dependencies: Vec<String>,
    pub unblocks: Vec<String>,
    pub required_capabilities: Vec<String>,
    /// Not interpreted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_subagent: Option<String>,
    /// The input of the task: its own text first, then the results of upstream tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_context: Option<String>,
    /// The result of a completed task, or the reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Set if the status is `waiting_human`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_question: Option<HumanQuestion>,
    /// The prompt author's own fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl TaskNode {
    /// Reads one task; `label` names it in messages.
    ///
    /// Lenient: a missing status is `pending`, missing arrays are empty, a missing title is the id, a missing description is empty,
    /// numbers are accepted as ids, and results that are not text become JSON text.
    pub(super) fn read(value: &Value, label: &str) -> Result<Self, ShapeError> {
        let mut fields = TaskFields::new(value, label)?;
        let id = fields.required_text("id");
        let mut task = TaskNode::read_fields(&mut fields);
        if task.title.is_empty() {
            task.title.clone_from(&id);
        }
        task.id = id;
        task.extra = fields.finish()?;
        Ok(task)
    }

    /// Reads a task to be added: the title is required, the id may be missing, and the task is pending without a result.
    pub(super) fn read_new(value: &Value, label: &str) -> Result<Self, ShapeError> {
        let mut fields = TaskFields::new(value, label)?;
        let id = fields.text("id").unwrap_or_default();
        let title = fields.required_text("title");
        let task = TaskNode::read_fields(&mut fields);
        let extra = fields.finish()?;
        Ok(TaskNode {
            id: id.trim().to_owned(),
            title,
            status: TaskNodeStatus::Pending,
            output_result: None,
            human_question: None,
            extra,
            ..task
        })
    }

    fn read_fields(fields: &mut TaskFields) -> Self {
        TaskNode {
            id: String::new(),
            title: fields.text("title").unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
            status: read_status(fields, "status"),
            dependencies: fields.texts("dependencies"),
            unblocks: fields.texts("unblocks"),
            required_capabilities: fields.texts("required_capabilities"),
            assigned_subagent: fields.text("assigned_subagent"),
            input_context: fields.text_or_json("input_context").filter(|text| !text.is_empty()),
            output_result: fields.text_or_json("output_result"),
            // The second is the spelling of `spawnTask`.
            parent_id: fields.text("parent_id").or_else(|| fields.text("parentId")),
            human_question: read_question(fields),
            extra: Map::new(),
        }
    }

    /// The result that is passed downstream, if there is one.
    pub(super) fn result(&self) -> Option<&str> {
        let result = self.output_result.as_deref()?;
        (self.status == TaskNodeStatus::Completed && !result.is_empty()).then_some(result)
    }
}

impl<'de> Deserialize<'de> for TaskNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TaskNode::read(&Value::deserialize(deserializer)?, "task").map_err(serde::de::Error::custom)
    }
}

/// Reads a list of tasks, and reports the faults of all. [`validate_task_graph`](super::validate_task_graph) checks the graph.
pub fn parse_tasks(value: &Value) -> Result<Vec<TaskNode>, ShapeError> {
    read::read_array(value, "tasks", TaskNode::read)
}

fn read_status(fields: &mut TaskFields, key: &str) -> TaskNodeStatus {
    let Some(text) = fields.text(key) else { return TaskNodeStatus::Pending };
    TaskNodeStatus::from_text(&text).unwrap_or_else(|| {
        fields.fault(format!("{key} must be pending, in_progress, completed, failed or waiting_human, not \"{text}\""));
        TaskNodeStatus::Pending
    })
}

fn read_question(fields: &mut TaskFields) -> Option<HumanQuestion> {
    let value = fields.take("human_question")?;
    let read = TaskFields::new(&value, "human_question").and_then(|mut inner| {
        let question = HumanQuestion {
            question: inner.text("question").unwrap_or_default(),
            options: inner.texts("options"),
            resume_status: read_status(&mut inner, "resume_status"),
        };
        inner.finish().map(|_| question)
    });
    read.map_err(|ShapeError(faults)| faults.into_iter().for_each(|fault| fields.fault(fault))).ok()
}
