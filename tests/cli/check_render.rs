//! The first render of `lmthing check`: what it finds, what it must not do, and that it ends (docs/reference/check.md).

use crate::{findings::Finding, support::Folder};

/// The result for one file.
struct Checked {
    code: i32,
    /// Findings of the render, as `severity line code: message`, in order.
    found: Vec<String>,
    /// Findings of the type check.
    types: Vec<String>,
    stderr: String,
}

/// Checks `file` in its folder.
fn check(folder: &Folder, file: &str) -> Checked {
    let outcome = folder.run(&format!("check --format json {file}"));
    let shown = |finding: Finding| {
        let line = if finding.line == 0 { "-".to_owned() } else { finding.line.to_string() };
        format!("{} {line} {}: {}", finding.severity, finding.code, finding.message)
    };
    let is_of_types = |finding: &Finding| finding.code.starts_with("TS") || finding.code == "types";
    let (types, found): (Vec<_>, Vec<_>) = Finding::all(&outcome).into_iter().partition(is_of_types);
    let lines = |findings: Vec<Finding>| findings.into_iter().map(shown).collect();
    Checked { code: outcome.code, found: lines(found), types: lines(types), stderr: outcome.stderr }
}

/// A prompt file with `head` as line 1, whose function has this body from line 3 on.
fn file(head: &str, body: &str) -> String {
    format!(
        "{head} export const config = {{ model: 'mock' }}; export const mock = [{{ type: 'text', text: 'x' }}];\n\
         export default async ({{ def, defData, defSystem, defTool, defAgent, defEffect, defFunction, $ }}, input) => {{\n\
         {body}\n$`go`; }};\n"
    )
}

fn of_body(body: &str) -> Checked {
    check(&Folder::of(&file("", body)), "p.lmt.mjs")
}

#[track_caller]
fn finds(checked: &Checked, expected: &[&str]) {
    assert_eq!(checked.found, expected, "{} {:?}", checked.stderr, checked.types);
    let is_error = checked.found.iter().chain(&checked.types).any(|finding| finding.starts_with("error"));
    assert_eq!(checked.code, i32::from(is_error));
}

#[test]
fn a_sound_file_gives_nothing() {
    finds(&of_body("def('A', 'a'); defEffect(() => () => {}, []); await null;"), &[]);
}

#[test]
fn errors_of_the_function_have_their_position() {
    let checked = of_body("const list = JSON.parse('[]');\ndef('A', list[0].name);");
    finds(&checked, &["error 4 render: TypeError: cannot read property 'name' of undefined"]);
    let checked = of_body("defEffect(() => { throw new Error('in an effect'); }, []);");
    finds(&checked, &["error 3 render: in an effect"]);
    let checked = of_body("defEffect(() => () => { throw new Error('at its end'); }, []);");
    finds(&checked, &["error 3 render: at its end"]);
    let checked = of_body("throw new Error('outside', { cause: new Error('inside') });");
    finds(&checked, &["error 3 render: outside (caused by: inside)"]);
}

#[test]
fn definitions_are_checked_as_in_a_run() {
    let checked = of_body("defData('LIST', (async () => [1])());");
    assert!(checked.found[0].starts_with("error 3 render: TypeError: defData('LIST')"), "{:?}", checked.found);
    assert_eq!(checked.code, 1);
}

