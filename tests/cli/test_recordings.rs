//! Recordings of tests: made by `lmthing test --record`, replayed without it (docs/reference/recordings.md).

use std::io::{Read, Write};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use crate::{
    report::{Report, tests},
    support::{Folder, Outcome, http},
};

const KEY: &str = "sk-lab-0123456789abcdef";

/// Asks the server the question in the variable `Q`.
const PROMPT: &str = "
    export const config = { model: 'lab:tide', prices: { 'lab:tide': { input: 1, output: 2 } } };
    export default async ({ defSystem, $ }) => {
      defSystem('rules', 'Be brief.\\nBe kind.');
      $`${process.env.Q ?? 'first'}`;
    };
";

/// A folder with a prompt file, and a model that numbers its answers.
struct Setup {
    folder: Folder,
    address: String,
    requests: Arc<AtomicUsize>,
}

fn setup(files: &[(&str, &str)]) -> Setup {
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = requests.clone();
    let address = http::serve(move |request| {
        let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
        if request.json().to_string().contains("refuse") {
            return http::response("400 X", "application/json", r#"{"error":{"message":"refused"}}"#);
        }
        let piece = |text: &str| {
            format!("data: {{\"id\":\"c-{number}\",\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
        };
        let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000000,"completion_tokens":500000}}"#;
        let body =
            [piece("Ans"), piece("wer\\nnumber "), piece(&format!("{number}.")), format!("data: {end}\n\n")].concat();
        http::response(
            &format!("200 X\r\nx-request-id: {number}"),
            "text/event-stream",
            &format!("{body}data: [DONE]\n\n"),
        )
    });
    let folder = Folder::new(&[("prompt.lmt.mjs", PROMPT)]);
    files.iter().for_each(|(name, source)| folder.write(name, &tests(source)));
    Setup { folder, address: format!("http://{address}"), requests }
}

impl Setup {
    fn test(&self, arguments: &str) -> Report {
        let mut command = self.folder.command(&format!("test --reporter json {arguments}"));
        command.env_remove("CI").env_remove("GITHUB_ACTIONS");
        command.env("LAB_API_BASE", &self.address).env("LAB_API_TYPE", "openai");
        if arguments.contains("--record") || arguments.contains("--live") {
            command.env("LAB_API_KEY", KEY);
        }
        Report::from(Outcome::of(&mut command))
    }

    /// Runs the test files without smoke tests.
    fn tests(&self, arguments: &str) -> Report {
        self.test(&format!("{arguments} a.test.lmt.mjs"))
    }

    fn request_count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path(name)).unwrap()
    }

    /// Requests and answers, in the order of the file.
    fn exchanges(&self, name: &str) -> Vec<String> {
        let file: Value = serde_json::from_str(&self.read(name)).unwrap();
        let exchange = |exchange: &Value| {
            let question =
                exchange["request"]["messages"].as_array().unwrap().last().unwrap()["content"][0]["text"].clone();
            let parts = exchange["parts"].as_array().unwrap();
            let text: String = parts.iter().filter_map(|part| part["delta"].as_str()).collect();
            format!("{}: {}", question.as_str().unwrap(), text.replace('\n', " "))
        };
        file["exchanges"].as_array().unwrap().iter().map(exchange).collect()
    }
}

#[track_caller]
fn passed(report: &Report) {
    assert_eq!(report.code, 0, "{report:#?}");
}

#[test]
fn a_recording_is_made_once_and_plays_without_a_key() {
    let setup = setup(&[(
        "a.test.lmt.mjs",
        "test('answers', async () => {
           const { text, usage, cost, error } = await run('prompt.lmt.mjs', { recording: 'kept/r.json' });
           expect([text, usage.inputTokens, cost, error]).toEqual(['Answer\\nnumber 1.', 1000000, 2, undefined]);
         });",
    )]);
    passed(&setup.tests("--record"));
    let recorded = setup.read("kept/r.json");
    assert_eq!(
        recorded,
        r#"{
  "version": 1,
  "usedBy": ["../a.test.lmt.mjs"],
  "exchanges": [
    {
      "provider": "lab",
      "model": "tide",
      "request": {
        "messages": [
          { "role": "system", "content": "<rules>\nBe brief.\nBe kind.\n</rules>" },
          { "role": "user", "content": [{ "type": "text", "text": "first" }] }
        ],
        "tools": [],
        "settings": {}
      },
      "parts": [
        { "type": "stream-start", "warnings": [] },
        { "type": "text-start", "id": "1" },
        { "type": "text-delta", "id": "1", "delta": "Answer\n" },
        { "type": "text-delta", "id": "1", "delta": "number 1." },
        { "type": "text-end", "id": "1" },
        { "type": "finish", "finishReason": "stop", "usage": { "inputTokens": 1000000, "outputTokens": 500000, "totalTokens": 1500000, "reasoningTokens": 0, "cachedInputTokens": 0 } }
      ]
    }
  ]
}
"#
    );
    passed(&setup.tests(""));
    passed(&setup.tests("--record"));
    assert_eq!((setup.request_count(), setup.read("kept/r.json")), (1, recorded));
}

