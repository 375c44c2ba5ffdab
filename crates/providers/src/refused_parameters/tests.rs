//! Refusals as sent by services.

use serde_json::{Value, json};

use super::*;
use crate::error_text::message_in_json;

fn after(status: u16, error: &Value, mut request: Value) -> (Value, Vec<String>) {
    let message = message_in_json(error).unwrap_or_default();
    let mut settings = Vec::new();
    for refused in refused(status, Some(error), &message, &request.clone()) {
        assert!(refused.apply(&mut request), "{refused:?}");
        settings.extend(refused.warning().and_then(|warning| warning.setting));
    }
    (request, settings)
}

fn check(error: Value, request: Value, left: Value, settings: &[&str]) {
    let (request, warned) = after(400, &error, request);
    assert_eq!(request, left, "{error}");
    assert_eq!(warned, settings, "{error}");
}

#[test]
fn openai_refusals() {
    let error = |message: &str, param: &str, code: &str| json!({ "error": { "message": message, "param": param, "code": code } });
    let chat = || json!({ "model": "m", "messages": [], "temperature": 0.2, "max_tokens": 9 });
    check(
        error(
            "Unsupported parameter: 'temperature' is not supported with this model.",
            "temperature",
            "unsupported_parameter",
        ),
        chat(),
        json!({ "model": "m", "messages": [], "max_tokens": 9 }),
        &["temperature"],
    );
    check(
        error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "unsupported_parameter",
        ),
        chat(),
        json!({ "model": "m", "messages": [], "temperature": 0.2, "max_completion_tokens": 9 }),
        &[],
    );
    check(
        error(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "messages[0].role",
            "unsupported_value",
        ),
        chat(),
        chat(),
        &[],
    );
    check(
        error("Unsupported value: 'reasoning.summary' is not supported.", "reasoning.summary", "unsupported_value"),
        json!({ "input": [], "reasoning": { "effort": "low", "summary": "auto" } }),
        json!({ "input": [], "reasoning": { "effort": "low" } }),
        &["summary"],
    );
    check(
        json!({ "error": { "message": "Unrecognized request arguments supplied: stream_options, seed" } }),
        json!({ "stream": true, "stream_options": { "include_usage": true }, "seed": 1 }),
        json!({ "stream": true }),
        &["stream_options", "seed"],
    );
}

#[test]
fn only_the_refused_value_is_remembered() {
    let error = json!({ "error": { "code": "unsupported_value", "param": "temperature",
        "message": "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported." } });
    let request = json!({ "temperature": 0.2 });
    let refused = refused(400, Some(&error), &message_in_json(&error).unwrap(), &request);
    assert!(!refused[0].apply(&mut json!({ "temperature": 1 })));
    assert!(refused[0].apply(&mut json!({ "temperature": 0.2 })));
}

#[test]
fn anthropic_and_bedrock_refusals() {
    let error =
        |message: &str| json!({ "type": "error", "error": { "type": "invalid_request_error", "message": message } });
    let request = || json!({ "messages": [], "temperature": 1, "top_p": 0.5, "thinking": { "type": "enabled", "budget_tokens": 9 } });
    let without = |key: &str| {
        let mut left = request();
        left.as_object_mut().unwrap().shift_remove(key);
        left
    };
    check(error("temperature: Extra inputs are not permitted"), request(), without("temperature"), &["temperature"]);
    check(error("`temperature` is deprecated for this model."), request(), without("temperature"), &["temperature"]);
    let both = "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
    check(error(both), request(), without("top_p"), &["topP"]);
    let adaptive = "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" instead.";
    check(error(adaptive), request(), without("thinking"), &["reasoning"]);
    check(error("thinking is not supported for this model"), request(), without("thinking"), &["reasoning"]);

    let bedrock = |message: &str| json!({ "message": message });
    let request = || {
        json!({ "messages": [], "inferenceConfig": { "temperature": 1, "stopSequences": ["x"] },
        "additionalModelRequestFields": { "top_k": 3 } })
    };
    check(
        bedrock(
            "Malformed input request: extraneous key [top_k] is not permitted, please reformat your input and try again.",
        ),
        request(),
        json!({ "messages": [], "inferenceConfig": { "temperature": 1, "stopSequences": ["x"] } }),
        &["topK"],
    );
    check(
        bedrock("This model doesn't support the stopSequences field. Remove stopSequences and try again."),
        request(),
        json!({ "messages": [], "inferenceConfig": { "temperature": 1 }, "additionalModelRequestFields": { "top_k": 3 } }),
        &["stopSequences"],
    );
    check(
        bedrock("The model returned the following errors: temperature: Extra inputs are not permitted"),
        json!({ "inferenceConfig": { "temperature": 1 } }),
        json!({}),
        &["temperature"],
    );
}

