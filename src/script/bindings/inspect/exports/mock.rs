//! The mock of a file: its items one by one, and its calls against the tools of the first render. Must not know how a mock is
//! played but for where its turns end.

use rquickjs::{Ctx, Value};
use serde_json::Value as Json;

use super::{
    super::fault::{Fault, Key, RenderedTool, Weight},
    faults::{Faults, at, below, path},
};
use crate::{
    chat::read_json,
    diagnostic::closest,
    provider::MockItem,
    schema::{ValidationProblem, Validator, describe_problems},
    script::bindings::{
        models::mock::mock_item,
        values::{elements, kind_of, property},
    },
};

/// So many tools are named where none is similar.
const MOST_NAMED: usize = 8;

/// The calls of a mock, as far as they could be read.
#[derive(Debug, Default)]
pub(crate) struct MockScript(pub(super) Vec<Call>);

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    /// Which item it is.
    index: usize,
    pub(super) tool: String,
    /// JSON, unless the mock plays a model that writes something else.
    pub(super) arguments: Option<Json>,
    /// What the tool's own schema said of them, where it has one that is more than JSON Schema.
    pub(super) verdict: Option<Verdict>,
    /// Whether the model makes it in its first answer.
    is_first: bool,
}

/// Reads the export `mock`.
pub(super) fn read<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) -> MockScript {
    let place = path(&["mock"]);
    let Some(list) = value.as_array() else {
        let message = format!("the export mock: the items must be an array, got {}", kind_of(value));
        let hint = "export const mock = [{ type: 'text', text: 'Hello' }];".to_owned();
        faults.add(("mock", Weight::Error), place, message, Some(hint));
        return MockScript::default();
    };
    let mut calls = Vec::new();
    let mut is_first = true;
    for (index, item) in faults.read("mock", &place, elements(list)).into_iter().flatten().enumerate() {
        let here = at(&place, index);
        match faults.read("mock", &here, mock_item(ctx, index, &item)) {
            Some(Ok(MockItem::ToolCall(call))) => {
                look_at_call(faults, &here, &item);
                let call = *call;
                let arguments = read_json(&call.input).ok();
                calls.push(Call { index, tool: call.tool_name, arguments, verdict: None, is_first });
                is_first = false;
            }
            Some(Ok(item)) => is_first &= matches!(item, MockItem::Text(_) | MockItem::Reasoning(_)),
            Some(Err(wrong)) => {
                let here = wrong.key.as_deref().map_or(here.clone(), |key| below(&here, key));
                faults.add(("mock", Weight::Error), here, wrong.to_string(), None);
            }
            None => {}
        }
    }
    MockScript(calls)
}

/// Says so when a file whose model is its mock plays nothing.
pub(super) fn look_at_length(faults: &mut Faults<'_, '_>, value: &Value<'_>) {
    if value.as_array().is_some_and(|list| list.is_empty()) {
        let message = "mock is empty: the model answers nothing";
        let hint = "export const mock = [{ type: 'text', text: 'Hello' }];".to_owned();
        faults.add(("mock", Weight::Warning), path(&["mock"]), message, Some(hint));
    }
}

/// What a call may hold without being refused, and what is not meant.
fn look_at_call<'js>(faults: &mut Faults<'_, 'js>, place: &[Key], item: &Value<'js>) {
    let Some(item) = item.as_object() else { return };
    let given = |key: &str| property(item, key).ok().flatten();
    if let Some(id) = given("toolCallId").filter(|id| !id.is_string()) {
        let message = format!("toolCallId must be a string, got {}; it is passed over", kind_of(&id));
        faults.add(("mock", Weight::Error), below(place, "toolCallId"), message, None);
    }
    if let Some(args) = given("args").filter(|args| !args.is_string() && kind_of(args) != "an object") {
        let message = format!("args should be an object, got {}", kind_of(&args));
        let hint = "args: { name: value }; text is sent as the raw JSON of a model".to_owned();
        faults.add(("mock", Weight::Warning), below(place, "args"), message, Some(hint));
    }
}