#[test]
fn a_real_model_is_refused() {
    let setup = setup(&[(
        "a.test.lmt.mjs",
        "import { runPrompt } from 'lmthing';
         test('run', async () => { await run('prompt.lmt.mjs'); });
         test('own', async () => {
           const { result } = await runPrompt(({ $ }) => { $`q`; }, { model: 'lab:tide' });
           await result.text;
         });
         test('swallowed', async () => {
           try { const { result } = await runPrompt(({ $ }) => { $`q`; }, { model: 'lab:tide' }); await result.text; } catch {}
         });
         test('recorded', async () => { await run('prompt.lmt.mjs', { recording: 'r.json' }); });",
    )]);
    let report = setup.tests("");
    assert_eq!((report.code, setup.request_count()), (1, 0));
    let refused = "this test would ask lab:tide; no test asks a model without --live or --record";
    for (test, words) in [
        (
            "run",
            &[refused, "give run() a mock or a recording, or ask the model with: lmthing test --live a.test.lmt.mjs"][..],
        ),
        ("own", &[refused, "keep its answers in a.test.recording.json with: lmthing test --record a.test.lmt.mjs"]),
        ("swallowed", &[refused]),
        ("recorded", &["there is no recording r.json", "lmthing test --record a.test.lmt.mjs"]),
    ] {
        let failures = report.failures(test);
        assert_eq!(failures.len(), 1, "{failures:?}");
        words.iter().for_each(|word| assert!(failures[0].contains(word), "{failures:?}"));
    }
}

#[test]
fn requests_of_a_test_file_are_recorded_next_to_it() {
    let setup = setup(&[(
        "a.test.lmt.mjs",
        "import { runPrompt } from 'lmthing';
         const answers = [];
         test('own', { repeat: 2 }, async () => {
           const { result } = await runPrompt(({ $ }) => { $`q`; }, { model: 'lab:tide' });
           answers.push(await result.text);
         });
         test('all', () => expect(answers).toEqual(['Answer\\nnumber 1.', 'Answer\\nnumber 2.']));",
    )]);
    passed(&setup.test("--record"));
    assert_eq!(setup.exchanges("a.test.recording.json"), ["q: Answer number 1.", "q: Answer number 2."]);
    passed(&setup.test(""));
    assert_eq!(setup.request_count(), 2);
}

#[test]
fn only_what_has_changed_is_renewed_and_shown_until_then() {
    let test = |questions: &[&str]| {
        let test = |q: &&str| {
            format!(
                "test('asks', async () => {{ await run('prompt.lmt.mjs', {{ recording: 'r.json', env: {{ Q: '{q}' }} }}); }});"
            )
        };
        questions.iter().map(test).collect::<Vec<_>>().join("\n")
    };
    let setup = setup(&[("a.test.lmt.mjs", &test(&["one", "two", "three"]))]);
    passed(&setup.tests("--record"));
    setup.folder.write("a.test.lmt.mjs", &tests(&test(&["one", "2", "three", "four"])));
    let report = setup.tests("");
    let failures = report.failures("asks");
    assert!(report.code == 1 && failures.is_empty(), "the first of them passes");
    let reported = format!("{:?}", report.json);
    for words in
        ["-two", "+2", "in r.json (lab:tide)", "renew the recording with: lmthing test --record a.test.lmt.mjs"]
    {
        assert!(reported.contains(words), "{words}: {reported}");
    }
    passed(&setup.tests("--record"));
    let expected =
        ["one: Answer number 1.", "2: Answer number 4.", "three: Answer number 3.", "four: Answer number 5."];
    assert_eq!(setup.exchanges("r.json"), expected);
}

#[test]
fn a_recording_that_does_not_fit_is_shown_at_the_run() {
    let source = |q: &str| {
        format!(
            "test('asks', async () => {{\n  await run('prompt.lmt.mjs', {{ recording: 'r.json', env: {{ Q: '{q}' }} }});\n}});"
        )
    };
    let setup = setup(&[("a.test.lmt.mjs", &source("one"))]);
    passed(&setup.tests("--record"));
    setup.folder.write("a.test.lmt.mjs", &tests(&source("two")));
    let failures = setup.tests("").failures("asks").join("\n");
    assert!(failures.contains("-one\n") && failures.contains("a.test.lmt.mjs:3:9"), "{failures}");
}

