//! `action.yml`: its steps run as GitHub runs them, with files in place of GitHub.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Map, Value};

use crate::support::{Folder, Outcome, root, skipped};

const PROMPT: &str = "
    export const config = { model: 'mock' };
    export const mock = [{ type: 'text', text: 'Sunny.' }];
    export default ({ $ }) => { $`How is the weather?`; };
";

const PASSES: &str = "import { expect, test } from 'lmthing/test';\ntest('adds', () => expect(1 + 1).toBe(2));\n";

/// A repository that uses the action.
struct Workspace {
    folder: Folder,
    github: Folder,
    environment: Vec<(&'static str, String)>,
}

struct Ended {
    outcome: Outcome,
    outputs: BTreeMap<String, String>,
    summary: String,
}

impl Workspace {
    fn new(files: &[(&str, &str)]) -> Self {
        Workspace { folder: Folder::new(files), github: Folder::new(&[]), environment: Vec::new() }
    }

    /// Runs the steps until one fails. `inputs` take the place of the defaults.
    fn run(&self, inputs: &[(&str, &str)]) -> Ended {
        let action = yaml(&mut lines(&fs::read_to_string(root().join("action.yml")).unwrap()));
        assert_eq!(action["runs"]["using"], "composite");
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        for (name, input) in action["inputs"].as_object().unwrap() {
            values.insert(format!("inputs.{name}"), input["default"].as_str().unwrap().to_owned());
        }
        values.insert("inputs.bin".to_owned(), env!("CARGO_BIN_EXE_lmthing").to_owned());
        values.insert("github.action_path".to_owned(), root().display().to_string());
        inputs.iter().for_each(|(name, value)| drop(values.insert(format!("inputs.{name}"), (*value).to_owned())));
        for file in ["output", "summary", "path", "env"] {
            self.github.write(file, "");
        }
        let mut outcome = None;
        for step in action["runs"]["steps"].as_array().unwrap() {
            let ended = self.step(step, &values);
            for (name, value) in self.assignments() {
                values.insert(format!("steps.{}.outputs.{name}", step["id"].as_str().unwrap()), value);
            }
            let failed = ended.code != 0;
            outcome = Some(ended);
            if failed {
                break;
            }
        }
        let outputs = action["outputs"].as_object().unwrap().iter();
        let outputs = outputs.map(|(name, output)| (name.clone(), evaluated(&output["value"], &values))).collect();
        Ended { outcome: outcome.unwrap(), outputs, summary: self.read("summary") }
    }

    fn step(&self, step: &Value, values: &BTreeMap<String, String>) -> Outcome {
        assert_eq!(step["shell"], "bash");
        self.github.write("step.sh", &evaluated(&step["run"], values));
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(self.github.path("step.sh"));
        command.current_dir(self.folder.path("")).stdin(Stdio::null());
        for (name, file) in [("OUTPUT", "output"), ("STEP_SUMMARY", "summary"), ("PATH", "path"), ("ENV", "env")] {
            command.env(format!("GITHUB_{name}"), self.github.path(file));
        }
        command.env("GITHUB_WORKSPACE", self.folder.path("")).env("RUNNER_TEMP", self.github.path(""));
        command.env("GITHUB_ACTIONS", "true").env("CI", "true").envs(self.environment.iter().cloned());
        let own = step["env"].as_object().into_iter().flatten();
        Outcome::of(command.envs(own.map(|(name, value)| (name, evaluated(value, values)))))
    }

    fn assignments(&self) -> Vec<(String, String)> {
        let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
        self.read("output").lines().map(pair).collect()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.github.path(file)).unwrap()
    }
}

impl Ended {
    #[track_caller]
    fn passed(&self) {
        assert_eq!((self.outcome.code, self.outputs["ok"].as_str()), (0, "true"), "{:?}", self.outcome);
        assert!(self.summary.starts_with("## lmthing: passed\n"), "{}", self.summary);
    }

    /// Fails unless the summary has these texts.
    #[track_caller]
    fn failed_with(&self, texts: &[&str]) {
        assert_eq!((self.outcome.code, self.outputs["ok"].as_str()), (1, "false"), "{:?}", self.outcome);
        assert!(self.summary.starts_with("## lmthing: failed\n"), "{}", self.summary);
        for text in texts {
            assert!(self.summary.contains(text), "{text}\nis not in\n{}", self.summary);
        }
    }