#[test]
fn google_refusals() {
    let error = |message: &str| json!({ "error": { "code": 400, "message": message, "status": "INVALID_ARGUMENT" } });
    let request = || {
        json!({ "contents": [], "generationConfig": { "thinkingConfig": { "thinkingLevel": "low" },
        "responseMimeType": "application/json", "responseJsonSchema": {}, "topK": 1 } })
    };
    let unknown = "Invalid JSON payload received. Unknown name \"thinkingLevel\" at 'generation_config.thinking_config': Cannot \
                   find field.\nInvalid JSON payload received. Unknown name \"topK\" at 'generation_config': Cannot find field.";
    let left = json!({ "contents": [], "generationConfig": { "responseMimeType": "application/json", "responseJsonSchema": {} } });
    check(error(unknown), request(), left, &["reasoning", "topK"]);
    let left =
        json!({ "contents": [], "generationConfig": { "thinkingConfig": { "thinkingLevel": "low" }, "topK": 1 } });
    check(error("Json mode is not supported for this model."), request(), left, &["responseFormat"]);
    let (left, settings) = after(400, &error("Thinking level is not supported for this model."), request());
    assert_eq!((left["generationConfig"].get("thinkingConfig"), settings), (None, vec!["reasoning".to_owned()]));
}

#[test]
fn fastapi_refusals() {
    let request = || json!({ "messages": [], "stream_options": { "include_usage": true }, "seed": 7 });
    let item =
        |key: &str| json!({ "type": "extra_forbidden", "loc": ["body", key], "msg": "Extra inputs are not permitted" });
    let left = json!({ "messages": [] });
    for error in [
        json!({ "detail": [item("stream_options"), item("seed")] }),
        json!({ "object": "error", "message": { "detail": [item("stream_options"), item("seed")] } }),
        json!({ "object": "error", "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra \
            inputs are not permitted'}, {'type': 'extra_forbidden', 'loc': ('body', 'seed'), 'msg': 'Extra'}]" }),
    ] {
        let (request, settings) = after(422, &error, request());
        assert_eq!(
            (request, settings),
            (left.clone(), vec!["stream_options".to_owned(), "seed".to_owned()]),
            "{error}"
        );
    }
    let groq = json!({ "error": { "message": "property 'seed' is unsupported", "type": "invalid_request_error" } });
    check(groq, request(), json!({ "messages": [], "stream_options": { "include_usage": true } }), &["seed"]);
}

#[test]
fn cache_marks_are_removed_and_other_keys_of_that_name_stay() {
    let error =
        json!({ "error": { "message": "messages.0.content.0.text.cache_control: Extra inputs are not permitted" } });
    let own = json!({ "properties": { "cache_control": { "type": "string" } } });
    check(
        error,
        json!({ "messages": [{ "content": [{ "text": "a", "cache_control": { "type": "ephemeral" } }] }],
            "tools": [{ "input_schema": own, "cache_control": { "type": "ephemeral" } }] }),
        json!({ "messages": [{ "content": [{ "text": "a" }] }], "tools": [{ "input_schema": own }] }),
        &["cache"],
    );
}