#[test]
fn tests_that_fail_or_are_left_out_lose_nothing() {
    let source = |end: &str| {
        format!(
            "for (const q of ['one', 'two', 'three']) test(q, async () => {{
               const {{ text }} = await run('prompt.lmt.mjs', {{ recording: 'r.json', env: {{ Q: q + '{end}' }} }});
               expect(text).toContain('Answer');
             }});"
        )
    };
    let setup = setup(&[("a.test.lmt.mjs", &source(""))]);
    passed(&setup.tests("--record"));
    let before = setup.exchanges("r.json");
    passed(&setup.tests("--record --filter two"));
    assert_eq!(setup.exchanges("r.json"), before);
    setup.folder.write("a.test.lmt.mjs", &tests(&source(" refuse")));
    assert_eq!(setup.tests("--record").code, 1);
    assert_eq!(setup.exchanges("r.json"), before, "no failure is recorded for a test that fails");
    setup.folder.write("a.test.lmt.mjs", &tests(&source(" more")));
    passed(&setup.tests("--record --filter two"));
    assert_eq!(setup.exchanges("r.json").len(), 4);
    let report = setup.tests("--record");
    passed(&report);
    assert_eq!(setup.exchanges("r.json").len(), 3, "{:?}", setup.exchanges("r.json"));
    assert!(report.stderr.contains("r.json: 2 exchanges recorded, 3 exchanges dropped"), "{}", report.stderr);
}

#[test]
fn files_share_a_recording_on_several_threads() {
    let source = |own: &str| {
        format!(
            "for (const q of ['{own}', 'both']) test(q, async () => {{
               const {{ error }} = await run('prompt.lmt.mjs', {{ recording: 'r.json', env: {{ Q: q }} }});
               expect(error).toBeUndefined();
             }});"
        )
    };
    let names: Vec<String> = (0..6).map(|n| format!("{n}.test.lmt.mjs")).collect();
    let sources: Vec<String> = (0..6).map(|n| source(&format!("own {n}"))).collect();
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(sources.iter().map(String::as_str)).collect();
    let setup = setup(&files);
    passed(&setup.test("--record --jobs 6"));
    let exchanges = setup.exchanges("r.json");
    let questions: Vec<&str> = exchanges.iter().map(|exchange| exchange.split(':').next().unwrap()).collect();
    assert_eq!(questions, ["own 0", "both", "own 1", "own 2", "own 3", "own 4", "own 5"]);
    assert_eq!(setup.request_count(), 7);
    // The other test files are not run, but still use it.
    passed(&setup.test("--record 3.test.lmt.mjs"));
    assert_eq!(setup.exchanges("r.json"), exchanges);
    let report = setup.test("--jobs 6 --junit report.xml");
    passed(&report);
    // What several files play was paid for once.
    assert_eq!(report.json["recordings"], json!({ "answers": 7, "tokens": 10_500_000, "cost": 14.0 }));
    let junit = setup.read("report.xml");
    let costs = junit.split("name=\"recordings.cost\" value=\"").skip(1);
    let costs: Vec<f64> = costs.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
    assert_eq!((costs.len(), costs.iter().sum()), (6, 14.0), "{junit}");
}

#[test]
fn no_key_reaches_a_recording() {
    let setup = setup(&[(
        "a.test.lmt.mjs",
        "test('asks', async () => {
           await run('secret.lmt.mjs', { recording: 'r.json', env: { APP_TOKEN: 'tok-zyxwvutsrqponm98' } });
         });",
    )]);
    setup.folder.write(
        "secret.lmt.mjs",
        "export const config = { model: 'lab:tide', options: { headers: { 'x-secret': 'hdr-qwertyuiop123456' } } };
         export default async ({ $ }) => {
           $`${process.env.LAB_API_KEY ?? 'none'} ${process.env.APP_TOKEN} hdr-qwertyuiop123456`;
         };",
    );
    passed(&setup.tests("--record"));
    let recorded = setup.read("r.json");
    assert!(recorded.contains("\"[redacted] [redacted] [redacted]\""), "{recorded}");
    // Neither does it matter whether a key is set.
    passed(&setup.tests(""));
}

