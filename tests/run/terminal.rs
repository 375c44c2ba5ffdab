//! Control characters and escape sequences in text from models, files and servers: removed on a terminal, unchanged in
//! pipes.

use std::{
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

use crate::support::{Folder, Outcome, Running};

/// As JavaScript source: a colour that lmthing does not use, a window title, clear screen, a one-character CSI,
/// carriage return, backspace, and a bidirectional override.
const HOSTILE: &str = r"A\x1b[35;7mB\x1b]0;title\x07C\x1b[2JD\x9b35mE\rF\x7f\x08G\u202eH";
const RAW: &str = "A\u{1b}[35;7mB\u{1b}]0;title\u{7}C\u{1b}[2JD\u{9b}35mE\rF\u{7f}\u{8}G\u{202e}H";
/// What a message, prose and `console` show of it.
const MESSAGE: &str = "ABCDEFGH";
const PROSE: &str = "ABCDEFG\u{202e}H";
const CONSOLE: &str = "A\u{1b}[35;7mBCDEFG\u{202e}H";

/// Sequences that lmthing itself never writes.
const NEVER: [&str; 7] = ["\u{1b}]", "\u{1b}[2J", "\u{1b}[35", "\u{9b}", "E\rF", "\u{7f}", "\u{8}"];
/// Remains of sequences that were removed only in part.
const LETTERS: [&str; 3] = ["title", "[2J", "[35;7"];

/// A run in which the model, its code and the errors are all hostile.
fn folder() -> Folder {
    let file = |body: &str| {
        format!(
            "import {{ z }} from 'zod';\nconst H = '{HOSTILE}';\nexport const config = {{ model: 'mock' }};\n\
             export const mock = [{{ type: 'text', text: 'hello' }}];\n{body}\n"
        )
    };
    let code = r"export const mock = [
      { type: 'tool-call', toolName: 'runToolCode', args: { code: 'console.log(' + JSON.stringify(H) + '); return 1;' } },
      { type: 'text', text: 'done' }];
    export default ({ $, defFunction }) => { defFunction('f', 'F.', z.object({}), () => 1); $`x`; };";
    let without_mock =
        |body: &str| file(body).replacen("export const mock = [{ type: 'text', text: 'hello' }];\n", "", 1);
    let pieces = "export const mock = [...H].map((text) => ({ type: 'text', text }));\n\
         export default ({ $ }) => { $`x`; };";
    let tool = "export const mock = [{ type: 'tool-call', toolName: 'run ' + H, args: {} }, { type: 'text', text: 'x' }];\n\
         export default ({ $, defTool }) => { defTool('t', 'T.', z.object({}), () => 1); $`x`; };";
    let typed = "export const output = z.string();\n\
         export const mock = [{ type: 'text', text: JSON.stringify(H) }];\n";
    let server = "export default ({ $, defMcp }) => {\n\
         defMcp('t', { command: 'sh', args: ['-c', `printf '%s\\n' \"$0\" >&2; exit 7`, H] }); $`x`; };";
    let test = "import { test } from 'lmthing/test';\nconst H = 'HOSTILE';\n\
         test('title ' + H, () => { console.log('console', H); throw new Error('why ' + H); });\n";
    Folder::new(&[
        ("text.lmt.mjs", &without_mock(&format!("export const mock = [{{ type: 'text', text: H }}];\n{}", body("")))),
        ("pieces.lmt.mjs", &without_mock(pieces)),
        ("console.lmt.mjs", &file(&body("console.log('out', H); console.error('err', H);"))),
        ("draw.lmt.mjs", &file(&body("process.stdout.write('out ' + H); process.stderr.write('err ' + H);"))),
        ("throw.lmt.mjs", &file(&body("throw new TypeError('why ' + H, { cause: new Error('cause ' + H) });"))),
        ("code.lmt.mjs", &without_mock(code)),
        ("tool.lmt.mjs", &without_mock(tool)),
        ("server.lmt.mjs", &file(server)),
        ("output.lmt.mjs", &without_mock(&format!("{typed}{}", body("")))),
        ("wrong.lmt.mjs", &format!("{}// {RAW}\nconst a: = '{RAW}';\n", file(""))),
        ("t.test.lmt.mjs", &test.replace("HOSTILE", HOSTILE)),
        (&format!("name {RAW}.lmt.mjs"), &file(&body("throw new Error('of a name');"))),
        (&format!("ok {RAW}.lmt.mjs"), &file(&body(""))),
    ])
}

