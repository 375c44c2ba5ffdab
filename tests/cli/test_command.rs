//! `lmthing test` as a command: selection of files, options, reports, exit codes, `--watch` and signals
//! (docs/reference/test.md, docs/reference/command-line.md).

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{
    report::{Report, tests},
    support::{Folder, Outcome, Running, http},
};

/// A prompt file that runs.
const PROMPT: &str = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello Ada' }];
export default async ({ $ }) => { $`Say hello.`; };
";

/// A test that passes.
const PASSES: &str = "import { test } from 'lmthing/test';\ntest('passes', () => {});\n";

/// One test that passes and one that fails.
const FAILS: &str = "import { test } from 'lmthing/test';
test('passes', () => {});
test('fails', () => { throw new Error('as planned'); });
";

fn command(folder: &Folder, arguments: &str) -> Command {
    let mut command = folder.command(&format!("test {arguments}"));
    command.env_remove("CI").env_remove("GITHUB_ACTIONS").env_remove("GITHUB_WORKSPACE");
    command
}

fn run(folder: &Folder, arguments: &str) -> Outcome {
    Outcome::from(command(folder, arguments).output().expect("it runs"))
}

/// The tested files, relative to the folder.
fn files(report: &Report) -> Vec<String> {
    let results = report.json["testResults"].as_array().expect("a list of files");
    let name = |file: &serde_json::Value| {
        let path = file["name"].as_str().expect("a name").to_owned();
        path.rsplit_once("/in/").map_or(path.clone(), |(_, name)| name.to_owned())
    };
    results.iter().map(name).collect()
}

#[test]
fn folders_are_searched_for_tests_and_prompt_files_with_an_answer() {
    let folder = Folder::new(&[
        ("in/a.test.lmt.mjs", PASSES),
        ("in/deep/b.test.lmt.ts", PASSES),
        ("in/deep/c.test.lmt.js", PASSES),
        ("in/d.test.lmt.mts", PASSES),
        ("in/mocked.lmt.mjs", PROMPT),
        ("in/real.lmt.mjs", "// export const mock = [];\nexport default async ({ $ }) => { $`mock`; };"),
        ("in/recorded.lmt.mjs", "export const config = { model: 'openai:x' };\nexport default async () => {};"),
        ("in/recorded.recording.json", "{}"),
        ("in/plain.test.mjs", "throw new Error('not ours');"),
        ("in/.gitignore", "built/\n"),
        ("in/built/e.test.lmt.mjs", FAILS),
        ("in/node_modules/p/f.test.lmt.mjs", FAILS),
        ("in/.hidden/g.test.lmt.mjs", FAILS),
    ]);
    let expected = [
        "a.test.lmt.mjs",
        "d.test.lmt.mts",
        "deep/b.test.lmt.ts",
        "deep/c.test.lmt.js",
        "mocked.lmt.mjs",
        "recorded.lmt.mjs",
    ];
    assert_eq!(files(&Report::of(&folder, "in")), expected);
    let mut here = command(&folder, "--reporter json");
    here.current_dir(folder.path("in"));
    assert_eq!(files(&Report::from(Outcome::of(&mut here))), expected);
    // Each file once. Named files are included even if Git ignores them.
    let twice = Report::of(&folder, "in/a.test.lmt.mjs in/deep in/./a.test.lmt.mjs in/deep in/built/e.test.lmt.mjs");
    let expected = ["a.test.lmt.mjs", "built/e.test.lmt.mjs", "deep/b.test.lmt.ts", "deep/c.test.lmt.js"];
    let mut found = files(&twice);
    found.iter_mut().for_each(|name| *name = name.trim_start_matches("./").to_owned());
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn paths_that_cannot_be_meant_are_wrong_usage() {
    let folder = Folder::new(&[("hello.lmt.mjs", PROMPT), ("hello.test.lmt.mjs", PASSES), ("notes.txt", "")]);
    for (arguments, message) in [
        (
            "hello.tset.lmt.mjs",
            "Error: there is no file or folder hello.tset.lmt.mjs\n\nhint: Did you mean 'hello.test.lmt.mjs'?",
        ),
        ("nowhere", "Error: there is no file or folder nowhere"),
        ("notes.txt", "Error: notes.txt is not a prompt file: its name must end in .lmt.mjs"),
        ("--bail 3", "a number of failures is --bail=3"),
        ("--bail=0", "expected a whole number from 1 on"),
        ("--jobs many", "expected a whole number from 1 on"),
        ("--timeout soon", "expected a time such as 90s, 1m30s, 500ms or 2h"),
        ("--timeout -1", "expected a time such as 90s, 1m30s, 500ms or 2h"),
        ("--reporter xml", "[possible values: pretty, tap, json]"),
        ("--fliter x", "a similar argument exists: '--filter'"),
        ("--env-file gone.env", "--env-file: cannot read gone.env"),
        ("--junit notes.txt/junit.xml", "--junit notes.txt/junit.xml: cannot write the file"),
        ("--junit .", "--junit .: cannot write the file: it is a directory"),
    ] {
        let refused = run(&folder, arguments);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{arguments}: {refused:?}");
        assert!(refused.stderr.contains(message), "{arguments}: {}", refused.stderr);
    }
}

#[test]
fn no_test_is_a_failure() {
    let folder = Folder::new(&[("empty/notes.txt", ""), ("a.test.lmt.mjs", FAILS)]);
    let nothing = run(&folder, "empty");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""), "{nothing:?}");
    let message = "Error: no test was found in empty: neither a test file (*.test.lmt.mjs, ";
    assert!(nothing.stderr.starts_with(message), "{}", nothing.stderr);
    let report = Report::of(&folder, "empty");
    assert_eq!((report.code, &report.json["success"]), (1, &false.into()));
    let unmatched = run(&folder, "--filter nobody");
    assert_eq!(unmatched.code, 1);
    assert_eq!(unmatched.stderr, "Error: no test has \"nobody\" in its name\n");
    let matched = run(&folder, "--filter passes");
    assert_eq!((matched.code, matched.stderr.as_str()), (0, ""), "{matched:?}");
}

