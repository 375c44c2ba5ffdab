//! The status section of the system prompt (docs/reference/task-graph.md).

use super::{TaskNode, TaskNodeStatus, graph::TaskGraph};
use crate::plugin::refusal::one_line;

const HINT: &str =
    "Use \"getUnblockedTasks\" to find tasks ready for execution, \"updateTaskStatus\" to update task progress.";

/// The status section. Groups of failed and waiting tasks appear only if there are any.
pub fn render_status(graph: &TaskGraph) -> String {
    let group = |belongs: &dyn Fn(usize, &TaskNode) -> bool| -> Vec<&TaskNode> {
        let nodes = graph.nodes().iter().enumerate();
        nodes.filter(|(position, node)| belongs(*position, node)).map(|(_, node)| node.as_ref()).collect()
    };
    let with_status = |status: TaskNodeStatus| group(&move |_, node| node.status == status);
    let mut sections = vec![
        "## Task Graph Status".to_owned(),
        section("In Progress", &with_status(TaskNodeStatus::InProgress), |_| String::new()),
        section("Ready to Start", &group(&|position, _| graph.is_ready(position)), |_| String::new()),
        section(
            "Blocked / Pending",
            &group(&|position, node| node.status == TaskNodeStatus::Pending && !graph.is_ready(position)),
            |task| match task.dependencies.is_empty() {
                true => String::new(),
                false => format!(" (depends on: {})", task.dependencies.join(", ")),
            },
        ),
        section("Completed", &with_status(TaskNodeStatus::Completed), |_| String::new()),
    ];
    let failed = with_status(TaskNodeStatus::Failed);
    if !failed.is_empty() {
        sections.push(section("Failed", &failed, |task| {
            let reason = task.output_result.as_deref().map(one_line);
            reason.map(|reason| format!(" (reason: {reason})")).unwrap_or_default()
        }));
    }
    let waiting = with_status(TaskNodeStatus::WaitingHuman);
    if !waiting.is_empty() {
        sections.push(section("Waiting for Human", &waiting, |task| {
            let question = task.human_question.as_ref().map(|waiting| one_line(&waiting.question));
            question.map(|question| format!(" (question: {question})")).unwrap_or_default()
        }));
    }
    sections.push(HINT.to_owned());
    sections.join("\n\n")
}

fn section(title: &str, tasks: &[&TaskNode], note: impl Fn(&TaskNode) -> String) -> String {
    let mut text = format!("### {title} ({})", tasks.len());
    if tasks.is_empty() {
        text.push_str("\n  (none)");
    }
    for task in tasks {
        text.push_str(&format!("\n  - [{}] {}{}", task.id, one_line(&task.title), note(task)));
        if !task.required_capabilities.is_empty() {
            text.push_str(&format!(" [{}]", task.required_capabilities.join(", ")));
        }
    }
    text
}