fn body(what: &str) -> String {
    format!("export default async ({{ $ }}) => {{ {what} $`x`; }};")
}

/// Commands, and what each shows of [`HOSTILE`] on a terminal, with the words around it.
fn sources() -> Vec<(String, Vec<String>)> {
    let message = |before: &str| format!("{before}{MESSAGE}");
    let name = |before: &str, after: &str| format!("{before}name {MESSAGE}.lmt.mjs{after}");
    let named = format!("'name {RAW}.lmt.mjs'");
    [
        ("run text.lmt.mjs", vec![PROSE.to_owned()]),
        ("run pieces.lmt.mjs", vec![PROSE.to_owned()]),
        ("run console.lmt.mjs", vec![format!("out {CONSOLE}"), format!("err {CONSOLE}")]),
        ("run throw.lmt.mjs", vec![message("why "), message("cause ")]),
        ("run code.lmt.mjs", vec![message("[sandbox] ")]),
        ("run -v tool.lmt.mjs", vec!["  run ABCDEFGH {".to_owned()]),
        ("run server.lmt.mjs", vec![message("")]),
        ("run output.lmt.mjs", vec![r"C\u001b[2JDE\rF\bG".to_owned()]),
        ("run -f json text.lmt.mjs", vec!["EF".replace("EF", "\\r")]),
        (&format!("run {named}"), vec![name("", ":5"), "of a name".to_owned()]),
        (&format!("run 'no {RAW}'"), vec![message("no ")]),
        (&format!("check {named}"), vec![name("", ":5:45")]),
        ("check wrong.lmt.mjs", vec!["wrong.lmt.mjs:".to_owned()]),
        (&format!("check --print 'ok {RAW}.lmt.mjs'"), vec![format!("ok {MESSAGE}.lmt.mjs: the first request is")]),
        // Reports show symbols for control characters.
        ("test t.test.lmt.mjs", vec!["title A".to_owned(), "why A".to_owned(), "console ABCDEFG".to_owned()]),
        (&format!("view --journal='no {RAW}'"), vec![message("no ")]),
        (&format!("runs --journal='no {RAW}'"), vec![message("no ")]),
        (&format!("'no {RAW}'"), vec!["no A".to_owned()]),
        ("models", vec![format!("wrong: Model alias \"{MESSAGE}\"")]),
    ]
    .into_iter()
    .map(|(command, shown)| (command.to_owned(), shown))
    .collect()
}

