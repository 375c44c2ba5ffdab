//! Errors, rejections, timers and `process`: how a script runs and how it ends.

use crate::engine::{Files, run, stdout};

/// The first lines of the rendered error of `source`, up to the caret.
fn error(source: &str) -> String {
    Files::new(&[("main.mjs", source)]).error("main.mjs")
}

#[test]
fn an_exception_shows_place_source_and_stack() {
    let error =
        error("function inner() {\n  throw new TypeError('bad ü');\n}\nconst outer = () => inner();\nouter();\n");
    let expected = "\
Error: TypeError: bad ü
 --> DIR/main.mjs:2:13
  |
2 |   throw new TypeError('bad ü');
  |             ^
    at inner (DIR/main.mjs:2:13)
    at outer (DIR/main.mjs:4:21)
    at DIR/main.mjs:5:1
";
    assert_eq!(error, expected);
}

#[test]
fn causes_and_members_are_shown() {
    let error = error("throw new Error('top', { cause: new AggregateError([new TypeError('one'), 'two'], 'many') });");
    for part in [
        "Error: top\n",
        "  Caused by: AggregateError: many\n",
        "    Caused by: TypeError: one\n",
        "    Caused by: two\n",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn thrown_values_need_not_be_errors() {
    for (thrown, shown) in [
        ("'text'", "text"),
        ("{ a: 1 }", "{ a: 1 }"),
        ("null", "null"),
        ("undefined", "undefined"),
        ("Symbol('s')", "Symbol(s)"),
    ] {
        let error = error(&format!("throw {thrown};"));
        assert!(error.starts_with(&format!("Error: {shown}\n\nhint: what was thrown is not an Error")), "{error}");
    }
}

#[test]
fn hostile_errors_do_not_break_the_report() {
    let sources = [
        "const e = new Error('m'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e;",
        "const e = new Error('circle'); e.cause = e; throw e;",
        "throw new Proxy(new Error('behind'), { get() { throw new Error('trap') } });",
        "const e = new Error('m'); e.name = Symbol('n'); throw e;",
        "class E extends Error { get stack() { throw 1 } } throw new E('x');",
        "throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } });",
    ];
    for source in sources {
        assert!(error(source).starts_with("Error: "), "{source}");
    }
}

#[test]
fn a_call_of_something_else_names_it() {
    assert!(
        error("const tool = {};\ntool.run(1);")
            .starts_with("Error: TypeError: tool.run is not a function\n --> DIR/main.mjs:2:")
    );
    assert!(error("let f;\nf();").starts_with("Error: TypeError: f is not a function\n"));
}

#[test]
fn a_syntax_error_shows_its_line() {
    let cases = [
        ("const a = 1;\nconst é = 'ü', x = ;\n", "unexpected token in expression: ';'\n --> DIR/main.mjs:2:20\n"),
        (
            "export default async () => {\n  if (a) {\n};\n\n",
            "Unexpected end of input\n --> DIR/main.mjs:3:3\n  |\n3 | };\n  |   ^\n",
        ),
        ("const o = { a: 1 b: 2 };", "Unexpected identifier 'b'\n --> DIR/main.mjs:1:18\n"),
    ];
    for (source, expected) in cases {
        let error = error(source);
        assert!(error.starts_with(&format!("Error: SyntaxError: {expected}")), "{error}");
    }
}

#[test]
fn recursion_without_end_is_a_range_error() {
    assert!(
        error("function f(n) { return f(n + 1) + 1; }\nf(0);")
            .starts_with("Error: RangeError: Maximum call stack size exceeded")
    );
    let source = "let depth = 0; function f() { depth++; f(); } try { f(); } catch (e) { console.log(e instanceof RangeError, depth > 9000); }";
    assert_eq!(stdout(source), "true true\n");
    let json = "try { JSON.parse('['.repeat(1e6)); } catch (e) { console.log(e.name); }";
    assert_eq!(stdout(json), "RangeError\n");
}

#[test]
fn stack_reads_as_in_node() {
    let source = "class Own extends Error { constructor(m) { super(m); this.name = 'Own'; Error.captureStackTrace(this, Own); } }
        const lines = new Own('why').stack.split('\\n'); console.log(lines[0], lines.length, /^    at .*main.mjs:2:\\d+$/.test(lines[1]));
        const target = {}; Error.captureStackTrace(target); console.log(target.stack.includes('main.mjs:3'));";
    assert_eq!(stdout(source), "Own: why 2 true\ntrue\n");
}

#[test]
fn an_unhandled_rejection_ends_the_run() {
    for source in [
        "Promise.reject(new Error('lost'));\nsetTimeout(() => console.log('not seen'), 5);",
        "(async () => { await null; throw new Error('lost'); })();",
        "setTimeout(async () => { throw new Error('lost'); }, 1);",
        "const p = Promise.reject(new Error('lost'));\nsetTimeout(() => p.catch(() => {}), 20);",
        "new Promise((_, reject) => setTimeout(reject, 1, new Error('lost')));",
    ] {
        let outcome = run(source);
        let error = outcome.error.unwrap_or_else(|| panic!("no error: {source}"));
        assert_eq!(error.message, "lost", "{source}");
        assert!(error.location.is_some(), "{source}");
        assert_eq!(outcome.stdout, "", "{source}");
    }
}

#[test]
fn a_rejection_handled_in_the_same_turn_is_none() {
    let source = "const a = Promise.reject(1); a.catch(() => console.log('at once'));
        const b = Promise.reject(2); Promise.resolve().then(() => b.catch(() => console.log('in a job')));
        const c = Promise.reject(3); process.nextTick(() => c.catch(() => console.log('in a tick')));
        await Promise.allSettled([Promise.reject(4)]); await Promise.any([Promise.reject(5), 6]);";
    assert_eq!(stdout(source), "at once\nin a job\nin a tick\n");
}

#[test]
fn errors_in_callbacks_end_the_run() {
    for source in [
        "queueMicrotask(() => { throw new Error('thrown'); });",
        "setTimeout(() => { throw new Error('thrown'); }, 1);",
        "setImmediate(() => { throw new Error('thrown'); });",
        "process.nextTick(() => { throw new Error('thrown'); });",
        "const i = setInterval(() => { throw new Error('thrown'); }, 1);",
    ] {
        let outcome = run(&format!("{source}\nsetTimeout(() => console.log('not seen'), 1000);"));
        assert_eq!(outcome.error.map(|error| error.message).as_deref(), Some("thrown"), "{source}");
        assert_eq!(outcome.stdout, "", "{source}");
    }
}

#[test]
fn the_order_of_callbacks_is_nodes() {
    let source = "
        setTimeout(() => { console.log('timer 1'); process.nextTick(() => console.log('tick of timer 1')); Promise.resolve().then(() => console.log('job of timer 1')); }, 1);
        setTimeout(() => console.log('timer 2'), 1);
        setTimeout(() => console.log('timer 3'), 30);
        setTimeout(() => console.log('timer 4'), 20);
        setImmediate(() => console.log('immediate'));
        process.nextTick(() => { console.log('tick'); process.nextTick(() => console.log('tick in tick')); Promise.resolve().then(() => console.log('job in tick')); });
        Promise.resolve().then(() => console.log('job'));
        queueMicrotask(() => console.log('microtask'));
        console.log('sync');";
    let text = stdout(source);
    let mut lines: Vec<&str> = text.lines().collect();
    // The order of the immediate and a timer of 1 ms depends on how long the script took, in Node too.
    lines.retain(|line| *line != "immediate");
    let expected = [
        "sync",
        "job",
        "microtask",
        "tick",
        "tick in tick",
        "job in tick",
        "timer 1",
        "tick of timer 1",
        "job of timer 1",
        "timer 2",
        "timer 4",
        "timer 3",
    ];
    assert_eq!(lines, expected);
    assert!(text.contains("immediate\n"));
}

#[test]
fn timers_take_arguments_and_can_be_cleared() {
    let source = "
        setTimeout((a, b) => console.log(a, b), 1, 'x', 'y');
        const cleared = setTimeout(() => console.log('never'), 1); clearTimeout(cleared);
        clearTimeout(+setTimeout(() => console.log('never'), 1)); clearTimeout(`${setTimeout(() => console.log('never'), 1)}`);
        clearImmediate(setImmediate(() => console.log('never'))); clearTimeout(undefined); clearTimeout({}); clearInterval(null);
        let count = 0; const interval = setInterval(() => { console.log('beat', ++count); if (count === 3) clearInterval(interval); }, 2);
        const timer = setTimeout(() => {}, 1); console.log(timer.hasRef(), timer.unref().hasRef(), timer.ref() === timer, typeof timer[Symbol.toPrimitive]());
        const unreferenced = setInterval(() => {}, 1); unreferenced.unref();
        setTimeout(() => console.log('never'), 60000).unref();
        try { setTimeout('code'); } catch (error) { console.log(error.code, error.message); }";
    let expected = "true false true number
ERR_INVALID_ARG_TYPE The \"callback\" argument must be of type function. Received type string ('code')
x y\nbeat 1\nbeat 2\nbeat 3\n";
    assert_eq!(stdout(source), expected);
}

#[test]
fn refresh_starts_the_time_again() {
    let source = "const start = performance.now(); const timer = setTimeout(() => console.log(performance.now() - start >= 45), 30);
        setTimeout(() => timer.refresh(), 20);";
    assert_eq!(stdout(source), "true\n");
}

#[test]
fn exit_ends_the_run_at_once() {
    for source in [
        "try { process.exit(3); } catch { console.log('caught'); } finally { console.log('finally'); }",
        "setTimeout(() => process.exit(3), 1); setTimeout(() => console.log('later'), 30);",
        "await null; process.exit(3); console.log('after');",
        "process.exitCode = 3; process.exit();",
        "Promise.resolve().then(() => process.exit('3'));",
        "process.on('exit', (code) => { if (code === 3) console.log('exiting'); }); process.exit(3);",
    ] {
        let outcome = run(&format!("console.log('before');\n{source}"));
        assert_eq!((outcome.exit_code, outcome.error), (3, None), "{source}");
        let expected = if source.contains("exiting") { "before\nexiting\n" } else { "before\n" };
        assert_eq!(outcome.stdout, expected, "{source}");
    }
}

#[test]
fn exit_code_applies_at_the_end() {
    let outcome = run("process.exitCode = 4;");
    assert_eq!(outcome.exit_code, 4);
    assert!(error("process.exitCode = 'x';").starts_with("Error: TypeError: "));
}

#[test]
fn process_has_the_properties_of_node() {
    let source = "const { argv, env, platform, arch, pid, version, versions } = process;
        console.log(argv.length, argv[1].endsWith('main.mjs'), env.GREETING, env.NOPE, typeof platform, typeof arch, pid > 0, /^v\\d+\\./.test(version), typeof versions.node);
        env.ADDED = 'yes'; console.log(process.env.ADDED, 'ADDED' in process.env); delete env.ADDED; console.log(process.env.ADDED);
        const [s, n] = process.hrtime(); console.log(Number.isInteger(s), n < 1e9, typeof process.hrtime.bigint(), process.hrtime([s, n])[0] >= 0);
        console.log(process.memoryUsage().rss > 0, process.uptime() >= 0, process.cwd().length > 0, global === globalThis);
        process.stdout.write('no newline'); process.stdout.write(' then\\n', () => console.log('written'));
        console.log(process.stdout.isTTY, process.stdout.columns);";
    let expected = "2 true hello undefined string string true true string\nyes true\nundefined\ntrue true bigint true\ntrue true true true\nno newline then\nundefined undefined\nwritten\n";
    assert_eq!(stdout(source), expected);
}

#[test]
fn stderr_is_apart() {
    let outcome =
        run("console.error('e', { a: 1 }); console.warn('w'); process.stderr.write('raw'); console.log('out');");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("out\n", "e { a: 1 }\nw\nraw"));
}

#[test]
fn globals_can_be_replaced() {
    let source = "const original = console.log; globalThis.setTimeout = () => 'mine'; original(setTimeout());
        globalThis.console = { log: (text) => original('[', text, ']') }; console.log('x');
        globalThis.queueMicrotask = undefined; original(typeof queueMicrotask, Object.keys(globalThis).includes('setImmediate'));";
    assert_eq!(stdout(source), "mine\n[ x ]\nundefined false\n");
}

#[test]
fn contexts_of_vm_have_the_built_in_objects_of_the_language() {
    let source = "import vm from 'node:vm';
const names = ['Float16Array', 'SuppressedError', 'DisposableStack', 'AsyncDisposableStack', 'Iterator', 'WeakRef'];
console.log(names.filter((name) => vm.runInNewContext(name) !== globalThis[name]));
console.log(vm.runInNewContext('console.log(1); typeof console.error + typeof process'));
";
    assert_eq!(stdout(source), "[]\nfunctionundefined\n");
}