#[test]
fn errors_of_a_method_are_at_its_call() {
    let head = "import { z } from 'zod';";
    let place_of = |body: &str| {
        let folder = Folder::of(&file(head, body));
        let outcome = folder.run("check --format json p.lmt.mjs");
        let is_of_render = |found: &Finding| ["render", "definition"].contains(&found.code.as_str());
        let found = Finding::all(&outcome).into_iter().find(is_of_render).expect(&outcome.stdout);
        (found.line, found.column)
    };
    let schema = "z.object({\na: z.number(),\nb: z.string().min(1),\n})";
    assert_eq!(place_of(&format!("  defTool(\n'my tool',\n'Does.',\n{schema},\n() => 1,\n);")), (3, 3));
    assert_eq!(
        place_of(&format!(
            "defTool('a', 'Does.', z.object({{}}), () => 1);\n  defTool(\n'a',\n'Does.',\n{schema},\n() => 1,\n);"
        )),
        (4, 3)
    );
    assert_eq!(place_of("def(\n'MY NAME',\n['a'].map((x) => x.trim()).join(', '),\n);"), (3, 1));
    assert_eq!(
        place_of("/** @type {any} */ const later = (async () => 'x')();\n $`${later} and ${String(1)}`;"),
        (4, 2)
    );
    // The inner one of two calls.
    assert_eq!(place_of("def('A', def('B B', String(1)));"), (3, 10));
    // What the author throws keeps its position.
    let own = "const fail = () => { throw new TypeError('def: no'); };\ndef(\n'A', fail());";
    assert_eq!(place_of(own).0, 3);
}

#[test]
fn a_run_shows_the_same_call() {
    let body = "defTool(\n'my tool',\n'Does.',\n{ type: 'object', title: String(1) },\n() => 1,\n);";
    let outcome = Folder::of(&file("", body)).run("run p.lmt.mjs");
    assert!(outcome.stderr.contains("p.lmt.mjs:3:1\n"), "{}", outcome.stderr);
}

#[test]
fn promises_anywhere_in_data_are_an_error_at_the_call() {
    let head = "const load = async (/** @type {number} */ x) => x;";
    for (data, path) in [
        ("[1, 2].map(load)", "[0]"),
        ("{ list: load(1), n: 1 }", "list"),
        ("{ a: [{}, { 'b c': load(1) }],\nc: String(1) }", "a[1]['b c']"),
    ] {
        let folder = Folder::of(&file(head, &format!("defData('STATE', {data});")));
        let message = format!("TypeError: defData('STATE'): {path} is a promise; is an await missing?");
        let checked = check(&folder, "p.lmt.mjs");
        assert_eq!(checked.found, [format!("error 3 render: {message}")], "{:?}", checked.types);
        let outcome = folder.run("run p.lmt.mjs");
        assert!(outcome.stderr.contains(&message), "{}", outcome.stderr);
    }
    let body = "/** @type {any} */ const self = { toJSON: () => ({}), later: load(1) };\n\
                defData('A', { empty: {}, none: [], self });";
    finds(&check(&Folder::of(&file(head, body)), "p.lmt.mjs"), &[]);
}

#[test]
fn names_that_are_defined_twice_are_warned_of_at_the_second() {
    let body = "/** @type {[string, any, any]} */ const tool = ['about', { type: 'object' }, () => 1];\n\
                defTool('a', ...tool);\ndefTool('a', ...tool);\n\
                for (const name of ['b', 'b']) defFunction(name, ...tool);\n\
                def('V', 'v');\ndefData('V', [1]);\ndefSystem('S', 's');\ndefSystem('S', 't');\n\
                defTool('S', ...tool); defFunction('a', ...tool);";
    let folder = Folder::of(&file("", body));
    let checked = check(&folder, "p.lmt.mjs");
    let lines: Vec<&str> = checked.found.iter().filter_map(|found| found.split(": ").next()).collect();
    let warning = |line: u32| format!("warning {line} definition");
    assert_eq!(lines, [warning(5), warning(6), warning(8), warning(10)]);
    assert!(checked.found[2].ends_with("defData('V') replaces what def('V') has defined"), "{:?}", checked.found);
    assert_eq!(checked.code, 0);
    // A run uses the last definition without a warning.
    assert_eq!(folder.run("run p.lmt.mjs").stderr, "");
}

#[test]
fn uncaught_errors_are_findings() {
    finds(&of_body("Promise.reject(new Error('nobody listens'));"), &["error 3 render: nobody listens"]);
    let body =
        "setTimeout(() => { throw new Error('later'); }, 1);\nawait new Promise((done) => setTimeout(done, 100));";
    finds(&of_body(body), &["error 3 render: later"]);
    let checked = of_body("await new Promise(() => {});");
    let stuck = "error 3 render: the prompt function waits for a promise that nothing can settle any more";
    finds(&checked, &[stuck]);
}