/// What the mock calls that the first render does not have, or not so. Warnings: a mock may be wrong on purpose, and a tool may
/// come later, as those do whose names begin as `to_come` says.
pub(crate) fn calls_against(script: &MockScript, tools: &[RenderedTool], to_come: &[String]) -> Vec<Fault> {
    // An agent plays from the same list, with tools of its own.
    let mut is_alone = true;
    let mut faults = Vec::new();
    for call in &script.0 {
        let is_to_come = to_come.iter().any(|beginning| call.tool.starts_with(beginning));
        faults.extend(call.against(tools, is_alone && !is_to_come));
        is_alone &= !tools.iter().any(|tool| tool.is_agent && tool.name == call.tool);
    }
    faults
}

/// What a schema says of arguments.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Why they cannot be used; none when they can.
    pub(super) problems: Vec<ValidationProblem>,
    /// Keys that the schema does not name are dropped without a word.
    pub(super) drops_unknown_keys: bool,
}

impl Call {
    /// What is wrong with the call; where it is not `is_alone`, it may be an agent's.
    fn against(&self, tools: &[RenderedTool], is_alone: bool) -> Option<Fault> {
        let Some(tool) = tools.iter().find(|tool| tool.name == self.tool) else {
            return is_alone.then(|| self.unknown(tools));
        };
        // Arguments that are no object have been told of.
        let arguments = self.arguments.as_ref().filter(|arguments| arguments.is_object())?;
        let problems = self.problems(arguments, &tool.input_schema);
        if problems.is_empty() {
            return None;
        }
        let problems = describe_problems(&problems);
        let message = format!("the arguments do not fit the schema of '{}': {problems}", tool.name);
        let known = tool.input_schema.get("properties").and_then(Json::as_object);
        let mut known: Vec<&str> = known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
        known.sort_unstable();
        let hint = match known.is_empty() {
            true => format!("'{}' takes no arguments", tool.name),
            false => format!("'{}' takes {}", tool.name, known.join(", ")),
        };
        Some(self.fault("args", message, hint))
    }

    /// What is wrong with arguments, in the words of JSON Schema where these say more.
    fn problems(&self, arguments: &Json, schema: &Json) -> Vec<ValidationProblem> {
        let checked = Validator::new(schema).map(|validator| validator.validate(arguments));
        let by_json_schema = checked.ok().and_then(Result::err).unwrap_or_default();
        let Some(verdict) = &self.verdict else { return by_json_schema };
        let missing = |problem: &ValidationProblem| {
            by_json_schema.iter().find(|other| other.keys == problem.keys && other.message.starts_with("Required"))
        };
        let mut problems: Vec<ValidationProblem> =
            verdict.problems.iter().map(|problem| missing(problem).unwrap_or(problem).clone()).collect();
        let is_unknown_key =
            |problem: &ValidationProblem| problem.keys.is_empty() && problem.message.starts_with("Unrecognized key");
        // The tool runs without a key that is misspelt, and nobody says so.
        if verdict.drops_unknown_keys && !problems.iter().any(is_unknown_key) {
            problems.extend(by_json_schema.iter().filter(|problem| is_unknown_key(problem)).cloned());
        }
        problems
    }

