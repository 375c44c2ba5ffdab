//! Calls of served prompt files: results and failures, however the run ends.

use std::{
    io::Read,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    client::{Client, ENDLESS, hello, pids},
    served::{failure, running, saying, tool},
    support::{
        Folder,
        processes::{is_alive, signal},
        wait_until,
    },
};

#[test]
fn a_failed_run_returns_its_error() {
    let output = "export const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };";
    let bodies = [
        ("throws", "", "throw new Error(`with ${process.env.OPENAI_API_KEY}`);", "with [redacted]"),
        ("named", "", "throw Object.assign(new Error('no'), { name: process.env.OPENAI_API_KEY });", "[redacted]: no"),
        ("exits", "", "process.exit(3);", "exit code 3"),
        ("exits0", output, "process.exit(0);", "the run ended before it had an output"),
        ("aborts", "", "process.abort();", "its process was ended by SIGABRT (it crashed)"),
        ("deep", "", "const deep = () => deep() + 1; deep();", "Maximum call stack size exceeded"),
        ("mismatch", output, "", "the answer does not match output"),
        ("forgotten", "", "await new Promise(() => {});", "never"),
    ];
    let folder = Folder::new(&[]);
    for (name, lines, body, _) in bodies {
        folder.write(&format!("{name}.lmt.mjs"), &running(lines, body));
    }
    let mut command = folder.command("mcp .");
    let mut client = Client::start(command.env("OPENAI_API_KEY", "sk-not-for-anybody-to-see"));
    client.ask("initialize", crate::client::hello("2025-06-18"));
    for (name, _, _, words) in bodies {
        let why = failure(&mut client, name, json!({}));
        assert!(why.contains(words), "{name}: {why}");
        assert!(!why.contains("Usage:") && !why.contains("sk-not"), "{name}: {why}");
    }
    let printed = client.close().stderr;
    assert!(printed.contains("[deep] Error: RangeError") && !printed.contains("sk-not"), "{printed}");
}

#[test]
fn a_call_that_is_stuck_in_native_work_is_answered_at_its_limit() {
    let body = "process.getBuiltinModule('node:crypto').pbkdf2Sync('a', 'b', 2e9, 64, 'sha512');";
    let folder = Folder::new(&[("stuck.lmt.mjs", &running("", body))]);
    let mut client = Client::connect(&folder, "mcp --timeout 1s .");
    let began = Instant::now();
    let why = failure(&mut client, "stuck", json!({}));
    assert!(why.contains("time limit of 1 s"), "{why}");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    client.close();
}

#[test]
fn arguments_that_do_not_fit_are_named_by_their_properties() {
    let lines = "import { z } from 'zod';\n\
                 export const input = z.object({ day: z.number().max(7), at: z.date().optional(),\n\
                 rows: z.array(z.object({ n: z.number() })).default([]), word: z.string().refine((word) => word !== 'no', 'is no').default('a') });";
    let folder = Folder::new(&[("days.lmt.mjs", &running(lines, "")), ("none.lmt.mjs", &saying("none"))]);
    let mut client = Client::connect(&folder, "mcp .");
    for (arguments, words) in [
        (json!({}), "missing required input: day (number)"),
        (json!({ "day": "one" }), "day: expected number, got 'one'"),
        (json!({ "day": 8 }), "day: Too big: expected number to be <=7, got 8"),
        (json!({ "day": 1, "rows": [{ "n": 1 }, {}] }), "rows[1].n: expected number"),
        (json!({ "day": 1, "word": "no" }), "word: is no"),
        (json!({ "day": 1, "at": "noon" }), "at: expected a date"),
    ] {
        let why = failure(&mut client, "days", arguments.clone());
        assert!(why.starts_with(words) && !why.contains("--"), "{arguments}: {why}");
    }
    assert_eq!(client.text("days", json!({ "day": 1, "other": 2 })), "done");
    assert_eq!(failure(&mut client, "none", json!({ "a": 1, "b": 2 })), "none takes no input, got a, b");
    assert_eq!(client.text("none", json!({})), "none");
}

#[test]
fn megabytes_go_in_and_come_out() {
    let source = "
export const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
let given;
async function* answer() {
  for (let piece = 0; piece < 50; piece += 1) yield { type: 'text-delta', id: '1', delta: given.slice(0, 100_000) };
  yield { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } };
}
export const config = { model: { modelId: 'own', provider: 'own', doStream: async () => ({ stream: answer() }) } };
export default ({ $ }, { text }) => { console.log('x'.repeat(1_000_000)); given = text; $`${text.length}`; };
";
    let folder = Folder::new(&[("big.lmt.mjs", source)]);
    let mut client = Client::connect(&folder, "mcp .");
    let text = client.text("big", json!({ "text": "ü".repeat(4_000_000) }));
    assert_eq!(text.chars().count(), 5_000_000);
    assert!(text.chars().all(|letter| letter == 'ü'));
}

