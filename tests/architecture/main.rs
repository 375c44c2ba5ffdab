//! Rules of the source that the compiler does not check: which modules may import which, import cycles, where `'js`,
//! `unsafe`, printing and ending the process may occur, and the lengths of files and functions
//! (docs/maintainers/architecture.md).
//!
//! Reads the source text. A rule that stands in the way of something better is changed here and on that page together.

mod circles;
mod functions;
mod paths;
mod sources;
mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::circles::{circles, describe, graph};
use crate::functions::{Function, functions};
use crate::paths::{code, names, without_tests};
use crate::sources::{Source, sources};
use crate::tree::Tree;

/// What each room may import besides itself. A room is a directory (or file) directly under `src/`.
const ARROWS: &[(&str, &[&str])] = &[
    ("chat", &[]),
    ("schema", &[]),
    ("diagnostic", &[]),
    ("files", &["diagnostic"]),
    ("cost", &["chat", "diagnostic"]),
    ("permission", &[]),
    ("event", &["chat"]),
    ("checkpoint", &["chat"]),
    ("journal", &["checkpoint", "event", "chat", "diagnostic"]),
    ("input", &["chat", "schema", "diagnostic"]),
    ("user_file", &[]),
    ("http", &["user_file"]),
    ("process", &[]),
    ("remote", &["http", "diagnostic"]),
    ("threads", &[]),
    // Spans are sent through the shared HTTP client.
    ("trace", &["event", "chat", "http"]),
    ("mcp", &["user_file", "http", "process", "chat", "schema", "diagnostic", "permission"]),
    ("provider", &["user_file", "http", "chat", "schema", "diagnostic"]),
    ("plugin", &["chat", "schema", "diagnostic"]),
    ("code", &["chat", "schema", "diagnostic"]),
    ("sandbox", &["code", "chat", "schema", "diagnostic"]),
    // The model of a prompt names the trait its steps are answered by, and keeps what its functions look like to the model.
    ("prompt", &["provider", "code", "checkpoint", "event", "chat", "schema", "diagnostic"]),
    // `fetch` in prompt files goes through the shared HTTP client.
    (
        "script",
        &[
            "mcp",
            "permission",
            "checkpoint",
            "cost",
            "input",
            "prompt",
            "plugin",
            "provider",
            "code",
            "sandbox",
            "http",
            "event",
            "chat",
            "schema",
            "diagnostic",
        ],
    ),
    (
        "session",
        &[
            "permission",
            "checkpoint",
            "cost",
            "input",
            "script",
            "event",
            "prompt",
            "plugin",
            "provider",
            "code",
            "sandbox",
            "chat",
            "schema",
            "diagnostic",
        ],
    ),
    (
        "check",
        &[
            "files",
            "permission",
            "code",
            "script",
            "input",
            "checkpoint",
            "prompt",
            "provider",
            "event",
            "chat",
            "schema",
            "diagnostic",
        ],
    ),
    (
        "testing",
        &[
            "user_file",
            "permission",
            "checkpoint",
            "session",
            "cost",
            "input",
            "script",
            "event",
            "prompt",
            "provider",
            "code",
            "chat",
            "schema",
            "diagnostic",
        ],
    ),
    (
        "map",
        &[
            "user_file",
            "remote",
            "threads",
            "files",
            "permission",
            "checkpoint",
            "session",
            "cost",
            "input",
            "script",
            "event",
            "prompt",
            "provider",
            "chat",
            "diagnostic",
        ],
    ),
    // Files are run by other processes, which tell of it in events.
    ("serve", &["files", "process", "chat", "schema", "diagnostic"]),
    // With the cargo feature of the same name. What it tells goes the way of other servers' words.
    (
        "worker",
        &[
            "threads",
            "serve",
            "files",
            "permission",
            "journal",
            "trace",
            "checkpoint",
            "session",
            "cost",
            "input",
            "script",
            "event",
            "prompt",
            "provider",
            "http",
            "chat",
            "schema",
            "diagnostic",
        ],
    ),
    (
        "cli",
        &[
            "user_file",
            "remote",
            "map",
            "worker",
            "serve",
            "process",
            "files",
            "permission",
            "testing",
            "journal",
            "trace",
            "checkpoint",
            "check",
            "session",
            "cost",
            "input",
            "script",
            "event",
            "prompt",
            "provider",
            "code",
            "sandbox",
            "chat",
            "schema",
            "diagnostic",
        ],
    ),
    // main.rs is one call into the library, or into what it starts itself for: the worker of a sandbox, the keeper of a server.
    ("main", &["cli", "mcp", "sandbox"]),
    ("lib", &[]),
];

