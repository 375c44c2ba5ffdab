//! Runs against servers with limits: concurrent requests, unsupported parameters; and against servers that send too
//! much or close connections.

use std::{
    io::Write,
    iter::repeat_n,
    net::Shutdown,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

use crate::support::{Folder, Outcome, http};

/// Returns the base URL.
fn serve(answer: impl Fn(Value) -> (u16, String) + Send + Sync + 'static) -> String {
    let address = http::serve(move |request| {
        let (status, body) = answer(request.json());
        let kind = if status == 200 { "text/event-stream" } else { "application/json" };
        http::response(&format!("{status} X\r\nretry-after: 0.2"), kind, &body)
    });
    format!("http://{address}/v1")
}

fn text(text: &str) -> (u16, String) {
    let chunk = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
    (200, format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

fn run(script: &str, base_url: &str) -> Outcome {
    run_with(&[], script, base_url)
}

fn run_with(arguments: &[&str], script: &str, base_url: &str) -> Outcome {
    let folder = Folder::of(script);
    let mut command = folder.bare_command("run");
    command.args(arguments).arg("p.lmt.mjs");
    command.env("LAB_API_KEY", "sk-lab-0123456789").env("LAB_API_TYPE", "openai").env("LAB_API_BASE", base_url);
    Outcome::of(&mut command)
}

#[test]
fn thirty_prompts_at_once_share_a_server_that_takes_five() {
    let inside = Arc::new(AtomicUsize::new(0));
    let refused = Arc::new(AtomicUsize::new(0));
    let count = refused.clone();
    let address = serve(move |_| {
        let answer = if inside.fetch_add(1, Ordering::SeqCst) < 5 {
            thread::sleep(Duration::from_millis(150));
            text("done")
        } else {
            count.fetch_add(1, Ordering::SeqCst);
            (429, json!({ "error": { "message": "Too many requests", "code": "rate_limit_exceeded" } }).to_string())
        };
        inside.fetch_sub(1, Ordering::SeqCst);
        answer
    });
    let script = "
        import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:tide' };
        export default async ({ $ }) => {
          const one = async (n) => (await runPrompt(({ $ }) => { $`Prompt ${n}`; }, { model: 'lab:tide' })).result.text;
          const texts = await Promise.all(Array.from({ length: 30 }, (_, n) => one(n)));
          console.log(texts.filter((text) => text === 'done').length);
          $`The end.`;
        };";
    let output = run(script, &address);
    let report = output.stderr;
    assert_eq!(output.code, 0, "{report}");
    assert!(output.stdout.starts_with("30\n"), "{report}");
    let refused = refused.load(Ordering::SeqCst);
    assert!((1..100).contains(&refused), "{refused}");
    assert!(report.contains("lab takes no more at a time: Too many requests"), "{report}");
}

#[test]
fn a_run_continues_without_refused_parameters() {
    let refused = Arc::new(AtomicUsize::new(0));
    let count = refused.clone();
    let address = serve(move |request| {
        if request.get("temperature").is_none() {
            return text("warm");
        }
        count.fetch_add(1, Ordering::SeqCst);
        let message = "Unsupported parameter: 'temperature' is not supported with this model.";
        (
            400,
            json!({ "error": { "message": message, "param": "temperature", "code": "unsupported_parameter" } })
                .to_string(),
        )
    });
    let script = "
        import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:tide' };
        export default async ({ $ }) => {
          for (let n = 0; n < 2; n++) {
            const options = { temperature: 0.5, maxRetries: 0 };
            const { result } = await runPrompt(({ $ }) => { $`Prompt ${n}`; }, { model: 'lab:tide', options });
            const [step] = await result.steps;
            console.log(await result.text, (step.warnings ?? []).map(({ type, setting }) => `${type} ${setting}`).join());
          }
          $`The end.`;
        };";
    let output = run(script, &address);
    let report = output.stderr;
    assert_eq!(output.code, 0, "{report}");
    let reported = output.stdout;
    assert!(reported.starts_with("warm unsupported-setting temperature\nwarm \n"), "{reported}");
    assert_eq!(refused.load(Ordering::SeqCst), 1);
}

#[test]
fn code_in_an_answer_may_ask_the_server_that_gives_the_answer() {
    let requests = Arc::new(AtomicUsize::new(0));
    let address = serve(move |request| match requests.fetch_add(1, Ordering::SeqCst) {
        0 => (429, json!({ "error": { "message": "Too many requests" } }).to_string()),
        _ if request.to_string().contains("Inner") => text("deep"),
        1 => text("<run_code>return await inner({})</run_code>"),
        _ => text("The end."),
    });
    let script = "
        import { runPrompt } from 'lmthing';
        import { z } from 'zod';
        export const config = { model: 'lab:tide' };
        export default async ({ defMethod, $ }) => {
          defMethod('inner', 'asks', z.object({}), async () =>
            (await runPrompt(({ $ }) => { $`Inner`; }, { model: 'lab:tide' })).result.text);
          $`Go.`;
        };";
    let begun = std::time::Instant::now();
    let output = run(script, &address);
    let reported = output.stdout;
    let report = output.stderr;
    assert!(reported.contains("deep") && output.code == 0, "{reported}{report}");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

const ASKS: &str = "export const config = { model: 'lab:tide' }; export default ({ $ }) => { $`go`; };";

/// A gzip response with these pieces as its body.
fn packed(pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    pieces.into_iter().for_each(|piece| encoder.write_all(&piece).unwrap());
    let body = encoder.finish().unwrap();
    let head = "content-type: text/event-stream\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
    [format!("HTTP/1.1 200 OK\r\n{head}").as_bytes(), &body].concat()
}

/// Runs a prompt against a server that answers each request with these bytes; also returns the number of requests.
fn answered_with(answer: Vec<u8>) -> (Outcome, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let address = http::serve_stream(move |_, stream| {
        count.fetch_add(1, Ordering::SeqCst);
        stream.write_all(&answer)
    });
    let output = run(ASKS, &format!("http://{address}/v1"));
    (output, asked.load(Ordering::SeqCst))
}

fn event(text: &str, padding: usize) -> String {
    let choice = json!({ "delta": { "content": text }, "finish_reason": null });
    format!("data: {}\n\n", json!({ "choices": [choice], "padding": "a".repeat(padding) }))
}

#[test]
fn an_answer_without_an_end_of_an_event_is_not_read_on() {
    let line = [b"data: ", &vec![b'x'; 80 << 20][..]].concat();
    let plain = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    for answer in [
        packed(repeat_n(vec![0; 1 << 20], 300)),
        packed(repeat_n(b"data: more of the same event\n".repeat(1 << 10), 3 << 10)),
        packed(repeat_n(b": nothing but comments\n\n".repeat(1 << 10), 4 << 10)),
        [plain, &line[..]].concat(),
    ] {
        let (output, asked) = answered_with(answer);
        let report = output.stderr;
        assert_eq!((output.code, asked), (3, 1), "{report}");
        // Either limit may be reached first.
        let limits = ["more than 64 MiB without the end of", "more than 200 times its size"];
        assert!(limits.iter().any(|limit| report.contains(limit)) && report.contains("127.0.0.1:"), "{report}");
    }
}

#[test]
fn small_events_may_not_unpack_to_hundreds_of_times_their_size() {
    let (output, asked) = answered_with(packed(repeat_n(event("", 60 << 10).into_bytes(), 4 << 10)));
    let report = output.stderr;
    assert_eq!((output.code, asked), (3, 1), "{report}");
    assert!(report.contains("127.0.0.1:") && report.contains("more than 200 times its size"), "{report}");
}

#[test]
fn a_long_answer_that_packs_well_is_read_to_its_end() {
    // More than 64 MiB in all, a few dozen times as much as was sent.
    let mut random = fastrand::Rng::with_seed(7);
    let mut text = || (0..400).map(|_| char::from(b'a' + random.u8(..26))).collect::<String>();
    let events = (0..5 << 10).map(|_| event(&text(), 14 << 10).into_bytes());
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let (output, _) = answered_with(packed(events.chain([format!("data: {end}\n\n").into_bytes()])));
    let report = output.stderr;
    assert_eq!(output.code, 0, "{report}");
    assert_eq!(output.stdout.len(), 400 * (5 << 10) + 1, "{report}");
}

/// A response after which the connection can be reused.
fn kept_alive(words: &str) -> String {
    let (_, body) = text(words);
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// Runs forty concurrent prompts, twice; prints how many of the eighty succeeded.
fn forty_at_once(address: &str) -> (String, String) {
    let script = "
        import { runPrompt } from 'lmthing';
        export const config = { model: 'lab:tide' };
        export default async ({ $ }) => {
          const one = async (n) => (await runPrompt(({ $ }) => { $`Prompt ${n}`; }, { model: 'lab:tide' })).result.text;
          let count = 0;
          for (const round of [1, 2]) {
            const texts = await Promise.all(Array.from({ length: 40 }, (_, n) => one(n)));
            count += texts.filter((text) => text === 'done').length;
            // The server closes its connections while the script computes.
            for (const until = Date.now() + 100; Date.now() < until; );
          }
          console.log(count);
          $`The end.`;
        };";
    let output = run(script, &format!("http://{address}/v1"));
    let report = output.stderr;
    (output.stdout.lines().next().unwrap_or_default().to_owned(), report)
}

#[test]
fn a_server_that_closes_after_each_answer_causes_no_failure() {
    let answer = kept_alive("done");
    let address = http::serve_stream(move |_, stream| {
        thread::sleep(Duration::from_millis(fastrand::u64(..20)));
        stream.write_all(answer.as_bytes())
    });
    for _ in 0..5 {
        let (count, report) = forty_at_once(&address);
        assert_eq!(count, "80", "{report}");
    }
}

/// Serves `Prompt N` and closes each connection after its response, then creates the file `N` in the folder.
fn serve_and_close(closed: PathBuf) -> String {
    let answer = kept_alive("done");
    http::serve_stream(move |received, stream| {
        let request = received.json().to_string();
        let (_, number) = request.split_once("Prompt ").unwrap();
        let number = number.chars().take_while(char::is_ascii_digit).collect::<String>();
        stream.write_all(answer.as_bytes())?;
        // Usually the client has returned the connection to its pool by then. The test passes either way.
        thread::sleep(Duration::from_millis(20));
        // Fails if the client has closed the connection first.
        let _ = stream.shutdown(Shutdown::Both);
        std::fs::write(closed.join(number), "")
    })
}

#[test]
fn a_request_that_was_not_sent_is_no_attempt() {
    let closed = tempfile::tempdir().unwrap();
    let address = serve_and_close(closed.path().to_owned());
    // The loop is synchronous: the event loop cannot notice the closed connection before the next request is made.
    let script = "
        import fs from 'node:fs';
        import { runPrompt } from 'lmthing';
        const options = { maxRetries: 0, timeout: 30_000 };
        export const config = { model: 'lab:tide', options };
        export default async ({ $ }) => {
          for (let n = 0; n < 20; n++) {
            const { result } = await runPrompt(({ $ }) => { $`Prompt ${n}`; }, { model: 'lab:tide', options });
            await result.text;
            const until = Date.now() + 30_000;
            while (!fs.existsSync(`CLOSED/${n}`)) {
              if (Date.now() > until) throw new Error(`Connection ${n} was not closed`);
            }
          }
          $`Prompt 20`;
        };";
    let script = script.replace("CLOSED", &closed.path().to_string_lossy());
    let output = run_with(&["-f", "events"], &script, &format!("http://{address}/v1"));
    let report = output.stderr;
    assert_eq!(output.code, 0, "{report}");
    let events = output.stdout;
    let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!((count("text-delta"), count("retry")), (21, 0), "{events:?}");
}
