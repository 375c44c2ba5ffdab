//! Names, ids and schemas of tools, through the binary, against servers that refuse what the real ones refuse.

use serde_json::{Value, json};

use crate::support::{
    Folder, Outcome,
    canned::{Canned, ReceivedRequest, Server, run_file},
};

const TOOLS: &str = r#"
import { z } from 'zod';
export const config = { model: 'MODEL', options: { toolChoice: { type: 'tool', toolName: 'get.weather' } } };
export default async ({ defTool, defEffect, $ }) => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('city'), city: z.string() }),
    z.object({ kind: z.literal('place'), place: z.tuple([z.number(), z.number()]) }),
  ]);
  defTool('get.weather', 'Tells.', shape, async (args) => `ran ${JSON.stringify(args)}`);
  defTool('get:weather', 'Other.', z.object({ size: z.array(z.any()) }), async () => 'other');
  defTool('größe', 'Size.', z.object({ map: z.record(z.string(), z.number()) }), async () => 'size');
  defEffect(({ lastTool, stepModifier }) => {
    if (lastTool) console.log(lastTool.toolName, JSON.stringify(lastTool.args));
  });
  $`Go.`;
};
"#;

/// The same without a forced tool, which the later steps would be forced to as well.
fn source(model: &str, choice: bool) -> String {
    let source = TOOLS.replace("MODEL", model);
    if choice { source } else { source.replace("{ toolChoice: { type: 'tool', toolName: 'get.weather' } }", "{}") }
}

fn chat_call(id: &str, name: &str, arguments: &str) -> Canned {
    let function = json!({ "name": name, "arguments": arguments });
    let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
    let delta = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] });
    Canned::events(&[delta, json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })])
}

fn chat_text(text: &str) -> Canned {
    let delta = json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }] });
    Canned::events(&[delta, json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 1 } })])
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn names(request: &ReceivedRequest) -> Vec<String> {
    let body = request.json();
    let tools = body["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn names_are_changed_for_the_provider_and_restored_for_the_author() {
    let source = source("M", true).replace("'M'", "openai.chat('gpt-4o')");
    let source = format!("import {{ openai }} from 'lmthing';\n{source}");
    let variables = [("OPENAI_BASE_URL", "SERVER/v1"), ("OPENAI_API_KEY", "key")];
    let (first, _) = run_file(&source, &variables, vec![chat_text("unused")]).await;
    let sent = names(&first[0]);
    assert!(sent.iter().all(|name| is_name(name)) && sent[0] != sent[1], "{sent:?}");
    assert_eq!(sent[2], "gr__e");
    assert_eq!(first[0].json()["tool_choice"], json!({ "type": "function", "function": { "name": sent[0] } }));

    let arguments = r#"{"kind":"city","city":"Rome"}"#;
    let answers = vec![chat_call("call_1", &sent[0], arguments), chat_text("done")];
    let (asked, outcome) = run_file(&source, &variables, answers).await;
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert_eq!(outcome.stdout, format!("get.weather {arguments}\ndone\n"));
    assert_eq!(names(&asked[1]), sent);
    let messages = asked[1].json()["messages"].clone();
    assert_eq!(messages[1]["tool_calls"][0]["function"], json!({ "name": sent[0], "arguments": arguments }));
    assert_eq!(messages[2]["content"], format!("ran {arguments}"));
}

/// Whether Gemini would refuse a schema of `parametersJsonSchema`.
fn is_refused_by_gemini(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => keywords.iter().any(|(keyword, value)| match keyword.as_str() {
            "$ref" | "$schema" | "const" | "oneOf" | "allOf" | "not" => true,
            "properties" => value.as_object().unwrap().values().any(is_refused_by_gemini),
            "items" => !value.is_object() || is_refused_by_gemini(value),
            "type" if value == "array" => !keywords.contains_key("items"),
            _ => is_refused_by_gemini(value),
        }),
        Value::Array(parts) => parts.iter().any(is_refused_by_gemini),
        _ => false,
    }
}

