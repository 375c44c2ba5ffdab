//! Limits of runs (docs/reference/limits.md).

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    helpers::{Requests, run, serve, turn},
    support::{Outcome, lmthing},
};

/// A model that always calls its tool and uses 600 tokens a step.
fn forever() -> (String, Requests) {
    serve(|_| turn(&[], true, Some((500, 400, 100))))
}

fn tools(config: &str, tool: &str) -> String {
    format!(
        "import {{ z }} from 'zod';
        export const config = {{ model: 'lab:m', {config} }};
        export default async ({{ $, defTool }}) => {{ defTool('look', 'Looks.', z.object({{}}), {tool}); $`Go.`; }};"
    )
}

/// Runs into a limit; returns `max_tokens` of each request, and stderr.
fn limited(script: &str, options: &[&str]) -> (Vec<Option<u64>>, String) {
    let (address, requests) = forever();
    let output = run(script, options, &address, &[]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    let limits = requests.lock().unwrap().iter().map(|body| body["max_tokens"].as_u64()).collect();
    (limits, output.stderr)
}

#[test]
fn every_limit_ends_the_run() {
    let plain = tools("", "() => 1");
    let (requests, message) = limited(&plain, &["--max-steps", "2"]);
    assert_eq!(requests, [None, None]);
    assert!(message.contains("step limit of 2 steps: 2 steps were used. Set --max-steps or config.limits.steps"));
    let (requests, message) = limited(&plain, &["--max-tokens", "1000"]);
    // About what the request itself takes is subtracted.
    assert_eq!(requests, [Some(999), Some(398)]);
    assert!(message.contains("token limit of 1000 tokens: 1200 tokens were used in 2 steps"), "{message}");
    let priced =
        tools("limits: { cost: 0.004 }, prices: { 'lab:m': { input: 10, cachedInput: 1, output: 20 } }", "() => 1");
    let (requests, message) = limited(&priced, &["--max-cost", "1"]);
    assert_eq!(requests, [Some(199), Some(29)]);
    assert!(message.contains("cost limit of $0.004: $0.0068 was spent in 2 steps"), "{message}");
    let own = tools("options: { maxOutputTokens: 300 }, limits: { tokens: 700 }", "() => 1");
    assert_eq!(limited(&own, &[]).0, [Some(300), Some(98)]);
}

#[test]
fn a_run_without_limits_says_after_100_steps_what_it_has_used() {
    let long = |config: &str, options: &[&str]| {
        let steps = AtomicUsize::new(0);
        let answer = move |_: &Value| turn(&[], steps.fetch_add(1, Ordering::Relaxed) < 120, Some((500, 0, 100)));
        let output = run(&tools(config, "() => 1"), options, &serve(answer).0, &[]);
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.stderr
    };
    let notice = "the run has used 100 steps, 60000 tokens, and has no limit on steps, tokens or cost; --max-steps";
    let shown = long("", &[]);
    assert_eq!(shown.matches(notice).count(), 1, "{shown}");
    for (config, options) in
        [("options: { maxSteps: 500 }", &[][..]), ("limits: { tokens: 1000000 }", &[]), ("", &["--max-steps", "200"])]
    {
        assert_eq!(long(config, options).matches("has used").count(), 0, "{config} {options:?}");
    }
}

#[test]
fn a_limit_that_the_last_step_reaches_ends_nothing() {
    let (address, _) = serve(|body| {
        let is_over = body["messages"].as_array().unwrap().len() > 2;
        turn(if is_over { &["done"] } else { &[] }, !is_over, Some((500, 0, 100)))
    });
    let output = run(&tools("", "() => 1"), &["--max-tokens", "1000", "--max-steps", "2"], &address, &[]);
    assert_eq!((output.code, output.stdout, output.stderr), (0, "done\n".into(), String::new()));
}

#[test]
fn tools_of_the_answer_that_uses_up_the_limit_hear_of_it() {
    let received = "async (_, { abortSignal }) => {
      await new Promise((resolve) => { abortSignal.addEventListener('abort', resolve); setTimeout(resolve, 60_000); });
      console.log(abortSignal.aborted);
    }";
    let (address, requests) = forever();
    let output = run(&tools("", received), &["--max-tokens", "500"], &address, &[]);
    assert_eq!((output.code, output.stdout.as_str()), (4, "true\n"), "{}", output.stderr);
    assert!(output.stderr.contains("token limit of 500 tokens: 600 tokens were used in 1 step"), "{}", output.stderr);
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[test]
fn requests_that_count_as_used_are_made() {
    let made = Arc::new(AtomicUsize::new(0));
    let count = made.clone();
    let (address, _) = serve(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(200));
        turn(&["done"], false, None)
    });
    let script = "import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:m', limits: { steps: 4 } };
        export default async ({ $ }) => {
          const one = async () => (await runPrompt(({ $ }) => { $`Up.`; }, config)).result.text;
          await Promise.all(Array.from({ length: 6 }, one));
        };";
    let output = run(script, &[], &address, &[]);
    assert_eq!((output.code, made.load(Ordering::SeqCst)), (4, 4), "{}", output.stderr);
}

