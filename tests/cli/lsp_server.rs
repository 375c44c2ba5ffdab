//! `lmthing lsp`: commands, the life of the server, and messages that are damaged.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[cfg(unix)]
use crate::support::processes;
use crate::support::{Folder, HELLO, LspClient, uri, wait_until};

fn file_names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn commands_run_the_unsaved_text() {
    let folder = Folder::of("export default 1;");
    let mut client = LspClient::ready(&folder, &[]);
    let file = uri(&folder.path("p.lmt.mjs"));
    client.open(&file, &HELLO.replace("model: 'mock'", "model: 'openai:gpt-6.1-sol'"));
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": file } }));
    let titles: Vec<&Value> = lenses.as_array().unwrap().iter().map(|lens| &lens["command"]["title"]).collect();
    assert_eq!(titles, ["run", "run with mock", "test"]);
    assert_eq!(lenses[0]["range"]["start"], json!({ "line": 3, "character": 0 }));
    assert_eq!(lenses[1]["command"]["arguments"], json!([file]));
    let failed = client.command("lmthing.run", &file);
    assert_eq!((&failed["exitCode"], &failed["stdout"]), (&json!(3), &json!("from the script\n")), "{failed}");
    assert!(failed["stderr"].as_str().unwrap().contains("OPENAI_API_KEY"), "{failed}");
    let ran = client.command("lmthing.runMock", &file);
    assert_eq!((&ran["exitCode"], &ran["stdout"]), (&json!(0), &json!("from the script\nHello world\n")), "{ran}");
    let tested = client.command("lmthing.test", &file);
    assert_eq!(tested["exitCode"], 0, "{tested}");
    assert!(tested["stdout"].as_str().unwrap().contains("1 passed"), "{tested}");
    for (command, text, is_external) in
        [("lmthing.showRequest", "user · about 1 token\n  go\n", false), ("lmthing.view", "Hello world", true)]
    {
        let shown = client.command(command, &file);
        assert_eq!(shown["exitCode"], 0, "{shown}");
        let [.., asked] = &client.seen("window/showDocument")[..] else { panic!("{command} shows nothing") };
        assert_eq!(asked["params"]["external"], is_external, "{command}");
        let path = url::Url::parse(asked["params"]["uri"].as_str().unwrap()).unwrap().to_file_path().unwrap();
        assert!(path.starts_with(client.temporary("")), "the test removes {path:?}");
        assert!(std::fs::read_to_string(path).unwrap().contains(text), "{command}");
    }
    assert_eq!(file_names(&folder), ["p.lmt.mjs"]);
}

#[test]
fn the_last_run_of_the_file_is_viewed() {
    let folder = Folder::new(&[("a.lmt.mjs", &HELLO.replace("world", "from a")), ("b.lmt.mjs", HELLO)]);
    let mut client = LspClient::ready(&folder, &[]);
    let missing = client.command("lmthing.view", &uri(&folder.path("b.lmt.mjs")));
    assert_eq!(missing["exitCode"], 1, "{missing}");
    for file in ["a.lmt.mjs", "b.lmt.mjs"] {
        assert_eq!(folder.run(&format!("run --journal {file}")).code, 0);
        folder.write("c.lmt.mjs", HELLO);
        let missing = client.command("lmthing.view", &uri(&folder.path("c.lmt.mjs")));
        let why = missing["stderr"].as_str().unwrap();
        assert!(missing["exitCode"] == 1 && why.contains("there is no run of ") && why.contains("c.lmt.mjs"), "{why}");
        assert!(client.seen("window/showDocument").is_empty());
    }
    // Another file has run since.
    let shown = client.command("lmthing.view", &uri(&folder.path("a.lmt.mjs")));
    assert_eq!(shown["exitCode"], 0, "{shown}");
    let asked = client.seen("window/showDocument")[0]["params"]["uri"].clone();
    let page = url::Url::parse(asked.as_str().unwrap()).unwrap().to_file_path().unwrap();
    assert!(std::fs::read_to_string(page).unwrap().contains("Hello from a"));
}

#[test]
fn a_cancelled_command_ends_its_run() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    let (file, mark) = (uri(&folder.path("p.lmt.mjs")), folder.path("pid"));
    let source = "import { writeFileSync } from 'node:fs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'x' }];