#[test]
fn live_asks_and_leaves_recordings_alone() {
    let setup = setup(&[(
        "a.test.lmt.mjs",
        "test('asks', async () => {
           const kept = await run('prompt.lmt.mjs', { recording: 'r.json' });
           const free = await run('prompt.lmt.mjs');
           expect(kept.text + free.text).toContain('Answer');
         });",
    )]);
    passed(&setup.tests("--live"));
    assert!(!setup.folder.path("r.json").exists());
    assert_eq!(setup.request_count(), 2);
    passed(&setup.tests("--record"));
    let before = setup.read("r.json");
    passed(&setup.tests("--live"));
    assert_eq!((setup.request_count(), setup.read("r.json")), (6, before));
    passed(&setup.tests("--live --record"));
    assert_eq!(setup.exchanges("r.json"), ["first: Answer number 7."]);
}

#[test]
fn a_recording_next_to_a_prompt_file_is_its_smoke_test() {
    let setup = setup(&[]);
    let record = setup.folder.command("run --record prompt.recording.json prompt.lmt.mjs");
    let mut record = record;
    record.env("LAB_API_BASE", &setup.address).env("LAB_API_TYPE", "openai").env("LAB_API_KEY", KEY);
    assert!(record.status().unwrap().success());
    let report = setup.test("");
    passed(&report);
    assert_eq!(report.statuses(), ["runs: passed"]);
    setup.folder.write("prompt.lmt.mjs", &PROMPT.replace("Be kind", "Be rude"));
    let failures = setup.test("").failures("runs");
    assert!(failures[0].contains("-Be kind.") && failures[0].contains("+Be rude."), "{failures:?}");
    passed(&setup.test("--record"));
    let mut shown = setup.folder.command("test");
    let shown = Outcome::of(shown.env("LAB_API_BASE", &setup.address).env("LAB_API_TYPE", "openai"));
    assert!(shown.stdout.contains("Recordings  1 answer, recorded for $2.00\n"), "{}", shown.stdout);
    assert_eq!(setup.exchanges("prompt.recording.json"), ["first: Answer number 2."]);
}

#[test]
fn a_file_that_is_no_recording_is_reported_and_not_overwritten() {
    let setup = setup(&[(
        "a.test.lmt.mjs",
        "test('asks', async () => { await run('prompt.lmt.mjs', { recording: 'data.json' }); });",
    )]);
    for (text, words) in [
        ("{}", "data.json is no recording: it is JSON, but not what --record writes"),
        (
            r#"{"version": 7, "exchanges": []}"#,
            "data.json is no recording: it has version 7; this lmthing reads version 1",
        ),
        ("{\n<<<<<<< ours\n", "data.json is no recording: it is not JSON: key must be a string at line 2 column 1"),
        ("", "data.json is no recording: it is empty"),
    ] {
        setup.folder.write("data.json", text);
        for arguments in ["", "--record"] {
            let failures = setup.tests(arguments).failures("asks");
            assert!(failures[0].contains(words), "{failures:?}");
        }
        assert_eq!(setup.read("data.json"), text);
    }
    assert_eq!(setup.request_count(), 0);
}

/// The position at which a run is aborted is random; complete answers are recorded in any case.
#[test]
fn half_an_answer_of_a_run_that_was_given_up_is_not_recorded() {
    let piece = r#"data: {"choices":[{"delta":{"content":"half"}}]}"#;
    let address = http::serve_stream(move |_, stream| {
        let head = http::response("200 X", "text/event-stream", "");
        write!(stream, "{head}{piece}\n\n")?;
        // Until the client closes the connection.
        stream.read_exact(&mut [0])
    });
    let setup = Setup { address: format!("http://{address}"), ..setup(&[]) };
    setup.folder.write(
        "half.lmt.mjs",
        "import { runPrompt } from 'lmthing';
         import { writeFileSync } from 'node:fs';
         export const config = { model: 'lab:tide' };
         export default async ({ $ }) => {
           const { result } = await runPrompt(({ $ }) => { $`inner`; }, { model: 'lab:tide' });
           for await (const piece of result.textStream) writeFileSync('came', piece);
           $`outer`;
         };",
    );
    setup.folder.write(
        "a.test.lmt.mjs",
        &tests(
            "import { existsSync } from 'node:fs';
             const pause = () => new Promise((next) => setTimeout(next, 2));
             const half = (options) => run('half.lmt.mjs', { recording: 'r.json', ...options });
             test('a', async () => { half(); while (!existsSync('came')) await pause(); });
             test('b', async () => expect((await half({ timeout: 300 })).error.kind).toBe('limit'));",
        ),
    );
    passed(&setup.tests("--record"));
    assert!(setup.exchanges("r.json").is_empty());
}