#[test]
fn an_answer_without_end_is_broken_off() {
    let (address, _) = serve(|_| turn(&["word "; 400], false, None));
    let output = run(&tools("limits: { tokens: 100 }", "() => 1"), &[], &address, &[]);
    assert_eq!(output.code, 4);
    let message = output.stderr;
    assert!(message.contains("token limit of 100 tokens: about 126 tokens were used in 1 step."), "{message}");
    assert_eq!(output.stdout.matches("word").count(), 99);
    let priced = tools("prices: { 'lab:m': { input: 10, output: 20 } }", "() => 1");
    let output = run(&priced, &["--max-cost", "0.002", "-f", "json"], &address, &[]);
    let object = output.object();
    assert_eq!((&object["usage"]["outputTokens"], &object["cost"]), (&json!(125), &json!(0.00251)), "{object}");
}

#[test]
fn agents_and_scripts_that_catch_cannot_go_on() {
    let (address, requests) = serve(|body| turn(&["hm"], body.to_string().contains("Deeper"), Some((10, 0, 5))));
    let script = "import { runPrompt } from 'lmthing';
        import { z } from 'zod';
        export const config = { model: 'lab:m', limits: { steps: 3 } };
        export default async ({ $, defAgent }) => {
          defAgent('look', 'Looks.', z.object({}), (_, child) => { child.$`Up.`; });
          for (let i = 0; i < 5; i++) {
            try {
              const { result } = await runPrompt(({ $ }) => { $`Up.`; }, config);
              await result.text;
            } catch (error) { console.log(error.name); }
          }
          $`Deeper`;
        };";
    let output = run(script, &[], &address, &[]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert_eq!((requests.lock().unwrap().len(), output.stdout.as_str()), (3, "LimitError\nLimitError\n"));
    let agents = script.replace("i < 5", "i < 0");
    let (address, requests) = serve(|body| turn(&[], body.to_string().contains("Deeper"), Some((10, 0, 5))));
    let output = run(&agents, &["--max-steps", "1"], &address, &[]);
    assert_eq!((output.code, requests.lock().unwrap().len()), (4, 1));
    // The refused agent is not reported as a failure of its own.
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
}

#[test]
fn at_the_end_of_its_time_everything_ends() {
    let (address, _) = forever();
    let received = "async (_, { abortSignal }) => {
      await new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
      console.log(abortSignal.reason.name);
    }";
    let loads = format!("await new Promise((resolve) => setTimeout(resolve, 60_000)); {}", tools("", "() => 1"));
    let code = "import { z } from 'zod';
        export const config = { model: 'mock', sandbox: { cpuMs: 60_000 } };
        export const mock = [{ type: 'tool-call', toolName: 'runToolCode', args: { code: 'while (true) {}' } }];
        export default ({ $, defFunction }) => { defFunction('one', 'One.', z.object({}), () => 1); $`Go.`; };";
    for (script, printed) in [
        (tools("", received), "LimitError\n"),
        (tools("", "() => new Promise((resolve) => setTimeout(resolve, 60_000))"), ""),
        (tools("", "() => { while (true) {} }"), ""),
        (tools("", "async () => { while (true) await null; }"), ""),
        (loads, ""),
        (code.to_owned(), ""),
    ] {
        let began = Instant::now();
        let output = run(&script, &["--timeout", "700ms"], &address, &[]);
        assert_eq!((output.code, output.stdout.as_str()), (4, printed), "{script}: {}", output.stderr);
        assert!(output.stderr.contains("time limit of 700 ms: "), "{}", output.stderr);
        assert!(began.elapsed() < Duration::from_secs(10));
    }
}

