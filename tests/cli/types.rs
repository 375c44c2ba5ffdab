//! Compares `runtime-js/types/lmthing.d.ts` with the program: everything that exists has a type, everything typed
//! exists, the examples pass TypeScript's check, and mistakes do not.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    support::{Folder, root, skipped},
    typescript::{Complaint, Globals, check},
};

/// Prints what a prompt file finds, by the names of the modules and interfaces that describe it.
const PROBE: &str = r"
import * as main from 'lmthing';
import * as plugins from 'lmthing/plugins';
import * as test from 'lmthing/test';
import * as evals from 'lmthing/eval';

export const config = { model: 'mock', options: { onFinish: () => console.log(JSON.stringify(found)) } };
export const mock = [{ type: 'tool-call', toolName: 'look', args: {} }];

const members = (object) => Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== 'constructor');
const found = {
  lmthing: Object.keys(main),
  'lmthing/plugins': Object.keys(plugins),
  'lmthing/test': Object.keys(test),
  'lmthing/eval': Object.keys(evals),
  globals: Object.getOwnPropertyNames(globalThis),
};

export default async (prompt) => {
  const methods = Object.keys(prompt);
  found.PromptMethods = methods;
  found.StatefulPrompt = members(prompt).filter((name) => !methods.includes(name));
  found.Reference = members(prompt.def('A', 'a'));
  prompt.defEffect((context) => { found.EffectContext = members(context); });
  prompt.defTool('look', 'Looks.', {}, (args, call) => { found.ToolExecution = members(call); });
  prompt.$`go`;
  if (found.Result) return;
  found.Result = [];
  const { result } = await main.runPrompt(async ({ $ }) => { $`go`; }, { model: test.createMockModel([]) });
  found.Result = members(result);
  found.ResultStream = members(result.textStream);
  await result.text;
};
";

type Names = BTreeSet<String>;

fn declarations() -> String {
    fs::read_to_string(root().join("runtime-js/types/lmthing.d.ts")).expect("the types are there")
}

/// The output of [`PROBE`].
fn probe() -> Value {
    let outcome = Folder::of(PROBE).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 0, "the probe failed: {}", outcome.stderr);
    outcome.object()
}

fn found(probe: &Value, name: &str) -> Names {
    let list = probe[name].as_array().unwrap_or_else(|| panic!("the probe did not see {name}"));
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The name that a line begins with.
fn leading_name(line: &str) -> &str {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(line.len());
    &line[..end]
}

/// The lines between `opening` and the `closing` line.
fn block<'a>(text: &'a str, opening: &str, closing: &str) -> Vec<&'a str> {
    let opens = |line: &str| {
        let rest = line.strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    let lines = text.lines().skip_while(|line| !opens(line)).skip(1);
    let block: Vec<&str> = lines.take_while(|line| *line != closing).collect();
    assert!(!block.is_empty(), "the types have no `{opening}`");
    block
}

fn exported_values(types: &str, module: &str) -> Names {
    let lines = block(types, &format!("declare module '{module}' {{"), "}");
    let value = |line: &&str| {
        let declaration = line.strip_prefix("  export ")?;
        let words = ["function ", "const ", "class "];
        match words.iter().find_map(|word| declaration.strip_prefix(word)) {
            Some(rest) => Some(leading_name(rest).to_owned()),
            None => declaration.starts_with("default ").then(|| "default".to_owned()),
        }
    };
    lines.iter().filter_map(value).collect()
}

fn members(types: &str, interface: &str) -> Names {
    let lines = block(types, &format!("  export interface {interface}"), "  }");
    let member = |line: &&str| {
        let text = line.strip_prefix("    ").filter(|text| !text.starts_with([' ', '/', '*', ')', ']', '(']))?;
        Some(leading_name(text.strip_prefix("readonly ").unwrap_or(text)).to_owned())
    };
    lines.iter().filter_map(member).collect()
}