#[test]
fn fifty_calls_take_turns() {
    let body = "
        fs.writeFileSync(`at/${process.pid}`, '');
        const count = fs.readdirSync('at').length;
        await new Promise((done) => setTimeout(done, 50));
        fs.rmSync(`at/${process.pid}`);
        fs.appendFileSync('counts', `${count}\\n`);";
    let folder = Folder::new(&[("busy.lmt.mjs", &running("import fs from 'node:fs';", body)), ("at/x", "")]);
    std::fs::remove_file(folder.path("at/x")).unwrap();
    let mut client = Client::connect(&folder, "mcp busy.lmt.mjs");
    let calls: Vec<u64> = (0..50).map(|_| client.begin("busy", json!({}))).collect();
    for id in calls {
        let result = client.answer(id);
        assert_eq!(result["isError"], false, "{result}");
    }
    let counts = std::fs::read_to_string(folder.path("counts")).unwrap();
    let counts: Vec<usize> = counts.lines().map(|count| count.parse().unwrap()).collect();
    assert_eq!(counts.len(), 50);
    assert!(counts.iter().all(|count| *count <= turns()), "{counts:?}");
}

/// The number of calls that run in parallel.
fn turns() -> usize {
    thread::available_parallelism().map_or(8, |cores| (2 * cores.get()).max(8))
}

#[test]
fn a_call_that_waits_its_turn_can_be_cancelled() {
    let folder = Folder::new(&[("endless.lmt.mjs", ENDLESS), ("fine.lmt.mjs", &saying("fine"))]);
    let mut client = Client::connect(&folder, "mcp .");
    let busy: Vec<u64> = (0..turns()).map(|_| client.begin("endless", json!({}))).collect();
    let pids = pids(&folder, turns());
    let (waits, next) = (client.begin("endless", json!({})), client.begin("fine", json!({})));
    for id in [waits, busy[0]] {
        client.notify("notifications/cancelled", json!({ "requestId": id }));
    }
    assert_eq!(client.answer(next)["content"][0]["text"], "fine", "its turn has come");
    wait_until("one run has ended", || pids.iter().filter(|pid| is_alive(pid)).count() == turns() - 1);
    assert_eq!(std::fs::read_to_string(folder.path("pids.txt")).unwrap().lines().count(), turns(), "none more began");
    drop(client);
    wait_until("all runs have ended", || !pids.iter().any(|pid| is_alive(pid)));
}

#[test]
fn a_run_that_does_not_listen_is_ended_with_what_it_has_started() {
    // Neither the loop nor the child process reacts to signals.
    let body = "
        const child = spawn('sh', ['-c', 'trap \"\" TERM; echo $$ >> pids.txt; while :; do sleep 0.1; done'], { stdio: 'ignore' });
        fs.appendFileSync('pids.txt', `${process.pid}\\n`);
        process.on('SIGTERM', () => {});
        await new Promise((done) => setTimeout(done, 300));
        for (;;);";
    let lines = "import fs from 'node:fs'; import { spawn } from 'node:child_process';";
    let folder = Folder::new(&[("deaf.lmt.mjs", &running(lines, body))]);
    let mut client = Client::connect(&folder, "mcp .");
    let id = client.begin("deaf", json!({}));
    let pids = pids(&folder, 2);
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    wait_until("all have ended", || !pids.iter().any(|pid| is_alive(pid)));
    assert_eq!(client.tools(), ["deaf"]);
}

#[test]
fn a_killed_run_is_reported_and_a_change_affects_no_run() {
    let body = "
        fs.appendFileSync('pids.txt', `${process.pid}\\n`);
        while (!fs.existsSync('go')) await new Promise((done) => setTimeout(done, 10));";
    let source = running("import fs from 'node:fs';", body);
    let folder = Folder::new(&[("waits.lmt.mjs", &source)]);
    let mut client = Client::connect(&folder, "mcp .");
    let (killed, goes_on) = (client.begin("waits", json!({})), client.begin("waits", json!({})));
    let pids = pids(&folder, 2);
    signal(pids[0].parse().unwrap(), "KILL");
    folder.write("waits.lmt.mjs", "broken(");
    client.wait_for_stderr("waits.lmt.mjs is not served");
    folder.write("go", "");
    let results = [client.answer(killed), client.answer(goes_on)];
    let failed = results.iter().find(|result| result["isError"] == true).unwrap();
    let words = failed["content"][0]["text"].as_str().unwrap();
    assert!(words.contains("SIGKILL"), "{words}");
    let done = results.iter().find(|result| result["isError"] == false).unwrap();
    assert_eq!(done["content"][0]["text"], "done");
}

