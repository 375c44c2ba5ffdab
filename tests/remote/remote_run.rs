//! `lmthing run --on URL` (docs/reference/remote.md, "`run --on`"): the input is checked here, the file runs there,
//! its report is shown here.

use std::{
    io::{Read, Write},
    net::TcpListener,
    process::Stdio,
    thread,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use crate::{
    ingress::{ELSEWHERE, Ingress},
    support::{Folder, Outcome, Running},
};

fn folder() -> Folder {
    Folder::of(ELSEWHERE)
}

fn run(folder: &Folder, server: &Ingress, rest: &str) -> Outcome {
    folder.run(&format!("run --on {} {rest}", server.url()))
}

#[test]
fn a_report_is_shown_as_the_run_would_be() {
    let (folder, server) = (folder(), Ingress::start());
    let outcome = run(&folder, &server, "p.lmt.mjs Ada");
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "hello Ada\n", ""));
    // The worker's schema adds defaults.
    assert_eq!(server.world().runs[0].input, json!({ "name": "Ada" }));
    let outcome = run(&folder, &server, "-f json p.lmt.mjs --name Ada --count 3");
    assert_eq!(
        (outcome.code, &outcome.object()["text"], &outcome.object()["ok"]),
        (0, &json!("hello Ada"), &json!(true))
    );
    let outcome = run(&folder, &server, "p.lmt.mjs typed");
    assert_eq!(outcome.stdout, "{\"name\":\"typed\",\"input\":{\"name\":\"typed\"}}\n");
    let outcome = run(&folder, &server, "p.lmt.mjs bad");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, "half\n"), "{outcome:?}");
    assert!(outcome.stderr.contains("no luck with bad") && outcome.stderr.contains("try later"), "{outcome:?}");
    let outcome = run(&folder, &server, "-f json p.lmt.mjs bad");
    assert_eq!((outcome.code, &outcome.object()["error"]["kind"]), (3, &json!("model")));
    for (name, words) in [
        ("terminal", "the run failed at the server (status 500): out of order"),
        ("cancelled", "the run was cancelled at the server"),
        ("odd", "no report of a run"),
    ] {
        let outcome = run(&folder, &server, &format!("p.lmt.mjs {name}"));
        assert!(outcome.code == 1 && outcome.stderr.contains(words), "{outcome:?}");
        let outcome = run(&folder, &server, &format!("-f json p.lmt.mjs {name}"));
        assert_eq!((outcome.code, &outcome.object()["error"]["kind"]), (1, &json!("server")));
    }
}

