//! Rows in batches: their answers, next steps, agents, sizes of batches, prices.

use std::{collections::HashSet, sync::Mutex};

use serde_json::{Value, json};

use super::{KINDS, Lab, has_key, reply};
use crate::{
    rows::results_in,
    support::{
        Outcome,
        batches::{Act, BatchServer, DIALECTS, Dialect, Reply},
    },
};

#[test]
fn rows_of_each_provider_are_answered_by_one_batch() {
    for dialect in DIALECTS {
        let lab = Lab::new(dialect, 5, "plain");
        let outcome = lab.map("");
        assert_eq!(outcome.code, 0, "{dialect:?}: {outcome:?}");
        lab.check_done(5, &outcome);
        assert_eq!((lab.sizes(), lab.asks(), lab.server.paid().len()), (vec![5], 0, 5), "{dialect:?}");
        let first = &results_in(&lab.folder, "out.jsonl")[0];
        assert_eq!(first["usage"]["inputTokens"], 100, "{first}");
        assert_eq!((&first["finishReason"], first.get("error")), (&json!("stop"), None));
        assert!(outcome.stderr.contains("5 rows: 5 done") && outcome.stdout.is_empty(), "{outcome:?}");
        // The same command again has nothing to do.
        let requests = lab.server.seen().len();
        assert_eq!((lab.map("").code, lab.server.seen().len()), (0, requests));
    }
}

#[test]
fn tools_run_here_and_next_steps_go_into_the_next_batch() {
    for dialect in KINDS {
        let lab = Lab::new(dialect, 3, "tool");
        lab.finish(3);
        assert_eq!((lab.sizes(), lab.asks()), (vec![3, 3], 0), "{dialect:?}");
        let mut calls = lab.folder.lines("tools.log");
        calls.sort();
        assert_eq!(calls, ["1 a", "2 a", "3 a"], "{dialect:?}");
        let usage = &results_in(&lab.folder, "out.jsonl")[0]["usage"];
        assert_eq!(usage["inputTokens"], 200, "both steps count: {usage}");
    }
}

#[test]
fn requests_of_agents_go_into_batches() {
    let lab = Lab::new(Dialect::OpenAi, 2, "agent");
    lab.finish(2);
    assert_eq!((lab.sizes(), lab.asks()), (vec![2, 2, 2], 0));
    let texts: HashSet<String> = lab.server.paid().iter().map(Value::to_string).collect();
    assert_eq!(texts.iter().filter(|body| body.contains("help b") && !body.contains("row")).count(), 1);
}

#[test]
fn with_first_next_steps_are_asked_at_once() {
    for dialect in KINDS {
        let lab = Lab::new(dialect, 3, "tool");
        let outcome = lab.map("--batch=first");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        lab.check_done(3, &outcome);
        assert_eq!((lab.sizes(), lab.asks()), (vec![3], 3), "{dialect:?}");
    }
}

#[test]
fn batches_are_cut_by_their_size_and_do_not_wait_for_each_other() {
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Google] {
        let lab = Lab::of(BatchServer::with(dialect, reply).polls(4), 5, "plain");
        let outcome = lab.map("--batch-size 2");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        lab.check_done(5, &outcome);
        let mut sizes = lab.sizes();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 2, 2], "{dialect:?}");
        let at = |act| lab.server.seen().iter().rposition(|seen| seen.act == act);
        let results = lab.server.seen().iter().position(|seen| seen.act == Act::Results);
        assert!(results.is_none_or(|first| at(Act::Create) < Some(first)), "{dialect:?}: all were submitted before");
    }
}

#[test]
fn a_batch_has_one_model_where_the_provider_demands_it() {
    let choose = "
import { runPrompt } from 'lmthing';
export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
export default async ({ $ }, { n }) => {
  const { result } = await runPrompt(({ $ }) => { $`choose ${n}`; }, { model: n % 2 ? 'MODEL' : 'OTHER' });
  await result.text;
  $`row ${n}`;
};
";
    for (dialect, other, sizes) in [
        (Dialect::OpenAi, "openai:gpt-5-mini", vec![2, 2, 4]),
        (Dialect::Mistral, "mistral:mistral-large-latest", vec![2, 2, 4]),
        (Dialect::Anthropic, "anthropic:claude-haiku-4-5", vec![4, 4]),
    ] {
        let lab = Lab::new(dialect, 4, "plain");
        lab.folder.write("p.lmt.mjs", &choose.replace("MODEL", lab.server.model()).replace("OTHER", other));
        lab.finish(4);
        assert_eq!((lab.sizes(), lab.asks()), (sizes, 0), "{dialect:?}");
    }
}