fn strings(names: &[&str]) -> Names {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn without(mut names: Names, others: &[&str]) -> Names {
    names.retain(|name| !others.contains(&name.as_str()));
    names
}

#[test]
fn every_export_and_method_has_a_type_and_the_other_way_round() {
    let (types, probe) = (declarations(), probe());
    let mut wrong = Vec::new();
    let mut compare = |name: &str, typed: Names, there: Names| {
        wrong.extend(typed.difference(&there).map(|member| format!("{name}: `{member}` has a type and is not there")));
    };
    for module in ["lmthing", "lmthing/plugins", "lmthing/test", "lmthing/eval"] {
        compare(module, exported_values(&types, module), found(&probe, module));
    }
    for interface in ["PromptMethods", "Reference", "EffectContext", "ToolExecution", "Result"] {
        compare(interface, members(&types, interface), found(&probe, interface));
    }
    let prompt = members(&types, "StatefulPrompt").into_iter().chain(members(&types, "Prompt")).collect();
    compare("StatefulPrompt", prompt, found(&probe, "StatefulPrompt"));
    // `next` and `return` come with AsyncIterableIterator.
    compare(
        "ResultStream",
        members(&types, "ResultStream"),
        without(found(&probe, "ResultStream"), &["next", "return"]),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_option_has_a_type_and_the_other_way_round() {
    let types = declarations();
    let typed: Names = members(&types, "CallSettings").into_iter().chain(members(&types, "PromptSettings")).collect();
    let source = fs::read_to_string(root().join("crates/engine/src/bindings/prompt/known_options.rs"))
        .expect("known_options.rs");
    let lines = block(&source, "pub(crate) const OPTIONS", "];");
    let known: Names = lines.iter().map(|line| line.trim().trim_matches(['"', ',']).to_owned()).collect();
    assert_eq!(typed, known, "the options of the types and of known_options.rs");
}

#[test]
fn the_reader_of_the_types_sees_them() {
    let types = declarations();
    let some = strings(&["def", "$", "defTool", "defTaskGraph"]);
    assert!(members(&types, "PromptMethods").is_superset(&some));
    let some = strings(&["createMockModel", "default", "describe", "expect", "fn", "run", "test", "vi"]);
    assert!(exported_values(&types, "lmthing/test").is_superset(&some));
    assert_eq!(members(&types, "Prompt"), strings(&["steps", "fullSteps"]));
}

/// Names of the language itself, which TypeScript's own library declares.
const LANGUAGE: &str = "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean
    DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity
    Int16Array Int32Array Int8Array InternalError Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
    ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array
    Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent
    escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape";

#[test]
fn every_global_has_a_type_and_the_other_way_round() {
    let typed: Names = ["globals.d.ts", "additions.d.ts"]
        .iter()
        .flat_map(|file| {
            let path = root().join("runtime-js/types").join(file);
            let text = fs::read_to_string(path).expect("the types are there");
            let words = ["declare var ", "declare function ", "declare namespace "];
            let name =
                |line: &str| words.iter().find_map(|word| line.strip_prefix(word)).map(leading_name).map(str::to_owned);
            text.lines().filter_map(name).collect::<Vec<_>>()
        })
        .collect();
    let there: Names = found(&probe(), "globals");
    let language: Names = LANGUAGE.split_whitespace().map(str::to_owned).collect();
    // A namespace of types only.
    let typed = without(typed, &["NodeJS"]);
    let (untyped, missing): (Vec<_>, Vec<_>) = (
        there.difference(&typed).filter(|name| !language.contains(*name)).collect(),
        typed.difference(&there).collect(),
    );
    assert!(untyped.is_empty() && missing.is_empty(), "without a type: {untyped:?}; not there: {missing:?}");
}

#[test]
fn the_examples_pass_the_type_check() {
    let files = fs::read_dir(root().join("examples")).expect("examples/ is there");
    let files: Vec<PathBuf> = files.map(|entry| entry.expect("a readable directory").path()).collect();
    for globals in [Globals::Own, Globals::Node] {
        let Some(complaints) = check(&files, globals) else {
            return skipped("the_examples_pass_the_type_check", NO_TYPESCRIPT);
        };
        assert_eq!(complaints, [], "{complaints:#?}");
    }
}

const NO_TYPESCRIPT: &str = "no TypeScript; run `npm ci` in runtime-js/ (.ci/run does it)";

/// The snippets of `tests/cli/typed`: a line that must be refused ends with `//~` and TypeScript's error codes.
#[test]
fn marked_lines_are_refused_and_no_others() {
    let files = fs::read_dir(root().join("tests/cli/typed")).expect("tests/typed is there");
    let files: Vec<PathBuf> = files.map(|entry| entry.expect("a readable directory").path()).collect();
    let (typescript, javascript): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.extension().is_some_and(|end| end == "mts"));
    let (node, plain): (Vec<_>, Vec<_>) = javascript.into_iter().partition(|file| file.ends_with("node.mjs"));
    assert!(!typescript.is_empty() && !node.is_empty() && !plain.is_empty());
    for (files, globals) in [(plain, Globals::Own), (node, Globals::Node), (typescript, Globals::Own)] {
        let Some(complaints) = check(&files, globals) else {
            return skipped("marked_lines_are_refused_and_no_others", NO_TYPESCRIPT);
        };
        let expected: BTreeSet<_> = files.iter().flat_map(|file| marks(file)).collect();
        let key = |complaint: &Complaint| (complaint.file.clone(), complaint.line, complaint.code.clone());
        let wrong: Vec<_> = complaints.iter().filter(|complaint| !expected.contains(&key(complaint))).collect();
        let seen: BTreeSet<_> = complaints.iter().map(key).collect();
        let missed: Vec<_> = expected.difference(&seen).collect();
        assert!(wrong.is_empty() && missed.is_empty(), "refused: {wrong:#?}; not refused: {missed:#?}");
    }
}

/// The file, line and code of each mark in a snippet.
fn marks(path: &Path) -> Vec<(String, usize, String)> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path).expect("a readable snippet");
    let mut marks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let codes = line.split_once("//~").map_or("", |(_, codes)| codes);
        marks.extend(codes.split_whitespace().map(|code| (file.to_string(), index + 1, code.to_owned())));
    }
    marks
}
