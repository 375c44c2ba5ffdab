//! `lmthing runs export ID --as-test` (docs/reference/runs.md): the test passes at once, and fails when the prompt changes.

use std::fs;

use serde_json::json;

use crate::{
    helpers::{failed, ran},
    support::{
        Folder, Outcome,
        resume::{
            PRELUDE, Project,
            provider::{Provider, Turn},
        },
    },
};

const RECORDING: &str = "p.test.recording.json";

/// A tool, and an agent that calls it as well.
const WORK: &str = "
export const config = { model: 'lab:m', options: { temperature: 0.5 } };
export default ({ $, defSystem, defTool, defAgent }) => {
  defSystem('role', 'Be brief.');
  const look = (prompt) => prompt.defTool('look', 'Looks.', z.object({ q: z.string() }), ({ q }) => ({ found: `${q}, of course` }));
  look({ defTool });
  defAgent('ask', 'Asks.', none, (_, child) => { look(child); child.$`You are who=child.`; });
  $`You are who=root.`;
};
";

/// Calls the tool and the agent, then answers.
fn working() -> Project {
    let provider = Provider::start(|request| match (request.who.as_str(), request.step) {
        ("root", 0) => Turn::default().call("c1", "look", &json!({ "q": "it's Rome" })).call("c2", "ask", &json!({})),
        ("child", 0) => Turn::default().call("c1", "look", &json!({ "q": "inside" })),
        ("child", _) => Turn::text("found it"),
        _ => Turn::text("Rome is\n  where `it` ${was}.\n"),
    });
    Project::new(&format!("{PRELUDE}{WORK}"), provider)
}

/// Runs the exported test, without the variables of the provider.
fn tested(folder: &Folder) -> Outcome {
    folder.run("test p.test.lmt.mjs")
}

fn exported(folder: &Folder) -> String {
    source_of(folder, &folder.run("runs export last --as-test"))
}

fn source_of(folder: &Folder, outcome: &Outcome) -> String {
    assert_eq!((outcome.code, &outcome.stdout), (0, &format!("p.test.lmt.mjs\n{RECORDING}\n")), "{outcome:?}");
    assert!(outcome.stderr.contains("lmthing test p.test.lmt.mjs\n"), "{outcome:?}");
    fs::read_to_string(folder.path("p.test.lmt.mjs")).unwrap()
}

/// The test passes, and fails after each of these changes of the prompt file.
fn passes_until_changed(folder: &Folder, changes: &[(&str, &str)]) {
    let outcome = tested(folder);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    // Every exchange of the recording was played.
    assert!(!outcome.stderr.contains("never asked for"), "{outcome:?}");
    let before = fs::read_to_string(folder.path("p.lmt.mjs")).unwrap();
    for (old, new) in changes {
        assert!(before.contains(old), "{old}");
        folder.write("p.lmt.mjs", &before.replacen(old, new, 1));
        let outcome = tested(folder);
        assert_eq!(outcome.code, 1, "{old} → {new}: {outcome:?}");
        assert!(outcome.stdout.contains("The request differs from exchange"), "{outcome:?}");
    }
    folder.write("p.lmt.mjs", &before);
}

