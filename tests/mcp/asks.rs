//! Requests and notifications that MCP servers send (docs/reference/mcp-client.md).

use serde_json::{Value, json};

use crate::support::mcp::{HttpServer, call, code, folder, results_of};

#[test]
fn requests_of_a_server_are_answered_or_refused() {
    let methods = ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "nonsense"];
    let requests = |method: &&str| {
        let params = json!({ "messages": [], "maxTokens": 1, "message": "who?", "requestedSchema": { "type": "object", "properties": {} } });
        call("t_ask", json!({ "method": method, "params": params }))
    };
    let calls: Vec<Value> = methods.iter().map(requests).collect();
    let http = HttpServer::start(&["sse"]);
    for folder in [folder(&[], "{}", &calls), http.folder(json!({}), &calls)] {
        let results = results_of(&folder);
        assert_eq!(results[..2], ["{}", r#"{"roots":[]}"#]);
        assert!(results[2].contains("-32601"), "{}", results[2]);
        assert_eq!(results[3], r#"{"action":"decline"}"#);
        assert!(results[4].contains("-32601"), "{}", results[4]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn progress_appears_on_the_progress_line() {
    for (options, calls, name) in [
        ("{}", [call("t_slow", json!({ "ms": 2400 }))], "t_slow"),
        ("{ as: 'functions' }", [code("return await t.slow({ ms: 2400 });")], "runToolCode"),
    ] {
        let outcome = folder(&[], options, &calls).start_on_terminal("run p.lmt.mjs", 80).end();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert!(outcome.stdout.contains(&format!("step 0 · {name} (2/3 step 2) · ")), "{outcome:?}");
    }
}
