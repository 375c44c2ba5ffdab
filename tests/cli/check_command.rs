//! `lmthing check`: selection of files, formats, exit codes.

use serde_json::Value;

use crate::support::{Folder, HELLO, Outcome, replace};

/// Line 4 calls a method that does not exist.
const WRONG: &str = "export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'x' }];
export default async ({ $, def }) => {
  def.nothing();
  $`go`;
};
";

/// The mock calls a tool that does not exist.
const DOUBTFUL: &str = "export const config = { model: 'mock' };
export const mock = [{ type: 'tool-call', toolName: 'none', args: {} }, { type: 'text', text: 'x' }];
export default async ({ $ }) => { $`go`; };
";

fn codes(outcome: &Outcome) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let object = outcome.object();
    object["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| (word(&found["file"]), word(&found["severity"])))
        .collect()
}

fn files(outcome: &Outcome) -> Vec<String> {
    outcome.object()["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

#[test]
fn people_see_the_source_and_a_summary() {
    let folder = Folder::new(&[("wrong.lmt.mjs", WRONG), ("good.lmt.mjs", HELLO)]);
    let outcome = folder.run("check wrong.lmt.mjs");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""), "{outcome:?}");
    for text in ["error[TS2339]: ", "--> wrong.lmt.mjs:4:7\n", "4 |   def.nothing();\n", "^^^^^^^\n", "\n1 error\n"] {
        assert!(outcome.stdout.contains(text), "{text}: {}", outcome.stdout);
    }
    let both = folder.run("check");
    assert!(both.code == 1 && both.stdout.ends_with("\n1 error in 1 of 2 files\n"), "{both:?}");
    let good = folder.run("check good.lmt.mjs");
    assert_eq!(
        (good.code, good.stdout.as_str(), good.stderr.as_str()),
        (0, "1 file checked, no problems\n", "from the script\n")
    );
    assert_eq!(folder.run("check -q good.lmt.mjs").stdout, "");
}

#[test]
fn colours_only_where_they_are_seen() {
    let folder = Folder::of(WRONG);
    let plain = Outcome::of(folder.command("check").env_remove("NO_COLOR"));
    assert!(!plain.stdout.contains('\x1b'), "{plain:?}");
    let forced = folder.command("check").env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(Outcome::from(forced).stdout.contains("\x1b["));
}

#[test]
fn programs_get_one_object() {
    let folder = Folder::new(&[("sub/wrong.lmt.mjs", WRONG), ("good.lmt.mjs", HELLO)]);
    let outcome = folder.run("check --format json");
    let object = outcome.object();
    assert_eq!(
        (outcome.code, &object["ok"], &object["errors"], &object["warnings"]),
        (1, &false.into(), &1.into(), &0.into())
    );
    assert_eq!(files(&outcome), ["good.lmt.mjs", "sub/wrong.lmt.mjs"]);
    let found = &object["diagnostics"][0];
    let place: Vec<&Value> = ["line", "column", "endLine", "endColumn"].iter().map(|key| &found[key]).collect();
    assert_eq!(place, [4, 7, 4, 14]);
    assert_eq!(
        (&found["file"], &found["severity"], &found["code"]),
        (&"sub/wrong.lmt.mjs".into(), &"error".into(), &"TS2339".into())
    );
    assert!(found["message"].as_str().unwrap().contains("nothing") && found.get("hint").is_some(), "{found}");
    let good = folder.run("check -f json good.lmt.mjs");
    assert_eq!(
        (good.code, &good.object()["ok"], good.object()["diagnostics"].as_array().unwrap().len()),
        (0, &true.into(), 0)
    );
}

#[test]
fn annotations_name_the_place() {
    let folder = Folder::new(&[("sub/a,b.lmt.mjs", WRONG)]);
    let outcome = folder.run("check --format github");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""), "{outcome:?}");
    let start = "::error file=sub/a%2Cb.lmt.mjs,line=4,col=7,endLine=4,endColumn=14,title=lmthing TS2339::";
    assert!(outcome.stdout.starts_with(start), "{outcome:?}");
    assert_eq!(outcome.stdout.lines().count(), 1);
    let below = folder.command("check --format github .").env("GITHUB_WORKSPACE", folder.path("sub")).output().unwrap();
    assert!(Outcome::from(below).stdout.starts_with("::error file=a%2Cb.lmt.mjs,"));
}