#[test]
fn the_report_alone_is_standard_output() {
    let folder = Folder::new(&[(
        "a.test.lmt.mjs",
        &tests(
            "console.log('top');
             test('talks', () => { console.log('one'); process.stdout.write('two'); console.error('three'); });
             test('is silent', () => {});
             test('fails', () => { process.stdout.write('half a line'); expect(1).toBe(2); });",
        ),
    )]);
    let pretty = run(&folder, "");
    assert_eq!(pretty.code, 1);
    assert!(pretty.stdout.contains(" FAIL  a.test.lmt.mjs > fails\n"), "{}", pretty.stdout);
    assert!(pretty.stdout.contains("--> a.test.lmt.mjs:5:"), "{}", pretty.stdout);
    assert_eq!(
        pretty.stderr,
        "console | a.test.lmt.mjs\ntop\n\
         console | a.test.lmt.mjs > talks\none\ntwothree\n\
         console | a.test.lmt.mjs > fails\nhalf a line\n",
    );
    let tap = run(&folder, "--reporter tap");
    assert_eq!((tap.code, &tap.stderr), (1, &pretty.stderr));
    assert!(tap.stdout.starts_with("TAP version 14\n"), "{}", tap.stdout);
    let report = Report::of(&folder, "");
    assert_eq!((report.code, &report.stderr), (1, &pretty.stderr));
    assert_eq!(report.json["numFailedTests"], 1);
}

#[test]
fn parallel_output_is_grouped_by_file() {
    let source = tests(
        "for (const name of ['one', 'two']) test(name, async () => {
           for (const word of ['a', 'b', 'c']) { console.log(word); await new Promise((go) => setTimeout(go, 5)); }
         });",
    );
    let folder = Folder::new(&[("a.test.lmt.mjs", &source), ("b.test.lmt.mjs", &source)]);
    let block = |file: &str, test: &str| format!("console | {file}.test.lmt.mjs > {test}\na\nb\nc\n");
    let expected = [block("a", "one"), block("a", "two"), block("b", "one"), block("b", "two")].concat();
    assert_eq!(run(&folder, "--jobs 2").stderr, expected);
}

#[test]
fn junit_is_written_in_addition_to_the_report() {
    let folder = Folder::new(&[("a.test.lmt.mjs", FAILS)]);
    let outcome = run(&folder, "--junit reports/junit.xml");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("Tests  1 failed | 1 passed (2)"), "{}", outcome.stdout);
    let xml = fs::read_to_string(folder.path("reports/junit.xml")).expect("it is there");
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"), "{xml}");
    assert!(xml.contains("<testsuite name=\"a.test.lmt.mjs\" tests=\"2\"") && xml.contains("as planned"), "{xml}");
}

#[test]
fn a_message_that_is_cut_within_an_emoji_is_kept() {
    let folder = Folder::new(&[(
        "a.test.lmt.mjs",
        &tests("test('cut', () => { throw new Error('smile 😀 again'.slice(0, 7)); });"),
    )]);
    let outcome = run(&folder, "--junit junit.xml");
    assert_eq!(outcome.code, 1);
    let xml = fs::read_to_string(folder.path("junit.xml")).expect("it is there");
    for report in [&outcome.stdout, &xml] {
        assert!(report.contains("smile \u{fffd}") && report.contains("a.test.lmt.mjs:"), "{report}");
    }
}