#[test]
fn a_file_that_ends_the_program_cannot_be_looked_at_further() {
    finds(
        &of_body("process.exit(3);"),
        &["warning 3 render: could not look further: the first render calls process.exit(3)"],
    );
    let folder = Folder::new(&[
        ("p.lmt.mjs", &file("import { leave } from './a.mjs';", "def('A', 'a');\nleave();")),
        ("a.mjs", "\n\n\nexport const leave = () => { process.exit(0); };"),
    ]);
    finds(
        &check(&folder, "p.lmt.mjs"),
        &["note 4 render: could not look further: the first render calls process.exit(0)"],
    );
    let folder = Folder::of(&file("process.exit(0);", ""));
    finds(
        &check(&folder, "p.lmt.mjs"),
        &["note 1 load: could not look further: loading the file calls process.exit(0)"],
    );
}

#[test]
fn timers_do_not_keep_a_check_alive() {
    let began = std::time::Instant::now();
    finds(&of_body("setInterval(() => {}, 50); setTimeout(() => { throw new Error('never'); }, 60_000);"), &[]);
    assert!(began.elapsed().as_secs() < 8, "{:?}", began.elapsed());
}

#[test]
fn a_file_that_throws_while_it_loads_is_an_error_there() {
    let folder = Folder::of(&file("JSON.parse('null').x;", ""));
    finds(&check(&folder, "p.lmt.mjs"), &["error 1 load: TypeError: cannot read property 'x' of null"]);
    let folder = Folder::new(&[
        ("p.lmt.mjs", &file("import './lib/a.mjs';", "")),
        ("lib/a.mjs", "\n\nthrow new Error('no such day');\n"),
    ]);
    let outcome = folder.run("check --format json p.lmt.mjs");
    let found = Finding::all(&outcome).into_iter().find(|found| found.code == "load").unwrap();
    assert_eq!((found.file.as_str(), found.line), ("lib/a.mjs", 3), "{found:?}");
}

#[test]
fn memory_has_an_end() {
    let body = "const all = []; for (;;) all.push(new Uint8Array(1e8));";
    finds(&of_body(body), &["error 3 render: InternalError: out of memory"]);
}

#[test]
fn outside_access_is_refused_without_a_finding() {
    // Also if the script catches the error.
    let throws = "try { await fetch('https://example.org/a?key=1'); } catch { throw new Error('no rates'); }";
    let network = "check renders without network: access to https://example.org is refused";
    let follows = "note 3 render: could not look further, perhaps because of that: no rates";
    finds(&of_body(throws), &[&format!("note 3 permission: {network}"), follows]);
    let goes_on =
        "def('A', await fetch('https://example.org').then(() => 'got', (error) => `${error.name} ${error.code}`));";
    finds(&of_body(goes_on), &[&format!("note 3 permission: {network}")]);
    let folder = Folder::of(&file("await fetch('https://example.org');", ""));
    finds(&check(&folder, "p.lmt.mjs"), &[&format!("note 1 permission: could not look further: {network}")]);
}

