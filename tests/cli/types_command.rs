//! `lmthing types`: files that it writes, updates and leaves alone, and TypeScript's errors in prompt files with them.

use std::{fs, path::PathBuf, process::Command};

use serde_json::Value;

use crate::support::{Folder, root, skipped};

const NODE: &str = ".lmthing/types/node/index.d.ts";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_folder_gets_declarations_and_settings() {
    let folder = Folder::new(&[]);
    let written = folder.run("types");
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{written:?}");
    assert_eq!(written.stderr, format!("Wrote lmthing.d.ts.\nWrote {NODE}.\nWrote jsconfig.json.\n"));
    let types = read(&folder, "lmthing.d.ts");
    assert!(types.starts_with("// Written by `lmthing types` of lmthing "), "{}", &types[..100]);
    for module in
        ["lmthing", "lmthing/plugins", "lmthing/test", "lmthing/eval", "zod", "zod/v4", "zod/v4/locales", "zod/locales"]
    {
        assert!(types.contains(&format!("declare module '{module}' {{")), "{module}");
    }
    let settings: Value = serde_json::from_str(&read(&folder, "jsconfig.json")).unwrap();
    assert_eq!(settings["compilerOptions"]["checkJs"], true);
    assert_eq!(settings["compilerOptions"]["noImplicitAny"], false);
    assert!(read(&folder, NODE).contains("declare module \"node:fs\""));
}

#[test]
fn a_folder_that_is_named_is_made() {
    let folder = Folder::new(&[]);
    let written = folder.run("types a/b");
    assert_eq!(written.code, 0, "{written:?}");
    assert!(written.stderr.starts_with("Wrote a/b/lmthing.d.ts.\n"), "{}", written.stderr);
    assert!(folder.path("a/b/jsconfig.json").exists() && folder.path("a/b").join(NODE).exists());
    assert!(!folder.path("lmthing.d.ts").exists());
}

#[test]
fn own_files_are_renewed_and_settings_stay() {
    let folder = Folder::new(&[
        ("lmthing.d.ts", "// Written by `lmthing types` of lmthing 0.0.1; …\nold"),
        ("jsconfig.json", "{ \"include\": [\".lmthing/types\"] }"),
    ]);
    let renewed = folder.run("types");
    let reported = format!("Renewed lmthing.d.ts.\nWrote {NODE}.\njsconfig.json stays as it is.\n");
    assert_eq!((renewed.code, renewed.stderr), (0, reported));
    assert!(read(&folder, "lmthing.d.ts").contains("declare module 'lmthing' {"));
    assert_eq!(read(&folder, "jsconfig.json"), "{ \"include\": [\".lmthing/types\"] }");
    let again = folder.run("types");
    assert!(again.stderr.starts_with("lmthing.d.ts is up to date.\n"), "{}", again.stderr);
}

#[test]
fn files_of_the_user_are_not_changed() {
    for foreign in ["lmthing.d.ts", NODE] {
        let folder = Folder::new(&[(foreign, "declare const mine: 1;\n")]);
        let refused = folder.run("types");
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
        let message = format!("Error: {foreign} is there, and not a file of lmthing; nothing was written\n");
        assert!(refused.stderr.starts_with(&message), "{}", refused.stderr);
        assert_eq!(read(&folder, foreign), "declare const mine: 1;\n");
        assert!(!folder.path("jsconfig.json").exists());
    }
}

#[test]
fn a_project_with_settings_gets_the_lines_to_add() {
    for settings in ["tsconfig.json", "jsconfig.json"] {
        let folder = Folder::new(&[(settings, "{}")]);
        let written = folder.run("types");
        assert_eq!(written.code, 0, "{written:?}");
        assert!(written.stderr.contains(&format!("{settings} stays as it is. For prompt files")), "{}", written.stderr);
        for words in ["**/*.lmt.js\"", "**/*.lmt.mts\"", "\"lib\": [\"esnext\"]", "\"resolveJsonModule\": true"] {
            assert!(written.stderr.contains(words), "{words}: {}", written.stderr);
        }
        assert!(written.stderr.contains("\"typeRoots\": [\"./node_modules/@types\", \"./.lmthing/types\"]"));
        assert_eq!(read(&folder, settings), "{}");
        assert_eq!(folder.path("jsconfig.json").exists(), settings == "jsconfig.json");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = Folder::new(&[("file", "")]);
    let refused = folder.run("types file");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.starts_with("Error: cannot "), "{}", refused.stderr);
    let wrong = folder.run("types a b");
    assert_eq!(wrong.code, 2, "{wrong:?}");
}