#[test]
fn a_test_that_breaks_the_test_runner_fails() {
    for breaks in ["delete globalThis.Set;", "delete Array.prototype[Symbol.iterator];"] {
        let source = tests(&format!("test('breaks', async () => {{ {breaks} await 1; }}); test('next', () => {{}});"));
        let folder = Folder::new(&[("a.test.lmt.mjs", &source)]);
        let report = Report::of(&folder, "--jobs 1");
        assert_eq!(report.statuses()[0], "breaks: failed", "{breaks}: {:?}", report.statuses());
    }
}

#[test]
fn github_gets_annotations() {
    let folder = Folder::new(&[("a.test.lmt.mjs", FAILS)]);
    let outcome = Outcome::of(command(&folder, "").env("GITHUB_ACTIONS", "true"));
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.starts_with("::error "), "{}", outcome.stderr);
    for part in ["file=a.test.lmt.mjs", "line=3", "title=fails", "as planned"] {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    assert!(!run(&folder, "").stderr.contains("::error"));
}

#[test]
fn bail_counts_failures() {
    let folder = Folder::new(&[
        ("a.test.lmt.mjs", &tests("for (const name of ['a', 'b', 'c']) test(name, () => { throw new Error(name); });")),
        ("b.test.lmt.mjs", PASSES),
        ("c.lmt.mjs", PROMPT),
    ]);
    let all = ["a: failed", "b: failed", "c: failed", "passes: passed", "runs: passed"];
    let bailed = |arguments: &str| Report::of(&folder, &format!("--jobs 1 {arguments}")).statuses();
    assert_eq!(bailed(""), all);
    assert_eq!(bailed("--bail"), ["a: failed", "b: skipped", "c: skipped", "passes: skipped", "runs: skipped"]);
    assert_eq!(bailed("--bail=2"), ["a: failed", "b: failed", "c: skipped", "passes: skipped", "runs: skipped"]);
    assert_eq!(bailed("--bail=9"), all);
}

#[test]
fn the_limit_of_all_tests_is_an_option() {
    let folder = Folder::new(&[(
        "a.test.lmt.mjs",
        &tests("test('waits', () => new Promise((go) => setTimeout(go, 300)));\ntest('is quick', () => {});"),
    )]);
    for (arguments, expected) in [("--timeout 50ms", "failed"), ("--timeout 0.05", "failed"), ("--timeout 0", "passed")]
    {
        let report = Report::of(&folder, arguments);
        assert_eq!(report.statuses(), [&format!("waits: {expected}"), "is quick: passed"], "{arguments}: {report:?}");
    }
}

#[test]
fn variables_come_from_files_too() {
    let folder = Folder::new(&[
        (
            "a.test.lmt.mjs",
            &tests("test('sees', () => expect([process.env.ONE, process.env.TWO]).toEqual(['1', '2']));"),
        ),
        (".env", "ONE=1\nTWO=other\n"),
        ("test.env", "TWO=2\n"),
    ]);
    assert_eq!(Report::of(&folder, "--env-file test.env").statuses(), ["sees: passed"]);
}