/// A prompt file whose tool runs this code, after some text.
fn working(work: &str) -> String {
    format!(
        "import {{ z }} from 'zod';
        export const config = {{ model: 'mock' }};
        export const mock = [
          {{ type: 'text', text: 'Before.' }}, {{ type: 'tool-call', toolName: 'work', args: {{}} }}, {{ type: 'text', text: 'After.' }},
        ];
        export default async ({{ $, defTool }}) => {{
          defTool('work', 'Works.', z.object({{}}), () => {{ {work} }});
          $`Go.`;
        }};"
    )
}

/// Each would take minutes in native code, where the engine's interrupts do not reach.
const NATIVE: [&str; 5] = [
    "process.getBuiltinModule('node:crypto').pbkdf2Sync('a', 'b', 2e9, 64, 'sha512')",
    "process.getBuiltinModule('node:child_process').execSync('sleep 60')",
    "process.getBuiltinModule('node:fs').readFileSync('/dev/zero')",
    "let v = []; for (let i = 0; i < 30; i++) v = [v, v]; return JSON.stringify(v)",
    "return 'a'.repeat(5e7).indexOf('a'.repeat(3e6) + 'b')",
];

#[test]
fn native_work_ends_with_the_time_of_the_run() {
    for work in NATIVE {
        let began = Instant::now();
        let output = run(&working(work), &["--timeout", "1s"], "http://127.0.0.1:9/v1", &[]);
        let took = began.elapsed();
        assert_eq!((output.code, output.stdout.as_str()), (4, "Before.\n"), "{work}: {}", output.stderr);
        assert!(output.stderr.contains("time limit of 1 s: 1 step "), "{work}: {}", output.stderr);
        // The limit and a second of grace, doubled for a busy machine.
        assert!(took < Duration::from_secs(4), "{work}: {took:?}");
    }
}

#[test]
fn runs_blocked_in_native_work_are_reported() {
    let script = working(NATIVE[0]).replace("model: 'mock'", "model: 'mock', limits: { time: '500ms' }");
    let output = run(&script, &["-f", "json"], "http://127.0.0.1:9/v1", &[]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    let object = output.object();
    assert_eq!((&object["ok"], &object["text"], &object["steps"]), (&json!(false), &json!("Before."), &json!(0)));
    assert_eq!((&object["error"]["code"], &object["error"]["kind"]), (&json!(4), &json!("limit")));
    assert_eq!((&object["model"], &object["usage"]["outputTokens"]), (&json!("mock:mock"), &json!(0)), "{object}");
    assert!(object["durationMs"].as_u64().unwrap() >= 500, "{object}");
    let output = run(&script, &["-f", "events"], "http://127.0.0.1:9/v1", &[]);
    let events: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.last().unwrap()["type"], "run-finish", "{events:?}");
    assert_eq!(events.last().unwrap()["error"]["kind"], "limit");
    assert_eq!(events.iter().filter(|event| event["type"] == "run-finish").count(), 1);
    assert_eq!(events.last().unwrap()["run"], events[0]["run"]);
}

#[test]
fn the_journal_has_the_end_of_a_run_that_native_work_has_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("runs.db");
    let option = format!("--journal={}", journal.display());
    let output = run(&working(NATIVE[0]), &[&option, "--timeout", "500ms"], "http://127.0.0.1:9/v1", &[]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    let runs = Outcome::of(lmthing().args(["runs", &option, "--json"]).env_clear()).object();
    assert_eq!(runs[0]["status"], "limit", "{runs}");
}

#[test]
fn a_locked_journal_does_not_keep_the_result_back() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("runs.db");
    let option = format!("--journal={}", journal.display());
    let script = working(NATIVE[0]);
    let options = [&option, "--timeout", "1500ms", "-f", "json"];
    let output = thread::scope(|scope| {
        let running = scope.spawn(|| run(&script, &options, "http://127.0.0.1:9/v1", &[]));
        let is_begun = |database: &rusqlite::Connection| {
            database.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0)).is_ok_and(|count| count > 0)
        };
        let lock = loop {
            let read_write = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
            let database = rusqlite::Connection::open_with_flags(&journal, read_write).ok();
            if let Some(database) = database.filter(is_begun) {
                break database;
            }
            assert!(!running.is_finished(), "the run never came into the journal");
            thread::sleep(Duration::from_millis(5));
        };
        lock.busy_timeout(Duration::from_secs(1)).unwrap();
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        running.join().unwrap()
    });
    assert_eq!(output.code, 4, "{}", output.stderr);
    let object = output.object();
    assert_eq!((&object["ok"], &object["error"]["kind"]), (&json!(false), &json!("limit")), "{object}");
}

