//! The built-in zod behaves like the zod of npm, though its declarations are created lazily.

use crate::support::{Folder, Outcome, lmthing, root, skipped};

#[test]
fn the_built_in_zod_equals_the_npm_package() {
    let package = root().join("runtime-js/node_modules/zod");
    if !package.exists() {
        return skipped(
            "the_built_in_zod_equals_the_npm_package",
            "no zod; run `npm ci` in runtime-js/ (.ci/run does it)",
        );
    }
    let file = root().join("tests/script/zod/compare.lmt.mjs");
    let outcome = Outcome::of(lmthing().arg("run").arg(file).arg(package));
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
