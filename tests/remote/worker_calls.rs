//! Prompt files as services of Restate (docs/reference/worker.md): results of calls, with the real server.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use crate::{
    restate::{Lab, STEPS, final_text, http, server::soon, steps},
    support::{
        HELLO,
        resume::provider::{Conversation, Turn},
    },
};

const CITY: &str = "
export const input = z.object({ city: z.string(), days: z.number().int().default(3) });
export const output = z.object({ summary: z.string(), days: z.number() });
export default ({ $ }, { city, days }) => { $`You are who=${city}. For ${days} days.`; };
";

#[test]
fn a_call_gives_the_output_or_the_text() {
    let name = "a_call_gives_the_output_or_the_text";
    let answer = |request: &Conversation| {
        let days = if request.messages().contains("For 3 days") { 3 } else { 5 };
        Turn::text(&json!({ "summary": format!("Sunny in {}.", request.who), "days": days }).to_string())
    };
    let Some(lab) = Lab::new(name, CITY, answer) else { return };
    lab.project.folder.write("say.lmt.mjs", HELLO);
    let worker = lab.worker_of("p.lmt.mjs say.lmt.mjs");
    assert_eq!(lab.call("run", &json!({ "city": "Rome" })).good(), json!({ "summary": "Sunny in Rome.", "days": 3 }));
    let object = lab.call("report", &json!({ "city": "Ulm", "days": 5 })).good();
    assert_eq!(object["output"], json!({ "summary": "Sunny in Ulm.", "days": 5 }));
    assert_eq!(object["finishReason"], "stop");
    assert_eq!(object["usage"]["outputTokens"], 2, "{object}");
    // A file without an input accepts every form of no input.
    for nothing in ["", "null", "{}"] {
        let reply = http::ask("POST", lab.server.ingress, "/say/run", &[], nothing).unwrap();
        assert_eq!(reply.good(), json!("Hello world"));
    }
    assert_eq!(worker.end().code, 143);
}

#[test]
fn the_services_describe_their_input_and_output() {
    let Some(lab) = Lab::new("the_services_describe_their_input_and_output", CITY, |_| Turn::text("")) else { return };
    let _worker = lab.worker();
    let service = http::ask("GET", lab.server.admin, "/services/p", &[], "").unwrap().good();
    let handlers = service["handlers"].as_array().unwrap();
    let handler = |name: &str| handlers.iter().find(|handler| handler["name"] == name).unwrap();
    let text = handler("run").to_string();
    for word in ["city", "days", "summary"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(handler("report").to_string().contains("city"));
}

#[test]
fn wrong_input_is_refused_before_any_request() {
    let Some(lab) = Lab::new("wrong_input_is_refused", CITY, |_| Turn::text("")) else { return };
    let _worker = lab.worker();
    for input in [json!({ "city": 5 }), json!({}), json!("Rome"), json!({ "city": "Rome", "days": "many" })] {
        let reply = lab.call("run", &input);
        assert_eq!(reply.status, 400, "{input}: {reply:?}");
        let object = lab.call("report", &input).good();
        assert_eq!(
            (&object["ok"], &object["text"], &object["steps"]),
            (&json!(false), &json!(""), &json!(0)),
            "{object}"
        );
        assert_eq!((&object["error"]["code"], &object["error"]["kind"]), (&json!(2), &json!("usage")), "{object}");
    }
    let printed = lab.call("run", &json!({ "city": 5 })).body;
    assert!(printed.contains("city"), "{printed}");
    assert_eq!(lab.project.provider.count(), 0);
}

#[test]
fn a_failed_run_is_an_error_of_run_and_an_object_of_report() {
    let source = "
export default ({ $, defTool }) => {
  defTool('work', 'Works.', none, () => 'done');
  $`You are who=root.`;
  if (fs.existsSync('wrong')) throw new Error('the roof is leaking');
};";
    let answer = |_: &_| Turn::failure(401);
    let Some(lab) = Lab::new("a_failed_run_is_an_error", source, answer) else { return };
    let _worker = lab.worker();
    // A failure that no attempt can fix is not retried.
    let reply = lab.call("run", &json!({}));
    assert_eq!(reply.status, 500, "{reply:?}");
    assert!(reply.body.contains("401") || reply.body.contains("no luck"), "{reply:?}");
    assert_eq!(lab.project.provider.count(), 1);
    let object = lab.call("report", &json!({})).good();
    assert_eq!((&object["ok"], &object["error"]["code"]), (&json!(false), &json!(3)), "{object}");
    lab.project.folder.write("wrong", "");
    let reply = lab.call("run", &json!({}));
    assert_eq!(reply.status, 500);
    assert!(reply.body.contains("the roof is leaking"), "{reply:?}");
    let object = lab.call("report", &json!({})).good();
    assert_eq!(object["error"]["code"], 1, "{object}");
    assert!(object["error"]["message"].as_str().unwrap().contains("the roof is leaking"), "{object}");
}

#[test]
fn transient_failures_are_retried() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let source = "export const input = z.object({ id: z.string() });
export default ({ $, defTool }, { id }) => {
  defTool('work', 'Works.', none, () => { note('work'); return 'done'; });
  $`You are who=${id}.`;
};";
    // The second step fails more often than the run itself retries.
    let answer = |request: &Conversation| match request.step {
        0 => Turn::default().call("c", "work", &json!({})),
        _ => match ASKED.fetch_add(1, Ordering::SeqCst) {
            0 => Turn::failure(500),
            1 => Turn::failure(429),
            _ => Turn::text("at last"),
        },
    };
    let Some(lab) = Lab::new("what_may_pass_is_tried_again", source, answer) else { return };
    let _worker = lab.worker();
    assert_eq!(lab.call("run", &json!({ "id": "a" })).good(), "at last");
    assert_eq!(lab.request_count("a 0"), 1);
    assert_eq!(lab.notes(), ["work"]);
}