#[test]
fn a_request_equals_that_of_run() {
    for dialect in DIALECTS {
        let lab = Lab::new(dialect, 1, "tool");
        let run = format!("run -m {} p.lmt.mjs --n 1 --kind tool", lab.server.model());
        let outcome = Outcome::of(&mut lab.command_of(&run));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        lab.finish(1);
        let is_asked = |seen: &&crate::support::batches::Seen| seen.act == Act::Ask;
        let asked: Vec<Value> =
            lab.server.seen().iter().filter(is_asked).map(|seen| without_stream(seen.request.json())).collect();
        let in_batches = lab.server.batches();
        let batched: Vec<Value> =
            in_batches.iter().flat_map(|batch| &batch.requests).map(|(_, body)| without_stream(body.clone())).collect();
        assert_eq!(batched, asked, "{dialect:?}");
    }
}

/// Without what asks for a stream, and without the key of the run for caches.
fn without_stream(mut body: Value) -> Value {
    if let Some(body) = body.as_object_mut() {
        ["stream", "stream_options", "prompt_cache_key"].into_iter().for_each(|name| drop(body.remove(name)));
        body.entry("model").or_insert(Value::Null);
    }
    body["model"] = Value::Null;
    body
}

#[test]
fn equal_rows_have_answers_of_their_own() {
    let lab = Lab::new(Dialect::OpenAi, 0, "plain");
    lab.folder.write("rows.jsonl", &"{\"n\":1}\n".repeat(3));
    let outcome = lab.map("");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let row = |number| (number, "row 1".to_owned());
    assert_eq!(lab.answers(), [row(1), row(2), row(3)]);
    assert_eq!((lab.sizes(), lab.server.paid().len()), (vec![3], 3));
}

#[test]
fn options_of_rows_and_results_hold() {
    let lab = Lab::new(Dialect::OpenAi, 6, "plain");
    let outcome = lab.map("--sample 2 --unordered --jobs 1");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![2]), "{outcome:?}");
    lab.finish(6);
    assert_eq!(lab.sizes(), [2, 4]);
    let outcome = lab.map("-o table.csv -f csv");
    let table = lab.folder.lines("table.csv");
    assert_eq!((outcome.code, table.len()), (0, 7), "{outcome:?}");
    assert!(
        table[0].starts_with("row,n,kind,text,finishReason") && table[6].starts_with("6,6,plain,row 6"),
        "{table:?}"
    );
}

#[test]
fn an_output_and_rows_that_do_not_fit_are_as_without_batches() {
    let lab = Lab::of(BatchServer::with(Dialect::OpenAi, |_| Reply::Text("{\"twice\":4}".to_owned())), 0, "plain");
    lab.folder.write("rows.jsonl", "{\"n\":2}\n{\"n\":\"x\"}\n");
    lab.folder.write(
        "p.lmt.mjs",
        "export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
         export const output = { type: 'object', properties: { twice: { type: 'number' } }, required: ['twice'] };
         export default ({ $ }, { n }) => { $`${n}`; };",
    );
    let outcome = lab.map("");
    let found = results_in(&lab.folder, "out.jsonl");
    assert_eq!((outcome.code, &found[0]["output"]), (1, &json!({ "twice": 4 })), "{outcome:?}");
    assert_eq!((&found[1]["error"]["kind"], lab.sizes()), (&json!("input"), vec![1]));
}

#[test]
fn prices_are_those_of_batches() {
    let lab = Lab::new(Dialect::OpenAi, 1, "plain");
    let cost = |prices: Value| {
        let mut command = lab.command("--fresh");
        command.env("LMTHING_PRICES", json!({ "openai:gpt-5.1": prices }).to_string());
        let outcome = Outcome::of(&mut command);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        results_in(&lab.folder, "out.jsonl")[0]["cost"].as_f64().unwrap()
    };
    let is_near = |cost: f64, expected: f64| assert!((cost - expected).abs() < 1e-9, "{cost} is not {expected}");
    // 100 tokens in and 10 out.
    is_near(cost(json!({ "input": 10, "output": 20 })), 0.0006);
    is_near(cost(json!({ "input": 10, "output": 20, "batch": 0.25 })), 0.0003);
    is_near(cost(json!({ "input": 10, "output": 20, "batch": { "input": 1, "output": 2 } })), 0.00012);
}

