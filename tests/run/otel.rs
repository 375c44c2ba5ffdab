//! The spans that a collector receives of a run (docs/reference/opentelemetry.md).

use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Value, json};

use crate::{
    helpers::{serve, turn},
    otel_support::{Answers, Collector, attribute, attributes, command, events, exported, failure, tree},
    support::{Folder, Outcome, http},
};

const CONTENT: (&str, &str) = ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");

/// A prompt file with these items of the mock and this body.
fn file(mock: &str, body: &str) -> String {
    format!(
        "import {{ z }} from 'zod';
import {{ runPrompt }} from 'lmthing';
import {{ createMockModel }} from 'lmthing/test';
const none = z.object({{}});
const says = (text) => createMockModel([{{ type: 'text', text }}]);
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
const call = (toolName, args = {{}}, toolCallId = toolName) => ({{ type: 'tool-call', toolName, args, toolCallId }});
const done = {{ type: 'text', text: 'done' }};
export const config = {{ model: 'mock' }};
export const mock = [{mock}];
export default async ({{ $, defTool, defAgent, defSystem, defFunction }}) => {{
{body}
}};
"
    )
}

const WITH_TOOL: &str = "defSystem('role', 'You know the weather.');
defTool('look', 'Looks out', z.object({ q: z.string() }), async ({ q }) => { await wait(30); return { sky: `clear in ${q}` }; });
$`Weather?`;";

