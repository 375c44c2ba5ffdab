//! The built-in zod behaves like the zod of npm, though its declarations are created lazily.

use std::path::Path;

use crate::support::{Ended, Folder, lmthing};

/// The npm package that the built-in one was bundled from.
const NPM: &str = concat!(env!("OUT_DIR"), "/runtime-js/node_modules/zod");

#[test]
fn it_is_the_zod_of_npm() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script/zod/compare.lmt.mjs");
    let ended = Ended::of(lmthing().arg("run").arg(file).arg(NPM));
    assert_eq!(ended.stdout.trim(), "the same", "{}", ended.stderr);
}

#[test]
fn its_namespace_can_be_shown() {
    let folder = Folder::new(&[(
        "p.lmt.mjs",
        "import { z } from 'zod'; z.string(); console.log(z.iso); console.log(String(z), z.toString === Object.prototype.toString);
         console.log(Object.keys(z).length > 200, Reflect.ownKeys(z).every((key) => typeof key === 'string'));",
    )]);
    let ended = folder.run("run p.lmt.mjs");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(ended.stdout.contains("datetime: [Function") && ended.stdout.contains("ZodISODate"), "{}", ended.stdout);
    assert_eq!(lines[lines.len() - 2..], ["[object Object] true", "true true"], "{}", ended.stdout);
}