#[test]
fn folders_are_searched_for_prompt_files_of_ones_own() {
    let folder = Folder::new(&[
        (".gitignore", "ignored/\n*.out.lmt.mjs\n"),
        ("b.lmt.mjs", HELLO),
        ("a/c.lmt.ts", HELLO),
        ("a/d.lmt.js", HELLO),
        ("a/helper.mjs", "export {};"),
        ("a/b.test.lmt.mjs", ""),
        ("ignored/x.lmt.mjs", WRONG),
        ("y.out.lmt.mjs", WRONG),
        ("node_modules/p/z.lmt.mjs", WRONG),
        (".hidden/h.lmt.mjs", WRONG),
    ]);
    let all = folder.run("check -f json");
    assert_eq!(
        (all.code, files(&all)),
        (0, vec!["a/c.lmt.ts".into(), "a/d.lmt.js".into(), "b.lmt.mjs".into()]),
        "{all:?}"
    );
    assert_eq!(files(&folder.run("check -f json a/")), ["a/c.lmt.ts", "a/d.lmt.js"]);
    assert_eq!(
        files(&folder.run("check -f json ./a ./b.lmt.mjs a/d.lmt.js")),
        ["./a/c.lmt.ts", "./a/d.lmt.js", "./b.lmt.mjs"]
    );
    // Named files are checked even if Git ignores them.
    let named = folder.run("check -f json ignored/x.lmt.mjs y.out.lmt.mjs");
    assert_eq!((named.code, files(&named).len()), (1, 2));
    assert_eq!(files(&folder.run("check -f json ignored")), ["ignored/x.lmt.mjs"]);
}

#[test]
fn nothing_to_check_is_an_error() {
    let folder = Folder::new(&[("empty/readme.md", ""), ("b.mjs", "")]);
    let outcome = folder.run("check empty");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""));
    assert!(outcome.stderr.contains("no prompt file to check in empty (*.lmt.mjs, .lmt.js"), "{outcome:?}");
    let object = folder.run("check -f json");
    assert_eq!((object.code, object.object()["files"].as_array().unwrap().len()), (1, 0));
    for (path, words) in [("none.lmt.mjs", "there is no file or folder none.lmt.mjs"), ("b.mjs", "not a prompt file")] {
        let outcome = folder.run(&format!("check -f json {path}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{path}");
        assert!(outcome.stderr.contains(words), "{outcome:?}");
    }
    assert_eq!(folder.run("check --no-render --print").code, 2);
    let jobs = folder.run("check --jobs 0");
    assert!(jobs.code == 2 && jobs.stderr.contains("expected a whole number from 1 on"), "{jobs:?}");
    let outcome = folder.run("check --env-file none.env");
    assert!(outcome.code == 2 && outcome.stderr.contains("--env-file"), "{outcome:?}");
}

#[test]
fn a_missing_key_fails_no_strict_check() {
    let file = "export const config = { model: 'openai:gpt-6.1-sol' };\nexport default ({ $ }) => { $`Hello.`; };\n";
    let folder = Folder::new(&[("p.lmt.mjs", file)]);
    let check = |options: &str| Outcome::of(folder.command(&format!("check {options}")).env_remove("OPENAI_API_KEY"));
    for (options, severity) in [("", "warning[model]"), ("--strict", "note[model]")] {
        let checked = check(options);
        assert_eq!(checked.code, 0, "{checked:?}");
        assert!(checked.stdout.contains(&format!("{severity}: there is no key for openai:gpt-6.1-sol")), "{checked:?}");
    }
}

#[test]
fn strict_counts_warnings_and_quiet_hides_them() {
    let folder = Folder::of(DOUBTFUL);
    let outcome = folder.run("check -f json");
    assert_eq!((outcome.code, codes(&outcome)), (0, vec![("p.lmt.mjs".into(), "warning".into())]), "{outcome:?}");
    assert!(folder.run("check").stdout.contains("warning[mock]: "));
    assert_eq!(folder.run("check -q").stdout, "");
    let strict = folder.run("check --strict -q");
    assert_eq!(strict.code, 1);
    assert!(strict.stdout.ends_with("\n1 warning (warnings count as errors)\n"), "{strict:?}");
    let object = folder.run("check --strict -f json");
    assert_eq!((object.code, &object.object()["ok"]), (1, &false.into()));
}