#[test]
fn a_run_is_a_tree_of_spans() {
    let source = file("{ type: 'text', text: 'I look. ' }, call('look', { q: 'Rome' }), done", WITH_TOOL);
    let (outcome, collector) = exported(&source, "-f events", &[]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let spans = collector.spans();
    assert_eq!(tree(&spans), ["invoke_agent p", "  chat mock", "  execute_tool look", "  chat mock"]);
    assert!(spans.iter().all(|span| span.trace_id == spans[0].trace_id && span.span_id.len() == 8));
    assert_eq!((spans[0].trace_id.len(), spans[0].parent_span_id.len()), (16, 0));
    let kinds: Vec<SpanKind> = spans.iter().map(|span| SpanKind::try_from(span.kind).unwrap()).collect();
    assert_eq!(kinds, [SpanKind::Internal, SpanKind::Client, SpanKind::Internal, SpanKind::Client]);
    assert!(spans.iter().all(|span| failure(span).is_none()));

    let run = outcome.events()[0]["run"].clone();
    let mut root = attributes(&spans[0].attributes);
    assert_eq!(root["gen_ai.operation.name"], "invoke_agent");
    assert_eq!((&root["gen_ai.agent.name"], &root["gen_ai.conversation.id"]), (&json!("p"), &run));
    assert_eq!((&root["lmthing.steps"], &root["lmthing.cost"]), (&json!(2), &json!(0.0)));
    assert_eq!(root["process.exit.code"].take(), 0);
    let mut chat = attributes(&spans[1].attributes);
    assert!(chat["gen_ai.response.time_to_first_chunk"].take().as_f64().unwrap() >= 0.0);
    let expected = json!({
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": run,
        "gen_ai.provider.name": "mock",
        "gen_ai.request.model": "mock",
        "gen_ai.request.stream": true,
        "gen_ai.response.id": "mock-0",
        "gen_ai.response.model": "mock",
        "gen_ai.response.finish_reasons": ["tool_call"],
        "gen_ai.response.time_to_first_chunk": null,
        "lmthing.cost": 0.0,
    });
    // The mock's token counts are estimates.
    chat.as_object_mut().unwrap().retain(|name, _| !name.starts_with("gen_ai.usage."));
    assert_eq!(chat, expected);
    let expected = json!({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": run,
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "look",
        "gen_ai.tool.type": "function",
    });
    assert_eq!(attributes(&spans[2].attributes), expected);
    let took = spans[2].end_time_unix_nano - spans[2].start_time_unix_nano;
    assert!((29_000_000..5_000_000_000).contains(&took), "{took}");
    assert!(spans[1].end_time_unix_nano <= spans[2].end_time_unix_nano, "a request ends before its tools do");
    let resource = collector.resource();
    assert_eq!(
        (&resource["service.name"], &resource["service.version"]),
        (&json!("lmthing"), &json!(env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(resource["telemetry.sdk.language"], "rust");
    assert!(resource["telemetry.sdk.name"].is_string() && resource["telemetry.sdk.version"].is_string());
}

#[test]
fn content_is_sent_only_on_request() {
    let source = file(
        "{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: 'I look. ' }, call('look', { q: 'Rome' }), done",
        WITH_TOOL,
    );
    let (_, collector) = exported(&source, "-q", &[CONTENT]);
    let spans = collector.spans();
    let system =
        json!([{ "type": "text", "content": attribute(&spans[3], "gen_ai.system_instructions")[0]["content"] }]);
    assert_eq!(attribute(&spans[3], "gen_ai.system_instructions"), system);
    assert!(system[0]["content"].as_str().unwrap().contains("You know the weather."));
    let answer = json!([
        { "type": "reasoning", "content": "Hm." },
        { "type": "text", "content": "I look. " },
        { "type": "tool_call", "id": "look", "name": "look", "arguments": { "q": "Rome" } },
    ]);
    let output = json!([{ "role": "assistant", "parts": answer, "finish_reason": "tool_call" }]);
    assert_eq!(attribute(&spans[1], "gen_ai.output.messages"), output);
    let result = json!({ "type": "tool_call_response", "id": "look", "response": { "sky": "clear in Rome" } });
    let input = json!([
        { "role": "user", "parts": [{ "type": "text", "content": "Weather?" }] },
        { "role": "assistant", "parts": answer },
        { "role": "tool", "parts": [result] },
    ]);
    assert_eq!(attribute(&spans[3], "gen_ai.input.messages"), input);
    assert_eq!(attribute(&spans[2], "gen_ai.tool.call.arguments"), json!({ "q": "Rome" }));
    assert_eq!(attribute(&spans[2], "gen_ai.tool.call.result"), json!({ "sky": "clear in Rome" }));
    let (_, collector) = exported(&source, "-q", &[]);
    let texts = format!("{:?}", collector.requests());
    for text in ["Weather?", "Rome", "You know", "I look", "Hm.", "done"] {
        assert!(!texts.contains(text), "{text}");
    }
}

/// Both tools do this: run an agent of their own, in calls with the same id.
const READER: &str = "{
    defAgent('deep', 'd', none, async (_, { $ }) => { await wait(20); $`go`; }, { model: says('x') });
    $`x`;
  }";

#[test]
fn parallel_prompts_have_their_own_spans() {
    let body = format!(
        "defTool('both', 'b', none, async () => {{
  const ask = () => runPrompt(async function reader({{ $, defAgent }}) {READER},
    {{ model: createMockModel([call('deep', {{}}, 'same'), done]) }});
  const runs = await Promise.all([ask(), ask()]);
  await Promise.all(runs.map(({{ result }}) => result.text));
}});
$`x`;"
    );
    let (outcome, collector) = exported(&file("call('both'), done", &body), "-q", &[]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let reader = [
        "  invoke_agent reader",
        "    chat mock",
        "    execute_tool deep",
        "      invoke_agent deep",
        "        chat mock",
        "    chat mock",
    ];
    let mut expected = vec!["invoke_agent p", "  chat mock", "  execute_tool both"];
    expected.extend(reader.iter().chain(&reader));
    expected.push("  chat mock");
    assert_eq!(tree(&collector.spans()), expected);
}

#[test]
fn agents_of_one_name_are_each_below_their_own_call() {
    let (address, _) = serve(|body| {
        if body["messages"].as_array().unwrap().len() > 1 {
            return turn(&["x"], false, None);
        }
        let call = |index: usize| {
            let function = json!({ "name": "reader", "arguments": "{}" });
            json!({ "index": index, "id": format!("c{index}"), "type": "function", "function": function })
        };
        let calls = json!({ "choices": [{ "delta": { "tool_calls": [call(0), call(1)] } }] });
        format!("data: {calls}\n\n{}", turn(&[], false, None).replace("\"stop\"", "\"tool_calls\""))
    });
    let body = format!(
        "defAgent('reader', 'r', none, (_, {{ $, defAgent }}) => {READER},
  {{ model: createMockModel([call('deep', {{}}, 'same'), done, call('deep', {{}}, 'same'), done]) }});
$`x`;"
    );
    let source = file("done", &body).replace("{ model: 'mock' };", "{ model: 'lab:m' };");
    let variables = [("LAB_API_TYPE", "openai"), ("LAB_API_BASE", address.as_str())];
    let (outcome, collector) = exported(&source, "-q", &variables);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let reader = [
        "  execute_tool reader",
        "    invoke_agent reader",
        "      chat mock",
        "      execute_tool deep",
        "        invoke_agent deep",
        "          chat mock",
        "      chat mock",
    ];
    let mut expected = vec!["invoke_agent p", "  chat m"];
    expected.extend(reader.iter().chain(&reader));
    expected.push("  chat m");
    assert_eq!(tree(&collector.spans()), expected);
    let spans = collector.spans();
    let of = |name: &'static str| spans.iter().filter(move |span| span.name == name);
    let begins: Vec<u64> = of("invoke_agent deep").map(|span| span.start_time_unix_nano).collect();
    let ends: Vec<u64> = of("invoke_agent deep").map(|span| span.end_time_unix_nano).collect();
    assert!(begins[1] < ends[0], "they did not run at the same time");
}