    fn unknown(&self, tools: &[RenderedTool]) -> Fault {
        let names = || tools.iter().map(|tool| tool.name.as_str());
        let named: Vec<&str> = names().take(MOST_NAMED).collect();
        let rest = if tools.len() > MOST_NAMED { ", …" } else { "" };
        let there = match named.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}{rest}", named.join(", ")),
        };
        let hint = match closest(&self.tool, names()) {
            Some(meant) => format!("did you mean '{meant}'?"),
            None if self.is_first => there,
            None => format!("{there}; this is fine where a later step has the tool"),
        };
        self.fault("toolName", format!("the first step has no tool '{}'", self.tool), hint)
    }

    fn fault(&self, key: &str, message: String, hint: String) -> Fault {
        let place = vec![Key::Name("mock".to_owned()), Key::Index(self.index), Key::Name(key.to_owned())];
        let message = format!("mock item {}: {message}", self.index);
        Fault { place, location: None, weight: Weight::Warning, code: "mock", message, hint: Some(hint) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, input_schema: Json) -> RenderedTool {
        RenderedTool {
            name: name.to_owned(),
            description: String::new(),
            input_schema,
            is_agent: name.ends_with("Agent"),
            location: None,
        }
    }

    fn tools() -> Vec<RenderedTool> {
        let order = json!({
            "type": "object",
            "properties": { "orderId": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } },
            "required": ["orderId"],
            "additionalProperties": false,
        });
        vec![tool("findOrder", order), tool("ping", json!({ "type": "object", "properties": {} }))]
    }

    /// What is said of calls, each with its message, hint and place.
    fn said(calls: &[(&str, Option<Json>)], tools: &[RenderedTool]) -> Vec<String> {
        let calls = calls.iter().enumerate().map(|(index, (tool, arguments))| Call {
            index,
            tool: (*tool).to_owned(),
            arguments: arguments.clone(),
            verdict: None,
            is_first: index == 0,
        });
        let faults = calls_against(&MockScript(calls.collect()), tools, &[]);
        assert!(faults.iter().all(|fault| fault.weight == Weight::Warning && fault.code == "mock"));
        faults
            .into_iter()
            .map(|fault| format!("{:?} {} ({})", fault.place, fault.message, fault.hint.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn calls_that_fit_are_told_nothing_of() {
        let fits = [
            ("findOrder", Some(json!({ "orderId": "A-17", "count": 2 }))),
            ("ping", Some(json!({}))),
            // A model that writes broken JSON.
            ("findOrder", None),
            // Told of when the item was read.
            ("findOrder", Some(json!([1]))),
        ];
        assert_eq!(said(&fits, &tools()), [""; 0]);
    }

    #[test]
    fn arguments_that_do_not_fit_are_named() {
        let wrong = [("findOrder", Some(json!({ "order": "A-18", "count": 0 })))];
        let said = said(&wrong, &tools()).remove(0);
        for words in [
            "Name(\"mock\"), Index(0), Name(\"args\")",
            "mock item 0: the arguments do not fit the schema of 'findOrder'",
            "orderId: Required",
            "Unrecognized key: \"order\"",
            "count: Too small",
            "'findOrder' takes count, orderId",
        ] {
            assert!(said.contains(words), "{words} in {said}");
        }
    }

    #[test]
    fn tools_that_are_not_there_are_named() {
        let wrong = [("findOrdr", None), ("ship", None)];
        let said = said(&wrong, &tools());
        assert!(said[0].contains("the first step has no tool 'findOrdr' (did you mean 'findOrder'?)"), "{said:?}");
        assert!(said[1].contains("it has findOrder, ping; this is fine where a later step"), "{said:?}");
        let alone = super::tests::said(&[("ship", None)], &[]);
        assert!(alone[0].ends_with("(it has none)"), "{alone:?}");
    }

    #[test]
    fn an_agent_may_call_what_it_has() {
        let tools = [tool("searchAgent", json!({}))];
        let any = Some(json!({}));
        let calls = [("search", any.clone()), ("searchAgent", any.clone()), ("search", any)];
        let said = said(&calls, &tools);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("mock item 0"), "{said:?}");
    }

    #[test]
    fn a_schema_that_is_none_refuses_nothing() {
        let tools = [tool("odd", json!({ "type": 5 }))];
        assert_eq!(said(&[("odd", Some(json!({})))], &tools), [""; 0]);
    }
}