#[test]
fn data_that_is_too_deep_or_multiplies_is_an_error_of_its_own() {
    let deep = "let v = []; for (let i = 0; i < 100_000; i++) v = [v];";
    let wide = "let v = []; for (let i = 0; i < 30; i++) v = [v, v];";
    for (data, problem) in [(deep, "nested deeper than 127 levels"), (wide, "it holds more than 5000000 values")] {
        let output = run(&working(&format!("{data} return v")), &["-f", "events"], "http://127.0.0.1:9/v1", &[]);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let reported = format!("the result of tool work cannot be sent to the model: not JSON: {problem}");
        assert!(output.stdout.contains(&reported), "{}", output.stdout);
        let script = format!(
            "export const config = {{ model: 'mock' }}; export const mock = [{{ type: 'text', text: 'never' }}];
            export default ({{ defData }}) => {{ {data} defData('tree', v); }};"
        );
        let output = run(&script, &[], "http://127.0.0.1:9/v1", &[]);
        let message = output.stderr;
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{message}");
        assert!(message.contains("defData('tree'): the data cannot be written: not JSON: "), "{message}");
        assert!(message.contains(problem), "{message}");
    }
}

#[test]
fn schemas_that_multiply_end() {
    let twice = |schema: &str| {
        format!(
            "const $defs = {{ d30: {{ type: 'string' }} }};
            for (let i = 0; i < 30; i++) {{
              const next = {{ $ref: `#/$defs/d${{i + 1}}` }};
              $defs[`d${{i}}`] = {schema};
            }}
            const schema = {{ type: 'object', properties: {{ a: {{ $ref: '#/$defs/d0' }} }}, $defs }};"
        )
    };
    let zod = "let schema = z.string(); for (let i = 0; i < 30; i++) schema = z.object({ a: schema, b: schema });";
    let call = "{ type: 'tool-call', toolName: 'one', args: { a: 'x' } },
        { type: 'tool-call', toolName: 'runToolCode', args: { code: 'return await two({ a: 1 } as any)' } },";
    for (schema, problem) in [
        (twice("{ anyOf: [next, next] }"), "a single value would be checked against more than 100000 parts of it"),
        (twice("{ allOf: [next, next] }"), "a single value would be checked against more than 100000 parts of it"),
        (twice("{ type: 'object', properties: { x: next, y: next } }"), "expected object, received string"),
        (zod.to_owned(), "Invalid input for tool one"),
    ] {
        let script = format!(
            "import {{ z }} from 'zod';
            {schema}
            export const config = {{ model: 'mock' }};
            export const mock = [{call} {{ type: 'text', text: 'done' }}];
            export default ({{ $, defTool, defFunction }}) => {{
              defTool('one', 'One.', schema, () => 1);
              defFunction('two', 'Two.', schema, () => 2);
              $`Go.`;
            }};"
        );
        let output = run(&script, &["-f", "events", "--timeout", "60s"], "http://127.0.0.1:9/v1", &[]);
        assert_eq!(output.code, 0, "{schema}: {}", output.stderr);
        assert!(output.stdout.contains(problem), "{schema}: {}", output.stdout);
    }
}

#[test]
fn only_so_many_requests_are_in_flight() {
    let (address, _) = serve(|body| {
        let is_agent = body.to_string().contains("Up.");
        if is_agent {
            thread::sleep(Duration::from_millis(200));
        }
        turn(&["done"], false, None)
    });
    let script = "import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:m', limits: { parallel: 2 } };
        export default async ({ $ }) => {
          const one = async () => (await runPrompt(({ $ }) => { $`Up.`; }, config)).result.text;
          const began = Date.now();
          await Promise.all(Array.from({ length: 6 }, one));
          console.log(Date.now() - began >= 550);
          $`Go.`;
        };";
    let output = run(script, &[], &address, &[]);
    assert_eq!((output.code, output.stdout), (0, "true\ndone\n".into()), "{}", output.stderr);
}

#[test]
fn wrong_limits_are_wrong_usage() {
    let (address, requests) = forever();
    for (options, words) in [
        (["--max-steps", "0"], "for '--max-steps <N>': expected a whole number of steps"),
        (["--max-tokens", "many"], "for '--max-tokens <N>': expected a whole number of tokens"),
        (["--max-cost", "-1"], "for '--max-cost <USD>': expected an amount of US dollars"),
        (["--timeout", "abc"], "for '--timeout <TIME>': expected a time such as 90s"),
    ] {
        let output = run(&tools("", "() => 1"), &options, &address, &[]);
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains(words), "{}", output.stderr);
    }
    for (config, words) in [
        ("limits: { steps: NaN }", "config.limits.steps must be a whole number of steps, 1 or more, got \"NaN\""),
        ("limits: { time: 'soon' }", "config.limits.time must be a time such as '90s'"),
        ("limits: 5", "config.limits must be an object"),
        ("limits: { stepz: 1 }", "config.limits.stepz is not known; did you mean 'steps'?"),
    ] {
        let output = run(&tools(config, "() => 1"), &[], &address, &[]);
        assert_eq!(output.code, 2, "{}", output.stderr);
        assert!(output.stderr.contains(words), "{}", output.stderr);
    }
    assert!(requests.lock().unwrap().is_empty());
}