#[test]
fn an_agent_is_below_its_tool_call() {
    let source = file(
        "call('helper'), done",
        "defAgent('helper', 'h', none, (_, { $ }) => { $`go`; }, { model: says('helped') });
$`x`;",
    );
    let (_, collector) = exported(&source, "-q", &[]);
    let spans = collector.spans();
    let expected = [
        "invoke_agent p",
        "  chat mock",
        "  execute_tool helper",
        "    invoke_agent helper",
        "      chat mock",
        "  chat mock",
    ];
    assert_eq!(tree(&spans), expected);
    let agent = collector.span("invoke_agent helper");
    assert_eq!(attribute(&agent, "gen_ai.agent.name"), "helper");
    assert_eq!((attribute(&agent, "lmthing.steps"), attribute(&agent, "process.exit.code")), (json!(1), Value::Null));
}

#[test]
fn the_span_of_the_caller_is_the_parent() {
    let source = file("done", "$`x`;");
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (_, collector) = exported(&source, "-q", &[("TRACEPARENT", parent), ("TRACESTATE", "vendor=1")]);
    let spans = collector.spans();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(&spans[0].parent_span_id), "b7ad6b7169203331");
    assert!(spans.iter().all(|span| hex(&span.trace_id) == "0af7651916cd43dd8448eb211c80319c"));
    assert!(spans.iter().all(|span| span.trace_state == "vendor=1"));
    assert_eq!(tree(&spans), ["invoke_agent p", "  chat mock"]);
    let (_, collector) = exported(&source, "-q", &[("TRACEPARENT", &parent.replace("331-01", "331-00"))]);
    assert!(collector.requests().is_empty());
    let (_, collector) = exported(&source, "-q", &[("TRACEPARENT", "00-nonsense-01")]);
    assert_eq!(collector.spans()[0].parent_span_id, Vec::<u8>::new());
}