/// Every native function with effects outside of the engine: an expression that calls it, and the name in the finding.
const REACHING: &[(&str, &str)] = &[
    ("fs.writeFileSync('made', 'x')", "without writing"),
    ("fs.appendFileSync('made', 'x')", "without writing"),
    ("fs.openSync('made', 'w')", "without writing"),
    ("fs.openSync('made', 'a')", "without writing"),
    ("fs.openSync('p.lmt.mjs', 'r+')", "without writing"),
    ("fs.openSync('made', fs.constants.O_CREAT)", "without writing"),
    ("fs.readFileSync('made', { flag: 'a+' })", "without writing"),
    ("fs.mkdirSync('made')", "without writing"),
    ("fs.mkdirSync('made/a', { recursive: true })", "without writing"),
    ("fs.mkdtempSync('made')", "without writing"),
    ("fs.rmSync('kept')", "without writing"),
    ("fs.rmSync('kept', { recursive: true, force: true })", "without writing"),
    ("fs.unlinkSync('kept')", "without writing"),
    ("fs.rmdirSync('folder')", "without writing"),
    ("fs.renameSync('kept', 'made')", "without writing"),
    ("fs.copyFileSync('kept', 'made')", "without writing"),
    ("fs.cpSync('kept', 'made')", "without writing"),
    ("fs.cpSync('folder', 'made', { recursive: true })", "without writing"),
    ("fs.symlinkSync('kept', 'made')", "without writing"),
    ("fs.linkSync('kept', 'made')", "without writing"),
    ("fs.chmodSync('kept', 0o777)", "without writing"),
    ("fs.chownSync('kept', 1, 1)", "without writing"),
    ("fs.lchownSync('kept', 1, 1)", "without writing"),
    ("fs.utimesSync('kept', 1, 1)", "without writing"),
    ("fs.lutimesSync('kept', 1, 1)", "without writing"),
    ("fs.truncateSync('kept')", "without writing"),
    ("fs.ftruncateSync(fs.openSync('kept', 'r'))", "without writing"),
    ("fs.fchmodSync(fs.openSync('kept', 'r'), 0o777)", "without writing"),
    ("fs.fchownSync(fs.openSync('kept', 'r'), 1, 1)", "without writing"),
    ("fs.futimesSync(fs.openSync('kept', 'r'), 1, 1)", "without writing"),
    ("fs.writeSync(fs.openSync('kept', 'r'), 'x')", "without writing"),
    (
        "await new Promise((done, fail) => fs.writeFile('made', 'x', (error) => (error ? fail(error) : done(0))))",
        "without writing",
    ),
    (
        "await new Promise((done, fail) => fs.createWriteStream('made').on('error', fail).on('finish', done).end('x'))",
        "without writing",
    ),
    ("await fs.promises.writeFile('made', 'x')", "without writing"),
    ("await fs.promises.appendFile('made', 'x')", "without writing"),
    ("await fs.promises.open('made', 'w')", "without writing"),
    ("await fs.promises.rm('kept')", "without writing"),
    ("await fs.promises.mkdir('made')", "without writing"),
    ("await fs.promises.mkdtemp('made')", "without writing"),
    ("await fs.promises.rename('kept', 'made')", "without writing"),
    ("await fs.promises.cp('kept', 'made')", "without writing"),
    ("await (await fs.promises.open('kept')).chmod(0o777)", "without writing"),
    ("child.spawn('touch', ['made'])", "without other programs: touch"),
    ("child.exec('touch made')", "without other programs"),
    ("child.execFile('touch', ['made'])", "without other programs: touch"),
    ("child.spawnSync('touch', ['made'])", "without other programs: touch"),
    ("child.execSync('touch made')", "without other programs"),
    ("child.execFileSync('touch', ['made'])", "without other programs: touch"),
    ("process.kill(process.pid, 'SIGTERM')", "a signal to process"),
    ("process.abort()", "a signal to process"),
    ("process.chdir('/')", "process.chdir('/')"),
    ("process.umask(0)", "process.umask"),
    ("os.setPriority(0, 1)", "os.setPriority"),
    ("await fetch('http://127.0.0.1:4444')", "access to http://127.0.0.1:4444"),
    ("await new Promise((done, fail) => net.connect(4444, '127.0.0.1').on('error', fail))", "access to 127.0.0.1:4444"),
    ("await new Promise((done, fail) => net.connect(4444, 'localhost').on('error', fail))", "access to localhost"),
    ("await new Promise((done, fail) => net.connect('made').on('error', fail))", "access to made"),
    ("await new Promise((done, fail) => tls.connect(4444, '127.0.0.1').on('error', fail))", "access to 127.0.0.1:4444"),
    (
        "await new Promise((done, fail) => http.get('http://127.0.0.1:4444').on('error', fail))",
        "access to 127.0.0.1:4444",
    ),
    (
        "await new Promise((done, fail) => https.get('https://127.0.0.1:4444').on('error', fail))",
        "access to 127.0.0.1:4444",
    ),
    ("await new Promise((done, fail) => net.createServer().on('error', fail).listen(0, done))", "without network"),
    (
        "await new Promise((done, fail) => net.createServer().on('error', fail).listen(0, '127.0.0.1', done))",
        "access to 127.0.0.1:0",
    ),
    ("await new Promise((done, fail) => net.createServer().on('error', fail).listen('made', done))", "access to"),
    ("await new Promise((done, fail) => http.createServer().on('error', fail).listen(0, done))", "without network"),
    ("await dns.promises.lookup('example.org')", "access to example.org"),
    ("await dns.promises.resolve4('example.org')", "access to example.org"),
];

