//! How spans are sent to a collector. One that is down, slow or wrong delays the run briefly and changes nothing else
//! (docs/reference/opentelemetry.md).

use std::time::{Duration, Instant};

use crate::{
    otel_support::{Answers, Collector, closed_address, command, exported},
    support::{
        Folder, HELLO, Outcome,
        tls::{self, authority},
    },
};

/// Runs HELLO with spans sent to `address`; also returns how long it took.
fn hello(arguments: &str, address: &str, variables: &[(&str, &str)]) -> (Outcome, Duration) {
    let folder = Folder::of(HELLO);
    let mut command = command(&folder, &format!("run {arguments} p.lmt.mjs"), address);
    let began = Instant::now();
    let outcome = Outcome::of(command.envs(variables.iter().copied()));
    (outcome, began.elapsed())
}

#[test]
fn a_collector_that_takes_nothing_costs_a_moment() {
    let cases = [
        (None, "no connection"),
        (Some(Answers::Never), "did not answer in time"),
        (Some(Answers::Status(500)), "status 500"),
        (Some(Answers::Status(503)), "status 503"),
        (Some(Answers::Status(401)), "status 401"),
        (Some(Answers::Status(307)), "status 307"),
    ];
    for (answers, problem) in cases {
        let collector = answers.map(Collector::new);
        let address = collector.as_ref().map_or_else(closed_address, Collector::address);
        for arguments in ["", "-f json", "-q"] {
            let (plain, _) = hello(arguments, "", &[]);
            let (outcome, took) = hello(arguments, &address, &[]);
            assert_eq!(outcome.code, 0, "{outcome:?}");
            // Generous, for a busy machine.
            assert!(took < Duration::from_secs(6), "{problem}: {took:?}");
            if arguments != "-f json" {
                assert_eq!(outcome.stdout, plain.stdout);
            } else {
                assert_eq!(outcome.object()["text"], plain.object()["text"]);
            }
            let warnings =
                outcome.stderr.matches("Warning: OpenTelemetry: 2 spans of this run did not reach http://127").count();
            assert_eq!(warnings, usize::from(arguments != "-q"), "{}", outcome.stderr);
            assert_eq!(outcome.stderr.contains(problem), arguments != "-q", "{problem}: {}", outcome.stderr);
        }
    }
}

#[test]
fn a_failed_run_keeps_its_exit_code_and_messages() {
    let folder = Folder::of(
        "export const config = { model: 'mock' };\nexport const mock = [];\nexport default () => { throw new Error('no luck'); };",
    );
    let outcome = Outcome::of(&mut command(&folder, "run p.lmt.mjs", &closed_address()));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert!(
        outcome.stderr.contains("no luck") && outcome.stderr.contains("1 span of this run did not reach"),
        "{outcome:?}"
    );
}

#[test]
fn a_busy_collector_is_retried() {
    let collector = Collector::new(Answers::WellLater);
    let (outcome, _) = hello("", &collector.address(), &[]);
    assert_eq!((outcome.stderr.as_str(), collector.requests().len()), ("", 2));
    let collector = Collector::new(Answers::Partly);
    let (outcome, _) = hello("", &collector.address(), &[]);
    assert!(
        outcome.stderr.contains("1 span of this run") && outcome.stderr.contains("refused them (too old)"),
        "{outcome:?}"
    );
}

