//! The built-in zod behaves like the zod of npm, though its declarations are created lazily.

use std::path::Path;

use crate::support::{Folder, Outcome, lmthing};

/// The npm package that the built-in one was bundled from.
const NPM: &str = concat!(env!("OUT_DIR"), "/runtime-js/node_modules/zod");

#[test]
fn the_built_in_zod_equals_the_npm_package() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script/zod/compare.lmt.mjs");
    let outcome = Outcome::of(lmthing().arg("run").arg(file).arg(NPM));
    assert_eq!(outcome.stdout.trim(), "the same", "{}", outcome.stderr);
}

#[test]
fn its_namespace_can_be_shown() {
    let folder = Folder::new(&[(
        "p.lmt.mjs",
        "import { z } from 'zod'; z.string(); console.log(z.iso); console.log(String(z), z.toString === Object.prototype.toString);
         console.log(Object.keys(z).length > 200, Reflect.ownKeys(z).every((key) => typeof key === 'string'));",
    )]);
    let outcome = folder.run("run p.lmt.mjs");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(
        outcome.stdout.contains("datetime: [Function") && outcome.stdout.contains("ZodISODate"),
        "{}",
        outcome.stdout
    );
    assert_eq!(lines[lines.len() - 2..], ["[object Object] true", "true true"], "{}", outcome.stdout);
}
