//! What a collector receives of requests to models: their server and what they used (docs/reference/opentelemetry.md).

use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::{Value, json};

use crate::{
    helpers::{serve, turn},
    otel_support::{attribute, attributes, closed_address, exported, failure, tree},
};

/// A prompt file that asks these models.
fn asking(models: &str) -> String {
    format!(
        "import {{ createMockModel }} from 'lmthing/test';
export const config = {{ model: {models}, options: {{ maxRetries: 0 }} }};
export const mock = [{{ type: 'text', text: 'from the mock' }}];
export default ({{ $ }}) => {{ $`Go.`; }};"
    )
}

/// The attributes of a span about its server, as a URL.
fn server(span: &Span) -> Option<String> {
    let (address, port) = (attribute(span, "server.address"), attribute(span, "server.port"));
    assert_eq!(address.is_null(), port.is_null(), "{address} {port}");
    address.as_str().map(|address| format!("http://{address}:{port}"))
}

#[test]
fn requests_tell_what_they_used() {
    let usage = Some((500, 400, 50));
    let (address, asked) = serve(move |body| turn(&["x"], body["messages"].as_array().unwrap().len() < 2, usage));
    let source = "import { z } from 'zod';
export const config = { model: 'lab:m', options: { temperature: 0.5, maxOutputTokens: 99, seed: 7 },
  prices: {'lab:m': {input: 10, cachedInput: 1, output: 20}} };
export default ({ $, defTool }) => { defTool('look', 'Looks.', z.object({}), () => 1); $`Go.`; };";
    let variables = [("LAB_API_TYPE", "openai"), ("LAB_API_BASE", address.as_str())];
    let (outcome, collector) = exported(source, "-q", &variables);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let spans = collector.spans();
    assert_eq!(tree(&spans), ["invoke_agent p", "  chat m", "  execute_tool look", "  chat m"]);
    let chat = attributes(&spans[1].attributes);
    assert_eq!((&chat["gen_ai.provider.name"], &chat["gen_ai.request.model"]), (&json!("lab"), &json!("m")));
    let counts = ["input_tokens", "output_tokens", "cache_read.input_tokens"];
    assert_eq!(counts.map(|name| chat[format!("gen_ai.usage.{name}")].as_u64().unwrap()), [500, 50, 400]);
    let numbers = ["temperature", "max_tokens", "seed"];
    assert_eq!(numbers.map(|name| chat[format!("gen_ai.request.{name}")].as_f64().unwrap()), [0.5, 99.0, 7.0]);
    let cost = (100.0 * 10.0 + 400.0 + 50.0 * 20.0) / 1e6;
    assert!((chat["lmthing.cost"].as_f64().unwrap() - cost).abs() < 1e-12);
    assert!((attribute(&spans[0], "lmthing.cost").as_f64().unwrap() - 2.0 * cost).abs() < 1e-12);
    assert_eq!(attribute(&spans[0], "gen_ai.usage.input_tokens"), 1000);
    assert_eq!(asked.lock().unwrap().len(), 2);
    // The provider gives no other counts.
    for (span, name) in
        [(0, "reasoning.output_tokens"), (1, "reasoning.output_tokens"), (1, "cache_creation.input_tokens")]
    {
        assert_eq!(attribute(&spans[span], &format!("gen_ai.usage.{name}")), Value::Null, "{name}");
    }
}

