//! MCP over HTTP, with requests written by hand.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    super::{BearerToken, HttpServer},
    fake::FakeFiles,
};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

async fn start(files: &Arc<FakeFiles>, token: Option<&str>) -> SocketAddr {
    let token = token.map(|token| BearerToken::new(token).unwrap());
    let addresses = HttpServer::resolve("0", token.as_ref()).await.unwrap();
    let server = HttpServer::bind(&addresses, token).await.unwrap();
    let address = server.url().strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp")).unwrap().parse();
    tokio::spawn(server.serve(files.clone()));
    address.unwrap()
}

async fn open(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let has = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let path = headers.iter().find(|(name, _)| *name == ":path").map_or("/mcp", |(_, path)| path);
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in [
        ("host", address.to_string().as_str()),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ] {
        if !has(name) {
            head += &format!("{name}: {value}\r\n");
        }
    }
    for (name, value) in headers.iter().filter(|(name, _)| !name.starts_with(':')) {
        head += &format!("{name}: {value}\r\n");
    }
    // The server may close the connection before it has read the body.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes()).await;
    stream
}

async fn read(mut stream: TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let whole = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    let _ = whole.expect("an end");
    let text = String::from_utf8(bytes).unwrap();
    (text.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default(), text)
}

async fn send(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    read(open(address, method, headers, body).await).await
}

async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut received = String::new();
    while !received.contains(text) {
        let mut bytes = [0; 4096];
        let count = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut bytes)).await;
        let count = count.unwrap_or_else(|_| panic!("{text} in {received}")).unwrap();
        assert!(count > 0, "{text} in {received}");
        received += &String::from_utf8_lossy(&bytes[..count]);
    }
    received
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

async fn session(address: SocketAddr) -> String {
    let (status, answer) = send(address, "POST", &[], INITIALIZE).await;
    assert_eq!(status, 200, "{answer}");
    let id = header(&answer, "mcp-session-id").expect("a session").to_owned();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(send(address, "POST", &[("mcp-session-id", &id)], initialized).await.0, 202);
    id
}

fn call(id: u64, name: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": { "text": "hi" } } })
        .to_string()
}

fn message(answer: &str) -> Value {
    let data = answer.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().expect("an event");
    serde_json::from_str(data).unwrap()
}

#[tokio::test]
async fn sessions_have_calls_and_end() {
    let address = start(&FakeFiles::new(), None).await;
    let (one, two) = (session(address).await, session(address).await);
    assert_ne!(one, two);
    for id in [&one, &two] {
        let (_, answer) = send(address, "POST", &[("mcp-session-id", id)], &call(1, "echo")).await;
        assert_eq!(message(&answer)["result"]["content"][0]["text"], "hi", "{answer}");
    }
    assert_eq!(send(address, "DELETE", &[("mcp-session-id", &one)], "").await.0, 204);
    assert_eq!(send(address, "POST", &[("mcp-session-id", &one)], &call(2, "echo")).await.0, 404);
    assert_eq!(send(address, "POST", &[("mcp-session-id", &two)], &call(2, "echo")).await.0, 200);
    let (status, answer) = send(address, "POST", &[], &call(1, "echo")).await;
    assert!(status == 400 && answer.contains("Session ID is required"), "{answer}");
}