#[test]
fn the_address_may_follow_the_file() {
    let (folder, server) = (folder(), Ingress::start());
    let url = server.url();
    let outcome = folder.run(&format!("run p.lmt.mjs Ada --on {url} --key monday"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hello Ada\n"), "{outcome:?}");
    let outcome = folder.run(&format!("p.lmt.mjs --on={url} Ada"));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hello Ada\n"), "{outcome:?}");
    assert_eq!(server.world().runs.len(), 2);
    let outcome = folder.run("run p.lmt.mjs Ada --on http:/nowhere");
    assert_eq!(outcome.code, 2, "{outcome:?}");
}

#[test]
fn invalid_input_is_not_submitted() {
    let (folder, server) = (folder(), Ingress::start());
    for (words, reported) in [
        ("p.lmt.mjs A", "--name: Too small"),
        ("p.lmt.mjs Ada --count many", "--count: expected an integer"),
        ("p.lmt.mjs", "name"),
        ("p.lmt.mjs Ada --nmae x", "--nmae"),
        ("gone.lmt.mjs", "gone.lmt.mjs"),
    ] {
        let outcome = run(&folder, &server, words);
        let code = if words == "gone.lmt.mjs" { 1 } else { 2 };
        assert!(
            outcome.code == code && outcome.stderr.contains(reported) && outcome.stdout.is_empty(),
            "{words}: {outcome:?}"
        );
        let outcome = run(&folder, &server, &format!("-f json {words}"));
        assert_eq!((outcome.code, &outcome.object()["error"]["code"]), (code, &json!(code)));
    }
    let outcome = run(&folder, &server, "p.lmt.mjs --help");
    assert!(
        outcome.code == 0 && outcome.stdout.starts_with("Greets\n\nUsage: lmthing run p.lmt.mjs <name>"),
        "{outcome:?}"
    );
    assert!(server.count() == 0);
    assert!(server.world().requests.is_empty());
    folder.write("in.json", "{\"name\":\"Eve\",\"count\":2}");
    assert_eq!(run(&folder, &server, "--input @in.json p.lmt.mjs").stdout, "hello Eve\n");
    assert_eq!(server.world().runs[0].input, json!({ "name": "Eve", "count": 2 }));
}

#[test]
fn options_for_where_the_file_runs_belong_there() {
    let (folder, server) = (folder(), Ingress::start());
    let elsewhere = "give it to lmthing worker";
    for (options, reported) in [
        ("-m a:b", elsewhere),
        ("--yes", elsewhere),
        ("--approve x", elsewhere),
        ("--on-approval stop", elsewhere),
        ("--max-cost 1", "--max-cost cannot be used with --on"),
        ("--timeout 1s", elsewhere),
        ("--mcp-config x.json", elsewhere),
        ("--journal", elsewhere),
        ("--watch", "--watch cannot be used with --on"),
        ("--record r.json", "--record cannot be used with --on"),
        ("--replay r.json", "--replay cannot be used with --on"),
        ("-f events", "take -f json"),
    ] {
        let outcome = run(&folder, &server, &format!("{options} p.lmt.mjs Ada"));
        assert!(outcome.code == 2 && outcome.stderr.contains(reported), "{options}: {outcome:?}");
    }
    for options in
        ["--on 127.0.0.1:8080", "--on ftp://x", "--service p", "--key k", "--admin http://x", "--on http://x --key="]
    {
        assert_eq!(folder.run(&format!("run {options} p.lmt.mjs Ada")).code, 2, "{options}");
    }
    assert!(server.world().requests.is_empty());
}

#[test]
fn an_unreachable_server_has_a_clear_error() {
    let (folder, server) = (folder(), Ingress::start());
    let outcome = run(&folder, &server, "--service other p.lmt.mjs Ada");
    assert!(outcome.code == 2 && outcome.stderr.contains("has no service other"), "{outcome:?}");
    assert!(outcome.stderr.contains("is a worker registered"), "{outcome:?}");
    server.world().token = Some("geheim".to_owned());
    let outcome = run(&folder, &server, "p.lmt.mjs Ada");
    assert!(outcome.code == 3 && outcome.stderr.contains("put a token into RESTATE_AUTH_TOKEN"), "{outcome:?}");
    let with_token = |token: &str| {
        let mut command = folder.command(&format!("run -v --on {} p.lmt.mjs Ada", server.url()));
        Outcome::of(command.env("RESTATE_AUTH_TOKEN", token))
    };
    let outcome = with_token("falsch");
    assert!(outcome.code == 3 && !outcome.stderr.contains("falsch"), "{outcome:?}");
    let outcome = with_token("geheim");
    assert!(outcome.code == 0 && !outcome.stderr.contains("geheim"), "{outcome:?}");
    server.world().token = None;
    // A path that is not served.
    let outcome = folder.run(&format!("run --on {}/x/y p.lmt.mjs Ada", server.url()));
    assert!(outcome.code == 2 && outcome.stderr.contains("is no Restate server"), "{outcome:?}");
    // A port that no test listens on: one that was closed may be taken again.
    let outcome = folder.run("run --on http://127.0.0.1:1 p.lmt.mjs Ada");
    assert!(outcome.code == 3 && outcome.stderr.contains("cannot be asked"), "{outcome:?}");
    assert!(outcome.stderr.contains("is the server running"), "{outcome:?}");
}

#[test]
fn an_answer_that_unpacks_to_too_much_is_not_read() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    (0..100).for_each(|_| encoder.write_all(&vec![b' '; 1 << 20]).unwrap());
    let body = encoder.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut asked, mut piece) = (Vec::new(), [0; 4096]);
            // The input ends in a brace.
            while !asked.ends_with(b"}") {
                let count = stream.read(&mut piece).unwrap();
                asked.extend_from_slice(&piece[..count]);
            }
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    let outcome = folder().run(&format!("run --on http://127.0.0.1:{port} p.lmt.mjs Ada"));
    assert!(
        outcome.code != 0 && outcome.stderr.contains("its compressed answer unpacks to more than 200 times"),
        "{outcome:?}"
    );
}

