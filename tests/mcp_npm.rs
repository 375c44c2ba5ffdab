//! The reference servers of the Model Context Protocol, installed from npm (or skipped, see `support/npm_packages.rs`).

mod mcp_support;
#[path = "support/npm_packages.rs"]
mod npm_packages;
mod run_support;
#[path = "support/skipped.rs"]
mod skipped;

use mcp_support::{call, code, prompt, results};
use npm_packages::installed;
use serde_json::{Value, json};

/// The packages, at the versions that were tried.
const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-memory",
];

fn server(name: &str, args: &[&str]) -> Value {
    let program = format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js");
    let args: Vec<&str> = std::iter::once(program.as_str()).chain(args.iter().copied()).collect();
    json!({ "command": "node", "args": args })
}

#[test]
fn the_reference_servers_answer() {
    let Some(folder) = installed("the_reference_servers_answer", &PACKAGES) else { return };
    let body = format!(
        "defMcp('all', {});\ndefMcp('files', {}, {{ as: 'functions' }});\ndefMcp('memory', {});",
        server("everything", &[]),
        server("filesystem", &["."]),
        server("memory", &[])
    );
    let calls = [
        call("all_echo", json!({ "message": "hello" })),
        call("all_get-sum", json!({ "a": 2, "b": 3 })),
        call("all_get-tiny-image", json!({})),
        call("all_trigger-long-running-operation", json!({ "duration": 0.3, "steps": 3 })),
        code(
            "await files.write_file({ path: 'a.txt', content: 'written' });\nreturn (await files.read_text_file({ path: 'a.txt' })).content;",
        ),
        code("return await files.read_text_file({ path: '../outside.txt' });"),
        call(
            "memory_create_entities",
            json!({ "entities": [{ "name": "lmthing", "entityType": "program", "observations": ["runs"] }] }),
        ),
        call("memory_read_graph", json!({})),
    ];
    folder.write("p.lmt.mjs", &prompt(&calls, &body));
    let ended = folder.run("run -f events p.lmt.mjs");
    assert_eq!(ended.code, 0, "{ended:?}");
    let results = results(&ended);
    assert_eq!(results[0], "Echo: hello");
    assert!(results[1].contains('5'), "{}", results[1]);
    assert!(results[2].contains("image/png"), "{}", results[2]);
    assert!(results[3].contains("completed"), "{}", results[3]);
    assert!(results[4].contains(r#""result":"written""#), "{}", results[4]);
    assert!(results[5].contains(r#""success":false"#) && results[5].contains("denied"), "{}", results[5]);
    assert!(results[7].contains("lmthing"), "{}", results[7]);
}