#[test]
fn every_native_that_reaches_out_asks_first() {
    // Computed names have no types, so that the type check accepts the calls.
    let head = "const own = async (name) => (await import(`node:${name}`)).default;\n\
                const [fs, child, net, tls] = await Promise.all(['fs', 'child_process', 'net', 'tls'].map(own));\n\
                const [http, https, dns, os] = await Promise.all(['http', 'https', 'dns', 'os'].map(own));\n";
    let tries: String = REACHING.iter().map(|(code, _)| format!("  async () => {{ {code}; }},\n")).collect();
    let body = format!(
        "const tries = [\n{tries}];\nlet number = 0;\n\
         for (const attempt of tries) {{\n\
           const error = await attempt().then(() => undefined, (error) => error);\n\
           console.log(`${{number}}|${{error?.name}}|${{error?.code}}|${{error?.message}}`); number += 1;\n}}"
    );
    let folder = Folder::new(&[("p.lmt.mjs", &file(head, &body)), ("kept", "kept"), ("folder/file", "")]);
    let checked = check(&folder, "p.lmt.mjs");
    let printed: Vec<&str> = checked.stderr.lines().collect();
    assert_eq!(printed.len(), REACHING.len(), "{}", checked.stderr);
    for ((code, names), printed) in REACHING.iter().zip(&printed) {
        // A failed look-up shows Node's own error names instead of the refusal.
        let is_refusal =
            printed.contains("|PermissionError|ERR_ACCESS_DENIED|check renders ") && printed.contains(names);
        assert!(is_refusal || code.contains("resolve4"), "{code}: {printed}");
        let is_noted = checked.found.iter().any(|found| found.starts_with("note") && found.contains(names));
        assert!(is_noted, "{code}: {:#?}", checked.found);
    }
    assert!(checked.found.iter().all(|found| found.starts_with("note")), "{:#?}", checked.found);
    assert_eq!((checked.types, checked.code), (Vec::new(), 0));
    assert!(!folder.path("made").exists());
    assert_eq!(std::fs::read_to_string(folder.path("kept")).unwrap(), "kept");
    assert!(folder.path("folder/file").exists());
}

#[test]
fn reading_is_free_and_standard_input_is_empty() {
    let head = "import fs from 'node:fs';";
    let body = "def('A', fs.readFileSync('kept', 'utf8') + fs.existsSync('no') + fs.readdirSync('.').length);\n\
                fs.mkdirSync('folder', { recursive: true });\n\
                let text = fs.readFileSync(0, 'utf8') + fs.readFileSync('/dev/stdin', 'utf8');\n\
                for await (const piece of process.stdin) text += piece;\n\
                console.log(JSON.stringify(text)); process.on('SIGINT', () => {}); process.kill(process.pid, 0);";
    let folder = Folder::new(&[("p.lmt.mjs", &file(head, body)), ("kept", "kept"), ("folder/file", "")]);
    let mut command = folder.command("check --format json p.lmt.mjs");
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    // The process may end without reading its input.
    drop(std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"not for the script"));
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "\"\"\n");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("\"render\""), "{output:?}");
}