/// Runs on a terminal to the end; stdout has both streams.
fn on_terminal(folder: &Folder, arguments: &str, has_colours: bool) -> String {
    let program = env!("CARGO_BIN_EXE_lmthing");
    // The arguments have control characters, which must not be typed on the terminal.
    folder.write("run.sh", &format!("stty rows 24 cols 400; exec {program} {arguments}\n"));
    let mut command = Command::new("script");
    command.args(["-qefc", "sh ./run.sh", "/dev/null"]).current_dir(folder.path("."));
    command.env_remove("CI").env("TERM", "xterm").env("LM_MODEL_H", RAW);
    match has_colours {
        true => command.env_remove("NO_COLOR"),
        false => command.env("NO_COLOR", "1"),
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::of(&mut command).end().stdout
}

fn piped(folder: &Folder, arguments: &str) -> Outcome {
    let program = env!("CARGO_BIN_EXE_lmthing");
    folder.write("run.sh", &format!("exec {program} {arguments}\n"));
    let mut command = Command::new("sh");
    command.arg("./run.sh").current_dir(folder.path(".")).env("NO_COLOR", "1").env("LM_MODEL_H", RAW);
    Outcome::of(command.stdin(Stdio::null()))
}

#[test]
fn control_characters_are_removed_on_a_terminal() {
    let folder = folder();
    let mut wrong = Vec::new();
    for (command, shown) in sources() {
        for has_colours in [false, true] {
            let seen = on_terminal(&folder, &command, has_colours);
            let is_console = command.contains("console.lmt");
            let is_removed = shown.iter().any(|text| text.contains(MESSAGE) || text.contains(PROSE));
            let never = NEVER.iter().filter(|sequence| !(is_console && **sequence == "\u{1b}[35"));
            let letters = LETTERS.iter().filter(|_| is_removed);
            let missing = shown.iter().filter(|text| !seen.contains(*text));
            let left = never.chain(letters).filter(|sequence| seen.contains(**sequence));
            let (missing, left): (Vec<_>, Vec<_>) = (missing.collect(), left.collect());
            if !missing.is_empty() || !left.is_empty() {
                wrong.push(format!("{command}, {has_colours}: no {missing:?}, but {left:?} in {seen:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn everything_is_unchanged_without_a_terminal() {
    let folder = folder();
    for (command, stdout, stderr) in [
        ("run text.lmt.mjs", format!("{RAW}\n"), String::new()),
        ("run pieces.lmt.mjs", format!("{RAW}\n"), String::new()),
        ("run console.lmt.mjs", format!("out {RAW}\n"), format!("err {RAW}\n")),
        ("run draw.lmt.mjs", format!("out {RAW}"), format!("err {RAW}")),
        ("run throw.lmt.mjs", String::new(), format!("why {RAW}\n")),
        ("run code.lmt.mjs", String::new(), format!("[sandbox] {RAW}\n")),
        (&format!("run 'name {RAW}.lmt.mjs'"), String::new(), format!("name {RAW}.lmt.mjs:5")),
        (&format!("check 'name {RAW}.lmt.mjs'"), String::new(), String::new()),
        ("models", RAW.to_owned(), String::new()),
    ] {
        let outcome = piped(&folder, command);
        assert!(outcome.stdout.contains(&stdout) && outcome.stderr.contains(&stderr), "{command}: {outcome:?}");
    }
}

#[test]
fn each_stream_is_looked_at_by_itself() {
    let folder = folder();
    let seen = on_terminal(&folder, "run console.lmt.mjs 2>err.txt", false);
    assert!(seen.contains(&format!("out {CONSOLE}")) && !seen.contains("err"), "{seen:?}");
    assert_eq!(std::fs::read_to_string(folder.path("err.txt")).unwrap(), format!("err {RAW}\n"));
    let seen = on_terminal(&folder, "run console.lmt.mjs >out.txt", false);
    assert!(seen.contains(&format!("err {CONSOLE}")) && !seen.contains("out"), "{seen:?}");
    assert!(std::fs::read_to_string(folder.path("out.txt")).unwrap().starts_with(&format!("out {RAW}\n")));
}

#[test]
fn a_script_may_draw_on_its_terminal() {
    let folder = folder();
    let seen = on_terminal(&folder, "run draw.lmt.mjs", false);
    assert!(seen.contains(&format!("out {RAW}")) && seen.contains(&format!("err {RAW}")), "{seen:?}");
    folder.write(
        "readline.lmt.mjs",
        &format!(
            "import {{ createInterface }} from 'node:readline/promises';\nimport {{ cursorTo }} from 'node:readline';\n\
             cursorTo(process.stdout, 4);\n\
             createInterface({{ input: process.stdin, output: process.stdout }}).close();\n\
             export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'x' }}];\n{}",
            body("")
        ),
    );
    assert!(on_terminal(&folder, "run readline.lmt.mjs", false).contains("\u{1b}[5G"));
}

#[test]
fn a_journal_of_hostile_runs_can_be_looked_at() {
    let folder = folder();
    piped(&folder, "run --journal=j.db throw.lmt.mjs");
    symlink(folder.path("tool.lmt.mjs"), folder.path(&format!("link {RAW}.lmt.mjs"))).unwrap();
    piped(&folder, &format!("run --journal=j.db 'link {RAW}.lmt.mjs'"));
    for command in ["runs --journal=j.db", "runs show last --journal=j.db", "runs export last --journal=j.db"] {
        for has_colours in [false, true] {
            let seen = on_terminal(&folder, command, has_colours);
            assert!(seen.contains("lmt.mjs"), "{command}: {seen:?}");
            for sequence in NEVER {
                assert!(!seen.contains(sequence), "{command}: {sequence:?} in {seen:?}");
            }
        }
    }
}
