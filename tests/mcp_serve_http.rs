//! `lmthing mcp --http`, through the binary (docs/mcp.md, "As a server").

mod mcp_serve_support;
mod mcp_support;
mod run_support;

use mcp_serve_support::{ENDLESS, GREET, HttpServer, hello, pids};
use mcp_support::{call, prompt, results_of, soon};
use run_support::{
    Folder, Running,
    processes::{is_alive, signal},
};
use serde_json::json;

fn initialize() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-06-18") }).to_string()
}

#[test]
fn it_says_where_it_listens_and_who_may_ask() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let server = HttpServer::start(&mut folder.command("mcp --http 127.0.0.1:0 -q ."));
    assert!(server.url.starts_with("http://127.0.0.1:") && server.url.ends_with("/mcp"), "{}", server.url);
    for (headers, status, words) in [
        (&[][..], 200, "lmthing"),
        (&[("origin", "https://evil.example")], 403, "Origin header is not allowed"),
        (&[("origin", "http://localhost:5173")], 200, "lmthing"),
    ] {
        let (answered, answer) = server.send("POST", headers, &initialize());
        assert!(answered == status && answer.contains(words), "{answer}");
    }
    let (status, answer) = server.send("GET", &[("mcp-session-id", "none")], "");
    assert!(status == 404 && answer.contains("Session not found"), "{answer}");
}

#[test]
fn a_token_is_taken_from_a_variable_and_kept_from_prompt_files() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'told nothing' }];
export default async ({ $ }) => {
  if ('SERVE_TOKEN' in process.env) throw new Error('it is there');
  $`go`;
};
";
    let folder = Folder::new(&[("p.lmt.mjs", source)]);
    let mut command = folder.command("mcp --http 0 --token-env SERVE_TOKEN p.lmt.mjs");
    let server = HttpServer::start(command.env("SERVE_TOKEN", "t0ken-value"));
    assert!(!server.said.contains("t0ken-value"), "{}", server.said);
    let (status, answer) = server.send("POST", &[], &initialize());
    assert!(status == 401 && answer.contains("www-authenticate: Bearer"), "{answer}");
    assert_eq!(server.send("POST", &[("authorization", "Bearer wrong")], &initialize()).0, 401);
    let client = prompt(
        &[call("s_p", json!({}))],
        &format!("defMcp('s', {{ url: {}, headers: {{ Authorization: 'Bearer t0ken-value' }} }});", json!(server.url)),
    );
    assert_eq!(results_of(&Folder::of(&client)), ["told nothing"]);
    for value in ["", "two words"] {
        let mut command = folder.command("mcp --http 0 --token-env SERVE_TOKEN p.lmt.mjs");
        let ended = run_support::Ended::from(command.env("SERVE_TOKEN", value).output().unwrap());
        assert!(ended.code == 2 && ended.stderr.contains("--token-env SERVE_TOKEN"), "{ended:?}");
        assert!(!ended.stderr.contains("two words"), "{ended:?}");
    }
}

/// A restricted file sees neither the file nor what is in it.
#[test]
fn a_token_from_a_file_is_kept_from_restricted_prompt_files() {
    let source = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'told nothing' }];
export default async ({ $ }) => {
  if (process.env.TONE !== 'soft' || process.env.SERVE_TOKEN) throw new Error('it is there');
  $`go`;
};
";
    let folder = Folder::new(&[("p.lmt.mjs", source), (".env", "SERVE_TOKEN=t0ken-value\nTONE=soft\n")]);
    let mut command = folder.command("mcp --http 0 --token-env SERVE_TOKEN --allow-env p.lmt.mjs");
    let server = HttpServer::start(command.env_remove("SERVE_TOKEN"));
    let client = prompt(
        &[call("s_p", json!({}))],
        &format!("defMcp('s', {{ url: {}, headers: {{ Authorization: 'Bearer t0ken-value' }} }});", json!(server.url)),
    );
    assert_eq!(results_of(&Folder::of(&client)), ["told nothing"]);
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let ended = folder.run(&format!("mcp --http {address} ."));
    assert!(ended.code == 1 && ended.stderr.contains(&format!("cannot listen on {address}")), "{ended:?}");
}

/// A client that has called a prompt file which does not end, with its folder, and the process of the call.
fn endless_call(folder: &Folder, server: &HttpServer) -> (Running, Folder, String) {
    let source = prompt(&[call("s_endless", json!({}))], &format!("defMcp('s', {{ url: {} }});", json!(server.url)));
    let own = Folder::of(&source);
    (own.start("run p.lmt.mjs"), own, pids(folder, 1).remove(0))
}

#[cfg(unix)]
#[test]
fn a_signal_ends_server_and_calls() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS)]);
    let server = HttpServer::start(&mut folder.command("mcp --http 0 ."));
    let (_client, _folder, pid) = endless_call(&folder, &server);
    signal(server.id(), "TERM");
    soon("the run ends", || !is_alive(&pid));
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_is_killed_leaves_no_call_behind() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS), ("greet.lmt.mjs", GREET)]);
    let server = HttpServer::start(&mut folder.command("mcp --http 0 ."));
    let (client, _folder, pid) = endless_call(&folder, &server);
    client.signal("KILL");
    soon("the run ends", || !is_alive(&pid));
    let others = prompt(
        &[call("s_greet", json!({ "name": "Ada" }))],
        &format!("defMcp('s', {{ url: {} }});", json!(server.url)),
    );
    assert_eq!(results_of(&Folder::of(&others)), ["Hello there"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_address_that_is_told_is_let_in() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    for address in ["127.0.0.2:0", "[::ffff:127.0.0.1]:0"] {
        let server = HttpServer::start(&mut folder.command(&format!("mcp --http {address} .")));
        let origin = server.url.strip_suffix("/mcp").unwrap();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-11-25") });
        let (status, answer) = server.send("POST", &[("origin", origin)], &body.to_string());
        assert_eq!(status, 200, "{address}: {answer}");
        let (status, answer) = server.send("POST", &[], "{\"jsonrpc\":");
        assert!(status == 400 && answer.contains("-32700"), "{address}: {answer}");
    }
}