    /// The lines in which GitHub looks for commands.
    fn commands(&self) -> Vec<&str> {
        let mut token = None;
        let mut commands = Vec::new();
        for line in self.outcome.stdout.lines().chain(self.outcome.stderr.lines()) {
            match token {
                Some(end) if line == end => token = None,
                None if line.starts_with("::stop-commands::") => {
                    token = Some(format!("::{}::", line.trim_start_matches("::stop-commands::")));
                }
                None if line.starts_with("::") && !line.contains("group::") => commands.push(line),
                _ => {}
            }
        }
        assert_eq!(token, None, "commands are looked for again");
        commands
    }
}

/// The lines of YAML with their indents; that of a list item is a line `-` before its first key.
fn lines(text: &str) -> VecDeque<(usize, String)> {
    let mut lines = VecDeque::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        match line.trim_start().strip_prefix("- ") {
            Some(first) => lines.extend([(indent, "-".to_owned()), (indent + 2, first.to_owned())]),
            None => lines.push_back((indent, line.trim_start().to_owned())),
        }
    }
    lines
}

/// The value that begins here, of what action.yml uses of YAML: maps, lists of maps, texts on one line.
fn yaml(lines: &mut VecDeque<(usize, String)>) -> Value {
    let indent = lines[0].0;
    let (mut list, mut map) = (Vec::new(), Map::new());
    while let Some((_, line)) = lines.pop_front_if(|(deep, _)| *deep == indent) {
        if line == "-" {
            list.push(yaml(lines));
            continue;
        }
        let (key, text) = line.split_once(':').unwrap();
        let value = match text.trim() {
            "" => yaml(lines),
            quoted if quoted.starts_with('"') => serde_json::from_str(quoted).unwrap(),
            text => text.into(),
        };
        map.insert(key.to_owned(), value);
    }
    if list.is_empty() { map.into() } else { list.into() }
}

/// Replaces the expressions in a text of action.yml.
fn evaluated(text: &Value, values: &BTreeMap<String, String>) -> String {
    let mut rest = text.as_str().unwrap();
    let mut result = String::new();
    while let Some((before, after)) = rest.split_once("${{") {
        let (name, after) = after.split_once("}}").unwrap();
        let value = values.get(name.trim()).map_or("", String::as_str);
        result += &format!("{before}{value}");
        rest = after;
    }
    result + rest
}

#[test]
fn a_clean_project_passes() {
    let workspace = Workspace::new(&[("a.lmt.mjs", PROMPT), ("a.test.lmt.mjs", PASSES)]);
    let ended = workspace.run(&[]);
    ended.passed();
    assert!(ended.summary.contains("| check | no findings |\n| test | 2 passed, 0 failed in "), "{}", ended.summary);
    assert!(fs::read_to_string(&ended.outputs["junit"]).unwrap().contains("<testsuites "), "{:?}", ended.outputs);
    assert_eq!(ended.commands(), [""; 0]);
}

#[test]
fn findings_and_failed_tests_fail_after_the_summary() {
    let wrong = PROMPT.replace("'mock' }", "'mock', optons: {} }");
    let finding = "- error `a.lmt.mjs:2:44` `TS2561`: `Object literal may only specify known properties";
    let fails = PASSES.replace("toBe(2)", "toBe(3)");
    let failure = "- `a.test.lmt.mjs > adds`: `expected 2 to be 3 // Object.is equality`";
    // Tests run after findings too.
    let ended = Workspace::new(&[("a.lmt.mjs", &wrong), ("a.test.lmt.mjs", PASSES)]).run(&[]);
    ended.failed_with(&["| check | 1 error, 0 warnings |", "| test | 2 passed, 0 failed in ", finding]);
    assert!(ended.commands()[0].starts_with("::error file=a.lmt.mjs,line=2,"), "{:?}", ended.commands());
    let ended = Workspace::new(&[("a.lmt.mjs", PROMPT), ("a.test.lmt.mjs", &fails)]).run(&[]);
    ended.failed_with(&["| check | no findings |", "| test | 1 passed, 1 failed in ", failure]);
    assert!(ended.commands()[0].starts_with("::error file=a.test.lmt.mjs,line=2,"), "{:?}", ended.commands());
    let ended = Workspace::new(&[("a.lmt.mjs", &wrong), ("a.test.lmt.mjs", &fails)]).run(&[]);
    ended.failed_with(&["### Findings", finding, "### Failed tests", failure]);
    assert_eq!(ended.commands().len(), 2);
    let ended = Workspace::new(&[]).run(&[]);
    ended.failed_with(&[
        "`lmthing check`: `there is no prompt file to check",
        "`lmthing test`: `no test was found in .",
    ]);
}

