//! Rules of the source that the compiler does not check (docs/maintainers/architecture.md): import cycles, the order of
//! modules, where `'js`, `unsafe`, printing and ending the process may occur, the types of errors, the lengths of files
//! and functions, and the dependencies of the crates.
//!
//! Reads the source text. To change a rule, change it here and on that page.

mod cycles;
mod functions;
mod manifests;
mod paths;
mod results;
mod sources;
mod tree;

use std::collections::BTreeSet;

use crate::cycles::{cycles, describe, graph};
use crate::functions::{Function, functions};
use crate::paths::{code, names, without_tests};
use crate::results::string_errors;
use crate::sources::{Source, sources};
use crate::tree::Tree;

/// Modules of a directory; each may import only those before it.
const ORDER: &[(&str, &[&str])] = &[];

/// Files that may import each other in a cycle, and why.
const CYCLES: &[(&[&str], &str)] = &[
    (&["crates/base/src/chat/"], "recursive data: an agent's steps are part of a message, and a step holds messages"),
    (
        &["crates/base/src/input/kind.rs", "crates/base/src/input/property.rs"],
        "recursive data: an object has properties, and a property may be an object",
    ),
    (
        &["crates/engine/src/bindings/values/messages.rs", "crates/engine/src/bindings/values/steps.rs"],
        "recursive data: an agent's steps are part of a message, and a step holds messages",
    ),
];

/// Where the lifetime of JavaScript values may appear.
const JS_LIFETIME: &[&str] = &[
    "crates/node/src/",
    "crates/engine/src/bindings/",
    "crates/typescript/src/sandbox/worker/",
    // Declares the built-in modules.
    "crates/runtime/src/bytecode.rs",
];

/// Files that may hold `unsafe`, and why.
const UNSAFE: &[(&str, &str)] = &[
    ("crates/runtime/src/bytecode.rs", "loads the bytecode that the build script made"),
    ("crates/typescript/src/sandbox/worker/bytecode.rs", "loads the bytecode that the same process has just compiled"),
];

/// Files that may write to stdout or stderr, and why.
const PRINTS: &[(&str, &str)] = &[
    ("crates/build/src/lib.rs", "cargo reads what a build script prints"),
    ("src/cli/printer.rs", "the only writer of the program"),
    ("src/cli/screen.rs", "draws the progress line, which the printer and the signal thread remove"),
    ("src/cli/standard_streams.rs", "hands both to the protocol of `lmthing mcp`, and standard error to the printer"),
    ("src/cli/interrupt.rs", "clears the progress line from the signal thread while the printer's thread may be busy"),
    ("src/cli/end_report.rs", "reports the end of a run whose own thread, with its printer, is blocked in native code"),
    ("crates/node/src/node/child_command.rs", "gives child processes the program's own streams"),
    ("crates/typescript/src/sandbox/worker/", "its stdout is the pipe to the host"),
    ("crates/engine/src/mcp/supervisor.rs", "a separate process, whose stderr is that of the server it starts"),
];

/// Files that may end the process, and why.
const EXITS: &[(&str, &str)] = &[("src/main.rs", "maps the outcome to an exit code")];

/// Lines a file may have, unit tests included.
const MAX_LINES: usize = 400;

/// Lines a function may have, so that it fits a screen. Unit tests may be longer tables.
const MAX_FUNCTION_LINES: usize = 60;

/// The longest that half of the functions, and nine in ten, may be.
const MEDIAN_FUNCTION_LINES: usize = 8;
const NINETIETH_FUNCTION_LINES: usize = 25;

/// Longer files, and why.
const LONG_FILES: &[(&str, &str)] = &[
    ("crates/base/src/schema/typescript.rs", "one printer: a match over the keywords of JSON Schema, and its tests"),
    ("crates/engine/src/plugin/task_graph/tests.rs", "only tests, each of them short"),
];

fn allowed(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(place, _)| is_at(place, path))
}

/// Whether `path` is the file `place`, or below the directory `place`.
fn is_at(place: &str, path: &str) -> bool {
    path == place || (place.ends_with('/') && path.starts_with(place))
}

