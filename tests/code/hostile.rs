//! Programs that try to escape the sandbox or to harm the host, each run in a real worker process.
//!
//! `tests/code/hostile/CATEGORY/NAME.ts` begins with `// key: value` lines and an empty line; the rest is what a model
//! could send. `expect` is `ok` (with `value`, the JSON it must return), `error` (it must not succeed), `refused`
//! (before it runs) or `contained` (any outcome). `// --- next ---` separates calls that share a sandbox.
//! `%%REPEAT(n,"text")%%` stands for that many copies. In every case the result arrives in time, an ordinary program
//! works afterwards, nothing that begins with the marker BREACH leaves the sandbox, and memory stays bounded.

use std::{
    cell::RefCell,
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use futures_util::future::LocalBoxFuture;
use lmthing_base::{chat::read_json, checkpoint::CallError};
use lmthing_typescript::{
    code::{Declaration, Declarations, FunctionSignature},
    sandbox::{HostFunctions, LogLine, RunOutcome, Sandbox, SandboxConfig},
};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use crate::{
    helpers::{block_on, program},
    support::skipped,
};

const MARKER: &str = "BREACH";
const TIME: Duration = Duration::from_secs(15);
const MEMORY_KIB: u64 = 900 * 1024;

#[derive(Default)]
struct Host {
    seen: RefCell<Vec<String>>,
    ticks: RefCell<u64>,
}

impl HostFunctions for Host {
    fn call<'a>(
        &'a self,
        name: &'a str,
        args: Option<Box<RawValue>>,
    ) -> LocalBoxFuture<'a, Result<Box<RawValue>, CallError>> {
        let args = args.unwrap_or_else(|| RawValue::NULL.to_owned());
        self.seen.borrow_mut().push(format!("{name} {args}"));
        Box::pin(async move {
            if name == "echo" {
                return Ok(args);
            }
            let args: Value = read_json(args.get()).map_err(|error| CallError(error.to_string()))?;
            let number = |key: &str| args[key].as_f64();
            let answer = match name {
                "add" => match (number("a"), number("b")) {
                    (Some(a), Some(b)) => Ok(json!({"sum": a + b})),
                    _ => Err(CallError("Invalid arguments for add".to_owned())),
                },
                "report" => Ok(json!({"ok": true})),
                "inspect" => Ok(json!({"type": if args.is_object() { "object" } else { "other" }})),
                "getState" => Ok(json!({"items": [1, 2, 3], "nested": {"role": "user"}})),
                "fail" => Err(CallError(args["msg"].as_str().unwrap_or("no message").to_owned())),
                "tick" => {
                    *self.ticks.borrow_mut() += 1;
                    Ok(json!({"n": *self.ticks.borrow()}))
                }
                "pause" => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    Ok(json!({"ok": true}))
                }
                "math.mul" => Ok(json!({"product": number("a").unwrap_or(0.0) * number("b").unwrap_or(0.0)})),
                "math.div" => Ok(json!({"quotient": number("a").unwrap_or(0.0) / number("b").unwrap_or(1.0)})),
                other => Err(CallError(format!("unknown function {other}"))),
            };
            answer.map(|answer| to_raw_value(&answer).expect("JSON"))
        })
    }

    fn console(&self, line: &LogLine) {
        self.seen.borrow_mut().push(line.text.clone());
    }
}

fn declarations() -> Declarations {
    let typed = |text: &str| json!({"tsType": text});
    let function = |name: &str, args: &str, result: &str| FunctionSignature {
        name: name.to_owned(),
        description: String::new(),
        input_schema: typed(args),
        output_schema: Some(typed(result)),
    };
    let single = [
        ("add", "{ a: number; b: number }", "{ sum: number }"),
        ("report", "any", "{ ok: boolean }"),
        ("echo", "any", "any"),
        ("inspect", "any", "{ type: string }"),
        ("getState", "{}", "any"),
        ("fail", "{ msg: string }", "{ ok: boolean }"),
        ("tick", "{ id: string }", "{ n: number }"),
        ("pause", "{ turns: number }", "{ ok: boolean }"),
    ];
    let mut all: Vec<Declaration> =
        single.iter().map(|(name, args, result)| Declaration::Function(function(name, args, result))).collect();
    all.push(Declaration::Namespace {
        name: "math".to_owned(),
        description: String::new(),
        functions: vec![
            function("mul", "{ a: number; b: number }", "{ product: number }"),
            function("div", "{ a: number; b: number }", "{ quotient: number }"),
        ],
    });
    Declarations::new(&all).expect("good names")
}

/// The header of a program and its calls.
struct Program {
    header: Vec<(String, String)>,
    calls: Vec<String>,
}