#[test]
fn a_client_that_does_not_read_standard_error_is_served_all_the_same() {
    let spam = running("", "for (let i = 0; i < 20_000; i += 1) console.log('y'.repeat(100));");
    let folder = Folder::new(&[("spam.lmt.mjs", &spam), ("hello.lmt.mjs", &saying("hello"))]);
    let mut command = folder.command("mcp .");
    let (mut client, mut stderr) = Client::start_unread(&mut command);
    client.ask("initialize", hello("2025-11-25"));
    client.notify("notifications/initialized", json!({}));
    assert_eq!(client.text("spam", json!({})), "done");
    assert_eq!(client.text("hello", json!({})), "hello");
    client.ask("ping", json!({}));
    // Once stderr is read, a line reports how much was left out.
    let mut read = String::new();
    while !read.contains("lines left out") {
        let mut bytes = [0; 4096];
        let count = stderr.read(&mut bytes).unwrap();
        assert!(count > 0, "{read}");
        read.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    // Stderr is not read again.
    assert_eq!(client.text("spam", json!({})), "done");
    assert_eq!(client.close().code, 0);
}

#[test]
fn processes_of_a_crashed_run_end_with_it() {
    let lines = "import fs from 'node:fs'; import { spawn } from 'node:child_process';
        export const input = { type: 'object', properties: { how: { type: 'string' } } };";
    let body = "
        const child = spawn('sleep', ['3600'], { stdio: 'ignore' });
        fs.appendFileSync('pids.txt', `${child.pid}\\n`);
        if (input.how === 'abort') process.abort();
        if (input.how === 'kill') process.kill(process.pid, 'SIGKILL');
        if (input.how === 'exit') process.exit(7);
        child.unref();";
    let folder = Folder::new(&[("crash.lmt.mjs", &running(lines, body))]);
    let mut client = Client::connect(&folder, "mcp .");
    for (count, how) in ["abort", "kill", "exit", "end"].iter().enumerate() {
        let result = client.call("crash", json!({ "how": how }));
        assert_eq!(result["isError"], *how != "end", "{result}");
        let pids = pids(&folder, count + 1);
        wait_until(how, || !is_alive(&pids[count]));
    }
    assert_eq!(client.close().code, 0);
}

#[test]
fn a_file_is_an_embedded_resource() {
    let lines = "import { z } from 'zod';\nexport const input = z.object({ photo: z.file().describe('What to see') });";
    let folder = Folder::new(&[("secret.txt", "not for clients")]);
    folder.write("look.lmt.mjs", &running(lines, "console.log(input.photo.name, input.photo.type, input.photo.size);"));
    let mut client = Client::start(&mut folder.command("mcp ."));
    client.ask("initialize", hello("2025-06-18"));
    let schema = tool(&mut client, "look")["inputSchema"]["properties"]["photo"].take();
    assert_eq!(schema["description"], "What to see");
    assert_eq!(schema["properties"]["type"]["const"], "resource");
    assert_eq!(schema["properties"]["resource"]["properties"]["blob"]["contentEncoding"], "base64");
    let resource = |content| json!({ "photo": { "type": "resource", "resource": content } });
    let seen = client.call("look", resource(json!({ "uri": "file:///x/dot.png", "blob": "iVBORw0KGgo=" })));
    assert_eq!(seen["isError"], false, "{seen}");
    client.call("look", resource(json!({ "uri": "a", "mimeType": "text/csv", "text": "a,b" })));
    let path = folder.path("secret.txt").display().to_string();
    for wrong in [
        json!({ "photo": path }),
        json!({ "photo": format!("@{path}") }),
        resource(json!({ "uri": format!("file://{path}") })),
    ] {
        let why = failure(&mut client, "look", wrong);
        assert!(why.contains("photo: expected a file, got ") && why.contains("embedded resource"), "{why}");
        assert!(!why.contains("not for clients"), "{why}");
    }
    let printed = client.close().stderr;
    assert!(printed.contains("[look] dot.png image/png 8") && printed.contains("[look] a text/csv 3"), "{printed}");
}
