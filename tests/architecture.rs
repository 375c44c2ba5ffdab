//! Holds what `src/lib.rs` and `docs/architecture.md` say of the rooms: which may import which, where `'js` and `unsafe`
//! may stand, who may print or end the process, and how long a file may be.
//!
//! Reads the source text. A rule that gets in the way of something better is changed here and in the docs together.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// What each room may import besides itself. A room is a directory (or file) directly under `src/`.
const ARROWS: &[(&str, &[&str])] = &[
    ("chat", &[]),
    ("schema", &[]),
    ("diagnostic", &[]),
    ("http", &[]),
    ("provider", &["http", "chat", "schema", "diagnostic"]),
    ("plugin", &["chat", "schema", "diagnostic"]),
    ("code", &["chat", "schema", "diagnostic"]),
    ("sandbox", &["code", "chat", "schema", "diagnostic"]),
    // The model of a prompt names the trait its steps are answered by.
    ("prompt", &["provider", "chat", "schema", "diagnostic"]),
    // `fetch` in prompt files goes through the shared HTTP client.
    ("script", &["prompt", "plugin", "provider", "code", "sandbox", "http", "chat", "schema", "diagnostic"]),
    ("session", &["script", "prompt", "plugin", "provider", "code", "sandbox", "chat", "schema", "diagnostic"]),
    ("cli", &["session", "script", "prompt", "provider", "code", "sandbox", "chat", "schema", "diagnostic"]),
    // main.rs is one call into the library.
    ("main", &["cli"]),
    ("lib", &[]),
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
    ("src/cli/interrupt.rs", "clears the progress line from the signal thread while the printer's thread may be busy"),
    ("src/sandbox/worker/", "its stdout is the pipe to the host"),
    ("src/sandbox/worker.rs", "its stdout is the pipe to the host"),
];

/// Files that may end the process, and why.
const EXITS: &[(&str, &str)] = &[
    ("src/main.rs", "maps the outcome to an exit code"),
    ("src/sandbox/worker/", "a process of its own"),
    ("src/sandbox/worker.rs", "a process of its own"),
];

/// Lines a file may have, unit tests included.
const MAX_LINES: usize = 400;

/// Longer files, and why.
const LONG_FILES: &[(&str, &str)] = &[
    ("src/schema/typescript.rs", "one printer: a flat match over the keywords of JSON Schema, and its table of tests"),
    ("src/sandbox/worker/data.rs", "one walk over values: a flat match over their kinds, and its tests"),
    ("src/plugin/task_graph/tests.rs", "tests only: one short case after the other"),
];

struct Source {
    /// From the root of the crate, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// The room a file belongs to: `src/chat/step.rs` and `src/chat.rs` to `chat`.
    fn room(&self) -> &str {
        let inside = self.path.strip_prefix("src/").expect("all sources are in src/");
        inside.split('/').next().map_or(inside, |first| first.trim_end_matches(".rs"))
    }

    /// How many `super::` lead from the file's module to the crate's root.
    fn depth(&self) -> usize {
        self.path.matches('/').count() - usize::from(self.path.ends_with("/mod.rs"))
    }

    /// The text without comment lines: links in docs are no imports.
    fn code(&self) -> String {
        self.text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
    }
}

fn sources() -> Vec<Source> {
    fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("a readable directory") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join("src"), &mut found);
    found.sort();
    let read = |path: PathBuf| Source {
        path: path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/"),
        text: fs::read_to_string(&path).expect("a source is text"),
    };
    let sources: Vec<Source> = found.into_iter().map(read).collect();
    assert!(sources.len() > 50, "the sources were not found");
    sources
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// What follows `crate::`: one name, or the first names of a braced list.
fn first_names(after: &str) -> Vec<&str> {
    let Some(list) = after.strip_prefix('{') else { return vec![identifier(after)] };
    let mut names = Vec::new();
    let (mut depth, mut expects_name) = (0_usize, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expects_name = true,
            c if c.is_whitespace() => {}
            _ if depth == 0 && expects_name => {
                names.push(identifier(&list[at..]));
                expects_name = false;
            }
            _ => {}
        }
    }
    names
}

/// The rooms a file reaches by `crate::…`, or by a chain of `super::` that leaves its own room.
fn imported_rooms(source: &Source) -> BTreeSet<String> {
    let code = source.code();
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        rooms.extend(first_names(&code[at + "crate::".len()..]).into_iter().map(str::to_owned));
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue;
        }
        let path = &code[at..];
        let rest = path.trim_start_matches("super::");
        let steps = (path.len() - rest.len()) / "super::".len();
        if steps >= source.depth() && steps > 0 {
            let reached = first_names(rest).into_iter().filter(|name| ARROWS.iter().any(|(room, _)| room == name));
            rooms.extend(reached.filter(|name| *name != source.room()).map(str::to_owned));
        }
    }
    rooms.remove(source.room());
    rooms
}

fn allowed(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(place, _)| path == *place || (place.ends_with('/') && path.starts_with(place)))
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
    for source in sources() {
        let room = source.room();
        let Some((_, targets)) = ARROWS.iter().find(|(name, _)| *name == room) else {
            wrong.push(format!("{}: the room `{room}` has no line in ARROWS", source.path));
            continue;
        };
        for target in imported_rooms(&source) {
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
fn the_scanner_sees_every_way_to_write_an_import() {
    let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    let rooms = |path: &str, text: &str| imported_rooms(&source(path, text)).into_iter().collect::<Vec<_>>();
    assert_eq!(rooms("src/prompt/plan.rs", "use crate::{chat::{A, B}, script::X,\n cli};"), ["chat", "cli", "script"]);
    assert_eq!(rooms("src/prompt/plan.rs", "fn f() { crate::session::run() }"), ["session"]);
    assert_eq!(rooms("src/prompt/plan.rs", "/// [`X`](crate::cli::X)\nuse crate::prompt::Y;"), [""; 0]);
    assert_eq!(rooms("src/prompt/plan.rs", "use super::super::script::X;"), ["script"]);
    assert_eq!(rooms("src/script/bindings/tools.rs", "use super::schema::Schema;"), [""; 0]);
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
    let words = ["process::exit", "process::abort", "libc::exit", "libc::_exit"];
    assert_eq!(offenders(&words, |path| allowed(EXITS, path)), [""; 0], "ending the process outside of {EXITS:?}");
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
    assert_eq!(explained(&read("docs/architecture.md")), used, "docs/architecture.md and the packages that are used");
}