#[test]
fn warnings_count_when_strict() {
    let workspace = Workspace::new(&[("a.lmt.mjs", &PROMPT.replace("$`How is the weather?`;", ""))]);
    let ended = workspace.run(&[]);
    ended.passed();
    assert!(ended.summary.contains("| check | 0 errors, 1 warning |"), "{}", ended.summary);
    workspace.run(&[("strict", "true")]).failed_with(&["1 warning (counted as errors)", "- warning `a.lmt.mjs"]);
    workspace.run(&[("strict", "yes")]).failed_with(&["`strict is \"yes\"; it can be true or false`"]);
}

#[test]
fn paths_are_lines_or_words() {
    let wrong = "export default 1;";
    let files = [("of a/a.lmt.mjs", PROMPT), ("b/b.lmt.mjs", PROMPT), ("-c/c.lmt.mjs", PROMPT), ("d/d.lmt.mjs", wrong)];
    let workspace = Workspace::new(&files);
    for paths in ["of a\n\n  b \r\n-c", "of a\n-c b"] {
        let ended = workspace.run(&[("paths", paths)]);
        ended.passed();
        assert!(ended.summary.contains("| test | 3 passed, 0 failed"), "{}", ended.summary);
    }
    let ended = workspace.run(&[("paths", "b $(touch x) `touch x`")]);
    ended.failed_with(&["paths: there is no file or folder \"$(touch\", \"x)\", \"`touch\", \"x`\"; a path"]);
    assert_eq!((workspace.folder.path("x").exists(), ended.outputs["junit"].as_str()), (false, ""));
}

#[test]
fn paths_that_do_not_exist_are_named() {
    let workspace = Workspace::new(&[("of a/a.lmt.mjs", PROMPT), ("b/b.lmt.mjs", PROMPT)]);
    let hint = "; a path with spaces needs a line of its own";
    for (paths, missing) in [
        ("c", "\"c\"".to_owned()),
        ("b\nb c", format!("\"c\"{hint}")),
        ("of b/a.lmt.mjs\nc", format!("\"of\", \"b/a.lmt.mjs\", \"c\"{hint}")),
    ] {
        let ended = workspace.run(&[("paths", paths)]);
        let message = format!("paths: there is no file or folder {missing}");
        ended.failed_with(&[&format!("`{message}`")]);
        assert_eq!(ended.commands(), [format!("::error title=lmthing::{message}")]);
    }
}

#[test]
fn text_of_prompt_files_is_neither_command_nor_markdown() {
    let evil = "</details>| **bold** ``` @all\\n::error file=x::forged\\n## Heading\\n::set-output name=ok::true";
    let source = format!(
        "console.log(`{0}`); console.error(`{0}`);
         export const config = {{ model: 'mock', [`{0}`]: 1 }};
         export const mock = [{{ type: 'text', text: `{0}` }}];
         export default ({{ $ }}) => {{ $`Hi`; throw new Error(`{0}`); }};",
        evil.replace('`', "\\`")
    );
    let test = format!(
        "import {{ expect, test }} from 'lmthing/test';
         test(`{0}`, () => {{ console.log(`{0}`); expect(`{0}`).toBe(''); }});",
        evil.replace('`', "\\`")
    );
    let ended = Workspace::new(&[("a.lmt.mjs", &source), ("a.test.lmt.mjs", &test)]).run(&[]);
    ended.failed_with(&["````"]);
    let is_ours = |line: &&str| !["::error file=a.", "::warning file=a."].iter().any(|own| line.starts_with(own));
    assert_eq!(ended.commands().into_iter().filter(is_ours).collect::<Vec<_>>(), [""; 0]);
    let lines = ended.summary.lines().filter(|line| line.contains("</details>"));
    for line in lines.inspect(|line| assert!(line.starts_with("- "), "{line}")) {
        // Outside of code spans nothing is left of it.
        let outside: String = line.split("````").step_by(2).collect();
        assert!(!outside.contains("bold") && !outside.contains("@all"), "{line}");
    }
    let own = ended.summary.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>();
    assert_eq!(own, ["## lmthing: failed", "### Findings", "### Failed tests"]);
}

