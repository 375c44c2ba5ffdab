//! Errors that the author of a prompt file makes: which call is named, the position, and the hint.

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use crate::support::{
    Folder, Outcome,
    http::{closed_port, response, serve},
    lmthing,
};

/// Runs the first of these files in a folder of its own, shown as `DIR`.
fn run(files: &[(&str, &str)]) -> Outcome {
    let folder = Folder::new(files);
    let outcome = folder.run(&format!("run {}", files[0].0));
    let [stdout, stderr] = [outcome.stdout, outcome.stderr].map(|text| folder.anonymize(&text));
    Outcome { code: outcome.code, stdout, stderr }
}

/// A prompt file with this body. It fails before a model is called.
fn body(imports: &str, body: &str) -> String {
    format!(
        "{imports}\nexport const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: '' }}];\n\
         export default async ({{ defTool, defTol, $ }}) => {{\n{body}\n}};\n"
    )
}

/// Stderr of a run that fails.
fn error(imports: &str, code: &str) -> String {
    let outcome = run(&[("main.lmt.mjs", &body(imports, code))]);
    assert_eq!(outcome.code, 1, "{}{}", outcome.stdout, outcome.stderr);
    outcome.stderr
}

fn assert_has(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(text.contains(piece), "lacks {piece:?}:\n{text}");
    }
}

#[test]
fn a_message_that_is_cut_within_an_emoji_is_kept_with_its_place() {
    for (code, message, place) in [
        ("const text = '😀 smile 😀'.slice(0, 10);\nthrow new Error(text);", "😀 smile \u{fffd}", "main.lmt.mjs:6:"),
        ("throw 'smile 😀 again'.slice(0, 7);", "smile \u{fffd}", ""),
        ("throw new Error('x', { cause: new RangeError('😀'.slice(1)) });", "RangeError: \u{fffd}", ""),
    ] {
        assert_has(&error("", code), &[message, place]);
    }
    // Natives of Node's modules take such strings as well.
    let uses = "process.emitWarning(text); process.env.CUT = text; const { code } = await import('node:fs').then(\
                (fs) => fs.promises.readFile(text)).catch((error) => error); throw new Error([code, process.env.CUT].join());";
    let stderr = error("", &format!("const text = 'x😀'.slice(0, 2);\n{uses}"));
    assert_has(&stderr, &["Warning: x\u{fffd}", "Error: ENOENT,x\u{fffd}"]);
    let folder = Folder::new(&[("main.lmt.mjs", &body("", "throw new Error('smile 😀 again'.slice(0, 7));"))]);
    let events = folder.run("run -f events main.lmt.mjs").stdout;
    assert_has(&events, &["smile \u{fffd}", "\"line\":5"]);
}

/// A file whose model calls the tool `pay`.
fn pays(config: &str, definition: &str) -> Outcome {
    let file = format!(
        "import {{ z }} from 'zod';\nimport {{ runPrompt, tool }} from 'lmthing';\n\
         export const config = {{ model: 'mock', {config} }};\n\
         export const mock = [{{ type: 'tool-call', toolName: 'pay', args: {{}} }}, {{ type: 'text', text: 'Done.' }}];\n\
         const pay = () => console.log('PAID');\nexport default async ({{ defTool, defAgent, defFunction, $ }}) => {{\n\
         {definition}\n$`go`;\n}};\n"
    );
    run(&[("main.lmt.mjs", &file)])
}

