//! MCP over two streams.

use std::sync::{Arc, atomic::Ordering};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, duplex},
    task::JoinHandle,
};

use super::{super::serve_stdio, fake::FakeFiles};

struct Client {
    to: DuplexStream,
    from: Lines<BufReader<DuplexStream>>,
    server: JoinHandle<()>,
}

impl Client {
    fn start(files: &Arc<FakeFiles>) -> Self {
        let ((to, read), (write, from)) = (duplex(1 << 20), duplex(1 << 20));
        let server = tokio::spawn(serve_stdio(files.clone(), read, write));
        Client { to, from: BufReader::new(from).lines(), server }
    }

    async fn connected(files: &Arc<FakeFiles>) -> Self {
        let mut client = Client::start(files);
        client.ask(0, "initialize", hello("2025-06-18")).await;
        client.send_message(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn write(&mut self, line: &str) {
        self.to.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn send_message(&mut self, message: Value) {
        self.write(&message.to_string()).await;
    }

    async fn request(&mut self, id: u64, method: &str, params: Value) {
        self.send_message(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    async fn call(&mut self, id: u64, name: &str, arguments: Value) {
        self.request(id, "tools/call", json!({ "name": name, "arguments": arguments })).await;
    }

    async fn receive(&mut self) -> Value {
        let line = tokio::time::timeout(std::time::Duration::from_secs(20), self.from.next_line()).await;
        serde_json::from_str(&line.expect("an answer").unwrap().expect("a line")).unwrap()
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.request(id, method, params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }
}

fn hello(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } })
}

#[tokio::test]
async fn versions_are_negotiated_and_capabilities_listed() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::start(&FakeFiles::new());
        let result = client.ask(1, "initialize", hello(asked)).await["result"].clone();
        assert_eq!(result["protocolVersion"], answered, "{asked}");
        assert_eq!(result["serverInfo"], json!({ "name": "lmthing", "version": env!("CARGO_PKG_VERSION") }));
        assert_eq!(result["capabilities"], json!({ "tools": { "listChanged": true } }));
    }
}

#[tokio::test]
async fn tools_are_files_with_their_schemas() {
    let mut client = Client::connected(&FakeFiles::new()).await;
    let tools = client.ask(1, "tools/list", json!({})).await["result"]["tools"].clone();
    let echo = json!({
        "name": "echo",
        "description": "Does echo",
        "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
    });
    assert_eq!(tools[0], echo);
    assert_eq!(tools[5]["outputSchema"]["properties"]["length"], json!({ "type": "number" }));
}

#[tokio::test]
async fn calls_return_text_data_or_an_error() {
    let mut client = Client::connected(&FakeFiles::new()).await;
    let mut result = async |name: &str| {
        client.call(1, name, json!({ "text": "four" })).await;
        let mut answer = client.receive().await;
        answer["result"].take()
    };
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    assert_eq!(result("echo").await, json!({ "content": text("four"), "isError": false }));
    assert_eq!(result("list").await, json!({ "content": text("[1,2]"), "isError": false }));
    let data = json!({ "content": text(r#"{"length":4}"#), "structuredContent": { "length": 4 }, "isError": false });
    assert_eq!(result("data").await, data);
    let failed = json!({ "content": text("input.text: expected a longer one"), "isError": true });
    assert_eq!(result("fail").await, failed);
}

#[tokio::test]
async fn invalid_requests_are_errors() {
    let mut client = Client::connected(&FakeFiles::new()).await;
    for (method, params, code, message) in [
        ("tools/call", json!({ "name": "ecko" }), -32602, r#"there is no tool "ecko"; did you mean "echo"?"#),
        ("tools/call", json!({ "name": "x".repeat(20) }), -32602, r#"there is no tool "xxxxxxxxxxxxxxxxxxxx""#),
        (
            "tools/call",
            json!({ "name": "echo", "arguments": [1] }),
            -32602,
            "the parameters of tools/call are wrong: expected {name: string, arguments?: object}",
        ),
        ("resources/list", json!({}), -32601, r#"there is no method "resources/list": this server has tools alone"#),
        ("no/such", json!({}), -32601, r#"there is no method "no/such""#),
    ] {
        let error = client.ask(1, method, params).await["error"].clone();
        assert_eq!((error["code"].as_i64(), error["message"].as_str()), (Some(code), Some(message)), "{method}");
    }
    let answer = client.ask(2, "tools/call", json!({ "name": "echo" })).await;
    assert_eq!(answer["result"]["content"][0]["text"], "");
}

#[tokio::test]
async fn progress_is_sent_only_if_requested() {
    let mut client = Client::connected(&FakeFiles::new()).await;
    client.call(1, "tell", json!({})).await;
    assert_eq!(client.receive().await["result"]["content"][0]["text"], "told");
    client.request(2, "tools/call", json!({ "name": "tell", "_meta": { "progressToken": "t" } })).await;
    for count in 1..=3 {
        let notification = client.receive().await;
        assert_eq!(notification["method"], "notifications/progress");
        let params = json!({ "progressToken": "t", "progress": f64::from(count), "message": format!("step {count}") });
        assert_eq!(notification["params"], params);
    }
    assert_eq!(client.receive().await["id"], 2);
}

#[tokio::test]
async fn a_cancelled_call_ends_and_is_not_answered() {
    let files = FakeFiles::new();
    let mut client = Client::connected(&files).await;
    client.call(1, "slow", json!({})).await;
    client.call(2, "slow", json!({})).await;
    files.until_slow(2).await;
    let cancelled = json!({ "requestId": 1, "reason": "never mind" });
    client.send_message(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled })).await;
    files.until_slow(1).await;
    client.ask(3, "ping", json!({})).await;
}

#[tokio::test]
async fn changes_are_sent_after_the_handshake() {
    let files = FakeFiles::new();
    let mut client = Client::connected(&files).await;
    client.ask(1, "ping", json!({})).await;
    files.add("late");
    assert_eq!(client.receive().await, json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
    let tools = client.ask(2, "tools/list", json!({})).await["result"]["tools"].clone();
    assert_eq!(tools[6]["name"], "late");
}

#[tokio::test]
async fn invalid_messages_are_ignored_or_refused() {
    let mut client = Client::start(&FakeFiles::new());
    client.write("hello?").await;
    client.write("").await;
    client.write("{\"jsonrpc\":").await;
    assert_eq!(client.receive().await["error"]["code"], -32700);
    client.write("\u{feff}\u{0}").await;
    client.send_message(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    client.send_message(json!({ "jsonrpc": "2.0", "id": 7, "result": {} })).await;
    client.ask(1, "ping", json!({})).await;
    client.ask(2, "initialize", hello("2025-06-18")).await;
    client.write("{]").await;
    assert_eq!(client.receive().await["error"]["code"], -32700);
    client.send_message(json!({ "jsonrpc": "2.0", "method": "notifications/odd", "params": { "a": 1 } })).await;
    client.write("[1]").await;
    assert_eq!(client.receive().await["error"]["code"], -32600);
    assert_eq!(client.ask(3, "tools/list", json!({})).await["result"]["tools"][0]["name"], "echo");
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        let error = &client.ask(4, method, json!({})).await["error"];
        assert_eq!(error["code"], -32601);
        assert!(error["message"].as_str().unwrap().contains("tools alone"), "{error}");
    }
}

#[tokio::test]
async fn the_server_ends_with_its_client_and_ends_its_calls() {
    let files = FakeFiles::new();
    let mut client = Client::connected(&files).await;
    client.call(1, "slow", json!({})).await;
    files.until_slow(1).await;
    let Client { to, from, server } = client;
    drop(to);
    server.await.unwrap();
    files.until_slow(0).await;
    drop(from);
    // The same before the handshake.
    let Client { to, from, server } = Client::start(&files);
    drop(to);
    server.await.unwrap();
    drop(from);
}

#[tokio::test]
async fn the_last_request_before_the_end_of_input_is_answered() {
    let mut client = Client::connected(&FakeFiles::new()).await;
    client.request(1, "tools/call", json!({ "name": "tell", "_meta": { "progressToken": "t" } })).await;
    client.to.shutdown().await.unwrap();
    for _ in 0..3 {
        assert_eq!(client.receive().await["method"], "notifications/progress");
    }
    assert_eq!(client.receive().await["id"], 1);
    client.server.await.unwrap();
}

#[tokio::test]
async fn the_server_ends_when_its_output_is_closed() {
    let files = FakeFiles::new();
    let mut client = Client::connected(&files).await;
    client.call(1, "slow", json!({})).await;
    files.until_slow(1).await;
    client.request(2, "ping", json!({})).await;
    client.receive().await;
    let Client { mut to, from, server } = client;
    drop(from);
    to.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n").await.unwrap();
    server.await.unwrap();
    files.until_slow(0).await;
    assert_eq!(files.slow.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_protocol_version_without_a_handshake_is_supported() {
    let files = FakeFiles::new();
    let mut client = Client::start(&files);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let result = client.ask(1, "server/discover", json!({ "_meta": meta })).await["result"].clone();
    assert_eq!(result["capabilities"], json!({ "tools": { "listChanged": true } }));
    let params = json!({ "name": "data", "arguments": { "text": "four" }, "_meta": meta });
    let result = client.ask(2, "tools/call", params).await["result"].clone();
    assert_eq!(result["structuredContent"], json!({ "length": 4 }));
    let filter = json!({ "notifications": { "toolsListChanged": true }, "_meta": meta });
    client.request(3, "subscriptions/listen", filter).await;
    assert_eq!(client.receive().await["method"], "notifications/subscriptions/acknowledged");
    files.add("late");
    assert_eq!(client.receive().await["method"], "notifications/tools/list_changed");
}
