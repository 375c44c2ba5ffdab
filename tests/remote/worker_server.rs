//! `lmthing worker` as the Restate server sees it, without that server: health, discovery, registration, signed
//! requests, shutdown.

use std::{
    io::{BufRead, BufReader},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};

use crate::support::{
    Folder, HELLO, KilledOnDrop, PATIENCE,
    http::{response, serve},
    processes, wait_for_exit,
};

const CITY: &str = "
import { z } from 'zod';
export const description = 'Says how the weather is';
export const input = z.object({ city: z.string() });
export const output = z.array(z.number());
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '[1]' }];
export default async ({ $ }, { city }) => { $`${city}`; };
";

/// A worker and the lines of its log.
struct Worker {
    child: KilledOnDrop,
    printed: Arc<Mutex<Vec<Value>>>,
}

impl Worker {
    fn start(folder: &Folder, words: &str) -> Self {
        let mut worker = Worker::of(&mut folder.command(&format!("worker --listen 127.0.0.1:0 --log json {words}")));
        worker.line("listening");
        worker
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.env_remove("RESTATE_AUTH_TOKEN").spawn().unwrap();
        let printed = Arc::new(Mutex::new(Vec::new()));
        let (stderr, expected_output) = (BufReader::new(child.stderr.take().unwrap()), printed.clone());
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                expected_output.lock().unwrap().push(line);
            }
        });
        Worker { child: KilledOnDrop(child), printed }
    }

    /// Waits for a line with this message.
    fn line(&mut self, message: &str) -> Value {
        let start = Instant::now();
        loop {
            let printed = self.printed.lock().unwrap().clone();
            if let Some(line) =
                printed.iter().find(|line| line["message"].as_str().is_some_and(|m| m.starts_with(message)))
            {
                return line.clone();
            }
            let is_over = self.child.0.try_wait().unwrap().is_some() && start.elapsed() > Duration::from_secs(1);
            assert!(start.elapsed() < PATIENCE && !is_over, "{message:?} was not said: {printed:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn url(&mut self) -> String {
        self.line("listening")["address"].as_str().unwrap().to_owned()
    }

    /// Waits for the end; returns the exit code, and stderr without the log.
    fn end(mut self) -> (i32, String) {
        let printed = self.printed.clone();
        let status = wait_for_exit(&mut self.child.0, || format!("{:?}", printed.lock().unwrap()));
        thread::sleep(Duration::from_millis(100));
        let printed = self.printed.lock().unwrap();
        (status.code().unwrap_or(-1), printed.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
    }
}

/// Sends a request over HTTP/2 without TLS, as Restate does, or over HTTP/1.1; returns status, content type, body.
fn ask(is_http2: bool, url: &str, headers: &[(&str, &str)]) -> (u16, String, Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let builder = if is_http2 { builder.http2_prior_knowledge() } else { builder.http1_only() };
        let mut request = builder.build().unwrap().get(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let kind = answer.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
        let text = answer.text().await.unwrap();
        (status, kind.unwrap_or_default(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    })
}

const MANIFEST: &str = "application/vnd.restate.endpointmanifest.v4+json";

#[test]
fn discovery_lists_services_and_handlers() {
    let folder = Folder::new(&[
        ("prompts/city.lmt.mjs", CITY),
        ("prompts/2024.lmt.mjs", HELLO),
        ("prompts/city.test.lmt.mjs", "throw new Error('tests are not served')"),
        ("prompts/broken.lmt.mjs", "export default ("),
    ]);
    let mut worker = Worker::start(&folder, "prompts");
    let url = worker.url();
    let broken = worker.line("prompts/broken.lmt.mjs is not served");
    assert_eq!(broken["level"], "error", "{broken}");
    let (status, kind, reported) = ask(true, &format!("{url}/discover"), &[("accept", MANIFEST)]);
    assert_eq!((status, kind.as_str(), &reported["protocolMode"]), (200, MANIFEST, &json!("BIDI_STREAM")));
    let services = reported["services"].as_array().unwrap();
    let names: Vec<&Value> = services.iter().map(|service| &service["name"]).collect();
    assert_eq!(names, ["prompt_2024", "city"]);
    let city = &services[1];
    assert_eq!((&city["documentation"], &city["ty"]), (&json!("Says how the weather is"), &json!("SERVICE")));
    for name in ["inactivityTimeout", "abortTimeout"] {
        assert!(city[name].as_u64() >= Some(3_600_000), "{name}: {city}");
    }
    let handlers: Vec<&Value> = city["handlers"].as_array().unwrap().iter().map(|handler| &handler["name"]).collect();
    assert_eq!(handlers, ["run", "report"]);
    let run = &city["handlers"][0];
    assert_eq!(run["input"]["jsonSchema"]["properties"]["city"]["type"], "string");
    assert_eq!(run["output"]["jsonSchema"]["items"]["type"], "number");
    assert_eq!(city["handlers"][1]["output"]["jsonSchema"]["$ref"], "#/$defs/result");
}

#[test]
fn health_is_served_on_both_versions_of_http() {
    let folder = Folder::of(HELLO);
    let mut worker = Worker::start(&folder, "p.lmt.mjs");
    let url = worker.url();
    for is_http2 in [false, true] {
        let (status, kind, health) = ask(is_http2, &format!("{url}/health"), &[]);
        assert_eq!((status, kind.as_str()), (200, "application/json"));
        assert_eq!(health, json!({ "status": "ok", "running": 0, "waiting": 0, "done": 0, "failed": 0 }));
    }
    assert_eq!(ask(true, &format!("{url}/elsewhere"), &[]).0, 400);
    // A name that no host can resolve to.
    let (status, _, printed) = ask(false, &format!("{url}/discover"), &[("accept", MANIFEST)]);
    assert!(status == 505 && printed["message"].as_str().unwrap().contains("HTTP/2"), "{status} {printed}");
}

#[test]
fn pages_in_browsers_are_not_answered() {
    let folder = Folder::of(HELLO);
    let mut worker = Worker::start(&folder, "p.lmt.mjs --advertise http://worker.example:9080");
    let url = format!("{}/discover", worker.url());
    let discover = |is_http2, header| ask(is_http2, &url, &[("accept", MANIFEST), header]);
    for origin in ["http://example.org", "http://127.0.0.1:3000", "null"] {
        let (status, _, printed) = discover(true, ("origin", origin));
        assert!(status == 403 && printed["message"].as_str().unwrap().contains("pages"), "{status} {printed}");
    }
    // DNS rebinding: another name that leads here.
    let (status, _, printed) = discover(false, ("host", "rebound.example:9080"));
    assert!(status == 403 && printed["message"].as_str().unwrap().contains("--advertise"), "{status} {printed}");
    for host in ["worker.example", "localhost:1", "[::1]:9080"] {
        assert_eq!(discover(false, ("host", host)).0, 505, "{host}");
    }
    assert_eq!(discover(true, ("x-any", "")).0, 200);
}

#[test]
fn passwords_of_addresses_are_redacted() {
    let (url, requests) = admin(&[
        ("500 X", r#"{"message":"no way to http://t0ken@worker.example/","restate_code":"META0003"}"#),
        ("409 X", r#"{"message":"no way to http://t0ken@worker.example/"}"#),
    ]);
    let url = url.replace("http://", "http://somebody:geheim@");
    let folder = Folder::of(HELLO);
    let line =
        format!("worker p.lmt.mjs --listen 127.0.0.1:0 --register {url} --advertise http://t0ken@worker.example");
    let (code, printed) = Worker::of(&mut folder.command(&line)).end();
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("not registered yet") && printed.contains("http://***@worker.example"), "{printed}");
    assert!(["somebody", "geheim", "t0ken"].iter().all(|secret| !printed.contains(secret)), "{printed}");
    // The registration has the full address.
    assert_eq!(requests.lock().unwrap()[0].1["uri"], "http://t0ken@worker.example/");
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_worker_that_has_nothing_to_do() {
    let folder = Folder::of(HELLO);
    for (name, code) in [("TERM", 143), ("INT", 130)] {
        let mut worker = Worker::start(&folder, "p.lmt.mjs");
        // An idle connection does not delay the shutdown.
        let url = worker.url();
        let _idle = std::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        assert_eq!(ask(true, &format!("{url}/health"), &[]).0, 200);
        processes::signal(worker.child.0.id(), name);
        worker.line("stopping");
        worker.line("stopped");
        assert_eq!(worker.end(), (code, String::new()));
    }
}

/// The head of a request, and its body.
type Requests = Arc<Mutex<Vec<(Vec<String>, Value)>>>;

/// A server's admin API with these responses, and the requests it got.
fn admin(answers: &'static [(&'static str, &'static str)]) -> (String, Requests) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (seen, count) = (requests.clone(), AtomicUsize::new(0));
    let address = serve(move |received| {
        seen.lock().unwrap().push((received.head.clone(), received.json()));
        let (head, body) = answers[count.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1)];
        response(head, "application/json", body)
    });
    (format!("http://{address}"), requests)
}

#[test]
fn a_worker_registers_and_waits_for_a_server_that_is_not_ready() {
    const READY: (&str, &str) = ("201 Created", r#"{"id":"dp_1","services":[{"name":"p"}]}"#);
    const NOT_YET: (&str, &str) = ("500 X", r#"{"message":"cannot reach it","restate_code":"META0003"}"#);
    let (url, requests) = admin(&[NOT_YET, NOT_YET, READY]);
    let folder = Folder::of(HELLO);
    let mut command =
        folder.command(&format!("worker p.lmt.mjs --listen 127.0.0.1:0 --log json --register {url}/below/"));
    let mut worker = Worker::of(&mut command);
    let registered = worker.line("registered");
    assert_eq!((&registered["deployment"], &registered["services"]), (&json!("dp_1"), &json!(["p"])));
    let waits = worker.line("not registered yet");
    assert!(waits["why"].as_str().unwrap().contains("cannot reach it") && waits["level"] == "warn", "{waits}");
    let own = worker.url();
    let requests = requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2].0[0], "POST /below/deployments HTTP/1.1");
    assert_eq!(
        (requests[2].1["uri"].as_str().unwrap().trim_end_matches('/'), &requests[2].1["force"]),
        (&*own, &json!(true))
    );
    // Reported once.
    let printed = worker.printed.lock().unwrap().clone();
    assert_eq!(
        printed.iter().filter(|line| line["message"] == "not registered yet, trying on").count(),
        1,
        "{printed:?}"
    );
}

#[test]
fn a_refused_registration_is_an_error_with_a_hint() {
    let folder = Folder::of(HELLO);
    for (answer, words) in [
        (&[("401 X", r#"{"message":"who are you"}"#)][..], &["status 401: who are you", "RESTATE_AUTH_TOKEN"][..]),
        (&[("404 X", "{}")], &["status 404", "takes the admin API"]),
        (&[("409 X", r#"{"message":"no such change"}"#)], &["status 409: no such change"]),
    ] {
        let (url, _) = admin(answer);
        let mut command = folder.command(&format!("worker p.lmt.mjs --listen 127.0.0.1:0 --log json --register {url}"));
        let (code, printed) = Worker::of(&mut command).end();
        assert_eq!(code, 1, "{printed}");
        assert!(words.iter().all(|word| printed.contains(word)), "{printed}");
    }
}

#[test]
fn the_advertised_address_and_the_token_are_options() {
    let (url, requests) = admin(&[("200 OK", r#"{"id":"dp_2","services":[]}"#)]);
    let folder =
        Folder::of("export const config = { model: 'mock' }; export const mock = []; export default () => {};");
    folder.write("keys.env", "RESTATE_AUTH_TOKEN=t0ken-value\n");
    let line = format!("--register {url} --advertise http://worker.example:80/at --env-file keys.env p.lmt.mjs");
    let mut worker = Worker::start(&folder, &line);
    worker.line("registered");
    let requests = requests.lock().unwrap().clone();
    assert_eq!(requests[0].1["uri"], "http://worker.example/at");
    assert!(
        requests[0].0.iter().any(|line| line.eq_ignore_ascii_case("authorization: Bearer t0ken-value")),
        "{requests:?}"
    );
    assert!(!format!("{:?}", worker.printed.lock().unwrap()).contains("t0ken"));
}

#[test]
fn errors_are_reported_before_serving() {
    let folder = Folder::new(&[("p.lmt.mjs", HELLO), ("none/readme.md", ""), ("bad/b.lmt.mjs", "export default (")]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    let on_taken = format!("p.lmt.mjs --listen {taken}");
    let cannot_listen = format!("cannot listen on {taken}");
    for (words, code, reported) in [
        (&*on_taken, 1, &[&*cannot_listen, "port 0"][..]),
        ("p.lmt.mjs --listen nowhere", 2, &["--listen nowhere: this is no address"]),
        ("p.lmt.mjs --listen 0.0.0.0:0", 2, &["other machines could call", "--identity-key", "--open"]),
        (
            "p.lmt.mjs --listen 0.0.0.0:0 --open --register http://127.0.0.1:1",
            2,
            &["no address to call", "--advertise"],
        ),
        ("p.lmt.mjs --listen 0 --identity-key secret", 2, &["--identity-key secret:", "publickeyv1_"]),
        ("p.lmt.mjs --register 127.0.0.1:9070", 2, &["expected an address such as http://127.0.0.1:9070"]),
        ("p.lmt.mjs -m nothing:x", 2, &["-m, --model nothing:x"]),
        ("p.lmt.mjs --mock missing.json", 2, &["missing.json"]),
        ("p.lmt.mjs --jobs 0", 2, &["from 1 on"]),
        ("missing", 1, &["no file or folder missing"]),
        ("none", 1, &["no prompt file in none"]),
        ("bad", 1, &["nothing to serve", "SyntaxError"]),
        ("p.lmt.mjs --listen 0 --journal no/such/folder/w.db", 1, &["no such folder"]),
    ] {
        let outcome = folder.run(&format!("worker {words}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (code, ""), "{words}: {outcome:?}");
        assert!(reported.iter().all(|reported| outcome.stderr.contains(reported)), "{words}: {outcome:?}");
    }
}

/// Bitcoin's alphabet, in which Restate writes keys.
fn base58(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut digits = vec![0_u32];
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            (*digit, carry) = (carry % 58, carry / 58);
        }
        while carry > 0 {
            digits.push(carry % 58);
            carry /= 58;
        }
    }
    digits.iter().rev().map(|digit| char::from(LETTERS[*digit as usize])).collect()
}

/// The signature of a request by Restate.
fn signed(pair: &Ed25519KeyPair, path: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let head = part(json!({ "typ": "JWT", "alg": "EdDSA", "kid": "k" }));
    let claims = part(json!({ "aud": path, "nbf": now - 60, "iat": now, "exp": now + 60 }));
    let message = format!("{head}.{claims}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(pair.sign(message.as_bytes()));
    format!("{message}.{signature}")
}

#[test]
fn with_a_key_only_signed_requests_are_answered() {
    let pair = || {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap()
    };
    let (own, other) = (pair(), pair());
    let key = format!("publickeyv1_{}", base58(own.public_key().as_ref()));
    let folder = Folder::of(HELLO);
    // With a key it may listen on other addresses.
    let mut worker = Worker::of(
        &mut folder.command(&format!("worker p.lmt.mjs --listen 0.0.0.0:0 --log json --identity-key {key}")),
    );
    let url = worker.url().replace("0.0.0.0", "127.0.0.1");
    let discover = |scheme: &str, token: &str| {
        let headers = [("accept", MANIFEST), ("x-restate-signature-scheme", scheme), ("x-restate-jwt-v1", token)];
        ask(true, &format!("{url}/discover"), &headers).0
    };
    assert_eq!(discover("v1", &signed(&own, "/discover")), 200);
    assert_eq!(discover("v1", &signed(&other, "/discover")), 401);
    assert_eq!(discover("v1", &signed(&own, "/invoke/p/run")), 401);
    assert_eq!(discover("v1", "a.b.c"), 401);
    assert_eq!(discover("unsigned", ""), 401);
    assert_eq!(ask(true, &format!("{url}/discover"), &[("accept", MANIFEST)]).0, 401);
    assert_eq!(ask(true, &format!("{url}/health"), &[]).0, 200);
}