#[test]
fn a_mistyped_option_that_protects_is_an_error() {
    let tool = "defTool('pay', 'Pays.', z.object({}), pay);";
    for (config, definition, message, place) in [
        ("", "defTool('pay', '', z.object({}), pay, { needApproval: true });", "did you mean 'needsApproval'?", "7:1"),
        (
            "",
            "defTool('pay', '', z.object({}), pay, { approve: true });",
            "defTool('pay'): options has no 'approve'",
            "7:1",
        ),
        (
            "",
            "defTool('p', '', [tool('pay', '', z.object({}), pay, { approval: 1 })]);",
            "tool('pay'): options",
            "7:19",
        ),
        (
            "",
            "defFunction('pay', '', z.object({}), pay, { needaApproval: true });",
            "defFunction('pay'): options",
            "7:1",
        ),
        ("", "defAgent('pay', '', z.object({}), () => {}, { maxStep: 3 });", "did you mean 'maxSteps'?", "7:1"),
        ("", "await runPrompt(() => {}, { model: 'mock', limit: {} });", "did you mean 'limits'?", "7:7"),
        ("", "await runPrompt(() => {}, { model: 'mock', limits: { step: 3 } });", "limits has no 'step'", "7:7"),
        ("", "defTool('pay', '', z.object({}), pay, { needsConfirmation: true });", "no 'needsConfirmation'", "7:1"),
        (
            "",
            "defTool('p', '', [{ name: 'pay', inputSchema: z.object({}), execute: pay, needsApproval: true }]);",
            "tool('pay') has no 'needsApproval'; it belongs in options",
            "7:1",
        ),
        ("maxCost: 1", tool, "config has no 'maxCost'; it belongs in limits: config = { limits: { cost: … } }", ""),
        ("maxSteps: 1", tool, "config has no 'maxSteps'; it belongs in options", ""),
        ("limit: { steps: 3 }", tool, "config has no 'limit'; did you mean 'limits'?", ""),
        ("options: { maxStep: 3 }", tool, "config.options has no 'maxStep'; did you mean 'maxSteps'?", ""),
    ] {
        let outcome = pays(config, definition);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{definition}: {}", outcome.stderr);
        assert_has(&outcome.stderr, &["TypeError: ", message, place]);
    }
    let outcome = pays("limits: { step: 3 }", tool);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
    assert_has(&outcome.stderr, &["config.limits.step is not known; did you mean 'steps'?"]);
}

#[test]
fn another_mistyped_option_is_a_warning_given_once() {
    for (definition, message) in [
        (
            "defTool('pay', '', z.object({}), pay, { onSucess: pay });",
            "defTool('pay'): options has no 'onSucess' and ignores it; did you mean 'onSuccess'?",
        ),
        (
            "defTool('pay', '', [tool('a', '', z.object({}), pay, { retry: 1 })]); defTool('pay', '', z.object({}), pay);",
            "tool('a'): options has no 'retry' and ignores it; known are responseSchema",
        ),
        (
            "defTool('pay', '', z.object({}), pay);\n\
             try { await runPrompt(() => { throw new Error(); }, { model: 'mock', optionz: {} }); } catch {}",
            "runPrompt has no 'optionz' and ignores it; did you mean 'options'?",
        ),
        (
            "defTool('pay', '', z.object({}), pay); defAgent('a', '', z.object({}), () => {}, { temprature: 1, system: 's' });",
            "defAgent('a'): options has no 'temprature' and ignores it; did you mean 'temperature'?",
        ),
    ] {
        let outcome = pays("", definition);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "PAID\nDone.\n"), "{definition}: {}", outcome.stderr);
        assert_eq!(outcome.stderr.matches("ignores it").count(), 1, "{}", outcome.stderr);
        assert_has(&outcome.stderr, &[message]);
    }
}

#[test]
fn the_culprit_is_what_was_called() {
    let zod = "import { z } from 'zod';";
    // Code, message, and the position of the called name.
    let cases = [
        (zod, "defTol('weather', 'x', z.object({}), async () => {});", "defTol is not a function", "5:1"),
        (zod, "z.objct({ a: z.string().optional() });", "z.objct is not a function", "5:3"),
        ("", "process.kil(String(1));", "process.kil is not a function", "5:9"),
        ("", "const q = 1; q(String(`a ${String(2)}`));", "q is not a function", "5:14"),
        ("", "const o = { f: 3 }; 1 + o.f(String(2), 'é', String(3)) * 2;", "o.f is not a function", "5:27"),
        ("", "[3].filter((x) => x).mapp((y) => String(y));", "[3].filter((x) => x).mapp is not a function", "5:22"),
        ("", "const o = {}; new o.Thing(String(3));", "o.Thing is not a constructor", "5:21"),
        ("", "const o = {}; String(String(o.nothing.foo));", "cannot read property 'foo' of undefined", "5:39"),
        ("", "JSON.parse(String('{oops'));", "SyntaxError", "5:6"),
        ("", "[1, 2].map(5);", "[1, 2].map was given something to call that is not a function", "5:8"),
    ];
    for (imports, code, message, place) in cases {
        let error = error(imports, code);
        assert_has(&error, &[message, &format!("--> DIR/main.lmt.mjs:{place}\n")]);
    }
}