#[test]
fn results_at_another_host_do_not_get_the_key() {
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        let lab = Lab::of(BatchServer::with(dialect, reply).with_results_elsewhere(), 3, "plain");
        lab.finish(3);
        let heads: Vec<String> = lab.server.elsewhere().iter().map(|request| request.head.join("\n")).collect();
        assert!(!heads.is_empty() && heads.iter().all(|head| !has_key(head)), "{dialect:?}: {heads:?}");
    }
}

#[test]
fn prompts_that_change_with_time_are_asked_once() {
    let lab = Lab::new(Dialect::OpenAi, 2, "tool");
    let source = super::ASKS.replace("$`row", "$`${process.hrtime.bigint()} `; $`row");
    lab.folder.write("p.lmt.mjs", &source);
    let outcome = lab.map("");
    assert_eq!((outcome.code, lab.sizes()), (0, vec![2, 2]), "{outcome:?}");
}

#[test]
fn several_requests_of_a_row_at_once_are_in_one_batch() {
    let lab = Lab::new(Dialect::OpenAi, 2, "plain");
    lab.folder.write(
        "p.lmt.mjs",
        "import { runPrompt } from 'lmthing';
         export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
         export default async ({ $ }, { n }) => {
           const ask = async (word) => {
             const { result } = await runPrompt(({ $ }) => { $`${word} ${n}`; }, { model: 'MODEL' });
             return await result.text;
           };
           const both = await Promise.all([ask('one'), ask('two')]);
           $`row ${n} ${both.join(' and ')}`;
         };"
        .replace("MODEL", lab.server.model())
        .as_str(),
    );
    let outcome = lab.map("");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!((lab.sizes(), lab.asks()), (vec![4, 2], 0), "{outcome:?}");
    let text = results_in(&lab.folder, "out.jsonl")[0]["text"].clone();
    assert_eq!(text, "row 1 one 1 and two 1");
}

#[test]
fn more_rows_than_run_at_once_are_in_one_batch() {
    let texts = Mutex::new(HashSet::new());
    let server = BatchServer::with(Dialect::OpenAi, move |asked| {
        assert!(texts.lock().unwrap().insert(asked.text.clone()), "{} is asked twice", asked.text);
        Reply::Text(asked.text.clone())
    });
    let lab = Lab::of(server, 100, "plain");
    lab.finish(100);
    assert_eq!(lab.sizes(), [100]);
}

/// A row whose code calls an agent, next to a timer that never ends.
#[test]
fn code_and_timers_do_not_keep_rows_from_waiting() {
    let asks = "
import fs from 'node:fs';
export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const id = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
export default ({ $, defFunction, defFunctionAgent }, { n }) => {
  setInterval(() => {}, 1000).unref();
  defFunction('note', 'Notes.', id, ({ id }) => { fs.appendFileSync('tools.log', `${n} ${id}\\n`); return id; });
  defFunctionAgent('helper', 'Helps.', id, ({ id }, child) => { child.$`help ${n} ${id}`; });
  $`row ${n} code`;
};
";
    let code = "await note({ id: 'a' }); const both = await Promise.all([helper({ id: 'x' }), helper({ id: 'y' })]); \
                await note({ id: 'b' }); return both.join(' and ');";
    let server = BatchServer::with(Dialect::OpenAi, move |asked| match asked.text.ends_with("code") {
        true if !asked.has_results => Reply::Call("runToolCode".to_owned(), json!({ "code": code })),
        _ => Reply::Text(asked.text.clone()),
    });
    let lab = Lab::of(server, 3, "plain");
    lab.folder.write("p.lmt.mjs", asks);
    lab.finish(3);
    assert_eq!((lab.sizes(), lab.asks(), lab.paid_twice()), (vec![3, 6, 3], 0, Vec::<Value>::new()));
    let mut calls = lab.folder.lines("tools.log");
    calls.sort();
    assert_eq!(calls, ["1 a", "1 b", "2 a", "2 b", "3 a", "3 b"]);
}