#[test]
fn agents_and_tools_of_a_file_work_as_in_a_run() {
    let source = "
export const input = z.object({ id: z.string() });
const named = z.object({ id: z.string() });
export default ({ $, defAgent, defTool, defState }, { id }) => {
  const [count, setCount] = defState('count', 0);
  defTool('work', 'Works.', named, ({ id }) => { note(id); setCount((before) => before + 1); return `${id} after ${count}`; });
  defAgent('helper', 'Helps.', named, ({ id }, child) => {
    child.defTool('work', 'Works.', named, ({ id }) => { note(id); return `${id} in the agent`; });
    child.$`You are who=${id}.`;
  });
  $`You are who=${id}.`;
};";
    let answer = |request: &Conversation| {
        let id = |project: usize| format!("{}-{}-{project}", request.who, request.step);
        let call =
            |turn: Turn, project: usize, name: &str| turn.call(&id(project), name, &json!({ "id": id(project) }));
        match (request.who.contains('-'), request.step) {
            (false, 0) => call(call(Turn::default(), 0, "work"), 1, "helper"),
            (true, 0) | (false, 1) => call(Turn::default(), 0, "work"),
            _ => Turn::text(&request.results().join("; ")),
        }
    };
    let Some(lab) = Lab::new("agents_and_tools", source, answer) else { return };
    let _worker = lab.worker();
    let printed = lab.call("run", &json!({ "id": "a" })).good();
    let printed = printed.as_str().unwrap();
    assert!(printed.contains("a-0-1-0-0 in the agent") && printed.contains("a-1-0 after 1"), "{printed}");
    assert_eq!(lab.notes(), ["a-0-0", "a-0-1-0-0", "a-1-0"]);
    assert!(lab.counts().values().all(|times| *times == 1), "{:?}", lab.counts());
}

#[test]
fn calls_with_one_idempotency_key_are_one_run() {
    let Some(lab) = Lab::new("calls_with_one_idempotency_key", STEPS, steps) else { return };
    let _worker = lab.worker();
    let (key, input) = ([("idempotency-key", "monday")], json!({ "id": "a" }));
    let first = lab.send_with("report", &key, &input);
    assert_eq!(lab.send_with("report", &key, &input), first);
    assert_eq!(lab.result(&first)["text"], final_text("a"));
    let again = lab.server.post("/p/report", &key, &input).good();
    assert_eq!(again["text"], final_text("a"));
    assert_eq!(lab.project.provider.count(), 3);
    assert_ne!(lab.send("report", &input), first);
}

#[test]
fn many_calls_run_side_by_side_and_none_sees_another() {
    let Some(lab) = Lab::new("many_calls_run_side_by_side", STEPS, steps) else { return };
    let _worker = lab.worker();
    let ids: Vec<String> = (0..40).map(|n| format!("r{n}")).collect();
    let calls: Vec<String> = ids.iter().map(|id| lab.send("run", &json!({ "id": id }))).collect();
    for (id, call) in ids.iter().zip(calls) {
        assert_eq!(lab.result(&call), Value::from(final_text(id)));
    }
    assert!(lab.counts().values().all(|times| *times == 1), "{:?}", lab.counts());
    assert_eq!(lab.project.provider.count(), 120);
}

