//! Faults in a mock: its items, and its calls compared with the tools of the first render.

use rquickjs::{Ctx, Value};
use serde_json::Value as Json;

use super::{
    super::fault::{Fault, FaultSeverity, PathKey, RenderedTool},
    faults::{Faults, at_index, at_key, path},
};
use crate::bindings::{
    models::mock::mock_item,
    values::{elements, kind_of, property},
};
use lmthing_base::{
    chat::read_json,
    diagnostic::closest,
    schema::{ProblemKind, ValidationProblem, Validator, describe_problems},
};
use lmthing_providers::MockItem;

const MAX_NAMED_TOOLS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct MockScript(pub(super) Vec<Call>);

#[derive(Debug)]
pub(super) struct Call {
    index: usize,
    pub(super) tool: String,
    /// `None` if the mock plays a model that writes invalid JSON.
    pub(super) arguments: Option<Json>,
    /// The result of the tool's own schema, unless that is plain JSON Schema.
    pub(super) schema_result: Option<SchemaResult>,
    is_first: bool,
}

pub(super) fn read<'js>(ctx: &Ctx<'js>, faults: &mut Faults<'_, 'js>, value: &Value<'js>) -> MockScript {
    let place = path(&["mock"]);
    let Some(list) = value.as_array() else {
        let message = format!("the export mock: the items must be an array, got {}", kind_of(value));
        let hint = "export const mock = [{ type: 'text', text: 'Hello' }];".to_owned();
        faults.add(("mock", FaultSeverity::Error), place, message, Some(hint));
        return MockScript::default();
    };
    let mut calls = Vec::new();
    let mut is_first = true;
    for (index, item) in faults.read("mock", &place, elements(list)).into_iter().flatten().enumerate() {
        let here = at_index(&place, index);
        match faults.read("mock", &here, mock_item(ctx, index, &item)) {
            Some(Ok(MockItem::ToolCall(call))) => {
                check_call(faults, &here, &item);
                let call = *call;
                // The provider's own tools need no definition.
                if call.provider_executed {
                    continue;
                }
                let arguments = read_json(&call.input).ok();
                calls.push(Call { index, tool: call.tool_name, arguments, schema_result: None, is_first });
                is_first = false;
            }
            Some(Ok(item)) => is_first &= item.is_within_turn(),
            Some(Err(wrong)) => {
                let here = wrong.key.as_deref().map_or(here.clone(), |key| at_key(&here, key));
                faults.add(("mock", FaultSeverity::Error), here, wrong.to_string(), None);
            }
            None => {}
        }
    }
    MockScript(calls)
}

pub(super) fn check_length(faults: &mut Faults<'_, '_>, value: &Value<'_>) {
    if value.as_array().is_some_and(|list| list.is_empty()) {
        let message = "mock is empty: the model answers nothing";
        let hint = "export const mock = [{ type: 'text', text: 'Hello' }];".to_owned();
        faults.add(("mock", FaultSeverity::Warning), path(&["mock"]), message, Some(hint));
    }
}

/// Reports keys of a call that are accepted but ignored or unlikely.
fn check_call<'js>(faults: &mut Faults<'_, 'js>, place: &[PathKey], item: &Value<'js>) {
    let Some(item) = item.as_object() else { return };
    let given = |key: &str| property(item, key).ok().flatten();
    if let Some(id) = given("toolCallId").filter(|id| !id.is_string()) {
        let message = format!("toolCallId must be a string, got {}; it is passed over", kind_of(&id));
        faults.add(("mock", FaultSeverity::Error), at_key(place, "toolCallId"), message, None);
    }
    if let Some(args) = given("args").filter(|args| !args.is_string() && kind_of(args) != "an object") {
        let message = format!("args should be an object, got {}", kind_of(&args));
        let hint = "args: { name: value }; text is sent as the raw JSON of a model".to_owned();
        faults.add(("mock", FaultSeverity::Warning), at_key(place, "args"), message, Some(hint));
    }
}

/// Reports calls that do not match the first render. Warnings, as a mock may be wrong on purpose, and tools may be
/// defined later, such as those that start with one of `expected_names`.
pub(crate) fn calls_against(script: &MockScript, tools: &[RenderedTool], expected_names: &[String]) -> Vec<Fault> {
    // An agent plays from the same list, with its own tools.
    let mut is_alone = true;
    let mut faults = Vec::new();
    for call in &script.0 {
        let is_expected = expected_names.iter().any(|beginning| call.tool.starts_with(beginning));
        faults.extend(call.against(tools, is_alone && !is_expected));
        is_alone &= !tools.iter().any(|tool| tool.is_agent && tool.name == call.tool);
    }
    faults
}

#[derive(Debug)]
pub(super) struct SchemaResult {
    pub(super) problems: Vec<ValidationProblem>,
    pub(super) drops_unknown_keys: bool,
}