impl Program {
    fn read(path: &Path, separator: &str, repeat: &str) -> Self {
        let text = fs::read_to_string(path).expect("a readable program");
        let (head, body) = text.split_once("\n\n").expect("a header, an empty line, the code");
        let header = head.lines().filter_map(|line| line.strip_prefix("// ")?.split_once(": "));
        let header = header.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let calls = body.split(separator).map(|code| expand(code, repeat)).collect();
        Self { header, calls }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.header.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

fn expand(code: &str, keyword: &str) -> String {
    let opening = format!("%%{keyword}(");
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once(opening.as_str()) {
        let (inside, remaining) = after.split_once(")%%").expect("the end of a repetition");
        let (count, text) = inside.split_once(',').expect("a count and a text");
        let text: String = serde_json::from_str(text).expect("a JSON string");
        out.push_str(before);
        out.push_str(&text.repeat(count.trim().parse().expect("a number")));
        rest = remaining;
    }
    out + rest
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of programs").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(programs(&entry));
        } else if entry.extension().is_some_and(|end| end == "ts") && !entry.to_string_lossy().ends_with(".d.ts") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// Peak memory of a process, in KiB.
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default().to_owned();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// Runs one program; the error says what went wrong.
async fn attempt(program_file: &Program) -> Result<(), String> {
    let mut config = SandboxConfig::default();
    if program_file.get("expect") == Some("refused") {
        // Time for the check to find the error, however busy the machine is.
        config.check_ms = 10_000;
    }
    let sandbox = Sandbox::with_program(config, program());
    let (host, declared) = (Host::default(), declarations());
    let mut outcome = RunOutcome::Refused { errors: Vec::new() };
    for code in &program_file.calls {
        let begun = Instant::now();
        outcome = tokio::time::timeout(TIME, sandbox.run(code, &declared, &host)).await.map_err(|_| "it hangs")?;
        if begun.elapsed() > TIME {
            return Err(format!("it took {:?}", begun.elapsed()));
        }
        let text = outcome.to_value().to_string();
        if text.contains(MARKER) || host.seen.borrow().iter().any(|seen| seen.contains(MARKER)) {
            return Err(format!("it got out: {text} {:?}", host.seen.borrow()));
        }
        if text.len() > 4 * 1024 * 1024 {
            return Err(format!("its result has {} bytes", text.len()));
        }
    }
    for worker in sandbox.idle_workers() {
        if peak_memory(worker) > MEMORY_KIB {
            return Err(format!("it used {} KiB", peak_memory(worker)));
        }
    }
    let next = sandbox.run("return (await add({ a: 2, b: 3 })).sum;", &declared, &host).await.to_value();
    if next != json!({"success": true, "result": 5}) {
        return Err(format!("the next program fails: {next}"));
    }
    verdict(program_file, &outcome)
}

fn verdict(program_file: &Program, outcome: &RunOutcome) -> Result<(), String> {
    let text = outcome.to_value();
    let refused = matches!(outcome, RunOutcome::Refused { .. });
    let wrong = match (program_file.get("expect"), program_file.get("result")) {
        (Some("ok"), _) => {
            let expected: Value =
                serde_json::from_str(program_file.get("value").expect("a value")).expect("a JSON value");
            text["success"] != json!(true) || text["result"] != expected
        }
        (Some("refused"), _) => !refused,
        (Some("error"), _) | (_, Some("error")) => outcome.is_success(),
        (_, Some("success")) => !outcome.is_success(),
        _ => false,
    };
    // A program that the type check accepts must run.
    if wrong
        || (program_file.get("typecheck") == Some("pass") && program_file.get("expect") == Some("contained") && refused)
    {
        return Err(format!("unexpected: {text}"));
    }
    Ok(())
}

/// Runs all programs of a folder, one on each core.
fn run_all(folder: &Path, separator: &str, repeat: &str) -> usize {
    let files = programs(folder);
    let failure = |file: &PathBuf| {
        let error = block_on(attempt(&Program::read(file, separator, repeat))).err()?;
        let error: String = error.chars().take(600).collect();
        Some(format!("{}: {error}", file.strip_prefix(folder).unwrap_or(file).display()))
    };
    let next = AtomicUsize::new(0);
    let take = || files.get(next.fetch_add(1, Ordering::Relaxed));
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let failures: Vec<String> = thread::scope(|scope| {
        let work = || std::iter::from_fn(take).filter_map(failure).collect::<Vec<_>>();
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{} of {} programs:\n{}", failures.len(), files.len(), failures.join("\n"));
    files.len()
}

#[test]
fn hostile_programs_are_contained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/code/hostile");
    let count = run_all(&folder, "// --- next ---\n", "REPEAT");
    assert!(count >= 60, "only {count} programs");
}

#[test]
fn the_shared_programs_are_contained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder =
        ["../shared/hostile", "../../shared/hostile"].iter().map(|path| root.join(path)).find(|path| path.is_dir());
    let Some(folder) = folder else {
        return skipped("the_shared_programs_are_contained", "no folder shared/hostile next to the repository");
    };
    assert!(run_all(&folder, "// === next call ===\n", "R") > 0, "no programs");
}
