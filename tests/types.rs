//! Holds `runtime-js/types/lmthing.d.ts` and the program together: what a prompt file finds has a type, what has a type is
//! there, and the examples pass TypeScript's check.

#[path = "support/skipped.rs"]
mod skipped;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use skipped::skipped;

/// Writes down what a prompt file finds, by the names of the modules and interfaces that describe it.
const PROBE: &str = r"
import * as main from 'lmthing';
import * as plugins from 'lmthing/plugins';
import * as test from 'lmthing/test';

export const config = { model: 'mock', options: { onFinish: () => console.log(JSON.stringify(found)) } };
export const mock = [{ type: 'tool-call', toolName: 'look', args: {} }];

const members = (object) => Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== 'constructor');
const found = {
  lmthing: Object.keys(main),
  'lmthing/plugins': Object.keys(plugins),
  'lmthing/test': Object.keys(test),
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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn declarations() -> String {
    fs::read_to_string(root().join("runtime-js/types/lmthing.d.ts")).expect("the types are there")
}

/// What the program offers.
fn probe() -> Value {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("probe.lmt.mjs");
    fs::write(&file, PROBE).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_lmthing")).arg("run").arg(&file).output().expect("the binary runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the probe failed: {stderr}");
    serde_json::from_str(stdout.trim()).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

fn found(probe: &Value, name: &str) -> Names {
    let list = probe[name].as_array().unwrap_or_else(|| panic!("the probe did not see {name}"));
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What only `lmthing test` will offer: `lmthing new` writes it into test files, which editors show already.
const IN_TEST_FILES: &[&str] = &["expect", "run", "test"];

/// The name a line begins with.
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
    for module in ["lmthing", "lmthing/plugins", "lmthing/test"] {
        let typed = exported_values(&types, module);
        let typed = if module == "lmthing/test" { without(typed, IN_TEST_FILES) } else { typed };
        compare(module, typed, found(&probe, module));
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
    let source =
        fs::read_to_string(root().join("src/script/bindings/prompt/options.rs")).expect("the options are there");
    let lines = block(&source, "const KNOWN", "];");
    let known: Names = lines.iter().map(|line| line.trim().trim_matches(['"', ',']).to_owned()).collect();
    assert_eq!(typed, known, "the options of the types and of options.rs");
}

#[test]
fn the_reader_of_the_types_sees_them() {
    let types = declarations();
    let some = strings(&["def", "$", "defTool", "defTaskGraph"]);
    assert!(members(&types, "PromptMethods").is_superset(&some));
    let of_tests = without(exported_values(&types, "lmthing/test"), IN_TEST_FILES);
    assert_eq!(of_tests, strings(&["createMockModel", "default"]));
    assert_eq!(members(&types, "Prompt"), strings(&["steps", "fullSteps"]));
}

/// The TypeScript compiler of `runtime-js/node_modules`, if it was installed.
fn compiler() -> Option<(PathBuf, PathBuf)> {
    let modules = root().join("runtime-js/node_modules");
    let (compiler, zod) = (modules.join("typescript/bin/tsc"), modules.join("zod"));
    (compiler.exists() && zod.exists()).then_some((compiler, zod))
}

/// Checks files against the types; the compiler's complaints.
fn type_check(files: &[PathBuf]) -> Option<String> {
    let (compiler, zod) = compiler()?;
    let directory = tempfile::tempdir().expect("a temporary directory");
    // What prompt files get as in Node; an author has `@types/node` for these.
    let globals = directory.path().join("globals.d.ts");
    fs::write(&globals, "declare const process: any;\ndeclare module 'node:*';\n").expect("a file can be written");
    let config = json!({
        "compilerOptions": {
            "noEmit": true, "allowJs": true, "checkJs": true, "strict": true, "noImplicitAny": false,
            "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [],
            "lib": ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
            "paths": { "zod": [zod] },
        },
        "files": files.iter().chain([&root().join("runtime-js/types/lmthing.d.ts"), &globals]).collect::<Vec<_>>(),
    });
    let path = directory.path().join("tsconfig.json");
    fs::write(&path, config.to_string()).expect("a file can be written");
    let mut command = Command::new("node");
    let output = command.arg(compiler).arg("-p").arg(path).args(["--pretty", "false"]).output().expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() || !text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

/// What a schema says of the second argument: its properties, defaults applied, and the methods of plugins beside it.
const WRONG_INPUT: &str = r"import { z } from 'zod';
export const input = z.object({ city: z.string(), days: z.coerce.number().default(3) });
const described = { type: 'object', properties: { city: { type: 'string' } } };
const plugin = { defName() {} };
/** @type {import('lmthing').PromptFunction<typeof input, typeof plugin>} */
export default ({ defName }, { city, cty, days }) => {
  city.toFixed();
  defName();
  return days.toFixed();
};
/** @type {import('lmthing').PromptFunction<typeof described>} */
export const loose = ({ $ }, { city }) => $`${city.anything}`;
/** @type {import('lmthing').PromptFunction<typeof plugin>} */
export const plain = ({ defName }) => defName();
";

#[test]
fn the_examples_pass_the_type_check_and_mistakes_do_not() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let wrong = directory.path().join("wrong.lmt.mjs");
    let text = "/** @type {import('lmthing').PromptFunction} */\n\
                export default async ({ def, defStaet }) => {\n\
                  def('A', {});\n\
                };\n";
    fs::write(&wrong, text).expect("a file can be written");
    let wrong_input = directory.path().join("wrong_input.lmt.mjs");
    fs::write(&wrong_input, WRONG_INPUT).expect("a file can be written");
    let Some(complaints) = type_check(&[wrong, wrong_input]) else {
        let test = "the_examples_pass_the_type_check_and_mistakes_do_not";
        return skipped(test, "no TypeScript; run `npm ci` in runtime-js/ (.ci/run does it)");
    };
    assert!(complaints.contains("(2,30): error TS2551") || complaints.contains("(2,30): error TS2339"), "{complaints}");
    assert!(complaints.contains("(3,10): error TS2345"), "{complaints}");
    let of_input: Vec<&str> = complaints.lines().filter(|line| line.contains("wrong_input")).collect();
    let expected = ["(6,38): error TS2339: Property 'cty'", "(7,8): error TS2551: Property 'toFixed'"];
    assert_eq!(of_input.len(), expected.len(), "{complaints}");
    assert!(of_input.iter().zip(expected).all(|(line, part)| line.contains(part)), "{complaints}");

    let files = fs::read_dir(root().join("examples")).expect("examples/ is there");
    let files: Vec<PathBuf> = files.map(|entry| entry.expect("a readable directory").path()).collect();
    assert_eq!(type_check(&files).as_deref(), Some(""));
}