impl Call {
    /// The fault of the call. If `is_alone` is false, it may be an agent's call.
    fn against(&self, tools: &[RenderedTool], is_alone: bool) -> Option<Fault> {
        let Some(tool) = tools.iter().find(|tool| tool.name == self.tool) else {
            return is_alone.then(|| self.unknown(tools));
        };
        // Arguments that are not an object were reported already.
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

    /// The problems with the arguments, with the message of JSON Schema where it is more precise.
    fn problems(&self, arguments: &Json, schema: &Json) -> Vec<ValidationProblem> {
        let checked = Validator::new(schema).map(|validator| validator.validate(arguments));
        let json_schema_problems = checked.ok().and_then(Result::err).unwrap_or_default();
        let Some(schema_result) = &self.schema_result else { return json_schema_problems };
        let missing = |problem: &ValidationProblem| {
            json_schema_problems.iter().find(|other| other.keys == problem.keys && other.kind == ProblemKind::Missing)
        };
        let mut problems: Vec<ValidationProblem> =
            schema_result.problems.iter().map(|problem| missing(problem).unwrap_or(problem).clone()).collect();
        let is_unknown_key =
            |problem: &ValidationProblem| problem.keys.is_empty() && problem.kind == ProblemKind::UnknownKeys;
        // The tool would run without a misspelt key, silently.
        if schema_result.drops_unknown_keys && !problems.iter().any(is_unknown_key) {
            problems.extend(json_schema_problems.iter().filter(|problem| is_unknown_key(problem)).cloned());
        }
        problems
    }

    fn unknown(&self, tools: &[RenderedTool]) -> Fault {
        let names = || tools.iter().map(|tool| tool.name.as_str());
        let named: Vec<&str> = names().take(MAX_NAMED_TOOLS).collect();
        let rest = if tools.len() > MAX_NAMED_TOOLS { ", …" } else { "" };
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
        let place = vec![PathKey::Name("mock".to_owned()), PathKey::Index(self.index), PathKey::Name(key.to_owned())];
        let message = format!("mock item {}: {message}", self.index);
        let fault = Fault::error("mock", &[], message).with_severity(FaultSeverity::Warning).with_hint(Some(hint));
        Fault { place, ..fault }
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

    fn faults_of(calls: &[(&str, Option<Json>)], tools: &[RenderedTool]) -> Vec<String> {
        let calls = calls.iter().enumerate().map(|(index, (tool, arguments))| Call {
            index,
            tool: (*tool).to_owned(),
            arguments: arguments.clone(),
            schema_result: None,
            is_first: index == 0,
        });
        let faults = calls_against(&MockScript(calls.collect()), tools, &[]);
        assert!(faults.iter().all(|fault| fault.severity == FaultSeverity::Warning && fault.code == "mock"));
        faults
            .into_iter()
            .map(|fault| format!("{:?} {} ({})", fault.place, fault.message, fault.hint.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn valid_calls_have_no_faults() {
        let fits = [
            ("findOrder", Some(json!({ "orderId": "A-17", "count": 2 }))),
            ("ping", Some(json!({}))),
            ("findOrder", None),
            // Reported when the item was read.
            ("findOrder", Some(json!([1]))),
        ];
        assert_eq!(faults_of(&fits, &tools()), [""; 0]);
    }

    #[test]
    fn invalid_arguments_are_listed() {
        let wrong = [("findOrder", Some(json!({ "order": "A-18", "count": 0 })))];
        let faults = faults_of(&wrong, &tools()).remove(0);
        for part in [
            "Name(\"mock\"), Index(0), Name(\"args\")",
            "mock item 0: the arguments do not fit the schema of 'findOrder'",
            "orderId: Required",
            "Unrecognized key: \"order\"",
            "count: Too small",
            "'findOrder' takes count, orderId",
        ] {
            assert!(faults.contains(part), "{part} in {faults}");
        }
    }

    #[test]
    fn unknown_tools_are_named() {
        let wrong = [("findOrdr", None), ("ship", None)];
        let faults = faults_of(&wrong, &tools());
        assert!(faults[0].contains("the first step has no tool 'findOrdr' (did you mean 'findOrder'?)"), "{faults:?}");
        assert!(faults[1].contains("it has findOrder, ping; this is fine where a later step"), "{faults:?}");
        let alone = faults_of(&[("ship", None)], &[]);
        assert!(alone[0].ends_with("(it has none)"), "{alone:?}");
    }

    #[test]
    fn an_agent_may_call_its_own_tools() {
        let tools = [tool("searchAgent", json!({}))];
        let any = Some(json!({}));
        let calls = [("search", any.clone()), ("searchAgent", any.clone()), ("search", any)];
        let faults = faults_of(&calls, &tools);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("mock item 0"), "{faults:?}");
    }

    #[test]
    fn an_invalid_schema_accepts_everything() {
        let tools = [tool("odd", json!({ "type": 5 }))];
        assert_eq!(faults_of(&[("odd", Some(json!({})))], &tools), [""; 0]);
    }
}
