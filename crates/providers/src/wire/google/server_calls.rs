//! Calls that Google has run: parts with code and its result, and calls of its own tools.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::wire::{Output, lenient, output::generated_id, provider_calls::take_content};
use lmthing_base::chat::{ProviderOptions, StreamPart};

/// The fields of a part that are such a call or result.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerPart {
    #[serde(default, deserialize_with = "lenient::object")]
    tool_call: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::object")]
    tool_response: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::object")]
    executable_code: Option<Box<Value>>,
    #[serde(default, deserialize_with = "lenient::object")]
    code_execution_result: Option<Box<Value>>,
}

impl ServerPart {
    pub(super) fn is_set(&self) -> bool {
        let ServerPart { tool_call, tool_response, executable_code, code_execution_result } = self;
        [tool_call, tool_response, executable_code, code_execution_result].into_iter().any(Option::is_some)
    }
}

const CODE: &str = "code_execution";

/// The last call, to which a result without an id belongs.
#[derive(Debug, Default)]
pub(super) struct ServerCalls {
    last: Option<String>,
}

impl ServerCalls {
    /// Emits the call or result of a part.
    pub(super) fn part(
        &mut self,
        part: ServerPart,
        provider: &str,
        signature: Option<&ProviderOptions>,
        out: &mut Output,
    ) {
        let keep = |block: Value, at: &'static str| {
            let (content, mut metadata) = take_content(provider, block, at);
            if let (Some(Value::Object(kept)), Some(Value::Object(signature))) =
                (metadata.get_mut(provider), signature.and_then(|signature| signature.get(provider)))
            {
                kept.extend(signature.clone());
            }
            (content, metadata)
        };
        if let Some(call) = part.tool_call {
            let name = tool_name(&call);
            self.call(&call, name, keep(json!({ "toolCall": call }), "/toolCall/args"), out);
        } else if let Some(code) = part.executable_code {
            self.call(&code, CODE.to_owned(), keep(json!({ "executableCode": code }), "/executableCode"), out);
        } else if let Some(response) = part.tool_response {
            let name = tool_name(&response);
            self.result(&response, name, keep(json!({ "toolResponse": response }), "/toolResponse/response"), out);
        } else if let Some(result) = part.code_execution_result {
            let kept = keep(json!({ "codeExecutionResult": result }), "/codeExecutionResult");
            self.result(&result, CODE.to_owned(), kept, out);
        }
    }

    fn call(&mut self, wire: &Value, name: String, (input, kept): (Value, ProviderOptions), out: &mut Output) {
        let id = given_id(wire).unwrap_or_else(|| generated_id("call"));
        self.last = Some(id.clone());
        let input = if input.is_null() { "{}".to_owned() } else { input.to_string() };
        out.whole_provider_call(id, name, input, Some(kept));
    }

    fn result(&mut self, wire: &Value, name: String, (result, kept): (Value, ProviderOptions), out: &mut Output) {
        let id = given_id(wire).or(self.last.take()).unwrap_or_else(|| generated_id("call"));
        let outcome = wire.get("outcome").and_then(Value::as_str);
        out.part(StreamPart::ToolResult {
            tool_call_id: id,
            tool_name: name,
            result,
            is_error: outcome.is_some_and(|outcome| outcome != "OUTCOME_OK"),
            provider_metadata: Some(kept),
        });
    }
}

fn given_id(wire: &Value) -> Option<String> {
    wire.get("id")?.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}

/// `GOOGLE_SEARCH_WEB` is `google_search_web`, like other tools.
fn tool_name(wire: &Value) -> String {
    wire.get("toolType").and_then(Value::as_str).unwrap_or("google_tool").to_ascii_lowercase()
}