#[tokio::test]
async fn refused_requests_get_a_reason() {
    let address = start(&FakeFiles::new(), None).await;
    let big = "x".repeat(17 << 20);
    for (headers, body, status, words) in [
        (&[("origin", "https://evil.example")][..], INITIALIZE, 403, "Origin header is not allowed"),
        (&[("origin", "null")], INITIALIZE, 403, "Origin header is not allowed"),
        (&[("origin", "http://localhost.evil.example")], INITIALIZE, 403, "Origin header is not allowed"),
        (&[("origin", "http://localhost:3000")], INITIALIZE, 200, "serverInfo"),
        (&[("origin", "https://[::1]:3000")], INITIALIZE, 200, "serverInfo"),
        (&[("host", "evil.example")], INITIALIZE, 403, "Host header is not allowed"),
        (&[("host", "[::1].evil.example")], INITIALIZE, 403, "Host header is not allowed"),
        (&[("host", "[::1]:8080")], INITIALIZE, 200, "serverInfo"),
        (&[("host", "localhost"), ("host", "evil.example")], INITIALIZE, 400, "more than one Host header"),
        (&[("origin", "http://[::1].evil.example")], INITIALIZE, 403, "Origin header is not allowed"),
        (&[("origin", "http://localhost"), ("origin", "null")], INITIALIZE, 400, "more than one Origin header"),
        (&[(":path", "http://evil.example/mcp"), ("host", "localhost")], INITIALIZE, 400, "name different servers"),
        (&[(":path", "http://localhost:80/mcp"), ("host", "localhost")], INITIALIZE, 200, "serverInfo"),
        (&[("host", "localhost:1")], INITIALIZE, 200, "serverInfo"),
        (&[(":path", "/")], INITIALIZE, 404, "the address ends in /mcp"),
        (&[(":path", "/mcp/")], INITIALIZE, 200, "serverInfo"),
        (&[("accept", "application/json")], INITIALIZE, 406, "must accept both"),
        (&[("content-type", "text/plain")], INITIALIZE, 415, "must be application/json"),
        (&[], &big, 413, "exceeds 16777216 bytes"),
    ] {
        let (answered, answer) = send(address, "POST", headers, body).await;
        assert!(answered == status && answer.contains(words), "{headers:?}: {answer}");
    }
    assert_eq!(send(address, "PUT", &[], INITIALIZE).await.0, 405);
}

#[tokio::test]
async fn requests_need_the_token() {
    let address = start(&FakeFiles::new(), Some("t0ken")).await;
    for (headers, status, words) in [
        (&[][..], 401, "this server takes a token"),
        (&[("authorization", "Bearer wr0ng")], 401, "not the one this server takes"),
        (&[("authorization", "Bearer t0ken")], 200, "serverInfo"),
        (&[("authorization", "Bearer t0ken"), ("host", "prompts.example")], 200, "serverInfo"),
        (&[("authorization", "Bearer t0ken"), ("host", "prompts.example@x")], 400, "has no host"),
        (&[("authorization", "Bearer t0ken"), ("origin", "https://evil.example")], 403, "Origin header is not allowed"),
    ] {
        let (answered, answer) = send(address, "POST", headers, INITIALIZE).await;
        assert!(answered == status && answer.contains(words), "{answer}");
        let wants = header(&answer, "www-authenticate");
        assert_eq!(wants, (status == 401).then_some("Bearer realm=\"lmthing\""), "{answer}");
        assert!(!answer.contains("t0ken"), "{answer}");
    }
}

#[tokio::test]
async fn changes_are_sent_on_the_standalone_stream() {
    let files = FakeFiles::new();
    let address = start(&files, None).await;
    let id = session(address).await;
    let mut stream = open(address, "GET", &[("mcp-session-id", &id)], "").await;
    read_until(&mut stream, "text/event-stream").await;
    files.add("late");
    read_until(&mut stream, "notifications/tools/list_changed").await;
}

#[tokio::test]
async fn a_call_of_a_disconnected_client_is_cancelled() {
    let files = FakeFiles::new();
    let address = start(&files, None).await;
    let (one, two) = (session(address).await, session(address).await);
    let stays = open(address, "POST", &[("mcp-session-id", &one)], &call(1, "slow")).await;
    let goes = open(address, "POST", &[("mcp-session-id", &one)], &call(2, "slow")).await;
    let ends = open(address, "POST", &[("mcp-session-id", &two)], &call(1, "slow")).await;
    files.until_slow(3).await;
    assert_eq!(send(address, "DELETE", &[("mcp-session-id", &two)], "").await.0, 204);
    files.until_slow(2).await;
    drop(goes);
    files.until_slow(1).await;
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(send(address, "POST", &[("mcp-session-id", &one)], cancelled).await.0, 202);
    files.until_slow(0).await;
    drop((stays, ends));
}

#[tokio::test]
async fn a_reconnecting_client_resumes_its_stream() {
    let files = FakeFiles::new();
    let address = start(&files, None).await;
    let id = session(address).await;
    let mut stream = open(address, "POST", &[("mcp-session-id", &id)], &call(1, "slow")).await;
    let received = read_until(&mut stream, "\nid: ").await;
    drop(stream);
    let event =
        header(&received, "id").or_else(|| received.lines().find_map(|line| line.strip_prefix("id: "))).unwrap();
    let again = open(address, "GET", &[("mcp-session-id", &id), ("last-event-id", event)], "").await;
    tokio::time::sleep(Duration::from_millis(3500)).await;
    files.until_slow(1).await;
    drop(again);
    files.until_slow(0).await;
}
