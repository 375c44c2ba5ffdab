//! The sandbox with a real worker process: host functions, limits, failures.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use lmthing_base::checkpoint::CallError;
use lmthing_typescript::{
    code::{CheckMode, Declaration, Declarations, FunctionSignature},
    sandbox::{HostFunctions, LogLine, RunOutcome, Sandbox, SandboxConfig},
};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use crate::helpers::{block_on, program};

#[derive(Default)]
struct Host {
    events: Rc<RefCell<Vec<String>>>,
}

impl HostFunctions for Host {
    fn call<'a>(
        &'a self,
        name: &'a str,
        args: Option<Box<RawValue>>,
    ) -> futures_util::future::LocalBoxFuture<'a, Result<Box<RawValue>, CallError>> {
        let args = args.unwrap_or_else(|| RawValue::NULL.to_owned());
        Box::pin(async move {
            if name == "echo" {
                self.events.borrow_mut().push(format!("echo {args}"));
                return Ok(args);
            }
            let args: Value = serde_json::from_str(args.get()).map_err(|error| CallError(error.to_string()))?;
            let answer = match name {
                "add" => Ok(json!(args["a"].as_f64().unwrap_or(0.0) + args["b"].as_f64().unwrap_or(0.0))),
                "math.fail" => Err(CallError("door is stuck".to_owned())),
                "sleep" => {
                    self.events.borrow_mut().push(format!("begin {}", args["id"]));
                    tokio::time::sleep(Duration::from_millis(args["ms"].as_u64().unwrap_or(0))).await;
                    self.events.borrow_mut().push(format!("end {}", args["id"]));
                    Ok(args)
                }
                other => Err(CallError(format!("{other} is not a function"))),
            };
            answer.map(|answer| to_raw_value(&answer).expect("JSON"))
        })
    }

    fn console(&self, line: &LogLine) {
        self.events.borrow_mut().push(format!("log {}", line.text));
    }

    fn notice(&self, text: &str) {
        panic!("unexpected notice: {text}");
    }
}

fn declarations() -> Declarations {
    let function = |name: &str, input_schema: Value| FunctionSignature {
        name: name.to_owned(),
        description: String::new(),
        input_schema,
        output_schema: None,
    };
    let pair = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]});
    let sleep = json!({"type": "object", "properties": {"id": {"type": "number"}, "ms": {"type": "number"}}, "required": ["id", "ms"]});
    Declarations::new(&[
        Declaration::Function(function("add", pair)),
        Declaration::Function(function("echo", json!({}))),
        Declaration::Function(function("sleep", sleep)),
        Declaration::Namespace {
            name: "math".to_owned(),
            description: String::new(),
            functions: vec![function("fail", json!({}))],
        },
    ])
    .expect("good names")
}

fn sandbox(config: SandboxConfig) -> Sandbox {
    Sandbox::with_program(config, program())
}

fn run_with(config: SandboxConfig, code: &str) -> Value {
    block_on(async { sandbox(config).run(code, &declarations(), &Host::default()).await.to_value() })
}

fn run(code: &str) -> Value {
    run_with(SandboxConfig::default(), code)
}

#[test]
fn returns_data_and_calls_functions() {
    assert_eq!(run("const r: number = await add({ a: 5, b: 3 });\nreturn r;"), json!({"success": true, "result": 8}));
    assert_eq!(run("await add({ a: 5, b: 3 });"), json!({"success": true, "result": null}));
    assert_eq!(run("return await echo({ deep: [1, { x: null }] });")["result"], json!({"deep": [1, {"x": null}]}));
}

#[test]
fn refused_code_names_line_and_code() {
    let refused = run("const ok = 1;\nawait add({ a: 'five', b: 3 });");
    assert_eq!(refused["success"], json!(false));
    assert_eq!((&refused["errors"][0]["line"], &refused["errors"][0]["code"]), (&json!(2), &json!(2322)));
    assert_eq!(refused["errors"][0]["codeLine"], json!("await add({ a: 'five', b: 3 });"));
}