#[test]
fn failed_spans_are_marked_and_redacted() {
    const KEY: &str = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e";
    let body = "defTool('bad', 'b', none, () => { throw new Error(`refused ${process.env.LAB_API_KEY}`); });
defAgent('lost', 'l', none, () => { throw new TypeError('no way'); });
$`x`;";
    let source = file("call('bad'), call('lost'), { type: 'error', error: `broken ${process.env.LAB_API_KEY}` }", body);
    let (outcome, collector) = exported(&source, "-f json", &[("LAB_API_KEY", KEY), CONTENT]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    let failed = |name: &str| failure(&collector.span(name)).unwrap();
    let (kind, message) = failed("execute_tool bad");
    assert!(kind == "tool_error" && message.contains("refused [redacted]"), "{kind} {message}");
    let (kind, message) = failed("invoke_agent lost");
    assert!(kind == "agent_error" && message.contains("no way"), "{kind} {message}");
    let (kind, message) = failed("invoke_agent p");
    assert!(kind == "model" && message.contains("broken"), "{kind} {message}");
    assert_eq!(attribute(&collector.span("invoke_agent p"), "process.exit.code"), 3);
    let spans = collector.spans();
    let chats: Vec<_> = spans.iter().filter(|span| span.name == "chat mock").map(failure).collect();
    assert_eq!((chats.len(), chats[0].is_none(), chats[2].is_some()), (3, true, true), "{chats:?}");
    assert!(!format!("{:?}", collector.requests()).contains(KEY));
}

#[test]
fn spans_end_with_the_run_whatever_ends_it() {
    let tool = |code: &str| format!("defTool('t', 't', none, async () => {{ {code} }});\n$`x`;");
    let cases = [
        ("exit", tool("process.exit(7);"), "", 7, "exit"),
        ("limit", tool("await wait(60000);"), "--timeout 300ms", 4, "limit"),
        ("throw", "$`x`; throw new Error('no');".to_owned(), "", 1, "script"),
        ("usage", "$`x`;".to_owned(), "--max-cost abc", 2, ""),
    ];
    for (name, body, options, code, kind) in cases {
        let (outcome, collector) = exported(&file("call('t'), done", &body), &format!("-f json {options}"), &[]);
        assert_eq!(outcome.code, code, "{name}: {outcome:?}");
        if kind.is_empty() {
            assert!(collector.requests().is_empty(), "{name}");
            continue;
        }
        assert_eq!(failure(&collector.span("invoke_agent p")).unwrap().0, kind, "{name}");
        if name != "throw" {
            assert!(failure(&collector.span("execute_tool t")).is_some(), "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_still_sends_when_a_program_reads_it() {
    use crate::otel_support::{Answers, Collector, command};
    use crate::support::{Folder, Running};

    let body = "defTool('t', 't', none, async () => { await wait(60000); });\n$`x`;";
    let folder = Folder::of(&file("call('t'), done", body));
    let collector = Collector::new(Answers::Well);
    let mut run = Running::of(&mut command(&folder, "run -f events p.lmt.mjs", &collector.address()));
    run.wait_for("tool-call", 1);
    run.signal("INT");
    assert_eq!(run.end().code, 130);
    assert_eq!(failure(&collector.span("invoke_agent p")).unwrap().0, "interrupted");
    assert_eq!(tree(&collector.spans()), ["invoke_agent p", "  chat mock", "  execute_tool t"]);
}

#[test]
fn retries_and_warnings_are_events_of_the_request() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let count = AtomicUsize::new(0);
    let address = http::serve(move |received| {
        assert!(!received.head.iter().any(|line| line.to_ascii_lowercase().starts_with("traceparent")));
        match count.fetch_add(1, Ordering::Relaxed) {
            0 => http::response("503 Busy\r\nretry-after-ms: 5", "text/plain", "busy"),
            _ => http::response("200 OK", "text/event-stream", &turn(&["x"], false, None)),
        }
    });
    let base = format!("http://{address}/v1");
    let source = "export const config = { model: 'lab:m' };\nexport default ({ $ }) => { $`Go.`; };";
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let variables = [("LAB_API_TYPE", "openai"), ("LAB_API_BASE", base.as_str()), ("TRACEPARENT", parent)];
    let (outcome, collector) = exported(source, "-q", &variables);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let reported = events(&collector.span("chat m"));
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0].0, "lmthing.retry");
    assert_eq!(
        (&reported[0].1["lmthing.retry.model"], &reported[0].1["lmthing.retry.attempt"]),
        (&json!("lab:m"), &json!(1))
    );
    assert!(failure(&collector.span("chat m")).is_none());

    let source = file("{ type: 'finish', finishReason: 'length' }", "$`x`;");
    let (_, collector) = exported(&source, "-q", &[]);
    let reported: Vec<_> = collector.spans().iter().flat_map(events).collect();
    assert!(reported.iter().any(|(name, _)| name == "lmthing.warning"), "{reported:?}");
}

#[test]
fn checks_of_code_are_events_of_the_call_it_came_with() {
    let source = file(
        "call('runToolCode', { code: 'const x: number = await add({ a: 1, b: 2 }); x' }), call('runToolCode', { code: 'const y: number = \"text\"; y' }, 'wrong'), done",
        "defFunction('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);\n$`x`;",
    );
    let (outcome, collector) = exported(&source, "-q", &[]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let spans = collector.spans();
    let checks: Vec<_> = spans
        .iter()
        .filter(|span| span.name == "execute_tool runToolCode")
        .map(|span| (attribute(span, "gen_ai.tool.call.id"), events(span)))
        .collect();
    assert_eq!(checks.len(), 2, "{checks:?}");
    for (id, reported) in checks {
        assert_eq!(reported.len(), 1, "{id} {reported:?}");
        let is_ok = reported[0].1["lmthing.code_check.ok"].as_bool().unwrap();
        assert_eq!((reported[0].0.as_str(), is_ok), ("lmthing.code_check", id != "wrong"), "{reported:?}");
    }
}

#[test]
fn a_resumed_run_is_another_trace_of_the_same_conversation() {
    use crate::otel_support::{Answers, Collector, command};
    use crate::support::{Folder, Outcome};

    let folder = Folder::of(&file("call('look', { q: 'Rome' }), done", WITH_TOOL));
    let collector = Collector::new(Answers::Well);
    let run = |arguments: &str| Outcome::of(&mut command(&folder, arguments, &collector.address()));
    let outcome = run("run --journal --max-steps 1 -q p.lmt.mjs");
    assert_eq!(outcome.code, 4, "{outcome:?}");
    let outcome = run("resume last -q");
    assert_eq!((outcome.code, outcome.stdout.trim()), (0, "done"), "{outcome:?}");
    let spans = collector.spans();
    let expected = ["invoke_agent p", "  chat mock", "  execute_tool look", "invoke_agent p", "  chat mock"];
    assert_eq!(tree(&spans), expected);
    let roots: Vec<_> = spans.iter().filter(|span| span.name == "invoke_agent p").collect();
    assert_ne!(roots[0].trace_id, roots[1].trace_id);
    assert_eq!(attribute(roots[0], "gen_ai.conversation.id"), attribute(roots[1], "gen_ai.conversation.id"));
    assert_eq!((failure(roots[0]).unwrap().0.as_str(), failure(roots[1])), ("limit", None));
}

#[test]
fn a_conversation_is_one_trace_for_each_process() {
    let collector = Collector::new(Answers::Well);
    let folder = Folder::of(&file("done, { type: 'finish' }, done, { type: 'finish' }, done", ""));
    let chat = |arguments: &str, lines: &str| {
        let outcome = Outcome::with_input(&mut command(&folder, arguments, &collector.address()), lines);
        assert_eq!((outcome.code, outcome.stderr.matches("Warning").count()), (0, 0), "{outcome:?}");
    };
    chat("chat p.lmt.mjs", "a\nb\n");
    chat("chat --resume", "c\n");
    let spans = collector.spans();
    let shown = ["invoke_agent p", "  chat mock", "  chat mock", "invoke_agent p", "  chat mock"];
    assert_eq!(tree(&spans), shown);
    assert!(spans.iter().all(|span| failure(span).is_none()));
    let ids: Vec<_> = spans.iter().map(|span| attribute(span, "gen_ai.conversation.id")).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && id.is_string()), "{ids:?}");
    assert!(spans[0].trace_id == spans[2].trace_id && spans[0].trace_id != spans[3].trace_id);
}
