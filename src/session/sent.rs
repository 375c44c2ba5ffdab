//! What the model is sent of the history.

use std::rc::Rc;

use serde_json::Value;

use crate::chat::{Content, ContentPart, Message, Role, ToolOutput};

/// The messages as the model should read them: the results of a composite agent hold each child's steps for the prompt's
/// own code (SPEC 5), and those would cost the model tokens without telling it anything its children did not say.
pub(super) fn as_sent(messages: Vec<Rc<Message>>) -> Vec<Rc<Message>> {
    messages.into_iter().map(|message| without_agent_steps(&message).map_or(message, Rc::new)).collect()
}

fn without_agent_steps(message: &Message) -> Option<Message> {
    let has_steps = |part: &ContentPart| {
        matches!(part, ContentPart::ToolResult { agent_steps: Some(_), output: ToolOutput::Json(value), .. }
            if answers(value).is_some())
    };
    if message.role != Role::Tool || !message.content_parts().iter().any(has_steps) {
        return None;
    }
    let mut message = message.clone();
    if let Content::Parts(parts) = &mut message.content {
        for part in parts {
            if let ContentPart::ToolResult { agent_steps: Some(_), output: ToolOutput::Json(value), .. } = part
                && answers(value).is_some()
                && let Some(answers) = value["results"].as_array_mut()
            {
                for answer in answers.iter_mut().filter_map(Value::as_object_mut) {
                    answer.shift_remove("steps");
                }
            }
        }
    }
    Some(message)
}

/// The answers of a composite agent: `{results: [{name, response, …}]}`.
fn answers(value: &Value) -> Option<&Vec<Value>> {
    let answers = value.get("results")?.as_array()?;
    let is_answer = |answer: &Value| answer["name"].is_string() && answer["response"].is_string();
    answers.iter().all(is_answer).then_some(answers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(value: Value, agent_steps: bool) -> Rc<Message> {
        let part = ContentPart::ToolResult {
            tool_call_id: "c".into(),
            tool_name: "team".into(),
            output: ToolOutput::Json(value),
            agent_steps: agent_steps.then(|| Rc::new(Vec::new())),
            provider_options: None,
        };
        Rc::new(Message::parts(Role::Tool, vec![part]))
    }

    #[test]
    fn only_the_steps_of_agents_are_left_out() {
        let value = json!({ "results": [{ "name": "a", "response": "b", "steps": [1] }] });
        let sent = as_sent(vec![result(value.clone(), true), result(value.clone(), false)]);
        let shown = json!({ "results": [{ "name": "a", "response": "b" }] });
        assert_eq!(*sent[0], *result(shown, true));
        assert_eq!(*sent[1], *result(value, false));
    }
}