#[test]
fn test_files_are_not_run_as_prompt_files() {
    let folder = Folder::new(&[("a.test.lmt.mjs", PASSES)]);
    for arguments in ["run a.test.lmt.mjs", "a.test.lmt.mjs"] {
        let refused = folder.run(arguments);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
        assert!(
            refused.stderr.contains("hint: its tests are run by: lmthing test a.test.lmt.mjs"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn completion_offers_tests() {
    let folder = Folder::new(&[("hello.lmt.mjs", PROMPT), ("hello.test.lmt.mjs", PASSES), ("notes.txt", "")]);
    let mut command = folder.command("-- lmthing test h");
    command.env("LMTHING_COMPLETE", "fish");
    let offered = Outcome::of(&mut command);
    assert_eq!(offered.stdout.lines().collect::<Vec<_>>(), ["hello.lmt.mjs", "hello.test.lmt.mjs"], "{offered:?}");
}

#[cfg(unix)]
#[test]
fn an_interruption_reports_what_is_done() {
    let folder = Folder::new(&[
        ("a.test.lmt.mjs", PASSES),
        (
            "b.test.lmt.mjs",
            &tests(
                "test('done', () => {});\ntest('waits', () => { console.log('here'); for (;;); });\ntest('later', () => {});",
            ),
        ),
        ("c.test.lmt.mjs", PASSES),
    ]);
    let mut running = Running::of(&mut command(&folder, "--jobs 1 --reporter json --junit j.xml --timeout 0"));
    running.wait_for_stderr("here", 1);
    running.signal("INT");
    let report = Report::from(running.end());
    assert_eq!(report.code, 130);
    assert_eq!(report.statuses(), ["passes: passed", "done: passed", "waits: failed", "later: skipped"]);
    assert_eq!(report.json["success"], false);
    let xml = fs::read_to_string(folder.path("j.xml")).expect("it is there");
    assert!(xml.contains("the test waits was interrupted"), "{xml}");
}

#[test]
fn watching_tests_again_when_something_they_are_made_of_changes() {
    let folder = Folder::new(&[
        (
            "in/a.test.lmt.mjs",
            &tests(
                "import { word } from './word.mjs';\ntest('says', async () => {\n\
             const { text } = await run('./hello.lmt.mjs');\nconsole.log(`${word} ${text}`);\n});",
            ),
        ),
        ("in/word.mjs", "export const word = 'one';"),
        ("in/hello.lmt.mjs", PROMPT),
    ]);
    let mut running = Running::of(&mut command(&folder, "--watch in"));
    running.wait_for_stderr("one Hello Ada", 1);
    running.wait_for_stderr("waiting for a change", 1);
    folder.write("in/word.mjs", "export const word = 'two';");
    running.wait_for_stderr("two Hello Ada", 1);
    running.wait_for_stderr("waiting for a change", 2);
    folder.write("in/hello.lmt.mjs", &PROMPT.replace("Ada", "Bob"));
    running.wait_for_stderr("two Hello Bob", 1);
    running.wait_for_stderr("waiting for a change", 3);
    folder.write("in/b.test.lmt.mjs", FAILS);
    running.wait_for_stderr("the test run ended with code 1; waiting for a change", 1);
    #[cfg(unix)]
    {
        running.signal("INT");
        assert_eq!(running.end().code, 130);
    }
}

#[test]
fn watching_takes_no_notice_of_what_tests_write() {
    let folder = Folder::new(&[
        (
            "a.test.lmt.mjs",
            &tests("import { word } from './word.mjs';\ntest('keeps', () => expect(word).toMatchSnapshot());"),
        ),
        ("word.mjs", "export const word = 'one';"),
    ]);
    let mut running = Running::of(&mut command(&folder, "--watch --update"));
    running.wait_for_stderr("waiting for a change", 1);
    assert!(folder.path("__snapshots__/a.test.lmt.mjs.snap").exists());
    folder.write("word.mjs", "export const word = 'two';");
    running.wait_for_stderr("waiting for a change", 2);
    // A change that the program itself made must not start a run: the next event is ours.
    folder.write("__snapshots__/a.test.lmt.mjs.snap", "");
    running.wait_for_stderr("waiting for a change", 3);
    running.signal("INT");
    let reported = running.end().stderr;
    let changes: Vec<&str> = reported.lines().filter(|line| line.contains("has changed")).collect();
    let snapshots = "__snapshots__/a.test.lmt.mjs.snap";
    assert_eq!(changes, ["word.mjs", snapshots].map(|file| format!("[watch] {file} has changed; testing again")));
}

#[cfg(unix)]
#[test]
fn watching_takes_no_notice_of_recordings_that_are_made() {
    let requests = AtomicUsize::new(0);
    let address = http::serve(move |_| {
        let number = requests.fetch_add(1, Ordering::SeqCst);
        let answer =
            format!(r#"{{"id":"c","choices":[{{"delta":{{"content":"answer {number}"}},"finish_reason":"stop"}}]}}"#);
        http::response("200 X", "text/event-stream", &format!("data: {answer}\n\ndata: [DONE]\n\n"))
    });
    let folder = Folder::new(&[
        (
            "a.test.lmt.mjs",
            &tests(
                "import './word.mjs';\ntest('asks', async () => {\n\
             const { text } = await run('./p.lmt.mjs', { recording: 'p.recording.json' });\nconsole.log(text);\n});",
            ),
        ),
        ("p.lmt.mjs", "export const config = { model: 'lab:tide' };\nexport default async ({ $ }) => { $`go`; };"),
        ("word.mjs", ""),
    ]);
    let mut watched = command(&folder, "--watch --record --live a.test.lmt.mjs");
    watched
        .env("LAB_API_BASE", format!("http://{address}"))
        .env("LAB_API_TYPE", "openai")
        .env("LAB_API_KEY", "sk-lab-1");
    let mut running = Running::of(&mut watched);
    running.wait_for_stderr("answer 0", 1);
    running.wait_for_stderr("waiting for a change", 1);
    folder.write("word.mjs", "// new");
    running.wait_for_stderr("answer 1", 1);
    running.wait_for_stderr("waiting for a change", 2);
    folder.write("word.mjs", "// newer");
    running.wait_for_stderr("answer 2", 1);
    running.wait_for_stderr("waiting for a change", 3);
    running.signal("INT");
    let reported = running.end().stderr;
    let changes: Vec<&str> = reported.lines().filter(|line| line.contains("has changed")).collect();
    assert_eq!(changes, ["[watch] word.mjs has changed; testing again"; 2]);
    assert!(fs::read_to_string(folder.path("p.recording.json")).unwrap().contains("answer 2"));
}
