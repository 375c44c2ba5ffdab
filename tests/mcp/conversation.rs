//! Conversations with MCP servers (docs/reference/chat.md): a server runs from turn to turn, and again after `/undo`.

use serde_json::json;

use crate::support::{
    Folder,
    mcp::{call, prompt, server},
    terminal::Terminal,
};

/// A file whose model calls the server and answers, three times, with the server in `mine.json`.
fn folder() -> Folder {
    let turn = |text: &str| {
        [call("t_echo", json!({ "text": text })), json!({ "type": "text", "text": text }), json!({ "type": "finish" })]
    };
    let turns = [turn("one"), turn("two"), turn("three")].concat();
    let folder = Folder::of(&prompt(&turns, "defMcp('t', 'files');").replace("$`go`;", ""));
    folder.write("mine.json", &json!({ "mcpServers": { "files": server(&["log=calls.log"]) } }).to_string());
    folder
}

/// How often the server was called, and how often it was started.
fn calls(folder: &Folder) -> (usize, usize) {
    let log = folder.lines("calls.log");
    let count = |word: &str| log.iter().filter(|line| line.contains(word)).count();
    (count("call echo"), count("initialize"))
}

#[test]
fn a_server_runs_from_turn_to_turn() {
    let folder = folder();
    let outcome = folder.run_with_input(&["chat", "--mcp-config", "mine.json", "p.lmt.mjs"], "a\nb\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "one\ntwo\n"), "{outcome:?}");
    let first = calls(&folder);
    let outcome = folder.run_with_input(&["chat", "--resume"], "c\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "three\n"), "{outcome:?}");
    assert_eq!((first.0, calls(&folder)), (2, (3, 2 * first.1)));
}

#[test]
fn a_server_starts_again_when_a_turn_is_taken_back() {
    let folder = folder();
    let mut command = folder.command("chat --mcp-config mine.json p.lmt.mjs");
    command.env("TERM", "xterm-256color").env("XDG_STATE_HOME", folder.path("state"));
    let mut terminal = Terminal::start(&command, 24, 80);
    terminal.wait_for_prompt();
    for (typed, shown) in [("a", "one"), ("/undo", "taken back"), ("b", "two"), ("c", "three")] {
        terminal.type_text(&format!("{typed}\r"));
        terminal.wait_for(shown);
        terminal.wait_for_prompt();
    }
    terminal.type_text("\x04");
    assert_eq!(terminal.end(), 0);
    assert_eq!(calls(&folder).0, 3);
}
