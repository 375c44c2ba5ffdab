//! Runs every file of `examples/` and compares its output.
//!
//! Examples with a real model need a server: [`REAL_MODELS`] names the tests that run them.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::json;

use crate::support::{Outcome, lmthing};

/// Examples with a mock model, and their standard output. Standard error is empty, except for those in [`STDERR`].
const MOCKED: &[(&str, &str)] = &[
    (
        "agent-schema",
        "\
refused: score: Required: the property is missing
accepted: {\"film\": \"Metropolis\", \"score\": 9}
Metropolis: 9 of 10.
",
    ),
    ("approve", "I look first.\nremoved draft.txt\nThat is as far as I get.\n"),
    ("budget", "1 m deep\n2 m deep\n3 m deep\n4 m deep\n5 m deep\n"),
    (
        "composite-tools",
        "\
write {\"written\":5}
read \"HELLO\"
read {\"refused\":\"secret.txt\"}
read {\"error\":\"there is no b.txt\",\"hint\":\"write b.txt first\"}
remove {\"error\":\"Unknown sub-tool: remove\"}
a.txt says hello; there is no b.txt.
",
    ),
    (
        "custom-plugin",
        "\
step 0: 10 coins left
step 1: 3 coins left
step 2: 3 coins left (only 3 coins are left)
I bought one thing; a second one is too dear.
",
    ),
    ("eval/tickets", "{\"team\":\"billing\"}\n"),
    ("function-agent", "I am surest of this: waves are made by wind.\n"),
    ("function-demo", "Let me compute the order. Tea and a cup cost 10.80 with the discount.\n"),
    (
        "mcp-files",
        "\
notes_list-files {\"files\":[{\"name\":\"shopping.txt\",\"bytes\":21},{\"name\":\"tasks.txt\",\"bytes\":36}]}
notes_read-file \"Milk, bread, a lamp.\\n\"
notes_read-file {\"error\":\"Invalid input for tool notes_read-file: name: Required: the property is missing\"}
There is milk, bread and a lamp to buy.
",
    ),
    (
        "mcp-functions",
        "\
Object literal may only specify known properties, and 'file' does not exist in type '{ name: string; }'.
shopping.txt: 1, tasks.txt: 2
The tasks have the most lines.
",
    ),
    ("map", "{\"team\":\"support\",\"summary\":\"The customer cannot log in.\"}\n"),
    ("methods", "The account belongs to <code_response>user 7, a member since 2019</code_response>\n"),
    ("mock-demo", "Hello, World! This text comes from the mock array of the prompt file.\n"),
    (
        "mock-tools",
        "\
Adding 2 and 3.
That was no number; once more.
add(2, 3)
The sum is 5.
",
    ),
    (
        "multi-agent",
        "\
\x20 the researcher searches for history of zero
step 0, researcher: Zero came to Europe by way of Arabic mathematics.
step 1, critic: Name the Indian origin as well.
Zero was first used in India and came to Europe by way of Arabic mathematics.
",
    ),
    ("photo", "A red dot.\n"),
    ("prompt-cache", "You can have a refund.\n"),
    (
        "stateful",
        "\
step 0: 1 tool(s), last: nothing yet
step 1: 1 tool(s), last: note: the sky is blue
clean-up after 0 note(s)
step 2: 0 tool(s), last: note: grass is green
clean-up after 1 note(s)
I have noted two things.
clean-up after 2 note(s)
",
    ),
    ("scale/refunds", "I have seen to it.\n"),
    ("summarize", "7 words in, at most 50 out\nIt is about three cats.\n"),
    (
        "task-graph",
        "\
ready: flour
ready: yeast
ready: dough, knowing \"[flour] Buy flour: 500 g of flour\\n\\n[yeast] Buy yeast: a cube of yeast\"
all tasks are completed
The bread is ready.
",
    ),
    (
        "task-list",
        "\
step 0: research pending, write pending
step 1: research in_progress, write pending
step 2: research completed, write pending
step 3: research completed, write in_progress
step 4: research completed, write failed
The research is done; the writing failed for lack of paper.
",
    ),
    (
        "partial-output",
        "\
Pancakes, step 1: Mix the batter, 10 min
Pancakes, step 2: Let it rest, 30 min
Pancakes, step 3: Bake, 20 min
Let it rest overnight.
",
    ),
    ("typed", "{\"summary\":\"Sunny, with a light wind.\",\"celsius\":24}\n"),
];

/// Arguments and standard input of examples.
const GIVEN: &[(&str, &[&str], &str)] = &[
    ("eval/tickets", &["Please send me an invoice."], ""),
    ("map", &["I cannot log in."], ""),
    ("photo", &["@examples/photo.png"], ""),
    ("scale/refunds", &["17", "--euros", "30"], ""),
    ("summarize", &[], "Three cats sat here.\nAll three slept.\n"),
    ("typed", &["Rome", "--days", "2", "--tags", "rain", "--tags", "wind"], ""),
];

/// Standard error of examples; lines in any order.
const STDERR: &[(&str, &[&str])] = &[
    (
        "approve",
        &[
            "Warning: the call of remove needs approval and was denied; lmthing run --approve 'remove' approves it, --yes \
           every call",
        ],
    ),
    ("mcp-files", &["Warning: Invalid input for tool notes_read-file: name: Required: the property is missing"]),
    ("composite-tools", &["Warning: Unknown sub-tool: remove of tool files (DIR/examples/composite-tools.lmt.mjs:34)"]),
    (
        "budget",
        &[
            "Error: The run was ended at its token limit of 4500 tokens: 5000 tokens were used in 5 steps. Set --max-tokens \
           or config.limits.tokens higher to let it go further.",
        ],
    ),
    ("custom-plugin", &["Warning: tool spend threw: only 3 coins are left (DIR/examples/custom-plugin.lmt.mjs:15:44)"]),
    ("function-demo", &["[sandbox] prices [400,800]", "price of cup asked for", "price of tea asked for"]),
    ("photo", &["photo.png: image/png, 69 bytes"]),
    ("typed", &["asking for Rome, 2 days, rain and wind"]),
    (
        "mock-tools",
        &["Warning: Invalid input for tool add: b: Invalid input: expected number, received string \
           (DIR/examples/mock-tools.lmt.mjs:26)"],
    ),
];

/// Exit codes of examples that do not end with 0.
const ENDED: &[(&str, i32)] = &[("budget", 4)];

/// Examples with a real model string, and the test that runs each.
const REAL_MODELS: &[(&str, &str)] = &[
    ("data-analysis", "tests/providers/real_models.rs"),
    ("hello", "tests/providers/real_models.rs"),
    ("weather", "tests/providers/real_models.rs"),
];

const ENDINGS: [&str; 4] = [".lmt.mjs", ".lmt.js", ".lmt.ts", ".lmt.mts"];

fn examples() -> Vec<(String, std::path::PathBuf)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let named = |path: std::path::PathBuf| {
        let name = path.strip_prefix(&directory).ok()?.to_str()?;
        let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))?.to_owned();
        Some((stem, path))
    };
    let folders = ["", "eval", "scale"].map(|folder| fs::read_dir(directory.join(folder)).expect("examples/ is there"));
    let files = folders.into_iter().flatten();
    let files = files.filter_map(|entry| named(entry.expect("a readable directory").path()));
    // `lmthing test` runs the tests of examples, and a test of its own the eval.
    files.filter(|(stem, _)| !stem.ends_with(".test") && !stem.ends_with(".eval")).collect()
}

#[test]
fn the_tests_of_the_examples_pass() {
    let Outcome { code, stdout, stderr } =
        Outcome::of(lmthing().args(["test", "examples"]).current_dir(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(code, 0, "{stdout}{stderr}");
    // The skipped ones need an input.
    assert!(stdout.contains(" passed | 5 skipped ("), "{stdout}");
}

#[test]
fn check_finds_no_error_in_the_examples() {
    let outcome = Outcome::of(lmthing().args(["check", "examples"]).current_dir(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

#[test]
fn the_eval_finds_the_better_variant() {
    let arguments = ["eval", "examples/eval", "--baseline", "examples/eval/baseline.jsonl", "--format", "json"];
    let outcome = Outcome::of(lmthing().args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let report = outcome.object();
    let eval = &report["evals"][0];
    assert_eq!((&report["ok"], &eval["rows"], &eval["cells"]), (&json!(true), &json!(30), &json!(60)));
    let means =
        eval["groups"].as_array().unwrap().iter().map(|group| group["scores"]["right"]["mean"].as_f64().unwrap());
    let right: Vec<f64> = means.map(|mean| (mean * 30.0).round()).collect();
    assert_eq!(right, [16.0, 28.0], "{eval}");
    let differences = eval["differences"].as_array().unwrap().iter();
    let right = differences.filter(|difference| difference["score"] == "right");
    let verdicts: Vec<_> = right
        .map(|difference| ["variant", "against", "verdict"].map(|name| difference[name].as_str().unwrap()))
        .collect();
    let expected = [["few", "baseline", "better"], ["many", "first", "better"], ["many", "baseline", "better"]];
    assert_eq!(verdicts, expected, "{eval}");
}

fn run(name: &str, path: &Path) -> Outcome {
    let (_, words, text) = GIVEN.iter().find(|(given, ..)| *given == name).unwrap_or(&("", &[], ""));
    Outcome::with_input(lmthing().arg("run").arg(path).args(*words), text)
}

#[test]
fn every_mocked_example_has_its_output() {
    let files = examples();
    let mut failures = Vec::new();
    for (name, expected) in MOCKED {
        let (_, path) = files.iter().find(|(stem, _)| stem == name).expect("a listed example exists");
        let Outcome { code: ended_with, stdout, stderr } = run(name, path);
        let stderr = stderr.replace(env!("CARGO_MANIFEST_DIR"), "DIR");
        let mut printed: Vec<&str> = stderr.lines().collect();
        printed.sort_unstable();
        let loud = STDERR.iter().find(|(loud, _)| loud == name).map_or(&[][..], |(_, lines)| lines);
        let code = ENDED.iter().find(|(outcome, _)| outcome == name).map_or(0, |(_, code)| *code);
        if ended_with != code || stdout != *expected || printed != loud {
            failures.push(format!(
                "{name}: {}\n--- expected\n{expected}--- printed\n{stdout}--- errors\n{stderr}",
                ended_with
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_example_is_listed_and_has_a_header() {
    let listed: BTreeSet<&str> = MOCKED.iter().chain(REAL_MODELS).map(|(name, _)| *name).collect();
    let files = examples();
    let there: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(there, listed, "the files of examples/ and the lists of this test");
    for (name, path) in &files {
        let text = fs::read_to_string(path).expect("an example is text");
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
        let file = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("an example of this repository");
        let command = format!("lmthing run {}", file.display());
        assert!(header.first().is_some_and(|line| line.starts_with("// Shows ")), "{name}: say what it shows");
        assert!(header.iter().any(|line| line.contains(&command)), "{name}: say how to run it: {command}");
    }
}