#[test]
fn a_misspelt_model_gets_a_suggestion() {
    let source = |model: &str| {
        format!("export const config = {{\n  model: {model},\n}};\nexport default ({{ $ }}) => {{ $`go`; }};")
    };
    let folder = Folder::of(&source("'openai:gpt-4oo'"));
    let check = || {
        let mut command = folder.command("check -f json");
        Outcome::of(command.env("OPENAI_API_KEY", "k").env("LM_MODEL_FAST", "openai:gtp-4o"))
    };
    let found = check().object()["diagnostics"].clone();
    assert_eq!(
        (found.as_array().unwrap().len(), &found[0]["severity"], &found[0]["line"]),
        (1, &"warning".into(), &2.into()),
        "{found}"
    );
    assert_eq!(found[0]["hint"], "did you mean 'openai:gpt-4o'?");
    folder.write("p.lmt.mjs", &source("['openai:gpt-4o', 'fast']"));
    assert_eq!(check().object()["diagnostics"][0]["hint"], "did you mean 'openai:gpt-4o'?");
    folder.write("p.lmt.mjs", &source("['openai:gpt-4o', 'openai:gpt-9', 'openai:my-own']"));
    assert_eq!(check().object()["diagnostics"], serde_json::json!([]));
}

#[test]
fn results_stand_in_the_order_of_paths_and_once() {
    let folder = Folder::of(HELLO);
    folder.write("shared.mjs", "/** @type {number} */ export const count = 'one';\n");
    for name in ["f", "e", "d", "c", "b", "a"] {
        folder.write(&format!("{name}.lmt.mjs"), &format!("import './shared.mjs';\n{WRONG}"));
    }
    let outcome = folder.run("check -f json --jobs 3");
    let expected = ["a.lmt.mjs", "shared.mjs", "b.lmt.mjs", "c.lmt.mjs", "d.lmt.mjs", "e.lmt.mjs", "f.lmt.mjs"];
    let mut found: Vec<String> = codes(&outcome).into_iter().map(|(file, _)| file).collect();
    found[..2].sort();
    assert_eq!(found, expected, "{outcome:?}");
    assert_eq!(folder.run("check -f json -j 1").object(), outcome.object());
}