#[test]
fn a_render_without_answers_is_no_mistake() {
    let head = "import { runPrompt, run } from 'lmthing'; import { createMockModel } from 'lmthing/test';";
    let inner = "const inner = async ({ $ }) => { $`inner`; };\n\
                 const model = createMockModel([{ type: 'text', text: 'answer' }]);\n";
    let goes_on = format!(
        "{inner}const {{ result, prompt }} = await runPrompt(inner, {{ model: 'openai:gpt-4o' }});\n\
         def('A', `[${{await result.text}}]${{(await result.steps).length}}${{prompt.steps.length}}`);\n\
         for await (const piece of result.textStream) def('B', piece);\n\
         const other = await run('./other.lmt.mjs'); def('C', await other.result.text);\n\
         const mocked = await runPrompt(inner, {{ model }}); console.log(`[${{await mocked.result.text}}]`);"
    );
    let folder = Folder::new(&[("p.lmt.mjs", &file(head, &goes_on)), ("other.lmt.mjs", &file("", ""))]);
    let checked = check(&folder, "p.lmt.mjs");
    finds(&checked, &[]);
    assert_eq!(checked.stderr, "[]\n");
    let without_steps = format!(
        "{inner}const {{ result, prompt }} = await runPrompt(inner, {{ model }});\n\
         for (const call of await result.toolCalls) def('A', call.toolName);\n\
         for (const done of await result.toolResults) def('B', done.toolName);\n\
         const counts = [(await result.steps).length, (await result.warnings).length, prompt.fullSteps.length];\n\
         console.log(JSON.stringify([...counts, (await result.usage).inputTokens, await result.cost, await result.text]));\n\
         console.log((await result.response).id);"
    );
    let checked = check(&Folder::of(&file(head, &without_steps)), "p.lmt.mjs");
    finds(&checked, &[]);
    assert!(
        checked.stderr.starts_with("[0,0,0,") && checked.stderr.ends_with(",null,\"\"]\nundefined\n"),
        "{}",
        checked.stderr
    );
    let throws = format!(
        "{inner}const {{ result }} = await runPrompt(inner, {{ model }});\ndef('A', JSON.parse(await result.text).answer);"
    );
    let checked = check(&Folder::of(&file(head, &throws)), "p.lmt.mjs");
    assert_eq!(checked.code, 0);
    let is_noted = checked.found.iter().any(|found| found.starts_with("note") && found.contains("no model answers"));
    assert!(is_noted, "{:?}", checked.found);
    // A model of an unknown provider is accepted, too.
    let unknown = format!("{inner}await runPrompt(inner, {{ model: 'opnai:gpt-4o' }});");
    let checked = check(&Folder::of(&file(head, &unknown)), "p.lmt.mjs");
    assert!(checked.found[0].starts_with("error ") && checked.found[0].contains("opnai"), "{:?}", checked.found);
}

#[test]
fn defaults_render_and_missing_input_is_reported() {
    let head = "import { z } from 'zod'; export const input = z.object({ day: z.number().default(7) });";
    let checked = check(&Folder::of(&file(head, "throw new Error(`day ${input.day}`);")), "p.lmt.mjs");
    finds(&checked, &["error 3 render: day 7"]);
    let head = "import { z } from 'zod'; export const input = z.object({ city: z.string() });";
    let checked = check(&Folder::of(&file(head, "throw new Error('not reached');")), "p.lmt.mjs");
    finds(&checked, &["note 1 input: the first render was left out: missing required input: --city <string>"]);
}

#[test]
fn errors_in_exports_do_not_hide_the_render() {
    let source = "export const config = { model: 'opnai:gpt-4o', options: { temperature: 'hot' } };\n\
                  export default ({ def, $ }) => { const list = JSON.parse('[]');\n  def('A', list[0].name); $`go`; };\n";
    let checked = check(&Folder::of(source), "p.lmt.mjs");
    let has = |start: &str| checked.found.iter().any(|found| found.starts_with(start));
    assert!(has("error 1 model: ") && has("error 3 render: "), "{:#?}", checked.found);
}

