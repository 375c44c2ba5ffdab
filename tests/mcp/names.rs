//! Servers that `defMcp` names (docs/reference/mcp-client.md): `config.mcpServers`, `--mcp-config`, `.mcp.json`.

use serde_json::{Value, json};

use crate::support::{
    Folder,
    mcp::{call, prompt, results, results_of, server, server_file},
};

#[test]
fn servers_are_looked_up_by_name() {
    let servers = |settings: &[&str]| json!({ "mcpServers": { "files": server(settings) } }).to_string();
    let calls = [call("t_environment", json!({ "name": "WHO" }))];
    let named = prompt(&calls, "defMcp('t', 'files');");
    let with_env = |who: &str| servers(&[]).replace(r#""command""#, &format!(r#""env":{{"WHO":"{who}"}},"command""#));
    // The name is not defined anywhere.
    let folder = Folder::of(&named);
    let outcome = folder.run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.stderr.contains("defMcp('t'): there is no server 'files' in config.mcpServers"),
        "{}",
        outcome.stderr
    );
    // A file in the working directory, with a variable in it.
    folder.write(".mcp.json", &with_env("${NAMED:-standard}"));
    assert_eq!(results_of(&folder), ["standard"]);
    // The prompt file's definition overrides that, and the command line overrides both.
    let own = format!(
        "config = {{ model: 'mock', mcpServers: {} }};",
        json!({ "files": { "command": "node", "args": [server_file()], "env": { "WHO": "own" } } })
    );
    folder.write("p.lmt.mjs", &named.replace("config = { model: 'mock' };", &own));
    assert_eq!(results_of(&folder), ["own"]);
    folder.write("mine.json", &with_env("typed"));
    let outcome = folder.run("run -f events --mcp-config mine.json p.lmt.mjs");
    assert_eq!(results(&outcome), ["typed"]);
    let outcome = folder.run("run --mcp-config none.json p.lmt.mjs");
    assert!(outcome.code == 1 && outcome.stderr.contains("none.json cannot be read"), "{outcome:?}");
}

/// A folder whose prompt file prints which server `files` is.
fn who() -> Folder {
    Folder::of(&prompt(&[call("t_environment", json!({ "name": "WHO" }))], "defMcp('t', 'files');"))
}

fn with_env(who: &str) -> Value {
    let mut server = server(&[]);
    server["env"] = json!({ "WHO": who });
    server
}

#[test]
fn files_of_editors_are_read() {
    let folder = who();
    let server = with_env("${env:WHO_IT_IS}, ${env:NOBODY:-nobody}");
    folder.write(
        "mcp.json",
        &format!("\u{feff}// Of an editor.\n{{ \"servers\": {{ \"files\": {server}, }}, \"inputs\": [] }}"),
    );
    let mut command = folder.command("run -f events --mcp-config mcp.json p.lmt.mjs");
    let outcome = command.env("WHO_IT_IS", "somebody").output().expect("a run").into();
    assert_eq!(results(&outcome), ["somebody, nobody"]);
    folder.write("mcp.json", &json!({ "servers": { "files": with_env("${input:key}") } }).to_string());
    let outcome = folder.run("run --mcp-config mcp.json p.lmt.mjs");
    let words = "mcp.json: servers.files has ${input:key}, which only an editor can ask for";
    assert!(outcome.code == 1 && outcome.stderr.contains(words), "{outcome:?}");
}

#[test]
fn names_that_there_are_stand_in_the_message() {
    let folder = who();
    folder.write(".mcp.json", &json!({ "mcpServers": { "fils": server(&[]), "other": server(&[]) } }).to_string());
    let outcome = folder.run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("or .mcp.json; there are: fils, other"), "{}", outcome.stderr);
}

#[test]
fn a_folder_of_a_server_counts_from_where_the_run_is() {
    let folder = who();
    let source = std::fs::read_to_string(server_file()).expect("the server");
    folder.write("servers/server.mjs", &source);
    let server = json!({ "command": "node", "args": ["server.mjs"], "cwd": "servers", "env": { "WHO": "it" } });
    folder.write("servers/mcp.json", &json!({ "mcpServers": { "files": server } }).to_string());
    let outcome = folder.run("run -f events --mcp-config servers/mcp.json p.lmt.mjs");
    assert_eq!(results(&outcome), ["it"], "{}", outcome.stderr);
}

#[test]
fn tests_may_be_given_a_file_of_servers() {
    let folder = who();
    folder.write("mine.json", &json!({ "mcpServers": { "files": with_env("of the tests") } }).to_string());
    folder.write(
        "a.test.lmt.mjs",
        "import { expect, run, test } from 'lmthing/test';
test('who', async () => { expect((await run('./p.lmt.mjs')).toolCalls[0].output).toBe('of the tests'); });",
    );
    let outcome = folder.run("test --mcp-config mine.json a.test.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(folder.run("test a.test.lmt.mjs").code, 1);
}