/// Lines with one of `texts` in files that are not allowed to have them. Comments are ignored.
fn lines_with(texts: &[&str], is_allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for source in sources().iter().filter(|source| !is_allowed(&source.path)) {
        for (number, line) in source.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if texts.iter().any(|text| code.contains(text)) {
                lines.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    lines
}

#[test]
fn files_import_each_other_in_one_direction() {
    let sources = sources();
    let graph = graph(&Tree::without_tests(&sources));
    let cycles = cycles(&graph);
    let is_inside =
        |cycle: &BTreeSet<&str>, files: &[&str]| cycle.iter().all(|file| files.iter().any(|place| is_at(place, file)));
    let wrong = cycles.iter().filter(|cycle| !CYCLES.iter().any(|(files, _)| is_inside(cycle, files)));
    let wrong: Vec<String> = wrong.map(|cycle| describe(&graph, cycle)).collect();
    assert!(wrong.is_empty(), "cut one import of each cycle, or list it with a reason:\n{}", wrong.join("\n"));
    let gone = CYCLES.iter().filter(|(files, _)| !cycles.iter().any(|cycle| is_inside(cycle, files)));
    let gone: Vec<_> = gone.map(|(files, _)| files).collect();
    assert!(gone.is_empty(), "there is no such cycle any more, remove it from the list: {gone:?}");
}

#[test]
fn modules_import_only_those_before_them() {
    let sources = sources();
    let graph = graph(&Tree::without_tests(&sources));
    let mut wrong = Vec::new();
    for (directory, modules) in ORDER {
        let position = |file: &str| {
            let module = file.strip_prefix(directory)?.split('/').next()?.trim_end_matches(".rs");
            modules.iter().position(|name| *name == module)
        };
        for (file, imports) in &graph {
            for (target, name) in imports {
                if position(file).zip(position(target)).is_some_and(|(file, target)| file < target) {
                    wrong.push(format!("{file} -> {target} ({name})"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the order of modules:\n{}", wrong.join("\n"));
}

#[test]
fn javascript_values_stay_in_their_modules() {
    let is_allowed = |path: &str| JS_LIFETIME.iter().any(|place| is_at(place, path));
    assert_eq!(lines_with(&["'js"], is_allowed), [""; 0], "`'js` outside of {JS_LIFETIME:?}");
}

#[test]
fn unsafe_code_only_loads_bytecode() {
    let texts = ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code", "    unsafe_code,"];
    assert_eq!(lines_with(&texts, |path| allowed(UNSAFE, path)), [""; 0], "unsafe outside of {UNSAFE:?}");
}

#[test]
fn only_the_printer_writes() {
    let texts = ["println!", "print!(", "dbg!(", "io::stdout()", "io::stderr()"];
    assert_eq!(lines_with(&texts, |path| allowed(PRINTS, path)), [""; 0], "printing outside of {PRINTS:?}");
}

#[test]
fn only_main_ends_the_process() {
    let sources = sources();
    let ends = |path: &Vec<String>| {
        let path = path.join("::");
        ["process::exit", "process::abort", "libc::exit", "libc::_exit"].iter().any(|end| path.ends_with(end))
    };
    let may_end = |source: &Source| {
        let names = names(&code(&source.text));
        names.uses.iter().map(|import| &import.path).chain(&names.paths).any(ends)
    };
    let wrong = sources.iter().filter(|source| !allowed(EXITS, &source.path) && may_end(source));
    let wrong: Vec<&str> = wrong.map(|source| source.path.as_str()).collect();
    assert_eq!(wrong, [""; 0], "ending the process outside of {EXITS:?}");
}

#[test]
fn files_stay_short() {
    let sources = sources();
    let lines = |source: &Source| source.text.lines().count();
    let long = sources.iter().filter(|source| lines(source) > MAX_LINES && !allowed(LONG_FILES, &source.path));
    let long: Vec<String> = long.map(|source| format!("{}: {} lines", source.path, lines(source))).collect();
    assert_eq!(long, [""; 0], "files over {MAX_LINES} lines: split them, or list them with a reason");
    for (path, _) in LONG_FILES {
        let is_long = sources.iter().any(|source| source.path == *path && lines(source) > MAX_LINES);
        assert!(is_long, "{path} is no longer a long file: remove it from the list");
    }
}

#[test]
fn errors_have_types() {
    let sources = sources();
    let tree = Tree::without_tests(&sources);
    let mut strings = Vec::new();
    for source in sources.iter().filter(|source| tree.contains(&source.module())) {
        let (code, _) = without_tests(&code(&source.text));
        strings.extend(string_errors(&code).into_iter().map(|line| format!("{}:{line}", source.path)));
    }
    assert_eq!(strings, [""; 0], "`Result<_, String>`: give the error a type");
}

#[test]
fn functions_stay_short() {
    let sources = sources();
    let tree = Tree::without_tests(&sources);
    let mut all: Vec<(&str, Function)> = Vec::new();
    for source in sources.iter().filter(|source| tree.contains(&source.module())) {
        let (code, _) = without_tests(&code(&source.text));
        all.extend(functions(&code).into_iter().map(|function| (source.path.as_str(), function)));
    }
    let long = all.iter().filter(|(_, function)| function.length > MAX_FUNCTION_LINES);
    let long: Vec<String> = long.map(|(path, function)| format!("{path}: {function:?}")).collect();
    assert_eq!(long, [""; 0], "functions over {MAX_FUNCTION_LINES} lines");
    let mut lengths: Vec<usize> = all.iter().map(|(_, function)| function.length).collect();
    lengths.sort_unstable();
    let (median, ninetieth) = (lengths[lengths.len() / 2], lengths[lengths.len() * 9 / 10]);
    assert!(median <= MEDIAN_FUNCTION_LINES, "half of the functions have {median} lines or more");
    assert!(ninetieth <= NINETIETH_FUNCTION_LINES, "one function in ten has {ninetieth} lines or more");
}