#[test]
fn thrown_errors_carry_message_and_line() {
    let failed = run("const a = 1;\n\nthrow new TypeError('own ' + 'goal');");
    assert_eq!(failed["error"], json!("own goal"));
    let message = failed["message"].as_str().unwrap();
    assert!(message.contains("TypeError: own goal") && message.contains("at line 3: throw new TypeError"), "{message}");
    let host = run("const a = 1;\nawait math.fail({});\nreturn a;");
    assert_eq!(host["error"], json!("door is stuck"));
    assert!(host["message"].as_str().unwrap().contains("at line 2: await math.fail"), "{host}");
    let after_enum = run(
        "enum E { A }\nclass C { constructor(public x: number) {} }\nconst c = new C(E.A);\n\nthrow new Error(`x${c.x}`);",
    );
    assert!(after_enum["message"].as_str().unwrap().contains("at line 5"), "{after_enum}");
    assert_eq!(run("throw 'just text';")["error"], json!("just text"));
    assert_eq!(run("throw { code: 7 };")["error"], json!("{\"code\":7}"));
    assert_eq!(run("throw null;")["error"], json!("null"));
    let caught = run("try { await math.fail({}); } catch (e) { return e instanceof Error ? e.message : 'no'; }");
    assert_eq!(caught["result"], json!("door is stuck"));
}

#[test]
fn odd_values_become_clear_data_or_clear_errors() {
    let cases = [
        ("return new Date(0);", json!("1970-01-01T00:00:00.000Z")),
        ("return new Map([['a', 1]]);", json!({"a": 1})),
        ("return new Map([[1, 2]]);", json!([[1, 2]])),
        ("return new Set([1, 2]);", json!([1, 2])),
        ("return new Uint8Array([7]);", json!([7])),
        ("return 12345678901234567890n;", json!("12345678901234567890")),
        ("return [undefined, NaN, () => 1, -0, 5.0, 1.5];", json!([null, null, null, 0, 5, 1.5])),
        ("return { a: undefined, f() {}, b: 1 };", json!({"b": 1})),
        ("return new Error('x');", json!({"name": "Error", "message": "x"})),
        (
            "class Odd extends Error { name = 'Odd'; code = 7 }\nreturn new Odd('x');",
            json!({"name": "Odd", "message": "x", "code": 7}),
        ),
        ("return Object.assign(new Error('x'), { name: 7 });", json!({"message": "x", "name": 7})),
        ("return { '\\ud800': ['\\udc00', '\\ud83d\\ude00'] };", json!({"\u{fffd}": ["\u{fffd}", "\u{1f600}"]})),
        ("return Object('boxed');", json!("boxed")),
        ("return '\\ud800x';", json!("\u{fffd}x")),
        ("return 1e300;", json!(1e300)),
        ("return 2 ** 53;", json!(9_007_199_254_740_992_u64)),
        ("return { toJSON() { return 'me'; } };", json!("me")),
        ("class P { x = 1; get y() { return 2; } }\nreturn new P();", json!({"x": 1})),
    ];
    for (code, expected) in cases {
        assert_eq!(run(code), json!({"success": true, "result": expected}), "{code}");
    }
    for (code, part) in [
        ("const o: any = {}; o.o = o; return o;", "cycle"),
        ("return [Promise.resolve(1)];", "await it first"),
        ("return () => 1;", "is a function"),
        ("return Symbol('s');", "is a symbol"),
        ("let o: any = 1; for (let i = 0; i < 500; i++) o = [o]; return o;", "deeper than 100"),
        ("return 'x'.repeat(2_000_000);", "larger than 1048576 bytes"),
    ] {
        let failed = run(code);
        assert!(failed["error"].as_str().is_some_and(|error| error.contains(part)), "{code}: {failed}");
    }
}

#[test]
fn nothing_is_written_twice() {
    block_on(async {
        let host = Host::default();
        let code = "class Odd extends Error { name = 'Odd'; message = 'own' }\nreturn await echo(new Odd('x'));";
        let outcome = sandbox(SandboxConfig::default()).run(code, &declarations(), &host).await;
        assert_eq!(outcome.to_value()["result"], json!({"name": "Odd", "message": "own"}));
        assert_eq!(*host.events.borrow(), ["echo {\"name\":\"Odd\",\"message\":\"own\"}"]);
    });
}

#[test]
fn half_a_surrogate_pair_crosses_in_both_directions() {
    block_on(async {
        let host = Host::default();
        let code = "const back: { [key: string]: string } = await echo({ '\\udc00': 'a\\ud800' });\n\
                    console.log('a\\ud800', back);\n\
                    return [back['\\udc00'] === 'a\\ud800', back];";
        let outcome = sandbox(SandboxConfig::default()).run(code, &declarations(), &host).await;
        let shown = outcome.to_value();
        assert_eq!(shown["result"], json!([true, {"\u{fffd}": "a\u{fffd}"}]), "{shown}");
        let logged = "a\u{fffd} {\"\\udc00\":\"a\\ud800\"}";
        assert_eq!(shown["logs"], json!([logged]));
        assert_eq!(*host.events.borrow(), ["echo {\"\\udc00\":\"a\\ud800\"}".to_owned(), format!("log {logged}")]);
    });
}

