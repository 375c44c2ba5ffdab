//! Agreement of the type check with the TypeScript compiler, by line and error code.
//!
//! `tests/code/typecheck/snippets.txt` holds snippets like those that models write, `verdicts.json` the errors of the
//! compiler from npm (written by `node tests/code/typecheck/regenerate.mjs`). In `../shared/typecheck`, if that folder
//! exists, each line of `cases.jsonl` holds code, the set of declared functions and the errors of two TypeScript
//! versions as `{line, code}`. A result agrees if its set of (line, code) is that of either version.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};

use lmthing_typescript::code::{CheckMode, Checker, prepare};
use serde_json::Value;

use crate::support::skipped;

/// Line and error code.
type Verdict = BTreeSet<(u64, u64)>;

fn shared_folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["../shared/typecheck", "../../shared/typecheck"].iter().map(|path| root.join(path)).find(|path| path.is_dir())
}

fn expected(case: &Value, compiler: &str) -> Verdict {
    let errors = case[compiler].as_array().expect("a list of errors");
    errors.iter().map(|error| (error["line"].as_u64().unwrap_or(0), error["code"].as_u64().unwrap_or(0))).collect()
}

fn verdict(checker: &mut Option<Checker>, code: &str, declarations: &str) -> Verdict {
    match prepare(checker, code, declarations, CheckMode::Strict) {
        Ok(prepared) => {
            assert_eq!(prepared.notice, None, "{code}");
            Verdict::new()
        }
        Err(refused) => refused.errors.iter().map(|error| (error.line.into(), error.code.into())).collect(),
    }
}

#[test]
fn agrees_with_typescript_on_every_snippet() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/code/typecheck");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a readable file");
    let (snippets, declarations) = (read("snippets.txt"), read("functions.d.ts"));
    let verdicts: HashMap<String, Vec<(u64, u64)>> = serde_json::from_str(&read("verdicts.json")).expect("verdicts");
    let mut checker = Some(Checker::new());
    let mut differences = Vec::new();
    let mut total = 0;
    for part in snippets.split("//// ").skip(1) {
        let (name, code) = part.split_once('\n').expect("a name, then the code");
        let expected: Verdict = verdicts.get(name).expect("a verdict; run regenerate.mjs").iter().copied().collect();
        let found = verdict(&mut checker, code.trim_end(), &declarations);
        total += 1;
        if found != expected {
            differences.push(format!("{name}: found {found:?}, TypeScript {expected:?}"));
        }
    }
    assert!(total >= 150, "only {total} snippets");
    assert!(differences.is_empty(), "{} of {total} differ:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn agrees_with_typescript_on_the_shared_examples() {
    let Some(folder) = shared_folder() else {
        let test = "agrees_with_typescript_on_the_shared_examples";
        return skipped(test, "no folder shared/typecheck next to the repository");
    };
    let cases = fs::read_to_string(folder.join("cases.jsonl")).expect("readable cases");
    let mut checker = Some(Checker::new());
    let mut differences = Vec::new();
    let mut total = 0;
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).expect("a case per line");
        let set = case["decls"].as_str().expect("the name of a set");
        let declarations = fs::read_to_string(folder.join(format!("decls/{set}.d.ts"))).expect("a declaration file");
        let code = case["code"].as_str().expect("code");
        let found = verdict(&mut checker, code, &declarations);
        total += 1;
        if found != expected(&case, "ts7") && found != expected(&case, "ts59") {
            differences.push(format!("{}: found {found:?}, TypeScript 7 {:?}", case["id"], expected(&case, "ts7")));
        }
    }
    assert!(total > 0, "no cases");
    assert!(differences.len() * 100 <= total, "{} of {total} differ:\n{}", differences.len(), differences.join("\n"));
}
