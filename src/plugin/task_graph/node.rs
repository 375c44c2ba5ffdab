//! One task of the graph: its fields and how they are read.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::plugin::read::{self, Fields, ShapeError};

/// Where a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskNodeStatus {
    /// Nobody has begun it; ready when all its dependencies are completed.
    #[default]
    Pending,
    /// It is being worked on.
    InProgress,
    /// It is done; its result is told downstream.
    Completed,
    /// It was given up; it can be tried again.
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

    /// The name used in JavaScript.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            TaskNodeStatus::Pending => "pending",
            TaskNodeStatus::InProgress => "in_progress",
            TaskNodeStatus::Completed => "completed",
            TaskNodeStatus::Failed => "failed",
            TaskNodeStatus::WaitingHuman => "waiting_human",
        }
    }

    /// The status of this name, written as people and models do.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let word = read::status_word(text);
        TaskNodeStatus::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

/// What a waiting task waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct HumanQuestion {
    /// What is asked.
    pub question: String,
    /// Answers to choose from; empty when any answer will do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The status the answer gives back: `pending` or `in_progress`.
    pub resume_status: TaskNodeStatus,
}

/// One task, with the field names of JavaScript.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct TaskNode {
    /// What tools and edges name it by.
    pub id: String,
    /// A few words for lists.
    pub title: String,
    /// What is to be done, at length; may be empty.
    pub description: String,
    /// Where it stands.
    pub status: TaskNodeStatus,
    /// Ids of the tasks that must be completed first.
    pub dependencies: Vec<String>,
    /// Ids of the tasks that wait for this one.
    pub unblocks: Vec<String>,
    /// What is needed to do it, shown with the task.
    pub required_capabilities: Vec<String>,
    /// Who handles it, in the prompt author's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_subagent: Option<String>,
    /// What the task is told: its own text first, then the results of upstream tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_context: Option<String>,
    /// What a completed task produced, or why a failed one failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_result: Option<String>,
    /// The task this one was spawned by or split from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// There while the status is `waiting_human`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_question: Option<HumanQuestion>,
    /// The prompt author's own fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl TaskNode {
    /// Reads one task; `label` names it in messages.
    ///
    /// Lenient: missing status is `pending`, missing arrays are empty, a missing title is the id, a missing description
    /// is empty, numbers are taken as ids, results that are not text become JSON text.
    pub(super) fn read(value: &Value, label: &str) -> Result<Self, ShapeError> {
        let mut fields = Fields::new(value, label)?;
        let id = fields.required_text("id");
        let mut task = TaskNode::read_fields(&mut fields);
        if task.title.is_empty() {
            task.title.clone_from(&id);
        }
        task.id = id;
        task.extra = fields.finish()?;
        Ok(task)
    }

    /// Reads a task that is to be added: the title is required, the id is empty when the model leaves the choice to us,
    /// and it begins as pending without result whatever was sent.
    pub(super) fn read_new(value: &Value, label: &str) -> Result<Self, ShapeError> {
        let mut fields = Fields::new(value, label)?;
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

    /// All fields but the id and the user's own.
    fn read_fields(fields: &mut Fields) -> Self {
        TaskNode {
            id: String::new(),
            title: fields.text("title").unwrap_or_default(),
            description: fields.text("description").unwrap_or_default(),
            status: read_status(fields, "status"),
            dependencies: fields.texts("dependencies"),
            unblocks: fields.texts("unblocks"),
            required_capabilities: fields.texts("required_capabilities"),
            assigned_subagent: fields.text("assigned_subagent"),
            input_context: fields.text_of_any("input_context").filter(|text| !text.is_empty()),
            output_result: fields.text_of_any("output_result"),
            // The second is how `spawnTask` spells its argument.
            parent_id: fields.text("parent_id").or_else(|| fields.text("parentId")),
            human_question: read_question(fields),
            extra: Map::new(),
        }
    }

    /// The result that downstream tasks are told, if there is one.
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

/// Reads the tasks given to `defTaskGraph`, its setter, `generateTaskGraph` or one of the utilities.
///
/// Fails with every fault found when it is not an array of task objects. Faults of the graph itself are
/// [`validate_task_graph`](super::validate_task_graph)'s.
pub(crate) fn parse_tasks(value: &Value) -> Result<Vec<TaskNode>, ShapeError> {
    read::read_array(value, "tasks", TaskNode::read)
}

fn read_status(fields: &mut Fields, key: &str) -> TaskNodeStatus {
    let Some(text) = fields.text(key) else { return TaskNodeStatus::Pending };
    TaskNodeStatus::from_text(&text).unwrap_or_else(|| {
        fields.fault(format!("{key} must be pending, in_progress, completed, failed or waiting_human, not \"{text}\""));
        TaskNodeStatus::Pending
    })
}

fn read_question(fields: &mut Fields) -> Option<HumanQuestion> {
    let value = fields.take("human_question")?;
    let read = Fields::new(&value, "human_question").and_then(|mut inner| {
        let question = HumanQuestion {
            question: inner.text("question").unwrap_or_default(),
            options: inner.texts("options"),
            resume_status: read_status(&mut inner, "resume_status"),
        };
        inner.finish().map(|_| question)
    });
    read.map_err(|ShapeError(faults)| faults.into_iter().for_each(|fault| fields.fault(fault))).ok()
}