#[test]
fn null_is_a_result_and_nothing_is_none() {
    block_on(async {
        let sandbox = sandbox(SandboxConfig::default());
        for (code, expected) in [("return null;", Some(Value::Null)), ("return undefined;", None), ("void 0;", None)] {
            let outcome = sandbox.run(code, &declarations(), &Host::default()).await;
            assert_eq!(outcome.to_value(), json!({"success": true, "result": null}), "{code}");
            assert!(matches!(outcome, RunOutcome::Success { result, .. } if result == expected), "{code}");
        }
    });
}

#[test]
fn calls_run_concurrently_and_waiting_costs_no_time() {
    let config = SandboxConfig { cpu_ms: 100, ..SandboxConfig::default() };
    block_on(async {
        let host = Host::default();
        let code = "await Promise.all([1, 2].map((id) => sleep({ id, ms: 400 })));\nreturn 'done';";
        let outcome = sandbox(config).run(code, &declarations(), &host).await;
        assert_eq!(outcome.to_value(), json!({"success": true, "result": "done"}));
        let events = host.events.borrow();
        assert_eq!(events[..2], ["begin 1", "begin 2"]);
    });
}

#[test]
fn calls_without_await_end_before_the_result() {
    block_on(async {
        let host = Host::default();
        let outcome = sandbox(SandboxConfig::default())
            .run("void sleep({ id: 1, ms: 50 });\nreturn 'early';", &declarations(), &host)
            .await;
        assert!(outcome.is_success());
        assert_eq!(*host.events.borrow(), ["begin 1", "end 1"]);
    });
}

#[test]
fn console_lines_come_as_they_happen_and_with_the_result() {
    block_on(async {
        let host = Host::default();
        let outcome = sandbox(SandboxConfig::default())
            .run(
                "console.log('a', { b: 1 }, [2], undefined, 3n);\nconsole.warn('w');\nreturn 1;",
                &declarations(),
                &host,
            )
            .await;
        assert_eq!(outcome.to_value()["logs"], json!(["a {\"b\":1} [2] undefined 3n", "w"]));
        assert_eq!(*host.events.borrow(), ["log a {\"b\":1} [2] undefined 3n", "log w"]);
    });
    let config = SandboxConfig { console_bytes: 100, ..SandboxConfig::default() };
    let flood = run_with(config, "for (let i = 0; i < 1e5; i++) console.log('x'.repeat(30));\nreturn 'printed';");
    assert_eq!(flood["result"], json!("printed"));
    let logs = flood["logs"].as_array().unwrap();
    assert!(logs.len() == 4 && logs[3].as_str().unwrap().contains("cut after 100 bytes"), "{logs:?}");
}

#[test]
fn limits_end_the_run_in_time_and_the_next_one_works() {
    block_on(async {
        let config = SandboxConfig { cpu_ms: 300, ..SandboxConfig::default() };
        let sandbox = sandbox(config);
        for code in [
            "for (;;) {}",
            "for (;;) await null;",
            "const f = (): unknown => Promise.resolve().then(f); await f();",
            "return Array.prototype.join.call({ length: 2 ** 53 - 1 }, '').length;",
            "return { get trap(): number { for (;;) { /* never */ } } };",
            "try { for (;;) {} } catch { return 'caught'; } finally { for (;;) {} }",
            "while (true) { try { for (;;) {} } catch { continue; } }",
        ] {
            let begun = Instant::now();
            let outcome = sandbox.run(code, &declarations(), &Host::default()).await.to_value();
            // The chain of promises may run out of memory first.
            let names_a_limit =
                |error: &str| error.contains("ran longer than 300 ms") || error.contains("MB of memory");
            assert!(outcome["error"].as_str().is_some_and(names_a_limit), "{code}: {outcome}");
            assert!(begun.elapsed() < Duration::from_secs(10), "{code}");
            let next = sandbox.run("return 1;", &declarations(), &Host::default()).await;
            assert!(next.is_success(), "{code}: {next:?}");
        }
    });
}

#[test]
fn memory_stack_and_calls_are_limited() {
    let memory = run("const all: unknown[] = [];\nfor (;;) all.push(new Array(1000).fill(0));");
    assert!(memory["error"].as_str().is_some_and(|error| error.contains("64 MB")), "{memory}");
    let stack = run("const f = (): number => 1 + f();\nreturn f();");
    assert!(stack["error"].as_str().is_some_and(|error| error.contains("stack")), "{stack}");
    let config = SandboxConfig { host_calls: 3, ..SandboxConfig::default() };
    let calls = run_with(config, "for (let i = 0; i < 5; i++) await add({ a: 1, b: 1 });\nreturn 'all';");
    assert!(calls["error"].as_str().is_some_and(|error| error.contains("more than 3 times")), "{calls}");
}

