//! The reference servers of the Model Context Protocol, installed from npm (skipped without it, see
//! `support/npm_packages.rs`).

use std::{
    net::{SocketAddr, TcpStream},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    KilledOnDrop,
    http::closed_port,
    mcp::{call, code, prompt, results},
    npm_packages::installed,
    wait_until,
};

/// At fixed versions.
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
    let outcome = folder.run("run -f events p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let results = results(&outcome);
    assert_eq!(results[0], "Echo: hello");
    assert!(results[1].contains('5'), "{}", results[1]);
    assert!(results[2].contains("image/png"), "{}", results[2]);
    assert!(results[3].contains("completed"), "{}", results[3]);
    assert!(results[4].contains(r#""result":"written""#), "{}", results[4]);
    assert!(results[5].contains(r#""success":false"#) && results[5].contains("denied"), "{}", results[5]);
    assert!(results[7].contains("lmthing"), "{}", results[7]);
}

#[test]
fn the_reference_server_answers_over_http() {
    let Some(folder) = installed("the_reference_server_answers_over_http", &PACKAGES[..1]) else { return };
    let address = SocketAddr::from(([127, 0, 0, 1], closed_port()));
    let mut command = Command::new("node");
    command.arg("node_modules/@modelcontextprotocol/server-everything/dist/index.js").arg("streamableHttp");
    command.current_dir(folder.path("")).env("PORT", address.port().to_string());
    let _server = KilledOnDrop(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("node"));
    wait_until("the server listens", || TcpStream::connect(address).is_ok());
    let body = format!(
        "const all = defMcp('all', {});\nconst messages = await all.prompt('args-prompt', {{ city: 'Ulm' }});\n\
         console.log(messages[0].content, await all.resource('demo://resource/dynamic/text/1'));\n\
         console.log(await all.resource('demo://resource/dynamic/blob/1'));\n\
         await all.resource('demo://none').catch((error) => console.log(error.message));",
        json!({ "url": format!("http://{address}/mcp") })
    );
    let calls = [
        call("all_get-structured-content", json!({ "location": "New York" })),
        call("all_trigger-long-running-operation", json!({ "duration": 0.3, "steps": 3 })),
        call("all_echo", json!({ "message": 5 })),
    ];
    folder.write("p.lmt.mjs", &prompt(&calls, &body));
    let outcome = folder.run("run -f events p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let results = results(&outcome);
    assert!(results[0].contains("temperature"), "{}", results[0]);
    assert!(results[1].contains("completed"), "{}", results[1]);
    assert!(results[2].contains("Invalid input for tool all_echo"), "{}", results[2]);
    for words in [
        "What's weather in Ulm? Resource 1: This is a plaintext resource",
        "Resource 1: This is a base64 blob",
        "demo://none not found",
    ] {
        assert!(outcome.stderr.contains(words), "{words}: {}", outcome.stderr);
    }
}