#[test]
fn models_of_the_scripts_own_may_run_prompts() {
    let script = "import { runPrompt } from 'lmthing';
        let now = 0, most = 0;
        const wrap = { provider: 'own', modelId: 'w', async doStream({ prompt }) {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 50));
          let text = 'inner';
          if (JSON.stringify(prompt).includes('Outer')) {
            const { result } = await runPrompt(({ $ }) => { $`Inner`; }, { model: wrap });
            text = await result.text;
          }
          now--;
          return { stream: [{ type: 'text-delta', id: '1', delta: text }, { type: 'finish', finishReason: 'stop' }] };
        } };
        export const config = { model: wrap, limits: { parallel: 2 } };
        export default async ({ $ }) => {
          const one = async (what) => (await runPrompt(({ $ }) => { $`${what}`; }, { model: wrap })).result.text;
          await Promise.all(Array.from({ length: 6 }, () => one('One')));
          console.log(most);
          await Promise.all(Array.from({ length: 3 }, () => one('Outer')));
          $`Outer`;
        };";
    let output = run(script, &["--timeout", "20s"], "http://127.0.0.1:9/v1", &[]);
    assert_eq!((output.code, output.stdout), (0, "2\ninner\n".into()), "{}", output.stderr);
}

#[test]
fn models_of_the_scripts_own_wait_for_their_turn_as_long_as_it_takes() {
    let script = "import { runPrompt } from 'lmthing';
        let now = 0, most = 0;
        const slow = { provider: 'own', modelId: 's', async doStream() {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setTimeout(resolve, 1300));
          now--;
          return { stream: [{ type: 'text-delta', id: '1', delta: 'x' }, { type: 'finish', finishReason: 'stop' }] };
        } };
        // Its requests are those of prompts with tools and agents.
        const wrap = { provider: 'own', modelId: 'w', async doStream() {
          await null;
          const { result } = await runPrompt(({ $, defAgent }) => {
            defAgent('deep', 'Deep.', { type: 'object' }, async (_, child) => { child.$`Deep`; });
            $`Inner`;
          }, { model: calls });
          const delta = await result.text;
          return { stream: [{ type: 'text-delta', id: '1', delta }, { type: 'finish', finishReason: 'stop' }] };
        } };
        const calls = { provider: 'own', modelId: 'c', async doStream({ prompt }) {
          const goesOn = prompt.length === 1 && !JSON.stringify(prompt).includes('Deep');
          const part = goesOn ? { type: 'tool-call', toolCallId: '1', toolName: 'deep', input: '{}' } : { type: 'text-delta', id: '1', delta: 'deep' };
          return { stream: [part, { type: 'finish', finishReason: 'stop' }] };
        } };
        export const config = { model: wrap, limits: { parallel: 1 } };
        export default async ({ $ }) => {
          const one = async (model) => (await runPrompt(({ $ }) => { $`One`; }, { model })).result.text;
          await Promise.all([one(slow), one(slow), one(slow)]);
          console.log(most, await one(wrap));
          $`Outer`;
        };";
    let output = run(script, &["--timeout", "20s"], "http://127.0.0.1:9/v1", &[]);
    assert_eq!((output.code, output.stdout), (0, "1 deep\ndeep\n".into()), "{}", output.stderr);
}

#[cfg(unix)]
#[test]
fn children_that_are_waited_for_end_in_time() {
    let began = Instant::now();
    let script = "import { spawnSync } from 'node:child_process';
        export const config = { model: 'mock' }; export const mock = [];
        export default () => { spawnSync('sh', ['-c', 'trap \"\" TERM; sleep 30; sleep 30'], { timeout: 100 }); };";
    let output = run(script, &["--timeout", "500ms"], "http://127.0.0.1:9/v1", &[("PATH", "/usr/bin:/bin")]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    assert!(began.elapsed() < Duration::from_secs(10));
}