#[test]
fn a_paused_answer_is_one_request_with_the_counts_of_all_parts() {
    let source = "let asked = 0;
const doStream = () => {
  asked += 1;
  const raw = asked === 1 ? 'pause_turn' : 'end_turn';
  return { stream: ReadableStream.from([
    { type: 'tool-call', toolCallId: `s${asked}`, toolName: 'web_search', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: `s${asked}`, toolName: 'web_search', result: [] },
    { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'x' }, { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop', raw },
      usage: { inputTokens: { total: 100 * asked }, outputTokens: { total: 3 } } },
  ]) };
};
export const config = { model: { specificationVersion: 'v4', provider: 'anthropic.messages', modelId: 'm', doStream },
  prices: { 'anthropic.messages:m': { input: 1e6, output: 0, webSearch: 0 } } };
export default ({ defWebSearch, $ }) => { defWebSearch(); $`Go.`; };";
    let (outcome, collector) = exported(source, "-q", &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "xx\n"), "{outcome:?}");
    let spans = collector.spans();
    for span in &spans[..2] {
        let counts = ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "lmthing.cost"];
        assert_eq!(counts.map(|name| attribute(span, name).as_f64()), [300.0, 6.0, 300.0].map(Some), "{}", span.name);
    }
    let searches = spans.iter().filter(|span| span.name.contains("web_search"));
    assert!(
        searches.clone().count() == 2
            && searches
                .max_by_key(|span| span.start_time_unix_nano)
                .is_some_and(|last| { last.start_time_unix_nano <= spans[1].end_time_unix_nano }),
        "{:?}",
        tree(&spans)
    );
}

#[test]
fn counts_that_the_provider_did_not_give_are_left_out() {
    let (address, _) = serve(|_| turn(&["x"], false, None));
    let partly = json!({ "choices": [{ "delta": { "content": "x" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 12 } });
    let (partly, _) = serve(move |_| format!("data: {partly}\n\ndata: [DONE]\n\n"));
    // Broken off: the run estimates for its limits what it used.
    let (broken, _) = serve(|_| "data: {\"choices\":[{\"delta\":{\"content\":\"half a\"}}]}\n\n".to_owned());
    for (address, code, expected) in [(address, 0, Value::Null), (partly, 0, json!(12)), (broken, 3, Value::Null)] {
        let variables = [("LAB_API_TYPE", "openai"), ("LAB_API_BASE", address.as_str())];
        let (outcome, collector) = exported(&asking("'lab:m'"), "-q", &variables);
        assert_eq!(outcome.code, code, "{outcome:?}");
        for span in collector.spans() {
            let mut counts = attributes(&span.attributes);
            counts.as_object_mut().unwrap().retain(|name, _| name.starts_with("gen_ai.usage."));
            let known = if expected.is_null() { json!({}) } else { json!({ "gen_ai.usage.input_tokens": expected }) };
            assert_eq!(counts, known, "{}", span.name);
        }
    }
}

#[test]
fn spans_have_the_address_of_the_server() {
    let (second, _) = serve(|_| turn(&["x"], false, None));
    let first = closed_address();
    let base = format!("{first}/v1");
    let variables = [
        ("LAB_API_TYPE", "openai"),
        ("LAB_API_BASE", base.as_str()),
        ("TWO_API_TYPE", "openai"),
        ("TWO_API_BASE", second.as_str()),
    ];
    let answering = second.strip_suffix("/v1").unwrap();
    let cases = [
        // No server listens there.
        ("'lab:m'", 3, Some(first.as_str())),
        ("'two:m'", 0, Some(answering)),
        // The second one answers.
        ("['lab:m', 'two:m']", 0, Some(answering)),
        // The mock is no server.
        ("'mock'", 0, None),
        ("['lab:m', createMockModel([{ type: 'text', text: 'x' }])]", 0, None),
    ];
    for (models, code, expected) in cases {
        let (outcome, collector) = exported(&asking(models), "-q", &variables);
        assert_eq!(outcome.code, code, "{models}: {outcome:?}");
        let spans = collector.spans();
        assert_eq!((spans.len(), server(&spans[0])), (2, None), "{models}");
        assert_eq!(server(&spans[1]).as_deref(), expected, "{models}");
        assert_eq!(failure(&spans[1]).is_some(), code == 3, "{models}");
    }
}

#[test]
fn the_version_of_the_conventions_is_named() {
    let (_, collector) = exported(&asking("'mock'"), "-q", &[]);
    for request in collector.requests() {
        for scope in request.body.resource_spans.iter().flat_map(|resource| &resource.scope_spans) {
            assert_eq!(scope.schema_url, "https://opentelemetry.io/schemas/1.41.0");
            assert_eq!(scope.scope.as_ref().unwrap().name, "lmthing");
        }
    }
    assert!(!collector.spans().is_empty());
}