#[test]
fn the_first_render_is_printed_with_its_size() {
    let folder = Folder::of(
        "import { z } from 'zod';
        export const config = { model: 'mock' };
        export const mock = [{ type: 'text', text: 'x' }];
        export const input = z.object({ city: z.string() });
        export default async ({ $, defSystem, defTool }, { city }) => {
          defSystem('role', 'You answer in one sentence.');
          defTool('weather', 'Says how the weather is.', z.object({ city: z.string() }), async () => 'sunny');
          $`How is the weather in ${city}?`;
        };",
    );
    let outcome = Outcome::of(folder.command("check --print --input").arg(r#"{"city": "Rome"}"#));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for text in [
        "system · about ",
        "  You answer in one sentence.\n",
        "user · about ",
        "  How is the weather in Rome?\n",
        "tool weather · about ",
        "  Says how the weather is.\n  weather({ city: string })\n",
        "p.lmt.mjs: the first request is about ",
    ] {
        assert!(outcome.stdout.contains(text), "{text:?}: {}", outcome.stdout);
    }
    folder.write("in.json", r#"{"city": "Rome"}"#);
    let object = folder.run("check --print -f json --input @in.json").object();
    let render = &object["renders"][0];
    assert_eq!((&render["file"], &render["tools"][0]["name"]), (&"p.lmt.mjs".into(), &"weather".into()), "{object}");
    let tokens =
        |parts: &Value| parts.as_array().unwrap().iter().map(|part| part["tokens"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(render["tokens"], tokens(&render["messages"]) + tokens(&render["tools"]));
}

#[test]
fn piped_input_applies_to_all_files() {
    let source = "
        export const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
        export const config = { model: 'mock' };
        export const mock = [{ type: 'text', text: 'x' }];
        export default ({ $ }, { n }) => { $`${n.toFixed(2)}`; };";
    let folder = Folder::new(&[("a.lmt.mjs", source), ("b.lmt.mjs", source), ("in.json", r#"{"n": 3}"#)]);
    let mut command = folder.command("check --print --input -");
    command.stdin(std::fs::File::open(folder.path("in.json")).unwrap());
    let outcome = Outcome::of(&mut command);
    assert_eq!((outcome.code, outcome.stdout.matches("  3.00\n").count()), (0, 2), "{outcome:?}");
}

#[test]
fn unreadable_input_is_wrong_usage_and_reported_once() {
    let folder = Folder::new(&[("a.lmt.mjs", HELLO), ("b.lmt.mjs", HELLO), ("bad.json", "{")]);
    let object = "expected the whole input as a JSON object";
    for (input, words) in
        [("{bad", object), ("[1]", object), ("@none.json", "cannot read the file none.json"), ("@bad.json", object)]
    {
        let outcome = Outcome::of(folder.command("check --input").arg(input));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{input}: {outcome:?}");
        assert_eq!((outcome.stderr.matches("--input").count() >= 1, outcome.stderr.matches(words).count()), (true, 1));
    }
    // Input that one file's schema refuses is an error of that file only.
    folder.write(
        "a.lmt.mjs",
        &format!("import {{ z }} from 'zod';\nexport const input = z.object({{ n: z.number() }});\n{HELLO}"),
    );
    let outcome = Outcome::of(folder.command("check -f json --input").arg(r#"{"n": "x"}"#));
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert_eq!(codes(&outcome)[0], ("a.lmt.mjs".to_owned(), "error".to_owned()));
}

#[test]
fn a_file_of_tests_that_is_named_has_its_types_checked() {
    let test = |key: &str| {
        format!(
            "import {{ expect, run, test }} from 'lmthing/test';\ntest('x', async () => {{\n  \
             const answer = await run('./p.lmt.mjs');\n  expect(answer.{key}).toBe('x');\n}});\n"
        )
    };
    let folder = Folder::new(&[("p.test.lmt.mjs", &test("text")), ("q.test.lmt.ts", &test("txt"))]);
    let good = folder.run("check p.test.lmt.mjs");
    assert_eq!((good.code, good.stdout.as_str()), (0, "1 file checked, no problems\n"), "{good:?}");
    let wrong = folder.run("check q.test.lmt.ts").stdout;
    assert!(wrong.contains("Property 'txt' does not exist") && wrong.contains("q.test.lmt.ts:4:17"), "{wrong}");
}

#[test]
fn a_json_file_with_a_comma_too_many_is_named() {
    let folder = Folder::new(&[
        ("p.lmt.mjs", &format!("import data from './d.json' with {{ type: 'json' }};\n{HELLO}")),
        ("d.json", "{\n  \"b\": [1, 2,]\n}\n"),
    ]);
    let outcome = folder.run("check p.lmt.mjs").stdout;
    assert!(outcome.contains("'d.json' is not valid JSON: there is a comma too many\n"), "{outcome}");
    assert!(outcome.contains("--> d.json:2:13\n"), "{outcome}");
    folder.write("d.json", "{ \"b\": }");
    let outcome = folder.run("check p.lmt.mjs").stdout;
    assert!(outcome.contains("'d.json' is not valid JSON: expected value\n"), "{outcome}");
}

#[test]
#[cfg(unix)]
fn a_watched_check_follows_every_change() {
    let folder = Folder::new(&[("p.lmt.mjs", HELLO)]);
    let mut running = folder.start("check --watch");
    running.wait_for("1 file checked, no problems\n", 1);
    replace(&folder, "p.lmt.mjs", WRONG);
    running.wait_for("1 error\n", 1);
    folder.write("new.lmt.mjs", HELLO);
    running.wait_for("1 error in 1 of 2 files\n", 1);
    replace(&folder, "p.lmt.mjs", HELLO);
    running.wait_for("2 files checked, no problems\n", 1);
    running.wait_for_stderr("waiting for a change", 4);
    running.signal("INT");
    let outcome = running.end();
    assert_eq!(outcome.code, 130, "{outcome:?}");
    assert!(outcome.stderr.contains("[watch] p.lmt.mjs has changed; checking again\n"), "{outcome:?}");
}

#[test]
#[cfg(unix)]
fn a_watched_check_follows_imports() {
    let wrong = "/** @type {number} */ export const count = 'one';\n";
    let folder =
        Folder::new(&[("p.lmt.mjs", &format!("import './lib/count.mjs';\n{HELLO}")), ("lib/count.mjs", wrong)]);
    let mut running = folder.start("check --watch --no-render p.lmt.mjs");
    running.wait_for("1 error\n", 1);
    running.wait_for_stderr("waiting for a change", 1);
    folder.write("lib/count.mjs", "export const count = 1;\n");
    running.wait_for("no problems\n", 1);
    running.signal("TERM");
    assert_eq!(running.end().code, 143);
}

#[test]
#[cfg(unix)]
fn a_watched_check_follows_texts_and_files_that_come_and_go() {
    let folder = Folder::new(&[
        ("p.lmt.mjs", &format!("import './data/notes.md' with {{ type: 'text' }};\n{HELLO}")),
        ("data/notes.md", "one"),
    ]);
    let mut running = folder.start("check --watch --no-render p.lmt.mjs");
    running.wait_for_stderr("waiting for a change", 1);
    folder.write("data/notes.md", "two and more");
    running.wait_for_stderr("waiting for a change", 2);
    running.wait_for_stderr("data/notes.md has changed", 1);
    std::fs::remove_file(folder.path("data/notes.md")).unwrap();
    running.wait_for("1 error\n", 1);
    running.wait_for_stderr("waiting for a change", 3);
    folder.write("data/notes.md", "three");
    running.wait_for("no problems\n", 3);
    running.signal("TERM");
    assert_eq!(running.end().code, 143);
}
