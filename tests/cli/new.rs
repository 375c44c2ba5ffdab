//! `lmthing new`: each template runs as it is written, and existing files are not overwritten.

use std::fs;

use crate::support::{Folder, Outcome};

/// Each template and what it prints.
const TEMPLATES: [(&str, &str); 6] = [
    ("hello", "Good morning, Ada! What are we going to compute today?\n"),
    ("tools", "There are 12 packets of tea, and the cups are sold out.\n"),
    ("agent", "Zero was invented in India and came to Europe by way of Arabic mathematics.\n"),
    ("code", "Tea and a cup cost 10.80 with ten percent off.\n"),
    ("tasks", "Tea came to Europe in 1610, by way of Amsterdam.\nBoth tasks are done.\n"),
    ("typed", "{\"mood\":\"mixed\",\"topics\":[\"taste\",\"delivery\"],\"summary\":\"Good tea, late delivery.\"}\n"),
];

fn empty() -> Folder {
    Folder::new(&[])
}

/// The names of the files in a folder.
fn names(folder: &Folder, path: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path(path)).expect("the folder is there").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn each_template_runs_with_its_mock_in_both_languages() {
    for (template, answer) in TEMPLATES {
        for (option, ending) in [("", ".lmt.mjs"), ("--ts", ".lmt.ts")] {
            let folder = empty();
            let written = folder.run(&format!("new {option} --template {template} prompts/mine"));
            assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{written:?}");
            let [file, test] = ["prompts/mine", "prompts/mine.test"].map(|name| format!("{name}{ending}"));
            let commands = [format!("run {file}"), format!("test {test}"), format!("check {file}")];
            for reported in [&file, &test].into_iter().chain(&commands) {
                assert!(written.stderr.contains(reported), "{reported}: {}", written.stderr);
            }
            let ran = folder.run(&format!("run {file}"));
            assert_eq!((ran.code, ran.stdout.as_str()), (0, answer), "{template} {ending}: {ran:?}");
            assert!(!ran.stderr.contains("Warning"), "{template} {ending}: {ran:?}");
            let checked = folder.run(&format!("check {file}"));
            assert_eq!(checked.code, 0, "{template} {ending}: {checked:?}");
        }
    }
}

#[test]
fn the_test_of_each_template_passes_in_both_languages() {
    let folder = empty();
    for (template, _) in TEMPLATES {
        for (option, place) in [("", "js"), ("--ts", "ts")] {
            assert_eq!(folder.run(&format!("new {option} --template {template} {place}/{template}")).code, 0);
        }
    }
    let tested = folder.run("test");
    assert_eq!(tested.code, 0, "{tested:?}");
    // The tests, and the prompt files with their mocks.
    assert!(tested.stdout.contains(" Test Files  24 passed (24)\n"), "{}", tested.stdout);
}

#[test]
fn the_test_runs_its_own_prompt_file() {
    for (template, _) in TEMPLATES {
        let folder = empty();
        folder.run(&format!("new -t {template} a/mine.lmt.ts"));
        let test = fs::read_to_string(folder.path("a/mine.test.lmt.ts")).unwrap();
        assert!(test.starts_with("import { expect, run, test } from 'lmthing/test';\n"), "{test}");
        assert!(test.contains("await run('./mine.lmt.ts', { model: 'mock'"), "{test}");
        assert!(!test.contains(&format!("{template}.lmt")), "{test}");
    }
}

#[test]
fn the_names_of_files_say_the_language() {
    for (name, expected) in [
        ("one", ["one.lmt.mjs", "one.test.lmt.mjs"]),
        ("one.lmt.mjs", ["one.lmt.mjs", "one.test.lmt.mjs"]),
        ("one.lmt.ts", ["one.lmt.ts", "one.test.lmt.ts"]),
        ("--ts one.lmt.mts", ["one.lmt.mts", "one.test.lmt.mts"]),
    ] {
        let folder = empty();
        assert_eq!(folder.run(&format!("new {name}")).code, 0);
        assert_eq!(names(&folder, ""), expected);
    }
}

#[test]
fn existing_files_are_not_overwritten() {
    for taken in ["mine.lmt.mjs", "mine.test.lmt.mjs"] {
        let folder = Folder::new(&[(taken, "mine")]);
        let refused = folder.run("new --template tools mine");
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
        let message = format!("Error: {taken} is there already; nothing was written\n");
        assert!(refused.stderr.starts_with(&message), "{}", refused.stderr);
        assert_eq!(names(&folder, ""), [taken]);
        assert_eq!(fs::read_to_string(folder.path(taken)).unwrap(), "mine");
    }
    let folder = Folder::new(&[("file", "")]);
    let refused = folder.run("new file/mine");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.starts_with("Error: file is a file, not a folder; nothing was written\n"),
        "{}",
        refused.stderr
    );
}

#[test]
fn invalid_names_are_refused_with_the_valid_ones() {
    for (words, message) in [
        ("new --template toolz a", "a similar value exists: 'tools'"),
        ("new", "NAME"),
        ("new a b", "unexpected argument 'b'"),
        ("new --tss a", "--ts"),
        ("new a.test.lmt.mjs", "hint: lmthing new a\n"),
        ("new folder/", "hint: lmthing new folder/hello"),
        ("new a.mjs", "hint: lmthing new a.lmt.mjs"),
        ("new --ts a.lmt.mjs", "a JavaScript file"),
        ("new what?", "it has '?' in it"),
    ] {
        let folder = empty();
        let refused = folder.run(words);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{words}");
        assert!(refused.stderr.contains(message), "{words}: {}", refused.stderr);
        assert_eq!(names(&folder, ""), [""; 0], "{words}");
    }
}

#[test]
fn a_name_with_spaces_is_quoted_for_the_shell() {
    let folder = empty();
    let mut command = folder.command("new");
    let written = Outcome::of(command.arg("my prompts/first one"));
    assert_eq!(written.code, 0, "{written:?}");
    assert!(written.stderr.contains("lmthing run 'my prompts/first one.lmt.mjs'"), "{}", written.stderr);
}