#[test]
fn cancelling_reaches_the_tools() {
    let source = "
export const input = z.object({ id: z.string() });
export default ({ $, defTool }, { id }) => {
  defTool('work', 'Works.', none, (_, { abortSignal }) => new Promise((resolve, reject) => {
    note('begin');
    abortSignal.addEventListener('abort', () => { note('aborted'); reject(new Error('aborted')); });
  }));
  $`You are who=${id}.`;
};";
    let answer = |request: &Conversation| match request.who.as_str() {
        "b" => Turn::text("fine"),
        _ => Turn::default().call("c", "work", &json!({})),
    };
    let Some(lab) = Lab::new("cancelling_reaches_the_tools", source, answer) else { return };
    let _worker = lab.worker();
    for (times, handler) in ["run", "report"].iter().enumerate() {
        let call = lab.send(handler, &json!({ "id": "a" }));
        soon("the tool has begun", || lab.notes().iter().filter(|line| *line == "begin").count() > times);
        lab.server.cancel(&call);
        let reply = lab.ended(&call);
        assert_eq!(reply.status, 409, "{reply:?}");
        soon("the tool is aborted", || lab.notes().iter().filter(|line| *line == "aborted").count() > times);
    }
    // The worker still serves.
    assert_eq!(lab.call("run", &json!({ "id": "b" })).good(), "fine");
    assert_eq!(lab.request_count("a 0"), 2);
}

#[test]
fn a_step_too_large_for_the_server_has_a_clear_error() {
    let source = "
export default ({ $, defTool }) => {
  defTool('work', 'Works.', none, () => { note('work'); return 'x'.repeat(9 * 1024 * 1024); });
  $`You are who=root.`;
};";
    let answer = |request: &Conversation| match request.step {
        0 => ["a", "b", "c", "d"].iter().fold(Turn::default(), |turn, id| turn.call(id, "work", &json!({}))),
        _ => Turn::text("fine"),
    };
    let Some(lab) = Lab::new("a_step_too_large_for_the_server", source, answer) else { return };
    let _worker = lab.worker();
    let call = lab.send("run", &json!({}));
    let reply = lab.ended(&call);
    assert_eq!(reply.status, 500, "{}", reply.body.len());
    assert!(reply.body.contains("32 MiB"), "{}", &reply.body[..reply.body.len().min(500)]);
    // Its effects are not repeated.
    assert_eq!(lab.notes(), ["work"; 4]);
}

#[test]
fn secrets_are_not_stored_on_the_server() {
    let source = "
export default ({ $, defTool }) => {
  defTool('work', 'Works.', none, () => 'the key is sk-live-0123456789abcdef');
  $`You are who=root.`;
};";
    let answer = |request: &Conversation| match request.step {
        0 => Turn::default().call("c", "work", &json!({})),
        _ => Turn::text("fine"),
    };
    let Some(lab) = Lab::new("secrets_stay_out", source, answer) else { return };
    fs::write(lab.project.folder.path(".env"), "LAB_API_KEY=sk-live-0123456789abcdef\n").unwrap();
    let worker = lab.worker();
    assert_eq!(lab.call("run", &json!({})).good(), "fine");
    let entries = lab.server.query("SELECT name, entry_json FROM sys_journal");
    assert!(!json!(entries).to_string().contains("sk-live-0123456789abcdef"), "{entries:?}");
    let outcome = worker.end();
    assert!(!outcome.stderr.contains("sk-live-0123456789abcdef"), "{outcome:?}");
}

#[test]
fn a_model_that_does_not_answer_fails_a_run_in_the_end() {
    let Some(lab) = Lab::new("a_model_that_does_not_answer", STEPS, |_| Turn::failure(503)) else { return };
    let _worker = lab.worker_of("p.lmt.mjs --retry-for 3s");
    let reply = lab.call("run", &json!({ "id": "a" }));
    assert_eq!(reply.status, 500, "{reply:?}");
    assert!(lab.request_count("a 0") >= 2, "{:?}", lab.counts());
    let object = lab.call("report", &json!({ "id": "b" })).good();
    assert_eq!((&object["ok"], &object["error"]["code"]), (&json!(false), &json!(3)), "{object}");
}

#[test]
fn a_run_that_goes_wrong_harms_no_other() {
    let source = "
export const input = z.object({ id: z.string() });
export default ({ $, defTool }, { id }) => {
  if (id === 'endless') for (;;);
  if (id === 'hungry') for (const all = []; ; ) all.push(new Array(1e5).fill(1));
  if (id === 'exit') process.exit(7);
  if (id === 'rejected') Promise.reject(new Error('nobody listens'));
  $`You are who=${id}.`;
};";
    let answer = |request: &Conversation| Turn::text(&request.who);
    let Some(lab) = Lab::new("a_run_that_goes_wrong", source, answer) else { return };
    let worker = lab.worker();
    let bad = ["endless", "hungry", "exit", "rejected"].map(|id| lab.send("run", &json!({ "id": id })));
    let good: Vec<String> = (0..20).map(|n| lab.send("run", &json!({ "id": format!("r{n}") }))).collect();
    for (n, call) in good.iter().enumerate() {
        assert_eq!(lab.result(call), Value::from(format!("r{n}")));
    }
    for (call, words) in bad.iter().zip(["endless loop", "out of memory", "exit code 7", "nobody listens"]) {
        let reply = lab.ended(call);
        assert!(reply.status == 500 && reply.body.contains(words), "{words}: {reply:?}");
    }
    assert!(worker.is_healthy());
}