export default async () => { writeFileSync('pid', String(process.pid)); await new Promise((done) => setTimeout(done, 60000)); };
";
    client.open(&file, source);
    let number = client.ask("workspace/executeCommand", json!({ "command": "lmthing.run", "arguments": [file] }));
    wait_until("the run", || std::fs::read_to_string(&mark).is_ok_and(|text| !text.is_empty()));
    let pid = std::fs::read_to_string(&mark).unwrap();
    client.notify("$/cancelRequest", json!({ "id": number }));
    assert_eq!(client.answer(number)["error"]["code"], -32800);
    wait_until("the end of the run", || !std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[cfg(unix)]
#[test]
fn a_server_that_is_ended_leaves_nothing() {
    const SLOW: &str = "import { writeFileSync } from 'node:fs';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'x' }];
export default async () => { writeFileSync('pid', String(process.pid)); await new Promise((done) => setTimeout(done, 60000)); };
";
    let temporary = Folder::new(&[]);
    let variables = [("TMPDIR", &*temporary.path("").to_string_lossy().into_owned())];
    let folder = Folder::of(SLOW);
    let running = || {
        let _ = std::fs::remove_file(folder.path("pid"));
        let mut client = LspClient::ready(&folder, &variables);
        let file = uri(&folder.path("p.lmt.mjs"));
        client.ask("workspace/executeCommand", json!({ "command": "lmthing.run", "arguments": [file] }));
        wait_until("the run", || !folder.lines("pid").is_empty());
        (client, folder.lines("pid")[0].clone())
    };
    for name in ["TERM", "INT", "HUP"] {
        let (mut client, run) = running();
        processes::signal(client.process(), name);
        assert_eq!(client.exit_code(), Some(1), "{name}");
        assert_eq!(file_names(&temporary), Vec::<String>::new(), "{name}");
        wait_until("the end of the run", || !processes::is_alive(&run));
    }
    let (mut killed, run) = running();
    let (_alive, _) = running();
    assert_eq!(file_names(&temporary).len(), 2);
    processes::signal(killed.process(), "KILL");
    killed.exit_code();
    wait_until("the end of its run", || !processes::is_alive(&run));
    let _next = LspClient::ready(&folder, &variables);
    wait_until("that only the folder of the killed server is removed", || file_names(&temporary).len() == 1);
}

#[test]
fn damaged_messages_are_answered_and_skipped() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::start(&folder, &[]);
    let early = client.ask("textDocument/hover", json!({}));
    assert_eq!(client.answer(early)["error"]["code"], -32002);
    for (bytes, code) in [
        ("hello\r\n", -32700),
        ("Content-Length: 999999999999\r\n\r\n", -32700),
        ("Content-Length: 2\r\n\r\n{]", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
    ] {
        client.raw(bytes.as_bytes());
        let answer = client.wait(|message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(answer["error"]["code"], code, "{bytes:?}");
    }
    let result = client.initialize(json!({ "processId": null, "rootUri": null, "capabilities": {} }));
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    for (method, params, code) in [
        ("textDocument/nothing", json!({}), -32601),
        ("textDocument/hover", json!({ "position": 1 }), -32602),
        ("workspace/executeCommand", json!({ "command": "lmthing.fly" }), -32602),
        ("workspace/executeCommand", json!({ "command": "lmthing.run", "arguments": ["file:///a.mjs"] }), -32602),
    ] {
        let number = client.ask(method, params);
        assert_eq!(client.answer(number)["error"]["code"], code, "{method}");
    }
}

#[test]
fn messages_after_a_wrong_length_are_answered() {
    let folder = Folder::new(&[]);
    let mut client = LspClient::ready(&folder, &[]);
    let body = json!({ "jsonrpc": "2.0", "method": "wrong", "params": ["x".repeat(10_000)] }).to_string();
    let size = body.len().cast_signed();
    for length in [-1, 3, size - 1, size + 25, size + 100_000].repeat(2) {
        client.raw(format!("Content-Length: {length}\r\n\r\n{body}").as_bytes());
        for _ in 0..3 {
            let number = client.ask("textDocument/nothing", json!({}));
            assert_eq!(client.answer(number)["error"]["code"], -32601, "{length}");
        }
    }
}

#[test]
fn the_server_ends_with_its_client() {
    let folder = Folder::new(&[]);
    let endless = "for (;;) {}\nexport default () => {};\n";
    let opened = |folder: &Folder, process: u32| {
        let mut client = LspClient::start(folder, &[]);
        client.initialize(json!({ "processId": process, "rootUri": null, "capabilities": {} }));
        client.open(&uri(&folder.path("p.lmt.mjs")), endless);
        client
    };
    let mut client = opened(&folder, std::process::id());
    assert_eq!(client.request("shutdown", Value::Null), Value::Null);
    let late = client.ask("textDocument/hover", json!({}));
    assert_eq!(client.answer(late)["error"]["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), Some(0));
    let mut client = opened(&folder, std::process::id());
    client.notify("exit", Value::Null);
    assert_eq!(client.exit_code(), Some(1));
    let mut client = opened(&folder, std::process::id());
    let begin = Instant::now();
    client.end_input();
    assert_eq!(client.exit_code(), Some(1));
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    // Another server stands for the editor.
    let mut editor = LspClient::start(&folder, &[]);
    let mut client = opened(&folder, editor.process());
    editor.end_input();
    editor.exit_code();
    let begin = Instant::now();
    assert_eq!(client.exit_code(), Some(1));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
