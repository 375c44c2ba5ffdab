//! How runs end: what `exit` listeners get, and what an interrupted run leaves.

use crate::support::Folder;

const LISTENS: &str = "process.on('exit', (code) => console.log('listener', code));\n";

#[test]
fn listeners_of_the_end_hear_the_code_it_has() {
    let loops =
        "export const config = { model: 'mock' }; export const mock = []; export default () => { for (;;) {} };";
    let broken = "
        const doStream = async () => ({ stream: (async function* () {
          yield { type: 'text-delta', id: '1', delta: 'x' };
          yield { type: 'finish', finishReason: 'error', usage: {} };
        })() });
        export const config = { model: { specificationVersion: 'v2', provider: 'w', modelId: 'm', doStream } };
        export default ({ $ }) => { $`x`; };";
    let works = "
        process.on('exit', () => { let sum = 0; for (let i = 0; i < 30000; i += 1) sum += i; console.log('sum', sum); });
        export const config = { model: 'mock' }; export const mock = []; export default () => { for (;;) {} };";
    for (arguments, source, code, received) in [
        ("run --timeout 500ms p.lmt.mjs", loops, 4, "listener 4\n"),
        ("run --timeout 500ms p.lmt.mjs", works, 4, "listener 4\nsum 449985000\n"),
        ("run p.lmt.mjs", broken, 3, "x\nlistener 3\n"),
        ("run -m nope:x p.lmt.mjs", loops, 2, "listener 2\n"),
        ("run p.lmt.mjs", "throw new Error('at once');", 1, "listener 1\n"),
    ] {
        let outcome = Folder::of(&format!("{LISTENS}{source}")).run(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (code, received), "{outcome:?}");
    }
}

#[test]
fn no_request_follows_a_tool_that_ends_the_process() {
    let folder = Folder::of(
        "export const config = { model: 'mock' };
        export const mock = [{ type: 'tool-call', toolName: 't', args: {} }, { type: 'text', text: 'too late' }];
        export default ({ defTool, $ }) => { defTool('t', 'T.', {}, () => { process.exit(7); }); $`x`; };",
    );
    let outcome = folder.run("run p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (7, ""), "{outcome:?}");
    assert!(!outcome.stderr.contains("threw"), "{outcome:?}");
}

#[test]
fn help_is_no_part_of_what_programs_read() {
    let folder = Folder::of(
        "export const description = 'Says how the weather will be';
        export const input = { type: 'object', properties: { city: { type: 'string' } } };
        export const config = { model: 'mock' }; export const mock = []; export default () => {};",
    );
    for format in ["json", "events"] {
        let outcome = folder.run(&format!("run -f {format} p.lmt.mjs --help"));
        assert!(outcome.stderr.contains("--city <string>"), "{outcome:?}");
        assert!(!outcome.events().is_empty());
        assert_eq!(outcome.code, 0);
    }
}

#[cfg(unix)]
#[test]
fn a_recording_is_closed_when_a_script_that_computes_is_interrupted() {
    let folder = Folder::of(
        "export const config = { model: 'mock' };
        export const mock = [{ type: 'tool-call', toolName: 't', args: {} }, { type: 'text', text: 'done' }];
        export default ({ defTool, $ }) => { defTool('t', 'T.', {}, () => { for (;;) {} }); $`x`; };",
    );
    let mut running = folder.start("run --record r.json -f events p.lmt.mjs");
    running.wait_for("\"tool-call\"", 1);
    std::thread::sleep(std::time::Duration::from_millis(500));
    running.signal("INT");
    let outcome = running.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(!folder.path("r.json.partial").exists(), "{outcome:?}");
    let stored = folder.path("r.json").exists();
    assert_eq!(outcome.stderr.contains("the run did not end well; r.json holds"), stored, "{outcome:?}");
}

#[test]
fn listeners_of_the_end_cannot_hide_a_failure() {
    let exits = |code: i32| format!("process.on('exit', () => process.exit({code}));\n");
    let model = |body: &str| {
        format!(
            "export const config = {{ model: {{ provider: 'p', modelId: 'm', async doStream() {{ {body} }} }} }};
            export default ({{ $ }}) => {{ $`x`; }};"
        )
    };
    let down = model("throw new Error('down');");
    let broken = model("return { stream: [{ type: 'finish', finishReason: 'error', usage: {} }] };");
    let loops =
        "export const config = { model: 'mock' }; export const mock = []; export default () => { for (;;) {} };";
    let throws = "throw new Error('at once');";
    for (options, source, exit, code, words) in [
        ("--timeout 500ms", loops, 0, 4, "time limit of 500 ms"),
        ("", &*down, 0, 3, "down"),
        ("", &*broken, 0, 3, "finish reason error"),
        ("", &*broken, 9, 3, "finish reason error"),
        // As in Node.
        ("", throws, 0, 0, "at once"),
        ("", throws, 9, 9, "at once"),
    ] {
        let folder = Folder::of(&format!("{}{source}", exits(exit)));
        let outcome = folder.run(&format!("run {options} p.lmt.mjs"));
        assert_eq!((outcome.code, outcome.stderr.contains(words)), (code, true), "{outcome:?}");
        let outcome = folder.run(&format!("run -f json {options} p.lmt.mjs"));
        assert_eq!((outcome.code, outcome.object()["ok"].as_bool()), (code, Some(false)), "{outcome:?}");
    }
}
