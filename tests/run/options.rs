//! Options of `run`: the model, variables, verbosity.

use crate::support::{Folder, HELLO, Outcome, lmthing};

/// Needs no model for its text: prints what its tool returns.
const LOOKS: &str = "
import { z } from 'zod';
export const config = {};
export default async ({ $, defTool }) => { defTool('look', 'Looks.', z.object({ q: z.string() }), ({ q }) => q.length); $`go`; };
";

const LOOKING: &str = r#"[
  { "type": "tool-call", "toolName": "look", "args": { "q": "a question that goes on and on and on and on and on and on and on and on and on" } },
  { "type": "text", "text": "cut" },
  { "type": "finish", "finishReason": "length" }
]"#;

fn refused(outcome: &Outcome, words: &[&str]) {
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome:?}");
    for word in words {
        assert!(outcome.stderr.contains(word), "{word}: {outcome:?}");
    }
}

#[test]
fn a_mock_file_takes_the_place_of_the_model() {
    let folder = Folder::new(&[
        ("p.lmt.mjs", LOOKS),
        ("m.json", LOOKING),
        ("none.lmt.mjs", "export default ({ $ }) => { $`go`; };"),
    ]);
    for file in ["p.lmt.mjs", "none.lmt.mjs"] {
        let outcome = folder.run(&format!("run --mock m.json {file}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "cut\n"), "{outcome:?}");
        assert!(outcome.stderr.contains("Warning: mock:"), "{outcome:?}");
    }
    let own = Folder::new(&[("p.lmt.mjs", HELLO), ("m.json", r#"[{ "type": "text", "text": "given" }]"#)]);
    assert_eq!(own.run("run --mock m.json p.lmt.mjs").stdout, "from the script\ngiven\n");
}

#[test]
fn an_invalid_mock_file_is_reported_with_its_position() {
    let files = [
        (
            "bad.json",
            "[{ \"type\": \"text\", \"text\": \"\" }, { \"type\": \"txt\" }]",
            ["bad.json", "item 1", "'text'"],
        ),
        ("key.json", "[{ \"type\": \"text\", \"txt\": \"\" }]", ["key.json", "item 0", "txt"]),
        ("torn.json", "[\n{", ["torn.json", "not JSON", "line 2"]),
        ("object.json", "{}", ["object.json", "no array", "expected"]),
    ];
    let folder = Folder::of(HELLO);
    for (name, text, words) in files {
        folder.write(name, text);
        refused(&folder.run(&format!("run --mock {name} p.lmt.mjs")), &words);
    }
    refused(&folder.run("run --mock nothing.json p.lmt.mjs"), &["--mock", "nothing.json", "no such file"]);
    let object = folder.run("run -f json --mock bad.json p.lmt.mjs").object();
    assert_eq!((object["error"]["code"].as_i64(), object["error"]["kind"].as_str()), (Some(2), Some("usage")));
}

#[test]
fn a_model_that_is_none_is_wrong_usage() {
    let folder = Folder::of(HELLO);
    refused(
        &folder.run("run -m opnai:gpt-4o p.lmt.mjs").without_text(),
        &["-m", "opnai", "Did you mean \"openai:gpt-4o\"?"],
    );
    refused(&folder.run("run --model nothing p.lmt.mjs").without_text(), &["--model nothing", "LM_MODEL_NOTHING"]);
    refused(&folder.run("run --mock m.json -m mock p.lmt.mjs"), &["--mock", "--model"]);
    let missing_key = folder.command("run -m openai:gpt-4o p.lmt.mjs").env_remove("OPENAI_API_KEY").output().unwrap();
    assert_eq!(Outcome::from(missing_key).code, 3);
    assert_eq!(folder.run("run -m mock p.lmt.mjs").stdout, "from the script\nHello world\n");
}

impl Outcome {
    /// Drops what the script printed while it was loaded.
    fn without_text(self) -> Outcome {
        Outcome { stdout: self.stdout.replace("from the script\n", ""), ..self }
    }
}

#[test]
fn variables_come_from_files_in_order() {
    let source = "
export const config = { model: 'mock' };
export const mock = [];
export default () => { const { A, B, C, D } = process.env; console.log([A, B, C, D].join()); };
";
    let folder = Folder::new(&[
        ("p.lmt.mjs", source),
        ("a.env", "A=1\nB=1\nC=1\n"),
        ("b.env", "B=2\nC=2\n"),
        (".env", "A=3\nD=3\n"),
    ]);
    let output = folder.command("run --env-file a.env --env-file=b.env p.lmt.mjs").env("C", "real").output().unwrap();
    assert_eq!(Outcome::from(output).stdout, "1,2,real,3\n");
    refused(&folder.run("run --env-file nothing.env p.lmt.mjs"), &["--env-file", "nothing.env"]);
    folder.write("torn.env", "A=1\n=secret\nB=2\n");
    let outcome = folder.run("run --env-file torn.env p.lmt.mjs");
    assert!(outcome.stdout.starts_with("1,2,") && outcome.stderr.contains("Warning: torn.env: a line"), "{outcome:?}");
}

#[test]
fn verbose_hides_keys_in_member_names() {
    let key = "sk-aB3dE6gH9jK2mN5pQ8sT";
    let folder = Folder::of(
        "const name = process.env.LAB_API_KEY;
         export const config = { model: 'mock' };
         export const mock = [{ type: 'tool-call', toolName: name, args: {} }, { type: 'text', text: 'done' }];
         export default ({ $, defTool }) => { defTool(name, 'k', { type: 'object' }, () => 1); $`go`; };",
    );
    let outcome = Outcome::of(folder.command("run -v p.lmt.mjs").env("LAB_API_KEY", key));
    assert!(outcome.code == 0 && outcome.stderr.contains("  [redacted] {}"), "{outcome:?}");
    assert!(!outcome.stderr.contains(key), "{outcome:?}");
}

#[test]
fn quiet_and_verbose_tell_less_and_more() {
    let folder = Folder::new(&[("p.lmt.mjs", LOOKS), ("m.json", LOOKING)]);
    let quiet = folder.run("run -q --mock m.json p.lmt.mjs");
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("cut\n", ""));
    let verbose = folder.run("run -v --mock m.json p.lmt.mjs");
    let lines: Vec<&str> = verbose.stderr.lines().collect();
    assert!(lines[0].starts_with("  look {\"q\":\"a question") && lines[0].contains("… · 0.0"), "{lines:?}");
    assert!(lines[0].chars().count() <= 100, "{lines:?}");
    assert!(lines[1].starts_with("step 0 · mock:mock · 0.0"), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("Warning: ")), "{lines:?}");
    refused(&folder.run("run -q -v --mock m.json p.lmt.mjs"), &["--quiet", "--verbose"]);
    // Without this message, the failure would not be visible.
    folder.write("m.json", r#"[{ "type": "text", "text": "half" }, { "type": "finish", "finishReason": "error" }]"#);
    let failed = folder.run("run --quiet --mock m.json p.lmt.mjs");
    assert_eq!((failed.code, failed.stderr.lines().count()), (3, 1), "{failed:?}");
    assert!(failed.stderr.starts_with("Error: "), "{failed:?}");
}

#[test]
fn a_format_that_is_none_is_refused() {
    let folder = Folder::of(HELLO);
    refused(&folder.run("run -f yaml p.lmt.mjs"), &["yaml", "--format", "json", "events"]);
    refused(&folder.run("run --format jsno p.lmt.mjs"), &["jsno", "similar value exists: 'json'"]);
    let text = folder.run("run --format text p.lmt.mjs");
    assert_eq!((text.stdout.as_str(), text.stderr.as_str()), ("from the script\nHello world\n", ""));
}

#[test]
fn of_an_option_given_twice_the_last_one_counts() {
    let folder = Folder::of(HELLO);
    let outcome = folder.run("run --max-steps 1 -f json --max-steps 5 -f text p.lmt.mjs a b b");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "from the script\nHello world\n"), "{outcome:?}");
}

#[cfg(unix)]
#[test]
fn a_file_can_be_a_program() {
    use std::{fs, os::unix::fs::PermissionsExt, process::Command};
    let body = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: process.argv[2] TYPE }];\nexport default ({ $ }PROMPT) => { $`go`; };\n";
    let javascript = body.replace("TYPE", "").replace("PROMPT", "");
    let typescript = body.replace("TYPE", "as string").replace("PROMPT", ": any");
    let folder = Folder::new(&[]);
    for (name, text) in [("p.lmt.mjs", javascript), ("p.lmt.ts", typescript)] {
        folder.write(name, &format!("#!/usr/bin/env -S {} run -q\n{text}", env!("CARGO_BIN_EXE_lmthing")));
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        let outcome = Outcome::of(Command::new(folder.path(name)).arg("word"));
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "word\n", ""));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    let takes = "import { z } from 'zod';\nexport const input = z.object({ text: z.string() });\n";
    let folder = Folder::new(&[("p.lmt.mjs", HELLO), ("takes.lmt.mjs", &format!("{takes}{HELLO}"))]);
    let named = std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(named.success());
    for (place, why) in [
        ("/dev/zero", "it is a device"),
        ("/dev/urandom", "it is a device"),
        ("pipe", "no program opened it for writing"),
    ] {
        for (arguments, code) in [
            (format!("run --mock {place} p.lmt.mjs"), 2),
            (format!("run --env-file {place} p.lmt.mjs"), 2),
            (format!("run --replay {place} p.lmt.mjs"), 1),
            (format!("run --input @{place} takes.lmt.mjs"), 2),
            (format!("run takes.lmt.mjs --text @{place}"), 2),
            (format!("map --input {place} takes.lmt.mjs"), 2),
            (format!("view ./{}", place.trim_start_matches('/')), 1),
        ] {
            let arguments = arguments.replace("./dev/", "/dev/");
            let outcome = folder.run(&arguments);
            assert!(outcome.code == code && outcome.stderr.contains(why), "{arguments}: {outcome:?}");
        }
        let priced = folder.command("run p.lmt.mjs").env("LMTHING_PRICES", place).output().unwrap();
        let priced = Outcome::from(priced);
        assert!(priced.code == 2 && priced.stderr.contains(why), "{place}: {priced:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_that_are_written_to_are_files_like_others() {
    let source = "import { z } from 'zod';
export const input = z.object({ text: z.string() });
export default ({ $ }, { text }) => { console.log(text, process.env.A); $`go`; };";
    let folder = Folder::of(source);
    let line = format!(
        "{} run --mock <(printf '[{{\"type\":\"text\",\"text\":\"mocked\"}}]') --env-file <(sleep 0.2; echo A=1) p.lmt.mjs --text @<(printf piped)",
        env!("CARGO_BIN_EXE_lmthing")
    );
    let output = std::process::Command::new("bash").args(["-c", &line]).current_dir(folder.path("")).output().unwrap();
    let outcome = Outcome::from(output);
    assert_eq!(outcome.stdout, "piped 1\nmocked\n", "{outcome:?}");
    let endless = format!("{} run --env-file <(yes) p.lmt.mjs", env!("CARGO_BIN_EXE_lmthing"));
    let output =
        std::process::Command::new("bash").args(["-c", &endless]).current_dir(folder.path("")).output().unwrap();
    let outcome = Outcome::from(output);
    assert!(outcome.code == 2 && outcome.stderr.contains("larger than 64 MiB"), "{outcome:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_from_standard_input_is_in_memory_twice_at_most() {
    const LENGTH: usize = 100 << 20;
    let measured = "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Done.' }];
const peak = (length) => process.on('exit', () => console.log(length, process.resourceUsage().maxRSS / 1024 | 0));\n";
    let with_input =
        format!("{measured}import {{ z }} from 'zod';\nexport const input = z.object({{ text: z.string() }});\n");
    let folder = Folder::new(&[
        (
            "input.lmt.mjs",
            &format!("{with_input}export default ({{ $ }}, {{ text }}) => {{ $`${{text}}`; peak(text.length); }};"),
        ),
        (
            "read.lmt.mjs",
            &format!(
                "import fs from 'node:fs';\n{measured}export default () => peak(fs.readFileSync(0, 'utf8').length);"
            ),
        ),
        ("text.txt", &"a".repeat(LENGTH)),
        ("text.json", &format!("{{\"text\":\"{}\"}}", "a".repeat(LENGTH))),
        ("a.txt", "a"),
        ("a.json", r#"{"text":"a"}"#),
    ]);
    // Length of the text, and peak memory in MiB.
    let run = |arguments: &str, file: &str| -> (usize, usize) {
        let standard_input = std::fs::File::open(folder.path(file)).unwrap();
        let outcome = Outcome::of(folder.command(arguments).stdin(standard_input));
        let line = outcome.stdout.lines().find_map(|line| line.split_once(' '));
        let (length, peak) = line.unwrap_or_else(|| panic!("{arguments}: {outcome:?}"));
        (length.parse().unwrap(), peak.parse().unwrap())
    };
    for (arguments, name) in [
        ("run input.lmt.mjs", "txt"),
        ("run input.lmt.mjs -", "txt"),
        ("run --input - input.lmt.mjs", "json"),
        ("run read.lmt.mjs", "txt"),
    ] {
        let (_, of_any_run) = run(arguments, &format!("a.{name}"));
        let (length, peak) = run(arguments, &format!("text.{name}"));
        assert_eq!(length, LENGTH);
        assert!(peak < of_any_run + 200 + 20, "{arguments}: {peak} MiB, {of_any_run} MiB with a short text");
    }
}

#[test]
fn help_is_a_command_too() {
    let output = |arguments: &[&str]| Outcome::of(lmthing().args(arguments));
    for (command, option) in [(&["help"][..], &["--help"][..]), (&["help", "run"], &["run", "--help"])] {
        let (command, option) = (output(command), output(option));
        assert_eq!((command.code, command.stderr.as_str()), (0, ""));
        assert_eq!(command.stdout, option.stdout);
    }
}