/// TypeScript's errors for a folder with a `jsconfig.json`, as in an editor; `None` without TypeScript.
fn complaints(folder: &Folder, test: &str) -> Option<String> {
    let compiler: PathBuf = root().join("runtime-js/node_modules/typescript/bin/tsc");
    if !compiler.exists() {
        skipped(test, "no TypeScript; run `npm ci` in runtime-js/ (.ci/run does it)");
        return None;
    }
    let mut command = Command::new("node");
    command.arg(compiler).args(["-p", "jsconfig.json", "--pretty", "false"]).current_dir(folder.path(""));
    let output = command.output().expect("node runs");
    let text = String::from_utf8(output.stdout).expect("TypeScript writes text");
    assert!(output.status.success() || !text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

/// The first prompt file of the README.
fn example_of_the_readme() -> String {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README is there");
    let (_, rest) = readme.split_once("```js\n// hello.lmt.mjs\n").expect("the example is there");
    rest.split_once("```").expect("a block ends").0.to_owned()
}

#[test]
fn editors_find_nothing_wrong_with_examples_and_templates() {
    let folder = Folder::new(&[("readme.lmt.mjs", &example_of_the_readme())]);
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "png") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        folder.write(&format!("examples/{name}"), &fs::read_to_string(&path).unwrap());
    }
    for template in ["hello", "tools", "agent", "code", "tasks", "typed"] {
        assert_eq!(folder.run(&format!("new -t {template} js/{template}")).code, 0);
        assert_eq!(folder.run(&format!("new -t {template} --ts ts/{template}")).code, 0);
    }
    assert_eq!(folder.run("types").code, 0);
    let test = "editors_find_nothing_wrong_with_examples_and_templates";
    let Some(found) = complaints(&folder, test) else { return };
    assert_eq!(found, "");
    // TypeScript's settings in `lmthing check`, and our declarations themselves.
    let settings = read(&folder, "jsconfig.json");
    let settings = settings.replace("\"noImplicitAny\": false", "\"noImplicitAny\": true");
    let typescript =
        settings.replace("\"**/*.lmt.mjs\", ", "").replace("\"skipLibCheck\": true", "\"skipLibCheck\": false");
    folder.write("jsconfig.json", &typescript);
    let found = complaints(&folder, test).unwrap_or_default();
    let of_ours: Vec<&str> = found.lines().filter(|line| !line.starts_with(".lmthing")).collect();
    assert_eq!(of_ours, [""; 0]);
}

#[test]
fn editors_find_mistakes() {
    let wrong = "import { readFile } from 'node:fs/promises';\n\
                 import { z } from 'zod';\n\
                 const Input = z.object({ city: z.string().optonal() });\n\
                 /** @type {import('lmthing').PromptFunction} */\n\
                 export default async ({ defTool, defStaet, $ }) => {\n\
                   (await readFile('x', 'utf8')).toFixed();\n\
                   defTool('a', 'b', z.object({ n: z.number() }), ({ n }) => n.length);\n\
                   process.env.X?.toFixed();\n\
                   (await (await fetch('http://x')).json()).anything;\n\
                   document;\n\
                 };\n";
    let folder = Folder::new(&[("wrong.lmt.mjs", wrong)]);
    assert_eq!(folder.run("types").code, 0);
    let Some(found) = complaints(&folder, "editors_find_mistakes") else { return };
    let lines: Vec<&str> =
        found.lines().filter_map(|line| line.split(')').next()?.strip_prefix("wrong.lmt.mjs(")).collect();
    let lines: Vec<&str> = lines.iter().filter_map(|place| place.split(',').next()).collect();
    assert_eq!(lines, ["3", "5", "6", "7", "8", "10"], "{found}");
}

#[test]
fn node_declarations_of_the_project_win() {
    let folder = Folder::new(&[
        ("node_modules/@types/node/index.d.ts", "declare module 'node:fs' { export const theirs: 1; }\n"),
        ("node_modules/@types/node/package.json", "{ \"name\": \"@types/node\", \"types\": \"index.d.ts\" }"),
        ("p.lmt.mjs", "import { theirs } from 'node:fs';\nexport default async () => theirs;\n"),
    ]);
    assert_eq!(folder.run("types").code, 0);
    let Some(found) = complaints(&folder, "node_declarations_of_the_project_win") else { return };
    assert_eq!(found, "");
}