#[test]
fn nothing_is_sent_by_default() {
    let off: [(&str, &str); 4] = [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", ""),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ];
    for variable in off {
        let collector = Collector::new(Answers::Well);
        let (outcome, _) = hello("", &collector.address(), &[variable]);
        assert_eq!(outcome.code, 0);
        assert!(collector.requests().is_empty(), "{variable:?}");
        let warnings = outcome.stderr.matches("Warning: OTEL_EXPORTER_OTLP_PROTOCOL is grpc").count();
        assert_eq!(warnings, usize::from(variable.1 == "grpc"), "{}", outcome.stderr);
    }
    let (outcome, _) = hello("", "127.0.0.1:4318", &[]);
    assert!(outcome.stderr.starts_with("Warning: OTEL_EXPORTER_OTLP_ENDPOINT is no address"), "{outcome:?}");
}

#[test]
fn requests_are_as_the_variables_say_also_those_of_the_env_file() {
    let folder = Folder::of(HELLO);
    let collector = Collector::new(Answers::Well);
    let token = "token-of-the-header-0123456789abcdef";
    let variables = format!(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT={}/own\nOTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20{token},x-team=a\nOTEL_EXPORTER_OTLP_COMPRESSION=gzip\nOTEL_SERVICE_NAME=mine\nOTEL_RESOURCE_ATTRIBUTES=team=a%20b,service.version=7\n",
        collector.address()
    );
    folder.write(".env", &variables);
    let outcome = Outcome::of(&mut command(&folder, "run p.lmt.mjs", &closed_address()));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let request = collector.requests().remove(0);
    let header = |name: &str| request.headers.get(name).map(String::as_str);
    assert_eq!((request.path.as_str(), header("content-type")), ("/own", Some("application/x-protobuf")));
    assert_eq!((header("authorization"), header("x-team")), (Some(format!("Bearer {token}").as_str()), Some("a")));
    assert_eq!(header("content-encoding"), Some("gzip"));
    let resource = collector.resource();
    assert_eq!([&resource["service.name"], &resource["team"], &resource["service.version"]], ["mine", "a b", "7"]);
    assert_eq!(collector.spans().len(), 2);

    // The value of a header is redacted, also where the script prints it.
    let source = HELLO.replace("'from the script'", "'x'").replace("$`go`", &format!("throw new Error('see {token}')"));
    folder.write("q.lmt.mjs", &source);
    let outcome = Outcome::of(&mut command(&folder, "run q.lmt.mjs", &closed_address()));
    assert!(outcome.stderr.contains("see [redacted]") && !outcome.stderr.contains(token), "{outcome:?}");
    assert!(!format!("{:?}", collector.spans()).contains(token));
}

#[test]
fn a_long_run_is_sent_in_batches() {
    let source = "import { z } from 'zod';
import { createMockModel } from 'lmthing/test';
const items = Array.from({ length: 1500 }, (_, index) => ({ type: 'tool-call', toolName: 't', args: {}, toolCallId: `c${index}` }));
export const config = { model: createMockModel([...items, { type: 'text', text: 'done' }]), options: { maxSteps: 2000 } };
export default ({ $, defTool }) => { defTool('t', 't', z.object({}), () => 1); $`x`; };";
    let (outcome, collector) = exported(source, "", &[]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    // Each step is a request and a call; the last one has no call.
    assert_eq!(collector.spans().len(), 1 + 2 * 1500 + 1);
    assert!(collector.requests().len() > 2);
}

#[test]
fn requests_go_the_way_that_the_variables_of_the_network_say() {
    let collector = Collector::new(Answers::Well);
    let proxy = collector.address();
    let (outcome, _) = hello("", "http://collector.test:4318", &[("HTTP_PROXY", &proxy)]);
    assert_eq!(outcome.stderr, "");
    assert_eq!(collector.requests()[0].path, "http://collector.test:4318/v1/traces");
    // Addresses on this machine bypass the proxy.
    let (outcome, _) = hello("", &proxy, &[("HTTP_PROXY", "http://127.0.0.1:1")]);
    assert_eq!((outcome.stderr.as_str(), collector.requests().len()), ("", 2));
}

#[tokio::test]
async fn certificates_of_ones_own_are_believed() {
    let authority = authority();
    let port = tls::serve(&authority.server(&["localhost"], false), b"").await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, authority.pem()).unwrap();
    let address = format!("https://localhost:{port}");
    let known = address.clone();
    let (outcome, _) =
        tokio::task::spawn_blocking(move || hello("", &known, &[("SSL_CERT_FILE", file.to_str().unwrap())]))
            .await
            .unwrap();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let (outcome, _) = tokio::task::spawn_blocking(move || hello("", &address, &[])).await.unwrap();
    assert!(outcome.code == 0 && outcome.stderr.contains("did not reach https://localhost"), "{outcome:?}");
}