#[tokio::test]
async fn gemini_gets_any_schema_and_arguments_are_validated_by_the_authors() {
    let call = |args: Value| {
        let part = json!({ "functionCall": { "name": "get.weather", "args": args } });
        Canned::events(&[json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": "STOP" }] })])
    };
    let text = json!({ "candidates": [{ "content": { "parts": [{ "text": "done" }] }, "finishReason": "STOP" }] });
    let answers = vec![
        call(json!({ "kind": "place", "place": [1] })),
        call(json!({ "kind": "place", "place": [1, 2] })),
        Canned::events(&[text]),
    ];
    let variables = [("GOOGLE_GENERATIVE_AI_BASE_URL", "SERVER"), ("GOOGLE_GENERATIVE_AI_API_KEY", "key")];
    let (asked, outcome) = run_file(&source("google:gemini-2.5-flash", false), &variables, answers).await;
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let declarations = asked[0].json()["tools"][0]["functionDeclarations"].clone();
    let names: Vec<&str> = declarations.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[2]), ("get.weather", "gr__e"));
    for declaration in declarations.as_array().unwrap() {
        assert!(declaration.get("parameters").is_none(), "{declaration}");
        let schema = &declaration["parametersJsonSchema"];
        assert_eq!(schema["type"], "object", "{declaration}");
        assert!(!is_refused_by_gemini(schema), "{schema}");
    }
    let result = |request: &ReceivedRequest| {
        let contents = request.json()["contents"].clone();
        contents.as_array().unwrap().last().unwrap()["parts"][0]["functionResponse"]["response"]["content"].clone()
    };
    assert!(result(&asked[1]).as_str().unwrap().starts_with("Invalid input for tool get.weather: place: "));
    assert_eq!(result(&asked[2]), r#"ran {"kind":"place","place":[1,2]}"#);
}

#[tokio::test]
async fn anthropic_and_openai_get_an_object_without_alternatives() {
    let (anthropic, _) = run_file(
        &source("anthropic:claude-sonnet-4-5", false),
        &[("ANTHROPIC_BASE_URL", "SERVER"), ("ANTHROPIC_API_KEY", "k")],
        vec![],
    )
    .await;
    let (openai, _) =
        run_file(&source("openai:gpt-4o", false), &[("OPENAI_BASE_URL", "SERVER"), ("OPENAI_API_KEY", "k")], vec![])
            .await;
    let (claude, gpt) = (anthropic[0].json()["tools"][0].clone(), openai[0].json()["tools"][0].clone());
    for (schema, description) in
        [(&claude["input_schema"], &claude["description"]), (&gpt["parameters"], &gpt["description"])]
    {
        assert_eq!(schema["type"], "object", "{schema}");
        assert!(["oneOf", "anyOf", "allOf"].iter().all(|keyword| schema.get(keyword).is_none()), "{schema}");
        assert_eq!(schema["properties"]["kind"]["enum"], json!(["city", "place"]));
        assert_eq!(schema["properties"]["place"]["items"], json!({ "type": "number" }));
        assert!(description.as_str().unwrap().starts_with("Tells.\n\nThe arguments must match this JSON Schema: {"));
    }
}

#[tokio::test]
async fn a_list_of_models_and_a_resumed_run_have_ids_that_each_accepts() {
    let server = Server::start(vec![
        chat_call("functions.get.weather:0", "get_weather_x", "{}"),
        chat_call("functions.größe:1", "gr__e", r#"{"map":{"a":1}}"#),
        Canned::new(400, "application/json", r#"{"error":{"message":"no"}}"#),
        chat_text("done"),
    ])
    .await;
    let folder = Folder::of(&source("kimi:kimi-k2", false));
    let run = |line: &str| {
        let mut command = folder.bare_command(line);
        command.envs([("KIMI_API_BASE", server.url("/kimi")), ("MISTRAL_BASE_URL", server.url("/mistral"))]);
        command.envs([("KIMI_API_TYPE", "openai"), ("MISTRAL_API_KEY", "key")]);
        tokio::task::spawn_blocking(move || Outcome::of(&mut command))
    };
    let failed = run("run --journal p.lmt.mjs").await.unwrap();
    assert_eq!(failed.code, 3, "{failed:?}");
    let resumed = run("resume last -m mistral:mistral-large").await.unwrap();
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "größe {\"map\":{\"a\":1}}\ndone\n"), "{resumed:?}");
    let asked = server.requests();
    assert_eq!((asked.len(), asked[3].path.as_str()), (4, "/mistral/chat/completions"));
    let ids = |request: &ReceivedRequest| -> Vec<String> {
        let messages = request.json()["messages"].as_array().unwrap().clone();
        let of = |message: &Value| [message["tool_calls"][0]["id"].clone(), message["tool_call_id"].clone()];
        messages.iter().flat_map(of).filter_map(|id| id.as_str().map(str::to_owned)).collect()
    };
    assert_eq!(ids(&asked[2])[..2], ["functions.get.weather:0", "functions.get.weather:0"]);
    let mapped = ids(&asked[3]);
    assert!(mapped.iter().all(|id| id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric())), "{mapped:?}");
    assert_eq!(
        (mapped.len(), mapped[0] == mapped[1], mapped[2] == mapped[3], mapped[0] == mapped[2]),
        (4, true, true, false)
    );
}