/// Files that may import each other in a circle, and why.
const CIRCLES: &[(&[&str], &str)] = &[
    (&["src/chat/"], "recursive data: an agent's steps are part of a message, and a step holds messages"),
    (
        &["src/input/kind.rs", "src/input/property.rs"],
        "recursive data: an object has properties, and a property may be an object",
    ),
    (
        &["src/script/bindings/values/messages.rs", "src/script/bindings/values/steps.rs"],
        "recursive data: an agent's steps are part of a message, and a step holds messages",
    ),
];

/// Where the lifetime of JavaScript values may appear.
const JS_LIFETIME: &[&str] = &["src/script/", "src/sandbox/worker/", "src/sandbox/worker.rs"];

/// Files that may hold `unsafe`, and why.
const UNSAFE: &[(&str, &str)] = &[
    ("src/script/bytecode.rs", "loads the bytecode that build.rs made"),
    ("src/sandbox/worker/bytecode.rs", "loads the bytecode that the same process has just compiled"),
];

/// Files that may write to stdout or stderr, and why.
const PRINTS: &[(&str, &str)] = &[
    ("src/cli/printer.rs", "the only writer of the program"),
    ("src/cli/standard_streams.rs", "hands both to the protocol of `lmthing mcp`, where the printer keeps to stderr"),
    ("src/script/node/child_command.rs", "gives child processes the program's own streams"),
    ("src/cli/interrupt.rs", "clears the progress line from the signal thread while the printer's thread may be busy"),
    ("src/cli/end_report.rs", "reports the end of a run whose own thread, with its printer, is blocked in native work"),
    ("src/sandbox/worker/", "its stdout is the pipe to the host"),
    ("src/sandbox/worker.rs", "its stdout is the pipe to the host"),
    ("src/mcp/supervisor.rs", "a process of its own, whose stderr is that of the server it could not start"),
];

/// Files that may end the process, and why.
const EXITS: &[(&str, &str)] = &[
    ("src/main.rs", "maps the outcome to an exit code"),
    ("src/sandbox/worker/", "a process of its own"),
    ("src/sandbox/worker.rs", "a process of its own"),
];

/// Lines a file may have, unit tests included.
const MAX_LINES: usize = 400;

/// Lines a function may have: it fits a screen. Unit tests may be longer tables.
const MAX_FUNCTION_LINES: usize = 60;

/// Lines that half of the functions have at most.
const MEDIAN_FUNCTION_LINES: usize = 8;

/// Lines that nine functions in ten have at most.
const MOST_FUNCTION_LINES: usize = 25;

/// Longer files, and why.
const LONG_FILES: &[(&str, &str)] = &[
    ("src/schema/typescript.rs", "one printer: a flat match over the keywords of JSON Schema, and its table of tests"),
    ("src/plugin/task_graph/tests.rs", "tests only: one short case after the other"),
];

fn allowed(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(place, _)| is_at(place, path))
}

/// Whether `path` is the file `place`, or below the directory `place`.
fn is_at(place: &str, path: &str) -> bool {
    path == place || (place.ends_with('/') && path.starts_with(place))
}

