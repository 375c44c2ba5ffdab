//! `askHuman` and `answerQuestion`: a task that needs an answer from a person.

use serde_json::{Value, json};

use super::{HumanQuestion, TaskNodeStatus, generate::status_text, graph::TaskGraph};
use crate::plugin::{
    read::{argument, optional_argument},
    refusal::ToolRefusal,
};

/// `askHuman({taskId, question, options?})`: records a question for a person.
///
/// Result: `{success: true, taskId, question, task, message}`. Only a pending or running task can wait; a second
/// question is refused while the first is open.
pub fn ask_human(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(ask(graph, input))
}

/// `answerQuestion({taskId, answer})`: adds the answer to the task's `input_context` and resumes the task.
///
/// Result: `{success: true, taskId, question, answer, task, message}`. Refused if the task does not wait.
pub fn answer_question(graph: &TaskGraph, input: &Value) -> (TaskGraph, Value) {
    graph.settle(answer(graph, input))
}

fn ask(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), ToolRefusal> {
    let position = graph.find(&argument(input, "taskId")?)?;
    let task = graph.node(position);
    let refuse = |refusal: ToolRefusal| refusal.with("taskId", json!(task.id));
    let question = argument(input, "question").map_err(refuse)?;
    if !matches!(task.status, TaskNodeStatus::Pending | TaskNodeStatus::InProgress) {
        let open = match &task.human_question {
            Some(open) => format!(" for an answer to \"{}\"", open.question),
            None => String::new(),
        };
        let status = status_text(task.status);
        return Err(refuse(ToolRefusal::new(
            format!("Task is {status}: {}", task.id),
            format!(
                "Task \"{}\" is {status}{open}; a question can be asked while it is pending or in progress.",
                task.id
            ),
        )));
    }
    let options = match &input["options"] {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let waiting = HumanQuestion { question: question.clone(), options, resume_status: task.status };
    let waiting_graph = graph.with_changed(position, |task| {
        task.status = TaskNodeStatus::WaitingHuman;
        task.human_question = Some(waiting);
    });
    let result = json!({
        "success": true,
        "taskId": task.id,
        "question": question,
        "task": waiting_graph.shown(position),
        "message": format!(
            "Task \"{}\" waits for a human to answer: {question} Record the answer with answerQuestion; other ready tasks \
             can go on.",
            task.id
        ),
    });
    Ok((waiting_graph, result))
}

fn answer(graph: &TaskGraph, input: &Value) -> Result<(TaskGraph, Value), ToolRefusal> {
    let position = graph.find(&argument(input, "taskId")?)?;
    let task = graph.node(position);
    let refuse = |refusal: ToolRefusal| refusal.with("taskId", json!(task.id));
    let answer = optional_argument(input, "answer")
        .ok_or_else(|| refuse(ToolRefusal::new("Missing answer", "\"answer\" must be a non-empty string.")))?;
    if task.status != TaskNodeStatus::WaitingHuman {
        return Err(refuse(ToolRefusal::new(
            format!("Task is not waiting for an answer: {}", task.id),
            format!("Task \"{}\" is {}; no question is open. Use askHuman first.", task.id, status_text(task.status)),
        )));
    }
    // A graph set by a prompt file can have `waiting_human` without a question.
    let open = task.human_question.clone();
    let question = open.as_ref().map(|open| open.question.clone()).filter(|question| !question.is_empty());
    // A dependency may have been reopened while the question was open; then the task has to wait for it.
    let resumed = match open.map(|open| open.resume_status) {
        Some(TaskNodeStatus::InProgress) if graph.unmet_dependencies(position).is_empty() => TaskNodeStatus::InProgress,
        _ => TaskNodeStatus::Pending,
    };
    let note = match &question {
        Some(question) => format!("Question: {question}\nAnswer: {answer}"),
        None => format!("Answer: {answer}"),
    };
    let answered = graph.with_changed(position, |task| {
        task.status = resumed;
        task.human_question = None;
        let own = task.input_context.take();
        task.input_context = Some(own.map(|own| format!("{own}\n\n{note}")).unwrap_or(note));
    });
    let result = json!({
        "success": true,
        "taskId": task.id,
        "question": question,
        "answer": answer,
        "task": answered.shown(position),
        "message": format!("The answer was recorded. Task \"{}\" is {} again.", task.id, status_text(resumed)),
    });
    Ok((answered, result))
}