#[test]
fn names_that_prompts_do_not_have_are_suggested() {
    assert_has(&error("", "defTol('x');"), &["hint: prompts have no 'defTol'; did you mean 'defTool'?"]);
    assert_has(&error("", "process.exitt(1);"), &["hint: did you mean 'exit'?"]);
    assert_has(&error("", "require('fs');"), &["hint: prompt files are ES modules: use import instead of require"]);
    assert_has(&error("", "defData('x', 1);"), &["ReferenceError: defData is not defined", "({ defData }) => …"]);
}

#[test]
fn failures_of_files_and_requests_name_the_caller() {
    let fs = "import { readFile } from 'node:fs/promises';";
    let load =
        "const load = async (path) => JSON.parse(await readFile(path, 'utf8'));\nawait null;\nawait load('/no/file');";
    let error_of_file = error(fs, load);
    assert_has(
        &error_of_file,
        &["ENOENT: no such file or directory, open '/no/file'", "main.lmt.mjs:5:47\n", "at load ("],
    );
    let request =
        format!("const ask = async (url) => await fetch(url);\nawait ask('http://127.0.0.1:{}/');", closed_port());
    assert_has(
        &error("", &request),
        &["TypeError: fetch failed", "main.lmt.mjs:5:34\n", "Caused by: connect ECONNREFUSED"],
    );
}

#[test]
fn a_response_that_is_not_json_is_shown() {
    let address = serve(|_| response("200 OK", "text/html", "<!DOCTYPE html>\n<title>Sign in</title>"));
    let error = error("", &format!("(await (await fetch('http://{address}/api?key=secret')).json()).name;"));
    let reported = [
        "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "(status 200, text/html) begins with: <!DOCTYPE html> <title>Sign in</title>",
    ];
    assert_has(&error, &reported);
    assert!(!error.lines().any(|line| line.starts_with("hint:") && line.contains("secret")), "{error}");
}

