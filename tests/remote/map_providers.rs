//! `lmthing map` against a provider (docs/reference/map.md, "How many at once"): many rows wait concurrently, and
//! limits of the provider slow the map down without failures.

use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    rows::results,
    support::{
        Folder, Outcome,
        http::{response, serve_stream},
    },
};

const ASKS: &str = "
export const input = { type: 'object', properties: { n: { type: 'number' } } };
export const config = { model: 'lab:m' };
export default ({ $ }, { n }) => { $`row ${n}`; };
";

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\n\
                      data: [DONE]\n\n";

/// Concurrent requests now and at most, and the number of all requests.
#[derive(Default)]
struct Seen {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

/// A provider that takes `limit` requests at once, each for a while.
fn provider(limit: usize, takes: Duration) -> (String, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let stored = seen.clone();
    let address = serve_stream(move |_, stream| {
        seen.all.fetch_add(1, Ordering::SeqCst);
        let now = seen.now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(now, Ordering::SeqCst);
        let answer = if now > limit {
            response(
                "429 Too Many Requests\r\nretry-after-ms: 100",
                "application/json",
                "{\"error\":{\"message\":\"slow down\"}}",
            )
        } else {
            thread::sleep(takes);
            response("200 OK", "text/event-stream", ANSWER)
        };
        seen.now.fetch_sub(1, Ordering::SeqCst);
        stream.write_all(answer.as_bytes())
    });
    (address, stored)
}

fn map(address: &str, rows: usize, arguments: &str) -> Outcome {
    let rows: String = (1..=rows).map(|row| format!("{{\"n\":{row}}}\n")).collect();
    let folder = Folder::new(&[("p.lmt.mjs", ASKS), ("rows.jsonl", &rows)]);
    let mut command = folder.command(&format!("map p.lmt.mjs --input rows.jsonl {arguments}"));
    command.env("LAB_API_TYPE", "openai").env("LAB_API_BASE", format!("http://{address}"));
    Outcome::of(&mut command)
}

#[test]
fn rows_wait_at_the_same_time() {
    let (address, seen) = provider(usize::MAX, Duration::from_millis(300));
    let outcome = map(&address, 48, "--jobs 24");
    assert_eq!((outcome.code, results(&outcome.stdout).len()), (0, 48), "{outcome:?}");
    assert!(outcome.stderr.contains("480 tokens in, 96 out, $0.00"), "{outcome:?}");
    let most = seen.most.load(Ordering::SeqCst);
    assert!((12..=24).contains(&most), "{most} at once");
}

#[test]
fn limits_of_the_provider_fail_no_row() {
    let (address, seen) = provider(4, Duration::from_millis(20));
    let outcome = map(&address, 100, "--jobs 32");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(results(&outcome.stdout).len(), 100);
    // All rows share the limit that one has learned.
    assert!(seen.all.load(Ordering::SeqCst) < 300, "{} requests", seen.all.load(Ordering::SeqCst));
}

#[test]
fn tokens_are_those_of_all_rows() {
    let (address, _) = provider(usize::MAX, Duration::from_millis(5));
    let outcome = map(&address, 30, "--jobs 2 --max-tokens 100");
    assert!(outcome.code == 4 && outcome.stderr.contains("--max-tokens"), "{outcome:?}");
    let done = results(&outcome.stdout).len();
    assert!((5..=10).contains(&done), "{done} rows: {outcome:?}");
}

/// A provider that refuses every request; counts them.
fn refusing(status: &'static str, body: &'static str) -> (String, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let address = serve_stream(move |_, stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        stream.write_all(response(status, "application/json", body).as_bytes())
    });
    (address, count)
}

#[test]
fn a_wrong_key_or_address_ends_the_map_after_the_first_rows() {
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found", "402 Payment Required"] {
        let (address, requests) = refusing(status, "{\"error\":{\"message\":\"no\"}}");
        let outcome = map(&address, 60, "--jobs 4 --retries 2");
        let requests = requests.load(Ordering::SeqCst);
        assert!(outcome.code == 1 && requests <= 8, "{status}, {requests} requests: {outcome:?}");
        assert!(outcome.stderr.contains("every row fails for the same reason"), "{status}: {outcome:?}");
    }
}

#[test]
fn a_missing_key_ends_the_map_after_the_first_rows() {
    let rows: String = (1..=60).map(|row| format!("{{\"n\":{row}}}\n")).collect();
    let file = ASKS.replace("lab:m", "openai:gpt-6.1-sol");
    let folder = Folder::new(&[("p.lmt.mjs", &file), ("rows.jsonl", &rows)]);
    let outcome = Outcome::of(folder.command("map p.lmt.mjs --input rows.jsonl").env_remove("OPENAI_API_KEY"));
    assert!(outcome.code == 1 && results(&outcome.stdout).len() < 30, "{outcome:?}");
    assert!(outcome.stderr.contains("every row fails for the same reason"), "{outcome:?}");
}

#[test]
fn a_provider_that_closes_for_long_ends_the_map() {
    for status in ["429 Too Many Requests\r\nretry-after: 3600", "503 Service Unavailable\r\nretry-after: 3600"] {
        let (address, requests) = refusing(status, "{\"error\":{\"message\":\"slow down\"}}");
        let outcome = map(&address, 60, "--jobs 4");
        let requests = requests.load(Ordering::SeqCst);
        assert!(outcome.code == 1 && requests <= 4, "{requests} requests: {outcome:?}");
        assert!(outcome.stderr.contains("asks to come back in 1 h"), "{outcome:?}");
        // No row has failed: the same command goes on later.
        assert!(results(&outcome.stdout).is_empty(), "{outcome:?}");
    }
}

#[test]
fn a_failing_provider_fails_rows_and_not_the_map() {
    let address = serve_stream(|received, stream| {
        let body = String::from_utf8_lossy(&received.body).into_owned();
        let answer = if body.contains("row 2\"") {
            response("400 Bad Request", "application/json", "{\"error\":{\"message\":\"row too odd\"}}")
        } else {
            response("200 OK", "text/event-stream", ANSWER)
        };
        stream.write_all(answer.as_bytes())
    });
    let outcome = map(&address, 4, "");
    let found = results(&outcome.stdout);
    assert_eq!((outcome.code, found.len(), found[1]["error"]["kind"].as_str()), (1, 4, Some("model")), "{outcome:?}");
    assert!(outcome.stderr.contains("1 × model: lab:m (status 400): row too odd"), "{outcome:?}");
}