#[test]
fn a_promise_that_never_settles_is_an_error() {
    let stuck = run("await new Promise(() => {});\nreturn 1;");
    assert!(stuck["error"].as_str().is_some_and(|error| error.contains("nothing will ever resolve")), "{stuck}");
}

#[test]
fn nothing_but_the_language_is_in_scope() {
    let config = SandboxConfig { check: CheckMode::Off, ..SandboxConfig::default() };
    let names = run_with(
        config.clone(),
        "return Object.getOwnPropertyNames(globalThis).filter((n) => /^[a-z]/.test(n)).sort();",
    );
    assert_eq!(
        names["result"],
        json!([
            "add",
            "console",
            "decodeURI",
            "decodeURIComponent",
            "echo",
            "encodeURI",
            "encodeURIComponent",
            "escape",
            "eval",
            "globalThis",
            "isFinite",
            "isNaN",
            "math",
            "parseFloat",
            "parseInt",
            "sleep",
            "undefined",
            "unescape"
        ])
    );
    for code in [
        "return eval('1');",
        "return new Function('return 1')();",
        "return (async () => {}).constructor('return 1')();",
        "return (function* () {}).constructor('yield 1')();",
        "return await import('std');",
        "return require('fs');",
        "return process.env;",
        "return await fetch('x');",
        "return setTimeout(() => 1, 1);",
    ] {
        assert_eq!(run_with(config.clone(), code)["success"], json!(false), "{code}");
    }
}

#[test]
fn check_modes() {
    let code = "const n: string = 5 as any as number;\nreturn n;";
    assert_eq!(run(code)["success"], json!(false));
    let essential = run_with(SandboxConfig { check: CheckMode::Essential, ..SandboxConfig::default() }, code);
    assert_eq!((&essential["result"], &essential["warnings"][0]["code"]), (&json!(5), &json!(2322)));
    let off = run_with(SandboxConfig { check: CheckMode::Off, ..SandboxConfig::default() }, code);
    assert_eq!(off, json!({"success": true, "result": 5}));
}

#[test]
fn a_bomb_for_the_checker_ends_at_its_deadline() {
    let config = SandboxConfig { check_ms: 500, ..SandboxConfig::default() };
    let bomb = "type D<N extends number, A extends unknown[] = []> = A['length'] extends N ? A : D<N, [...A, unknown]>;\n\
                type X<A, B, C, E> = A extends infer T ? B extends infer U ? [T, U, C, E] : never : never;\n\
                type S = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9';\n\
                type P = `${S}${S}${S}${S}`;\ntype Q = { [K in P]: { [L in P]: K extends L ? X<K, L, P, S> : never }[P] };\n\
                declare const q: Q;\nconst r: { [K in P]: string } = q;\nreturn r;";
    let begun = Instant::now();
    let outcome = run_with(config, bomb);
    assert_eq!(outcome["success"], json!(false), "{outcome}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn runs_side_by_side_and_one_after_the_other_are_apart() {
    block_on(async {
        let sandbox = sandbox(SandboxConfig::default());
        let (host, declared) = (Host::default(), declarations());
        let codes: Vec<String> = (0..6)
            .map(|id| format!("await sleep({{ id: {id}, ms: 20 }});\n(globalThis as any).mark = {id};\nreturn {id};"))
            .collect();
        let outcomes =
            futures_util::future::join_all(codes.iter().map(|code| sandbox.run(code, &declared, &host))).await;
        let results: Vec<Value> = outcomes.iter().map(|outcome| outcome.to_value()["result"].clone()).collect();
        assert_eq!(results, [json!(0), json!(1), json!(2), json!(3), json!(4), json!(5)]);
        let later = sandbox.run("return 'mark' in globalThis;", &declared, &host).await;
        assert_eq!(later.to_value()["result"], json!(false));
    });
}

/// Functions that run code themselves, as agents do whose tools are functions.
struct Nested<'a> {
    sandbox: &'a Sandbox,
    declared: &'a Declarations,
}