#[test]
fn the_cost_of_recordings_is_summed_up() {
    let recording = r#"{ "version": 1, "exchanges": [{
        "provider": "openai", "model": "gpt-x",
        "request": { "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hi" }] }], "tools": [], "settings": {} },
        "parts": [
          { "type": "text-start", "id": "1" }, { "type": "text-delta", "id": "1", "delta": "Ho" }, { "type": "text-end", "id": "1" },
          { "type": "finish", "finishReason": "stop", "usage": { "inputTokens": 1000, "outputTokens": 500, "totalTokens": 1500 } }
        ] }] }"#;
    let prompt =
        "export const config = { model: 'openai:gpt-x', prices: { 'openai:gpt-x': { input: 1, output: 20 } } };
                  export default ({ $ }) => { $`Hi`; };";
    let test = "import { expect, run, test } from 'lmthing/test';
                test('replays', { repeat: 3 }, async () => {
                  const { text } = await run('./a.lmt.mjs', { recording: './a.recording.json' });
                  expect(text).toBe('Ho');
                });";
    let files = [("a.lmt.mjs", prompt), ("a.recording.json", recording), ("a.test.lmt.mjs", test)];
    let ended = Workspace::new(&files).run(&[]);
    ended.passed();
    let expected = "| recordings | 1 answer, 1500 tokens, $0.0110 when recorded |";
    assert!(ended.summary.contains(expected), "{}", ended.summary);
    let unknown = prompt.replace("'openai:gpt-x': {", "'openai:gpt-y': {");
    let ended = Workspace::new(&[("a.lmt.mjs", &unknown), files[1]]).run(&[]);
    ended.passed();
    assert!(ended.summary.contains("1500 tokens, unknown cost when recorded"), "{}", ended.summary);
}

#[test]
fn a_wrong_program_or_version_is_named() {
    let mut workspace = Workspace::new(&[("a.lmt.mjs", PROMPT)]);
    workspace.environment.push(("LMTHING_RELEASES", "file:///nowhere".to_owned()));
    workspace.run(&[("bin", "./gone")]).failed_with(&["`bin: there is no program ./gone`"]);
    workspace.run(&[("bin", "false")]).failed_with(&["false does not run"]);
    workspace
        .run(&[("bin", ""), ("version", "new")])
        .failed_with(&["`version is \"new\"; it can be a version such as"]);
    let ended = workspace.run(&[("bin", ""), ("version", "9.9.9")]);
    ended.failed_with(&["`version 9.9.9: cannot fetch file:///nowhere/v9.9.9/SHA256SUMS: "]);
    assert_eq!(ended.commands().len(), 1);
}

#[test]
fn a_release_is_installed_after_its_checksum() {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) || Command::new("curl").arg("-V").output().is_err() {
        return skipped("a_release_is_installed_after_its_checksum", "no curl, or not Linux on x86-64");
    }
    let mut workspace = Workspace::new(&[("a.lmt.mjs", PROMPT)]);
    let releases = Folder::new(&[("lmthing", &format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_lmthing")))]);
    let version = env!("CARGO_PKG_VERSION");
    let folder = releases.path(&format!("v{version}"));
    for target in ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"] {
        let mut pack = Command::new(root().join(".ci/package"));
        let packed = Outcome::of(pack.arg(releases.path("lmthing")).arg(target).arg(&folder));
        assert_eq!(packed.code, 0, "{packed:?}");
    }
    let address = format!("file://{}", releases.path("").display());
    workspace.environment.push(("LMTHING_RELEASES", address.trim_end_matches('/').to_owned()));
    for given in ["", version, &format!("v{version}")] {
        workspace.run(&[("bin", ""), ("version", given)]).passed();
        let added = PathBuf::from(workspace.read("path").trim());
        assert!(added.join("lmthing").is_file(), "{added:?}");
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "gz") {
            fs::write(path, "other bytes").unwrap();
        }
    }
    workspace.run(&[("bin", "")]).failed_with(&["has another checksum than SHA256SUMS says"]);
}