#[test]
fn a_run_becomes_a_test_with_its_recording() {
    let project = working();
    assert_eq!(project.run("run --journal p.lmt.mjs").code, 0);
    let source = source_of(&project.folder, &project.run("runs export last --as-test"));
    let call = "  const answer = await run('./p.lmt.mjs', { recording: 'p.test.recording.json' });\n";
    let expectations = "
  expect(answer).toHaveCalledTools([['look', { q: \"it's Rome\" }], 'ask']);
  expect(answer).toHaveCalledTool('look', { q: 'inside' });
  expect(answer.text).toBe(`Rome is
  where \\`it\\` \\${was}.
`);
});
";
    assert!(source.contains(call) && source.ends_with(expectations), "{source}");
    let recording: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(project.folder.path(RECORDING)).unwrap()).unwrap();
    assert_eq!(recording["usedBy"], json!(["p.test.lmt.mjs"]));
    assert_eq!(recording["exchanges"].as_array().unwrap().len(), 4);
    assert_eq!(recording["exchanges"][0]["request"]["settings"], json!({ "temperature": 0.5 }));
    passes_until_changed(
        &project.folder,
        &[
            ("Be brief.", "Be very brief."),
            ("'Looks.'", "'Looks it up.'"),
            ("temperature: 0.5", "temperature: 1"),
            ("who=child.", "who=child. Hurry."),
            // What a tool returns is part of the next request.
            (", of course", ", indeed"),
        ],
    );
    assert_eq!(project.provider.count(), 4, "no model is asked");
    // An expectation fails by itself.
    project.folder.write("p.test.lmt.mjs", &source.replace("it's Rome", "Paris"));
    assert_eq!(tested(&project.folder).code, 1);
}

#[test]
fn a_run_equals_its_recording() {
    let project = working();
    assert_eq!(project.run("run --journal --record r.json p.lmt.mjs").code, 0);
    exported(&project.folder);
    let read = |name: &str| {
        let text = fs::read_to_string(project.folder.path(name)).unwrap();
        let exchanges = serde_json::from_str::<serde_json::Value>(&text).unwrap()["exchanges"].clone();
        exchanges.as_array().unwrap().iter().map(|exchange| exchange["request"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(read(RECORDING), read("r.json"));
    let replayed = project.folder.run(&format!("run --replay {RECORDING} p.lmt.mjs"));
    assert_eq!(replayed.code, 0, "{replayed:?}");
}

#[test]
fn a_mock_is_replayed_with_input_and_output() {
    let folder = Folder::of(&format!(
        "{PRELUDE}
export const input = z.object({{ city: z.string(), days: z.number().default(3) }});
export const output = z.object({{ high: z.number() }});
export const mock = [call('c1', 'look', {{ q: 'Rome' }}), text('High.'), {{ type: 'finish' }}, text('{{\"high\": 21}}')];
export const config = {{ model: 'openai:gpt-6.1-sol' }};
export default ({{ $, defTool }}, {{ city, days }}) => {{
  defTool('look', 'Looks.', z.object({{ q: z.string() }}), () => 'sunny');
  $`How warm is ${{city}} in ${{days}} days?`;
}};
"
    ));
    ran(&folder, "run --journal -m mock p.lmt.mjs Rome --days 5");
    let source = exported(&folder);
    for words in [
        "\n    input: { days: 5, city: 'Rome' },\n    model: 'recorded',\n",
        "  expect(answer).toHaveCalledTools([['look', { q: 'Rome' }]]);\n  expect(answer.output).toEqual({ high: 21 });\n});\n",
    ] {
        assert!(source.contains(words), "{words}: {source}");
    }
    // The file's mock is not asked: the recording has its answers.
    passes_until_changed(
        &folder,
        &[("How warm", "How cold"), ("'Looks.'", "'Looks it up.'"), ("q: z.string()", "q: z.any()")],
    );
    folder.write("p.lmt.mjs", &fs::read_to_string(folder.path("p.lmt.mjs")).unwrap().replace("How warm", "How cold"));
    let outcome = folder.run("test --record p.test.lmt.mjs");
    assert!(outcome.code == 1 && outcome.stdout.contains("lmthing runs export ID --as-test"), "{outcome:?}");
}

#[test]
fn existing_files_are_never_overwritten() {
    let folder = Folder::of(
        "export const config = { model: 'mock' }; export const mock = [{ type: 'text', text: 'Hi.' }]; export default ({ $ }) => { $`go`; };",
    );
    ran(&folder, "run --journal p.lmt.mjs");
    for (there, other) in [("p.test.lmt.mjs", RECORDING), (RECORDING, "p.test.lmt.mjs")] {
        folder.write(there, "mine");
        let outcome = folder.run("runs export last --as-test");
        failed(&outcome, 1, &[there, "is there already; nothing was written", "export overwrites nothing"]);
        assert!(fs::read_to_string(folder.path(there)).unwrap() == "mine" && !folder.path(other).exists());
        fs::remove_file(folder.path(there)).unwrap();
    }
    exported(&folder);
    failed(&folder.run("runs export last --as-test"), 1, &["p.test.lmt.mjs is there already"]);
    assert_eq!(tested(&folder).code, 0);
}

#[test]
fn only_runs_that_have_ended_well_are_exported() {
    let project = working();
    let folder = &project.folder;
    assert_eq!(project.run("run --journal --max-steps 1 p.lmt.mjs").code, 4);
    failed(
        &folder.run("runs export last --as-test"),
        1,
        &["was ended by a limit; only a run that has ended well can become a test", "lmthing resume "],
    );
    failed(&folder.run("runs export 123 --as-test"), 1, &["there is no run '123'"]);
    failed(&folder.run("runs export --as-test"), 2, &["<ID|last>"]);
    // Resumed and over, it is played as a whole.
    assert_eq!(project.run("resume last").code, 0);
    exported(folder);
    passes_until_changed(folder, &[("Be brief.", "Be quick.")]);

    folder.write(
        "q.lmt.mjs",
        "export const config = { model: 'mock' }; export default () => { throw new Error('no'); };",
    );
    assert_eq!(folder.run("run --journal q.lmt.mjs").code, 1);
    failed(&folder.run("runs export last --as-test"), 1, &["has failed"]);
    fs::rename(folder.path("p.lmt.mjs"), folder.path("moved.lmt.mjs")).unwrap();
    let runs = folder.run("runs --json").object();
    let of_p = runs.as_array().unwrap().iter().find(|run| run["file"].as_str().unwrap().ends_with("/p.lmt.mjs"));
    let id = of_p.unwrap()["id"].as_str().unwrap();
    failed(&folder.run(&format!("runs export {id} --as-test")), 1, &["is not there any more", "put it back first"]);
}

#[test]
fn approvals_are_part_of_the_test() {
    let source = "
export const config = { model: 'lab:m' };
export default ({ $, defTool }) => {
  defTool('deploy', 'Deploys.', none, () => 'deployed', { needsApproval: true });
  defTool('undo', 'Undoes.', none, () => 'undone', { needsApproval: true });
  $`You are who=root.`;
};
";
    let start = || {
        let provider = Provider::start(|request| match request.step {
            0 => Turn::default().call("c1", "deploy", &json!({})).call("c2", "undo", &json!({})),
            _ => Turn::text(&request.results().join("; ")),
        });
        Project::new(&format!("{PRELUDE}{source}"), provider)
    };
    let project = start();
    assert_eq!(project.run("run --journal --approve dep* p.lmt.mjs").code, 0);
    let source = exported(&project.folder);
    assert!(source.contains("approve: ['dep*', 'deploy']") || source.contains("approve: ['dep*']"), "{source}");
    passes_until_changed(&project.folder, &[("'Deploys.'", "'Ships.'")]);

    let project = start();
    assert_eq!(project.run("run --journal --on-approval stop p.lmt.mjs").code, 5);
    failed(&project.folder.run("runs export last --as-test"), 1, &["waits for approval"]);
    assert_eq!(project.run("resume last --approve c1 --approve c2").code, 0);
    assert!(exported(&project.folder).contains("approve: ['deploy', 'undo']"));
    passes_until_changed(&project.folder, &[("'Deploys.'", "'Ships.'")]);

    let project = start();
    assert_eq!(project.run("run --journal --on-approval stop p.lmt.mjs").code, 5);
    assert_eq!(project.run("resume last --approve c1 --deny c2=no").code, 0);
    failed(&project.folder.run("runs export last --as-test"), 1, &["a call of undo was denied by a person"]);
}

#[test]
fn the_model_of_the_command_and_a_fallback_are_kept() {
    let source = "export const config = { model: ['lab:broken', 'lab:m'], options: { maxRetries: 0 } };\nexport default ({ $ }) => { $`You are who=root.`; };";
    let provider = Provider::start(|request| match request.body["model"] == "broken" {
        true => Turn::failure(400),
        false => Turn::text(request.body["model"].as_str().unwrap()),
    });
    let project = Project::new(&format!("{PRELUDE}{source}"), provider);
    assert_eq!(project.run("run --journal p.lmt.mjs").code, 0);
    assert!(exported(&project.folder).contains("{ model: 'recorded', recording: "));
    passes_until_changed(&project.folder, &[("You are", "Be")]);
    for name in ["p.test.lmt.mjs", RECORDING] {
        fs::remove_file(project.folder.path(name)).unwrap();
    }
    assert_eq!(project.run("run --journal -m lab:other p.lmt.mjs").code, 0);
    assert!(exported(&project.folder).contains("{ model: 'lab:other', recording: "));
    passes_until_changed(&project.folder, &[("You are", "Be")]);
}

#[test]
fn keys_are_redacted_and_names_follow_the_file() {
    const KEY: &str = "sk-live-0123456789abcdef0123456789";
    let folder = Folder::of("");
    folder.write(
        "a.b.lmt.ts",
        "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: `The key is ${process.env.SHOP_API_KEY}.` }];
export default ({ $ }: any) => { $`key ${process.env.SHOP_API_KEY as string}`; };",
    );
    let run = |arguments: &str| Outcome::of(folder.command(arguments).env("SHOP_API_KEY", KEY));
    assert_eq!(run("run --journal a.b.lmt.ts one").code, 0);
    let outcome = run("runs export last --as-test");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "a.b.test.lmt.mjs\na.b.test.recording.json\n"));
    assert!(outcome.stderr.contains("the run had the arguments one, and a test has none"), "{outcome:?}");
    for name in ["a.b.test.lmt.mjs", "a.b.test.recording.json"] {
        let text = fs::read_to_string(folder.path(name)).unwrap();
        assert!(!text.contains(KEY) && text.contains("[redacted]"), "{text}");
    }
    let outcome = Outcome::of(folder.command("test a.b.test.lmt.mjs").env("SHOP_API_KEY", "sk-test-another"));
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

/// Shows names and texts of files.
const FILES: &str = "import { z } from 'zod';
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Yes.' }];
export const input = z.object({ doc: z.file(), more: z.array(z.file()).default([]), note: z.string().default('') });
export default async ({ $ }, { doc, more, note }) => {
  for (const file of [doc, ...more]) $`${note}${file.name} ${file.type}: ${await file.text()}`;
};
";

#[test]
fn files_of_the_input_stand_next_to_the_test() {
    let folder = Folder::of(FILES);
    for (name, text) in [("a.txt", "one"), ("in/a.txt", "two"), ("b c.csv", "1,2"), ("é;.md", "odd")] {
        folder.write(name, text);
    }
    let words =
        ["p.lmt.mjs", "--doc", "@a.txt", "--more", "@in/a.txt", "--more=@b c.csv", "--more=@a.txt", "--more=@é;.md"];
    let outcome = Outcome::of(folder.command("run --journal").args(words));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let source = exported(&folder);
    let files = "doc: file('a.txt', 'text/plain'),";
    for part in [files, "file('2/a.txt', 'text/plain'),", "file('b c.csv', 'text/csv'),", "blob: 'b2Rk'"] {
        assert!(source.contains(part), "{part}: {source}");
    }
    assert_eq!(fs::read_to_string(folder.path("p.test.files/2/a.txt")).unwrap(), "two");
    assert_eq!(folder.run("check p.test.lmt.mjs").code, 0);
    passes_until_changed(&folder, &[("${note}", "See ")]);
    folder.write("p.test.files/b c.csv", "1,3");
    assert_eq!(tested(&folder).code, 1);
    fs::remove_file(folder.path("p.test.lmt.mjs")).unwrap();
    fs::remove_file(folder.path(RECORDING)).unwrap();
    let outcome = folder.run("runs export last --as-test");
    assert!(outcome.code == 1 && outcome.stderr.contains("is there already"), "{outcome:?}");
    assert!(!folder.path("p.test.lmt.mjs").exists());
}

#[test]
fn a_file_with_a_key_is_in_no_test() {
    let folder = Folder::of(FILES);
    folder.write("a.txt", "key sk-live-0123456789abcdef0123456789");
    let run = |arguments: &str| {
        Outcome::of(folder.command(arguments).env("SHOP_API_KEY", "sk-live-0123456789abcdef0123456789"))
    };
    let outcome = run("run --journal p.lmt.mjs @a.txt");
    assert!(outcome.code == 0 && outcome.stderr.contains("cannot be resumed"), "{outcome:?}");
    assert!(!outcome.stderr.contains("to go on"), "{outcome:?}");
    let outcome = run("runs export last --as-test");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{outcome:?}");
    assert!(outcome.stderr.contains("has a file with a secret"), "{outcome:?}");
}

/// The key is none of the run, so that the journal has it as it is.
#[test]
fn a_key_that_is_known_later_is_redacted_in_the_input() {
    const KEY: &str = "sk-live-0123456789abcdef0123456789";
    let folder = Folder::of("");
    folder.write(
        "p.lmt.mjs",
        "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Yes.' }];
export const input = { type: 'object', properties: { city: { type: 'string' }, more: { type: 'object' } } };
export default ({ $ }, { city }) => { $`about ${city}`; };",
    );
    let input = json!({ "city": KEY, "more": { "list": [format!("key {KEY}")] } }).to_string();
    let outcome = Outcome::of(folder.command("run --journal --input").args([&input, "p.lmt.mjs"]));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let outcome = Outcome::of(folder.command("runs export last --as-test").env("SHOP_API_KEY", KEY));
    let source = source_of(&folder, &outcome);
    assert!(source.contains("input: { city: '[redacted]', more: { list: ['key [redacted]'] } }"), "{source}");
    assert!(!source.contains("0123456789") && tested(&folder).code == 0, "{source}");
}

#[test]
#[cfg(unix)]
fn a_name_of_a_file_does_not_end_the_comment() {
    let folder = Folder::of("");
    folder.write(
        "p.lmt.mjs",
        "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Yes.' }];
export default ({ $ }) => { $`Well?`; };",
    );
    let name = "a\nthrow 1;\u{2028}throw 2;.env";
    folder.write(name, "X=1\n");
    let outcome = Outcome::of(folder.command("run --journal --env-file").args([name, "p.lmt.mjs"]));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(folder.run("runs export last --as-test").code, 0);
    let source = fs::read_to_string(folder.path("p.test.lmt.mjs")).unwrap();
    assert!(source.contains("a\\u000athrow 1;\\u2028throw 2;.env"), "{source}");
    assert_eq!(tested(&folder).code, 0);
}