#[test]
fn lost_answers_and_a_busy_server_run_nothing_twice() {
    let (folder, server) = (folder(), Ingress::start());
    server.change(|world| (world.lose, world.refuse) = (2, 2));
    let outcome = run(&folder, &server, "p.lmt.mjs Ada");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hello Ada\n"), "{outcome:?}");
    assert_eq!((server.names(), server.world().runs[0].submissions), (vec!["Ada".to_owned()], 3));
    for _ in 0..2 {
        assert_eq!(run(&folder, &server, "--key k1 p.lmt.mjs Eve").stdout, "hello Eve\n");
    }
    let outcome = run(&folder, &server, "-v --key k1 p.lmt.mjs Eve");
    assert!(outcome.stderr.contains("from an earlier command"), "{outcome:?}");
    run(&folder, &server, "p.lmt.mjs Eve");
    assert_eq!(server.names(), ["Ada", "Eve", "Eve"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_shows_how_to_wait_again() {
    let (folder, server) = (folder(), Ingress::start());
    let admin = "--admin http://127.0.0.1:1/at";
    let mut command = folder.command(&format!("run --on {} --key k2 {admin} p.lmt.mjs held", server.url()));
    let running = Running::of(command.stdin(Stdio::null()));
    server.wait_for_runs(1);
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal("INT");
    let outcome = running.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    let again = format!("lmthing run --on {} --key k2 {admin} p.lmt.mjs held", server.url());
    assert!(
        outcome.stderr.contains("goes on at the server as inv_10000") && outcome.stderr.contains(&again),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains("PATCH http://127.0.0.1:1/at/invocations/inv_10000/cancel"), "{outcome:?}");
    server.world().is_released = true;
    assert_eq!(run(&folder, &server, "--key k2 p.lmt.mjs held").stdout, "hello held\n");
    assert_eq!(server.count(), 1);
}

#[test]
fn a_file_that_is_read_here_has_the_rights_that_are_given() {
    let server = Ingress::start();
    let source = format!(
        "import {{ writeFileSync }} from 'node:fs';\nwriteFileSync('seen.txt', `${{Object.keys(process.env).includes('RESTATE_AUTH_TOKEN')}}`);\n{ELSEWHERE}"
    );
    let folder = Folder::of(&source);
    let with_token = |options: &str| {
        let mut command = folder.command(&format!("run --on {} {options} p.lmt.mjs Ada", server.url()));
        Outcome::of(command.env("RESTATE_AUTH_TOKEN", "geheim"))
    };
    let outcome = with_token("--restrict --allow-env=RESTATE_AUTH_TOKEN");
    assert!(outcome.code == 1 && outcome.stderr.contains("--allow-write"), "{outcome:?}");
    assert!(!folder.path("seen.txt").exists() && server.count() == 0);
    let outcome = with_token("--allow-write=. --allow-env=RESTATE_AUTH_TOKEN");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "hello Ada\n"), "{outcome:?}");
    assert_eq!(with_token("").code, 0);
    assert_eq!(std::fs::read_to_string(folder.path("seen.txt")).unwrap(), "false");
}
