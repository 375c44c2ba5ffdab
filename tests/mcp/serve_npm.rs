//! `lmthing mcp` with the official client of the Model Context Protocol, installed from npm (skipped without it, see
//! `support/npm_packages.rs`).

use std::process::Command;

use serde_json::{Value, json};

use crate::{
    client::{COUNT, CRASH, ENDLESS, GREET, HttpServer, STEPS, WEATHER, pids},
    support::{Folder, npm_packages::installed, processes::is_alive, wait_until},
};

fn served(test: &str) -> Option<Folder> {
    let folder = installed(test, &["@modelcontextprotocol/sdk"])?;
    folder.write("client.mjs", include_str!("client.mjs"));
    for (name, text) in [
        ("greet", GREET),
        ("weather", WEATHER),
        ("steps", STEPS),
        ("endless", ENDLESS),
        ("crash", CRASH),
        ("count", COUNT),
    ] {
        folder.write(&format!("served/{name}.lmt.mjs"), text);
    }
    Some(folder)
}

/// Runs the client's script and checks its report.
fn try_client(folder: &Folder, place: &Value) {
    let mut client = Command::new("node");
    client.args(["client.mjs", &place.to_string()]).current_dir(folder.path(""));
    let output = client.output().expect("node");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let seen: Value = serde_json::from_slice(&output.stdout).expect("what it has seen");
    assert_eq!(seen["server"], "lmthing");
    assert_eq!(seen["capabilities"], json!({ "tools": { "listChanged": true } }));
    assert_eq!(seen["tools"], json!(["count", "crash", "endless", "greet", "steps", "weather"]));
    assert_eq!(seen["text"]["content"], json!([{ "type": "text", "text": "Hello there" }]));
    assert_eq!(seen["data"]["structuredContent"], json!({ "city": "Rome", "degrees": 21 }));
    assert_eq!(seen["wrong"]["isError"], true);
    assert_eq!(seen["unknown"], -32602);
    let progress = seen["progress"].as_array().expect("a list");
    // This client drops progress that arrives together with the result.
    assert!(progress.len() > 1 && seen["progress"].to_string().contains("look"), "{progress:?}");
    assert_eq!(seen["cancelled"], "cancelled");
    assert_eq!((&seen["many"], &seen["crash"]), (&json!(true), &json!(true)));
    assert_eq!((&seen["late"], &seen["other"]), (&json!("late"), &json!("Hello there")));
    for pid in pids(folder, 1) {
        wait_until("the cancelled run ends", || !is_alive(&pid));
    }
}

#[test]
fn the_official_client_gets_along_over_standard_streams() {
    let Some(folder) = served("the_official_client_gets_along_over_standard_streams") else { return };
    try_client(&folder, &json!({ "command": env!("CARGO_BIN_EXE_lmthing"), "args": ["mcp", "served"] }));
}

#[test]
fn the_official_client_gets_along_over_http() {
    let Some(folder) = served("the_official_client_gets_along_over_http") else { return };
    let mut command = folder.command("mcp --http 127.0.0.1:0 --token-env SERVE_TOKEN served");
    let server = HttpServer::start(command.env("SERVE_TOKEN", "t0ken-value"));
    try_client(&folder, &json!({ "url": server.url, "token": "t0ken-value" }));
}