/// Files outside `list` whose code has one of `words`.
fn offenders(words: &[&str], is_allowed: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !is_allowed(&source.path)) {
        for (number, line) in source.text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if words.iter().any(|word| code.contains(word)) {
                found.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn rooms_import_along_the_arrows_only() {
    let mut wrong = Vec::new();
    let sources = sources();
    let tree = Tree::new(&sources);
    for source in &sources {
        let room = source.room();
        let Some((_, targets)) = ARROWS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{}: the room `{room}` has no line in ARROWS", source.path));
            continue;
        };
        for target in tree.rooms(&source.module()) {
            if !targets.contains(&target.as_str()) {
                wrong.push(format!("{}: `{room}` must not import `{target}`", source.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_arrow_leads_back() {
    // Every room comes before the rooms that import it, so the table has no circle.
    for (place, (room, targets)) in ARROWS.iter().enumerate() {
        for target in *targets {
            let earlier = ARROWS[..place].iter().any(|(name, _)| name == target);
            assert!(earlier, "`{room}` imports `{target}`, which must stand above it");
        }
    }
}

#[test]
fn files_import_each_other_in_one_direction() {
    let sources = sources();
    let graph = graph(&Tree::without_tests(&sources));
    let found = circles(&graph);
    let is_inside = |circle: &BTreeSet<&str>, files: &[&str]| {
        circle.iter().all(|file| files.iter().any(|place| is_at(place, file)))
    };
    let wrong = found.iter().filter(|circle| !CIRCLES.iter().any(|(files, _)| is_inside(circle, files)));
    let wrong: Vec<String> = wrong.map(|circle| describe(&graph, circle)).collect();
    assert!(wrong.is_empty(), "cut one arrow of each circle, or list it with a reason:\n{}", wrong.join("\n"));
    let gone = CIRCLES.iter().filter(|(files, _)| !found.iter().any(|circle| is_inside(circle, files)));
    let gone: Vec<&str> = gone.map(|(_, reason)| *reason).collect();
    assert_eq!(gone, [""; 0], "these circles are gone: take them off the list");
}

#[test]
fn javascript_values_stay_in_their_rooms() {
    let is_allowed = |path: &str| JS_LIFETIME.iter().any(|place| path.starts_with(place));
    assert_eq!(offenders(&["'js"], is_allowed), [""; 0], "`'js` outside of {JS_LIFETIME:?}");
}

#[test]
fn unsafe_code_has_one_home() {
    let words = ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code", "    unsafe_code,"];
    assert_eq!(offenders(&words, |path| allowed(UNSAFE, path)), [""; 0], "unsafe outside of {UNSAFE:?}");
}

#[test]
fn only_the_printer_writes() {
    let words = ["println!", "print!(", "dbg!(", "stdout()", "stderr()"];
    let words = words.map(|word| if word.ends_with("()") { format!("io::{word}") } else { word.to_owned() });
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(offenders(&words, |path| allowed(PRINTS, path)), [""; 0], "printing outside of {PRINTS:?}");
}

#[test]
fn only_main_ends_the_process() {
    let sources = sources();
    let ends = |path: &Vec<String>| {
        let path = path.join("::");
        ["process::exit", "process::abort", "libc::exit", "libc::_exit"].iter().any(|end| path.ends_with(end))
    };
    let found: Vec<&str> = sources
        .iter()
        .filter(|source| {
            let names = names(&code(&source.text));
            names.uses.iter().map(|import| &import.path).chain(&names.paths).any(ends)
        })
        .map(|source| source.path.as_str())
        .filter(|path| !allowed(EXITS, path))
        .collect();
    assert_eq!(found, [""; 0], "ending the process outside of {EXITS:?}");
}

#[test]
fn files_stay_short() {
    let sources = sources();
    let lines = |source: &Source| source.text.lines().count();
    let long: Vec<String> = sources
        .iter()
        .filter(|source| lines(source) > MAX_LINES && !allowed(LONG_FILES, &source.path))
        .map(|source| format!("{}: {} lines", source.path, lines(source)))
        .collect();
    assert_eq!(long, [""; 0], "files over {MAX_LINES} lines: split them, or list them with a reason");
    for (path, _) in LONG_FILES {
        let still_long = sources.iter().any(|source| source.path == *path && lines(source) > MAX_LINES);
        assert!(still_long, "{path} is short now (or gone): take it off the list");
    }
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
    assert!(median <= MEDIAN_FUNCTION_LINES, "half of the functions have {median} lines and more");
    assert!(ninetieth <= MOST_FUNCTION_LINES, "one function in ten has {ninetieth} lines and more");
}

/// The package names of a page's dependency tables.
fn explained(page: &str) -> BTreeSet<String> {
    let (_, section) = page.split_once("\n## Dependencies\n").expect("the page has the section");
    let name = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    section.lines().filter_map(name).collect()
}

#[test]
fn every_dependency_is_explained() {
    let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path);
    let mut used = BTreeSet::new();
    let mut in_dependencies = false;
    for line in read("Cargo.toml").lines() {
        if line.starts_with('[') {
            in_dependencies = line.ends_with("dependencies]");
        } else if let (true, Some((name, _))) = (in_dependencies, line.split_once(" =")) {
            used.insert(name.to_owned());
        }
    }
    let package: serde_json::Value = serde_json::from_str(&read("runtime-js/package.json")).expect("JSON");
    for key in ["dependencies", "devDependencies"] {
        used.extend(package[key].as_object().into_iter().flatten().map(|(name, _)| name.clone()));
    }
    assert_eq!(explained(&read("docs/maintainers/dependencies.md")), used, "the page and the packages that are used");
}