#[test]
fn failures_only_the_model_sees_are_a_line_each() {
    let source = "import { z } from 'zod';
export const config = { model: 'mock' };
const call = (toolName, args = {}) => ({ type: 'tool-call', toolName, args });
export const mock = [call('a'), call('b', { x: 1 }), call('nope'), call('a', '{bro'), call('c'), call('d')];
export default async ({ defTool, $ }) => {
  defTool('a', 'x', z.object({}), async () => { const o = {}; return o.foo.bar(1); });
  defTool('b', 'x', z.object({ x: z.string() }), async () => 1);
  defTool('c', 'x', z.object({}), async () => 1, { onSuccess: () => { throw 'text'; } });
  defTool('d', 'x', z.object({}), async () => { throw new Error('handled'); }, { onError: () => ({ fine: true }) });
  $`go`;
};";
    let outcome = run(&[("main.lmt.mjs", source)]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let lines = [
        "Warning: tool a threw: TypeError: cannot read property 'bar' of undefined (DIR/main.lmt.mjs:6:76)",
        "Warning: Invalid input for tool b: x: Invalid input: expected string, received number (DIR/main.lmt.mjs:7)",
        "Warning: Model tried to call unavailable tool 'nope'. Available tools: a, b, c, d. (DIR/main.lmt.mjs:5)",
        "Warning: Invalid input for tool a: the arguments are not a JSON object (DIR/main.lmt.mjs:5)",
        "Warning: onSuccess of tool c threw: text (DIR/main.lmt.mjs:8)",
        "Warning: the export mock is used up: its 6 items have been played, and the model answers with nothing from now on",
    ];
    assert_eq!(outcome.stderr.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn slips_in_mocks_are_errors() {
    let mock = |item: &str| body("", "$`go`;").replace("[{ type: 'text', text: '' }]", &format!("[{item}]"));
    let cases = [
        (
            "{ type: 'tool-call', toolName: 'x', input: {} }",
            "(tool-call) has an unknown key 'input'; did you mean 'args'?",
        ),
        ("{ type: 'text', txt: '' }", "(text) has an unknown key 'txt'; did you mean 'text'?"),
        ("{ type: 'finish', why: 'stop' }", "(finish) has an unknown key 'why'; it may have finishReason"),
    ];
    for (item, message) in cases {
        let outcome = run(&[("main.lmt.mjs", &mock(item))]);
        assert_eq!(outcome.code, 1);
        assert_has(&outcome.stderr, &["Error: TypeError: the export mock: mock item 0 ", message]);
    }
    let misspelt = body("", "$`go`;").replace("model: 'mock'", "model: 'mok'");
    assert_has(&run(&[("main.lmt.mjs", &misspelt)]).stderr, &["hint: did you mean 'mock'?"]);
}

#[test]
fn a_model_that_waits_for_nothing_is_found_out() {
    for stuck in ["() => new Promise(() => {})", "async () => ({ stream: new ReadableStream({}) })"] {
        let source = format!(
            "const model = {{ modelId: 'mine', doStream: {stuck} }};\nexport const config = {{ model }};\nexport default async ({{ $ }}) => {{ $`go`; }};"
        );
        let outcome = run(&[("main.lmt.mjs", &source)]);
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        assert_has(
            &outcome.stderr,
            &["the model custom:mine waits for a promise that nothing can settle any more", "DIR/main.lmt.mjs:1:"],
        );
    }
}

#[test]
fn a_failed_command_is_reported_with_its_position() {
    let imports = "import { exec } from 'node:child_process';\nimport { promisify } from 'node:util';";
    assert_has(
        &error(imports, "const run = promisify(exec);\nawait run('exit 3');"),
        &["Error: Command failed: exit 3", "DIR/main.lmt.mjs:"],
    );
}

#[test]
fn a_tool_that_waits_for_nothing_is_found_out() {
    let source = "import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'slow' }, { type: 'tool-call', toolName: 'stuck' }];
export default async ({ defTool, $ }) => {
  defTool('slow', 'x', z.object({}), () => new Promise((resolve) => setTimeout(resolve, 700).unref()));
  defTool('stuck', 'x', z.object({}), async () => { await new Promise(() => {}); });
  $`go`;
};";
    let start = Instant::now();
    let outcome = run(&[("main.lmt.mjs", source)]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(start.elapsed() < Duration::from_secs(10));
    let reported =
        ["Error: the tool stuck waits for a promise that nothing can settle any more", "DIR/main.lmt.mjs:6:"];
    assert_has(&outcome.stderr, &reported);
}

#[test]
fn a_failing_package_shows_how_it_came_in() {
    let files = [
        ("main.lmt.mjs", "// First.\nimport outer from 'outer';\nexport const config = { model: 'mock' };"),
        ("node_modules/outer/package.json", r#"{ "name": "outer", "main": "index.js" }"#),
        ("node_modules/outer/index.js", "module.exports = require('inner');"),
        ("node_modules/inner/package.json", r#"{ "name": "inner", "main": "index.js" }"#),
        ("node_modules/inner/index.js", "const nothing = {};\nnothing.here.there();"),
    ];
    let outcome = run(&files);
    assert_eq!(outcome.code, 1);
    let reported = [
        "--> DIR/node_modules/inner/index.js:2:",
        "at DIR/node_modules/outer/index.js:1:",
        "at import 'outer' (DIR/main.lmt.mjs:2:19)",
    ];
    assert_has(&outcome.stderr, &reported);
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_a_failure() {
    for arguments in [["models"].as_slice(), &["--help"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = lmthing();
        let output = command.args(arguments).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_has(
            &String::from_utf8_lossy(&output.stderr),
            &["Error: cannot write to standard output: No space left"],
        );
    }
}
