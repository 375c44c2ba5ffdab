//! An OpenTelemetry collector on 127.0.0.1, and runs that export to it.

use std::{
    collections::BTreeMap,
    io::{self, BufReader, Read, Write},
    net::TcpStream,
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse},
    common::v1::{AnyValue, KeyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message;
use serde_json::{Value as Json, json};

use crate::support::{
    Folder, Outcome,
    http::{Request, closed_port, serve_connections},
};

/// How the collector answers.
#[derive(Clone, Copy)]
pub(crate) enum Answers {
    Well,
    Status(u16),
    /// 503 for the first request.
    WellLater,
    /// Never answers.
    Never,
    /// Rejects one span.
    Partly,
}

/// A request with spans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Export {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: ExportTraceServiceRequest,
}

pub(crate) struct Collector {
    port: u16,
    requests: Arc<Mutex<Vec<Export>>>,
}

impl Collector {
    pub(crate) fn new(answers: Answers) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stored = requests.clone();
        let port = serve_connections(move |stream| serve(&stream, answers, &stored));
        Collector { port, requests }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Export> {
        self.requests.lock().unwrap().clone()
    }

    /// All spans, ordered by start.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.requests();
        let resources = requests.iter().flat_map(|request| &request.body.resource_spans);
        let scopes = resources.flat_map(|resource| &resource.scope_spans);
        let mut spans: Vec<Span> = scopes.flat_map(|scope| scope.spans.iter().cloned()).collect();
        spans.sort_by_key(|span| span.start_time_unix_nano);
        spans
    }

    /// The only span with this name.
    pub(crate) fn span(&self, name: &str) -> Span {
        let spans = self.spans();
        let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
        match found[..] {
            [span] => span.clone(),
            _ => panic!("{} spans are called {name}: {:?}", found.len(), tree(&spans)),
        }
    }

    /// The resource's attributes.
    pub(crate) fn resource(&self) -> Json {
        let requests = self.requests();
        let resource = requests[0].body.resource_spans[0].resource.clone().unwrap();
        attributes(&resource.attributes)
    }
}

/// An address where nothing listens.
pub(crate) fn closed_address() -> String {
    format!("http://127.0.0.1:{}", closed_port())
}

fn serve(stream: &TcpStream, answers: Answers, stored: &Mutex<Vec<Export>>) -> io::Result<()> {
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    while let Some(request) = Request::read(&mut reader)? {
        let so_far = {
            let mut stored = stored.lock().unwrap();
            stored.push(Export::of(request));
            stored.len()
        };
        let (status, answer) = match answers {
            Answers::Well => (200, Vec::new()),
            Answers::WellLater => (if so_far == 1 { 503 } else { 200 }, Vec::new()),
            Answers::Status(status) => (status, b"token-of-the-header-0123456789abcdef".to_vec()),
            Answers::Partly => {
                let partial = ExportTracePartialSuccess { rejected_spans: 1, error_message: "too old".into() };
                (200, ExportTraceServiceResponse { partial_success: Some(partial) }.encode_to_vec())
            }
            Answers::Never => {
                thread::sleep(Duration::from_secs(60));
                break;
            }
        };
        let head = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: {}\r\n\r\n", answer.len());
        writer.write_all(head.as_bytes())?;
        writer.write_all(&answer)?;
    }
    Ok(())
}

impl Export {
    fn of(request: Request) -> Self {
        let mut body = request.body;
        if request.headers.get("content-encoding").is_some_and(|coding| coding == "gzip") {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut text).unwrap();
            body = text;
        }
        let body = ExportTraceServiceRequest::decode(&body[..]).unwrap();
        Export { path: request.path, headers: request.headers, body }
    }
}

/// Attributes as JSON; string values that hold JSON are parsed.
pub(crate) fn attributes(list: &[KeyValue]) -> Json {
    let mut object = serde_json::Map::new();
    for attribute in list {
        let twice = object.insert(attribute.key.clone(), json(attribute.value.as_ref()));
        assert!(twice.is_none(), "{} is there twice", attribute.key);
    }
    object.into()
}

fn json(value: Option<&AnyValue>) -> Json {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => match serde_json::from_str::<Json>(text) {
            Ok(value) if value.is_array() || value.is_object() => value,
            _ => json!(text),
        },
        Some(Value::BoolValue(flag)) => json!(flag),
        Some(Value::IntValue(number)) => json!(number),
        Some(Value::DoubleValue(number)) => json!(number),
        Some(Value::ArrayValue(array)) => array.values.iter().map(|value| json(Some(value))).collect(),
        other => panic!("no attribute of ours: {other:?}"),
    }
}

pub(crate) fn attribute(span: &Span, name: &str) -> Json {
    attributes(&span.attributes).get(name).cloned().unwrap_or_default()
}

/// The spans as lines indented below their parents, siblings ordered by start.
pub(crate) fn tree(spans: &[Span]) -> Vec<String> {
    let is_known = |id: &[u8]| spans.iter().any(|span| span.span_id == id);
    let mut lines = Vec::new();
    for span in spans.iter().filter(|span| !is_known(&span.parent_span_id)) {
        add_lines(spans, span, 0, &mut lines);
    }
    lines
}

fn add_lines(spans: &[Span], span: &Span, depth: usize, lines: &mut Vec<String>) {
    lines.push(format!("{}{}", "  ".repeat(depth), span.name));
    for below in spans.iter().filter(|other| other.parent_span_id == span.span_id) {
        let is_within = below.start_time_unix_nano >= span.start_time_unix_nano
            && below.end_time_unix_nano <= span.end_time_unix_nano
            && below.start_time_unix_nano <= below.end_time_unix_nano;
        assert!(is_within, "{} is not within {}", below.name, span.name);
        add_lines(spans, below, depth + 1, lines);
    }
}

/// A command that exports its spans to `address`, without the OpenTelemetry variables of the tests' own environment.
pub(crate) fn command(folder: &Folder, arguments: &str, address: &str) -> Command {
    let mut command = folder.command(arguments);
    let inherited = std::env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| name.to_string_lossy().starts_with("OTEL_") || name == "TRACEPARENT") {
        command.env_remove(name);
    }
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address);
    command
}

/// Runs a prompt file with a collector that accepts everything.
pub(crate) fn exported(source: &str, arguments: &str, variables: &[(&str, &str)]) -> (Outcome, Collector) {
    let folder = Folder::of(source);
    let collector = Collector::new(Answers::Well);
    let mut command = command(&folder, &format!("run {arguments} p.lmt.mjs"), &collector.address());
    let outcome = Outcome::of(command.envs(variables.iter().copied()));
    (outcome, collector)
}

/// The events of a span, by name, with their attributes.
pub(crate) fn events(span: &Span) -> Vec<(String, Json)> {
    span.events.iter().map(|event| (event.name.clone(), attributes(&event.attributes))).collect()
}

/// The error type and message of a span, if it failed.
pub(crate) fn failure(span: &Span) -> Option<(String, String)> {
    let status = span.status.clone().unwrap();
    let kind = attribute(span, "error.type");
    assert_eq!(status.code == 2, kind.is_string(), "{}: {status:?}, {kind}", span.name);
    kind.as_str().map(|kind| (kind.to_owned(), status.message))
}