impl HostFunctions for Nested<'_> {
    fn call<'a>(
        &'a self,
        _: &'a str,
        args: Option<Box<RawValue>>,
    ) -> futures_util::future::LocalBoxFuture<'a, Result<Box<RawValue>, CallError>> {
        let args = args.unwrap_or_else(|| RawValue::NULL.to_owned());
        Box::pin(async move {
            let depth: u32 = serde_json::from_str(args.get()).map_err(|error| CallError(error.to_string()))?;
            let code = match depth {
                0 => "return 1;".to_owned(),
                depth => format!(
                    "const both: number[] = await Promise.all([echo({0}), echo({0})]);\nreturn both[0] + both[1];",
                    depth - 1
                ),
            };
            let outcome = self.sandbox.run(&code, self.declared, self).await.to_value();
            to_raw_value(&outcome["result"]).map_err(|error| CallError(error.to_string()))
        })
    }
}

#[test]
fn runs_inside_of_runs_do_not_wait_for_each_other() {
    block_on(async {
        let (sandbox, declared) = (sandbox(SandboxConfig::default()), declarations());
        let host = Nested { sandbox: &sandbox, declared: &declared };
        let run = sandbox.run("return await echo(5);", &declared, &host);
        let outcome = tokio::time::timeout(Duration::from_secs(60), run).await.expect("an end");
        assert_eq!(outcome.to_value()["result"], json!(32));
    });
}

#[test]
fn dropping_a_run_kills_its_worker() {
    block_on(async {
        let sandbox = sandbox(SandboxConfig::default());
        let declared = declarations();
        assert!(sandbox.run("return 1;", &declared, &Host::default()).await.is_success());
        let worker = sandbox.idle_workers()[0];
        let host = Host::default();
        let cancelled =
            tokio::time::timeout(Duration::from_millis(200), sandbox.run("for (;;) {}", &declared, &host)).await;
        assert!(cancelled.is_err());
        assert!(crate::helpers::ends_within(worker, Duration::from_secs(5)).await, "worker {worker} lives on");
        assert!(sandbox.run("return 2;", &declared, &host).await.is_success());
    });
}

#[test]
fn a_program_that_is_no_worker_is_an_error() {
    block_on(async {
        for program in ["/no/such/program", "true"] {
            let sandbox = Sandbox::with_program(SandboxConfig::default(), program);
            let outcome = sandbox.run("return 1;", &declarations(), &Host::default()).await;
            assert!(matches!(outcome, RunOutcome::Failed { .. }), "{outcome:?}");
        }
    });
}

/// Not a test by itself: the host that [`no_worker_outlives_its_host`] kills.
#[test]
#[ignore = "started by no_worker_outlives_its_host"]
fn host_that_is_killed() {
    block_on(async {
        let sandbox = sandbox(SandboxConfig::default());
        let declared = declarations();
        assert!(sandbox.run("return 1;", &declared, &Host::default()).await.is_success());
        println!("worker {}", sandbox.idle_workers()[0]);
        // The worker is now busy in native code that never checks for interrupts.
        let _ = sandbox
            .run("return Array.prototype.join.call({ length: 2 ** 53 - 1 }, '').length;", &declared, &Host::default())
            .await;
    });
}

#[test]
#[cfg(target_os = "linux")]
fn no_worker_outlives_its_host() {
    use std::io::{BufRead, BufReader};

    let mut host = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--nocapture", "sandbox::host_that_is_killed"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("a host");
    let lines = BufReader::new(host.stdout.take().expect("its output")).lines();
    let worker = lines.map_while(Result::ok).find_map(|line| line.split("worker ").nth(1).map(str::to_owned));
    let worker: u32 = worker.expect("the worker's id").trim().parse().expect("a number");
    std::thread::sleep(Duration::from_millis(300));
    host.kill().expect("a kill");
    host.wait().expect("an end");
    let outcome = block_on(crate::helpers::ends_within(worker, Duration::from_secs(3)));
    assert!(outcome, "worker {worker} lives on");
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_has_no_environment_and_no_files() {
    block_on(async {
        let sandbox = sandbox(SandboxConfig::default());
        assert!(sandbox.run("return 1;", &declarations(), &Host::default()).await.is_success());
        let worker = sandbox.idle_workers()[0];
        let status = std::fs::read_to_string(format!("/proc/{worker}/status")).expect("its status");
        assert!(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "{status}");
        // Readable only where the test may inspect the process (it is not dumpable).
        if let Ok(environment) = std::fs::read(format!("/proc/{worker}/environ")) {
            assert!(environment.is_empty(), "{}", String::from_utf8_lossy(&environment));
        }
        if let Ok(files) = std::fs::read_dir(format!("/proc/{worker}/fd")) {
            let files: Vec<_> = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).collect();
            let allowed = |file: &std::path::PathBuf| {
                let name = file.to_string_lossy();
                name.starts_with("pipe:") || name.starts_with("socket:") || name == "/dev/null"
            };
            assert!(files.len() <= 3 && files.iter().all(allowed), "{files:?}");
        }
    });
}