#[test]
fn secrets_stay_inside() {
    let body = "console.log(process.env.OPENAI_API_KEY); throw new Error(`key ${process.env.OPENAI_API_KEY}`);";
    let folder = Folder::of(&file("", body));
    let mut command = folder.command("check --format json p.lmt.mjs");
    let output = command.env("OPENAI_API_KEY", "sk-proj-Zk3v9QmT7xLr2WpYc8").output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("key [redacted]") && !stdout.contains("Zk3v9"), "{stdout}");
    assert!(stderr.contains("[redacted]") && !stderr.contains("Zk3v9"), "{stderr}");
}

#[test]
fn output_of_the_script_goes_to_stderr() {
    let checked = of_body("console.log('out'); console.error('err'); process.stdout.write('raw\\n');");
    finds(&checked, &[]);
    assert_eq!(checked.stderr, "out\nerr\nraw\n");
    // With several files, the output names the file.
    let prints = |text: &str| file("", &format!("console.log('{text}\\nmore');"));
    let folder = Folder::new(&[("a.lmt.mjs", &prints("one")), ("b.lmt.mjs", &prints("two"))]);
    let outcome = folder.run("check a.lmt.mjs b.lmt.mjs");
    assert_eq!(outcome.stderr, "a.lmt.mjs: one\na.lmt.mjs: more\nb.lmt.mjs: two\nb.lmt.mjs: more\n");
}

#[test]
fn errors_without_a_stack_have_a_position() {
    finds(&of_body("def('A', 'a');\nthrow 'oops';"), &["error 2 render: oops"]);
    let head = "import { runPrompt, run } from 'lmthing'; const no = /** @type {any} */ (3);";
    let body = "def('A', 'a');\nawait runPrompt(no);";
    let checked = check(&Folder::of(&file(head, body)), "p.lmt.mjs");
    assert!(checked.found[0].starts_with("error 4 render: TypeError: runPrompt: the first"), "{:?}", checked.found);
    let checked = check(&Folder::of(&file(head, "def('A', 'a');\nawait run('./none.lmt.mjs');")), "p.lmt.mjs");
    assert!(checked.found[0].starts_with("error 4 render: "), "{:?}", checked.found);
    let source = "export const config = { model: 'mock' };\nexport default ({ defTaskGraph, $ }) => {\n\
                  const id = 'a';\ndefTaskGraph([{ id, title: 'A', dependencies: ['b'] }]); $`x`; };";
    let checked = check(&Folder::of(source), "p.lmt.mjs");
    assert!(checked.found.iter().any(|found| found.starts_with("warning 4 definition: ")), "{:?}", checked.found);
}

#[test]
fn a_wait_without_end_is_at_its_await() {
    let stuck = "waits for a promise that nothing can settle any more";
    let of_two = "const wait = () => new Promise(() => {});\nawait null;\nawait wait();";
    finds(&of_body(of_two), &[&format!("error 2 render: the prompt function {stuck}")]);
    let of_one = "const wait = async () => { await null; };\nvoid wait();\nawait new Promise(() => {});";
    finds(&of_body(of_one), &[&format!("error 5 render: the prompt function {stuck}")]);
    let head = "const wait = async () => { await null; };\nawait wait().then(() => new Promise(() => {}));\n";
    let checked = check(&Folder::of(&file(head, "await null;")), "p.lmt.mjs");
    finds(&checked, &[&format!("error 2 load: loading the file {stuck}")]);
}

#[test]
fn one_mistake_is_reported_once() {
    // The type check reports the line on which the render fails.
    let checked = of_body("nobody();");
    assert_eq!(checked.found.len() + checked.types.len(), 1, "{:?} {:?}", checked.found, checked.types);
    let checked = of_body("const = 3;");
    assert_eq!(checked.found, [""; 0]);
    assert!(checked.types.iter().all(|found| found.starts_with("error 3 TS1")), "{:?}", checked.types);
}