#[test]
fn essential_parameters_stay() {
    let request = || json!({ "model": "m", "messages": [], "tools": [], "stream": true, "temperature": 9 });
    for message in [
        "'tools' is not supported with this model.",
        "This model does not support streaming: 'stream' is unsupported.",
        "The model `m` does not exist or is not supported.",
        "temperature: Input should be less than or equal to 2",
        "'nowhere' is an unknown parameter",
        "It's not supported",
        "",
    ] {
        check(json!({ "error": { "message": message } }), request(), request(), &[]);
    }
    let error = json!({ "error": { "message": "'temperature' is not supported" } });
    assert!(refused(500, Some(&error), "'temperature' is not supported", &request()).is_empty());
}

#[test]
fn the_output_schema_is_removed_for_any_refusal_about_it() {
    let request = || json!({ "messages": [], "response_format": { "type": "json_schema", "json_schema": {} } });
    for words in [
        "'response_format.type' must be one of 'text', `json_object`",
        "This response_format type is unavailable now",
        "Invalid schema for response_format 'tide': schema must have a 'type' key",
    ] {
        check(json!({ "error": { "message": words } }), request(), json!({ "messages": [] }), &["responseFormat"]);
    }
    let literal = json!({ "loc": ["body", "response_format", "type"], "msg": "Input should be 'text'" });
    check(json!({ "detail": [literal] }), request(), json!({ "messages": [] }), &["responseFormat"]);
    let gemini =
        json!({ "contents": [], "generationConfig": { "responseMimeType": "application/json", "responseSchema": {} } });
    let words = "* GenerateContentRequest.generation_config.response_schema.properties: should be non-empty";
    check(json!({ "error": { "message": words } }), gemini, json!({ "contents": [] }), &["responseFormat"]);
    let own = json!({ "messages": [], "response_format": { "type": "json_object" } });
    let words = "'messages' must contain the word `json` to use 'response_format' of type `json_object`.";
    check(json!({ "error": { "message": words } }), own.clone(), own, &[]);
}

#[test]
fn an_indivisible_option_is_removed_as_a_whole() {
    let request = json!({ "messages": [], "stream_options": { "include_usage": true } });
    let error = json!({ "error": { "message": "include_usage is not supported" } });
    check(error, request, json!({ "messages": [] }), &["stream_options"]);
}

#[test]
fn the_output_schema_is_removed_only_from_requests_with_tools_if_both_are_refused_together() {
    let format = || json!({ "type": "json_schema", "json_schema": {} });
    let tools = || json!([{ "type": "function" }]);
    for words in [
        "json mode cannot be combined with tool/function calling",
        "response_format is not supported when tools are provided",
        "Structured outputs and tool use are mutually exclusive",
        "`tools` and `response_format` cannot be used together",
        "JSON schema constraints cannot be used with function calling",
    ] {
        let error = json!({ "error": { "message": words } });
        let mut request = json!({ "messages": [], "tools": tools(), "response_format": format() });
        let found = refused(400, Some(&error), words, &request);
        assert_eq!(found.len(), 1, "{words}");
        let warning = found[0].warning().and_then(|warning| warning.details).unwrap_or_default();
        assert!(warning.contains("together with tools"), "{words}: {warning}");
        assert!(found[0].apply(&mut request), "{words}");
        assert_eq!(request, json!({ "messages": [], "tools": tools() }), "{words}");
        let mut without = json!({ "messages": [], "response_format": format() });
        assert!(!found[0].apply(&mut without), "{words}");
    }
    let gemini = json!({ "contents": [], "tools": [{}],
        "generationConfig": { "responseMimeType": "application/json", "responseSchema": { "type": "object" } } });
    let words = "Function calling with a response mime type: 'application/json' is unsupported";
    check(
        json!({ "error": { "message": words } }),
        gemini,
        json!({ "contents": [], "tools": [{}] }),
        &["responseFormat"],
    );
}
