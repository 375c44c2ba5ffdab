//! `lmthing mcp --http` (docs/reference/mcp.md).

use std::io::Read;

use serde_json::json;

use crate::{
    client::{ENDLESS, GREET, HttpServer, hello, pids},
    support::{
        Folder, Outcome, Running,
        mcp::{call, prompt, results_of},
        processes::{is_alive, signal},
        wait_until,
    },
};

fn initialize() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("2025-06-18") }).to_string()
}

#[test]
fn the_address_and_the_access_rules_are_printed() {
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
fn a_token_from_a_variable_is_hidden_from_prompt_files() {
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
    assert!(!server.printed.contains("t0ken-value"), "{}", server.printed);
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
        let outcome = Outcome::of(command.env("SERVE_TOKEN", value));
        assert!(outcome.code == 2 && outcome.stderr.contains("--token-env SERVE_TOKEN"), "{outcome:?}");
        assert!(!outcome.stderr.contains("two words"), "{outcome:?}");
    }
}

/// A restricted file can read neither the token file nor its content.
#[test]
fn a_token_from_a_file_is_hidden_from_restricted_prompt_files() {
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

/// The response to a request with this head, and a body that initializes.
fn response_to(server: &HttpServer, head: &str) -> (u16, String) {
    let body = initialize();
    let accepts = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\nconnection: close";
    let mut stream = server.open(&format!("{head}\r\n{accepts}\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default(), answer)
}

#[test]
fn only_requests_by_a_name_of_this_machine_are_answered() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let server = HttpServer::start(&mut folder.command("mcp --http 127.0.0.1:0 -q ."));
    let address = server.address();
    for (head, status) in [
        (format!("POST /mcp HTTP/1.1\r\nhost: {address}"), 200),
        ("POST /mcp HTTP/1.1\r\nhost: localhost".to_owned(), 200),
        ("POST /mcp HTTP/1.1\r\nhost: [::1]:80".to_owned(), 200),
        (format!("POST http://{address}/mcp HTTP/1.1\r\nhost: {address}"), 200),
        ("POST /mcp HTTP/1.1\r\nhost: evil.example".to_owned(), 403),
        ("POST /mcp HTTP/1.1\r\nhost: [::1].evil.example".to_owned(), 403),
        ("POST /mcp HTTP/1.1\r\nhost: [::1]evil.example:80".to_owned(), 403),
        ("POST /mcp HTTP/1.1\r\nhost: localhost:80@evil.example".to_owned(), 403),
        ("POST /mcp HTTP/1.1\r\nhost: 127.0.0.1.evil.example".to_owned(), 403),
        ("POST /mcp HTTP/1.1\r\nhost: localhost, evil.example".to_owned(), 403),
        ("POST /mcp HTTP/1.1\r\nhost: localhost\r\nhost: evil.example".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nhost: localhost\r\nhost: localhost".to_owned(), 400),
        ("POST /mcp HTTP/1.1".to_owned(), 400),
        ("POST /mcp HTTP/1.1\r\nhost: localhost\r\norigin: http://[::1].evil.example".to_owned(), 403),
        (
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\norigin: http://a.example".to_owned(),
            400,
        ),
        ("POST http://evil.example/mcp HTTP/1.1\r\nhost: localhost".to_owned(), 400),
        ("POST http://localhost/mcp HTTP/1.1\r\nhost: evil.example".to_owned(), 403),
        ("POST http://localhost:81/mcp HTTP/1.1\r\nhost: localhost".to_owned(), 400),
    ] {
        let (answered, answer) = response_to(&server, &head);
        assert_eq!(answered, status, "{head}: {answer}");
    }
}

#[test]
fn bodies_that_come_at_the_same_time_share_a_limit() {
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let server = HttpServer::start(&mut folder.command("mcp --http 127.0.0.1:0 -q ."));
    let head = |length: usize| {
        format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        )
    };
    let most = 16 << 20;
    let unfinished = head(most) + &" ".repeat(most - 1);
    let held: Vec<_> = (0..4).map(|_| server.open(&unfinished)).collect();
    let is_busy = || server.send("POST", &[], &initialize()).0 == 503;
    wait_until("a body too many", is_busy);
    let mut larger = server.open(&head(most + 1));
    let mut answer = [0; 12];
    larger.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    drop(held);
    wait_until("room again", || !is_busy());
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let folder = Folder::new(&[("greet.lmt.mjs", GREET)]);
    let outcome = folder.run(&format!("mcp --http {address} ."));
    assert!(outcome.code == 1 && outcome.stderr.contains(&format!("cannot listen on {address}")), "{outcome:?}");
}

/// A client that has called a prompt file which never ends, its folder, and the process of the call.
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
    wait_until("the run ends", || !is_alive(&pid));
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_client_leaves_no_call_running() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS), ("greet.lmt.mjs", GREET)]);
    let server = HttpServer::start(&mut folder.command("mcp --http 0 ."));
    let (client, _folder, pid) = endless_call(&folder, &server);
    client.signal("KILL");
    wait_until("the run ends", || !is_alive(&pid));
    let others = prompt(
        &[call("s_greet", json!({ "name": "Ada" }))],
        &format!("defMcp('s', {{ url: {} }});", json!(server.url)),
    );
    assert_eq!(results_of(&Folder::of(&others)), ["Hello there"]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_advertised_host_is_accepted() {
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
